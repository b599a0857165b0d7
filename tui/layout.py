"""Text to lines: greedy wrapping by terminal cells, where every line knows which stretch of the source it shows.

A source line breaks at a space or tab, which the break swallows, or anywhere beside a character of two cells.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

from rich.cells import get_character_cell_size, split_graphemes

from ..core.results import Span

TAB = 4
"""A tab leads to the next multiple of so many cells, counted from the start of its source line."""

BLOCK = 16_384
"""Texts are laid out in blocks of about so many characters: one huge turn costs no more than many small ones."""

LineKind = Literal["text", "heading", "fence", "code", "item", "quote"]


class Line(NamedTuple):
    """One line on the screen: the stretch of its text that it shows, without the space or line end that broke it."""

    start: int
    end: int
    kind: LineKind = "text"


class Block(NamedTuple):
    """A stretch of a text that is laid out by itself."""

    start: int
    end: int
    in_code: bool
    """Whether the stretch begins within a fenced code block."""


class _CellSizes(dict[int, str]):
    """Code point → its cells as one character, for `str.translate`; filled as characters turn up."""

    def __missing__(self, code: int) -> str:
        size = self[code] = chr(get_character_cell_size(chr(code)))
        return size


_CELLS = _CellSizes()
_WIDE = chr(2)
_JOINERS = re.compile("[\u200d\ufe0f]")
# Characters of one cell each that neither join nor break: a line made of these alone is measured by its length.
_PLAIN = re.compile(r"[ -~\xa0-\xac\xae-\u02ff\u0370-\u0482\u2010-\u2027\u2030-\u203b\u2190-\u2199\u2500-\u25fc]*")

_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_QUOTE = re.compile(r" {0,3}>")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")


def height(text: str, width: int) -> int:
    """How many lines `wrap` makes of `text` at `width` (at least 1) cells."""
    lines = text.split("\n")
    if "\t" in text:
        long = [line for line in lines if len(line) > width // 2 or "\t" in line]
    elif text.isascii():
        long = [line for line in lines if len(line) > width]
    else:
        long = [line for line in lines if len(line) > width // 2 and (len(line) > width or not line.isascii())]
    return len(lines) + sum([len(_cuts(line, width)) - 1 for line in long])


def wrap(text: str, width: int, *, in_code: bool = False) -> list[Line]:
    """`text` as lines of at most `width` (at least 1) cells; only a character wider than `width` is left to the crop.

    The lines hold every character of `text` but the line ends, and the spaces and tabs at which source lines broke.
    """
    lines: list[Line] = []
    start = 0
    for source in text.split("\n"):
        kind, in_code = _kind(source, in_code)
        lines += [Line(start + first, start + last, kind) for first, last in _cuts(source, width)]
        start += len(source) + 1
    return lines


def blocks(text: str) -> Iterator[Block]:
    """Cut `text` behind line ends into blocks of about `BLOCK` characters; each line end belongs to no block.

    A source line much longer than a block is cut within, but never between a character and its combining marks.
    """
    start, in_code = 0, False
    while len(text) - start > 2 * BLOCK:
        end = text.find("\n", start + BLOCK, start + 2 * BLOCK)
        following = end + 1
        if end < 0:
            following = end = _grapheme_start(text, start + 2 * BLOCK)
        yield Block(start, end, in_code)
        in_code ^= len(_FENCE.findall(text, start, end)) % 2 == 1
        start = following
    yield Block(start, len(text), in_code)


def edges(source: str) -> Sequence[int]:
    """The cell at which each character of a source line begins, and the cell at which the last one ends.

    Characters without a cell of their own (combining marks, joiners) begin where their base ends.
    """
    return range(len(source) + 1) if _plain(source) else _edges(source, source.translate(_CELLS))


def unfold(text: str, line: Line) -> tuple[str, Sequence[int]]:
    """A line as drawn, tabs as spaces, and where in that string each of its characters begins and the last one ends."""
    shown = text[line.start : line.end]
    if "\t" not in shown:
        return shown, range(len(shown) + 1)
    source = text.rfind("\n", 0, line.start) + 1
    cells = edges(text[source : line.end])[line.start - source :]
    parts = [
        " " * (after - before) if character == "\t" else character
        for character, before, after in zip(shown, cells, cells[1:], strict=False)
    ]
    return "".join(parts), list(accumulate(map(len, parts), initial=0))


def _plain(source: str) -> bool:
    """Whether every character takes exactly one cell."""
    if source.isascii():
        return "\t" not in source
    return _PLAIN.fullmatch(source) is not None


def _edges(source: str, sizes: str) -> list[int]:
    cells = list(sizes.encode("latin-1"))
    if _JOINERS.search(source):
        cells = [0] * len(source)
        for first, _, size in split_graphemes(source)[0]:
            cells[first] = size
    if "\t" not in source:
        return list(accumulate(cells, initial=0))
    cell, found = 0, [0]
    for character, size in zip(source, cells, strict=True):
        cell += TAB - cell % TAB if character == "\t" else size
        found.append(cell)
    return found


def _cuts(source: str, width: int) -> list[Span]:
    """Where a source line is cut into lines of at most `width` cells."""
    if _plain(source):
        return _cuts_plain(source, width)
    if source.isascii() and len(source.expandtabs(TAB)) <= width:
        return [(0, len(source))]
    return _cuts_by_cells(source, width)


def _cuts_plain(source: str, width: int) -> list[Span]:
    size = len(source)
    if size <= width:
        return [(0, size)]
    cuts: list[Span] = []
    start = 0
    # A break within the indentation would only make an empty line: the first word is cut instead.
    floor = size - len(source.lstrip(" "))
    space_before = source.rfind
    while size - start > width:
        end = space_before(" ", start + 1 if start >= floor else floor, start + width + 1)
        if end < 0:
            following = end = start + width
        else:
            following = end + 1
        cuts.append((start, end))
        start = following
    cuts.append((start, size))
    return cuts


def _cuts_by_cells(source: str, width: int) -> list[Span]:
    size = len(source)
    sizes = source.translate(_CELLS)
    cells = _edges(source, sizes)
    floor = size - len(source.lstrip(" \t"))
    cuts: list[Span] = []
    start = 0
    while cells[size] - cells[start] > width:
        limit = _fitting(cells, start, width)
        if limit == size:
            break
        end, following = _break(source, sizes, cells, max(start, floor), limit)
        cuts.append((start, end))
        start = following
    cuts.append((start, size))
    return cuts


def _fitting(cells: Sequence[int], start: int, width: int) -> int:
    """The end of the longest line from `start`: what fits `width`, or else the first character with all its marks."""
    end = bisect_right(cells, cells[start] + width, start) - 1
    if cells[end] > cells[start]:
        return end
    first = bisect_right(cells, cells[start], start)
    return bisect_right(cells, cells[first], first) - 1


def _break(source: str, sizes: str, cells: Sequence[int], floor: int, limit: int) -> Span:
    """The best place behind `floor` and up to `limit` to end a line, and where the next one begins."""
    beside = 0
    if sizes[limit] == _WIDE and limit > floor:
        beside = limit
    elif (wide := sizes.rfind(_WIDE, floor, limit)) >= 0:
        beside = bisect_right(cells, cells[wide + 1], wide) - 1
    for space in range(limit, max(floor, beside - 2), -1):
        if _is_gap(source, cells, space):
            return space, space + 1
    return (beside, beside) if beside else (limit, limit)


def _is_gap(source: str, cells: Sequence[int], at: int) -> bool:
    """Whether a break may swallow the character at `at`: white space that carries no combining mark."""
    if source[at] not in " \t" or cells[at + 1] == cells[at]:
        return False
    return at + 2 >= len(cells) or cells[at + 2] > cells[at + 1]


def _grapheme_start(text: str, at: int) -> int:
    """The first place from `at` on where no combining mark or joined character is cut from its base."""
    nearby = edges(text[at - 1 : at + 256])
    return next((at + index - 1 for index in range(1, len(nearby) - 1) if nearby[index + 1] > nearby[index]), at)


def _kind(source: str, in_code: bool) -> tuple[LineKind, bool]:
    """What Markdown calls this source line, and whether the next one is inside a fence."""
    if _FENCE.match(source):
        return "fence", not in_code
    if in_code:
        return "code", True
    if _HEADING.match(source):
        return "heading", False
    if _QUOTE.match(source):
        return "quote", False
    return ("item" if _ITEM.match(source) else "text"), False
