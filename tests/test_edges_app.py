"""The app on a real terminal, over sessions whose every field is hostile: the terminal is sent what Textual sends for
harmless ones, and letters. And when the app fails, nothing of a conversation is on the screen."""

from __future__ import annotations

import base64
import re
import sys
from pathlib import Path

import pytest
from command_line import CommandLine
from harkback.core.clean import clean
from harkback.tui.clipboard import copy
from harkback.tui.prompt_files import save, write_prompt
from harkback.tui.surroundings import Surroundings
from hostile import OWN, assert_harmless, vectors
from hypothesis import given
from hypothesis import strategies as st
from terminal import Terminal, kind_of, sequences, without_sequences
from test_app import running
from test_edges import file_name, planted, poison, store_of

DOWN, UP, ENTER, ESCAPE, TAB, END = "\x1b[B", "\x1b[A", "\r", "\x1b", "\t", "\x1b[F"
F1, F2, F3, F4 = "\x1bOP", "\x1bOQ", "\x1bOR", "\x1bOS"
QUIT, SCOPE = "\x11", "\x12"
POINTER = "\x1b]22;default\x07"
"""Textual's own, for the shape of the pointer."""
COPIED = re.compile(r"\x1b\]52;c;([A-Za-z0-9+/=]*)(?:\x07|\x1b\\)")


def home_of(place: Path, texts: list[str]) -> CommandLine:
    """A home with an index of sessions in whose every field such a text stands, and files of such names."""
    home = CommandLine(place / "home")
    engine = store_of(home)
    for number, text in enumerate(text.encode("utf-8", "replace").decode() for text in texts):
        engine.write(f"{number} {file_name(text)}", *planted(f"{number} {text}", text))
        engine.write(f"broken {number} {file_name(text)}", ["fail", text])
    engine.run()
    return home


def looked_through(home: CommandLine, size: tuple[int, int]) -> str:
    """What the terminal is sent while someone looks at everything there is."""
    with Terminal([home.program], home.environ, size) as terminal:
        terminal.until("zebra")
        terminal.press("zebra", DOWN * 4, ENTER, "nnn", "y", "a" + END, " ", "b", ESCAPE, ESCAPE)
        terminal.press(F3)
        terminal.until("what was skipped")
        terminal.press(DOWN * 3 + ENTER, ESCAPE, F2)
        terminal.until("Exclusions")
        terminal.press(DOWN + TAB + DOWN, ESCAPE, QUIT)
        assert terminal.end() == 0, without_sequences(terminal.shown)[-2_000:]
        return terminal.shown


@pytest.fixture(scope="module")
def harmless(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What is sent for as many sessions that say nothing special."""
    home = home_of(tmp_path_factory.mktemp("harmless"), ["text"] * len(vectors()))
    return looked_through(home, (140, 40))


@pytest.mark.parametrize("size", [(140, 40), (60, 30)], ids=str)
def test_the_terminal_is_sent_nothing_hostile(tmp_path: Path, harmless: str, size: tuple[int, int]) -> None:
    assert_nothing_got_out(looked_through(home_of(tmp_path, vectors()), size), harmless)


def test_nor_what_got_into_the_index_as_it_is(tmp_path: Path, harmless: str) -> None:
    home = CommandLine(tmp_path / "home")
    poison(home)
    assert_nothing_got_out(looked_through(home, (140, 40)), harmless)


def assert_nothing_got_out(hostile: str, harmless: str) -> None:
    usual = {kind_of(each) for each in sequences(harmless) if not COPIED.fullmatch(each)}
    new = {kind_of(each) for each in sequences(hostile) if not COPIED.fullmatch(each)} - usual
    assert not new
    assert {each for each in usual if each.startswith("\x1b]")} <= {POINTER}, "neither title, links nor the like"
    letters = without_sequences(hostile).replace("\r\n", "\n").replace("\r", "\n")
    assert "zebra" in letters
    assert_harmless(letters)
    for copied in COPIED.findall(hostile):
        text = base64.b64decode(copied).decode()
        assert_harmless(text)
        assert "zebra" in text, "what was copied is what stands there"
    assert len(COPIED.findall(hostile)) == len(COPIED.findall(harmless)) == 1


CRASH = """
import sys
from harkback.tui import app, search_screen

def fail(self, *_):
    secret_local = "what was said about the quagga"
    raise RuntimeError(f"it says: {secret_local}")

setattr(search_screen.SearchScreen, sys.argv.pop(1), fail)
from harkback.tui.cli import main
main()
"""


@pytest.mark.parametrize("where", ["on_mount", "action_scope"])
def test_when_the_app_fails_nothing_of_a_conversation_is_shown(tmp_path: Path, where: str) -> None:
    home = home_of(tmp_path, ["text"])
    with Terminal([sys.executable, "-c", CRASH, where], home.environ, (120, 40)) as terminal:
        if where == "action_scope":
            terminal.until("zebra")
            terminal.press(SCOPE)
        assert terminal.end() != 0
        shown = terminal.shown.rpartition("\x1b[?1049l")[2]
        assert "harkback: the app failed (RuntimeError)" in shown
        assert "in fail" in shown
        assert "quagga" not in terminal.shown
        assert "locals" not in terminal.shown
        assert "zebra" not in shown


async def test_a_notification_is_harmless_whatever_it_quotes(sample_place: Surroundings) -> None:
    async with running(sample_place) as pilot:
        for hostile in OWN[::5]:
            pilot.app.screen.notify(f"could not: {hostile}", title=hostile, markup=False)
            await pilot.pause()
            assert [(each.message, each.title) for each in pilot.app._notifications] == [
                (clean(f"could not: {hostile}"), clean(hostile))
            ], ascii(hostile)
            pilot.app.clear_notifications()


@given(text=st.sampled_from(OWN) | st.text(max_size=60))
def test_what_is_copied_or_written_to_a_file_is_harmless(tmp_path: Path, text: str) -> None:
    class Screen:
        copied = ""

        def copy_to_clipboard(self, text: str) -> None:
            self.copied = text

    screen = Screen()
    copy(text, screen, environ={"PATH": ""})
    assert_harmless(screen.copied)
    path = write_prompt(tmp_path, text, "prompt.md")
    assert_harmless(path.read_bytes())
    save(path, text, replace=True)
    assert_harmless(path.read_bytes())
