"""Which turns of a conversation are open."""

from __future__ import annotations

from typing import Any

from harkback.core.model import Role
from harkback.core.results import Turn
from harkback.tui.folding import ALL, NEIGHBOURS, Folding
from hypothesis import given
from hypothesis import strategies as st


def turn(number: int, role: Role = "assistant") -> Turn:
    return Turn(number, number, role, None, "none", "x")


TURNS = [turn(number) for number in range(1, 21)]


def opened(folding: Folding, hit: int | None, turns: Any = TURNS) -> list[int]:
    folded = folding.folded(turns, hit)
    return [each.id for each in turns if each.id not in folded]


def test_the_hit_is_open_with_its_neighbours() -> None:
    assert opened(Folding(), 10) == [8, 9, 10, 11, 12]
    assert opened(Folding(), 1) == [1, 2, 3]
    assert opened(Folding(), None) == [1, 2, 3, 4, 5]


def test_growing_opens_more_on_the_side_that_is_asked_for() -> None:
    assert opened(Folding().grown(2, 0), 10) == [6, 7, 8, 9, 10, 11, 12]
    assert opened(Folding(ALL, ALL), 10) == [each.id for each in TURNS]
    assert Folding(ALL, ALL).grown(-6, -6) == Folding()
    assert Folding(ALL, 2).grown(6, 6).before == ALL


def test_output_of_tools_is_folded_and_is_no_neighbour() -> None:
    turns = [turn(1), turn(2), turn(3, "tool"), turn(4), turn(5, "tool"), turn(6), turn(7)]
    assert opened(Folding(), 4, turns) == [1, 2, 4, 6, 7]
    assert opened(Folding(tools=True), 4, turns) == [2, 3, 4, 5, 6]
    assert 5 in opened(Folding(), 5, turns)


def test_what_the_person_opened_or_folded_stays_so() -> None:
    folding = Folding().with_turn(20, open=True).with_turn(10, open=False)
    assert opened(folding, 10) == [8, 9, 11, 12, 20]


@given(st.integers(1, 20), st.lists(st.integers(-30, 30), max_size=5))
def test_the_hit_and_its_neighbours_are_always_open(hit: int, steps: list[int]) -> None:
    folding = Folding()
    for step in steps:
        folding = folding.grown(step, -step)
    shown = opened(folding, hit)
    assert {hit, min(20, hit + NEIGHBOURS), max(1, hit - NEIGHBOURS)} <= set(shown)
    assert shown == list(range(shown[0], shown[-1] + 1))
