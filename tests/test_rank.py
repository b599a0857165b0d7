"""Matching turns in order: the same whichever way they came in."""

from __future__ import annotations

import random

import pytest
from harkback.core.rank import FAR, NEAR, SESSION, SHORT, TOOL_SHARE, USER_BOOST, Candidate, rank
from hypothesis import given
from hypothesis import strategies as st


def candidate(turn: int, bm25: float = 1.0, **facts) -> Candidate:
    defaults = {
        "chunk": turn * 10, "session": turn, "number": 1, "role": "assistant", "time": 0, "size": 100_000_000,
        "coverage": 0.0,
    }  # fmt: skip
    return Candidate(turn=turn, bm25=bm25, **{**defaults, **facts})


def order(*candidates: Candidate) -> list[int]:
    return [each.turn for each in rank(candidates)]


def score(wanted: int, *candidates: Candidate) -> float:
    return next(each.score for each in rank(candidates) if each.turn == wanted)


scores = st.sampled_from([0.0, 0.5, 1.0, 1.5, 7.25])


@st.composite
def histories(draw) -> list[Candidate]:
    """Chunks of turns that each have one place, time and role."""
    turns = draw(st.lists(st.tuples(st.integers(1, 2), st.integers(1, 6)), max_size=10, unique=True))
    found: list[Candidate] = []
    for turn, (session, number) in enumerate(turns, 1):
        time, size = draw(st.sampled_from([None, 1, 2])), draw(st.sampled_from([10, 400, 5_000]))
        role = draw(st.sampled_from(["user", "assistant"]))
        for chunk in range(draw(st.integers(1, 3))):
            found.append(
                Candidate(turn * 10 + chunk, turn, session, number, role, time, size, draw(scores), draw(scores))
            )
    return found


@given(histories(), st.randoms())
def test_the_order_of_candidates_makes_no_difference(found, shuffler: random.Random):
    other = list(found)
    shuffler.shuffle(other)
    assert rank(other) == rank(found)


@given(histories())
def test_each_turn_comes_once_best_first(found):
    ranked = rank(found)
    assert {each.turn for each in ranked} == {each.turn for each in found}
    assert len({each.turn for each in ranked}) == len(ranked)
    assert [each.score for each in ranked] == sorted((each.score for each in ranked), reverse=True)
    assert all(each.chunk // 10 == each.turn for each in ranked)


def test_nothing_ranks_as_nothing():
    assert rank([]) == []


def test_a_persons_words_weigh_more_than_a_long_answers():
    assert USER_BOOST == 1.5
    assert order(candidate(1, 1.0), candidate(2, 1.0, role="user")) == [2, 1]
    assert order(candidate(1, 1.4), candidate(2, 1.0, role="user")) == [2, 1]
    assert order(candidate(1, 1.6), candidate(2, 1.0, role="user")) == [1, 2]


def test_a_short_answer_is_as_good_as_a_persons_words():
    assert score(1, candidate(1, size=SHORT)) > 1.4
    assert score(1, candidate(1, size=100 * SHORT)) == pytest.approx(1 + (USER_BOOST - 1) / 100, rel=0.01)
    assert score(1, candidate(1, role="tool")) == pytest.approx(TOOL_SHARE, rel=0.01)


def test_a_turn_of_a_time_that_is_named_comes_before_others():
    early, late = candidate(1, 1.0, time=5), candidate(2, 1.5, time=50)
    assert [each.turn for each in rank([early, late])] == [2, 1]
    assert [each.turn for each in rank([early, late], [(0, 10)])] == [1, 2]
    assert [each.turn for each in rank([early, late], [(0, 5)])] == [2, 1]


def test_a_score_is_explained_by_what_made_it():
    found = [
        candidate(1, 1.0, session=1, number=1, size=10, role="user", coverage=0.5, matched=("zebra",)),
        candidate(2, 2.0, session=1, number=2, size=10),
    ]
    for each in rank(found, [(0, 1)]):
        why = each.why
        own = why.bm25 * (1 + why.coverage) * why.role
        assert each.score == pytest.approx((own + why.neighbours + why.session) * why.time)
    assert next(each.why for each in rank(found) if each.turn == 1).matched == ("zebra",)


def test_more_of_the_words_weigh_more():
    assert order(candidate(1, 1.0, coverage=0.5), candidate(2, 0.8, coverage=1.0)) == [2, 1]
    assert score(1, candidate(1, 1.0, coverage=1.0)) == pytest.approx(2 * score(1, candidate(1, 1.0)), rel=1e-4)


def test_a_turn_stands_with_its_best_chunk():
    (only,) = rank([candidate(1, 1.0, chunk=5), candidate(1, 3.0, chunk=7, coverage=0.5), candidate(1, 2.0, chunk=9)])
    assert (only.chunk, only.coverage) == (7, 0.5)
    (only,) = rank([candidate(1, 1.0, chunk=7), candidate(1, 1.0, chunk=5)])
    assert only.chunk == 5


def test_a_short_message_gains_from_what_stands_around_it():
    def alone(turn: int, number: int, size: int = SHORT) -> Candidate:
        return candidate(turn, 1 / USER_BOOST, session=1, number=number, size=size, role="user")

    lone = score(1, alone(1, 1))
    assert lone == pytest.approx(1 + SESSION / 3)
    beside = score(1, alone(1, 1), alone(2, 2))
    assert beside == pytest.approx(1 + NEAR + SESSION * 2 / 3)
    beyond = score(1, alone(1, 1), alone(2, 3))
    assert beyond == pytest.approx(1 + FAR + SESSION * 2 / 3)
    assert score(1, alone(1, 1), alone(2, 4)) == pytest.approx(1 + SESSION * 2 / 3)
    assert score(2, alone(1, 1), alone(2, 2), alone(3, 3)) == pytest.approx(1 + 2 * NEAR + SESSION)
    elsewhere = candidate(2, 1.0, session=2, number=2, role="user")
    assert score(1, alone(1, 1), elsewhere) == pytest.approx(lone)


def test_a_long_message_speaks_for_itself():
    def long(turn: int, number: int, size: int) -> Candidate:
        return candidate(turn, 1 / USER_BOOST, session=1, number=number, size=size, role="user")

    short = score(1, long(1, 1, SHORT), long(2, 2, SHORT)) - 1
    assert score(1, long(1, 1, 10 * SHORT), long(2, 2, SHORT)) - 1 == pytest.approx(short / 10)
    assert score(1, long(1, 1, 0), long(2, 2, SHORT)) - 1 == pytest.approx(short)


def test_only_a_sessions_three_best_speak_for_it():
    def at(turn: int, bm25: float) -> Candidate:
        return candidate(turn, bm25 / USER_BOOST, session=1, number=turn * 10, size=1, role="user")

    four = score(1, at(1, 4), at(2, 3), at(3, 2), at(4, 1))
    assert four == pytest.approx(4 + SESSION * 3)
    assert four == score(1, at(1, 4), at(2, 3), at(3, 2))


def test_newer_comes_first_among_equals():
    assert order(candidate(1, time=5), candidate(2, time=9), candidate(3, time=None)) == [2, 1, 3]
    assert order(candidate(3), candidate(2), candidate(1)) == [1, 2, 3]
