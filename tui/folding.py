"""Which turns of a conversation are folded to one line. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..core.results import Turn

NEIGHBOURS = 2
"""Turns open on each side of a hit at first."""
ALL = 1 << 30


@dataclass(frozen=True, slots=True)
class Folding:
    """Open are the hit, so many turns on each side of it, and what the person opened."""

    before: int = NEIGHBOURS
    after: int = NEIGHBOURS
    tools: bool = False
    """Whether the output of tools is open like any other turn."""
    toggled: Mapping[int, bool] = field(default_factory=dict[int, bool])
    """Row of a turn → whether the person wants it open."""

    def grown(self, before: int, after: int) -> Folding:
        """With so many turns more, or fewer, on each side; fewer than all is as few as at first."""
        return replace(self, before=_grown(self.before, before), after=_grown(self.after, after))

    def with_turn(self, turn: int, *, open: bool) -> Folding:  # noqa: A002
        """With one turn open or folded."""
        return replace(self, toggled={**self.toggled, turn: open})

    def folded(self, turns: Sequence[Turn], hit: int | None) -> frozenset[int]:
        """The rows of the folded ones of `turns`; `hit` is the row of the turn that was found.

        Without a hit the first turns are open. A tool's output is no neighbour: those who said something are.
        """
        said = [turn.id for turn in turns if turn.role != "tool" or self.tools or turn.id == hit]
        at = said.index(hit) if hit in said else 0
        first, last = (at - self.before, at + self.after) if hit in said else (0, self.before + self.after)
        is_open = set(said[max(0, first) : last + 1])
        return frozenset(turn.id for turn in turns if not self.toggled.get(turn.id, turn.id in is_open))


def _grown(turns: int, by: int) -> int:
    if turns >= ALL:
        return NEIGHBOURS if by < 0 else ALL
    return max(NEIGHBOURS, turns + by)
