"""The sessions day by day: what is counted, what a filter keeps, how it is drawn, and how it is walked through."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from harkback.core.browse import Kept, kept
from harkback.core.forget import forget
from harkback.core.forget_plan import Request
from harkback.core.query import parse
from harkback.core.report import Report
from harkback.core.results import Session
from harkback.core.timeline import Day, OnDay, activity, by_day, sessions_on, without_time
from harkback.core.worker import Done
from harkback.tui.basket_screen import BasketScreen
from harkback.tui.key_line import KeyLine
from harkback.tui.palette import Everything
from harkback.tui.spark_strip import SparkStrip
from harkback.tui.surroundings import Surroundings
from harkback.tui.timeline_lines import DaySession, bar_of, day_row, session_lines, spark, sparks
from harkback.tui.timeline_screen import TimelineScreen
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from test_app import SIZES, ask, running, search_screen, settled
from textual.pilot import Pilot

TODAY = date(2026, 11, 30)
TITLES = {"claude": "Claude Code", "codex": "Codex"}
OWN = Kept()


def timeline(pilot: Pilot[Any]) -> TimelineScreen:
    screen = pilot.app.screen
    assert isinstance(screen, TimelineScreen)
    return screen


async def open_timeline(pilot: Pilot[Any]) -> TimelineScreen:
    await pilot.press("f6")
    await settled(pilot)
    return timeline(pilot)


def head(screen: TimelineScreen) -> str:
    return screen._head.render().plain.strip()  # type: ignore[union-attr]


# ---- what is counted ----


def test_every_day_has_its_sessions_and_turns_by_source(sample_place: Surroundings) -> None:
    with closing(sample_place.store.read()) as db:
        shown = OWN.of(activity(db, UTC))
        found = by_day(shown)
        assert [each.day for each in found] == sorted({each.day for each in found}, reverse=True)
        turns = db.value(
            """SELECT count(*) FROM turns JOIN sessions ON sessions.id = session
               WHERE number > 0 AND time > 0 AND kind = 'main'"""
        )
        assert sum(each.turns for each in found) == turns > 0
        for each in found:
            assert sum(each.by_source.values()) == each.turns
            rows = {stretch.session for stretch in shown if stretch.day == each.day}
            listed = sessions_on(db, each.day, UTC, among=rows.__contains__)
            assert len(listed) == each.sessions > 0
            assert sum(one.turns for one in listed) == each.turns
            assert all(one.first <= one.last and one.number > 0 for one in listed)


def test_a_session_over_midnight_belongs_to_both_days(sample_place: Surroundings) -> None:
    with closing(sample_place.store.read()) as db:
        first, last = db.row(
            "SELECT started, updated FROM sessions WHERE turns > 1 AND kind = 'main' ORDER BY updated DESC"
        ) or (0, 0)
        # A zone in which midnight comes in the middle of the session.
        seconds = (-((first + last) // 2 // 1000)) % 86_400
        zone = timezone(timedelta(seconds=seconds - 86_400 if seconds > 43_200 else seconds))
        found = by_day(OWN.of(activity(db, zone)))
        both = [{one.session for one in sessions_on(db, each.day, zone)} for each in found[:2]]
    if (last - first) // 900_000:  # quarters of an hour are told apart, not minutes
        assert both[0] & both[1]
    assert sum(each.turns for each in found) > 0


def test_an_empty_index_has_no_days(words: Any) -> None:
    db = words("x").db
    assert by_day(activity(db)) == []
    assert without_time(db) == 0


# ---- what a filter keeps ----


def titles_kept(place: Surroundings, typed: str) -> tuple[set[str], set[date]]:
    """The titles of the sessions, and the days, that are left."""
    now = datetime(2026, 11, 30, 9, 30)  # noqa: DTZ001, as the samples have it
    with closing(place.store.read()) as db:
        shown = kept(db, parse(typed, now), place.titles, now, UTC).of(activity(db, UTC))
        rows = {each.session for each in shown}
        found = {row[1] for row in db.rows("SELECT id, title FROM sessions") if row[0] in rows}
    return found, {each.day for each in shown}


def test_words_are_looked_for_in_what_a_session_is_called_and_where_it_was(sample_place: Surroundings) -> None:
    everything, _ = titles_kept(sample_place, "")
    by_title, _ = titles_kept(sample_place, "CLIPBOARD")
    assert by_title
    assert all("clipboard" in title.lower() for title in by_title)
    by_project, _ = titles_kept(sample_place, "web")
    assert by_title < by_project | by_title < everything
    assert titles_kept(sample_place, "clipboard xylophone") == (set(), set())
    without, _ = titles_kept(sample_place, "-clipboard")
    assert without == everything - by_title
    assert titles_kept(sample_place, "clipboard OR xylophone")[0] == by_title


def test_part_of_a_chinese_title_is_enough(sample_place: Surroundings) -> None:
    found, _ = titles_kept(sample_place, "剪贴")
    assert found
    assert all("剪贴" in title for title in found)


def test_filters_go_by_the_session_and_times_by_the_day(sample_place: Surroundings) -> None:
    everything, days = titles_kept(sample_place, "")
    codex, _ = titles_kept(sample_place, "source:codex")
    assert set() < codex < everything
    assert titles_kept(sample_place, "-source:codex")[0] == everything - codex
    on = date(2026, 11, 29)
    assert titles_kept(sample_place, "on:2026-11-29")[1] == {on}
    assert titles_kept(sample_place, "after:2026-11-29")[1] == {day for day in days if day >= on}
    assert titles_kept(sample_place, "before:2026-11-29")[1] == {day for day in days if day < on}
    assert titles_kept(sample_place, "-on:2026-11-29")[1] == days - {on}
    assert titles_kept(sample_place, "october")[1] == {day for day in days if day.month == 10}


def test_what_no_person_began_is_there_only_when_its_kind_is_named(sample_place: Surroundings) -> None:
    with closing(sample_place.store.read()) as db:
        others = {row[0] for row in db.rows("SELECT title FROM sessions WHERE kind = 'subagent'")}
    assert others
    assert titles_kept(sample_place, "kind:subagent")[0] == others
    assert not others & titles_kept(sample_place, "")[0]


@given(st.text('ab:- "语%_\\', max_size=20))
def test_nothing_that_is_typed_raises(sample_place: Surroundings, typed: str) -> None:
    everything, _ = titles_kept(sample_place, "kind:main,subagent,automated,memory")
    assert titles_kept(sample_place, typed)[0] <= everything


# ---- how it is drawn ----


def test_a_day_tells_more_the_more_room_there_is() -> None:
    day = Day(date(2026, 11, 29), 3, 40, {"codex": 30, "claude": 10})

    def row(width: int) -> str:
        return day_row(day, width, busiest=80, titles=TITLES, today=TODAY)[0].plain.rstrip()

    assert row(100) == "Sun 29 Nov 2026 yesterday  ██████        3 sessions    40 turns  Codex, Claude Code"
    assert row(56) == "Sun 29 Nov 2026  ██████        3 sessions"
    assert row(34) == "Yesterday     ████████          3"
    assert row(17) == "Yesterday       3"
    assert row(14) == "29 Nov 26 3"
    for width in range(1, 120):
        assert cell_len(row(width)) <= width


SESSION = Session(
    "codex:a", "codex", "a", "How did we fix the OSC 52 clipboard", "/home/ann/web", "main", None, 0, 0, None, "main",
    12, False,
)  # fmt: skip


def test_a_session_tells_when_it_was_on_that_day_and_how_much_of_it() -> None:
    on = OnDay(1, 14 * 3_600_000, 15 * 3_600_000, 4, 1)

    def lines(width: int, turns: int = 4, session: Session = SESSION) -> list[str]:
        item = DaySession(session, replace(on, turns=turns))
        return [line.plain.rstrip() for line in session_lines(item, width, titles=TITLES, zone=UTC)]

    assert lines(60) == [
        "14:00-15:00  How did we fix the OSC 52 clipboard",
        "  web · Codex · 4 of 12 turns · main",
    ]
    assert lines(40, 12) == ["14:00  How did we fix the OSC 52 clipbo…", "  web · Codex · 12 turns · main"]
    assert (
        session_lines(DaySession(SESSION, replace(on, about=True)), 40, titles=TITLES, zone=UTC)[0].plain[:8]
        == "~14:00  "
    )
    assert lines(20, 12) == ["How did we fix the …", "web · Codex · 12 tu…"]
    gone = replace(SESSION, gone_at_source=True, kind="subagent", project=None)
    assert lines(80, 12, gone)[1] == "  Codex · 12 turns · subagent · main · gone at source"
    for title in ("剪贴板在 tmux 里不工作", "👩‍👩‍👧 家族", ""):
        for width in range(1, 90):
            for line in lines(width, session=replace(SESSION, title=title)):
                assert cell_len(line) <= width


def test_a_bar_is_never_nothing_for_something() -> None:
    assert [bar_of(0, 9, 8), bar_of(1, 900, 8), bar_of(900, 900, 8)] == ["", "█", "█" * 8]
    assert spark([0, 1, 500, 1000], 1000) == " ▁▄█"


ACTIVITY = st.dictionaries(
    st.dates(date(2020, 1, 1), TODAY), st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 99), min_size=1)
)


@given(ACTIVITY, st.integers(0, 130))
def test_bars_fit_and_the_mark_is_below_the_chosen_day(found: dict[date, dict[str, int]], width: int) -> None:
    shown = [Day(day, 1, sum(of.values()), of) for day, of in sorted(found.items(), reverse=True)]
    drawn = sparks(shown, TODAY, width, TITLES)
    for day in shown if drawn else []:
        lines = [line.plain for line in drawn.lines(day.day)] if drawn else []
        assert all(cell_len(line) <= width for line in lines)
        at = lines[-1].index("▲")
        assert any(line[at : at + 1].strip() for line in lines[:-1])
        where = drawn.day_at(at) if drawn else None
        assert where is not None
        assert 0 <= (where - day.day).days < drawn.each if drawn else False


def test_the_bars_say_where_they_begin_and_end() -> None:
    shown = [Day(TODAY, 1, 9, {"codex": 9}), Day(date(2026, 10, 1), 1, 3, {"claude": 3})]
    drawn = sparks(shown, TODAY, 100, TITLES)
    assert drawn is not None
    assert drawn.lines(None)[-1].plain == f"1 day a column   1 Oct 26{'30 Nov 26':>53}"
    assert "30 Nov 26" not in drawn.lines(TODAY)[-1].plain  # its mark is there
    assert [drawn.source_at(3, 0), drawn.source_at(3, 1), drawn.source_at(3, 2), drawn.source_at(40, 0)] == [
        "codex", "claude", None, None,
    ]  # fmt: skip
    assert drawn.day_at(3) is None


# ---- how it is used ----


@pytest.fixture
def place(sample_place: Surroundings, tmp_path: Path) -> Surroundings:
    """The samples with a basket of their own."""
    import shutil

    folder = tmp_path / "harkback"
    shutil.copytree(sample_place.folder, folder)
    return replace(sample_place, folder=folder)


async def test_the_timeline_to_the_letter(
    sample_place: Surroundings, compare_screen: Callable[[Any, str], None]
) -> None:
    async with running(sample_place, SIZES[0]) as pilot:
        for number, size in enumerate(SIZES):
            await pilot.resize_terminal(*size)
            screen = await open_timeline(pilot)
            compare_screen(pilot.app, f"timeline-{size[0]}x{size[1]}")
            await pilot.press("j", "enter")
            await settled(pilot)
            compare_screen(pilot.app, f"timeline-day-{size[0]}x{size[1]}")
            await pilot.press("enter")
            await settled(pilot)
            compare_screen(pilot.app, f"timeline-reading-{size[0]}x{size[1]}")
            screen.set_focus(screen._days)
            screen.box.put("clipboard" if number % 2 else "剪贴板")
            await settled(pilot)
            compare_screen(pilot.app, f"timeline-filtered-{size[0]}x{size[1]}")
            screen.box.put("xyzzy")
            await settled(pilot)
            compare_screen(pilot.app, f"timeline-nothing-{size[0]}x{size[1]}")
            screen.box.put("")
            await settled(pilot)
            screen.set_focus(screen._days)
            screen._days.cursor = 0
            await settled(pilot)
            await pilot.press("f6")
            await settled(pilot)


async def test_a_day_becomes_a_filter_in_place_of_other_times(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        await ask(pilot, "the after:300d source:claude")
        await open_timeline(pilot)
        await pilot.press("down", "f")
        await settled(pilot)
        screen = search_screen(pilot)
        assert screen.query_input.value == "the source:claude on:2026-11-29 kind:main "
        assert screen.focused is screen.query_input


async def test_what_the_timeline_is_filtered_by_goes_along_once(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        await ask(pilot, "source:claude")
        screen = await open_timeline(pilot)
        screen.box.put("web source:claude after:300d branch:main")
        await settled(pilot)
        await pilot.press("f")
        await settled(pilot)
        day = screen._day
        assert search_screen(pilot).query_input.value == f"source:claude web branch:main on:{day} kind:main "


async def test_a_day_has_as_many_sessions_in_the_search_as_in_the_timeline(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        timed = await open_timeline(pilot)
        await pilot.press("j")
        await settled(pilot)
        there = timed._sessions.count
        await pilot.press("f")
        await settled(pilot)
        answer = search_screen(pilot).results.answer
        assert answer is not None
        assert len(answer.items) == answer.in_sessions == there > 0


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (40, 12)])
async def test_a_session_is_read_in_the_timeline_and_escape_leads_back_step_by_step(
    sample_place: Surroundings, size: tuple[int, int]
) -> None:
    async with running(sample_place, size) as pilot:
        await ask(pilot, "the")
        screen = await open_timeline(pilot)
        await pilot.press("down", "enter", "down", "enter")
        await settled(pilot)
        item = screen._sessions.item(1)
        assert item is not None
        assert screen.reading.session == item.session
        assert screen.focused is screen.reading.transcript
        for there in (screen._sessions, screen._days):
            await pilot.press("escape")
            await settled(pilot)
            assert screen.focused is there
        assert (screen._days.cursor, screen._sessions.cursor) == (1, 1)
        await pilot.press("escape")
        await settled(pilot)
        assert search_screen(pilot).query_input.value == "the"


async def test_the_timeline_is_found_as_it_was_left(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        screen = await open_timeline(pilot)
        await pilot.press("slash", *"web", "enter", "j", "enter", "j")
        await settled(pilot)
        before = (screen._day, screen._sessions.cursor, screen.box.input.value, screen.focused)
        await pilot.press("f6")
        await settled(pilot)
        assert search_screen(pilot)
        assert await open_timeline(pilot) is screen
        assert (screen._day, screen._sessions.cursor, screen.box.input.value, screen.focused) == before


async def test_a_session_opens_where_the_day_begins_and_that_is_no_hit(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        screen = await open_timeline(pilot)
        session = screen.reading.session
        assert session is not None
        screen.reading.open(session, None, fresh=True, start=5)
        await settled(pilot)
        transcript = screen.reading.transcript
        turn = transcript.current_turn
        assert turn is not None
        assert turn.number == 5
        assert turn.id not in transcript.folded
        assert not transcript.is_hit(turn)


async def test_weeks_months_and_times_are_jumped_to(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        screen = await open_timeline(pilot)
        await pilot.press("right_square_bracket")
        assert screen._day == date(2026, 10, 30)
        await pilot.press("left_square_bracket")
        assert screen._day == date(2026, 11, 10)
        week = screen._day.isocalendar()[1]
        await pilot.press("w")
        assert screen._day.isocalendar()[1] < week
        await pilot.press("W")
        assert screen._day.isocalendar()[1] == week
        await pilot.press("d", *"august", "enter")
        await settled(pilot)
        assert screen._day == date(2026, 8, 11)
        assert screen.focused is screen._days
        await pilot.press("d", *"smarch", "enter")
        await settled(pilot)
        assert any("smarch" in note.message for note in pilot.app._notifications)
        await pilot.press("escape", "escape")
        await settled(pilot)
        assert search_screen(pilot).query_input.value == ""


async def test_sources_are_gone_through_the_busiest_first(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        screen = await open_timeline(pilot)
        everything = head(screen)
        seen: list[str] = []
        for _ in range(screen._found.sources and len(screen._found.sources) if screen._found else 0):
            await pilot.press("c")
            await settled(pilot)
            seen += screen.box.values_of("source")
            assert screen._found is not None
            assert {each.source for each in screen._found.shown} == {seen[-1]}
            assert " of " in head(screen)
        assert len(set(seen)) == len(seen) > 1
        await pilot.press("c")
        await settled(pilot)
        assert head(screen) == everything
        await pilot.press("C")
        await settled(pilot)
        assert screen.box.values_of("source") == (seen[-1],)


async def test_a_click_on_a_bar_is_its_day_and_on_a_name_its_source(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        screen = await open_timeline(pilot)
        strip = screen.query_one(SparkStrip)
        assert screen._found is not None
        last = screen._found.days[-1].day
        await pilot.click(SparkStrip, offset=(18, 0))  # the first column
        await settled(pilot)
        assert screen._day == last
        source = strip._sparks.sources[0] if strip._sparks else None
        assert source is not None
        await pilot.click(SparkStrip, offset=(2, 0))
        await settled(pilot)
        assert screen.box.values_of("source") == (source,)
        await pilot.click(SparkStrip, offset=(2, 0))
        await settled(pilot)
        assert screen.box.input.value.strip() == ""


async def test_counts_are_those_of_the_recent_sessions(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        answer = search_screen(pilot).results.answer
        assert answer is not None
        screen = await open_timeline(pilot)
        with closing(sample_place.store.read()) as db:
            untimed = without_time(db)
        assert head(screen).startswith(f"{answer.total - untimed} sessions · ")


async def test_in_the_conversation_of_the_timeline_the_keys_of_reading_work(place: Surroundings) -> None:
    async with running(place) as pilot:
        screen = await open_timeline(pilot)
        await pilot.press("j", "enter", "enter")
        await settled(pilot)
        await pilot.press("space")
        await settled(pilot)
        assert "1 in the basket (f4)" in head(screen)
        assert "✓" in "".join(strip.text for strip in pilot.app.screen._compositor.render_strips())
        session = screen.reading.session
        await pilot.press("G", "n")  # nothing is looked for, so it is the next session
        await settled(pilot)
        assert screen.reading.session != session
        await pilot.press("slash", "e")
        await settled(pilot)
        assert screen.reading.is_finding
        await pilot.press("f4")
        await settled(pilot)
        assert isinstance(pilot.app.screen, BasketScreen)
        await pilot.press("escape")
        await settled(pilot)
        assert timeline(pilot).reading.is_finding
        shown = screen.query_one(KeyLine).render().plain  # type: ignore[union-attr]
        assert "c source" not in shown  # that letter is typed now


async def test_a_title_that_is_looked_for_is_marked_in_what_was_said(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        screen = await open_timeline(pilot)
        await pilot.press("slash", *"clipboard", "enter")
        await settled(pilot)
        assert screen.reading.transcript.matching


async def test_what_is_indexed_or_dropped_meanwhile_is_shown_and_the_place_kept(place: Surroundings) -> None:
    async with running(place) as pilot:
        main = search_screen(pilot)
        screen = await open_timeline(pilot)
        await pilot.press("j", "j", "enter")
        await settled(pilot)
        day, shown, newest = screen._day, screen.reading.session, screen._days.item(0)
        assert newest is not None
        with closing(place.store.read()) as db:
            row = sessions_on(db, newest.day)[0].session
            key = ":".join(db.row("SELECT source, native_id FROM sessions WHERE id = ?", row) or ())
        before = screen._days.count
        forget(place.store, Request(session=key))
        main.news.publish(Done(Report()))
        await settled(pilot)
        assert screen._days.count == before - newest.sessions  # that day had no other
        assert (screen._day, screen.reading.session) == (day, shown)
        assert screen.focused is screen._sessions


async def test_the_palette_offers_nothing_that_cannot_be_done_over_the_timeline(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        screen = await open_timeline(pilot)
        names = [name for name, _, _ in Everything(screen)._entries()]
        assert any(name.startswith("basket: ") for name in names)
        assert any(name.startswith("source: ") for name in names)
        assert not any(name.startswith(("settings: settings", "skips: ", "timeline: the timeline")) for name in names)


async def test_what_is_typed_ahead_is_the_filter_or_the_day_and_no_other_key(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        screen = await open_timeline(pilot)
        for first, box in (("slash", screen.box.input), ("d", screen._to)):
            day = screen._day
            for key in (first, "w", "c", "d", "f"):  # at once, as a slow line delivers them
                pilot.app.simulate_key(key)
            await settled(pilot)
            assert box.value == "wcdf"
            assert screen._day == day or first == "slash"
            await pilot.press("escape", "escape")
            await settled(pilot)


async def test_tab_completes_a_filter_of_the_timeline(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        screen = await open_timeline(pilot)
        await pilot.press("slash", *"source:cod", "tab")
        await settled(pilot)
        assert screen.box.input.value == "source:codex "
        await pilot.press("tab")
        await settled(pilot)
        assert screen.focused is screen._days


async def test_without_an_index_the_timeline_says_so_and_is_left(sample_place: Surroundings, tmp_path: Path) -> None:
    place = replace(sample_place, folder=tmp_path / "fresh")
    place.folder.mkdir()
    (place.folder / "config.toml").write_text("[sources.kimi]\nenabled = true\n")
    async with running(place) as pilot:
        screen = await open_timeline(pilot)
        assert "No session is on any day yet." in head(screen) or "not" in head(screen)
        assert screen.has_class("-empty")
        await pilot.press("enter", "tab", "w", "escape", "escape")
        await settled(pilot)
        assert search_screen(pilot)
