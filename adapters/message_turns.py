"""The turns of a message whose text stands between tool calls, for stores that are read session by session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ..core.model import Role, TimeQuality, TurnRecord
from .turn_ids import copy_id, turn_id

Piece = tuple[Literal["text", "tool"], str]
"""What was said, or what a tool was given or gave back."""

PIECES = 1 << 20
"""More than a message can have."""


def order_of(place: int, piece: int = 0) -> int:
    """The `TurnRecord.order` of a piece of the message at `place` in its session."""
    return place * PIECES + piece


def turns_of(
    session: str,
    role: Role,
    pieces: Sequence[Piece],
    place: int,
    time: int | None,
    native_id: str | None = None,
    *,
    first: int = 0,
    quality: TimeQuality = "exact",
) -> list[TurnRecord]:
    """One turn for all that a message says, and one for each tool piece, in its place; `first` numbers the pieces.

    A message that has its own time is known by that and its text, as forks copy it under another id; others by
    `native_id`.
    """
    turns: list[TurnRecord] = []
    known_by = turn_id(session, native_id)
    is_exact = time is not None and quality == "exact"
    quality = quality if time is not None else "none"
    said = "\n\n".join(text for kind, text in pieces if kind == "text" and text.strip())
    for number, (kind, text) in enumerate(pieces, first):
        if kind == "tool" and text.strip():
            turns.append(TurnRecord(session, "tool", text, time, order_of(place, number), quality=quality))
        elif kind == "text" and said:
            if is_exact:
                known_by = copy_id(role, time, said)
            turns.append(TurnRecord(session, role, said, time, order_of(place, number), known_by, quality=quality))
            said = ""
    return turns
