"""The bottom line: what fits of it, that it says nothing which is not so, and that the mouse presses its keys."""

from __future__ import annotations

import pytest
from harkback.tui.help_screen import HelpScreen
from harkback.tui.key_line import ALWAYS, FIRST_TO_GO, KeyLine, Shown, fitting
from harkback.tui.keys import KNOWN
from harkback.tui.surroundings import Surroundings
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from test_app import ask, running, search_screen, settled

HELP = Shown(ALWAYS, "f1", "f1", "keys")
KEYS = st.lists(
    st.builds(Shown, st.sampled_from(sorted(KNOWN - {ALWAYS})), st.just("x"), st.text("^xyz", max_size=3), st.text("ab語", max_size=9)),  # noqa: E501
    unique_by=lambda key: key.id,
)  # fmt: skip


@given(KEYS, st.integers(0, 130))
def test_what_does_not_fit_goes_and_the_way_to_the_others_stays(keys: list[Shown], width: int) -> None:
    shown = fitting([*keys, HELP], width)
    assert HELP in shown
    line = " ".join(f"{key.name} {key.label}" for key in shown)
    assert cell_len(line) <= width or shown == [HELP]
    if len(shown) <= len(keys):  # something went, because it had to
        assert sum(key.cells for key in [*keys, HELP]) - 1 > width


def test_what_goes_first_are_keys_that_there_are() -> None:
    assert set(FIRST_TO_GO) <= KNOWN


def line(screen: object) -> str:
    return screen.query_one(KeyLine).render().plain  # type: ignore[attr-defined]


@pytest.mark.parametrize("width", [110, 112, 115, 118, 120])
async def test_no_key_of_the_search_is_cut_in_two(sample_place: Surroundings, width: int) -> None:
    async with running(sample_place, (width, 20)) as pilot:
        shown = line(pilot.app.screen)
        assert len(shown) <= width
        assert shown.endswith("f6 timeline")
        assert "f1 keys" in shown


async def test_enter_is_named_where_a_list_or_the_conversation_has_it(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        await ask(pilot, "clipboard ssh")
        await pilot.press("tab")
        await settled(pilot)
        assert line(pilot.app.screen).startswith("⏎ open ")
        await pilot.press("enter")
        await settled(pilot)
        assert line(pilot.app.screen).startswith("⏎ fold ")


async def test_while_something_is_typed_no_letter_is_said_to_be_a_key(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        await ask(pilot, "clipboard ssh")
        for way in ([], ["enter", "slash"]):  # the search box, the box that finds in a conversation
            await pilot.press(*way)
            await settled(pilot)
            shown = line(pilot.app.screen)
            for letter in ("y copy", "n next", "+ more", "/ find", "to basket"):
                assert letter not in shown


async def test_a_click_presses_the_key(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        at = line(pilot.app.screen).index("f1 keys")
        await pilot.click(KeyLine, offset=(at + 3, 0))
        await settled(pilot)
        assert isinstance(pilot.app.screen, HelpScreen)
        await pilot.press("escape")
        await settled(pilot)
        await pilot.hover(KeyLine, offset=(at, 0))
        assert search_screen(pilot).query_one(KeyLine)._hovered is not None
        await pilot.click(KeyLine, offset=(119, 0))  # beside all keys
        await settled(pilot)
        assert search_screen(pilot)


async def test_where_nothing_is_found_nothing_is_said_to_be_opened(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        assert "⏎ open" in line(pilot.app.screen)
        await ask(pilot, "xylophone")
        assert "open" not in line(pilot.app.screen)
        await pilot.press("enter")
        await settled(pilot)
        assert search_screen(pilot).focused is search_screen(pilot).query_input
        await ask(pilot, "clipboard")
        assert "⏎ open" in line(pilot.app.screen)


async def test_the_find_box_names_the_key_that_leaves_it_for_the_match(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        await ask(pilot, "clipboard ssh")
        await pilot.press("enter", "slash", *"tmux")
        await settled(pilot)
        assert line(pilot.app.screen).startswith("⏎ to the match ")


async def test_what_is_typed_ahead_of_the_screen_goes_where_it_was_meant_to(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        screen = search_screen(pilot)
        await ask(pilot, "clipboard ssh")
        for box in (screen.query_input, screen.reading._find.input):
            before = box.value
            for key in ("enter", "n"):  # at once, as a slow line delivers them
                pilot.app.simulate_key(key)
            await settled(pilot)
            assert box.value == before
            assert screen.focused is screen.reading.transcript
            for key in ("slash", "o"):  # and back again
                pilot.app.simulate_key(key)
            await settled(pilot)
            assert screen.focused is screen.reading._find.input
            assert screen.reading._find.input.value.endswith("o")
