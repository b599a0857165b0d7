"""Which turns of a session are on its active branch, from what its files say. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Link:
    """What counts of one turn: who it is, what it follows, and whether its own file took it back."""

    file: int
    seq: int
    time: int | None
    native_id: str | None
    parent_id: str | None
    undone: bool


@dataclass(frozen=True, slots=True)
class Cut:
    """`file` stands in place of everything that other files hold from `since` on, up to `time`."""

    file: int
    since: int
    time: int


def active(turns: Sequence[Link], leaf: str | None, cuts: Sequence[Cut] = ()) -> list[bool]:
    """For each turn, in the session's order, whether it is on the active branch.

    Where the chain back from `leaf` breaks off, everything before that point counts as active: text is never lost
    because a link is missing.
    """
    on = [not turn.undone and not any(_replaced(turn, cut) for cut in cuts) for turn in turns]
    at = {turn.native_id: i for i, turn in enumerate(turns) if turn.native_id is not None}
    if leaf is None or leaf not in at:
        return on
    chain: set[int] = set()
    here: int | None = at[leaf]
    while here is not None and here not in chain:
        chain.add(here)
        parent = turns[here].parent_id
        here = at.get(parent) if parent is not None else None
    first = min(chain)
    return [
        on[i] and (i in chain or i < first or turn.native_id is None)
        for i, turn in enumerate(turns)
    ]  # fmt: skip


def _replaced(turn: Link, cut: Cut) -> bool:
    return turn.file != cut.file and turn.seq >= cut.since and (turn.time is None or turn.time <= cut.time)
