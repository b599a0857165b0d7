"""Secrets that only their field gives away: `name: value` in the many ways in which people and programs write it."""

from __future__ import annotations

import re
from typing import NamedTuple

from .redact_names import strength_of
from .redact_values import LONGEST_JUDGED, Strength, is_drawn, is_hex, is_unnamed_secret, looks_secret

# Matched against what stands before the anchor, read backwards.
_NAME_BEFORE = re.compile(r"([A-Za-z0-9_.\-]{0,60})(?: ([A-Za-z]{2,20}))?", re.ASCII)
_NAME = r"[A-Za-z0-9_.\-]{0,40}+"
_REST_OF_NAME = re.compile(_NAME, re.ASCII)
_QUOTE_MARK = r"(?:\\{0,7}[\"'`]|\\{1,7}u0022|&quot;|&#3[49];|%22|[“”„«»「」『』])"
_END_OF_NAME = rf"[а-яё]{{0,3}}(?:'?s)?\*{{0,2}}(?:{_QUOTE_MARK}|\]){{0,2}}\*{{0,2}}"
_WHOSE = (
    r"(?:[ ]?[(（][^()（）\n]{1,30}[)）]"
    r"|[ ](?:for|of|to|on|in|at|from|pour|für|de|del|для)[ ][\w .\-/@]{1,40}?"
    r"|の[\w.\-]{1,20}?)?"
)
_VERB = (
    r"(?:is|was|are|will be|has been|set|changed|reset|est|es|é|è|ist|war|lautet|jest|är|er|to|as|este|это)"
    r"(?:[ ](?:now|set|changed|still|currently|to|as))?"
)
_CJK_VERB = r"(?:就是|現在是|现在是|改成了?|改為|改为|设为|设置为|設為|換成|换成|是|为|為|は|が|を|는|은|이|가)"
_SEPARATOR = (
    r"(?:[ \t]{0,3}(?:[:：][ \t]{0,2}[A-Za-z][\w.\[\]| ]{0,30}=|=>|:=|\?=|={1,3}|[:：＝]|->|→|—|–|👉|%3[dDaA])"
    r"[ \t]{0,4}"
    rf"|[ \t]{{1,3}}{_VERB}(?:[ \t]*[:：])?[ \t]{{1,3}}|[ \t]?{_CJK_VERB}[ \t:：]{{0,3}}"
    r"|(?P<element>>)|(?P<cell>[ \t]{1,3}\|[ \t]{1,3})"
    r"|(?P<argument>(?<=[\"'`])[ \t]{0,2},[ \t]{0,2}(?=[\"'`]))|(?P<attribute>(?<=[\"'])[ \t]{1,3}value[ ]?=[ ]?))"
    r"(?P<line>[ \t]{0,4}\n[ \t]{0,24}(?![ \t\n]))?"
)
_FIELD = re.compile(_NAME + _END_OF_NAME + _WHOSE + _SEPARATOR + r"\*{0,2}", re.ASCII)
_FLAG = re.compile(_NAME + r"(?:[ ]|\\{0,7}[\"'],[ ]?)", re.ASCII)
_BESIDE = re.compile(_NAME + _END_OF_NAME + r"[ ](?=[A-Za-z0-9+/_\-.~]{20})", re.ASCII)
_COLUMN = re.compile(
    r"[^\n|]{0,40}\|(?P<after>(?:[^\n|]{0,40}\|){0,6})[ \t]*\n[ \t]*\|?[ \t:|\-]{3,200}\n(?P<row>[^\n]{1,300})",
    re.ASCII,
)

_SCHEME = r"(?:(?:Bearer|Basic|Token|ApiKey|SSWS|bearer|basic|token)[ ]{1,3})?"
_QUOTE = (
    r"[bru]?(?:(?P<escape>\\{1,7})?(?P<quote>[\"'`]|(?<=\\)u0022)|(?P<entity>&quot;|&#3[49];|%22)|(?P<mark>[“„«「『]))"
)
_UP_TO_LONGEST = rf"{{1,{LONGEST_JUDGED}}}+"
# Within escaped quotes a backslash is the next quote's; within plain ones it escapes what follows.
_QUOTED = (
    rf"(?P<quoted>(?(escape)(?:(?!(?P=quote))[^\n]){_UP_TO_LONGEST}"
    rf"|(?(entity)(?:(?!(?P=entity))[^\n]){_UP_TO_LONGEST}|(?(mark)[^\n“”«»」』]{_UP_TO_LONGEST}"
    rf"|(?:\\.|(?!(?P=quote))[^\\\n]){_UP_TO_LONGEST}))))"
)
_BARE = rf"(?P<bare>(?:[^\s\"'`,;<>&|\\%\x80-\U0010ffff]{_UP_TO_LONGEST}|%(?!2[26]|3[bB]|0[aA])){{1,9}}+)"
_VALUE = re.compile(rf"{_QUOTE}{_SCHEME}{_QUOTED}|{_SCHEME}{_BARE}", re.ASCII)
_REMAINDER = re.compile(r"[^\s\"'`\\]*", re.ASCII)
_REST_OF_LINE = re.compile(r"[ \t\r]*(?:\n|\Z|\\n)", re.ASCII)
_IS_NAME = re.compile(r"\\{0,7}[\"']\s{0,3}:", re.ASCII)

# A value without a telling name: behind `=` or `:`, with quotes or without.
_ASSIGNED = re.compile(
    r"[=:](?:[ ]?\\{0,7}[\"'`]|[ ])?(?P<value>[A-Za-z0-9_\-+/~]{24,200}+={0,2})(?![A-Za-z0-9_\-+/=.~(])", re.ASCII
)
_ASSIGNED_NAME = re.compile(r"[ \t]{0,2}(?:[\"'`]\\{0,7})?([A-Za-z0-9_.\-]{1,60})", re.ASCII)
_NO_SECRET_NAMES = re.compile(
    r"(?:id|ids|uid|uuid|guid|sha|sha\d+|md5|hash|hashes|digest|checksum|integrity|etag|signature|sig|commit|rev|revision"
    r"|oid|ref|version|data|image|images|img|src|body|content|text|mappings|nonce|fingerprint|path|file|filename|name"
    r"|url|uri|href|class|classname|cursor|trace|span|request|tool|call|message|thread|blob|cert|certificate|pub|public"
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


class Field(NamedTuple):
    """A value that its name says is a secret: `text[start:end]`."""

    start: int
    end: int
    kind: str


def field_at(text: str, start: int, end: int) -> Field | None:
    """The secret value of the field in whose name a word of `FIELD_ANCHORS` stands at `text[start:end]`."""
    lead = _FIELD.match(text, end)
    beside = None if lead else _BESIDE.match(text, end)
    heading = "|" in text[end : end + 12]
    if not (lead or beside or heading or "--" in text[max(0, start - 60) : start]):
        return None
    before, word_before = _name_before(text, start)
    if lead is None and before.startswith("-"):
        lead = _FLAG.match(text, end)
    rest = _REST_OF_NAME.match(text, end)
    strength = strength_of(word_before, before + text[start : rest.end() if rest else end])
    if strength is None:
        return None
    if heading and strength == "password" and (cell := _in_next_row(text, start)):
        return cell
    lead = lead or beside
    return _value_at(text, lead, strength) if lead else None


def _value_at(text: str, lead: re.Match[str], strength: Strength) -> Field | None:
    match = _VALUE.match(text, lead.end())
    if match is None:
        return None
    quoted = match["quoted"] is not None
    group = "quoted" if quoted else "bare"
    value = match[group].rstrip("\\" if quoted else ".,:!?*_)]}")
    # A column needs a word that says as much as "password", and an element its end; a value on the next line stands
    # there alone, and what only stands beside its name must be random.
    if lead.re is _FIELD:
        stop = match.end()
        if lead["cell"] and strength != "password":
            return None
        if lead["element"] and text[stop : stop + 1] != "<":
            return None
        if lead["argument"] and _IS_NAME.match(text, stop):
            return None
        if lead["line"] and (_IS_NAME.match(text, stop) or not (quoted or _REST_OF_LINE.match(text, stop))):
            return None
    elif lead.re is _BESIDE and (strength == "key" or is_hex(value) or not is_drawn(value)):
        return None
    if not looks_secret(value, strength, quoted=quoted):
        return None
    start, end = match.span(group)
    remainder = _REMAINDER.match(text, end) if end - start >= LONGEST_JUDGED else None
    return Field(start, remainder.end() if remainder else start + len(value), strength)


def _in_next_row(text: str, start: int) -> Field | None:
    """The secret of a Markdown table that stands below the heading `text[start:…]`, if that is one."""
    table = _COLUMN.match(text, start)
    if table is None:
        return None
    line = text.rfind("\n", max(0, start - 300), start) + 1
    cells = table["row"].split("|")
    column = text.count("|", line, start)
    value = cells[column].strip(" \t`*") if column < len(cells) else ""
    if not looks_secret(value, "password", quoted=False):
        return None
    at = text.index(value, table.start("row") + sum(len(cell) + 1 for cell in cells[:column]))
    return Field(at, at + len(value), "password")


def unnamed(text: str) -> list[Field]:
    """Values that can only be secrets though nothing says so, where a program has written `name = value`."""
    found: list[Field] = []
    for match in _ASSIGNED.finditer(text):
        value = match["value"]
        at = match.start()
        if text[at] == ":" and 34 <= len(value) <= 36 and _BOT.search(text, max(0, at - 13), at) and is_drawn(value):
            found.append(Field(_BOT.search(text, max(0, at - 13), at).start(), match.end(), "telegram-token"))  # type: ignore[union-attr]
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


def _name_before(text: str, at: int) -> tuple[str, str]:
    """The part of a name that ends at `at`, and the word before it."""
    match = _NAME_BEFORE.match(text[max(0, at - 84) : at][::-1])
    return (match[1][::-1], (match[2] or "")[::-1]) if match else ("", "")
