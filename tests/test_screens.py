"""More states of the screens to the letter: one app each, which is made smaller and smaller."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from harkback.core.query import Query, parse
from harkback.core.results import Progress, Session
from harkback.tui.asked import Answer, Request
from harkback.tui.indexing_menu import IndexingMenu
from harkback.tui.status_bar import Status, status_line
from harkback.tui.surroundings import Surroundings
from harkback.tui.welcome_screen import WelcomeScreen
from rich.cells import cell_len
from test_app import SIZES, ask, running, search_screen, settled, without_milliseconds
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widgets import Static

Shown = Callable[[Pilot[Any], str], Any]


@pytest.fixture
def shown(compare_screen: Callable[[Any, str], None]) -> Shown:
    """Compares what an app shows at every size, and at the first again: nothing is lost on the way."""

    async def compare(pilot: Pilot[Any], name: str) -> None:
        for number, (width, height) in enumerate((*SIZES, SIZES[0])):
            await pilot.resize_terminal(width, height)
            await settled(pilot)
            # What lies under a dialog is drawn anew only when the dialog is gone.
            if number < len(SIZES) or not isinstance(pilot.app.screen, ModalScreen):
                compare_screen(pilot.app, f"{name}-{width}x{height}")

    return compare


async def test_one_row_a_session_of_this_project_newest_first(sample_place: Surroundings, shown: Shown) -> None:
    async with running(sample_place) as pilot:
        await ask(pilot, "the")
        await pilot.press("ctrl+g", "ctrl+s", "ctrl+r")
        await settled(pilot)
        without_milliseconds(pilot)
        await pilot.pause()
        await shown(pilot, "by-session")


async def test_chinese_typed_and_found(sample_place: Surroundings, shown: Shown) -> None:
    async with running(sample_place) as pilot:
        await ask(pilot, "剪贴板")
        without_milliseconds(pilot)
        await pilot.press("enter")
        await settled(pilot)
        await shown(pilot, "chinese")


async def test_finding_in_a_conversation(sample_place: Surroundings, shown: Shown) -> None:
    async with running(sample_place) as pilot:
        await ask(pilot, "clipboard ssh")
        without_milliseconds(pilot)
        await pilot.press("enter", "slash", *"tmux")
        await settled(pilot)
        await shown(pilot, "finding")


async def test_a_project_without_sessions(sample_place: Surroundings, shown: Shown) -> None:
    place = replace(sample_place, working_folder=Path("/home/ann/nothing-here"))
    async with running(place) as pilot:
        await pilot.press("ctrl+r")
        await settled(pilot)
        await shown(pilot, "no-project")


async def test_nothing_found_for_filters(sample_place: Surroundings, shown: Shown) -> None:
    async with running(sample_place) as pilot:
        await ask(pilot, "xylophone source:codex after:7d")
        without_milliseconds(pilot)
        await pilot.pause()
        await shown(pilot, "nothing-filtered")


async def test_nothing_is_indexed_yet(sample_place: Surroundings, tmp_path: Path, shown: Shown) -> None:
    place = replace(sample_place, folder=tmp_path / "fresh", home=tmp_path / "nobody")
    place.folder.mkdir()
    (place.folder / "config.toml").write_text("[sources.codex]\nenabled = true\n")
    async with running(place) as pilot:
        await shown(pilot, "nothing-indexed")


async def test_an_index_that_cannot_be_asked(sample_place: Surroundings, shown: Shown) -> None:
    async with running(sample_place) as pilot:
        await ask(pilot, "clipboard ssh")
        without_milliseconds(pilot)
        search_screen(pilot)._set_status(notice="the index is damaged: what is shown is from before, f5 mends it")
        await pilot.pause()
        await shown(pilot, "damaged")


PROGRESS = Progress("Codex", 1_204, 6_310, 98_000_000, 310_000_000, 21_450, 14.2)


async def test_while_sessions_are_read(sample_place: Surroundings, shown: Shown) -> None:
    async with running(sample_place) as pilot:
        search_screen(pilot)._set_status(progress=PROGRESS)
        await pilot.pause()
        await shown(pilot, "indexing")
        pilot.app.push_screen(IndexingMenu(search_screen(pilot).news, PROGRESS))
        await settled(pilot)
        await shown(pilot, "indexing-menu")


async def test_the_keys_of_the_conversation_come_first_where_one_is_read(
    sample_place: Surroundings, shown: Shown
) -> None:
    async with running(sample_place) as pilot:
        await ask(pilot, "clipboard ssh")
        without_milliseconds(pilot)
        await pilot.press("enter", "question_mark")
        await settled(pilot)
        await shown(pilot, "keys-reading")


async def test_where_was_looked_on_the_first_screen(sample_place: Surroundings, tmp_path: Path, shown: Shown) -> None:
    place = replace(sample_place, folder=tmp_path / "fresh", home=tmp_path / "nobody")
    async with running(place) as pilot:
        await pilot.press("w")
        await settled(pilot)
        await shown(pilot, "welcome-where")


def test_what_is_wrong_is_told_before_all_else_and_progress_before_all_but_the_count() -> None:
    answer = Answer(Request(""), Query(""), (), (), 15, True, 0.0, 16, 98, 3)
    trouble = "the index is damaged: f5 mends it"
    for width in range(24, 200):
        told = status_line(Status(answer, notice=trouble), width).plain
        assert cell_len(told) <= width
        assert "15 sessions" in told
        assert trouble in told or (told.endswith("…") and width < 55)
        busy = status_line(Status(answer, progress=PROGRESS), width).plain
        assert cell_len(busy) <= width
        assert "indexing" in busy or width < 33
    assert "3 sessions left out (f3)" in status_line(Status(answer), 120).plain
    assert "and 1 of sub-agents" in status_line(Status(answer), 120).plain
    scoped = replace(answer, request=Request("", project="/home/ann/web"))
    assert "sub-agents" not in status_line(Status(scoped), 120).plain  # how many of this project is not known


async def test_one_key_ticks_all_sources_or_none(sample_place: Surroundings, tmp_path: Path) -> None:
    async with running(replace(sample_place, folder=tmp_path / "fresh")) as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, WelcomeScreen)
        for wanted in (False, True):
            await pilot.press("a")
            await settled(pilot)
            assert [box.value for box in screen._boxes()] == [wanted, wanted]
        await pilot.press("space", "a")  # one is not ticked: all are
        await settled(pilot)
        assert all(box.value for box in screen._boxes())


async def test_the_help_begins_with_the_keys_of_the_place_and_explains_the_signs(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        for ways, title in (
            ([], "Searching"),
            (["tab"], "In the results"),
            (["tab"], "In the conversation"),
            (["f6"], "In the timeline"),
        ):
            await pilot.press(*ways)
            await settled(pilot)
            await pilot.press("f1")
            await settled(pilot)
            text = pilot.app.screen.query_one("#help-text", Static).render().plain  # type: ignore[union-attr]
            assert text.startswith(title)
            for sign in ("~14:31", "┃", "gone at source", "beside a match"):
                assert sign in text
            await pilot.press("G")
            await settled(pilot)
            box = pilot.app.screen.query_one("#help")
            assert box.scroll_offset.y == box.max_scroll_y > 0
            await pilot.press("g")
            await settled(pilot)
            assert box.scroll_offset.y == 0
            await pilot.press("escape")


async def test_a_project_alone_lists_its_sessions_not_its_turns(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        await pilot.press("ctrl+r")
        await settled(pilot)
        answer = search_screen(pilot).results.answer
        assert answer is not None
        assert answer.lists_sessions
        shown = [item for item in answer.items if isinstance(item, Session)]
        assert len(shown) == answer.total > 0
        assert {item.project for item in shown} == {str(sample_place.working_folder)}


@pytest.mark.parametrize(
    ("total", "exact", "told"), [(1, True, "1 hit ·"), (1, False, "1+ hits"), (1204, True, "1,204 hits")]
)
def test_a_count_that_is_not_complete_says_so(total: int, exact: bool, told: str) -> None:
    answer = Answer(
        Request("x"), parse("xylophone", datetime(2026, 11, 30, tzinfo=UTC)), (), (), total, exact, 9.0, 16, 98, 0
    )
    assert status_line(Status(answer), 120).plain.strip().startswith(told)
