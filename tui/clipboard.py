"""Copying to the clipboard by every way that may reach it, and saying only what is known to have happened."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from ..core.clean import clean

SECONDS = 2.0
"""How long a clipboard command may take; it is stopped then."""
MOST_SENT = 74_994
"""Bytes that every terminal takes that knows OSC 52 at all: 100,000 in base64, as hterm and xterm's peers have it."""
FAILED = "Not copied: nothing reached a clipboard"
DEAF = frozenset(("linux", "dumb"))
"""Terminals, by `TERM`, that have no clipboard."""


class Terminal(Protocol):
    """What can write the clipboard sequence OSC 52: a Textual app."""

    def copy_to_clipboard(self, text: str) -> None: ...


class _Command(NamedTuple):
    arguments: tuple[str, ...]
    encoding: str = "utf-8"


_TMUX = _Command(("tmux", "load-buffer", "-w", "-"))


def copy(
    text: str,
    app: Terminal | None = None,
    *,
    environ: Mapping[str, str] = os.environ,
    platform: str = sys.platform,
) -> str:
    """Copy `text` and describe the way it went in one sentence; never raises.

    Blocks while the commands run, each for at most `SECONDS`. `app` sends the text to the terminal too where the
    session is remote or no command worked. `environ` says where commands are; `platform` is spelt as in `sys.platform`.
    """
    text = clean(text)  # half a surrogate pair goes as well, which no clipboard can hold
    used: list[str] = []
    if "TMUX" in environ and platform != "darwin":
        used += _to_tmux(text, environ)
    for command in _local(environ, platform):
        if _run(command, text, environ):
            used.append(command.arguments[0])
            break
    # On a Mac, tmux is the way only where pbcopy is not: its buffer may never leave tmux there.
    if "TMUX" in environ and platform == "darwin" and not used:
        used += _to_tmux(text, environ)
    wanted = (not used or "SSH_CONNECTION" in environ) and environ.get("TERM") not in DEAF
    sent = wanted and app is not None and _send(app, text)
    if used and sent:
        return f"Copied with {' and '.join(used)}, and sent to your terminal ({_how_sent(text, environ)})"
    if used:
        return f"Copied with {' and '.join(used)}"
    return f"Sent to your terminal ({_how_sent(text, environ)})" if sent else FAILED


def _how_sent(text: str, environ: Mapping[str, str]) -> str:
    """The way to the terminal, with what may be in it: it never says whether a text has arrived."""
    doubts = ["OSC 52"]
    if len(text.encode()) > MOST_SENT:
        doubts.append(f"some take no more than {MOST_SENT // 1000} kB")
    if "STY" in environ:
        doubts.append("GNU screen does not pass it on")
    return "; ".join(doubts)


def _to_tmux(text: str, environ: Mapping[str, str]) -> list[str]:
    """How it was given to tmux, if it was."""
    off = _said(("tmux", "show-options", "-gsv", "set-clipboard"), environ) == "off"
    if not _run(_TMUX, text, environ):
        return []
    return ["tmux (for its own paste alone: set-clipboard is off)" if off else "tmux"]


def _local(environ: Mapping[str, str], platform: str) -> Iterator[_Command]:
    """The commands that set the clipboard of the machine we run on, best first."""
    if platform == "darwin":
        yield _Command(("pbcopy",))
    elif platform in ("win32", "cygwin"):
        yield _Command(("clip",), "utf-16-le")
    else:
        if "WAYLAND_DISPLAY" in environ:
            yield _Command(("wl-copy",))
        if "TERMUX_VERSION" in environ:
            yield _Command(("termux-clipboard-set",))
        if "DISPLAY" in environ:
            yield _Command(("xclip", "-selection", "clipboard"))
            yield _Command(("xsel", "--clipboard", "--input"))
        if "WSL_DISTRO_NAME" in environ:
            yield _Command(("clip.exe",), "utf-16-le")


def _run(command: _Command, text: str, environ: Mapping[str, str]) -> bool:
    return _start(command.arguments, environ, text.encode(command.encoding)) is not None


def _said(arguments: Sequence[str], environ: Mapping[str, str]) -> str:
    """What a command answers; empty where it fails."""
    return (_start(arguments, environ, b"", answers=True) or b"").decode("utf-8", "replace").strip()


def _start(
    arguments: Sequence[str], environ: Mapping[str, str], given: bytes, *, answers: bool = False
) -> bytes | None:
    """Run a command to its end; what it `answers`, else nothing, and None where it fails."""
    name, *rest = arguments
    found = shutil.which(name, path=environ.get("PATH", os.defpath))
    if found is None:
        return None
    try:
        done = subprocess.run(
            [found, *rest],
            input=given,
            # The clipboard programs of X and Wayland stay behind as its owner: they must not hold a pipe of ours.
            stdout=subprocess.PIPE if answers else subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=dict(environ),
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return (done.stdout or b"") if done.returncode == 0 else None


def _send(app: Terminal, text: str) -> bool:
    try:
        app.copy_to_clipboard(text)
    except Exception:  # whatever the terminal's driver raises, the text is not there
        return False
    return True
