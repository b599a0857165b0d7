"""What the index knows of the files it reads: states, cursors, what was skipped in them, what limits left out."""

from __future__ import annotations

import time as clock
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .clean import clean_line
from .database import Database, Row
from .model import Checkpoint, SkipRecord
from .redact import redact_line

UNKNOWN, RENEWED = -1, -2
"""In place of an adapter's version: to be read again; renewed from its kept text, for it can't be read again now."""
WHOLE_FILE = "the whole file"
"""Where a skip stands that is no part of a file."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells one state of a file from another."""

    device: int
    inode: int
    size: int
    mtime_ns: int

    @property
    def is_place(self) -> bool:
        """Whether it is of a session in a database, which is no file itself."""
        return self.device == self.inode == 0


@dataclass(frozen=True, slots=True)
class Prefix:
    """What was read of a file: by this it is known again."""

    offset: int
    crc: int
    edges: bytes


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file as the index knows it."""

    id: int
    path: bytes
    stamp: Stamp
    prefix: Prefix
    adapter_version: int
    adapter_state: bytes
    state: str
    reason: str | None
    turns: int
    cut: bool
    """A limit on the number of turns left something of it out."""
    beside: bytes = b""
    """What else it depends on, as a hash: the files beside it, or a token of its database."""

    @property
    def checkpoint(self) -> Checkpoint:
        return Checkpoint(self.prefix.offset, self.adapter_state)


_KNOWN = """SELECT source, id, path, device, inode, size, mtime_ns, offset, prefix_crc, edges, adapter_version,
    adapter_state, state, reason, (SELECT count(*) FROM turns WHERE turns.file = files.id),
    id IN (SELECT file FROM left_out WHERE reason IN ('per_source', 'total')), beside
  FROM files WHERE"""


def known_files(db: Database, source: str) -> dict[bytes, KnownFile]:
    """The files of a source, by path."""
    return {row[2]: _known(row) for row in db.rows(f"{_KNOWN} source = ?", source)}


def known_file(db: Database, path: bytes) -> tuple[str, KnownFile] | None:
    """The file at a path, and its source."""
    row = db.row(f"{_KNOWN} path = ?", path)
    return row and (row[0], _known(row))


def known_below(db: Database, database: bytes) -> dict[bytes, KnownFile]:
    """The sessions of a database, by path."""
    rows = db.rows(f"{_KNOWN} path > ? AND path < ?", database + b"/", database + b"0")
    return {row[2]: _known(row) for row in rows}


def _known(row: Row) -> KnownFile:
    stamp, prefix = Stamp(*row[3:7]), Prefix(*row[7:10])
    return KnownFile(row[1], row[2], stamp, prefix, *row[10:15], cut=bool(row[15]), beside=row[16])


def save_file(
    db: Database,
    source: str,
    path: bytes,
    stamp: Stamp,
    prefix: Prefix,
    version: int,
    adapter_state: bytes,
    beside: bytes = b"",
) -> int:
    """Note that a file was read up to `prefix.offset`; gives its row."""
    _forget_failure(db, path)
    return db.value(
        """INSERT INTO files VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'ok', NULL, 0, ?)
           ON CONFLICT (path) DO UPDATE SET source = excluded.source, device = excluded.device, inode = excluded.inode,
             size = excluded.size, mtime_ns = excluded.mtime_ns, offset = excluded.offset,
             prefix_crc = excluded.prefix_crc, edges = excluded.edges, adapter_version = excluded.adapter_version,
             adapter_state = excluded.adapter_state, state = 'ok', reason = NULL, beside = excluded.beside
           RETURNING id""",
        source, path, stamp.device, stamp.inode, stamp.size, stamp.mtime_ns,
        prefix.offset, prefix.crc, prefix.edges, version, adapter_state, beside,
    )  # fmt: skip


def set_aside(
    db: Database,
    source: str,
    path: bytes,
    stamp: Stamp,
    version: int,
    state: str,
    reason: str,
    beside: bytes = b"",
) -> int:
    """Note that a file was not read (`quarantined` or `left-out`); what was indexed of it stays. Gives its row.

    What another version of its adapter had read of it is not gone on from.
    """
    _forget_failure(db, path)
    if state == "quarantined":
        add_skips(db, source, path, [SkipRecord(reason, WHOLE_FILE)])
    file = db.value(
        """INSERT INTO files VALUES (NULL, ?, ?, ?, ?, ?, ?, 0, 0, x'', ?, x'', ?, ?, 0, ?)
           ON CONFLICT (path) DO UPDATE SET device = excluded.device, inode = excluded.inode, size = excluded.size,
             mtime_ns = excluded.mtime_ns, offset = iif(adapter_version = excluded.adapter_version, offset, 0),
             adapter_version = excluded.adapter_version, state = excluded.state, reason = excluded.reason,
             beside = excluded.beside
           RETURNING id""",
        source, path, stamp.device, stamp.inode, stamp.size, stamp.mtime_ns, version, state, reason, beside,
    )  # fmt: skip
    if state == "left-out":
        db.run("DELETE FROM left_out WHERE file = ?", file)
        leave_out(db, source, clean_line(path.decode("utf-8", "replace"), 4_096), file, reason)
    return file


def restamp(db: Database, file: KnownFile, stamp: Stamp) -> None:
    """Note that a file changed from outside, or came back, but is the same in what was read."""
    _forget_failure(db, file.path)
    db.run(
        "UPDATE files SET device = ?, inode = ?, size = ?, mtime_ns = ?, state = 'ok', reason = NULL WHERE id = ?",
        stamp.device, stamp.inode, stamp.size, stamp.mtime_ns, file.id,
    )  # fmt: skip


def _forget_failure(db: Database, path: bytes) -> None:
    """A file that is read, or that fails anew, no longer counts as one that failed before."""
    db.run("DELETE FROM skips WHERE path = ? AND example = ?", path, WHOLE_FILE)


def read_all_again(db: Database) -> None:
    """Have every file read from its beginning at the next occasion; until then the rows there are answer."""
    db.run("UPDATE files SET adapter_version = ?", UNKNOWN)


def read_again(db: Database, files: Iterable[int]) -> None:
    """Like `read_all_again`, for these files."""
    with db.transaction():
        db.run_many("UPDATE files SET adapter_version = ? WHERE id = ?", [(UNKNOWN, file) for file in files])


def try_failed_again(db: Database) -> None:
    """Have every file read again on which the program itself failed."""
    db.run("UPDATE files SET adapter_version = ? WHERE reason = 'adapter-error'", UNKNOWN)


def read_cut_again(db: Database) -> None:
    """Like `read_all_again`, for the files of which a limit left something out."""
    db.run("UPDATE files SET adapter_version = ? WHERE id IN (SELECT file FROM left_out)", UNKNOWN)


def add_skips(db: Database, source: str, path: bytes, skips: Iterable[SkipRecord]) -> None:
    """Add to what was skipped in a file."""
    db.run_many(
        """INSERT INTO skips VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (source, path, reason) DO UPDATE SET count = count + excluded.count""",
        [(source, path, skip.reason, skip.count, skip.example) for skip in skips],
    )


def set_skips(db: Database, source: str, path: bytes, skips: Iterable[SkipRecord]) -> None:
    """Replace what was skipped in a file that holds no turns itself."""
    db.run("DELETE FROM skips WHERE path = ? AND example != ?", path, WHOLE_FILE)
    add_skips(db, source, path, [SkipRecord(skip.reason, redact_line(skip.example), skip.count) for skip in skips])


def set_folder_skips(db: Database, source: str, skips: Sequence[SkipRecord]) -> None:
    """Replace what is noted about folders that could not be listed."""
    db.run("DELETE FROM skips WHERE source = ? AND path = x''", source)
    add_skips(db, source, b"", [SkipRecord(skip.reason, redact_line(skip.example), skip.count) for skip in skips])


def leave_out(db: Database, source: str, session: str, file: int, reason: str) -> None:
    """Count a session of which a limit left something out."""
    db.run("INSERT OR IGNORE INTO left_out VALUES (?, ?, ?, ?)", source, session, file, reason)


def finish_run(db: Database, source: str, error: str | None) -> None:
    """Note the end of a source's reconcile."""
    db.run("REPLACE INTO runs VALUES (?, ?, ?)", source, int(clock.time() * 1000), error)


def session_count(db: Database) -> int:
    """How many sessions have turns; an index knows."""
    return db.value("SELECT count(*) FROM sessions WHERE turns > 0")


def totals(db: Database) -> tuple[int, int]:
    """(sessions that have turns, their active turns) in the whole index."""
    return db.row("SELECT count(*), coalesce(sum(turns), 0) FROM sessions WHERE turns > 0") or (0, 0)


def skip_counts(db: Database) -> dict[str, int]:
    """How much was skipped, by reason."""
    return dict(db.rows("SELECT reason, sum(count) FROM skips GROUP BY reason ORDER BY reason"))


def anything_skipped(db: Database) -> bool:
    """Whether anything was skipped, left out or not readable; cheap enough to ask with every search."""
    return bool(
        db.value(
            """SELECT EXISTS (SELECT * FROM skips) OR EXISTS (SELECT * FROM left_out)
                 OR EXISTS (SELECT * FROM runs WHERE error IS NOT NULL)
                 OR EXISTS (SELECT * FROM meta WHERE key GLOB 'held:*')"""
        )
    )


def left_out_counts(db: Database) -> dict[str, int]:
    """How many sessions each limit left out, in whole or in part."""
    counts: dict[str, int] = dict.fromkeys(("window", "per_source", "total", "per_file"), 0)
    counts.update(db.rows("SELECT reason, count(DISTINCT source || ':' || session) FROM left_out GROUP BY reason"))
    return counts
