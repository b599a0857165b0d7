"""Where the lines of a page hold what is looked for, and how much work a page is."""

from __future__ import annotations

from collections.abc import Callable, Collection

from ..core.results import Conversation
from .page import Match, Needles, Page, Piece

SOON_FOUND = 50_000
"""Conversations of no more characters are looked through at once."""
_TURN_EFFORT, _FOLDED_EFFORT = 1000, 100


def matches_in(page: Page, piece: int, needles: Needles) -> list[Match]:
    """The matches in a piece in order; what reaches beyond the piece is no match."""
    _, turn, block, _ = page.pieces[piece]
    return [Match(turn, block.start + start, block.start + end) for start, end in sorted(needles(page.text(piece)))]


def matching_pieces(page: Page, needles: Needles, stop: Callable[[], bool] = lambda: False) -> list[int] | None:
    """The pieces that hold a match; None as soon as `stop` says so."""
    found: list[int] = []
    for index, piece in enumerate(page.pieces):
        if stop():
            return None
        if piece.what in ("text", "folded") and any(True for _ in needles(page.text(index))):
            found.append(index)
    return found


def is_short(piece: Piece) -> bool:
    """Whether the matches of a folded turn are counted as fast as its line is drawn."""
    return piece.what == "folded" and piece.block.end <= SOON_FOUND // 5


def effort(conversation: Conversation, folded: Collection[int] = ()) -> int:
    """About what laying out costs, in characters of plain English text."""
    return sum(
        _FOLDED_EFFORT if turn.id in folded else _TURN_EFFORT + len(turn.text) * (1 if turn.text.isascii() else 8)
        for turn in conversation.turns
    )
