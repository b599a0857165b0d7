"""f3: what was skipped or left out, as a person reads it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from conftest import NOW
from harkback.core import config as configuration
from harkback.core.reasons import REASONS, reason
from harkback.core.skipped import (
    ExcludedFiles,
    FailedSource,
    GoneSessions,
    LeftOut,
    Skipped,
    SkippedRecords,
    UnlistedFolder,
    UnreadableFile,
)
from harkback.tui import demo
from harkback.tui.settings_screen import SettingsScreen
from harkback.tui.skips_page import skips_page
from harkback.tui.skips_screen import SkipsScreen
from harkback.tui.surroundings import Surroundings
from ready_place import ReadySurroundings
from test_app import SIZES, ask, running, search_screen, settled, status
from textual.pilot import Pilot

TITLES = {"claude": "Claude Code", "codex": "Codex"}


def text(found: Skipped) -> str:
    return "\n".join(each.text for each in skips_page(found, TITLES, "/home/me"))


# ---- the page ----


def test_an_empty_page_says_that_nothing_was_skipped() -> None:
    assert text(Skipped()).startswith("Nothing was skipped.")


def test_a_limit_is_named_with_the_line_that_widens_it() -> None:
    page = text(Skipped(left_out=(LeftOut("claude", "window", 208), LeftOut("codex", "per_file", 1))))
    assert "208 sessions of Claude Code: older than the window of days" in page
    assert "harkback config set limits.window_days 0" in page
    assert "1 session of Codex" in page
    assert "f2, “everything”" in page
    assert "f2" not in text(Skipped(left_out=(LeftOut("codex", "per_file", 1),)))


def test_a_limit_that_leaves_out_of_many_sources_is_named_once() -> None:
    page = text(Skipped(left_out=(LeftOut("claude", "window", 208), LeftOut("codex", "window", 3))))
    assert "211 sessions of 2 sources: older than the window of days" in page
    assert "208 of Claude Code, 3 of Codex" in page
    assert page.count("widen it") == 1


def test_unreadable_files_stand_under_their_reason_with_what_can_be_done() -> None:
    files = tuple(UnreadableFile("claude", f"/home/me/{name}.jsonl", "no-permission", 0) for name in "ab")
    page = text(Skipped(files=files, files_in_all=2))
    assert page.count(REASONS["no-permission"].sentence) == 1
    assert page.count(REASONS["no-permission"].remedy) == 1
    assert "~/a.jsonl\n~/b.jsonl" in page
    assert "The first" not in page
    assert "The first 200 of 4,711 unreadable files" in text(Skipped(files=files, files_in_all=4711))


def test_every_part_of_the_report_is_on_the_page() -> None:
    page = text(
        Skipped(
            failed=(FailedSource("codex", "OSError"),),
            excluded=(ExcludedFiles("codex", "excluded", 2, "/home/me/secret.jsonl"),),
            folders=(UnlistedFolder("claude", "unreadable-folder", 3, "/home/me/x"),),
            records=(SkippedRecords("claude", "not-json", 12, 3, "/home/me/y.jsonl", "byte 4711"),),
            gone=(GoneSessions("claude", 4),),
        )
    )
    for part in (
        "Codex: the last run failed (OSError)",
        "3 places of Claude Code: the folder can't be listed",
        "~/x",
        "12 in 3 files of Claude Code: a line that is not JSON",
        f"2 files of Codex: {reason('excluded').sentence}",
        "such as ~/secret.jsonl",
        "such as byte 4711 in ~/y.jsonl",
        "4 sessions of Claude Code; harkback keeps their text",
    ):
        assert part in page


def test_a_place_that_was_forgotten_is_no_example() -> None:
    page = text(Skipped(records=(SkippedRecords("claude", "forgotten", 2, 1, "/home/me/y.jsonl", ""),)))
    assert "such as" not in page
    assert "~/y.jsonl" in page


@pytest.mark.parametrize("slug", REASONS)
def test_every_reason_has_its_words_on_the_page(slug: str) -> None:
    record = SkippedRecords("claude", slug, 1, 1, "/y", "byte 0")
    assert REASONS[slug].sentence in text(Skipped(records=(record,)))
    assert REASONS[slug].remedy in text(Skipped(records=(record,)))


# ---- the screen ----


@pytest.fixture(scope="module")
def faulty_place(tmp_path_factory: pytest.TempPathFactory) -> Surroundings:
    """The samples with something of everything wrong: a file broken, one odd, one gone, and the older ones left out."""
    home = tmp_path_factory.mktemp("faulty")
    demo.write_home(home, NOW.replace(tzinfo=UTC))
    place = replace(ReadySurroundings.of(demo.surroundings(home)), now=lambda: NOW, working_folder=home / "src" / "web")
    configuration.change(place.folder, {"limits.turns_per_source": 30})
    folder = home / ".claude" / "projects" / "-src-web"
    folder.mkdir()
    (folder / "broken.jsonl").write_bytes(b"this is no JSON\n" * 1_000)
    session = {"type": "user", "sessionId": "gone", "message": {"role": "user", "content": "where are you now?"}}
    (folder / "gone.jsonl").write_text(json.dumps(session) + "\n")
    odd = json.dumps(session) + "\nthis is no JSON\nneither is this\n" + json.dumps({"type": "something-new"}) + "\n"
    (folder / "odd.jsonl").write_text(odd)
    place.reconcile()
    (folder / "gone.jsonl").unlink()
    place.reconcile()
    return place


@pytest.mark.parametrize("size", SIZES)
class TestScreens:
    """What is seen, to the letter."""

    async def test_what_was_skipped(
        self, faulty_place: Surroundings, size: tuple[int, int], compare_screen: Callable[[Any, str], None]
    ) -> None:
        async with running(faulty_place, size) as pilot:
            await open_skips(pilot)
            compare_screen(pilot.app, f"skips-{size[0]}x{size[1]}")

    async def test_nothing_was_skipped(
        self, sample_place: Surroundings, size: tuple[int, int], compare_screen: Callable[[Any, str], None]
    ) -> None:
        async with running(sample_place, size) as pilot:
            await open_skips(pilot)
            compare_screen(pilot.app, f"skips-nothing-{size[0]}x{size[1]}")


async def open_skips(pilot: Pilot[Any]) -> None:
    await pilot.press("f3")
    await settled(pilot)
    assert isinstance(pilot.app.screen, SkipsScreen)


def shown_keys(pilot: Pilot[Any]) -> set[str]:
    """The keys in the bottom line."""
    return {each.binding.key for each in pilot.app.screen.active_bindings.values() if each.binding.show}


@pytest.mark.parametrize("key", ["escape", "f3", "q"])
async def test_it_closes_and_the_search_is_as_it_was(faulty_place: Surroundings, key: str) -> None:
    async with running(faulty_place) as pilot:
        screen = search_screen(pilot)
        await ask(pilot, "clipboard")
        await open_skips(pilot)
        await pilot.press(key)
        await settled(pilot)
        assert pilot.app.screen is screen
        assert screen.query_input.value == "clipboard"


async def test_the_way_to_wider_limits_is_one_key(faulty_place: Surroundings) -> None:
    async with running(faulty_place) as pilot:
        await open_skips(pilot)
        await pilot.press("f2")
        await settled(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, SettingsScreen)
        assert screen.section.title == "Limits"


async def test_the_bottom_line_has_the_key_when_there_is_something_to_tell(
    faulty_place: Surroundings, sample_place: Surroundings
) -> None:
    async with running(faulty_place) as pilot:
        assert "f3" in shown_keys(pilot)
        assert "left out (f3)" in status(pilot)
    async with running(sample_place) as pilot:
        assert "f3" not in shown_keys(pilot)
        assert "left out" not in status(pilot)


async def test_another_key_may_be_chosen_for_it(faulty_place: Surroundings, tmp_path: Path) -> None:
    other = replace(faulty_place, folder=tmp_path / "other")
    other.folder.mkdir()
    (other.folder / "config.toml").write_text('[sources.claude]\nenabled = true\n[keys]\nskips = "f7"\n')
    other.reconcile()
    async with running(other) as pilot:
        await pilot.press("f3")
        await settled(pilot)
        assert not isinstance(pilot.app.screen, SkipsScreen)
        for _ in range(2):  # it opens, and closes again
            await pilot.press("f7")
            await settled(pilot)
        await pilot.press("f7")
        await settled(pilot)
        assert isinstance(pilot.app.screen, SkipsScreen)


async def test_an_index_that_is_not_there_yet_has_skipped_nothing(sample_place: Surroundings, tmp_path: Path) -> None:
    place = replace(sample_place, folder=tmp_path / "fresh", home=tmp_path / "nobody")
    place.folder.mkdir()
    (place.folder / "config.toml").write_text("[sources.claude]\nenabled = true\n")
    async with running(place) as pilot:
        await open_skips(pilot)
        assert "Nothing was skipped" in str(pilot.app.screen.query("Static").first().render())


async def test_an_index_that_cannot_be_read_is_told_and_not_fatal(sample_place: Surroundings, tmp_path: Path) -> None:
    broken = replace(sample_place, folder=tmp_path / "broken")
    broken.folder.mkdir()
    broken.store.path.write_bytes(b"this is no database at all" * 1000)
    async with running(sample_place) as pilot:
        pilot.app.push_screen(SkipsScreen(broken))
        await settled(pilot)
        assert "can't be asked" in str(pilot.app.screen.query("Static").first().render())
