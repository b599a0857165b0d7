"""What every adapter stands on: walking a folder, opening a file safely, and what its name and a time mean.

The contract itself is `core.model.Adapter`; README says how to add a source, and pi.py is a short one to start from.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from ..core.model import SkipRecord, Unreadable


def files_below(
    root: Path, wanted: Callable[[str], bool], enters: Callable[[str], bool] = lambda _: True
) -> Iterator[Path | SkipRecord]:
    """Regular files below `root` whose name is `wanted`, in folders that it `enters`; links are never followed.

    Reported are folders that can't be read, linked folders, and what is `wanted` by its name but no regular file.
    """
    folders = [root]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        if enters(entry.name):
                            folders.append(Path(entry.path))
                    elif wanted(entry.name) and entry.is_file(follow_symlinks=False):
                        yield Path(entry.path)
                    elif wanted(entry.name) or entry.is_dir():
                        yield SkipRecord("symbolic-link" if entry.is_symlink() else "not-a-file", entry.path)
        except OSError:
            yield SkipRecord("unreadable-folder", os.fspath(folder))


def is_jsonl(name: str) -> bool:
    """Whether a file is JSON lines by its name, and not hidden."""
    return name.endswith(".jsonl") and not name.startswith(".")


def open_file(path: Path) -> BinaryIO:
    """Opens a regular file for reading without following a link, waiting on a pipe or touching its access time.

    Raises OSError, or `Unreadable` for what is no regular file.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        number = os.open(path, flags | getattr(os, "O_NOATIME", 0))
    except PermissionError:  # only a file's owner may leave its access time alone
        number = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise Unreadable("not-a-file")
    return os.fdopen(number, "rb", buffering=1 << 18)


def printable(name: str) -> str:
    """A file's name as a text that can be stored, whatever its bytes."""
    return os.fsencode(name).decode("utf-8", "replace")


def parse_time(value: object) -> int | None:
    """Milliseconds since 1970 of an ISO 8601 text or an epoch number of s, ms or µs; None where it makes no sense."""
    try:
        if isinstance(value, str):
            when = datetime.fromisoformat(value.strip())
            number = (when if when.tzinfo else when.astimezone()).timestamp() * 1000
        elif isinstance(value, int | float) and not isinstance(value, bool):
            number = value * 1000 if value < 1e11 else value if value < 1e14 else value / 1000
        else:
            return None
        return int(number) if EARLIEST <= number <= LATEST else None
    except (ValueError, OverflowError, OSError):
        return None


def parse_epoch(value: object) -> int | None:
    """As `parse_time`, of a number that may stand in a text."""
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 20:
        return parse_time(int(value))
    return parse_time(value)


EARLIEST, LATEST = 1_262_304_000_000, 4_102_444_800_000  # the years 2010 to 2099
