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


_JOINED = """FROM json_each(?) AS wanted
  LEFT JOIN chunks ON chunks.id = wanted.value LEFT JOIN turns ON turns.id = chunks.turn"""


def sessions_in(db: Database, matches: Sequence[Ranked | int]) -> int:
    """In how many sessions there are matches."""
    return db.value(f"SELECT count(DISTINCT turns.session) {_JOINED}", _chunks(matches))


def places_of(db: Database, matches: Sequence[Ranked | int]) -> list[tuple[int, int]]:
    """(turn, session) of each match, as rows; zeros for one that was dropped since."""
    sql = f"SELECT coalesce(turns.id, 0), coalesce(turns.session, 0) {_JOINED}"
    return [(row[0], row[1]) for row in db.rows(sql, _chunks(matches))]


def _chunks(matches: Sequence[Ranked | int]) -> str:
    return json.dumps([match.chunk if isinstance(match, Ranked) else match for match in matches])


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
