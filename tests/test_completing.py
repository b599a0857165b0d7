"""The search box: what may be completed, what was not understood, and what was meant."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from harkback.core.completions import Completion
from harkback.core.query import parse
from harkback.tui.completing import choice_lines, may_be_completed, taken
from harkback.tui.query_input import problem_line
from harkback.tui.search_box import how_told
from harkback.tui.surroundings import Surroundings
from hypothesis import given
from hypothesis import strategies as st
from test_app import SIZES, ask, running, search_screen, settled, without_milliseconds

NOW = datetime(2026, 11, 30, 9, 30)  # noqa: DTZ001, the tests' own zone is UTC


# ---- pure ----


@pytest.mark.parametrize(
    ("text", "maybe"),
    [
        ("source:", True),
        ("clipboard source:co", True),
        ("-kind:sub", True),
        ('title:"flaky te', True),
        ("so", True),
        ("clip", False),
        ("source:codex ", False),
        ("", False),
        ("https://x", False),
    ],
)
def test_only_where_a_filter_ends_is_the_index_asked(text: str, maybe: bool) -> None:
    assert may_be_completed(text, len(text)) is maybe


def test_a_taken_choice_stands_in_the_place_of_what_was_begun() -> None:
    choice = Completion(12, 14, "codex", "codex")
    assert taken("flaky source:co", Completion(13, 15, "codex", "codex")) == ("flaky source:codex ", 19)
    assert taken("x so", Completion(2, 4, "source:", "source:")) == ("x source:", 9)
    assert taken("any: source:co rest", Completion(12, 14, "codex", "codex")) == ("any: source:codex rest", 17)
    assert choice.sessions is None


@given(st.lists(st.text(max_size=20), min_size=1, max_size=20), st.integers(0, 19), st.integers(1, 60))
def test_the_list_shows_what_is_chosen_and_fits(names: list[str], chosen: int, width: int) -> None:
    chosen = min(chosen, len(names) - 1)
    choices = [Completion(0, 0, name, name.replace("\n", " "), number) for number, name in enumerate(names)]
    lines = choice_lines(choices, chosen, width).plain.split("\n")
    assert sum(line.startswith("▌") for line in lines) == 1
    assert len(lines) <= 6


def problem(text: str, cursor: int | None = None, width: int = 100) -> str:
    query = parse(text, NOW, typing=True)
    return problem_line(query, len(text) if cursor is None else cursor, 0, width)


def test_a_problem_is_told_below_what_it_is_about() -> None:
    line = problem("flaky after:32nd")
    assert line.startswith("      ‾‾‾‾‾‾‾‾‾‾ ignored: ")
    assert "32nd" in line
    assert problem("flaky after:7d") == ""


def test_a_filter_without_a_value_is_no_problem_while_it_is_typed() -> None:
    assert problem("flaky after:") == ""
    assert "wants a value" in problem("after: flaky")


def test_wide_characters_before_a_problem_are_counted_in_cells() -> None:
    assert problem("剪贴板 after:32nd").index("‾") == 7


@given(st.text(max_size=40), st.integers(1, 80))
def test_no_text_breaks_the_line_of_problems(text: str, width: int) -> None:
    assert isinstance(problem(f"{text} after:nope", width=width), str)


def test_a_mode_that_cannot_be_had_is_told() -> None:
    assert how_told("auto", "words") == "words"
    assert how_told("lexical", "words") == "words only"
    assert how_told("semantic", "words") == "words, as meaning is off (f2)"
    assert how_told("semantic", "meaning") == "meaning"


# ---- in the app ----


async def test_ctrl_t_says_what_it_comes_to(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        await ask(pilot, "clipboard")
        seen: list[str] = []
        for _ in range(3):
            await pilot.press("ctrl+t")
            await settled(pilot)
            seen.append(str(search_screen(pilot).box._modes.render()).strip().rpartition(" · ")[2])
        assert seen == ["words only", "words, as meaning is off (f2)", "words"]


async def test_arrows_choose_and_tab_takes(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        screen = search_screen(pilot)
        await pilot.press(*"source")
        await pilot.press("colon")
        await settled(pilot)
        assert screen.box.is_choosing
        await pilot.press("down")
        assert screen.results.list.cursor == 0
        await pilot.press("tab")
        await settled(pilot)
        assert screen.query_input.value == "source:codex "
        assert not screen.box.is_choosing


async def test_escape_closes_the_list_and_nothing_else(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        screen = search_screen(pilot)
        await ask(pilot, "role:")
        screen.query_input.cursor_position = 5
        await pilot.press("end", *"u")
        await settled(pilot)
        assert screen.box.is_choosing
        await pilot.press("escape")
        assert not screen.box.is_choosing
        assert screen.query_input.value == "role:u"


async def test_a_tab_that_is_faster_than_the_index_is_not_lost(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        screen = search_screen(pilot)
        screen.query_input.value = "kind:suba"
        screen.query_input.cursor_position = 9
        screen.action_next_pane()
        await settled(pilot)
        assert screen.query_input.value == "kind:subagent "


async def test_a_value_that_may_still_be_completed_is_no_problem_yet(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        screen = search_screen(pilot)
        await ask(pilot, "kind:suba")
        assert screen.box.is_choosing
        assert not screen.box._problem.has_class("-shown")
        await pilot.press("escape")
        await settled(pilot)
        assert screen.box._problem.has_class("-shown")


async def test_a_word_that_is_no_filter_lets_tab_go_on(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        screen = search_screen(pilot)
        await ask(pilot, "clipboard")
        await pilot.press("tab")
        await settled(pilot)
        assert screen.focused is screen.results.list


async def test_ctrl_x_drops_the_last_filter(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        screen = search_screen(pilot)
        await ask(pilot, "clipboard source:codex after:32nd ssh")
        await pilot.press("ctrl+x")
        await settled(pilot)
        assert screen.query_input.value == "clipboard source:codex ssh"
        await pilot.press("ctrl+x", "ctrl+x")
        await settled(pilot)
        assert screen.query_input.value == "clipboard ssh"
        assert any("no filter" in note.message for note in pilot.app._notifications)


async def test_ctrl_x_cuts_what_is_selected(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        screen = search_screen(pilot)
        await ask(pilot, "clipboard source:codex")
        await pilot.press("home", "shift+end", "ctrl+x")
        await settled(pilot)
        assert screen.query_input.value == ""


async def test_a_mistyped_word_is_told_and_tab_types_the_right_one(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        screen = search_screen(pilot)
        await ask(pilot, "clipbaord ")
        assert str(screen.results._meant.render()) == "no text has “clipbaord”: showing clipboard (tab)"
        assert screen.results.answer is not None
        assert screen.results.answer.total > 0
        await pilot.press("tab")
        await settled(pilot)
        assert screen.query_input.value == "clipboard "
        assert not screen.results._meant.has_class("-shown")


async def test_where_nothing_is_found_tab_takes_what_may_have_been_meant(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        screen = search_screen(pilot)
        await ask(pilot, "clipbaord title:nowhere")
        shown = str(screen.results._empty.render())
        assert "Did you mean clipboard title:nowhere?  (tab)" in shown
        assert "^x drops the filter title:nowhere" in shown


@pytest.mark.parametrize("size", SIZES)
async def test_the_list_of_choices_to_the_letter(
    sample_place: Surroundings, size: tuple[int, int], compare_screen: Callable[[Any, str], None]
) -> None:
    async with running(sample_place, size) as pilot:
        await ask(pilot, "剪贴板 project:")
        without_milliseconds(pilot)
        await pilot.pause()
        compare_screen(pilot.app, f"choices-{size[0]}x{size[1]}")


@pytest.mark.parametrize("size", SIZES)
async def test_what_was_meant_and_one_row_a_session_to_the_letter(
    sample_place: Surroundings, size: tuple[int, int], compare_screen: Callable[[Any, str], None]
) -> None:
    async with running(sample_place, size) as pilot:
        await pilot.press("ctrl+g")
        await ask(pilot, "clipbaord 剪贴板")
        without_milliseconds(pilot)
        await pilot.pause()
        compare_screen(pilot.app, f"meant-{size[0]}x{size[1]}")
