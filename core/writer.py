"""The one writer: batches of turns with their chunks, index rows and file cursors, each lot in one transaction."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from .database import Database, Row
from .dropping import clear_file, drop_file, sessions_of
from .exclude import Rules
from .fulltext import NewChunk, chunks_of, drop_chunks_of_file, drop_chunks_of_turn, insert_chunks
from .hiding import hide, names_of, without_hidden
from .intake import Batch, NewTurn, rejoined, text_hash
from .ledger import RENEWED, KnownFile, Prefix, Stamp, add_skips, leave_out, save_file
from .redact import redact
from .sessions import drop_if_unknown, parents_of, row_of, save_facts, settle
from .store import pack, unpack

FENCE = "```"
"""What marks a code block, for `has:code`."""


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


@dataclass(slots=True)
class _Pending:
    """What a transaction still has to do at its end."""

    chunks: dict[int, list[NewChunk]] = field(default_factory=dict[int, list[NewChunk]])
    """By turn."""
    sessions: set[int] = field(default_factory=set[int])
    parents: set[int] = field(default_factory=set[int])
    """Rows that may have lost the last who named them."""


class Writer:
    """Changes the index; used inside `Store.write`."""

    def __init__(self, db: Database, rules: Rules | None = None) -> None:
        """Sessions that `rules` hide are not kept."""
        self._db, self._rules = db, rules or Rules()

    def save(self, writes: Sequence[FileWrite]) -> None:
        """Write batches and their files' cursors, all or nothing."""
        with self._transaction() as pending:
            for write in writes:
                self._save(write, pending)

    def mark_gone(self, files: Iterable[KnownFile], *, forget: bool) -> None:
        """The store no longer has these files: mark their sessions, or with `forget` drop them."""
        with self._transaction() as pending:
            for file in files:
                self._touch(sessions_of(self._db, file.id), pending)
                if forget or not file.turns:
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
            self._fit(source, file, most_turns, reason, 0, pending)

    def renew(self, file: int) -> None:
        """Redact and index what is kept of a file by today's rules, where the file itself can't be read again."""
        with self._transaction() as pending:
            drop_chunks_of_file(self._db, file)
            for turn, role, time, stored in list(
                self._db.rows("SELECT id, role, time, text FROM turns WHERE file = ?", file)
            ):
                text = redact(unpack(stored)).text
                self._db.run(
                    "UPDATE turns SET text = ?, hash = ?, size = ? WHERE id = ?",
                    pack(text), text_hash(role, text), len(text), turn,
                )  # fmt: skip
                pending.chunks[turn] = chunks_of(turn, role, time, text)
            self._renew_titles("facts", file)
            self._renew_titles("titles", file)
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
        pending = _Pending()
        with self._db.transaction():
            yield pending
            insert_chunks(self._db, (chunk for chunks in pending.chunks.values() for chunk in chunks))
            for session in pending.sessions:
                settle(self._db, session)
            hide(self._db, self._rules, pending.sessions)
            for parent in pending.parents:
                drop_if_unknown(self._db, parent)

    def _touch(self, sessions: Iterable[int], pending: _Pending) -> None:
        """Something of these sessions is about to change."""
        for session in sessions:
            pending.sessions.add(session)
            pending.parents |= parents_of(self._db, session)

    # ---- one batch ----

    def _save(self, write: FileWrite, pending: _Pending) -> None:
        db, batch = self._db, write.batch
        known = db.row("SELECT id, state FROM files WHERE path = ?", write.path)
        stamp = write.stamp if write.whole else replace(write.stamp, size=-1)
        state, version = batch.checkpoint.state, write.adapter_version
        file = save_file(db, write.source, write.path, stamp, write.prefix, version, state, write.beside)
        if known and (write.fresh or known[1] == "gone"):
            self._touch(sessions_of(self._db, file), pending)
        if known and write.fresh:
            clear_file(db, file)
        batch = without_hidden(db, write.source, file, write.path, batch)
        rows = {name: row_of(db, write.source, name) for name in names_of(batch)}
        self._touch(rows.values(), pending)
        for name, facts in batch.sessions.items():
            save_facts(db, write.source, rows[name], file, facts)
        self._save_turns(batch.turns, rows, file, pending, all_new=write.fresh)
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
        self._fit(write.source, file, write.most_turns, write.most_turns_reason, write.most_text, pending)

    def _save_turns(
        self, turns: Sequence[NewTurn], sessions: Mapping[str, int], file: int, pending: _Pending, *, all_new: bool
    ) -> None:
        """A turn is kept once a file; that files have the same turn is settled when the session is numbered."""
        row = (self._db.value("SELECT max(id) FROM turns") or 0) + 1
        ids: set[tuple[str, str]] = set()
        new: list[Row] = []
        for turn in turns:
            session = sessions[turn.session]
            if turn.native_id is not None:
                known = None if all_new else self._row_of_turn(file, session, turn.native_id)
                if known is not None and (more := turn.text if turn.more else turn.rest):
                    self._extend(known, file, more, pending)
                if known is not None or (turn.session, turn.native_id) in ids:
                    continue
                ids.add((turn.session, turn.native_id))
            new.append(
                (
                    row, session, file, turn.seq, turn.role, turn.time, turn.quality, turn.native_id, turn.parent_id,
                    text_hash(turn.role, turn.text), len(turn.text), FENCE in turn.text, pack(turn.text), turn.cite,
                )
            )  # fmt: skip
            pending.chunks[row] = chunks_of(row, turn.role, turn.time, turn.text)
            row += 1
        self._db.run_many("INSERT INTO turns VALUES (?, ?, ?, ?, NULL, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?)", new)
        size = sum(each[10] for each in new)
        self._db.run("UPDATE files SET text_size = text_size + ? WHERE id = ?", size, file)

    def _row_of_turn(self, file: int, session: int, native_id: str) -> int | None:
        return self._db.value(
            "SELECT id FROM turns WHERE native_id = ? AND session = ? AND file = ?", native_id, session, file
        )

    def _extend(self, row: int, file: int, more: str, pending: _Pending) -> None:
        role, time, stored = next(self._db.rows("SELECT role, time, text FROM turns WHERE id = ?", row))
        old = unpack(stored)
        text = rejoined(old, more)
        drop_chunks_of_turn(self._db, row)
        values = (pack(text), text_hash(role, text), len(text), FENCE in text, row)
        self._db.run("UPDATE turns SET text = ?, hash = ?, size = ?, code = ? WHERE id = ?", *values)
        self._db.run("UPDATE files SET text_size = text_size + ? WHERE id = ?", len(text) - len(old), file)
        pending.chunks[row] = chunks_of(row, role, time, text)

    # ---- making fit ----

    def _renew_titles(self, table: str, file: int) -> None:
        for (title,) in list(self._db.rows(f"SELECT title FROM {table} WHERE file = ? AND title > ''", file)):  # noqa: S608
            if (masked := redact(title).text) != title:
                self._db.run(f"UPDATE {table} SET title = ? WHERE file = ? AND title = ?", masked, file, title)  # noqa: S608

    def _fit(
        self, source: str, file: int, most_turns: int | None, reason: str, most_text: int, pending: _Pending
    ) -> None:
        """Drop the oldest turns of a file that has more than is kept of one."""
        size = self._db.value("SELECT text_size FROM files WHERE id = ?", file)
        over_text = size - most_text if most_text else 0
        over_turns = 0
        if most_turns is not None:
            over_turns = self._db.value("SELECT count(*) FROM turns WHERE file = ?", file) - most_turns
        if over_text <= 0 and over_turns <= 0:
            return
        oldest = list(self._db.rows("SELECT id, session, size FROM turns WHERE file = ? ORDER BY seq", file))
        for turn, session, length in oldest:
            if over_text <= 0 and over_turns <= 0:
                break
            name = self._db.value("SELECT native_id FROM sessions WHERE id = ?", session)
            leave_out(self._db, source, name, file, "per_file" if over_text > 0 else reason)
            drop_chunks_of_turn(self._db, turn)
            self._db.run("DELETE FROM turns WHERE id = ?", turn)
            pending.sessions.add(session)
            pending.chunks.pop(turn, None)
            over_text, over_turns, size = over_text - length, over_turns - 1, size - length
        self._db.run("UPDATE files SET text_size = ? WHERE id = ?", size, file)
