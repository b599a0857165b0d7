"""Order matching turns: BM25, how many of the words matched, whose words they are, what stands beside them. Pure.

The constants were chosen on development sets of chat and coding conversations; their neighbours differ by less than a
point of recall.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .model import Role

CANDIDATES = 300
"""Chunks that are looked at closely."""
USER_BOOST = 1.5
"""A person's own words: short, and what people remember; a short answer of the agent is as good."""
TOOL_SHARE = 0.5
"""What tools were told and said: long, and seldom what is looked for."""
NEAR, FAR = 0.4, 0.2
"""How much of a neighbour's score a short message gains at a distance of one and two."""
STEPS = ((-1, NEAR), (1, NEAR), (-2, FAR), (2, FAR))
SHORT = 360
"""Characters (about 60 words) up to which a message is short; of a longer one the share that these would be counts."""
SESSION = 0.3
"""How much of the mean of a session's three best a short message gains."""
TIME_BOOST = 2.0
"""For turns of a time that the query names: only nine in ten answers lie within it, so the others are not hidden."""


class Candidate(NamedTuple):
    """A chunk that matched, or stands beside one that did, and what the ranking asks of its turn."""

    chunk: int
    turn: int
    session: int
    number: int
    role: Role
    time: int | None
    size: int
    """Characters of the turn."""
    bm25: float
    """Greater is better; 0 for one that only stands beside a match."""
    coverage: float = 1.0
    """Share of the wanted words that the chunk has."""
    has_copy: bool = False
    """Another session may have the same turn."""
    matched: tuple[str, ...] = ()
    """The words that it has."""


class Why(NamedTuple):
    """What made a score: (bm25 × (1 + coverage) × role + neighbours + session) × time."""

    bm25: float
    coverage: float
    matched: tuple[str, ...]
    role: float
    neighbours: float
    session: float
    time: float
    cosine: float | None = None
    """With the query, of what was found by its meaning."""
    words: float | None = None
    meaning: float | None = None
    """What each of the two arms gave, where both were asked (fusion.py); the score is their sum."""


class Ranked(NamedTuple):
    """A turn in its place: its best chunk and its score."""

    turn: int
    chunk: int
    score: float
    coverage: float
    has_copy: bool = False
    why: Why | None = None
    is_meant: bool = False
    """It is among those whose meaning is nearest."""

    @property
    def is_wordless(self) -> bool:
        """It has none of the words: it stands next to one of the best that do, or its meaning is near."""
        return self.why is not None and self.why.bm25 == 0


def rank(candidates: Sequence[Candidate], times: Sequence[tuple[int, int]] = ()) -> list[Ranked]:
    """The turns of `candidates`, best first; newer first among equals.

    `times` are stretches that the query names, in UTC milliseconds.
    """
    own: dict[int, tuple[float, Candidate]] = {}
    for candidate in candidates:
        score = candidate.bm25 * (1 + candidate.coverage) * _weight(candidate)
        known = own.get(candidate.turn)
        if known is None or (score, known[1].chunk) > (known[0], candidate.chunk):
            own[candidate.turn] = score, candidate
    places = {(candidate.session, candidate.number): score for score, candidate in own.values()}
    best: defaultdict[int, list[float]] = defaultdict(list)
    for score, candidate in sorted(own.values(), key=lambda pair: -pair[0]):
        if len(best[candidate.session]) < 3:
            best[candidate.session].append(score)
    ranked = [(_judged(score, each, places, best, times), each.time or 0) for score, each in own.values()]
    ranked.sort(key=lambda pair: (-pair[0].score, -pair[1], pair[0].turn))
    return [each for each, _ in ranked]


def _weight(candidate: Candidate) -> float:
    if candidate.role == "tool":
        return TOOL_SHARE
    return USER_BOOST if candidate.role == "user" else 1 + (USER_BOOST - 1) * shortness(candidate)


def shortness(candidate: Candidate) -> float:
    """How much what stands around a turn speaks for it, from 0 to 1."""
    return min(1.0, SHORT / max(1, candidate.size))


def _judged(
    score: float,
    candidate: Candidate,
    places: Mapping[tuple[int, int], float],
    best: Mapping[int, Sequence[float]],
    times: Sequence[tuple[int, int]],
) -> Ranked:
    """A short message says little itself: what stands around it speaks for it."""
    share = shortness(candidate)
    around = share * sum(
        weight * places.get((candidate.session, candidate.number + step), 0.0) for step, weight in STEPS
    )
    session = share * SESSION * sum(best[candidate.session]) / 3
    named = candidate.time is not None and any(start <= candidate.time < stop for start, stop in times)
    time = TIME_BOOST if named else 1.0
    why = Why(candidate.bm25, candidate.coverage, candidate.matched, _weight(candidate), around, session, time)
    total = (score + around + session) * time
    return Ranked(candidate.turn, candidate.chunk, total, candidate.coverage, candidate.has_copy, why)
