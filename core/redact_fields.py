"""Secrets that only their field gives away: which names hold one, and which values look like one."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

Strength = Literal["password", "secret", "key"]
"""How much the name says: a short value is believed in a password, only a random one in something called a key."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FIELD_ANCHORS = (
    *("pass", "pwd", "secret", "token", "key", "credential", "authorization"),
    *("mot de passe", "contraseña", "senha", "parola", "пароль"),
    *("密码", "密碼", "口令", "パスワード", "비밀번호", "密钥", "密鑰", "令牌"),
)
"""In lower case; a field is looked for where one of them stands."""

_FOREIGN_PASSWORDS = (
    "mot de passe",
    "contraseña",
    "senha",
    "parola",
    "пароль",
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "비밀번호",
)
_FOREIGN_SECRETS = ("密钥", "密鑰", "令牌")
_PASSWORD_ENDINGS = ("password", "passwd", "passphrase", "passcode", "passwort", "pwd")
_SECRET_ENDINGS = ("secret", "token", "apikey", "accesskey", "secretkey", "privatekey", "authkey", "accountkey")
_SECRET_WORDS = frozenset({"credential", "credentials", "authorization"})
_SECRET_KEYS = _words(
    "api access secret private encryption encrypt signing sign master auth account service shared storage admin app"
    " application client consumer server deploy subscription webhook integration ingestion license hmac aes jwt user"
)
_NO_SECRET_KEYS = _words(
    "public pub primary foreign sort sorting partition hash range cache session routing idempotency idempotent unique"
    " composite surrogate natural group map dict object index row column lookup translation i18n message query hot"
    " short shortcut arrow enter registry dedupe dedup bucket thread conversation host keyboard any each"
)
_NO_SECRET_TOKENS = _words(
    "next previous prev page continuation pagination cursor sync csrf xsrf cancellation cancel stop start end eos bos"
    " pad unk mask special per input output prompt completion last first current design color syntax"
)
_AFTERTHOUGHTS = _words(
    "base value val prod production dev test testing staging stage live main old new b64 base64 env"
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

LONGEST_JUDGED = 200
"""As many characters of a value are looked at; a longer one is taken or left by them."""

# Matched against what stands before the anchor, read backwards.
_NAME_BEFORE = re.compile(r"([A-Za-z0-9_.\-]{0,60})(?: ([A-Za-z]{2,20}))?", re.ASCII)
_NAME = r"[A-Za-z0-9_.\-]{0,40}+"
_REST_OF_NAME = re.compile(_NAME, re.ASCII)
_END_OF_NAME = r"\*{0,2}(?:\\{0,7}[\"'`\]]){0,2}\*{0,2}"
_SEPARATOR = (
    r"(?:[ \t]{0,3}(?::[ \t]{0,2}[A-Za-z][\w.\[\]| ]{0,30}=|=>|:=|\?=|={1,3}|[:：＝])[ \t]{0,4}"
    r"|[ \t]{1,3}(?:is|was|est|es|ist)(?:[ \t]*:)?[ \t]{1,3}|[ \t]?(?:是|为|為|は|는|은)[ \t:：]{0,3}"
    r"|(?P<element>>)|(?P<cell>[ \t]{1,3}\|[ \t]{1,3}))"
)
_FIELD = re.compile(_NAME + _END_OF_NAME + _SEPARATOR + r"\*{0,2}", re.ASCII)
_FLAG = re.compile(_NAME + r"(?:[ ]|\\{0,7}[\"'],[ ]?)", re.ASCII)

_SCHEME = r"(?:(?:Bearer|Basic|Token|ApiKey|bearer|basic|token)[ ]{1,3})?"
_QUOTE = r"[bru]?(?P<escape>\\{1,7})?(?P<quote>[\"'`])"
_UP_TO_LONGEST = rf"{{1,{LONGEST_JUDGED}}}+"
# Within escaped quotes a backslash is the next quote's; within plain ones it escapes what follows.
_QUOTED = (
    rf"(?P<quoted>(?(escape)(?:(?!(?P=quote))[^\n]){_UP_TO_LONGEST}|(?:\\.|(?!(?P=quote))[^\\\n]){_UP_TO_LONGEST}))"
)
_BARE = rf"(?P<bare>[^\s\"'`,;<>&|\\\x80-\U0010ffff]{_UP_TO_LONGEST})"
_VALUE = re.compile(rf"{_QUOTE}{_SCHEME}{_QUOTED}|{_SCHEME}{_BARE}", re.ASCII)
_REMAINDER = re.compile(r"[^\s\"'`\\]*", re.ASCII)

_PLACEHOLDER = re.compile(
    r"(?-i:x{5}|X{5}|\*{3})|\A[xX*]+\Z|\A\.{3}|\.{3}\Z|…|example|your[-_ ]|redacted|placeholder|change[-_]?me|<[^<>]*>"
    r"|\$\{|\{\{|\$\(|%\(|\A%[a-z]?\Z|\A\$[A-Za-z_]+\Z|\A%\w+%\Z|\A[{\[(].*[}\])]?\Z",
    re.IGNORECASE | re.ASCII,
)
_PLACEHOLDER_WORDS = _words(
    "password passwd passwort pass pwd secret token apikey api_key key string str text required optional hidden none"
    " null true false undefined invalid incorrect missing expired default test testing bearer basic user username admin"
    " value"
)
_CODE = re.compile(
    r"[A-Za-z_$]{2,40}(?:[(\[]|\.[A-Za-z_]|::|->|\?\.)|[A-Za-z_]\w{0,40}[._][\w.]{0,40}\(|\$[A-Za-z_]\w{0,40}[\-.\[({]"
    r"|[!=]=|=>|[\w.]{0,60}(?:Key|Token|Secret|Password|Credentials?|Handle)\Z",
    re.ASCII,
)
_NUMBER = re.compile(r"-[\d.\-]+|[\d.\-]*[.\-][\d.\-]*", re.ASCII)
_ABOUT_SECRETS = re.compile(r"pass|pwd|secret|token|credential|key", re.IGNORECASE)
_ADDRESS = re.compile(r"(?:~|\.{1,2})/|[A-Za-z]:\\|[a-z][a-z0-9+.\-]{1,20}://", re.ASCII)
_PUBLIC_VALUE = re.compile(
    r"sha\d{3}[-:]|ssh-|toolu_|call_|msg_|chatcmpl-|req_|resp_|data:|\d{4}-\d\d-\d\d|MFkwEwYH|MIIBIjANBg|MCowBQYD|AAAA[BCE]3",
    re.ASCII,
)
_HEX_OR_UUID = re.compile(r"[0-9a-fA-F\-:]+", re.ASCII)
_PIECE = re.compile(r"[A-Za-z0-9]+", re.ASCII)
_LONG_PIECE = re.compile(r"[A-Za-z0-9]{12,}", re.ASCII)
_TOKEN_OF_20 = re.compile(r"[A-Za-z0-9+/_\-]{20,}={0,2}", re.ASCII)
_MIXED = re.compile(r"(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=[^0-9]*[0-9])")
_CHANGE = re.compile(r"[a-z](?![a-z])|[A-Z](?![A-Z])|[0-9](?![0-9])")
_TWO_LETTERS = re.compile(r"[^A-Za-z]*[A-Za-z][^A-Za-z]*[A-Za-z]", re.ASCII)
_PLAIN = re.compile(r"[A-Za-z0-9._\-/:]*", re.ASCII)
_DIGIT = re.compile(r"[0-9]")
_SPACE = re.compile(r"\s")


class Field(NamedTuple):
    """A value that its name says is a secret: `text[start:end]`."""

    start: int
    end: int
    kind: str


def field_at(text: str, start: int, end: int) -> Field | None:
    """The secret value of the field in whose name a word of `FIELD_ANCHORS` stands at `text[start:end]`."""
    lead = _FIELD.match(text, end)
    if lead is None and "--" not in text[max(0, start - 60) : start]:
        return None
    before, word_before = _name_before(text, start)
    if lead is None and before.startswith("-"):
        lead = _FLAG.match(text, end)
    rest = _REST_OF_NAME.match(text, end)
    strength = _strength(word_before, before + text[start : rest.end() if rest else end])
    if lead is None or strength is None:
        return None
    match = _VALUE.match(text, lead.end())
    if match is None:
        return None
    group = "bare" if match["quoted"] is None else "quoted"
    value = match[group].rstrip("\\" if group == "quoted" else ".,:!?*_)]}")
    # A column needs a word that says as much as "password", and an element its end.
    separator = lead.groupdict()
    if separator.get("cell") and strength != "password":
        return None
    if separator.get("element") and text[match.end() : match.end() + 1] != "<":
        return None
    if not looks_secret(value, strength, quoted=group == "quoted"):
        return None
    start, end = match.span(group)
    remainder = _REMAINDER.match(text, end) if end - start >= LONGEST_JUDGED else None
    return Field(start, remainder.end() if remainder else start + len(value), strength)


def _name_before(text: str, at: int) -> tuple[str, str]:
    """The part of a name that ends at `at`, and the word before it."""
    match = _NAME_BEFORE.match(text[max(0, at - 84) : at][::-1])
    return (match[1][::-1], (match[2] or "")[::-1]) if match else ("", "")


@lru_cache(1024)
def _strength(word_before: str, name: str) -> Strength | None:
    lowered = name.lower()
    if lowered.endswith(_FOREIGN_PASSWORDS):
        return "password"
    if lowered.endswith(_FOREIGN_SECRETS):
        return "secret"
    words = [word.lower() for word in _WORD.findall(name)]
    while len(words) > 1 and (words[-1] in _AFTERTHOUGHTS or words[-1].isdigit() or len(words[-1]) == 1):
        words.pop()
    if not words:
        return None
    last, before = words[-1], words[-2] if len(words) > 1 else word_before.lower()
    if last.endswith(_PASSWORD_ENDINGS) or (last == "pass" and len(words) > 1):
        return "password"
    if last.endswith(_SECRET_ENDINGS) or last in _SECRET_WORDS:
        return None if last == "token" and before in _NO_SECRET_TOKENS else "secret"
    if last != "key" or before in _NO_SECRET_KEYS:
        return None
    in_environment = name.isupper() and len(words) > 1
    return "secret" if before in _SECRET_KEYS or in_environment else "key"


def is_placeholder(value: str, distinct: int) -> bool:
    """Whether `value` only shows where a secret would stand: a word for one, or hardly any different characters."""
    if len(value) > LONGEST_JUDGED:
        return len(set(value)) < distinct
    return len(set(value)) < distinct or value.lower() in _PLACEHOLDER_WORDS or _PLACEHOLDER.search(value) is not None


def looks_secret(value: str, strength: Strength, *, quoted: bool) -> bool:
    """Whether `value`, found under a name of this strength, is a secret and not code, a word or a placeholder."""
    least = 6 if strength == "password" else 8 if strength == "secret" else 16
    if len(value) < least or (strength != "password" and not _DIGIT.search(value) and not _is_drawn(value)):
        return False
    core = value.lower().strip("0123456789!?._-")
    if core in _PLACEHOLDER_WORDS or is_placeholder(value, 4) or _is_public(value):
        return False
    if _SPACE.search(value) or (not quoted and _CODE.match(value)):
        return False
    if strength == "password":
        if _NUMBER.fullmatch(value) or (quoted and _CODE.match(value)):
            return False
        plain = _PLAIN.fullmatch(value) is not None
        return (
            _DIGIT.search(value) is not None
            or not plain
            or (quoted and len(value) >= 8 and not _ABOUT_SECRETS.search(value))
        )
    if strength == "key":
        return not _HEX_OR_UUID.fullmatch(value) and _has_random_piece(value)
    if _is_drawn(value):
        return True
    if _is_made_of_words(value) or not _TWO_LETTERS.match(value):
        return False
    return _count_digits(value) >= 2 or (quoted and not _CODE.match(value))


def _count_digits(value: str) -> int:
    return sum(map(value.count, "0123456789"))


def _is_made_of_words(value: str) -> bool:
    return all(piece[0].isalpha() or piece[0].isdigit() for piece in _PIECE.finditer(value))


def _is_drawn(value: str) -> bool:
    """Whether `value` mixes small letters, capitals and digits, or changes between them as only chance does."""
    if not _TOKEN_OF_20.fullmatch(value):
        return False
    return _MIXED.match(value) is not None or len(_CHANGE.findall(value)) > 0.4 * len(value)


def _is_public(value: str) -> bool:
    """Whether `value` is an address, a path, a time, a hash or an id by its looks."""
    if _PUBLIC_VALUE.match(value) or _ADDRESS.match(value):
        return True
    return value.startswith("/") and not _has_random_piece(value)


def _has_random_piece(value: str) -> bool:
    return any(map(_is_random, _LONG_PIECE.findall(value)))


def _is_random(piece: str) -> bool:
    if _HEX_OR_UUID.fullmatch(piece):
        return False
    return 2 <= _count_digits(piece) <= len(piece) - 2 or (len(piece) >= 20 and _MIXED.match(piece) is not None)
