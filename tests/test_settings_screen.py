"""f2: the settings as a person meets them; what is changed there takes effect at once."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from harkback.core import config as configuration
from harkback.core.history import recent_rows, session_at
from harkback.core.report import Report
from harkback.core.results import Progress
from harkback.core.worker import Done, Working
from harkback.tui.app import HarkbackApp
from harkback.tui.help_screen import HelpScreen
from harkback.tui.indexing_menu import IndexingMenu, progress_page
from harkback.tui.live_index import changes
from harkback.tui.question_screen import QuestionScreen
from harkback.tui.search_screen import SearchScreen
from harkback.tui.settings_facts import OwnFile
from harkback.tui.settings_lines import Job
from harkback.tui.settings_screen import SECTIONS, SettingsScreen
from harkback.tui.skips_screen import SkipsScreen
from harkback.tui.status_bar import Status, status_line
from harkback.tui.surroundings import Surroundings
from harkback.tui.ticks import Tick
from harkback.tui.welcome_screen import WelcomeScreen
from test_app import SIZES, running
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

READ_AT = 1_796_028_000_000
"""When the sources were read last, for screens that are compared."""


@pytest.fixture
def place(sample_place: Surroundings, tmp_path: Path) -> Surroundings:
    """The samples with an index of their own, which a test may change."""
    own = replace(sample_place, folder=tmp_path / "own")
    shutil.copytree(sample_place.folder, own.folder)
    return own


async def at_rest(pilot: Pilot[Any]) -> None:
    """Wait until nothing is looked up, saved, forgotten or indexed any more, whatever screen is on top."""
    quiet = 0
    for _ in range(6_000):
        await pilot.pause()
        quiet = quiet + 1 if _is_quiet(pilot) else 0
        if quiet > 2:
            return
        if not quiet:
            await asyncio.sleep(0.005)
    raise AssertionError("the app does not come to rest")


def _is_quiet(pilot: Pilot[Any]) -> bool:
    for screen in pilot.app.screen_stack:
        if isinstance(screen, SearchScreen) and (screen._live.busy or screen._live._ending):
            return False
        if isinstance(screen, SettingsScreen) and (screen._wanted or screen._looking):
            return False
    return not pilot.app.workers


class OnlySettings(HarkbackApp):
    """The settings without a search beneath them, so that nothing is indexed meanwhile."""

    CSS_PATH = Path(sys.modules[HarkbackApp.__module__].__file__ or "").with_name("app.tcss")

    def __init__(self, place: Surroundings, section: str) -> None:
        super().__init__(place)
        self._section = section

    def get_default_screen(self) -> Screen[Any]:
        return Screen(id="_default")

    def on_mount(self) -> None:
        with closing(self._place.store.read()) as db:
            selected = session_at(db, recent_rows(db)[0])
        self.push_screen(SettingsScreen(self._place, None, self._section, selected))


@asynccontextmanager
async def only_settings(
    place: Surroundings, section: str = "sources", size: tuple[int, int] = (120, 36)
) -> AsyncIterator[Pilot[Any]]:
    app = OnlySettings(place, section)
    async with app.run_test(size=size, notifications=True) as pilot:
        await at_rest(pilot)
        yield pilot


@asynccontextmanager
async def only_settings_of(place: Surroundings) -> AsyncIterator[Pilot[Any]]:
    """The same with a configuration that became unreadable after the app had begun."""
    config = place.folder / "config.toml"
    broken = config.read_text()
    config.write_text("[sources]\nclaude.enabled = true\n")
    app = OnlySettings(place, "sources")
    config.write_text(broken)
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await at_rest(pilot)
        yield pilot


@asynccontextmanager
async def settings(
    place: Surroundings, section: str = "sources", size: tuple[int, int] = (120, 36)
) -> AsyncIterator[Pilot[Any]]:
    async with running(place, size) as pilot:
        await pilot.press("f2")
        await at_rest(pilot)
        await pilot.press(str(SECTIONS.index(section) + 1))
        await at_rest(pilot)
        yield pilot


def screen_of(pilot: Pilot[Any]) -> SettingsScreen:
    screen = pilot.app.screen
    assert isinstance(screen, SettingsScreen)
    return screen


async def focus(pilot: Pilot[Any], key: str) -> None:
    """Go down to the line with this key, as a person would."""
    for _ in range(80):
        if screen_of(pilot).page.focused_key == key:
            return
        await pilot.press("down")
    raise AssertionError(f"no way leads to {key}")


async def type_in(pilot: Pilot[Any], key: str, text: str) -> None:
    await focus(pilot, key)
    box = screen_of(pilot).focused
    assert isinstance(box, Input)
    box.value = text
    await at_rest(pilot)


def said(pilot: Pilot[Any]) -> str:
    return "\n".join(note.message for note in pilot.app._notifications)


def shown(pilot: Pilot[Any]) -> str:
    return "\n".join(strip.text for strip in pilot.app.screen._compositor.render_strips())


def in_index(place: Surroundings, sql: str) -> list[Any]:
    with closing(place.store.read()) as db:
        return [row[0] for row in db.rows(sql)]


# ---- what is seen, to the letter ----


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("section", SECTIONS)
async def test_the_pages(
    sample_place: Surroundings,
    section: str,
    size: tuple[int, int],
    compare_screen: Callable[[Any, str], None],
) -> None:
    async with only_settings(sample_place, section, size) as pilot:
        screen = screen_of(pilot)
        if section == "exclusions":
            await type_in(pilot, "new", "title:中文")
        if section == "sources":
            await pilot.press("enter")
            await at_rest(pilot)
        pilot.app.clear_notifications()
        facts = screen.facts
        assert facts is not None
        assert facts.index is not None
        files = (OwnFile("/x/harkback", None, 0o700, True), OwnFile("/x/harkback/index.db", 512_000, 0o600, True))
        sources = tuple(replace(each, last_run=each.last_run and READ_AT) for each in facts.sources)
        screen.facts = replace(
            facts, embeds=True, sources=sources, files=files, index=replace(facts.index, bytes=512_000)
        )
        await screen.redraw()
        await steady(pilot)
        compare_screen(pilot.app, f"settings-{section}-{size[0]}x{size[1]}")


async def steady(pilot: Any) -> None:
    """Wait until what is drawn stays as it is; a scrollbar may come one step later than what it scrolls."""
    before: list[str] | None = None
    while (now := [strip.text for strip in pilot.app.screen._compositor.render_strips()]) != before:
        before = now
        await pilot.pause()


@pytest.mark.parametrize("size", SIZES)
async def test_the_question_before_a_source_goes(
    sample_place: Surroundings, size: tuple[int, int], compare_screen: Callable[[Any, str], None]
) -> None:
    async with only_settings(sample_place, "semantic", size) as pilot:
        screen = screen_of(pilot)
        screen.facts = None
        await screen.redraw()
        question = "This removes 1,204 sessions of Codex with 48,300 turns from the index; your files stay."
        pilot.app.push_screen(QuestionScreen(question, "remove"))
        await steady(pilot)
        compare_screen(pilot.app, f"settings-question-{size[0]}x{size[1]}")


# ---- sources ----


async def test_unticking_asks_then_removes_and_the_index_follows(place: Surroundings) -> None:
    async with settings(place) as pilot:
        await focus(pilot, "codex")
        await pilot.press("space")
        await at_rest(pilot)
        assert isinstance(pilot.app.screen, QuestionScreen)
        assert "of Codex" in shown(pilot)
        await pilot.press("escape")
        await at_rest(pilot)
        assert place.config().source("codex").enabled
        tick = next(tick for tick in screen_of(pilot).query(Tick) if tick.name == "codex")
        assert tick.value  # it was not unticked after all
        await pilot.press("space", "y")
        await at_rest(pilot)
        assert not place.config().source("codex").enabled
        assert in_index(place, "SELECT DISTINCT source FROM sessions WHERE turns > 0") == ["claude"]
        assert "removed from the index" in said(pilot)
        assert "[ ] ▸ Codex" in shown(pilot)
        await pilot.press("space")
        await at_rest(pilot)
        assert "codex" in in_index(place, "SELECT DISTINCT source FROM sessions WHERE turns > 0")


async def test_the_last_source_can_be_unticked(place: Surroundings) -> None:
    async with settings(place) as pilot:
        for name in ("claude", "codex"):
            await focus(pilot, name)
            await pilot.press("space", "y")
            await at_rest(pilot)
        assert in_index(place, "SELECT source FROM sessions WHERE turns > 0") == []


async def test_the_search_beneath_follows_without_a_restart(place: Surroundings) -> None:
    async with settings(place) as pilot:
        await focus(pilot, "codex")
        await pilot.press("space", "y")
        await at_rest(pilot)
        await pilot.press("escape")
        await at_rest(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, SearchScreen)
        screen.query_input.value = "source:codex the"
        await at_rest(pilot)
        assert screen.results.answer is not None
        assert screen.results.answer.total == 0


async def test_a_place_is_added_with_completion_and_taken_back(place: Surroundings, tmp_path: Path) -> None:
    backup = place.home / "backup of old sessions" / "projects"
    backup.mkdir(parents=True, exist_ok=True)
    turn = {"type": "user", "sessionId": "old", "message": {"role": "user", "content": "an okapi from the backup"}}
    (backup / "old.jsonl").write_text(json.dumps(turn) + "\n")
    find = "SELECT native_id FROM sessions WHERE native_id = 'old' AND turns > 0"
    async with settings(place) as pilot:
        await focus(pilot, "claude")
        await pilot.press("enter")
        await at_rest(pilot)
        await type_in(pilot, "add:claude", "~/back")
        await pilot.press("tab")
        box = screen_of(pilot).focused
        assert isinstance(box, Input)
        assert box.value == "~/backup of old sessions/"
        await pilot.press("enter")
        await at_rest(pilot)
        root = str(backup.parent)
        assert place.config().source("claude").roots == (root,)
        assert in_index(place, find) == ["old"]
        assert box.value == ""
        await focus(pilot, f"root:claude:{root}")
        await pilot.press("x")
        await at_rest(pilot)
        assert "removes 1 session from there" in " ".join(shown(pilot).split())
        await pilot.press("y")
        await at_rest(pilot)
        assert place.config().source("claude").roots == ()
        assert in_index(place, find) == []


async def test_what_is_gone_at_once_is_asked_and_the_answer_is_gone_by(
    sample_place: Surroundings, tmp_path: Path
) -> None:
    home = tmp_path / "other"
    projects = home / ".claude" / "projects" / "-p"
    projects.mkdir(parents=True)
    for n in range(6):
        turn = {"type": "user", "sessionId": f"s{n}", "message": {"role": "user", "content": f"okapi {n}"}}
        (projects / f"s{n}.jsonl").write_text(json.dumps(turn) + "\n")
    place = replace(sample_place, home=home, folder=tmp_path / "own")
    configuration.change(place.folder, {"sources.claude.enabled": True})
    place.reconcile()
    for n in range(5):
        (projects / f"s{n}.jsonl").unlink()
    place.reconcile()
    async with settings(place) as pilot:
        assert "5 of 6 files of Claude Code are gone at once" in shown(pilot)
        await focus(pilot, "confirm:claude")
        await pilot.press("enter", "y")
        await at_rest(pilot)
        assert "gone at once" not in shown(pilot)
        assert in_index(place, "SELECT count(*) FROM sessions WHERE gone") == [5]


# ---- exclusions, limits, privacy ----


async def test_a_rule_says_what_it_would_hide_then_hides_it_and_is_taken_back(place: Surroundings) -> None:
    find = "SELECT count(*) FROM sessions WHERE turns > 0 AND project GLOB '*/web'"
    assert in_index(place, find) != [0]
    rule = f"project:{place.home}/src/web"
    async with settings(place, "exclusions") as pilot:
        await type_in(pilot, "new", rule)
        assert "would hide" in shown(pilot)
        assert "would hide nothing" not in shown(pilot)
        await pilot.press("enter")
        await at_rest(pilot)
        assert place.config().exclude.patterns == (rule,)
        assert in_index(place, find) == [0]
        assert "1 rule of yours" in shown(pilot)
        await pilot.press("up")
        await focus(pilot, f"rule:{rule}")
        await pilot.press("x")
        await at_rest(pilot)
        assert place.config().exclude.patterns == ()
        assert in_index(place, find) != [0]


async def test_enter_and_a_click_ask_before_a_rule_is_taken_back(place: Surroundings) -> None:
    configuration.change(place.folder, {"exclude.patterns": ["title:okapi"]})
    async with only_settings(place, "exclusions") as pilot:
        for press in (lambda: pilot.press("enter"), lambda: pilot.click("#page Press", offset=(3, 0))):
            await focus(pilot, "rule:title:okapi")
            await press()
            await at_rest(pilot)
            assert "Take title:okapi back?" in shown(pilot)
            await pilot.press("n")
            await at_rest(pilot)
            assert place.config().exclude.patterns == ("title:okapi",)
        await pilot.press("enter", "y")
        await at_rest(pilot)
        assert place.config().exclude.patterns == ()


async def test_a_narrower_limit_asks_first_and_everything_brings_all_back(place: Surroundings) -> None:
    turns = "SELECT sum(turns) FROM sessions"
    before = in_index(place, turns)
    async with settings(place, "limits") as pilot:
        await type_in(pilot, "turns_per_source", "10")
        await pilot.press("enter")
        await at_rest(pilot)
        assert isinstance(pilot.app.screen, QuestionScreen)
        await pilot.press("y")
        await at_rest(pilot)
        assert in_index(place, turns) == [20]
        assert "leaves out" in shown(pilot)
        await type_in(pilot, "turns_per_source", "")
        await pilot.press("enter")
        await at_rest(pilot)
        assert place.config().limits.turns_per_source is None
        await focus(pilot, "preset:everything")
        await pilot.press("space")
        await at_rest(pilot)
        assert place.config().limits.preset == "everything"
        assert in_index(place, turns)[0] >= before[0]


async def test_forgetting_a_source_shows_the_plan_and_tells_how_it_went(place: Surroundings) -> None:
    async with settings(place, "privacy") as pilot:
        await focus(pilot, "sources")
        await pilot.press("enter")
        await focus(pilot, "forget:source:codex")
        await pilot.press("enter")
        await at_rest(pilot)
        assert isinstance(pilot.app.screen, QuestionScreen)
        assert "all of Codex for good" in shown(pilot)
        await pilot.press("y")
        await at_rest(pilot)
        assert "none is left" in said(pilot)
        assert "This forgets" not in said(pilot)
        assert in_index(place, "SELECT DISTINCT source FROM sessions WHERE turns > 0") == ["claude"]
    place.reconcile()
    assert in_index(place, "SELECT DISTINCT source FROM sessions WHERE turns > 0") == ["claude"]


async def test_the_session_that_the_search_shows_is_the_first_to_be_forgotten(place: Surroundings) -> None:
    async with running(place) as pilot:
        search = pilot.app.screen
        assert isinstance(search, SearchScreen)
        assert search.reading.session is not None
        native_id = search.reading.session.native_id
        await pilot.press("f2")
        await at_rest(pilot)
        await pilot.press("5")
        await focus(pilot, "forget:selected")
        await pilot.press("enter")
        await at_rest(pilot)
        await pilot.press("y")
        await at_rest(pilot)
    assert native_id not in in_index(place, "SELECT native_id FROM sessions WHERE turns > 0")


async def test_what_was_begun_is_told_and_followed_though_the_settings_were_left(place: Surroundings) -> None:
    go_on = threading.Event()

    def work() -> str:
        go_on.wait(30)
        return "it is done"

    async with settings(place) as pilot:
        search = pilot.app.screen_stack[-2]
        assert isinstance(search, SearchScreen)
        screen_of(pilot).fulfil(lambda section: Job(work, doing="working on it …"))
        await pilot.pause()
        assert "working on it" in shown(pilot)
        await pilot.press("escape")
        await pilot.pause()
        assert pilot.app.screen is search
        go_on.set()
        for _ in range(1_000):
            await pilot.pause(0.005)
            if "it is done" in said(pilot):
                break
        await at_rest(pilot)
        assert search._live._worker is not None
        assert "stopped" not in str(search._bar.render())


# ---- keys and mouse ----


async def test_pages_are_turned_by_tab_digits_brackets_and_the_mouse(sample_place: Surroundings) -> None:
    async with only_settings(sample_place) as pilot:
        screen = screen_of(pilot)

        async def after(*keys: str) -> str:
            await pilot.press(*keys)
            await at_rest(pilot)
            return screen.section.title

        assert await after("tab") == "Exclusions"
        assert isinstance(screen.focused, Input)
        assert await after("tab") == "Limits"  # also out of a box
        assert await after("shift+tab", "shift+tab") == "Sources"
        assert await after("right_square_bracket") == "Exclusions"
        assert await after("ctrl+pagedown") == "Limits"
        assert await after("left_square_bracket") == "Exclusions"
        assert await after("ctrl+pagedown", "5") == "Privacy"
        await pilot.click(".section", offset=(1, 0))
        await at_rest(pilot)
        assert screen.section.title == "Sources"


async def test_lines_are_gone_through_as_in_vim_and_emacs_and_help_is_one_key(sample_place: Surroundings) -> None:
    async with only_settings(sample_place) as pilot:
        page = screen_of(pilot).page
        assert page.focused_key == "claude"
        for keys, there in (
            ("j", "codex"),
            ("k", "claude"),
            ("ctrl+n", "codex"),
            ("ctrl+p", "claude"),
            ("down", "codex"),
        ):
            await pilot.press(keys)
            assert page.focused_key == there
        await pilot.press("question_mark")
        await pilot.pause()
        assert isinstance(pilot.app.screen, HelpScreen)


@pytest.mark.parametrize("size", [(60, 20), (40, 12), (20, 8), (8, 4)])
async def test_the_line_with_the_focus_is_always_seen(sample_place: Surroundings, size: tuple[int, int]) -> None:
    async with only_settings(sample_place, "exclusions") as pilot:
        screen = screen_of(pilot)
        await pilot.resize_terminal(*size)
        for section in range(1, len(SECTIONS) + 1):
            await at_rest(pilot)
            first = screen.focused
            for _ in range(30):
                if screen.focused is None:
                    break
                seen = screen.page.region.intersection(screen.focused.region)
                assert seen.area, (screen.section.title, screen.page.focused_key)
                await pilot.press("down")
                if screen.focused is first:
                    break
            await screen.action_go_to(section % len(SECTIONS))


async def test_pages_and_edges_take_the_focus_along(sample_place: Surroundings) -> None:
    async with only_settings(sample_place, size=(60, 10)) as pilot:
        page = screen_of(pilot).page
        await focus(pilot, "missing")
        await pilot.press("enter")
        await at_rest(pilot)
        await pilot.press("g")
        await at_rest(pilot)
        assert page.focused_key == "claude"
        seen = [page.focused_key]
        for key in ("pagedown", "ctrl+v", "ctrl+f", "G"):
            await pilot.press(key)
            await at_rest(pilot)
            focused = pilot.app.screen.focused
            assert focused is not None
            assert page.region.intersection(focused.region).area
            seen.append(page.focused_key)
        assert len(set(seen)) == 5
        assert seen[-1] == "continue"
        for key in ("pageup", "alt+v", "home"):
            await pilot.press(key)
            await at_rest(pilot)
            assert page.focused_key not in seen[4:]
            seen.append(page.focused_key)
        assert seen[-1] == "claude"


async def test_what_was_skipped_is_one_key_away_and_leads_on_to_the_limits(sample_place: Surroundings) -> None:
    async with only_settings(sample_place) as pilot:
        await pilot.press("f3")
        await at_rest(pilot)
        assert isinstance(pilot.app.screen, SkipsScreen)
        await pilot.press("f2")
        await at_rest(pilot)
        assert screen_of(pilot).section.title == "Limits"


async def test_in_a_box_letters_and_digits_are_text(sample_place: Surroundings) -> None:
    async with only_settings(sample_place, "exclusions") as pilot:
        await pilot.press("x", "5", "j", "question_mark")
        box = screen_of(pilot).focused
        assert isinstance(box, Input)
        assert box.value == "x5j?"


async def test_a_click_on_the_box_ticks_and_one_beside_it_unfolds(place: Surroundings) -> None:
    async with only_settings(place) as pilot:
        tick = next(tick for tick in screen_of(pilot).query(Tick) if tick.name == "codex")
        await pilot.click(tick, offset=(20, 0))
        await at_rest(pilot)
        assert "▾ Codex" in shown(pilot)
        await pilot.click(tick, offset=(2, 0))
        await at_rest(pilot)
        assert isinstance(pilot.app.screen, QuestionScreen)
        await pilot.click("#no")
        await at_rest(pilot)
        assert place.config().source("codex").enabled


@pytest.mark.parametrize("key", ["escape", "f2"])
async def test_escape_and_the_key_that_opened_them_close_the_settings(sample_place: Surroundings, key: str) -> None:
    async with settings(sample_place) as pilot:
        await pilot.press(key)
        await at_rest(pilot)
        assert isinstance(pilot.app.screen, SearchScreen)


async def test_a_configuration_that_is_broken_meanwhile_is_told_and_kept(place: Surroundings) -> None:
    async with only_settings(place, "privacy") as pilot:
        broken = (place.folder / "config.toml").read_text() + "[limits\n"
        (place.folder / "config.toml").write_text(broken)
        await focus(pilot, "retention:forget")
        await pilot.press("space")
        await at_rest(pilot)
        assert "config.toml" in said(pilot)
        assert (place.folder / "config.toml").read_text() == broken


async def test_a_configuration_that_is_put_right_is_read_again(
    place: Surroundings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harkback.tui.settings_screen.GATHER_SECONDS", 0.01)
    config = place.folder / "config.toml"
    right = config.read_text()
    config.write_text(right + "[limits\n")
    async with only_settings_of(place) as pilot:
        assert "config.toml" in shown(pilot)
        await pilot.resize_terminal(118, 24)
        await at_rest(pilot)
        assert "config.toml" in shown(pilot)
        config.write_text(right)
        for _ in range(1_000):
            await pilot.pause(0.005)
            if screen_of(pilot).page.focused_key:
                break
        assert screen_of(pilot).page.focused_key == "claude"
        assert "May be read" in shown(pilot)


async def test_the_first_start_has_the_settings_too(sample_place: Surroundings, tmp_path: Path) -> None:
    place = replace(sample_place, folder=tmp_path / "fresh")
    app = HarkbackApp(place)
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await at_rest(pilot)
        assert isinstance(app.screen, WelcomeScreen)
        await pilot.press("f2")
        await at_rest(pilot)
        await pilot.press("2")
        await type_in(pilot, "new", "title:salary")
        await pilot.press("enter")
        await at_rest(pilot)
        await pilot.press("escape")
        await at_rest(pilot)
        assert isinstance(app.screen, WelcomeScreen)
        assert "1 rule of yours" in shown(pilot)
        assert not place.store.exists()
        assert all(tick.value for tick in app.screen._boxes())


# ---- indexing ----

HALF_WAY = Progress("Codex", 1_204, 6_310, 212_000_000, 424_000_000, 9_000, 14.0)


def test_the_bar_has_source_files_bytes_rate_and_time_left() -> None:
    line = str(status_line(Status(progress=HALF_WAY), 120))
    assert "indexing Codex 1,204 / 6,310 files · 212 MB · 15 MB/s · 0:14 left ▕███████       ▏ f5" in line
    assert "50%" in str(status_line(Status(progress=HALF_WAY), 40))


def test_the_menu_says_how_far_it_is() -> None:
    page = progress_page(HALF_WAY)
    assert "1,204 of 6,310 files, 9,000 turns" in page
    assert "212 MB of 424 MB · 15 MB/s · 0:14 left" in page


@pytest.mark.parametrize(("key", "stops"), [("escape", True), ("enter", False), ("f5", False)])
async def test_the_menu_stops_indexing_or_lets_it_go_on(sample_place: Surroundings, key: str, stops: bool) -> None:
    async with running(sample_place) as pilot:
        search = pilot.app.screen
        assert isinstance(search, SearchScreen)
        answered: asyncio.Future[bool | None] = asyncio.get_running_loop().create_future()
        pilot.app.push_screen(IndexingMenu(search.news, None), answered.set_result)
        await pilot.pause()
        search.news.publish(Working(HALF_WAY))
        await pilot.pause()
        assert "1,204 of 6,310 files" in shown(pilot)
        await pilot.press(key)
        assert await answered is stops


async def test_the_menu_closes_when_indexing_has_ended(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        search = pilot.app.screen
        assert isinstance(search, SearchScreen)
        pilot.app.push_screen(IndexingMenu(search.news, HALF_WAY))
        await pilot.pause()
        search.news.publish(Done(Report()))
        await pilot.pause()
        assert pilot.app.screen is search


async def test_indexing_that_was_stopped_goes_on_with_f5(place: Surroundings) -> None:
    async with running(place) as pilot:
        search = pilot.app.screen
        assert isinstance(search, SearchScreen)
        search._live.asked = True
        search._live.stop()
        await at_rest(pilot)
        assert "indexing is stopped: f5 goes on" in str(search._bar.render())
        turn = {"type": "user", "sessionId": "new", "message": {"role": "user", "content": "a brand-new okapi"}}
        (place.home / ".claude" / "projects" / "new.jsonl").write_text(json.dumps(turn) + "\n")
        await pilot.press("f5")
        await at_rest(pilot)
        assert "stopped" not in str(search._bar.render())
        assert "1 new session, 1 new turn." in said(pilot)
    (place.home / ".claude" / "projects" / "new.jsonl").unlink()


def test_the_end_of_a_pass_is_told_only_where_something_changed() -> None:
    before = (10, 100)
    assert changes(before, before) == []
    assert changes(before, (12, 131)) == ["2 new sessions, 31 new turns."]
    assert changes(before, (10, 101)) == ["1 new turn."]
    assert changes(before, (9, 96)) == ["1 session, 4 turns removed from the index."]
    assert changes(before, (11, 96)) == ["1 new session.", "4 turns removed from the index."]
    assert changes((0, 0), (3, 9)) == ["9 turns of 3 sessions can be found now."]


async def test_figures_follow_the_indexing_that_goes_on(place: Surroundings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harkback.tui.settings_screen.GATHER_SECONDS", 0.0)
    async with settings(place) as pilot:
        screen, search = screen_of(pilot), pilot.app.screen_stack[-2]
        assert isinstance(search, SearchScreen)
        screen.facts = None
        search.news.publish(Working(HALF_WAY))
        await at_rest(pilot)
        assert screen.facts is not None
        assert "indexing Codex 1,204 / 6,310 files" in shown(pilot)
        search.news.publish(Done(Report(finished=False)))
        await at_rest(pilot)
        assert "indexing is stopped: f5 goes on" in shown(pilot)
        search.news.publish(Done(Report()))
        await at_rest(pilot)
        assert "stopped" not in shown(pilot)
