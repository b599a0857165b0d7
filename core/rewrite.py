"""The index file written anew, so that no page of it holds what was deleted, and put in the old one's place.

Stopped at any point, there is the old file or the new one; readers of the old one go on undisturbed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from pathlib import Path

from .database import Database, Error

_DUE = "rewrite"
_SIDECARS = ("-wal", "-shm", "-journal")


def mark_due(db: Database) -> None:
    """Note, within a transaction that deletes for good, that the file has to be written anew."""
    db.run("REPLACE INTO meta VALUES (?, 1)", _DUE)


def is_due(db: Database) -> bool:
    """Whether something was deleted for good and the file has not been written anew since."""
    return bool(db.value("SELECT 1 FROM meta WHERE key = ?", _DUE))


def rewrite(db: Database, path: Path) -> None:
    """Write the index of the one writing connection `db` anew, and close that.

    Raises Error or OSError when it can't be done, as on a full disk; then everything is as it was, `db` open.
    """
    new = new_file(path)
    try:
        db.run("INSERT INTO words (words) VALUES ('optimize')")
        db.run("VACUUM INTO ?", str(new))
        seal(new)
    except BaseException:
        drop(new)
        raise
    db.close()
    replace(new, path)


def finish(db: Database, path: Path) -> bool:
    """`rewrite` if there is room for it; gives whether that was done and `db` is closed."""
    with contextlib.suppress(Error, OSError):
        if shutil.disk_usage(path.parent).free > path.stat().st_size:
            rewrite(db, path)
            return True
    return False


# ---- the new file ----


def new_file(path: Path) -> Path:
    """An empty file, its owner's alone, that is to become the one at `path`."""
    new = _new(path)
    drop(new)
    os.close(os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    return new


def seal(new: Path) -> None:
    """Make the new file what the index is: written ahead of, due for nothing, safe on the disk."""
    db = Database(new)
    db.run("PRAGMA journal_mode=WAL")
    db.run("DELETE FROM meta WHERE key = ?", _DUE)
    db.close()
    with new.open("rb") as file:
        os.fsync(file.fileno())


def replace(new: Path, path: Path) -> None:
    """Put the new file in the place of the old one, which nobody writes to.

    The old one and its log go first: a log must never meet a file that it is not of.
    """
    drop(path)
    new.replace(path)


def drop(path: Path) -> None:
    """Remove a database with everything that SQLite keeps beside it."""
    for suffix in ("", *_SIDECARS):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def take_over(path: Path) -> None:
    """End a replacement that was interrupted, or take back one that was only begun; the caller is the one writer."""
    new = _new(path)
    drop(unfinished(path))
    if path.exists():
        drop(new)
    elif new.exists():
        replace(new, path)


def being_replaced(path: Path, patience: float = 0.5) -> None:
    """Wait for the instant in which the new file takes the old one's place."""
    until = time.monotonic() + patience
    while not path.exists() and _new(path).exists() and time.monotonic() < until:
        time.sleep(0.005)


def identity(path: Path) -> tuple[int, int] | None:
    """What tells the file that is at `path` now from one that takes its place; None without one."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def unfinished(path: Path) -> Path:
    """Where a new file is made that is of no use before it is whole, the old one being gone already."""
    return path.with_name(path.name + ".new-blank")


def last_change(path: Path) -> int | None:
    """When anything about the file last changed (ns); None without one."""
    try:
        return path.stat().st_ctime_ns
    except OSError:
        return None


def _new(path: Path) -> Path:
    return path.with_name(path.name + ".new")
