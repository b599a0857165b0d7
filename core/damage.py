"""Whether the index is damaged: what makes us suspect it, what proves it, and where a damaged one is set aside.

A read that failed for once looks like damage too, so a suspicion is looked into before anything is done.
"""

from __future__ import annotations

import contextlib
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from .database import Damaged, Database
from .packing import text_hash, unpack
from .rewrite import drop, replace

PATIENCE = timedelta(days=1)
"""An index that is damaged again within so long is not built again by itself: the disk may be failing."""
_ASIDE, _TIME = ".damaged-", "%Y%m%dT%H%M%S"


def suspect(path: Path) -> None:
    """Have the next writer look whether the index at `path` is damaged."""
    with contextlib.suppress(OSError):
        os.close(os.open(_note(path), os.O_WRONLY | os.O_CREAT, 0o600))


def is_suspected(path: Path) -> bool:
    return _note(path).exists()


def clear(path: Path) -> None:
    """Nothing is wrong with it."""
    with contextlib.suppress(OSError):
        _note(path).unlink(missing_ok=True)


def is_damaged(path: Path) -> bool:
    """Look at every page and every text of the index, over a connection of its own; nobody else writes.

    Raises `database.Error` when it can't be read, which proves nothing; a disk that failed for once is given a second
    look.
    """
    return _looks_damaged(path) and _looks_damaged(path)


def _looks_damaged(path: Path) -> bool:
    try:
        db = Database(path)
        try:
            if db.value("PRAGMA integrity_check(1)") != "ok" or db.value("PRAGMA user_version") <= 0:
                return True
            for table in [row[0] for row in db.rows(_TABLES)]:
                for _ in db.rows(f'SELECT * FROM "{table}"'):  # noqa: S608
                    pass  # a text that is no text raises
            return any(text_hash(role, unpack(text)) != hash for role, text, hash, *_ in db.rows(_TEXTS))  # noqa: A001
        finally:
            db.close()
    except (*Damaged, UnicodeDecodeError):
        return True


_TEXTS = "SELECT role, text, hash, native_id, parent_id FROM turns"
_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'words*' AND name != 'turns'"
"""All but the full text, which holds no texts."""


# ---- set aside ----


def when_set_aside(path: Path) -> datetime | None:
    """When the damaged index that is kept was set aside; None without one."""
    times: list[datetime] = []
    for aside in _asides(path):
        with contextlib.suppress(ValueError):
            times.append(datetime.strptime(aside.name.rpartition(_ASIDE)[2], _TIME).replace(tzinfo=UTC))
    return max(times, default=None)


def set_aside(path: Path, new: Path) -> Path:
    """Put the sealed file `new` in the place of the damaged one, which is kept; of those that were, none.

    Interrupted, it is ended by `rewrite.take_over`.
    """
    aside = path.with_name(path.name + _ASIDE + datetime.now(UTC).strftime(_TIME))
    before = [each for each in _asides(path) if each != aside]
    for suffix in ("-wal", ""):  # the log first: without it the file is what it was at the last checkpoint
        with contextlib.suppress(FileNotFoundError):
            old = path.with_name(path.name + suffix)
            if suffix and not old.stat().st_size:
                continue
            old.chmod(0o600)
            old.replace(aside.with_name(aside.name + suffix))
    replace(new, path)
    for each in before:
        drop(each)
    return aside


def drop_asides(path: Path) -> None:
    """Remove the damaged index that was set aside: something that it may hold has to go."""
    for aside in _asides(path):
        drop(aside)


def _asides(path: Path) -> list[Path]:
    return [each for each in path.parent.glob(f"{path.name}{_ASIDE}*") if not each.name.endswith(("-wal", "-shm"))]


def _note(path: Path) -> Path:
    return path.with_name(path.name + ".suspect")
