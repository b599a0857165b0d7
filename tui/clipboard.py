"""Copying to the clipboard by every way that may reach it, and saying only what is known to have happened."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from typing import NamedTuple, Protocol

from ..core.clean import clean

SECONDS = 2.0
"""How long a clipboard command may take; it is stopped then."""


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
    if "TMUX" in environ and platform != "darwin" and _run(_TMUX, text, environ):
        used.append("tmux")
    for command in _local(environ, platform):
        if _run(command, text, environ):
            used.append(command.arguments[0])
            break
    # On a Mac, tmux is the way only where pbcopy is not: its buffer may never leave tmux there.
    if "TMUX" in environ and platform == "darwin" and not used and _run(_TMUX, text, environ):
        used.append("tmux")
    sent = (not used or "SSH_CONNECTION" in environ) and app is not None and _send(app, text)
    if used and sent:
        return f"Copied with {' and '.join(used)}, and sent to your terminal (OSC 52)"
    if used:
        return f"Copied with {' and '.join(used)}"
    return "Sent to your terminal (OSC 52)" if sent else "Not copied: nothing reached a clipboard"


def _local(environ: Mapping[str, str], platform: str) -> Iterator[_Command]:
    """The commands that set the clipboard of the machine we run on, best first."""
    if platform == "darwin":
        yield _Command(("pbcopy",))
    elif platform in ("win32", "cygwin"):
        yield _Command(("clip",), "utf-16-le")
    else:
        if "WAYLAND_DISPLAY" in environ:
            yield _Command(("wl-copy",))
        if "DISPLAY" in environ:
            yield _Command(("xclip", "-selection", "clipboard"))
            yield _Command(("xsel", "--clipboard", "--input"))
        if "WSL_DISTRO_NAME" in environ:
            yield _Command(("clip.exe",), "utf-16-le")


def _run(command: _Command, text: str, environ: Mapping[str, str]) -> bool:
    name, *arguments = command.arguments
    found = shutil.which(name, path=environ.get("PATH", os.defpath))
    if found is None:
        return False
    try:
        # The clipboard programs of X and Wayland stay behind as its owner: they must not hold a pipe of ours.
        done = subprocess.run(
            [found, *arguments],
            input=text.encode(command.encoding),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=dict(environ),
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError, ValueError):
        return False
    return done.returncode == 0


def _send(app: Terminal, text: str) -> bool:
    try:
        app.copy_to_clipboard(text)
    except Exception:  # whatever the terminal's driver raises, the text is not there
        return False
    return True
