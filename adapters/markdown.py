"""Markdown cut into chunks by its headings, each a range of whole lines; and the facts in its front matter. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

TARGET, OVERLAP = 400, 80
"""Tokens of a chunk at most, and of the end of one that the next begins with, within one long section."""
LATIN, CJK = 4.0, 1.5
"""Characters of a token: a rule of thumb for the tokenizers of today's models, near enough for sizes."""
MOST_FRONT_LINES, LONGEST_FACT = 200, 500

_CJK = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)
_FENCE = re.compile(r"\s*(?P<mark>(?P<sign>[`~])(?P=sign){2,})(?P<rest>.*)")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?$")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*$")
_NO_TITLE = re.compile(r"\s*(?:[-*+>|]|\d+[.)])\s?")
"""How lines begin that a row of dashes below makes no heading of: list items, quotations, tables."""
_FACT = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]+(.*))?$")


class Chunk(NamedTuple):
    """Lines `first` to `last`, counted from 1."""

    first: int
    last: int


class _Block(NamedTuple):
    """Lines `start` to `stop`, counted from 0, without the second, that are best kept together."""

    start: int
    stop: int
    level: int = 0
    """Of a heading, from 1; 0 for anything else."""
    is_fence: bool = False


def lines_of(text: str) -> list[str]:
    """The lines of a file as `grep -n` counts them; without any line feed, as carriage returns divide them."""
    text = text.removeprefix("\ufeff")
    if "\n" not in text:
        text = text.rstrip("\r").replace("\r", "\n")
    return [line.removesuffix("\r") for line in text.split("\n")]


def front_matter(lines: Sequence[str]) -> tuple[dict[str, str], int]:
    """The facts between two lines of dashes at the top, by lower-case name, and how many lines those take.

    It is seldom strict YAML: `name: value` is read, also over several lines, and the rest is left alone.
    """
    if not lines or lines[0].rstrip() != "---":
        return {}, 0
    inside = lines[1 : MOST_FRONT_LINES + 1]
    end = next((number for number, line in enumerate(inside) if line.rstrip() in ("---", "...")), None)
    if end is None:
        return {}, 0
    facts: dict[str, str] = {}
    name = ""
    for line in inside[:end]:
        if found := _FACT.match(line):
            name = found[1].lower()
            value = (found[2] or "").strip()
            facts[name] = "" if value in (">", "|", ">-", "|-") else value[:LONGEST_FACT]
        elif name and line[:1] in " \t" and len(facts[name]) < LONGEST_FACT:
            facts[name] = f"{facts[name]} {line.strip()}".strip()[:LONGEST_FACT]
    return ({key: _unquoted(value) for key, value in facts.items()}, end + 2) if facts else ({}, 0)


def first_heading(lines: Sequence[str], start: int = 0) -> str | None:
    """The words of the first heading from line `start` (from 0) on; None without one."""
    for block in _blocks(lines, start):
        if block.level:
            found = _HEADING.match(lines[block.start])
            words = re.sub(r"(?:^|[ \t])#+[ \t]*$", "", found[2] or "") if found else lines[block.start]
            if words.strip():
                return words.strip()
    return None


def tokens(text: str) -> float:
    """About how many tokens a text has, the line break after it included."""
    wide = 0 if text.isascii() else len(_CJK.findall(text))
    return (len(text) + 1 - wide) / LATIN + wide / CJK


def chunks(lines: Sequence[str], start: int = 0) -> Iterator[Chunk]:
    """The chunks from line `start` (from 0) on, in order; together they have every line that is not blank.

    A chunk is a section with its heading, with the sections below it as far as there is room. A section that is too
    long is cut between paragraphs, else between lines; a fenced block is cut only if it alone is too long.
    """
    cost = [0.0, *accumulate(map(tokens, lines))]
    for section in _packed(_sections(lines, start), cost):
        for first, stop in _cut(section, lines, cost):
            yield Chunk(first + 1, stop)


# ---- parts ----


def _unquoted(value: str) -> str:
    return value[1:-1].strip() if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def _blocks(lines: Sequence[str], start: int) -> Iterator[_Block]:
    """Headings, fenced blocks and paragraphs."""
    unclosed: dict[str, int] = {}
    at, stop = start, len(lines)
    while at < stop:
        line = lines[at]
        if not line.strip():
            at += 1
        elif heading := _HEADING.match(line):
            yield _Block(at, at + 1, len(heading[1]))
            at += 1
        elif end := _fence_end(lines, at, unclosed):
            yield _Block(at, end, is_fence=True)
            at = end
        else:
            end = at + 1
            while end < stop and lines[end].strip() and not _HEADING.match(lines[end]):
                if end == at + 1 and _UNDERLINE.match(lines[end]) and not _NO_TITLE.match(line):
                    break
                if _FENCE.match(lines[end]) and _fence_end(lines, end, unclosed):
                    break
                end += 1
            if end == at + 1 < stop and lines[end].strip() and _UNDERLINE.match(lines[end]):
                yield _Block(at, end + 1, 1 if "=" in lines[end] else 2)
                end += 1
            else:
                yield _Block(at, end)
            at = end


def _fence_end(lines: Sequence[str], at: int, unclosed: dict[str, int]) -> int:
    """The line after the fenced block that begins at a line; 0 if none does, or if it is never closed.

    `unclosed` remembers which marks none closes any more, so that no text takes longer than its length warrants.
    """
    opened = _FENCE.match(lines[at])
    if opened is None or (opened["sign"] == "`" and "`" in opened["rest"]):
        return 0
    sign, length = opened["sign"], len(opened["mark"])
    if length >= unclosed.get(sign, 1 << 62):
        return 0
    for number in range(at + 1, len(lines)):
        closing = lines[number].strip()
        if closing and closing[0] == sign and len(closing) >= length and not closing.strip(sign):
            return number + 1
    unclosed[sign] = length
    return 0


def _sections(lines: Sequence[str], start: int) -> Iterator[list[_Block]]:
    """What stands below each heading, with it; a heading with nothing below it goes with the next section."""
    section: list[_Block] = []
    says_something = False
    for block in _blocks(lines, start):
        if block.level and says_something:
            yield section
            section, says_something = [], False
        section.append(block)
        says_something = says_something or not block.level
    if section:
        yield section


def _packed(sections: Iterator[list[_Block]], cost: Sequence[float]) -> Iterator[list[_Block]]:
    """Sections, with those below them as far as there is room; what stands below a document's title stays apart."""
    packed: list[_Block] = []
    for section in sections:
        level = packed[0].level if packed else 0
        is_below = level and section[0].level > max(2, level)
        if is_below and cost[section[-1].stop] - cost[packed[0].start] <= TARGET:
            packed += section
            continue
        if packed:
            yield packed
        packed = section
    if packed:
        yield packed


def _cut(blocks: Sequence[_Block], lines: Sequence[str], cost: Sequence[float]) -> Iterator[tuple[int, int]]:
    """A section as one range of lines, or as several that overlap; a short heading is never left alone."""
    pieces = [piece for block in blocks for piece in _pieces(block, lines, cost)]
    start, begun = pieces[0].start, 0
    is_heading = True
    for number, piece in enumerate(pieces):
        is_too_long = cost[piece.stop] - cost[start] > TARGET
        if number > begun and is_too_long and not (is_heading and cost[piece.start] - cost[start] <= OVERLAP):
            yield start, pieces[number - 1].stop
            start = _overlap(pieces[begun:number], start, lines, cost)
            if start == pieces[number - 1].stop or cost[piece.stop] - cost[start] > TARGET:
                start = piece.start
            begun, is_heading = number, True
        is_heading = is_heading and piece.level > 0
    yield start, pieces[-1].stop


def _pieces(block: _Block, lines: Sequence[str], cost: Sequence[float]) -> Iterator[_Block]:
    """A block, or where it is too long its lines."""
    if cost[block.stop] - cost[block.start] <= TARGET:
        yield block
    else:
        for number in range(block.start, block.stop):
            if lines[number].strip():
                yield _Block(number, number + 1)


def _overlap(pieces: Sequence[_Block], start: int, lines: Sequence[str], cost: Sequence[float]) -> int:
    """The line that the next chunk begins with, before the end of this one and not within a fenced block."""
    end = pieces[-1].stop
    best = end
    for piece in reversed(pieces):
        places = (piece.start,) if piece.is_fence else range(piece.stop - 1, piece.start - 1, -1)
        for place in places:
            if place <= start or cost[end] - cost[place] > OVERLAP:
                return best
            if lines[place].strip():
                best = place
    return best
