"""Secrets that only their field gives away: `name: value` in the many ways in which people and programs write it."""

from __future__ import annotations

import re
from typing import NamedTuple

from .redact_names import strength_of
from .redact_values import LONGEST_JUDGED, Strength, is_drawn, is_hex, is_strong, looks_secret

# Matched against what stands before the anchor, read backwards.
_NAME_BEFORE = re.compile(r"([A-Za-z0-9_.\-]{0,60})(?: ([A-Za-z]{2,20}))?", re.ASCII)
_NAME = r"[A-Za-z0-9_.\-]{0,40}+"
_REST_OF_NAME = re.compile(_NAME, re.ASCII)
_QUOTE_MARK = r"(?:\\{0,7}[\"'`]|\\{1,7}u0022|&quot;|&#3[49];|%22|[“”„«»「」『』])"
_END_OF_NAME = rf"[а-яё]{{0,3}}(?:'?s)?\*{{0,2}}(?:{_QUOTE_MARK}|\]){{0,2}}\*{{0,2}}"
_WHOSE = (
    r"(?:[ ]?[(（][^()（）\n]{1,30}[)）]"
    r"|[ ](?:for|of|to|on|in|at|from|pour|für|de|del|для)[ ][\w .\-/@]{1,24}?"
    r"|[ ][\w.\-]{2,20}(?=[ ](?:is|est|es|ist|é|è)[ ])|の[\w.\-]{1,20}?)?"
)
_VERB = (
    r"(?:is|was|are|will be|has been|set|changed|reset|est|es|é|è|ist|war|lautet|jest|är|er|to|as|este|это)"
    r"(?:[ ](?:now|set|changed|still|currently|to|as|from))?"
)
_CJK_VERB = r"(?:就是|現在是|现在是|改成了?|改為|改为|设为|设置为|設為|換成|换成|是|为|為|は|が|を|는|은|이|가)"
_SEPARATOR = (
    r"(?:[ \t]{0,3}(?:[:：][ \t]{0,2}[A-Za-z][\w.\[\]| ]{0,30}=|=>|:{1,3}=|[?.+]=|={1,3}|[:：＝]|->|→|—|–|👉|%3[dDaA])"
    r"[ \t]{0,4}"
    rf"|[ \t]{{1,3}}{_VERB}(?:[ \t]*[:：])?[ \t]{{1,3}}|[ \t]?{_CJK_VERB}[ \t:：]{{0,3}}"
    r"|(?P<element>>)|(?P<cell>[ \t]{1,3}\|[ \t]{1,3})"
    r"|[ \t]{1,2}-[ \t]{1,2}|(?P<call>\((?=[\"'`]))"
    r"|(?P<pair>[ \t]{0,3}[,{]?\s{1,24}\\{0,7}[\"'`]?(?:[vV]alue|default)\\{0,7}[\"'`]?[ ]?[:=][ ]{0,2})"
    r"|(?P<argument>(?<=[\"'`])[ \t]{0,2},[ \t]{0,2}(?=[\"'`]))|(?P<attribute>(?<=[\"'])[ \t]{1,3}value[ ]?=[ ]?))"
    r"(?P<line>(?:[ \t]{0,4}\n){1,2}(?:[ \t]{0,8}```\w{0,12}[ \t]{0,3}\n)?[ \t]{0,24}(?![ \t\n]))?"
    r"(?:!!?[a-z]{2,10}[ ](?=\S))?"
)
_FIELD = re.compile(_NAME + _END_OF_NAME + _WHOSE + _SEPARATOR + r"\*{0,2}", re.ASCII)
_FLAG = re.compile(_NAME + r"(?:[ ]|\\{0,7}[\"'],[ ]?)", re.ASCII)
_BESIDE = re.compile(_NAME + _END_OF_NAME + r"[ ]{1,2}(?=\S{0,60}\d)", re.ASCII)
_COLUMN = re.compile(
    r"[^\n|]{0,40}\|(?P<after>(?:[^\n|]{0,40}\|){0,6})[ \t]*\n[ \t]*\|?[ \t:|\-]{3,200}\n(?P<row>[^\n]{1,300})",
    re.ASCII,
)

_SCHEME = r"(?:(?:Bearer|Basic|Token|ApiKey|SSWS|bearer|basic|token)[ ]{1,3})?"
_QUOTE = (
    r"[bru]?(?:(?P<escape>\\{1,7})?(?P<quote>[\"'`]|(?<=\\)u0022)|(?P<entity>&quot;|&#3[49];|%22)"
    r"|(?P<mark>[“„«「『][ \u00a0]?))"
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
    at = start - len(before) - 2
    is_call = before.startswith("-") or (at >= 0 and text[at] == "(")
    return _value_at(text, lead, strength, is_call=is_call, named=bool(before)) if lead else None


def _value_at(text: str, lead: re.Match[str], strength: Strength, *, is_call: bool, named: bool) -> Field | None:
    """The value behind a name, or a word; `is_call` where that is the first argument of a call."""
    match = _VALUE.match(text, lead.end())
    if match is None:
        return None
    quoted = match["quoted"] is not None
    group = "quoted" if quoted else "bare"
    value = match[group].rstrip("\\ \u00a0" if quoted else ".,:!?*_)]}")
    # A column needs a word that says as much as "password", and an element its end; a value on the next line stands
    # there alone, and what only stands beside its name must be random.
    if lead.re is _FIELD:
        stop = match.end()
        if lead["cell"] and strength != "password" and not (strength == "secret" and is_drawn(value)):
            return None
        if lead["call"] and not is_strong(value):
            return None
        if lead["element"] and text[stop : stop + 1] != "<":
            return None
        if lead["argument"] and not is_call:
            return None
        if lead["line"] and (_IS_NAME.match(text, stop) or not (quoted or _REST_OF_LINE.match(text, stop))):
            return None
    elif lead.re is _BESIDE and not _stands_alone(value, strength, named=named, quoted=quoted):
        return None
    if not looks_secret(value, strength, quoted=quoted):
        return None
    start, end = match.span(group)
    remainder = _REMAINDER.match(text, end) if end - start >= LONGEST_JUDGED else None
    kind = "password" if strength == "pass" else strength
    return Field(start, remainder.end() if remainder else start + len(value), kind)


def _stands_alone(value: str, strength: Strength, *, named: bool, quoted: bool) -> bool:
    """Whether a value that only stands beside a word for a secret can be meant by it; `named` where that is a name."""
    if strength == "secret":
        return is_drawn(value) and (named or quoted or not is_hex(value))
    return strength == "password" and is_strong(value)


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


def _name_before(text: str, at: int) -> tuple[str, str]:
    """The part of a name that ends at `at`, and the word before it."""
    match = _NAME_BEFORE.match(text[max(0, at - 84) : at][::-1])
    return (match[1][::-1], (match[2] or "")[::-1]) if match else ("", "")
