"""Turns by their meaning: the nearest of them, and those that words found in one order with them."""

from __future__ import annotations

from collections.abc import Sequence

from . import candidates
from .database import Database
from .filters import Where
from .fusion import MEANING, Place, fuse, places_around, smoothed
from .meaning import Asked
from .query import Query
from .rank import Candidate, Ranked, rank

NEAREST = 100
"""So many turns are taken by their meaning, ..."""
WORDLESS = 30
"""... and so many of them at most are shown though they have none of the words: something is always nearest."""


def nearest_turns(db: Database, asked: Asked, query: Query, condition: Where) -> list[Candidate]:
    """The turns that are nearest by their meaning, of those that the filters let through."""
    found = candidates.meant(db, asked.nearest(2 * NEAREST), query, condition)
    if len(found) < NEAREST and (query.filters or query.unwanted):
        among = candidates.allowed(db, query, condition)
        found = candidates.meant(db, asked.nearest(2 * NEAREST, among), query, condition)
    return found[:NEAREST]


def by_meaning_alone(db: Database, asked: Asked, near: Sequence[Candidate], query: Query) -> list[Ranked]:
    """The nearest turns, and nothing of words counts."""
    return _fused(db, asked, near, near, query, weight=1.0)


def by_both(
    db: Database, asked: Asked, found: Sequence[Candidate], near: Sequence[Candidate], query: Query, *, joined: bool
) -> list[Ranked]:
    """What was found by words and, where they are `joined`, what only by meaning, in one order by both."""
    have = {each.turn for each in found}
    everything = [*found, *(each for each in near if joined and each.turn not in have)]
    fused = _fused(db, asked, everything, near, query, weight=MEANING)
    too_many = {each.turn for each in [each for each in fused if each.is_wordless and each.is_meant][WORDLESS:]}
    return [each for each in fused if each.turn not in too_many]


def _fused(
    db: Database, asked: Asked, everything: Sequence[Candidate], near: Sequence[Candidate], query: Query, weight: float
) -> list[Ranked]:
    at = candidates.chunks_at(db, places_around(everything))
    wanted = {chunk for _, chunk in at} | {each.chunk for each in (*everything, *near)}
    likeness = asked.likeness(sorted(wanted))
    by_place: dict[Place, float] = {}
    for place, chunk in at:
        if chunk in likeness:
            by_place[place] = max(likeness[chunk], by_place.get(place, likeness[chunk]))
    meant = {each.turn: likeness[each.chunk] + asked.mean for each in near if each.chunk in likeness}
    return fuse(rank(everything, query.times), smoothed(everything, likeness, by_place), meant, weight)
