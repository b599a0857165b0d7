"""Which values look like a secret, and which are a placeholder, code, words, an id or a hash."""

from __future__ import annotations

import re
from typing import Literal

Strength = Literal["password", "pass", "secret", "key"]
"""How much the name says: a short value is believed in a password, only a random one in something called a key."""

LONGEST_JUDGED = 200
"""As many characters of a value are looked at; a longer one is taken or left by them."""

_PLACEHOLDER = re.compile(
    r"(?-i:x{5}|X{5}|\*{3})|\A[xX*]+\Z|\A\.{3}|\.{3}\Z|…|example|your[-_ ]|redacted|placeholder|change[-_]?me|<[^<>]*>"
    r"|replace[-_]?(?:me|this|with)|insert[-_]|my[-_](?:secret|password|token|api)|\$\{|\{\{|\$\(|%\(|\A%[a-z]?\Z"
    r"|\A\$[A-Za-z_]+\Z|\A%\w+%\Z|\A![a-z]+\Z|\A[{\[(].*[}\])]?\Z",
    re.IGNORECASE | re.ASCII,
)
_PLACEHOLDER_WORDS = frozenset(
    "password passwd passwort pass pwd secret token apikey api_key key string str text required optional hidden none"
    " null true false undefined invalid incorrect missing expired default test testing bearer basic user username admin"
    " value".split()
)
_CODE = re.compile(
    r"[A-Za-z_$][\w$]{1,40}[(\[]|(?:[A-Za-z_$]{2,40}|_\w{1,40})(?:\.[A-Za-z_]|::|->|\?\.)|[A-Za-z_]\w{0,40}[._][\w.]{0,40}\(|\$[A-Za-z_]\w{0,40}[\-.\[({]"
    r"|[!=]=|=>|[\w.]{0,60}(?:Key|Token|Secret|Password|Credentials?|Handle)\Z",
    re.ASCII,
)
_SENTENCE = frozenset(
    "a an the is are was be must should may can your you my our it its this that at in on of for to from with and or"
    " not no if when please enter type least than more characters letters password passphrase secret token wrong"
    " incorrect invalid required missing reset forgot new old set get use".split()
)
_NUMBER = re.compile(r"-[\d.\-]+|[\d.\-]*[.\-][\d.\-]*", re.ASCII)
_ABOUT_SECRETS = re.compile(r"pass|pwd|secret|token|credential|key", re.IGNORECASE)
_ADDRESS = re.compile(r"(?:~|\.{1,2})/|[A-Za-z]:\\|[a-z][a-z0-9+.\-]{1,20}://", re.ASCII)
_PUBLIC_VALUE = re.compile(
    r"sha\d{3}[-:]|ssh-|AWS4-|toolu_|call_|msg_|chatcmpl-|req_|resp_|run_|fc_|rs_|ws_|data:|\d{4}-\d\d-\d\d"
    r"|MFkwEwYH|MIIB|MIIC|MIID|MIIE|MIIF|MIIG|MCowBQYD|AAAA[BCE]3|iVBORw0KGgo|/9j/|R0lGOD|UklGR|h1:",
    re.ASCII,
)
_HEX_OR_UUID = re.compile(r"[0-9a-fA-F\-:]+", re.ASCII)
_LONG_PIECE = re.compile(r"[A-Za-z0-9]{12,}", re.ASCII)
_TOKEN_OF_20 = re.compile(r"[A-Za-z0-9+/_\-.~%]{20,}={0,2}", re.ASCII)
_RUN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_TWO_LETTERS = re.compile(r"[^A-Za-z]*[A-Za-z][^A-Za-z]*[A-Za-z]", re.ASCII)
_PLAIN = re.compile(r"[A-Za-z0-9._\-/:]*", re.ASCII)
_DIGIT = re.compile(r"[0-9]")
_CAPITAL, _SMALL = re.compile(r"[A-Z]"), re.compile(r"[a-z]")
_SPACE = re.compile(r"\s")
_WORDS_LIKE = 3.7
"""So long are, in the mean, the words and numbers that a name is made of; in a random string they are half of it."""


def is_placeholder(value: str, distinct: int) -> bool:
    """Whether `value` only shows where a secret would stand: a word for one, or hardly any different characters."""
    if len(value) > LONGEST_JUDGED:
        return len(set(value)) < distinct
    return (
        len(set(value)) < distinct
        or value.lower() in _PLACEHOLDER_WORDS
        or _PLACEHOLDER.search(value, 0, 80) is not None
    )


def is_random(value: str) -> bool:
    """Whether capitals, small letters and digits change in `value` more often than in words, names and numbers."""
    runs = _RUN.findall(value)
    # Letters of one case alone give longer runs; a name of that kind has signs between its words.
    bound = 6 if len(runs) > 5 and value.isalnum() and (value.isupper() or value.islower()) else _WORDS_LIKE
    return sum(map(len, runs)) < bound * len(runs)


def is_drawn(value: str) -> bool:
    """Whether `value` is one random token of at least 20 characters, no word and no number."""
    return _TOKEN_OF_20.fullmatch(value) is not None and not _NUMBER.fullmatch(value) and is_random(value)


def is_strong(value: str) -> bool:
    """Whether `value` is what only passwords are: short letters, capitals and digits in one, with a sign or random."""
    if not (8 <= len(value) <= 64 and value.isascii() and is_mixed(value)):
        return False
    return (not value.isalnum() and not _ADDRESS.match(value) and not _CODE.match(value)) or is_random(value)


def is_mixed(value: str) -> bool:
    """Whether `value` has a digit, a capital and a small letter."""
    return all(kind.search(value) for kind in (_DIGIT, _CAPITAL, _SMALL))


def is_hex(value: str) -> bool:
    """Whether `value` is of hexadecimal digits alone, as hashes and ids are."""
    return _HEX_OR_UUID.fullmatch(value) is not None


def is_unnamed_secret(value: str) -> bool:
    """Whether `value` can only be a secret, whatever it is called: long, of three kinds of characters, random.

    Ids, hashes, paths, names and the beginnings of images and certificates are not.
    """
    if not 24 <= len(value) <= LONGEST_JUDGED or is_placeholder(value, 10) or _is_public(value) or "/" in value[:-24]:
        return False
    if value.startswith("ey"):  # JSON in base64, as cursors and states are
        return False
    digits = _count_digits(value)
    capitals, small = sum(map(str.isupper, value)), sum(map(str.islower, value))
    if min(digits, capitals, small) < 3 or "." in value:
        return False
    runs = _RUN.findall(value)
    return sum(map(len, runs)) < 2.7 * len(runs) and max(map(len, runs)) < 9


def looks_secret(value: str, strength: Strength, *, quoted: bool) -> bool:
    """Whether `value`, found under a name of this strength, is a secret and not code, a word or a placeholder."""
    least = {"password": 6, "pass": 8, "secret": 8, "key": 16}[strength]
    if len(value) < least or (strength != "password" and not _DIGIT.search(value, 0, 64) and not is_drawn(value)):
        return False
    core = value.lower().strip("0123456789!?._-")
    if core in _PLACEHOLDER_WORDS or is_placeholder(value, 4) or _is_public(value):
        return False
    if _SPACE.search(value):
        return strength == "password" and quoted and _is_passphrase(value)
    if not quoted and _CODE.match(value):
        return False
    if strength == "password":
        return _looks_like_password(value, quoted=quoted)
    if strength == "pass":
        return is_strong(value)
    if strength == "key":
        return not is_hex(value) and _has_random_piece(value)
    if is_drawn(value):
        return True
    if not _TWO_LETTERS.match(value) or (not is_random(value) and _CODE.match(value)):
        return False
    return _count_digits(value) >= 2 and (quoted or is_random(value))


def _looks_like_password(value: str, *, quoted: bool) -> bool:
    if _NUMBER.fullmatch(value) or (quoted and _CODE.match(value)):
        return False
    if _DIGIT.search(value) or _PLAIN.fullmatch(value) is None:
        return True
    return quoted and len(value) >= 8 and not _ABOUT_SECRETS.search(value)


def _is_passphrase(value: str) -> bool:
    """Whether `value` is of three to ten words that make no sentence."""
    words = value.split()
    return 3 <= len(words) <= 10 and all(each.isalnum() and each.lower() not in _SENTENCE for each in words)


def _count_digits(value: str) -> int:
    return sum(map(value.count, "0123456789"))


def _is_public(value: str) -> bool:
    """Whether `value` is an address, a path, a time, a hash or an id by its looks."""
    if _PUBLIC_VALUE.match(value) or _ADDRESS.match(value):
        return True
    return value.startswith("/") and not _has_random_piece(value)


def _has_random_piece(value: str) -> bool:
    return any(map(_is_random_piece, _LONG_PIECE.findall(value)))


def _is_random_piece(piece: str) -> bool:
    if is_hex(piece):
        return False
    return 2 <= _count_digits(piece) <= len(piece) - 2 or (len(piece) >= 20 and is_random(piece))
