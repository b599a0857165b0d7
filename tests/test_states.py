"""States of basket and settings that come seldom, as they are seen at every size: one app each, made ever smaller."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from harkback.core import config as configuration
from harkback.core.basket import Basket, BasketFile, toggled
from harkback.core.held import Held
from harkback.core.report import Report
from harkback.core.results import Progress
from harkback.core.worker import Done, Working
from harkback.tui.indexing_menu import IndexingMenu
from harkback.tui.messages import Collected
from harkback.tui.settings_facts import Facts, OwnFile
from harkback.tui.settings_screen import SettingsScreen
from harkback.tui.surroundings import Surroundings
from test_app import SIZES, running, search_screen, settled
from test_settings_screen import READ_AT, at_rest, only_settings, screen_of, steady, type_in
from textual.pilot import Pilot

Compare = Callable[[Any, str], None]
HALF_WAY = Progress("Codex", 1_204, 6_310, 212_000_000, 424_000_000, 9_000, 14.0)


async def seen_at_every_size(pilot: Pilot[Any], compare: Compare, name: str) -> None:
    """Compare what is on the screen at one size after the other."""
    pilot.app.clear_notifications()
    for size in SIZES:
        await pilot.resize_terminal(*size)
        await at_rest(pilot)
        await steady(pilot)
        compare(pilot.app, f"{name}-{size[0]}x{size[1]}")


@pytest.fixture
def place(sample_place: Surroundings, tmp_path: Any) -> Surroundings:
    """The samples with an index, a basket and a configuration of their own, and three turns in the basket."""
    import shutil

    folder = tmp_path / "harkback"
    shutil.copytree(sample_place.folder, folder)
    own = replace(sample_place, folder=folder, environ={"PATH": "/nowhere", "EDITOR": "false"})
    db = own.store.read()
    beginnings = ("Both are in.", "our database migration", "在 tmux 里复制")
    rows = list(db.rows("SELECT id, text FROM turns WHERE typeof(text) = 'text'"))
    found = [id_ for start in beginnings for id_, text in rows if text.startswith(start)]
    BasketFile(folder).change(lambda _: toggled(db, Basket(), found))
    db.close()
    return own


# ---- the basket ----


async def test_a_prompt_beyond_its_budget(place: Surroundings, compare_screen: Compare) -> None:
    configuration.change(place.folder, {"basket.budget": 50})
    BasketFile(place.folder).change(lambda basket: Basket(basket.marks, "plain"))
    async with running(place) as pilot:
        await pilot.press("f4")
        await seen_at_every_size(pilot, compare_screen, "basket-over")


async def test_a_prompt_that_was_edited(place: Surroundings, compare_screen: Compare) -> None:
    async with running(place) as pilot:
        await pilot.press("f4")
        await settled(pilot)
        pilot.app.screen.take_edited("Only this is left. 只剩这个了。\n")
        await seen_at_every_size(pilot, compare_screen, "basket-edited")


async def test_an_index_that_cannot_be_asked(place: Surroundings, compare_screen: Compare) -> None:
    async with running(place) as pilot:
        await pilot.press("f4")
        await settled(pilot)
        contents = pilot.app.screen._contents
        trouble = "The index can't be asked: it is damaged; the basket is kept."
        pilot.app.screen.post_message(Collected(replace(contents, serial=99, items=(), trouble=trouble)))
        await seen_at_every_size(pilot, compare_screen, "basket-trouble")


async def test_where_to_write_and_what_is_there_already(
    place: Surroundings, compare_screen: Compare, tmp_path: Any
) -> None:
    home = tmp_path / "me"
    home.mkdir()
    (home / "basket-2026-11-30.md").write_text("precious")
    async with running(replace(place, home=home, working_folder=home)) as pilot:
        await pilot.press("f4", "w")
        await seen_at_every_size(pilot, compare_screen, "basket-save")
        await pilot.resize_terminal(120, 36)
        await pilot.press("enter")
        await seen_at_every_size(pilot, compare_screen, "basket-save-exists")


async def test_an_agent_that_is_not_here(place: Surroundings, compare_screen: Compare) -> None:
    async with running(place) as pilot:
        await pilot.press("f4", "s", "down", "ctrl+o")
        await seen_at_every_size(pilot, compare_screen, "basket-no-agent")


async def test_whether_the_basket_is_to_be_emptied(place: Surroundings, compare_screen: Compare) -> None:
    async with running(place) as pilot:
        await pilot.press("f4", "C")
        await seen_at_every_size(pilot, compare_screen, "basket-clear")


# ---- the settings ----


async def show(pilot: Pilot[Any], **changes: Any) -> SettingsScreen:
    """The settings with figures that are the same everywhere."""
    screen = screen_of(pilot)
    facts = screen.facts
    assert isinstance(facts, Facts)
    sources = tuple(replace(each, last_run=each.last_run and READ_AT) for each in facts.sources)
    index = facts.index and replace(facts.index, bytes=512_000)
    files = (OwnFile("/x/harkback", None, 0o700, True), OwnFile("/x/harkback/index.db", 512_000, 0o644, False))
    screen.facts = replace(facts, sources=sources, index=index, files=files, embeds=True, **changes)
    await screen.redraw()
    return screen


async def test_sources_that_are_gone_at_once(sample_place: Surroundings, compare_screen: Compare) -> None:
    async with only_settings(sample_place) as pilot:
        screen = await show(pilot)
        claude, *others = screen.facts.sources  # type: ignore[union-attr]
        held = Held("claude", "", 6, 5, READ_AT, "/x/.claude/projects/web/0195.jsonl")
        screen.facts = replace(
            screen.facts, sources=(replace(claude, held=(held,), last_error="OSError", swept_soon=0), *others)
        )
        await screen.redraw()
        await seen_at_every_size(pilot, compare_screen, "settings-held")


async def test_sources_that_are_not_here_unfolded(sample_place: Surroundings, compare_screen: Compare) -> None:
    async with only_settings(sample_place) as pilot:
        await show(pilot)
        await pilot.press("up", "enter")
        await seen_at_every_size(pilot, compare_screen, "settings-missing")


@pytest.mark.parametrize(("name", "rule"), [("bad", "titel:okapi"), ("nothing", "/nowhere/**")])
async def test_a_rule_that_is_wrong_and_one_that_hides_nothing(
    sample_place: Surroundings, compare_screen: Compare, name: str, rule: str
) -> None:
    async with only_settings(sample_place, "exclusions") as pilot:
        await show(pilot)
        await type_in(pilot, "new", rule)
        await seen_at_every_size(pilot, compare_screen, f"settings-rule-{name}")


async def test_search_by_meaning_that_is_not_installed(sample_place: Surroundings, compare_screen: Compare) -> None:
    async with only_settings(sample_place, "semantic") as pilot:
        screen = await show(pilot)
        assert screen.facts is not None
        screen.facts = replace(screen.facts, embeds=False)
        await screen.redraw()
        await seen_at_every_size(pilot, compare_screen, "settings-no-meaning")


async def test_a_configuration_that_cannot_be_read(
    place: Surroundings, compare_screen: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harkback.tui.settings_screen.GATHER_SECONDS", 600)
    async with only_settings(place) as pilot:
        await show(pilot)
        reason = '/x/harkback/config.toml, line 3: sources.claude.enabled must be true or false, not "yes"'
        from harkback.tui.settings_screen import _Unreadable

        screen_of(pilot).post_message(_Unreadable(reason))
        await seen_at_every_size(pilot, compare_screen, "settings-unreadable")


async def test_indexing_that_goes_on_and_its_menu(place: Surroundings, compare_screen: Compare) -> None:
    async with running(place) as pilot:
        search = search_screen(pilot)
        await pilot.press("f2")
        await at_rest(pilot)
        await show(pilot)
        search.news.publish(Working(HALF_WAY))
        await seen_at_every_size(pilot, compare_screen, "settings-indexing")
        await pilot.resize_terminal(120, 36)
        pilot.app.push_screen(IndexingMenu(search.news, HALF_WAY))
        await seen_at_every_size(pilot, compare_screen, "settings-indexing-menu")
        search.news.publish(Done(Report(finished=False)))


async def test_settings_before_anything_was_read(
    sample_place: Surroundings, tmp_path: Any, compare_screen: Compare
) -> None:
    place = replace(sample_place, folder=tmp_path / "fresh")
    async with running(place) as pilot:
        await pilot.press("f2")
        await at_rest(pilot)
        await show(pilot)
        await seen_at_every_size(pilot, compare_screen, "settings-first")
