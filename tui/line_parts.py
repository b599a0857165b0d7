"""The lines of a page as parts, each with the names of the styles it is drawn in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import NamedTuple, get_args

from rich.cells import cell_len, set_cell_size

from ..core.model import Role
from ..core.results import Turn
from .layout import Line, LineKind, unfold
from .page import INDENT, Match, Page, day_name
from .rows import COLLECTED, IN_BASKET, ROLE_NAMES
from .wording import counted, local_time

GLYPHS = {"user": "▸", "assistant": "◆", "tool": "›", "memory": "§"}
HIT_BAR, CURRENT_BAR, NO_BAR = "┃", "│", " "
WIDE_ENOUGH = 40
"""Cells from which on a heading has room for words about the basket."""
SOME_WORDS = 10
"""Cells that the first words of a folded turn want before its time gets any."""

MATCH, LOOKED_AT = "page--match", "page--match-current"
STYLES = frozenset(
    {
        MATCH,
        LOOKED_AT,
        "page--current",
        "page--bar",
        "page--time",
        "page--day",
        "page--more",
        "page--folded",
        "page--round",
    }
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
    what, index, block, agent = page.pieces[piece]
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
    if what == "folded":
        return _folded(page.turns[index], width, zone, collected, len(matches))
    if what == "agent":
        return _more(f"└ sub-agent: {page.agents[agent].title}", width, " s")
    if what == "blank" and _begins_round(page, piece + 1):
        return [Part(" " * INDENT + "┄" * max(0, width - INDENT), ("page--round",))]
    if what == "day" and (moment := local_time(page.turns[index].time, zone)) is not None:
        return [Part(f"── {day_name(moment)} ".ljust(width, "─"), ("page--day",))]
    if what == "earlier" and number == 0:
        return _more(f"{counted(conversation.before, 'earlier turn')}", width)
    if what == "later":
        return _more(f"{counted(conversation.after, 'later turn')}", width)
    return []


def _begins_round(page: Page, piece: int) -> bool:
    """Whether a piece is the heading of what the person said after something else."""
    below = page.pieces[piece] if piece < len(page.pieces) else None
    return below is not None and below.what == "heading" and page.turns[below.turn].role == "user"


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
    left = _who(turn)
    if collected:
        left += f" {COLLECTED}{IN_BASKET if width >= WIDE_ENOUGH else ''}"
    role = Part(left, (f"page--{turn.role}",))
    when = _when(turn, zone)
    room = width - cell_len(left)
    return [role, Part(when.rjust(room), ("page--time",))] if when and room > len(when) else [role]


def _folded(turn: Turn, width: int, zone: tzinfo | None, collected: bool, matches: int) -> list[Part]:
    """A turn as one line: who, the first words, how many matches are in it, when."""
    left = _who(turn) + (f" {COLLECTED.rstrip()}" if collected else "")
    found = f"  {counted(matches, 'match', 'matches')}" if matches else ""
    when = _when(turn, zone)
    room = width - cell_len(left) - cell_len(found) - (len(when) + 2 if when else 0) - 2
    if room < SOME_WORDS:
        when, found, room = "", "", max(0, width - cell_len(left) - 2)
    return [
        Part(left, (f"page--{turn.role}",)),
        Part(f"  {set_cell_size(first_words(turn.text, room), room)}", ("page--folded",)),
        Part(found, (MATCH,)),
        Part(f"  {when}" if when else "", ("page--time",)),
    ]


def first_words(text: str, width: int) -> str:
    """The beginning of a text on one line of at most `width` cells."""
    words = " ".join(text[: 4 * width + 40].split())
    return words if cell_len(words) <= width else set_cell_size(words, max(0, width - 1)).rstrip() + "…" * (width > 0)


def _who(turn: Turn) -> str:
    return f"{GLYPHS[turn.role]} {turn.cite or ROLE_NAMES[turn.role]}{' · abandoned' if turn.number is None else ''}"


def _when(turn: Turn, zone: tzinfo | None) -> str:
    moment = local_time(turn.time, zone)
    if moment is None or turn.quality == "none":
        return ""
    # A time taken from the file says only when the session was last touched.
    return f"{'~' if turn.quality == 'file' else ''}{moment:%H:%M}"


def _more(words: str, width: int, sign: str = "+") -> list[Part]:
    left = " " * INDENT + words
    if cell_len(left) + len(sign) >= width:
        left = set_cell_size(left, max(0, width - len(sign) - 1))
    return [Part(left + sign.rjust(max(len(sign), width - cell_len(left))), ("page--more",))]
