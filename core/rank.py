"""Order matching turns: BM25, how many of the words matched, whose words they are, what stands beside them. Pure.

The constants were chosen on development sets of chat and coding conversations; their neighbours differ by less than a
point of recall.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .model import Role

CANDIDATES = 300
"""Chunks that are looked at closely."""
USER_BOOST = 1.5
"""A person's own words: short, and what people remember."""
TOOL_SHARE = 0.5
"""What tools were told and said: long, and seldom what is looked for."""
_WEIGHTS = {"user": USER_BOOST, "tool": TOOL_SHARE}
NEAR, FAR = 0.3, 0.15
"""How much of a neighbour's score a short message gains at a distance of one and two."""
SHORT = 360
"""Characters (about 60 words) up to which a message gains that in full."""
SESSION = 0.3
"""How much of the mean of a session's three best a short message gains."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that matched, and what the ranking asks of its turn."""

    chunk: int
    turn: int
    session: int
    number: int
    role: Role
    time: int | None
    size: int
    """Characters of the turn."""
    bm25: float
    """Greater is better."""
    coverage: float = 1.0
    """Share of the wanted words that the chunk has."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A turn in its place: its best chunk and its score."""

    turn: int
    chunk: int
    score: float
    coverage: float


def rank(candidates: Sequence[Candidate]) -> list[Ranked]:
    """The turns of `candidates`, best first; newer first among equals."""
    own: dict[int, tuple[float, Candidate]] = {}
    for candidate in candidates:
        score = candidate.bm25 * (1 + candidate.coverage) * _WEIGHTS.get(candidate.role, 1)
        known = own.get(candidate.turn)
        if known is None or (score, known[1].chunk) > (known[0], candidate.chunk):
            own[candidate.turn] = score, candidate
    places = {(candidate.session, candidate.number): score for score, candidate in own.values()}
    best: defaultdict[int, list[float]] = defaultdict(list)
    for score, candidate in sorted(own.values(), key=lambda pair: -pair[0]):
        if len(best[candidate.session]) < 3:
            best[candidate.session].append(score)
    ranked = [
        (Ranked(candidate.turn, candidate.chunk, _with_company(score, candidate, places, best), candidate.coverage),
         candidate.time or 0)
        for score, candidate in own.values()
    ]  # fmt: skip
    ranked.sort(key=lambda pair: (-pair[0].score, -pair[1], pair[0].turn))
    return [each for each, _ in ranked]


def _with_company(
    score: float, candidate: Candidate, places: Mapping[tuple[int, int], float], best: Mapping[int, Sequence[float]]
) -> float:
    """A short message says little itself: what stands around it speaks for it."""
    share = min(1.0, SHORT / max(1, candidate.size))
    around = sum(
        weight * places.get((candidate.session, candidate.number + step), 0.0)
        for step, weight in ((-1, NEAR), (1, NEAR), (-2, FAR), (2, FAR))
    )
    return score + share * (around + SESSION * sum(best[candidate.session]) / 3)
