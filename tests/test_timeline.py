"""The sessions day by day: what is counted, how it is drawn, and how a day becomes a filter."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from datetime import UTC, date, timedelta, timezone
from typing import Any

import pytest
from harkback.core.timeline import Day, days, sessions_on
from harkback.tui.surroundings import Surroundings
from harkback.tui.timeline_lines import bar_of, day_row, spark, spark_lines
from harkback.tui.timeline_screen import TimelineScreen
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from test_app import SIZES, ask, running, search_screen, settled
from textual.pilot import Pilot

TODAY = date(2026, 11, 30)
TITLES = {"claude": "Claude Code", "codex": "Codex"}


def timeline(pilot: Pilot[Any]) -> TimelineScreen:
    screen = pilot.app.screen
    assert isinstance(screen, TimelineScreen)
    return screen


# ---- what is counted ----


def test_every_day_has_its_sessions_and_turns_by_source(sample_place: Surroundings) -> None:
    with closing(sample_place.store.read()) as db:
        found = days(db, UTC)
        assert [each.day for each in found] == sorted({each.day for each in found}, reverse=True)
        turns = db.value(
            """SELECT count(*) FROM turns JOIN sessions ON sessions.id = session
               WHERE number > 0 AND time > 0 AND kind = 'main'"""
        )
        assert sum(each.turns for each in found) == turns > 0
        for each in found:
            assert sum(each.by_source.values()) == each.turns
            assert len(sessions_on(db, each.day, UTC)) == each.sessions > 0


def test_a_session_over_midnight_belongs_to_both_days(sample_place: Surroundings) -> None:
    with closing(sample_place.store.read()) as db:
        first, last = db.row(
            "SELECT started, updated FROM sessions WHERE turns > 1 AND kind = 'main' ORDER BY updated DESC"
        ) or (0, 0)
        # A zone in which midnight comes in the middle of the session.
        seconds = (-((first + last) // 2 // 1000)) % 86_400
        zone = timezone(timedelta(seconds=seconds - 86_400 if seconds > 43_200 else seconds))
        found = days(db, zone)
        both = [set(sessions_on(db, each.day, zone)) for each in found[:2]]
    if (last - first) // 900_000:  # quarters of an hour are told apart, not minutes
        assert both[0] & both[1]
    assert sum(each.turns for each in found) > 0


def test_an_empty_index_has_no_days(words: Any) -> None:
    assert days(words("x").db) == []


# ---- how it is drawn ----


def test_a_day_tells_more_the_more_room_there_is() -> None:
    day = Day(date(2026, 11, 29), 3, 40, {"codex": 30, "claude": 10})

    def row(width: int) -> str:
        return day_row(day, width, busiest=80, titles=TITLES, today=TODAY)[0].plain.rstrip()

    assert row(100) == "Sun 29 Nov 2026 yesterday  ██████        3 sessions    40 turns  Codex, Claude Code"
    assert row(56) == "Sun 29 Nov 2026  ██████        3 sessions"
    assert row(34) == "29 Nov 26  3 sessions"
    assert row(14) == "29 Nov 26 3"
    for width in range(1, 120):
        assert cell_len(row(width)) <= width


def test_a_bar_is_never_nothing_for_something() -> None:
    assert [bar_of(0, 9, 8), bar_of(1, 900, 8), bar_of(900, 900, 8)] == ["", "█", "█" * 8]
    assert spark([0, 1, 500, 1000], 1000) == " ▁▄█"


@given(
    st.dictionaries(st.dates(date(2020, 1, 1), TODAY), st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 99), min_size=1)),  # noqa: E501
    st.integers(0, 130),
)  # fmt: skip
def test_bars_fit_and_the_mark_is_below_the_chosen_day(found: dict[date, dict[str, int]], width: int) -> None:
    shown = [Day(day, 1, sum(of.values()), of) for day, of in sorted(found.items(), reverse=True)]
    lines = spark_lines(shown, shown[0].day if shown else None, TODAY, width, TITLES)
    assert all(cell_len(line.plain) <= width for line in lines)
    if lines:
        at = lines[-1].plain.index("▲")
        assert any(line.plain[at : at + 1].strip() for line in lines[:-1])


# ---- how it is used ----


@pytest.mark.parametrize("size", SIZES)
async def test_the_timeline_to_the_letter(
    sample_place: Surroundings, size: tuple[int, int], compare_screen: Callable[[Any, str], None]
) -> None:
    async with running(sample_place, size) as pilot:
        await pilot.press("f6")
        await settled(pilot)
        await pilot.pause()
        compare_screen(pilot.app, f"timeline-{size[0]}x{size[1]}")


async def test_a_day_becomes_a_filter_in_place_of_other_times(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        await ask(pilot, "the after:300d source:claude")
        await pilot.press("f6")
        await settled(pilot)
        await pilot.press("down", "enter")
        await settled(pilot)
        screen = search_screen(pilot)
        assert screen.query_input.value == "the source:claude on:2026-11-29 "
        assert screen.focused is screen.query_input


async def test_without_words_a_day_lists_its_sessions(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        await pilot.press("f6")
        await settled(pilot)
        await pilot.press("j", "enter")
        await settled(pilot)
        screen = search_screen(pilot)
        assert screen.query_input.value == "on:2026-11-29 "
        assert screen.results.answer is not None
        with closing(sample_place.store.read()) as db:
            own = sessions_on(db, date(2026, 11, 29))
        # Those that an agent started are found too.
        assert len(screen.results.answer.items) == screen.results.answer.in_sessions == len(own) + 1


async def test_a_session_of_a_day_is_opened(sample_place: Surroundings) -> None:
    async with running(sample_place, (80, 24)) as pilot:
        await pilot.press("f6")
        await settled(pilot)
        await pilot.press("down", "tab", "down")
        session = timeline(pilot)._sessions.item(1)
        await pilot.press("enter")
        await settled(pilot)
        screen = search_screen(pilot)
        assert screen.reading.session is not None
        assert session is not None
        assert screen.reading.session.key == session.key
        assert screen.focused is screen.reading.transcript


async def test_months_and_times_are_jumped_to(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        await pilot.press("f6")
        await settled(pilot)
        screen = timeline(pilot)
        await pilot.press("right_square_bracket")
        assert screen._day == date(2026, 10, 30)
        await pilot.press("left_square_bracket")
        assert screen._day == date(2026, 11, 10)
        await pilot.press("slash", *"august", "enter")
        await settled(pilot)
        assert screen._day == date(2026, 8, 11)
        assert screen.focused is screen._days
        await pilot.press("slash", *"smarch", "enter")
        await settled(pilot)
        assert any("smarch" in note.message for note in pilot.app._notifications)
        await pilot.press("escape", "escape")
        await settled(pilot)
        assert search_screen(pilot).query_input.value == ""
