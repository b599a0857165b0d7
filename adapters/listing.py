"""What lies directly in a folder, without a walk through the tree below, and whether a path is no link."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from ..core.model import SkipRecord


def folders_in(folder: Path) -> Iterator[Path | SkipRecord]:
    """The folders in a folder, none if there is no such; links are reported, not followed."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    yield Path(entry.path)
                elif entry.is_symlink() and entry.is_dir():
                    yield SkipRecord("symbolic-link", entry.path)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return
    except OSError:
        yield SkipRecord("unreadable-folder", os.fspath(folder))


def files_in(folder: Path, wanted: Callable[[str], bool]) -> Iterator[Path | SkipRecord]:
    """The regular files in a folder whose name is `wanted`, none if there is no such folder."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if not wanted(entry.name):
                    continue
                if entry.is_file(follow_symlinks=False):
                    yield Path(entry.path)
                else:
                    yield SkipRecord("symbolic-link" if entry.is_symlink() else "not-a-file", entry.path)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return
    except OSError:
        yield SkipRecord("unreadable-folder", os.fspath(folder))


def plain_folders_in(folder: Path) -> list[Path]:
    """The folders in a folder, in order, of which nothing else is to be told."""
    return sorted(found for found in folders_in(folder) if isinstance(found, Path))


def is_plain_file(path: Path) -> bool:
    return stat.S_ISREG(_mode(path))


def is_plain_folder(path: Path) -> bool:
    return stat.S_ISDIR(_mode(path))


def _mode(path: Path) -> int:
    try:
        return path.lstat().st_mode
    except (OSError, ValueError):
        return 0
