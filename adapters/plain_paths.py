"""Whether a path is a plain file or folder: no link, and no error where nobody may look."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def is_plain_file(path: Path) -> bool:
    return stat.S_ISREG(_mode(path))


def is_plain_folder(path: Path) -> bool:
    return stat.S_ISDIR(_mode(path))


def folders_in(folder: Path) -> list[Path]:
    """The plain folders right below one, in order; none where it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False))
    except (OSError, ValueError):
        return []


def _mode(path: Path) -> int:
    try:
        return path.lstat().st_mode
    except (OSError, ValueError):
        return 0
