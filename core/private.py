"""Files and folders of ours that nobody but their owner may look into."""

from __future__ import annotations

import os
from pathlib import Path


class Unwritten(Exception):
    """A file could not be written; the message says which, why, and what was kept."""


def write_private(path: Path, text: str) -> None:
    """Replace a file of ours in one step, readable by its owner alone; a link to it stays one. Raises Unwritten."""
    try:
        data = text.encode()
        make_private(path.parent)
        target = path.resolve()
        new = target.with_name(target.name + ".new")
        new.unlink(missing_ok=True)
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.replace(target)
    except (OSError, UnicodeEncodeError) as error:
        raise Unwritten(f"{path} can't be written: {error}; nothing was changed") from error


def make_private(folder: Path) -> None:
    """Make a folder, and those above it that are missing, that only its owner may enter. Raises OSError."""
    if not folder.is_dir():
        make_private(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
        folder.chmod(0o700)
