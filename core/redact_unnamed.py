"""Random strings that can only be secrets though nothing says so: assigned values, tokens with a prefix."""

from __future__ import annotations

import re

from .redact_fields import Field
from .redact_values import is_mixed, is_unnamed_secret

# A value behind `=` or `:`, with quotes or without.
_ASSIGNED = re.compile(
    r"[=:](?:[ ]?\\{0,7}[\"'`]|[ ])?(?P<value>[A-Za-z0-9_\-+/~]{24,200}+={0,2})(?![A-Za-z0-9_\-+/=.~(])", re.ASCII
)
_ASSIGNED_NAME = re.compile(r"[ \t]{0,2}(?:[\"'`]\\{0,7})?([A-Za-z0-9_.\-]{1,60})", re.ASCII)
_NO_SECRET_NAMES = re.compile(
    r"(?:id|ids|uid|uuid|guid|sha|sha\d+|md5|hash|hashes|digest|checksum|integrity|etag|signature|sig|commit|rev|revision"
    r"|oid|ref|version|data|image|images|img|src|body|content|text|mappings|nonce|fingerprint|path|file|filename|name"
    r"|url|uri|href|class|classname|cursor|trace|span|request|tool|call|message|thread|blob|cert|certificate|pub|public|pubkey\d*|code"
    r"|parent|leaf|anchor|page|base64|https?|h\d|build|cache|key|tokens|state|thinking|encrypted|x5c|kid|n|resume)\Z",
    re.IGNORECASE | re.ASCII,
)
_LAST_WORD = re.compile(r"(?:[A-Z]+|[A-Z]?[a-z]+)\d*\Z|\d+\Z")
# A token of a maker that nobody knows: its name, and a long random string.
_PREFIXED = re.compile(r"[_\-](?P<value>[A-Za-z0-9]{36,200}+)(?![A-Za-z0-9_\-=+/(]|\.[A-Za-z0-9])", re.ASCII)
_PREFIX = re.compile(r"(?:[a-z0-9]{1,12}[_\-]){0,3}[a-z][a-z0-9]{1,12}\Z", re.ASCII)
_ID_PREFIXES = frozenset(
    "toolu msg call chatcmpl req resp run thread asst file fc rs ws item step batch gen evt cs img id h"
    " sha1 sha256 sha384 sha512".split()
)
_IN_HASH = re.compile(r"sha(?:1|256|384|512)[=:\-][A-Za-z0-9_+/\-]{0,90}\Z", re.ASCII)
_BOT = re.compile(r"(?<!\d)\d{6,12}\Z", re.ASCII)


def unnamed(text: str) -> list[Field]:
    """Values that can only be secrets though nothing says so, where a program has written `name = value`."""
    found: list[Field] = []
    for match in _ASSIGNED.finditer(text):
        value, at = match["value"], match.start()
        if bot := _BOT.search(text, max(0, at - 13), at) if 34 <= len(value) <= 36 and text[at] == ":" else None:
            if is_mixed(value):
                found.append(Field(bot.start(), match.end(), "telegram-token"))
        elif is_unnamed_secret(value) and _may_be_secret(text, at):
            found.append(Field(*match.span("value"), "random-value"))
    for match in _PREFIXED.finditer(text):
        at = match.start()
        prefix = _PREFIX.search(text, max(0, at - 40), at)
        if (
            prefix
            and not _IN_HASH.search(text, max(0, at - 60), at)
            and not _ID_PREFIXES.intersection(re.split("[_-]", prefix[0]))
            and is_unnamed_secret(match["value"])
        ):
            found.append(Field(prefix.start(), match.end(), "api-key"))
    return found


def _may_be_secret(text: str, at: int) -> bool:
    name = _ASSIGNED_NAME.match(text[max(0, at - 64) : at][::-1])
    if name is None:
        return False
    last = _LAST_WORD.search(name[1][::-1])
    return last is not None and not _NO_SECRET_NAMES.match(last[0])
