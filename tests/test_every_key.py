"""Every key that the help names does what it says, each pressed once by name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from harkback.tui import help_screen, keys
from harkback.tui.asked import Request
from harkback.tui.basket_screen import BasketScreen
from harkback.tui.help_screen import HelpScreen, help_text
from harkback.tui.keys import IN_CONVERSATION, IN_RESULTS, READING, SEARCH, TIMELINE
from harkback.tui.search_screen import SearchScreen
from harkback.tui.settings_screen import SettingsScreen
from harkback.tui.skips_screen import SkipsScreen
from harkback.tui.surroundings import Surroundings
from harkback.tui.timeline_screen import TimelineScreen
from harkback.tui.transcript import Transcript
from harkback.tui.virtual_list import VirtualList
from test_app import ask, open_turns, running, search_screen, settled
from textual.command import CommandPalette
from textual.pilot import Pilot

State = dict[str, Any]


def state(pilot: Pilot[Any]) -> State:
    """What a key may change on the search screen, or which screen has taken its place."""
    screen = pilot.app.screen
    if not isinstance(screen, SearchScreen):
        return {"screen": type(screen).__name__}
    transcript, answer = screen.reading.transcript, screen.results.answer
    return {
        "screen": "SearchScreen",
        "text": screen.query_input.value,
        "focus": screen.focused.id if screen.focused else None,
        "row": screen.results.list.cursor,
        "request": answer.request if answer else None,
        "turn": transcript.current_turn,
        "line": transcript.scroll_offset.y,
        "match": transcript.match,
        "open": open_turns(pilot),
        "finding": screen.reading.is_finding,
        "notes": [note.message for note in pilot.app._notifications],
        "basket": screen._status.collected,
    }


def named(table: tuple[keys.Key, ...]) -> list[tuple[keys.Key, str]]:
    """Each key of each action."""
    return [(key, name) for key in table for name in key.keys.split(",")]


@pytest.fixture
def place(sample_place: Surroundings, tmp_path: Path) -> Surroundings:
    """The samples with a basket and a clipboard of their own."""
    import shutil

    folder = tmp_path / "harkback"
    shutil.copytree(sample_place.folder, folder)
    return replace(sample_place, folder=folder, environ={"PATH": "/usr/bin:/bin"})


async def to_the_start(pilot: Pilot[Any]) -> None:
    """Back to the search as it is opened, whatever the key before has done; what is in the basket stays."""
    for _ in range(9):
        if isinstance(screen := pilot.app.screen, SearchScreen):
            break
        await pilot.press("escape")
        await settled(pilot)
    assert isinstance(screen, SearchScreen)
    if screen.reading.is_finding:
        screen.reading.stop_finding()
    screen.action_focus_query()
    screen._request = Request("")
    screen.query_input.value = ""
    pilot.app.clear_notifications()
    await settled(pilot)


async def changes(pilot: Pilot[Any], key: str) -> tuple[State, State]:
    """What was before and what is after a key."""
    before = state(pilot)
    await pilot.press(key)
    await settled(pilot)
    return before, state(pilot)


QUIET = {"quit", "resume", "back", "copy_command"}
"""What leaves the app, or is shown by tests of its own."""
AWAY_FROM_THE_EDGE = {"up", "page_up", "list.up", "list.page_up", "list.first"}


async def test_each_key_in_the_search_box(place: Surroundings) -> None:
    async with running(place, (100, 20)) as pilot:
        for key, name in named(SEARCH):
            if key.id in QUIET or key.id == "index":
                continue
            await to_the_start(pilot)
            await ask(pilot, "the source:claude" if key.id == "drop_filter" else "the")
            if key.id in AWAY_FROM_THE_EDGE:
                await pilot.press(*["pagedown"] * 2)
                await settled(pilot)
            before, after = await changes(pilot, name)
            assert before != after, (name, key.help)


async def test_each_key_in_the_results(place: Surroundings) -> None:
    async with running(place, (100, 20)) as pilot:
        for key, name in named(IN_RESULTS):
            await to_the_start(pilot)
            await ask(pilot, "the")
            await pilot.press("tab")
            if key.id in AWAY_FROM_THE_EDGE:
                await pilot.press("j", "j", "j", "j", "j", "j", "j")
            await settled(pilot)
            before, after = await changes(pilot, name)
            if key.id == "list.choose":
                assert after["focus"] == "transcript", name
            else:
                assert before["row"] != after["row"], (name, key.help)


NEEDS_START = {"transcript.next", "transcript.next_user", "transcript.last", "transcript.line_down",
               "transcript.page_down", "transcript.half_down", "next_match"}  # fmt: skip


async def test_each_key_in_the_conversation(place: Surroundings) -> None:
    async with running(place, (80, 12)) as pilot:
        for key, name in named((*IN_CONVERSATION, *READING)):
            await to_the_start(pilot)
            await ask(pilot, "clipboard ssh")
            await pilot.press("enter", "a")
            await settled(pilot)
            await pilot.press("g" if key.id in NEEDS_START else "G")
            await settled(pilot)
            if key.id in ("more", "whole"):
                await pilot.press("minus")
                await settled(pilot)
            before, after = await changes(pilot, name)
            if key.id != "tools":  # the samples have no output of tools; test_folding shows what it does
                assert before != after, (name, key.help)


async def test_each_key_in_the_timeline(place: Surroundings) -> None:
    async with running(place) as pilot:
        for key, name in named(TIMELINE):
            await to_the_start(pilot)
            await pilot.press("f6")
            await settled(pilot)
            screen = pilot.app.screen
            assert isinstance(screen, TimelineScreen)
            # It opens on the day it was left on; what goes back to later days needs some way to go.
            await pilot.press("g", *"j" * (8 if key.id == "timeline.later" else 1))
            before = (screen._day, screen.focused, screen.box.input.value)
            await pilot.press(name)
            await settled(pilot)
            after = (screen._day, screen.focused, screen.box.input.value)
            assert pilot.app.screen is not screen or after != before, (name, key.help)


@pytest.mark.parametrize(
    ("name", "screen"),
    [
        ("f1", HelpScreen),
        ("f2", SettingsScreen),
        ("f3", SkipsScreen),
        ("f4", BasketScreen),
        ("f6", TimelineScreen),
        ("ctrl+backslash", CommandPalette),
    ],
)
async def test_what_is_opened_from_anywhere_is_closed_by_escape(
    place: Surroundings, name: str, screen: type[Any]
) -> None:
    async with running(place) as pilot:
        for before in ([], ["tab"], ["enter"]):
            await pilot.press(*before)
            focused = pilot.app.screen.focused
            await pilot.press(name)
            await settled(pilot)
            assert isinstance(pilot.app.screen, screen)
            await pilot.press("escape")
            await settled(pilot)
            assert isinstance(pilot.app.screen, SearchScreen)
            assert pilot.app.screen.focused is focused


async def test_the_palette_does_what_is_chosen(place: Surroundings) -> None:
    async with running(place) as pilot:
        await pilot.press("ctrl+backslash", *"group")
        await settled(pilot)
        await pilot.press("enter")
        await settled(pilot)
        answer = search_screen(pilot).results.answer
        assert answer is not None
        assert answer.request.by_session


async def in_the_palette(pilot: Pilot[Any], text: str) -> None:
    """Do what the palette finds by a text."""
    await pilot.press("ctrl+backslash")
    await settled(pilot)
    pilot.app.screen.query_one("Input").value = text  # type: ignore[attr-defined]
    await settled(pilot)
    await pilot.press("enter")
    await settled(pilot)


async def test_what_is_done_with_a_conversation_is_done_by_the_palette_from_the_search_box_too(
    place: Surroundings,
) -> None:
    async with running(place, (100, 20)) as pilot:
        for key in READING:
            if key.id in ("tools", "less"):
                continue
            await to_the_start(pilot)
            await ask(pilot, "the")
            before = state(pilot)
            await in_the_palette(pilot, f"{key.id.replace('_', ' ')}: {key.help}")
            after = state(pilot)
            assert {**before, "focus": ""} != {**after, "focus": ""}, key.help


async def test_the_palette_has_every_action_of_what_is_open(place: Surroundings) -> None:
    from harkback.tui.palette import Everything

    async def offered(pilot: Pilot[Any]) -> list[str]:
        provider = Everything(pilot.app.screen)
        return [name for name, _, _ in provider._entries()]

    async with running(place) as pilot:
        await pilot.press("enter", "space")
        await settled(pilot)
        names = await offered(pilot)
        for key in (*SEARCH, *READING, *keys.ANYWHERE, *IN_CONVERSATION):
            assert key.id == "palette" or any(name.endswith(f": {key.help}") for name in names), key.id
        assert "settings: limits" in names
        for opened, table in (("f4", keys.BASKET), ("f6", TIMELINE)):
            await pilot.press(opened)
            await settled(pilot)
            names = await offered(pilot)
            for key in (*table, *IN_RESULTS):
                assert any(name.endswith(f": {key.help}") for name in names), key.id
            await pilot.press("escape")
            await settled(pilot)


async def test_the_palette_opens_a_page_of_the_settings(place: Surroundings) -> None:
    async with running(place) as pilot:
        await in_the_palette(pilot, "settings: privacy")
        assert isinstance(pilot.app.screen, SettingsScreen)
        assert pilot.app.screen.section.title == "Privacy"
        await in_the_palette(pilot, "page: limits")
        assert pilot.app.screen.section.title == "Limits"


async def test_a_theme_of_the_palette_is_kept(place: Surroundings) -> None:
    async with running(place) as pilot:
        await pilot.press("ctrl+backslash", *"theme: nord")
        await settled(pilot)
        await pilot.press("enter")
        await settled(pilot)
        assert pilot.app.theme == "nord"
        assert place.config().interface.theme == "nord"


async def test_without_colour_the_theme_is_the_terminals_own(place: Surroundings) -> None:
    async with running(replace(place, environ={"NO_COLOR": "1"})) as pilot:
        assert pilot.app.theme == "ansi-dark"
        await ask(pilot, "clipboard ssh")
        for strip in pilot.app.screen._compositor.render_strips():
            for segment in strip:
                for colour in (segment.style.color, segment.style.bgcolor) if segment.style else ():
                    assert colour is None or colour.is_system_defined, segment


async def test_reduced_motion_stops_blinking_and_gliding(place: Surroundings) -> None:
    with (place.folder / "config.toml").open("a") as file:
        file.write("\n[interface]\nreduced_motion = true\n")
    async with running(place) as pilot:
        assert pilot.app.animation_level == "none"
        assert not search_screen(pilot).query_input.cursor_blink


async def test_a_key_that_was_taken_from_another_action_is_told(place: Surroundings) -> None:
    with (place.folder / "config.toml").open("a") as file:
        file.write('\n[keys]\nsort = "ctrl+r"\n')
    async with running(place) as pilot:
        assert any("no longer for scope" in note.message for note in pilot.app._notifications)


def test_the_help_names_every_key_of_every_screen() -> None:
    shown = help_text({}).plain
    for table in (SEARCH, READING, IN_RESULTS, IN_CONVERSATION, TIMELINE, keys.BASKET, keys.SETTINGS, keys.ANYWHERE):
        for key in table:
            assert f"{keys.key_names(key.keys):<26} {key.help}" in shown


def test_every_binding_of_the_lists_and_the_conversation_is_in_the_help() -> None:
    ours = {key.id for key in (*IN_RESULTS, *IN_CONVERSATION)}
    for widget in (VirtualList, Transcript):
        assert {binding.id for binding in widget.BINDINGS} <= ours
    assert help_screen.GROUPS is keys.GROUPS


@pytest.mark.parametrize(
    ("key", "text", "cursor"),
    [
        ("ctrl+a", "clip over ssh", 0), ("home", "clip over ssh", 0),
        ("ctrl+e", "clip over ssh", 13), ("end", "clip over ssh", 13),
        ("alt+b", "clip over ssh", 5), ("ctrl+left", "clip over ssh", 5),
        ("alt+f", "clip over ssh", 10), ("ctrl+right", "clip over ssh", 10),
        ("ctrl+w", "clip er ssh", 5), ("alt+backspace", "clip er ssh", 5), ("ctrl+backspace", "clip er ssh", 5),
        ("alt+d", "clip ovssh", 7),
        ("ctrl+u", "er ssh", 0), ("ctrl+k", "clip ov", 7),
    ],
)  # fmt: skip
async def test_each_key_that_edits_the_text(sample_place: Surroundings, key: str, text: str, cursor: int) -> None:
    async with running(sample_place) as pilot:
        box = search_screen(pilot).query_input
        box.value, box.cursor_position = "clip over ssh", 7
        await pilot.press(key)
        assert (box.value, box.cursor_position) == (text, cursor)
    names = {"ctrl+left": "^←", "ctrl+right": "^→"}
    told = " ".join(keys for keys, _ in help_screen.EDITING_HELP)
    assert "backspace" in key or names.get(key, key.replace("ctrl+", "^")) in told
