"""The lines of a page as parts, each with the names of the styles it is drawn in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import NamedTuple, get_args

from rich.cells import cell_len

from ..core.model import Role, Turn
from .layout import Line, LineKind, unfold
from .page import INDENT, Match, Page, day_name
from .rows import COLLECTED, IN_BASKET, ROLE_NAMES
from .wording import counted, local_time

GLYPHS = {"user": "▸", "assistant": "◆", "tool": "›", "memory": "§"}
HIT_BAR, CURRENT_BAR, NO_BAR = "┃", "│", " "
WIDE_ENOUGH = 40
"""Cells from which on a heading has room for words about the basket."""

MATCH, LOOKED_AT = "page--match", "page--match-current"
STYLES = frozenset(
    {MATCH, LOOKED_AT, "page--current", "page--bar", "page--time", "page--day", "page--more"}
    | {f"page--{kind}" for kind in (*get_args(Role), *get_args(LineKind))}
)


class Part(NamedTuple):
    """Some text and the component classes that style it, the later ones over the earlier."""

    text: str
    styles: tuple[str, ...] = ()


def parts(
    page: Page,
    piece: int,
    lines: Sequence[Line],
    number: int,
    *,
    bar: str,
    matches: Sequence[Match],
    match: Match | None,
    zone: tzinfo | None,
    collected: bool = False,
) -> list[Part]:
    """Line `number` of a piece.

    `lines` are those of a `text` piece, `matches` all in its turn, `match` the one that is looked at; `collected` says
    that the turn is in the basket.
    """
    what, index, block = page.pieces[piece]
    conversation, width = page.conversation, page.width
    if what == "text":
        line = lines[number]
        shown, places = unfold(page.text(piece), line)
        start, end = block.start + line.start, block.start + line.end
        spans = [
            (places[max(found.start, start) - start], places[min(found.end, end) - start], found == match)
            for found in matches
            if found.start < end and found.end > start
        ]
        return [Part(bar.ljust(INDENT), ("page--bar",)), *_marked(shown, line.kind, spans)]
    if what == "heading":
        return _heading(page.turns[index], width, zone, collected)
    if what == "day" and (moment := local_time(page.turns[index].time, zone)) is not None:
        return [Part(f"── {day_name(moment)} ".ljust(width, "─"), ("page--day",))]
    if what == "earlier" and number == 0:
        return _more(f"{counted(conversation.before, 'earlier turn')}", width)
    if what == "later":
        return _more(f"{counted(conversation.after, 'later turn')}", width)
    return []


def _marked(shown: str, kind: LineKind, spans: Sequence[tuple[int, int, bool]]) -> list[Part]:
    """A line of a turn with its matches marked."""
    base = (f"page--{kind}",)
    found: list[Part] = []
    at = 0
    for start, end, looked_at in spans:
        if end <= at:
            continue
        found.append(Part(shown[at : max(at, start)], base))
        styles = (*base, MATCH, LOOKED_AT) if looked_at else (*base, MATCH)
        found.append(Part(shown[max(at, start) : end], styles))
        at = end
    return [*found, Part(shown[at:], base)]


def _heading(turn: Turn, width: int, zone: tzinfo | None, collected: bool) -> list[Part]:
    left = f"{GLYPHS[turn.role]} {turn.cite or ROLE_NAMES[turn.role]}"
    if collected:
        left += f" {COLLECTED}{IN_BASKET if width >= WIDE_ENOUGH else ''}"
    role = Part(left, (f"page--{turn.role}",))
    moment = local_time(turn.time, zone)
    if moment is None or turn.quality == "none":
        return [role]
    # A time taken from the file says only when the session was last touched.
    when = f"{'~' if turn.quality == 'file' else ''}{moment:%H:%M}"
    room = width - cell_len(left)
    return [role, Part(when.rjust(room), ("page--time",))] if room > len(when) else [role]


def _more(words: str, width: int) -> list[Part]:
    left = " " * INDENT + words
    return [Part(left + "+".rjust(max(2, width - cell_len(left))), ("page--more",))]
