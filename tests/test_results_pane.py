"""Which row is selected when another answer comes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from harkback.core.history import around
from harkback.core.query import Query
from harkback.core.results import Excerpt, Hit, Session
from harkback.tui import reading_pane
from harkback.tui.asked import Answer, Request
from harkback.tui.asking import Asking
from harkback.tui.results_pane import _kept_row
from harkback.tui.surroundings import Surroundings
from test_app import ask, running, search_screen, settled

SESSION = Session("claude:s", "claude", "s", "", None, None, None, None, None, None, "main", 9, False)
HITS = [
    Hit(SESSION, number, number, "user", None, Excerpt(f"hit {number}", ()), 1.0, ("lexical",), (), False)
    for number in range(5)
]


def answer(*order: int, text: str = "zebra") -> Answer:
    return Answer(Request(text), Query(text), list(order), [HITS[number] for number in order], 5, True, 0, 1, 9, 0)


@pytest.mark.parametrize(
    ("cursor", "unread", "order", "expected"),
    [
        (0, False, (2, 1, 0), 2),  # who reads it keeps it
        (0, True, (2, 1, 0), None),  # a better first row is shown to who has not looked yet
        (0, True, (0, 2, 1), 0),
        (1, True, (2, 1, 0), 1),  # who has moved has looked
        (1, False, (1, 0, 2), 0),
        (2, False, (0, 1), 2),  # it is gone: the cursor stays where it was
    ],
)
def test_the_selected_row_in_a_newer_answer(
    cursor: int, unread: bool, order: tuple[int, ...], expected: int | None
) -> None:
    old = answer(0, 1, 2)
    assert _kept_row(old, answer(*order), HITS[cursor], cursor, unread=unread) == expected


def test_what_was_on_the_screen_is_known_at_once_in_a_newer_answer(
    sample_place: Surroundings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harkback.tui.asking.FIRST_PAGE", 5)
    monkeypatch.setattr("harkback.tui.asking.MOVED", 2)
    for on_screen, known in (
        (range(0), {*range(5)}),
        (range(10, 13), {*range(5), *range(8, 15)}),
        (range(3, 6), {*range(8)}),
    ):
        answers: list[Answer] = []
        Asking(sample_place, Request("the"), on_screen).run(answers.append)
        assert len(answers[0].items) > 20
        assert {index for index, item in enumerate(answers[0].items) if item is not None} == known
    answers.clear()
    Asking(sample_place, Request("the"), range(900, 903)).run(answers.append)
    assert len(answers[0].items) == answers[0].total


def test_another_question_begins_at_its_first_row() -> None:
    assert _kept_row(answer(0, 1), answer(1, 0, text="okapi"), HITS[1], 1, unread=False) is None
    assert _kept_row(None, answer(1), None, 0, unread=False) is None
    assert _kept_row(answer(0), replace(answer(), items=[]), HITS[0], 0, unread=True) is None


async def test_a_first_letter_asks_nothing_and_leaves_what_is_shown_alone(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        results = search_screen(pilot).results
        asked, answer = results._asking, results.answer
        await pilot.press("c")
        await settled(pilot)
        assert results._asking is asked
        assert results.answer is answer
        await pilot.press("l")
        await settled(pilot)
        assert results.asked == Request("cl")


async def test_of_rows_that_are_passed_over_quickly_only_the_last_is_read(
    sample_place: Surroundings, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    monkeypatch.setattr(reading_pane, "around", lambda db, key, *more: read.append(key) or around(db, key, *more))
    async with running(sample_place) as pilot:
        screen = search_screen(pilot)
        items = [item for item in map(screen.results.list.item, range(5)) if isinstance(item, Session)]
        read.clear()
        for item in items:
            screen.reading.open(item, None, fresh=True)
        await settled(pilot)
        assert read == [items[-1].key]
        assert screen.reading.session is not None
        assert screen.reading.session.key == items[-1].key


async def test_a_newer_answer_takes_nobody_away_from_the_hit_that_is_being_opened(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        screen = search_screen(pilot)
        await ask(pilot, "clipboard ssh")
        query = screen.results.answer.query if screen.results.answer else None
        for row in (1, 0):
            hit = screen.results.list.item(row)
            assert isinstance(hit, Hit)
            screen.reading.open(hit, query, fresh=True)
            screen.reading.open(hit, query, fresh=False)
            await settled(pilot)
            assert screen.reading.transcript.hit_turn == hit.turn_id
