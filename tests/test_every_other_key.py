"""Every key of the basket and the settings does what the help says of it, and every action can have another key."""

from __future__ import annotations

import importlib
import pkgutil
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from harkback.core import config as configuration
from harkback.core.basket import Basket, BasketFile, toggled
from harkback.tui import keys
from harkback.tui.basket_screen import BasketScreen
from harkback.tui.keys import (
    ANYWHERE,
    BASKET,
    IN_CONVERSATION,
    IN_PROMPT,
    IN_RESULTS,
    IN_SETTINGS,
    KNOWN,
    READING,
    SEARCH,
)
from harkback.tui.plain_view import PlainView
from harkback.tui.surroundings import Surroundings
from test_app import ask, running, settled
from test_every_key import named
from test_settings_screen import at_rest, focus, only_settings, screen_of
from textual.pilot import Pilot


@pytest.fixture
def place(sample_place: Surroundings, tmp_path: Path) -> Surroundings:
    """The samples with a rule, and turns in the basket."""
    folder = tmp_path / "harkback"
    shutil.copytree(sample_place.folder, folder)
    own = replace(sample_place, folder=folder, environ={"PATH": "/nowhere", "EDITOR": "false"})
    db = own.store.read()
    turns = [row[0] for row in db.rows("SELECT id FROM turns WHERE number = 2 ORDER BY time DESC LIMIT 5")]
    BasketFile(folder).change(lambda _: toggled(db, Basket(), turns))
    db.close()
    return own


def basket_state(pilot: Pilot[Any]) -> Any:
    screen = pilot.app.screen
    if not isinstance(screen, BasketScreen):
        return type(screen).__name__
    assert screen._contents is not None
    view = screen.query_one(PlainView)
    notes = [note.message for note in pilot.app._notifications]
    return screen._contents.basket, screen._at, screen.focused, view.scroll_offset.y, notes


@pytest.mark.parametrize(("key", "name"), named(BASKET))
async def test_in_the_basket(place: Surroundings, key: keys.Key, name: str) -> None:
    async with running(place, (100, 24)) as pilot:
        await pilot.press("f4", "down", "down", *(["x"] if key.id == "basket.undo" else []))
        await settled(pilot)
        before = basket_state(pilot)
        await pilot.press(name)
        await settled(pilot)
        assert basket_state(pilot) != before, key.help


@pytest.mark.parametrize(("key", "name"), named(IN_PROMPT))
async def test_in_the_prompt(place: Surroundings, key: keys.Key, name: str) -> None:
    async with running(place, (60, 16)) as pilot:
        await pilot.press("f4", "tab", *(["G"] if key.id in ("text.up", "text.page_up", "text.first") else []))
        await settled(pilot)
        before = basket_state(pilot)
        await pilot.press(name)
        await settled(pilot)
        assert basket_state(pilot) != before, key.help


def settings_state(pilot: Pilot[Any]) -> Any:
    screen = pilot.app.screen
    if not hasattr(screen, "section"):
        return type(screen).__name__
    ticks = [(line.name, str(line.render())) for line in screen.page.query("Tick, Press")]
    rules = screen.place.config().exclude.patterns
    return screen.section.title, screen.page.focused_key, screen.page.scroll_offset.y, ticks, rules


@pytest.mark.parametrize(("key", "name"), named((*IN_SETTINGS, *keys.SETTINGS)))
async def test_in_the_settings(place: Surroundings, key: keys.Key, name: str) -> None:
    configuration.change(place.folder, {"exclude.patterns": ["title:okapi"]})
    page = "exclusions" if key.id == "settings.remove" else "sources"
    async with running(place, (60, 8)) as pilot:
        await pilot.press("f2")
        await at_rest(pilot)
        if page == "exclusions":
            await pilot.press("2")
            await at_rest(pilot)
            await focus(pilot, "rule:title:okapi")
        elif key.id in ("column.up", "column.page_up", "column.first"):
            await pilot.press("G")
            await at_rest(pilot)
        before = settings_state(pilot)
        await pilot.press(name)
        await at_rest(pilot)
        assert settings_state(pilot) != before, key.help


async def has_other_keys(pilot: Pilot[Any], table: tuple[keys.Key, ...]) -> None:
    """Give each action of a table another key, one after the other: it works, and its own no longer does."""
    for key in table:
        pilot.app.set_keymap({key.id: "f12"})
        found = {name: active.binding.id for name, active in pilot.app.screen.active_bindings.items()}
        assert found.get("f12") == key.id, key.id
        assert key.id not in {found.get(name) for name in key.keys.split(",")}, key.id
    pilot.app.set_keymap({})


async def test_every_action_can_have_another_key(place: Surroundings) -> None:
    async with running(place) as pilot:
        await ask(pilot, "clipboard ssh")
        await has_other_keys(pilot, (*SEARCH, *ANYWHERE))
        await pilot.press("tab")
        await settled(pilot)
        await has_other_keys(pilot, (*IN_RESULTS, *READING))
        await pilot.press("tab")
        await settled(pilot)
        await has_other_keys(pilot, (*IN_CONVERSATION, *READING))
        await pilot.press("f4")
        await settled(pilot)
        await has_other_keys(pilot, tuple(key for key in BASKET if key.id != "basket.undo"))
        await pilot.press("tab")
        await settled(pilot)
        await has_other_keys(pilot, IN_PROMPT)
    async with only_settings(place) as pilot:
        assert screen_of(pilot).page.focused_key == "claude"
        await has_other_keys(pilot, (*IN_SETTINGS, *keys.SETTINGS))


SHOWN_THERE = {
    "AgentScreen", "FindBox", "FoldingTick", "HelpScreen", "IndexingMenu", "PathInput", "Press", "QueryInput",
    "QuestionScreen", "SaveScreen", "SettingsScreen", "SkipsScreen", "Tick", "TimelineScreen", "WelcomeScreen",
}  # fmt: skip
"""Classes some of whose keys have no name: they stand on the screen itself, or are what every box and text has."""


def test_every_key_that_anything_takes_is_in_the_help_or_stands_where_it_works() -> None:
    from harkback import tui

    for found in pkgutil.iter_modules(tui.__path__):
        if found.name == "__main__":
            continue
        module = importlib.import_module(f"harkback.tui.{found.name}")
        for name, each in vars(module).items():
            if isinstance(each, type) and each.__module__ == module.__name__ and "BINDINGS" in vars(each):
                for binding in each.BINDINGS:  # type: ignore[attr-defined]
                    assert binding.id in KNOWN or (binding.id is None and name in SHOWN_THERE), (name, binding)
