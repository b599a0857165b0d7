"""The one writer: batches of turns with their chunks, index rows and file cursors, each lot in one transaction."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, replace

from .database import Database
from .deleting import Name, marked_in, take_marks
from .dropping import clear_all_but_turns, drop_file, holds_marks, sessions_of
from .exclude import Rules
from .fulltext import drop_chunks_of_file
from .hiding import drop_deleted, hide, lift, names_of, without_hidden
from .intake import Batch
from .ledger import RENEWED, UNKNOWN, KnownFile, Prefix, Stamp, add_skips, leave_out, save_file
from .packing import pack, text_hash, unpack
from .redact import redact
from .renewal import renew_facts
from .sessions import drop_if_unknown, parents_of, row_of, save_facts, settle
from .turn_rows import TurnRows


@dataclass(frozen=True, slots=True)
class FileWrite:
    """One batch of one file, and what the file is known by afterwards."""

    source: str
    path: bytes
    stamp: Stamp
    prefix: Prefix
    adapter_version: int
    batch: Batch
    fresh: bool
    """Read from its beginning: what was indexed of it before is dropped."""
    beside: bytes = b""
    whole: bool = False
    """Nothing more is to come of the file as it is now."""
    most_turns: int | None = None
    """How many turns, the newest, are kept of this file; None: all."""
    most_turns_reason: str = "total"
    most_text: int = 0
    """How many characters of text, the newest, are kept of this file; 0: all."""


class _Pending:
    """What a transaction still has to do at its end."""

    def __init__(self, db: Database) -> None:
        self.turns = TurnRows(db)
        self.sessions = self.turns.sessions
        self.parents: set[int] = set()
        """Rows that may have lost the last who named them."""
        self.marked: set[Name] = set()
        """Sessions of which a store said something new about whether they were deleted."""


class Writer:
    """Changes the index; used inside `Store.write`."""

    def __init__(self, db: Database, rules: Rules | None = None) -> None:
        """Sessions that `rules` hide are not kept."""
        self._db, self._rules = db, rules or Rules()
        self.lifted: set[bytes] = set()
        """Files to be read again, since a session in them is no longer deleted."""

    def save(self, writes: Iterable[FileWrite]) -> None:
        """Write batches and their files' cursors, all or nothing."""
        with self.together() as save:
            for write in writes:
                save(write)

    @contextlib.contextmanager
    def together(self) -> Generator[Callable[[FileWrite], None]]:
        """A function that writes one batch and its file's cursor; all that it is given in the block, or nothing.

        Of a file that is read again all batches must be given to one such function.
        """
        with self._transaction() as pending:
            yield lambda write: self._save(write, pending)

    def mark_gone(self, files: Iterable[KnownFile], *, forget: bool) -> None:
        """The store no longer has these files: mark their sessions, or with `forget` drop them."""
        with self._transaction() as pending:
            for file in files:
                self._touch(sessions_of(self._db, file.id), pending)
                if (forget or not file.turns) and not holds_marks(self._db, file.id):
                    drop_file(self._db, file.id)
                else:
                    self._db.run("UPDATE files SET state = 'gone', reason = NULL WHERE id = ?", file.id)

    def look_again(self, file: int) -> None:
        """Work out anew what depends on the state of a file."""
        with self._transaction() as pending:
            pending.sessions |= sessions_of(self._db, file)

    def trim(self, source: str, file: int, most_turns: int, reason: str) -> None:
        """Drop the oldest turns of a file, and count its session as left out."""
        with self._transaction() as pending:
            pending.turns.fit(source, file, most_turns, reason, 0)

    def renew(self, file: int) -> None:
        """Redact and index what is kept of a file by today's rules, where the file itself can't be read again."""
        with self._transaction() as pending:
            drop_chunks_of_file(self._db, file)
            for turn, role, time, stored in list(
                self._db.rows("SELECT id, role, time, text FROM turns WHERE file = ?", file)
            ):
                text = redact(unpack(stored), keep_lines=role == "memory").text
                self._db.run(
                    "UPDATE turns SET text = ?, hash = ?, size = ? WHERE id = ?",
                    pack(text), text_hash(role, text), len(text), turn,
                )  # fmt: skip
                pending.turns.cut(turn, role, time, text)
            renew_facts(self._db, file)
            size = "(SELECT coalesce(sum(size), 0) FROM turns WHERE file = files.id)"
            self._db.run(f"UPDATE files SET adapter_version = ?, text_size = {size} WHERE id = ?", RENEWED, file)  # noqa: S608
            pending.sessions |= sessions_of(self._db, file)

    def purge_below(self, source: str, place: bytes) -> None:
        """Drop everything that was read of a source in one folder, or in one file."""
        below = place.rstrip(b"/") + b"/"
        files = [row[:2] for row in self._db.rows("SELECT id, path FROM files WHERE source = ?", source)]
        with self._transaction() as pending:
            for file, path in files:
                if path == place or path.startswith(below):
                    self._touch(sessions_of(self._db, file), pending)
                    drop_file(self._db, file)

    def purge(self, source: str) -> None:
        """Drop everything of a source."""
        with self._transaction():
            for (file,) in list(self._db.rows("SELECT id FROM files WHERE source = ?", source)):
                drop_file(self._db, file)
            for table in ("sessions", "skips", "runs"):
                self._db.run(f"DELETE FROM {table} WHERE source = ?", source)  # noqa: S608, the three names above

    @contextlib.contextmanager
    def _transaction(self) -> Generator[_Pending]:
        pending, lifted = _Pending(self._db), set[bytes]()
        with self._db.transaction():
            yield pending
            pending.turns.finish()
            for session in pending.sessions:
                settle(self._db, session)
            hide(self._db, self._rules, pending.sessions)
            drop_deleted(self._db, pending.sessions, pending.marked)
            lifted = lift(self._db, pending.marked)
            for parent in pending.parents:
                drop_if_unknown(self._db, parent)
        self.lifted |= lifted

    def _touch(self, sessions: Iterable[int], pending: _Pending) -> None:
        """Something of these sessions is about to change."""
        for session in sessions:
            pending.sessions.add(session)
            pending.parents |= parents_of(self._db, session)

    # ---- one batch ----

    def _save(self, write: FileWrite, pending: _Pending) -> None:
        db, batch = self._db, write.batch
        known = db.row("SELECT id, state, adapter_version FROM files WHERE path = ?", write.path)
        stamp = write.stamp if write.whole else replace(write.stamp, size=-1)
        if write.fresh:
            self.lifted.discard(write.path)
        version = UNKNOWN if write.path in self.lifted else write.adapter_version
        file = save_file(
            db, write.source, write.path, stamp, write.prefix, version, batch.checkpoint.state, write.beside
        )
        if known and (write.fresh or known[1] == "gone"):
            self._touch(sessions_of(self._db, file), pending)
        if known and write.fresh:
            self._begin_again(file, pending, by_same_rules=known[2] >= 0)
        pending.marked |= take_marks(db, write.source, file, write.path, batch)
        batch = without_hidden(db, write.source, file, write.path, batch)
        rows = {name: row_of(db, write.source, name) for name in names_of(batch)}
        self._touch(rows.values(), pending)
        for name, facts in batch.sessions.items():
            save_facts(db, write.source, rows[name], file, facts)
        pending.turns.save(batch.turns, rows, file, all_new=write.fresh)
        db.run_many(
            "UPDATE turns SET undone = 1 WHERE file = ? AND session = ? AND seq >= ? AND seq < ?",
            [(file, rows[undo.session], undo.since, undo.until) for undo in batch.undos],
        )
        db.run_many(
            "REPLACE INTO cuts VALUES (?, ?, ?, ?)",
            [(rows[mark.session], file, mark.since, mark.time) for mark in batch.cuts],
        )
        for title in batch.titles:
            values = (write.source, title.turn_id, file, title.title, title.title_rank)
            db.run("REPLACE INTO titles VALUES (?, ?, ?, ?, ?)", *values)
            holders = db.rows("SELECT session FROM turns WHERE native_id = ?", title.turn_id)
            pending.sessions |= {row[0] for row in holders}
        for session, reason in batch.left_out:
            leave_out(db, write.source, session, file, reason)
        db.run("DELETE FROM skips WHERE path = ? AND reason = 'unfinished-line'", write.path)
        add_skips(db, write.source, write.path, batch.skips.values())
        db.run_many(
            "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = value + excluded.value",
            [(f"redacted:{kind}", count) for kind, count in batch.redacted.items()],
        )
        pending.turns.fit(write.source, file, write.most_turns, write.most_turns_reason, write.most_text)

    def _begin_again(self, file: int, pending: _Pending, *, by_same_rules: bool) -> None:
        """What a file said is dropped, for it to say that anew; turns that it says once more are kept.

        Where other rules than now redacted and cut them up, no turn is.
        """
        pending.marked |= marked_in(self._db, file)
        pending.turns.begin_again(file, keep=by_same_rules)
        clear_all_but_turns(self._db, file)
