"""Matches by session: in how many sessions there are any, and the first one of each."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .database import Database
from .rank import Ranked


class BySession(NamedTuple):
    """The first match of every session, in their order."""

    matches: Sequence[Ranked | int]
    hits_in: Mapping[int, int]
    """Row of a turn in `matches` → how many matches its session has."""


def places_of(db: Database, matches: Sequence[Ranked | int]) -> list[tuple[int, int]]:
    """(turn, session) of each match, as rows; zeros for one that was dropped since."""
    chunks = [match.chunk if isinstance(match, Ranked) else match for match in matches]
    return [
        (row[0], row[1])
        for row in db.rows(
            """SELECT coalesce(turns.id, 0), coalesce(turns.session, 0) FROM json_each(?) AS wanted
               LEFT JOIN chunks ON chunks.id = wanted.value LEFT JOIN turns ON turns.id = chunks.turn""",
            json.dumps(chunks),
        )
    ]


def sessions_in(places: Sequence[tuple[int, int]]) -> int:
    """How many sessions there are."""
    return len({session for _, session in places if session})


def by_session(matches: Sequence[Ranked | int], places: Sequence[tuple[int, int]]) -> BySession:
    """The first match of each session, which is its best one where the matches are ranked."""
    counts = Counter(session for _, session in places)
    first: dict[int, tuple[Ranked | int, int]] = {}
    for match, (turn, session) in zip(matches, places, strict=True):
        if session and session not in first:
            first[session] = (match, turn)
    return BySession(
        [match for match, _ in first.values()], {turn: counts[session] for session, (_, turn) in first.items()}
    )
