"""What only a damaged index still holds, saved into a new one: the sessions whose files are gone or can't be read.

The rest is read again from its sources. Of the damaged file nothing is changed; it is set aside when all is done.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import get_args

from .damage import set_aside
from .database import Database, Rejected, Row
from .ledger import UNKNOWN
from .migrate import lay_out
from .model import Role
from .raw_rows import raw_rows
from .read_out import columns_of, opened, rows, rows_by_id
from .rewrite import drop, new_file, seal
from .sound import is_gone, is_kept, is_whole
from .writer import Writer

_FILES = (
    "source, path, device, inode, size, mtime_ns, offset, prefix_crc, edges, adapter_version, adapter_state, state, "
    "reason, text_size, beside"
)
SESSION = "sessions (id, source, native_id)"
_PATHS = ("files INDEXED BY sqlite_autoindex_files_1", "id, path", ["path"])
_NAMES = ("sessions INDEXED BY sqlite_autoindex_sessions_1", "id, source, native_id", ["source", "native_id"])
"""What names a row, from an index, which may be whole where the table is not."""
_TURNS = "session, file, seq, number, role, time, quality, native_id, parent_id, undone, hash, size, code, text, cite"
_TURNS_LEAST = len(_TURNS.split(","))
"""Columns of a turn from before `cite`, the id included."""
_OF_FILES: Mapping[str, tuple[str, ...]] = {
    "facts": tuple("session file title title_rank project branch model kind parent leaf agent about handle".split()),
    "titles": ("source", "turn_id", "file", "title", "title_rank"),
    "cuts": ("session", "file", "since", "time"),
    "left_out": ("source", "session", "file", "reason"),
    "hidden": ("source", "session", "file", "reason"),
    "deleted": ("source", "session", "file"),
    "listed": ("source", "session", "file", "entry", "gone"),
}
"""Tables that belong to files, with their columns."""
ROLES = frozenset(get_args(Role))
LOST = "lost-%d"
"""The name of a session, or the path of a file, that could not be read."""


@dataclass(frozen=True, slots=True)
class Saved:
    """What became of a damaged index."""

    sessions: int
    turns: int
    broken: int
    """Turns that were found but could not be read whole."""
    aside: Path

    def __str__(self) -> str:
        """For the person."""
        saved = f"{self.turns:,} turns of {self.sessions:,} sessions that only it held were saved"
        broken = f"{self.broken:,} turns that only it held could not be read" if self.broken else ""
        kept = f"the damaged file is kept as {self.aside.name}"
        parts = (saved if self.sessions else "", broken, "the rest is read again" if self.sessions else "", kept)
        return f"the index was damaged and is built anew: {'; '.join(part for part in parts if part)}"


def salvage(path: Path, versions: Mapping[str, int]) -> Saved:
    """Put a new index with all that can be saved in the place of the damaged one, which is set aside.

    The caller is the one writer. Raises Error or OSError when the new one can't be written; then all is as it was.
    """
    new = new_file(path)
    try:
        db = Database(new)
        try:
            lay_out(db, versions)
            with opened(path, new) as old:
                broken = _carry_over(path, old, db)
            sessions, turns = db.row("SELECT count(*), coalesce(sum(turns), 0) FROM sessions WHERE turns > 0") or (0, 0)
        finally:
            db.close()
        seal(new)
    except BaseException:
        drop(new)
        raise
    return Saved(sessions, turns, broken, set_aside(path, new))


def _carry_over(path: Path, old: Database, db: Database) -> int:
    """Gives how many turns were broken."""
    with db.transaction():
        _insert_all(db, "tombstones", rows(old, "tombstones", "hash, time", ["hash"]))
        _insert_all(db, "meta", (row for row in rows(old, "meta", "key, value", ["key"]) if is_kept(*row)))
        there = _carry_files(old, db)
        for row in (*rows_by_id(old, "sessions", "source, native_id"), *rows(old, *_NAMES)):
            _insert(db, SESSION, *row)
        broken = _carry_turns(path, old, db, there)
        _name_what_was_lost(db)
        for table, columns in _OF_FILES.items():
            at = columns.index("file")
            shown = columns_of(old, table, columns)
            saved = (row for row in rows(old, table, shown, columns[:3]) if _is_saved(db, row[at]))
            _insert_all(db, table, saved)
        db.run("DELETE FROM facts WHERE session NOT IN (SELECT id FROM sessions)")
        db.run("DELETE FROM cuts WHERE session NOT IN (SELECT id FROM sessions)")
        db.run("UPDATE facts SET parent = NULL WHERE parent NOT IN (SELECT id FROM sessions)")
        skips = (
            row for row in rows(old, "skips", "source, path, reason, count, example", ["source", "path", "reason"])
        )
        _insert_all(db, "skips", (row for row in skips if db.value("SELECT 1 FROM files WHERE path = ?", row[1])))
    writer = Writer(db)
    for (file,) in list(db.rows("SELECT id FROM files")):
        try:
            writer.renew(file)
        except (*Rejected, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):  # rubbish in its rows
            _drop_file(db, file)
    with db.transaction():
        db.run(
            """DELETE FROM sessions WHERE turns = 0 AND id NOT IN (SELECT session FROM turns UNION
                 SELECT session FROM facts UNION SELECT session FROM cuts UNION
                 SELECT coalesce(parent, -1) FROM facts)"""
        )
    return broken


def _carry_files(old: Database, db: Database) -> set[int]:
    """Those that are gone or can't be read; gives the others, which will be read again."""
    there = {number for number, path in rows(old, *_PATHS) if not is_gone(path)}
    for row in rows_by_id(old, "files", columns_of(old, "files", _FILES.split(", "))):
        path, state = row[2], row[12]
        kept = state == "quarantined" or is_gone(path)
        state = state if state in ("quarantined", "gone") else "ok"  # the next pass sees to what has gone only since
        values = [*row[:10], UNKNOWN, row[11], state, *row[13:]]
        if kept and _insert(db, "files", *values):
            there.discard(row[0])
        else:
            there.add(row[0])
    return there


def _carry_turns(path: Path, old: Database, db: Database, there: set[int]) -> int:
    broken: set[int] = set()
    columns = columns_of(old, "turns", _TURNS.split(", "))
    for row in chain(rows_by_id(old, "turns", columns), raw_rows(path, _TURNS_LEAST + 1, _TURNS_LEAST)):
        number, _, file, *_ = row
        if file in there:
            continue
        if is_whole(*row):
            _insert(db, "turns", *row[:4], None, *row[5:])
        elif row[5] in ROLES:  # other tables' rows may be as wide
            broken.add(number)
    return sum(not db.value("SELECT 1 FROM turns WHERE id = ?", number) for number in broken)


def _name_what_was_lost(db: Database) -> None:
    """Turns whose file's or session's row could not be read get another."""
    files = """SELECT DISTINCT turns.file, sessions.source FROM turns LEFT JOIN sessions ON sessions.id = turns.session
               WHERE turns.file NOT IN (SELECT id FROM files)"""
    for file, source in list(db.rows(files)):
        path = (LOST % file).encode()
        values = (file, source or _any_source(db), path, 0, 0, 0, 0, 0, 0, b"", UNKNOWN, b"", "gone", None, 0, b"")
        _insert(db, "files", *values)
    sessions = """SELECT DISTINCT session, source FROM turns JOIN files ON files.id = turns.file
                  WHERE session NOT IN (SELECT id FROM sessions)"""
    for session, source in list(db.rows(sessions)):
        values = (session, source, LOST % session)
        _insert(db, SESSION, *values)


def _any_source(db: Database) -> str:
    return db.value("SELECT source FROM sessions UNION SELECT source FROM files LIMIT 1") or "claude"


def _drop_file(db: Database, file: int) -> None:
    with db.transaction():
        for table in ("turns", *_OF_FILES):
            db.run(f"DELETE FROM {table} WHERE file = ?", file)  # noqa: S608
        db.run("DELETE FROM skips WHERE path = (SELECT path FROM files WHERE id = ?)", file)
        db.run("DELETE FROM files WHERE id = ?", file)


def _is_saved(db: Database, file: object) -> bool:
    return isinstance(file, int) and bool(db.value("SELECT 1 FROM files WHERE id = ?", file))


def _insert_all(db: Database, table: str, values: Iterable[Row]) -> None:
    for row in values:
        _insert(db, table, *row)


def _insert(db: Database, table: str, *values: object) -> bool:
    """Whether the row was taken; what breaks the rules of its table is rubbish."""
    try:
        db.run(f"INSERT OR IGNORE INTO {table} VALUES ({', '.join('?' * len(values))})", *values)  # noqa: S608
    except Rejected:
        return False
    return db.changes() > 0
