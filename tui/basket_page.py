"""What the basket shows: a head with counts and cost, and two lines for each thing that is in it. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import product

from rich.cells import cell_len
from textual.content import Content

from ..core.basket import Collected
from ..core.pack import Style
from .basket_work import Contents
from .line_parts import GLYPHS
from .rows import MUTED, ROLE_NAMES, TITLE, crop
from .wording import counted, short_time

STYLE_NAMES: Mapping[Style, str] = {
    "quoted": "quoted Markdown", "plain": "plain text", "fenced": "fenced text", "json": "JSON",
}  # fmt: skip
EMPTY = (
    "The basket is empty.",
    "",
    "In the results and in a conversation, space puts the turn under the cursor here, B its whole round;",
    "what is selected with the mouse goes in with space too. It may come from any number of sessions.",
    "Then this page makes a prompt of it: to copy, to edit, to write to a file, or to start an agent with.",
)
GONE = "no longer in the index"
WIDE = 60
_SHOWN = 400
_LEAD = 5
"""Cells of the number in front of a row."""


@dataclass(frozen=True, slots=True)
class Row:
    """One thing in the basket."""

    number: int
    item: Collected
    cost: int
    """Tokens."""


def rows(contents: Contents) -> list[Row]:
    """A row for each mark, numbered from 1."""
    items = zip(contents.items, contents.costs(), strict=True)
    return [Row(number, item, cost) for number, (item, cost) in enumerate(items, 1)]


def head(contents: Contents, tokens: int, width: int, *, edited: bool) -> Content:
    """One line: what is in the basket, and how many tokens its prompt costs; the longer form of each if it fits."""
    if not contents.basket.marks:
        return Content(" Basket").truncate(width)
    if contents.trouble and not contents.items:
        return Content(f" Basket: {counted(len(contents.basket.marks), 'mark')}").truncate(width)
    turns, sessions = contents.turns, len(contents.by_session())
    gone = sum(not each.turns for each in contents.items)
    lost = f", {gone} {GONE}" if gone else ""
    lefts = [
        f"Basket: {counted(turns, 'turn')} from {counted(sessions, 'session')}{lost}",
        f"Basket: {counted(turns, 'turn')}{f', {gone} gone' if gone else ''}",
        f"{counted(turns, 'turn')}{f', {gone} gone' if gone else ''}",
        f"{turns}",
        "",
    ]
    over = tokens - contents.budget
    cost = f"≈ {tokens:,} tokens, {over:,} over {contents.budget:,}" if over > 0 else f"≈ {tokens:,} tokens"
    within = cost if over > 0 else f"{cost} of {contents.budget:,}"
    name = STYLE_NAMES[contents.basket.style] + (", edited" if edited else "")
    rights = [f"{within}   format: {name}", f"{within} · {name}", within, cost, f"≈ {tokens:,}", ""]
    # Where there is little room, what it costs is worth more than where it is from.
    pairs = product(lefts[:2], rights) if width >= WIDE else ((left, right) for right in rights for left in lefts)
    for left, right in pairs:
        gap = width - cell_len(left) - cell_len(right) - 2
        if gap >= (2 if left and right else 0):
            return Content(f" {left}{' ' * gap}{right} ")
    return Content(f" {turns}").truncate(width)


def basket_row(row: Row, width: int, now: datetime, titles: Mapping[str, str]) -> Sequence[Content]:
    """Two lines of at most `width` cells: what it is and what it costs; how it begins."""
    number = f"{row.number:>3}  "
    session, turns = row.item.session, row.item.turns
    if session is None or not turns:
        source = row.item.mark.session.partition(":")[0]
        left = Content.styled(f"{number}gone: {GONE}", TITLE).truncate(width, ellipsis=True)
        why = f"a turn of {titles.get(source, source)}: forgotten, excluded, deleted or not ticked · x takes it out"
        return [left, Content(crop(" " * _LEAD + why, (), width)[0])]
    first = turns[0]
    project = re.split(r"[/\\]", (session.project or "").rstrip("/\\"))[-1]
    facts = [project, short_time(first.time, now), f"≈ {row.cost:,}"]
    right = "  ".join(fact for fact in facts if fact)
    if width < WIDE:
        right = facts[-1] if width >= 20 else ""
    what = f"{GLYPHS[first.role]} {ROLE_NAMES[first.role]}"
    if row.item.mark.whole_round:
        what = f"↻ round of {len(turns)}"
    room = max(0, width - cell_len(right) - (2 if right else 0))
    title = crop(f"{number}{what}   {session.title or '(untitled)'}", (), room)[0]
    line = Content.styled(title, TITLE).truncate(room, pad=True) + (f"  {right}" if right else "")
    piece = row.item.piece
    text = " ".join(piece.texts()[0][:_SHOWN].split()) if piece else ""
    part = "part: …" if piece and piece.part else ""
    return [line, Content.styled(crop(" " * _LEAD + part + text, (), width)[0], MUTED)]
