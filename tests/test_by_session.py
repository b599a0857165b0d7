"""Matches told by session."""

from __future__ import annotations

from contextlib import closing
from datetime import datetime

import pytest
from harkback.core.by_session import by_session, places_of, sessions_in
from harkback.core.query import parse
from harkback.core.rank import Ranked
from harkback.core.search import Search
from harkback.tui.surroundings import Surroundings

NOW = datetime(2026, 11, 30, 9, 30)  # noqa: DTZ001, the tests' own zone is UTC


def test_each_session_is_shown_once_by_its_best_match_with_all_counted(sample_place: Surroundings) -> None:
    with closing(sample_place.store.read()) as db:
        found = Search(db).best(parse("clipboard ssh", NOW))
        places = places_of(db, found.ranked)
        assert sessions_in(db, found.ranked) == 3 < len(places)
        grouped = by_session(found.ranked, places)
    assert grouped.matches[0] == found.ranked[0]
    assert len(grouped.matches) == 3
    assert sum(grouped.hits_in.values()) == len(found.ranked)


def test_places_are_those_of_ranked_turns_and_of_chunks_alike(sample_place: Surroundings) -> None:
    with closing(sample_place.store.read()) as db:
        ranked = Search(db).best(parse("clipboard ssh", NOW)).ranked
        places = places_of(db, ranked)
        assert [turn for turn, _ in places] == [match.turn for match in ranked]
        assert places_of(db, [match.chunk for match in ranked]) == places


@pytest.mark.parametrize("gone", [1, Ranked(1, 1, 1.0, 1.0)])
def test_what_was_dropped_since_is_no_session(sample_place: Surroundings, gone: int | Ranked) -> None:
    with closing(sample_place.store.read()) as db:
        places = places_of(db, [gone])
        assert places == [(0, 0)]
        assert sessions_in(db, [gone]) == 0
    assert by_session([gone], places).matches == []
