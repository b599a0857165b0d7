"""Secrets that only their field gives away: which names hold one, and which values look like one."""

from __future__ import annotations

import re
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

_NAME_BEFORE = re.compile(r"(?:([A-Za-z]{2,20}) )?([A-Za-z0-9_.\-]{0,60})\Z", re.ASCII)
_SEPARATOR = (
    r"(?:[ \t]{0,3}(?::[ \t]{0,2}[A-Za-z][\w.\[\]| ]{0,30}=|=>|:=|\?=|={1,3}|[:：＝])[ \t]{0,4}"
    r"|[ \t]{1,3}(?:is|was|est|es|ist)(?:[ \t]*:)?[ \t]{1,3}|[ \t]?(?:是|为|為|は|는|은)[ \t:：]{0,3}"
    r"|>|[ \t]{0,3}\|[ \t]{0,3})"
)
_SCHEME = r"(?:(?:Bearer|Basic|Token|ApiKey|bearer|basic|token)[ ]{1,3})?"
_VALUE = (
    r"(?:(?:[bru]?(?P<escape>\\{1,7})?(?P<quote>[\"'`]))"
    + _SCHEME
    + r"(?P<quoted>(?(escape)(?:(?!(?P=quote))[^\n]){1,2000}+|(?:\\.|(?!(?P=quote))[^\\\n]){1,2000}+))"
    + rf"|{_SCHEME}(?P<bare>[^\s\"'`,;<>&|\\\x80-\U0010ffff]{{4,400}}+))"
)
_CLOSE_NAME = r"\*{0,2}(?:\\{0,7}[\"'`\]]){0,2}\*{0,2}"
_FIELD = re.compile(r"(?P<rest>[A-Za-z0-9_.\-]{0,40}+)" + _CLOSE_NAME + _SEPARATOR + r"\*{0,2}" + _VALUE, re.ASCII)
_FLAG = re.compile(r"(?P<rest>[A-Za-z0-9_\-]{0,40}+)(?:[ ]|\\{0,7}[\"'],[ ]?)" + _VALUE, re.ASCII)

_PLACEHOLDER = re.compile(
    r"xxxx|\*{3}|\.{3}|…|example|your[-_ ]|redacted|placeholder|change[-_]?me|<[^<>]*>|\$\{|\{\{|\$\(|%\(|\A%[a-z]?\Z"
    r"|\A\$[A-Za-z_]+\Z|\A%\w+%\Z|\A[{\[(].*[}\])]?\Z",
    re.IGNORECASE | re.ASCII,
)
_PLACEHOLDER_WORDS = _words(
    "password passwd passwort pass pwd secret token apikey api_key key string str text required optional hidden none"
    " null true false undefined invalid incorrect missing expired default test testing bearer basic user username admin"
    " value"
)
_CODE = re.compile(r"[A-Za-z_$]{2,40}(?:[(\[]|\.[A-Za-z_]|::|->|\?\.)|[!=]=|=>", re.ASCII)
_PATH = re.compile(r"(?:~|\.{0,2}|[A-Za-z]:)[/\\].*|[a-z][a-z0-9+.\-]*://.*", re.ASCII)
_PUBLIC_VALUE = re.compile(
    r"(?:sha\d{3}[-:]|ssh-|toolu_|call_|msg_|chatcmpl-|req_|resp_|data:|\d{4}-\d\d-\d\d)", re.ASCII
)
_HEX_OR_UUID = re.compile(r"[0-9a-fA-F\-:]+", re.ASCII)
_PIECES = re.compile(r"[A-Za-z0-9]+", re.ASCII)
_PLAIN = re.compile(r"[A-Za-z0-9._\-/:]*", re.ASCII)


class Field(NamedTuple):
    """A value that its name says is a secret: `text[start:end]`."""

    start: int
    end: int
    kind: str


def field_at(text: str, start: int, end: int) -> Field | None:
    """The secret value of the field in whose name a word of `FIELD_ANCHORS` stands at `text[start:end]`."""
    match = _FIELD.match(text, end)
    before = _NAME_BEFORE.search(text, max(0, start - 84), start)
    head = before[2] if before else ""
    if match is None and head.startswith("-"):
        match = _FLAG.match(text, end)
    if match is None:
        return None
    strength = _strength(before[1] if before else None, head + text[start:end] + match["rest"])
    quoted = match["quoted"] is not None
    value = match["quoted"] if quoted else match["bare"]
    value = value.rstrip("\\") if quoted else value.rstrip(".,:!?*_)]}")
    if strength is None or not looks_secret(value, strength, quoted=quoted):
        return None
    at = match.start("quoted" if quoted else "bare")
    return Field(at, at + len(value), strength)


def _strength(word_before: str | None, name: str) -> Strength | None:
    lowered = name.lower()
    if lowered.endswith(_FOREIGN_PASSWORDS):
        return "password"
    if lowered.endswith(_FOREIGN_SECRETS):
        return "secret"
    words = [word.lower() for word in _WORD.findall(name)]
    while len(words) > 1 and (words[-1] in _AFTERTHOUGHTS or words[-1].isdigit() or len(words[-1]) == 1):
        words.pop()
    last, before = words[-1], words[-2] if len(words) > 1 else (word_before or "").lower()
    if last.endswith(_PASSWORD_ENDINGS) or (last == "pass" and len(words) > 1):
        return "password"
    if last.endswith(_SECRET_ENDINGS) or last in _SECRET_WORDS:
        return None if last == "token" and before in _NO_SECRET_TOKENS else "secret"
    if last != "key" or before in _NO_SECRET_KEYS:
        return None
    in_environment = name.isupper() and len(words) > 1
    return "secret" if before in _SECRET_KEYS or in_environment else "key"


def is_placeholder(value: str, distinct: int) -> bool:
    """Whether `value` only shows where a secret would stand; one with fewer than `distinct` characters does too."""
    return len(set(value)) < distinct or value.lower() in _PLACEHOLDER_WORDS or _PLACEHOLDER.search(value) is not None


def looks_secret(value: str, strength: Strength, *, quoted: bool) -> bool:
    """Whether `value`, found under a name of this strength, is a secret and not code, a word or a placeholder."""
    core = value.lower().strip("0123456789!?._-")
    if len(value) < 6 or core in _PLACEHOLDER_WORDS or is_placeholder(value, 4) or _PATH.fullmatch(value):
        return False
    if any(map(str.isspace, value)) or _PUBLIC_VALUE.match(value) or (not quoted and _CODE.match(value)):
        return False
    digits = sum(map(str.isdigit, value))
    letters = sum(map(str.isalpha, value))
    if strength == "password":
        odd = not _PLAIN.fullmatch(value)
        return (
            digits > 0
            or odd
            or (quoted and len(value) >= 8 and not _CODE.match(value) and _PLAIN.fullmatch(core) is not None)
        )
    if not (len(value) >= 8 and digits >= 2 and letters >= 2) or _is_made_of_words(value):
        return len(value) >= 8 and digits >= 1 and quoted and not _is_made_of_words(value) and not _CODE.match(value)
    if strength == "secret":
        return True
    return len(value) >= 16 and any(map(_is_random, _PIECES.findall(value))) and not _HEX_OR_UUID.fullmatch(value)


def _is_made_of_words(value: str) -> bool:
    return all(piece.isalpha() or piece.isdigit() for piece in _PIECES.findall(value))


def _is_random(piece: str) -> bool:
    digits = sum(map(str.isdigit, piece))
    return len(piece) >= 12 and digits >= 2 and len(piece) - digits >= 2 and not _HEX_OR_UUID.fullmatch(piece)
