"""Paths are completed as they are typed, and nothing that is typed breaks that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harkback.tui.path_input import PathInput, completed
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.widgets import Input


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name in ("backup/projects", "backup/.hidden", "更多会话", "zebra"):
        (tmp_path / "me" / name).mkdir(parents=True)
    (tmp_path / "me" / "another.jsonl").touch()
    (tmp_path / "me" / "a\x1b[31mred").mkdir()
    return tmp_path / "me"


@pytest.mark.parametrize(
    ("typed", "whole"),
    [
        ("~", "~/"),
        ("~/b", "~/backup/"),
        ("~/backup/", "~/backup/projects/"),
        ("~/backup/.h", "~/backup/.hidden/"),
        ("~/更", "~/更多会话/"),
        ("~/an", "~/another.jsonl"),
        ("~/another.jsonl", None),
        ("~/a", "~/another.jsonl"),  # a name that would colour the terminal is not offered
        ("~/nothing", None),
        ("~/nothing/", None),
        ("b", None),
        ("", None),
    ],
)
def test_a_name_is_completed_folders_first_and_hidden_ones_only_when_asked_for(
    home: Path, typed: str, whole: str | None
) -> None:
    assert completed(typed, str(home)) == whole


def test_a_path_in_full_is_completed_too(home: Path) -> None:
    assert completed(f"{home}/z", "/nobody") == f"{home}/zebra/"


@settings(max_examples=50)
@given(st.text(max_size=40))
def test_no_text_breaks_it_and_what_is_typed_stays(typed: str) -> None:
    found = completed(typed, "/")
    assert found is None or found.startswith(typed)


class _Box(App[None]):
    def __init__(self, home: Path) -> None:
        super().__init__()
        self._home = home

    def compose(self) -> ComposeResult:
        yield PathInput(str(self._home))
        yield Input(id="next")


async def _until(pilot: Any, suggestion: str) -> None:
    """Wait for the disk to be looked at."""
    for _ in range(2_000):
        await pilot.pause(0.001)
        if pilot.app.query_one(PathInput)._suggestion == suggestion:
            return
    raise AssertionError(f"{suggestion} was never suggested")


async def test_tab_takes_what_is_suggested_and_else_goes_on(home: Path) -> None:
    async with _Box(home).run_test() as pilot:
        box = pilot.app.query_one(PathInput)
        box.focus()
        box.value = "~/ba"
        await _until(pilot, "~/backup/")
        await pilot.press("tab")
        assert (box.value, box.cursor_position) == ("~/backup/", 9)
        box.value = "~/nothing"
        await pilot.pause()
        await pilot.press("tab")
        assert pilot.app.focused is pilot.app.query_one("#next")
