"""A prompt as a file: where the person wants it, in their editor, or in harkback's own folder for an agent."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from ..core.basket import PROMPTS
from ..core.clean import clean
from ..core.pack import Style
from ..core.private import make_private

KEPT_SECONDS = 24 * 3600
"""So long a prompt in our own folder waits for its agent: it is text outside the index, which nothing else removes."""
ENDINGS: Mapping[Style, str] = {"quoted": ".md", "fenced": ".md", "plain": ".txt", "json": ".json"}


class NotEdited(Exception):
    """The editor could not be run, or did not end well; the message says why."""


def save(path: Path, text: str, *, replace: bool = False) -> None:
    """Write a prompt that only its owner may read, whole or not at all. Raises OSError.

    Without `replace` that is FileExistsError where something is there.
    What is there and is no file, such as a pipe that another program reads from, is written to as it is.
    """
    content = clean(text).encode()
    if replace and path.exists() and not path.is_file():
        _write(os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0)), content)  # which waits for no reader
        return
    place = Path(os.path.realpath(path)) if replace else path
    new = place
    if replace:
        new = place.with_name(f".harkback-{os.getpid()}")
        new.unlink(missing_ok=True)
    opened = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        _write(opened, content)
        new.replace(place)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def _write(opened: int, content: bytes) -> None:
    with os.fdopen(opened, "wb") as file:
        file.write(content)


def write_prompt(folder: Path, text: str, name: str) -> Path:
    """Write a prompt into harkback's `folder`. Raises OSError."""
    place = folder / PROMPTS
    make_private(place)
    path = place / name
    path.unlink(missing_ok=True)
    save(path, text)
    return path


def drop_old_prompts(folder: Path) -> None:
    """Remove the prompts in harkback's `folder` that no agent waits for any more, as far as that can be done."""
    for old in (folder / PROMPTS).glob("*"):
        with suppress(OSError):
            if time.time() - old.stat().st_mtime > KEPT_SECONDS:
                old.unlink()


def edited(folder: Path, text: str, environ: Mapping[str, str], ending: str = ".md") -> str:
    """What the person makes of a text in `$VISUAL` or `$EDITOR`; blocks until that ends. Raises NotEdited."""
    editor = environ.get("VISUAL") or environ.get("EDITOR") or "vi"
    path: Path | None = None
    try:
        command = shlex.split(editor)
        path = write_prompt(folder, text, f"edit-{os.getpid()}{ending}")
        done = subprocess.run([*command, str(path)], env=dict(environ), check=False)
        if done.returncode:
            raise NotEdited(f"{command[0]} ended with {done.returncode}, so nothing was taken over.")
        if not path.exists():
            raise NotEdited(f"{command[0]} left no file, so nothing was taken over.")
        return path.read_text("utf-8", "replace")
    except (OSError, ValueError, IndexError) as error:
        raise NotEdited(f"{editor} can't be run ({error}); set $EDITOR, or w writes the prompt to a file.") from error
    finally:
        if path:
            path.unlink(missing_ok=True)
