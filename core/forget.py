"""Forgetting: sessions, a project's, a source's or all of them, without a byte left behind and for good.

A session goes with those of its sub-agents. Forks and resumes of it are sessions of their own: they are named, and go
only where that is asked for.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from .basket import BasketFile
from .database import Database, Error
from .erase import erase
from .forget_plan import Request, plan
from .migrate import lay_out
from .residue import Remains, remains, samples
from .rewrite import drop, mark_due, new_file, replace, rewrite, seal, take_over, unfinished
from .store import VERSIONS, Newer, Store, StoreError
from .tombstones import bury, copy_hash, hashes, session_hash, turn_hash

PATIENCE = 10.0
"""Seconds to wait for another harkback that is writing."""
WAITS = (0.0, 0.1, 0.2, 0.4, 0.8, 1.6)
"""Seconds between the tries to write on a full disk, where the room of what was dropped comes back when readers end."""
_ASIDES = (".damaged-*", "*.corrupt-*", ".new*")
"""What may lie beside the index besides its log."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was done."""

    sessions: int
    turns: int
    remains: Remains
    rewritten: bool
    """The file was written anew; otherwise there was no room, and that is made up for by the next who writes."""
    copies: tuple[str, ...] = ()
    """Keys of the sessions that hold copies and stay."""
    remembered: bool = True
    """What was there is noted, so that it stays out; otherwise the next who reads its sources finds it again."""


def forget(store: Store, request: Request) -> Outcome:
    """Forget what is asked for, and look whether anything is left. Raises Busy, StoreError, history.NotFound.

    On a full disk `everything` works all the same; anything less is done as far as there is room, or not at all.
    """
    return _forget_everything(store) if request.everything else _forget_some(store, request)


def _forget_some(store: Store, request: Request) -> Outcome:
    with store.write(PATIENCE) as db:
        wanted = plan(db, request)
        looked_for = samples(db, wanted.rows)
        with db.transaction():
            _bury_what_limits_left_out(db, request.source)
            erase(db, wanted.rows)
            mark_due(db)
        _drop_what_else_there_is(store)
        BasketFile(store.home).forget(db)
        done = _try_to_rewrite(db, store.path)
        reader = db if not done else Database(store.path, read_only=True)
        try:
            left = remains(reader, store.home, store.path, looked_for)
        finally:
            reader.close()
    return Outcome(wanted.sessions, wanted.turns, left, done, wanted.copies)


def _try_to_rewrite(db: Database, path: Path) -> bool:
    try:
        rewrite(db, path)
    except (Error, OSError):
        with suppress(Error):
            db.run("PRAGMA wal_checkpoint(TRUNCATE)")
        return False
    return True


# ---- everything ----


@dataclass(frozen=True, slots=True)
class _Everything:
    """What there was."""

    sessions: int = 0
    turns: int = 0
    samples: Sequence[bytes] = ()
    tombstones: frozenset[bytes] = frozenset()


def _forget_everything(store: Store) -> Outcome:
    with store.locked(PATIENCE):
        take_over(store.path)
        there_was = _read_everything(store)
        known = there_was or _Everything()
        _drop_what_else_there_is(store)
        BasketFile(store.home).forget(None)
        noted = _make_anew(store.path, known.tombstones) or _make_in_place(store.path, known.tombstones)
        try:
            left = remains(None, store.home, store.path, known.samples)
        except OSError:
            if noted:
                raise
            left = Remains(0)  # that it could not be noted matters more than that nobody can look
        return Outcome(known.sessions, known.turns, left, rewritten=True, remembered=noted and there_was is not None)


def _read_everything(store: Store) -> _Everything | None:
    """All that is needed of an index that a full disk may keep from opening; None when it can't be read at all."""
    if not store.path.exists():
        return _Everything()
    unchanging = partial(Database, store.path, read_only=True, unchanging=True)
    for reader in (store.read, store.read, unchanging):  # a disk that fails once may not do so again
        try:
            with closing(reader()) as db:
                return _all_there_is(db)
        except Newer:
            raise
        except (Error, StoreError):
            continue
    return None


def _all_there_is(db: Database) -> _Everything:
    rows = [row[0] for row in db.rows("SELECT id FROM sessions")]
    counts = db.row("SELECT count(*), coalesce(sum(turns), 0) FROM sessions WHERE turns > 0") or (0, 0)
    return _Everything(counts[0], counts[1], samples(db, rows), frozenset(_all_tombstones(db)))


def _all_tombstones(db: Database) -> set[bytes]:
    names = db.rows("SELECT source, native_id FROM sessions UNION SELECT source, session FROM left_out")
    turns = "FROM turns JOIN sessions ON sessions.id = turns.session WHERE turns.native_id"
    ids = db.rows(f"SELECT DISTINCT source, turns.native_id {turns} IS NOT NULL")
    texts = db.rows(f"SELECT DISTINCT source, hash {turns} IS NULL")
    new = {session_hash(*row) for row in names} | {turn_hash(*row) for row in ids} | {copy_hash(*row) for row in texts}
    return new | hashes(db)


def _make_anew(path: Path, tombstones: Iterable[bytes]) -> bool:
    """Put an index with nothing but tombstones in the old one's place; gives whether there was room for it."""
    try:
        new = new_file(path)
        try:
            _fill(new, tombstones)
        except BaseException:
            drop(new)
            raise
    except (Error, OSError):
        return False
    try:
        replace(new, path)
    except OSError:
        return not path.exists()  # the next who writes ends it
    return True


def _make_in_place(path: Path, tombstones: Iterable[bytes]) -> bool:
    """The old one goes first, come what may; gives whether the tombstones could be written where it was."""
    drop(path)
    blank = unfinished(path)
    for wait in WAITS:  # its room is free only when the last reader has let go of it
        time.sleep(wait)
        try:
            _fill(blank, tombstones)
            blank.replace(path)  # whole or not at all: readers never see a bit of it
        except (Error, OSError):
            drop(blank)
        else:
            return True
    return False


def _fill(path: Path, tombstones: Iterable[bytes]) -> None:
    """Make an index with nothing in it but tombstones."""
    path.touch(mode=0o600)
    db = Database(path)
    try:
        lay_out(db, VERSIONS)
        with db.transaction():
            bury(db, tombstones)
    finally:
        db.close()
    seal(path)


def _drop_what_else_there_is(store: Store) -> None:
    """Logs, and copies of damaged indexes: nobody can take single sessions out of those."""
    for path in (
        *(each for pattern in _ASIDES for each in store.path.parent.glob(store.path.name + pattern)),
        *(store.home / "logs").rglob("*"),
    ):
        if path.is_file() or path.is_symlink():
            path.unlink(missing_ok=True)


def _bury_what_limits_left_out(db: Database, source: str | None) -> None:
    """Sessions of a source that are known by name alone, since nothing of them was kept."""
    names = db.rows("SELECT DISTINCT source, session FROM left_out WHERE source = ?", source)
    bury(db, {session_hash(*name) for name in names})
