"""What the files of a SQLite store look like from outside: who may be using it, and whether it changed."""

from __future__ import annotations

import contextlib
import errno
import stat
import time
from pathlib import Path
from typing import NamedTuple

from ..core.model import Unreadable
from .base import open_file

CLOCK_TICK = 20_000_000
"""Nanoseconds within which two changes of a file may bear the same time."""
WAL_HEAD = 32
"""Bytes at the head of a -wal, with a salt drawn anew whenever the file is written from its beginning again."""


class Stamp(NamedTuple):
    """What tells one state of a file from another."""

    device: int
    inode: int
    size: int
    changed: int
    """In nanoseconds since 1970."""


class StoreFiles(NamedTuple):
    """A store and the files beside it at one moment; of those, only what holds anything."""

    store: Stamp
    wal: Stamp | None
    journal: Stamp | None
    wal_head: bytes
    are_shared: bool
    """Whether a program has the store open, or died so: SQLite's own locks then say what may be read."""

    @classmethod
    def at(cls, path: Path) -> StoreFiles:
        """Raises OSError, and `Unreadable` when one of them is no regular file."""
        store, wal, shm, journal = (_stamp(beside(path, suffix)) for suffix in ("", "-wal", "-shm", "-journal"))
        if store is None:
            raise FileNotFoundError(errno.ENOENT, "no store", str(path))
        shared = wal is not None and shm is not None
        wal, journal = (stamp if stamp and stamp.size else None for stamp in (wal, journal))
        head = b""
        if wal:
            with contextlib.suppress(FileNotFoundError), open_file(beside(path, "-wal")) as stream:
                head = stream.read(WAL_HEAD)
        return cls(store, wal, journal, head, shared or journal is not None)

    def are_settled(self) -> bool:
        """Whether any change from now on will show in the stamps."""
        newest = max(stamp.changed for stamp in (self.store, self.wal, self.journal) if stamp)
        return not 0 <= time.time_ns() - newest < CLOCK_TICK

    def are_unchanged(self, path: Path) -> bool:
        """Whether nobody wrote since; raises like `at`."""
        return StoreFiles.at(path)[:4] == self[:4]


def beside(path: Path, suffix: str) -> Path:
    """The path of a file that SQLite keeps next to a store."""
    return path.with_name(path.name + suffix)


def _stamp(path: Path) -> Stamp | None:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise Unreadable("not-a-file")
    return Stamp(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
