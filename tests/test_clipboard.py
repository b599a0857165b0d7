"""Copying: which commands get the text, and what is claimed afterwards."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from harkback.tui import clipboard
from harkback.tui.clipboard import copy

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the fake commands are shell scripts")

Install = Callable[..., None]
OSC = "Sent to your terminal (OSC 52)"


class Screen:
    """A terminal that keeps what it was sent."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def copy_to_clipboard(self, text: str) -> None:
        self.sent.append(text)


class ClosedScreen:
    def copy_to_clipboard(self, text: str) -> None:
        raise RuntimeError("no driver")


@pytest.fixture
def bin_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    return folder


@pytest.fixture
def install(bin_folder: Path) -> Install:
    """Put a command on the PATH that records its arguments and its input, then runs `ending`."""

    def put(name: str, ending: str = "exit 0") -> None:
        script = bin_folder / name
        recorded = bin_folder / f"{name}.got"
        script.write_text(f'#!/bin/sh\n{{ echo "$*"; /bin/cat; }} > "{recorded}"\n{ending}\n')
        script.chmod(0o755)

    return put


def got(bin_folder: Path, name: str) -> str | None:
    recorded = bin_folder / f"{name}.got"
    return recorded.read_text() if recorded.exists() else None


def run(folder: Path, screen: Screen | None = None, platform: str = "linux", text: str = "héllo", **more: str) -> str:
    return copy(text, screen, environ={"PATH": str(folder), **more}, platform=platform)


def test_tmux_loads_its_buffer_and_passes_it_on(bin_folder: Path, install: Install) -> None:
    install("tmux")
    screen = Screen()
    assert run(bin_folder, screen, TMUX="/run/tmux,1,0") == "Copied with tmux"
    assert got(bin_folder, "tmux") == "load-buffer -w -\nhéllo"
    assert screen.sent == []


def test_tmux_that_keeps_its_buffer_to_itself_is_told(bin_folder: Path, install: Install) -> None:
    install("tmux", 'case "$1" in show-options) echo off;; esac')
    said = run(bin_folder, Screen(), TMUX="x")
    assert said == "Copied with tmux (for its own paste alone: set-clipboard is off)"


def test_a_terminal_without_a_clipboard_is_sent_nothing(bin_folder: Path) -> None:
    screen = Screen()
    for terminal in ("linux", "dumb"):
        assert run(bin_folder, screen, TERM=terminal).startswith("Not copied")
    assert screen.sent == []
    assert run(bin_folder, screen, TERM="xterm-256color") == OSC


def test_doubts_about_what_is_sent_are_told(bin_folder: Path) -> None:
    assert run(bin_folder, Screen(), text="é" * 37_497) == OSC
    assert "some take no more than 74 kB" in run(bin_folder, Screen(), text="é" * 37_498)
    assert "GNU screen does not pass it on" in run(bin_folder, Screen(), STY="1.pts")


def test_termux_has_a_command_of_its_own(bin_folder: Path, install: Install) -> None:
    install("termux-clipboard-set")
    assert run(bin_folder, TERMUX_VERSION="0.118") == "Copied with termux-clipboard-set"


def test_outside_tmux_its_buffer_is_left_alone(bin_folder: Path, install: Install) -> None:
    install("tmux")
    assert run(bin_folder, Screen()) == OSC
    assert got(bin_folder, "tmux") is None


def test_tmux_on_a_desktop_sets_the_desktops_clipboard_too(bin_folder: Path, install: Install) -> None:
    install("tmux")
    install("xclip")
    assert run(bin_folder, Screen(), TMUX="x", DISPLAY=":0") == "Copied with tmux and xclip"


def test_wayland_is_asked_before_x11(bin_folder: Path, install: Install) -> None:
    install("wl-copy")
    install("xclip")
    assert run(bin_folder, Screen(), WAYLAND_DISPLAY="wayland-0", DISPLAY=":0") == "Copied with wl-copy"
    assert got(bin_folder, "wl-copy") == "\nhéllo"
    assert got(bin_folder, "xclip") is None


def test_a_command_that_fails_gives_way_to_the_next(bin_folder: Path, install: Install) -> None:
    install("wl-copy", "exit 1")
    install("xclip", "exit 1")
    install("xsel")
    assert run(bin_folder, Screen(), WAYLAND_DISPLAY="wayland-0", DISPLAY=":0") == "Copied with xsel"
    assert got(bin_folder, "xsel") == "--clipboard --input\nhéllo"


def test_without_a_display_its_commands_are_not_tried(bin_folder: Path, install: Install) -> None:
    install("xclip")
    assert run(bin_folder, Screen()) == OSC
    assert got(bin_folder, "xclip") is None


def test_over_ssh_the_terminal_gets_the_text_too(bin_folder: Path, install: Install) -> None:
    install("tmux")
    screen = Screen()
    said = run(bin_folder, screen, TMUX="x", SSH_CONNECTION="1.2.3.4 5 6.7.8.9 22")
    assert said == "Copied with tmux, and sent to your terminal (OSC 52)"
    assert screen.sent == ["héllo"]


def test_a_mac_in_tmux_uses_its_own_clipboard(bin_folder: Path, install: Install) -> None:
    install("tmux")
    install("pbcopy")
    assert run(bin_folder, Screen(), platform="darwin", TMUX="x") == "Copied with pbcopy"
    assert got(bin_folder, "tmux") is None


def test_windows_reads_utf16(bin_folder: Path, install: Install) -> None:
    install("clip")
    assert run(bin_folder, Screen(), platform="win32") == "Copied with clip"
    assert (bin_folder / "clip.got").read_bytes() == b"\n" + "héllo".encode("utf-16-le")


def test_a_linux_within_windows_reaches_the_windows_clipboard(bin_folder: Path, install: Install) -> None:
    install("clip.exe")
    assert run(bin_folder, WSL_DISTRO_NAME="Debian") == "Copied with clip.exe"


def test_nothing_is_claimed_where_nothing_worked(bin_folder: Path) -> None:
    assert run(bin_folder) == "Not copied: nothing reached a clipboard"
    assert copy("x", ClosedScreen(), environ={}, platform="linux") == "Not copied: nothing reached a clipboard"


def test_a_command_that_hangs_is_stopped(bin_folder: Path, install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clipboard, "SECONDS", 0.2)
    install("xclip", "exec /bin/sleep 60")
    assert run(bin_folder, Screen(), DISPLAY=":0") == OSC


def test_text_that_cannot_be_encoded_is_copied_with_a_mark_in_its_place(bin_folder: Path, install: Install) -> None:
    install("xclip")
    assert run(bin_folder, DISPLAY=":0", text="a\ud83db") == "Copied with xclip"
    assert got(bin_folder, "xclip") == "-selection clipboard\na\ufffdb"


def test_what_cannot_be_run_is_passed_over(bin_folder: Path) -> None:
    (bin_folder / "xclip").write_bytes(b"\x00\x01 not a program")
    (bin_folder / "xclip").chmod(0o755)
    assert run(bin_folder, Screen(), DISPLAY=":0") == OSC
    assert os.access(bin_folder / "xclip", os.X_OK)
