"""The one writer: batches of turns with their chunks, index rows and file cursors, each lot in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .chunk import ID_BITS, cut, date_words, day_of
from .database import Database
from .intake import Batch, NewTurn, rejoined, text_hash
from .ledger import KnownFile, Prefix, Stamp, add_skips, leave_out, save_file
from .sessions import renumber, row_of, save_facts
from .store import pack, unpack
from .tokens import segment

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
    most_turns: int | None = None
    """How many turns, the newest, are kept of this file; None: all."""
    most_turns_reason: str = "total"
    most_text: int = 0
    """How many characters of text, the newest, are kept of this file; 0: all."""


@dataclass(frozen=True, slots=True)
class _Chunk:
    day: int
    turn: int
    start: int
    stop: int
    text: str
    date: str


@dataclass(slots=True)
class _Pending:
    """What a transaction still has to do at its end."""

    chunks: list[_Chunk] = field(default_factory=list[_Chunk])
    sessions: set[int] = field(default_factory=set[int])

    def forget_turn(self, turn: int) -> None:
        self.chunks = [chunk for chunk in self.chunks if chunk.turn != turn]


class Writer:
    """Changes the index; used inside `Store.write`."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def save(self, writes: Sequence[FileWrite]) -> None:
        """Write batches and their files' cursors, all or nothing."""
        pending = _Pending()
        with self._db.transaction():
            for write in writes:
                self._save(write, pending)
            for session in pending.sessions:
                renumber(self._db, session)
            self._insert_chunks(pending.chunks)

    def mark_gone(self, files: Iterable[KnownFile], *, forget: bool) -> None:
        """The store no longer has these files: mark their sessions, or with `forget` drop them."""
        with self._db.transaction():
            for file in files:
                touched = self._sessions_of(file.id)
                if forget or not touched:
                    self._drop_file(file.id)
                else:
                    self._db.run("UPDATE files SET state = 'gone', reason = NULL WHERE id = ?", file.id)
                for session in touched:
                    renumber(self._db, session)

    def look_again(self, file: KnownFile) -> None:
        """Work out anew what depends on the state of a file."""
        with self._db.transaction():
            for session in self._sessions_of(file.id):
                renumber(self._db, session)

    def purge(self, source: str) -> None:
        """Drop everything of a source."""
        with self._db.transaction():
            for (file,) in list(self._db.rows("SELECT id FROM files WHERE source = ?", source)):
                self._drop_file(file)
            for table in ("sessions", "titles", "skips", "left_out", "runs"):
                self._db.run(f"DELETE FROM {table} WHERE source = ?", source)  # noqa: S608, the five names above

    def merge(self, *, all_of_it: bool) -> None:
        """Let FTS5 join its segments: all of them after a first build, a little after an ordinary pass."""
        command, amount = ("optimize", 0) if all_of_it else ("merge", 200)
        self._db.run("INSERT INTO words (words, rank) VALUES (?, ?)", command, amount)
        self._db.run(f"PRAGMA wal_checkpoint({'TRUNCATE' if all_of_it else 'PASSIVE'})")

    # ---- one batch ----

    def _save(self, write: FileWrite, pending: _Pending) -> None:
        db, batch = self._db, write.batch
        file = save_file(
            db, write.source, write.path, write.stamp, write.prefix, write.adapter_version, batch.checkpoint.state
        )
        if write.fresh:
            pending.sessions |= self._clear_file(file)
        for facts in batch.sessions.values():
            pending.sessions.add(save_facts(db, write.source, facts))
        rows = {name: row_of(db, write.source, name) for name in _names(batch)}
        pending.sessions |= set(rows.values())
        for turn in batch.turns:
            self._save_turn(rows[turn.session], file, turn, pending)
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
        self._fit(write, file, pending)

    def _save_turn(self, session: int, file: int, turn: NewTurn, pending: _Pending) -> None:
        known = self._known_turn(session, file, turn)
        if turn.more and known is not None:
            self._extend(known, file, turn, pending)
        elif known is None:
            row = self._db.insert(
                "INSERT INTO turns VALUES (NULL, ?, ?, ?, NULL, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?)",
                session, file, turn.seq, turn.role, turn.time, turn.quality, turn.native_id, turn.parent_id,
                text_hash(turn.role, turn.text), len(turn.text), FENCE in turn.text, pack(turn.text),
            )  # fmt: skip
            self._db.run("UPDATE files SET text_size = text_size + ? WHERE id = ?", len(turn.text), file)
            self._cut(row, turn, turn.text, pending)

    def _known_turn(self, session: int, file: int, turn: NewTurn) -> int | None:
        """The row of the same turn: read before, or from a second copy of its file."""
        if turn.native_id is not None:
            return self._db.value("SELECT id FROM turns WHERE native_id = ? AND session = ?", turn.native_id, session)
        return self._db.value(
            "SELECT id FROM turns WHERE hash = ? AND session = ? AND file != ? AND seq = ?",
            text_hash(turn.role, turn.text), session, file, turn.seq,
        )  # fmt: skip

    def _extend(self, row: int, file: int, turn: NewTurn, pending: _Pending) -> None:
        old = unpack(self._db.value("SELECT text FROM turns WHERE id = ?", row))
        text = rejoined(old, turn.text)
        self._drop_chunks(row)
        pending.forget_turn(row)
        values = (pack(text), text_hash(turn.role, text), len(text), FENCE in text, row)
        self._db.run("UPDATE turns SET text = ?, hash = ?, size = ?, code = ? WHERE id = ?", *values)
        self._db.run("UPDATE files SET text_size = text_size + ? WHERE id = ?", len(text) - len(old), file)
        self._cut(row, turn, text, pending)

    def _cut(self, row: int, turn: NewTurn, text: str, pending: _Pending) -> None:
        day, date = day_of(turn.time), date_words(turn.time)
        pending.chunks += [
            _Chunk(day, row, start, stop, text[start:stop], date) for start, stop in cut(text, turn.role)
        ]

    def _insert_chunks(self, chunks: list[_Chunk]) -> None:
        """By ascending id: FTS5 flushes what it has gathered at every step back."""
        last: dict[int, int] = {}
        rows: list[tuple[int, _Chunk]] = []
        for chunk in sorted(chunks, key=lambda chunk: chunk.day):
            if chunk.day not in last:
                first = chunk.day << ID_BITS
                newest = self._db.value(
                    "SELECT max(id) FROM chunks WHERE id >= ? AND id < ?", first, first + (1 << ID_BITS)
                )
                last[chunk.day] = first if newest is None else newest
            last[chunk.day] += 1
            rows.append((last[chunk.day], chunk))
        self._db.run_many(
            "INSERT INTO chunks VALUES (?, ?, ?, ?)", [(at, chunk.turn, chunk.start, chunk.stop) for at, chunk in rows]
        )
        self._db.run_many(
            "INSERT INTO words (rowid, text, date) VALUES (?, ?, ?)",
            ((at, segment(chunk.text), chunk.date) for at, chunk in rows),
        )

    # ---- dropping ----

    def _sessions_of(self, file: int) -> set[int]:
        return {row[0] for row in self._db.rows("SELECT DISTINCT session FROM turns WHERE file = ?", file)}

    def _clear_file(self, file: int) -> set[int]:
        """Drop everything read from a file but the file itself; gives the sessions that this touched."""
        touched = self._sessions_of(file)
        for (turn,) in list(self._db.rows("SELECT id FROM turns WHERE file = ?", file)):
            self._drop_chunks(turn)
        for table in ("turns", "titles", "cuts", "left_out"):
            self._db.run(f"DELETE FROM {table} WHERE file = ?", file)  # noqa: S608, the four names above
        self._db.run("UPDATE files SET text_size = 0 WHERE id = ?", file)
        self._db.run("DELETE FROM skips WHERE path = (SELECT path FROM files WHERE id = ?)", file)
        return touched

    def _drop_file(self, file: int) -> None:
        self._clear_file(file)
        self._db.run("DELETE FROM files WHERE id = ?", file)

    def _drop_chunks(self, turn: int) -> None:
        self._db.run("DELETE FROM words WHERE rowid IN (SELECT id FROM chunks WHERE turn = ?)", turn)
        self._db.run("DELETE FROM chunks WHERE turn = ?", turn)

    def _fit(self, write: FileWrite, file: int, pending: _Pending) -> None:
        """Drop the oldest turns of a file that has more than is kept of one."""
        size = self._db.value("SELECT text_size FROM files WHERE id = ?", file)
        over_text = size - write.most_text if write.most_text else 0
        count = self._db.value("SELECT count(*) FROM turns WHERE file = ?", file) if write.most_turns is not None else 0
        over_turns = count - (write.most_turns or 0) if write.most_turns is not None else 0
        if over_text <= 0 and over_turns <= 0:
            return
        oldest = list(self._db.rows("SELECT id, session, size FROM turns WHERE file = ? ORDER BY seq", file))
        for turn, session, length in oldest:
            if over_text <= 0 and over_turns <= 0:
                break
            reason = "per_file" if over_text > 0 else write.most_turns_reason
            name = self._db.value("SELECT native_id FROM sessions WHERE id = ?", session)
            leave_out(self._db, write.source, name, file, reason)
            self._drop_chunks(turn)
            self._db.run("DELETE FROM turns WHERE id = ?", turn)
            pending.sessions.add(session)
            pending.forget_turn(turn)
            over_text, over_turns, size = over_text - length, over_turns - 1, size - length
        self._db.run("UPDATE files SET text_size = ? WHERE id = ?", size, file)


def _names(batch: Batch) -> set[str]:
    """The sessions that a batch has anything of."""
    return {each.session for each in (*batch.turns, *batch.undos, *batch.cuts)}
