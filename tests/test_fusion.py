"""Words and meaning in one order: what must hold whatever the numbers are."""

from __future__ import annotations

import pytest
from harkback.core.fusion import MEANING, fuse, places_around, smoothed
from harkback.core.rank import Candidate, Ranked, rank
from hypothesis import given
from hypothesis import strategies as st

numbers = st.floats(0, 1, allow_nan=False, width=32)
arms = st.dictionaries(st.integers(1, 30), st.tuples(numbers, st.floats(-1, 1, width=32)), min_size=1, max_size=20)


def ranked(scores: dict[int, float]) -> list[Ranked]:
    order = sorted(scores, key=lambda turn: (-scores[turn], turn))
    return [Ranked(turn, turn * 10, scores[turn], 1.0) for turn in order]


def candidate(turn: int, *, number: int = 0, size: int = 100, bm25: float = 1.0) -> Candidate:
    return Candidate(turn * 10, turn, 1, number or turn, "user", 1_000, size, bm25)


@given(arms)
def test_everything_that_words_found_is_still_there_once(arms: dict[int, tuple[float, float]]) -> None:
    by_words = ranked({turn: score for turn, (score, _) in arms.items()})
    fused = fuse(by_words, {turn: near for turn, (_, near) in arms.items()}, {})
    assert sorted(each.turn for each in fused) == sorted(arms)
    assert [each.score for each in fused] == sorted((each.score for each in fused), reverse=True)
    assert all(each.score <= 1.000001 for each in fused)


@given(arms)
def test_without_any_meaning_the_order_is_that_of_words(arms: dict[int, tuple[float, float]]) -> None:
    by_words = ranked({turn: score for turn, (score, _) in arms.items()})
    assert [each.turn for each in fuse(by_words, {}, {})] == [each.turn for each in by_words]


@given(arms)
def test_with_all_the_weight_the_order_is_that_of_meaning(arms: dict[int, tuple[float, float]]) -> None:
    near = {turn: value for turn, (_, value) in arms.items()}
    fused = fuse(ranked({turn: score for turn, (score, _) in arms.items()}), near, {}, weight=1.0)
    values = [near[each.turn] for each in fused]
    assert values == sorted(values, reverse=True) or max(values) <= 0


@given(arms, st.sampled_from([0.01, 3.0, 1_000.0]))
def test_the_units_of_either_arm_do_not_matter(arms: dict[int, tuple[float, float]], factor: float) -> None:
    """Scores of words have no upper bound, cosines of some models lie all between 0.7 and 0.9."""
    near = {turn: value for turn, (_, value) in arms.items()}
    scores = {turn: score for turn, (score, _) in arms.items()}
    plain = fuse(ranked(scores), near, {})
    if max(scores.values()) < 1e-3 or max(near.values()) < 1e-3:
        return
    scaled = fuse(
        ranked({turn: score * factor for turn, score in scores.items()}),
        {turn: value * factor for turn, value in near.items()},
        {},
    )
    for one, other in zip(plain, scaled, strict=True):
        assert one.score == pytest.approx(other.score, rel=1e-3, abs=1e-6)


@given(arms, st.integers(1, 30))
def test_what_is_nearer_never_falls_behind(arms: dict[int, tuple[float, float]], turn: int) -> None:
    turn = min(arms, key=lambda each: abs(each - turn))
    scores = {each: score for each, (score, _) in arms.items()}
    near = {each: value for each, (_, value) in arms.items()}
    before = [each.turn for each in fuse(ranked(scores), near, {})].index(turn)
    nearer = max(near.values())
    after = [each.turn for each in fuse(ranked(scores), near | {turn: nearer}, {})].index(turn)
    assert after <= before


def test_a_named_time_counts_for_both() -> None:
    both = [candidate(1, bm25=0.0), candidate(2, bm25=0.0)]
    times = ((500, 2_000),)
    fused = fuse(
        rank([each._replace(time=1_000 if each.turn == 2 else 9_000) for each in both], times), {1: 0.5, 2: 0.4}, {}
    )
    assert [each.turn for each in fused] == [2, 1]


def test_the_parts_of_a_score_are_told() -> None:
    (first, second) = fuse(ranked({1: 4.0, 2: 2.0}), {1: 0.1, 2: 0.2}, {2: 0.83})
    assert (first.turn, second.turn) == (1, 2)
    assert first.why
    assert second.why
    assert first.why.words == pytest.approx(1 - MEANING)
    assert first.why.meaning == pytest.approx(MEANING / 2)
    assert (first.is_meant, first.why.cosine) == (False, None)
    assert (second.is_meant, second.why.cosine) == (True, 0.83)


def test_a_short_turn_is_near_by_what_stands_around_it() -> None:
    short, long = candidate(1, number=5, size=100), candidate(2, number=9, size=100_000)
    likeness = {(1, 4): 0.5, (1, 6): 0.5, (1, 5): 0.1, (1, 8): 0.5, (1, 10): 0.5, (1, 9): 0.1}
    near = smoothed([short, long], {}, likeness)
    assert near[1] == pytest.approx(0.5)
    assert near[2] == pytest.approx(0.1, abs=0.01)
    assert places_around([short]) == {(1, number) for number in range(3, 8)}


def test_of_a_turn_without_a_vector_nothing_is_known() -> None:
    assert smoothed([candidate(1, number=5)], {}, {(1, 4): 0.9}) == {}


def test_turns_of_abandoned_branches_have_no_neighbours() -> None:
    assert places_around([candidate(1, number=-10)]) == set()
    assert smoothed([candidate(1, number=-10)], {10: 0.4}, {}) == {1: pytest.approx(0.4)}
