"""Turns into the index: new ones with their chunks, those that an earlier reading left as they are; within limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .database import Database, Row
from .dropping import drop_turns_of_file
from .fulltext import NewChunk, chunks_of, drop_chunks_of_turn, insert_chunks
from .intake import NewTurn, rejoined
from .ledger import leave_out
from .model import Role
from .old_turns import OldTurns
from .packing import pack, text_hash, unpack

FENCE = "```"
"""What marks a code block, for `has:code`."""
MOST_WAITING = 8_000_000
"""Characters of chunks that wait in memory within one transaction."""


@dataclass(slots=True)
class TurnRows:
    """The turns of one transaction. Their chunks wait for its end: they go in by ascending number."""

    db: Database
    sessions: set[int] = field(default_factory=set[int])
    """Rows of sessions that lost a turn to a limit."""
    _chunks: dict[int, list[NewChunk]] = field(default_factory=dict[int, list[NewChunk]])
    """By turn."""
    _waiting: int = 0
    _old: dict[int, OldTurns] = field(default_factory=dict[int, OldTurns])
    """By file."""

    def begin_again(self, file: int, *, keep: bool) -> None:
        """From now on a file is read from its beginning: what it does not say again goes; all of it without `keep`."""
        if keep:
            self._old[file] = OldTurns(self.db, file)
            return
        self._old.pop(file, None)
        for (row,) in self.db.rows("SELECT id FROM turns WHERE file = ?", file):
            self._chunks.pop(row, None)
        drop_turns_of_file(self.db, file)

    def cut(self, turn: int, role: Role, time: int | None, text: str) -> None:
        """Have a turn's chunks put in at the end; those it had are dropped already."""
        self._chunks[turn] = chunks_of(turn, role, time, text)
        self._waiting += len(text)
        if self._waiting > MOST_WAITING:
            self._insert_chunks()

    def finish(self) -> None:
        """Drop what was not said again, and put the chunks in."""
        for old in self._old.values():
            self._drop_left(old)
        self._insert_chunks()

    def _drop_left(self, old: OldTurns) -> None:
        for row in old.left:
            self._chunks.pop(row, None)  # of a file that is read again within the same transaction
        old.drop_left()

    def _insert_chunks(self) -> None:
        insert_chunks(self.db, (chunk for chunks in self._chunks.values() for chunk in chunks))
        self._chunks, self._waiting = {}, 0

    # ---- putting in ----

    def save(self, turns: Sequence[NewTurn], sessions: Mapping[str, int], file: int, *, all_new: bool) -> None:
        """A turn is kept once a file; that files have the same turn is settled when the session is numbered."""
        row = (self.db.value("SELECT max(id) FROM turns") or 0) + 1
        ids: set[tuple[str, str]] = set()
        new: list[Row] = []
        old, size = self._old.get(file), 0
        for turn in turns:
            session = sessions[turn.session]
            if turn.native_id is not None:
                known = None if all_new else self._row_of_turn(file, session, turn.native_id)
                if known is not None and (more := turn.text if turn.more else turn.rest):
                    self._extend(known, file, more)
                if known is not None or (turn.session, turn.native_id) in ids:
                    continue
                ids.add((turn.session, turn.native_id))
            said = text_hash(turn.role, turn.text)
            size += len(turn.text)
            if old and old.meet(session, turn, said) is not None:
                continue
            new.append(
                (
                    row, session, file, turn.seq, turn.role, turn.time, turn.quality, turn.native_id, turn.parent_id,
                    said, len(turn.text), FENCE in turn.text, pack(turn.text), turn.cite,
                )
            )  # fmt: skip
            self.cut(row, turn.role, turn.time, turn.text)
            row += 1
        self.db.run_many("INSERT INTO turns VALUES (?, ?, ?, ?, NULL, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?)", new)
        self.db.run("UPDATE files SET text_size = text_size + ? WHERE id = ?", size, file)

    def _row_of_turn(self, file: int, session: int, native_id: str) -> int | None:
        find = "SELECT id FROM turns WHERE native_id = ? AND session = ? AND file = ?"
        rows = [row[0] for row in self.db.rows(find, native_id, session, file)]
        left = self._left(file)
        return next((row for row in rows if row not in left), None)

    def _left(self, file: int) -> set[int]:
        return self._old[file].left if file in self._old else set()

    def _extend(self, row: int, file: int, more: str) -> None:
        role, time, stored = next(self.db.rows("SELECT role, time, text FROM turns WHERE id = ?", row))
        old = unpack(stored)
        text = rejoined(old, more)
        drop_chunks_of_turn(self.db, row)
        values = (pack(text), text_hash(role, text), len(text), FENCE in text, row)
        self.db.run("UPDATE turns SET text = ?, hash = ?, size = ?, code = ? WHERE id = ?", *values)
        self.db.run("UPDATE files SET text_size = text_size + ? WHERE id = ?", len(text) - len(old), file)
        self.cut(row, role, time, text)

    # ---- making fit ----

    def fit(self, source: str, file: int, most_turns: int | None, reason: str, most_text: int) -> None:
        """Drop the oldest turns of a file that has more than is kept of one; `most_text` of 0 is no limit."""
        size = self.db.value("SELECT text_size FROM files WHERE id = ?", file)
        left = self._left(file)
        over_text = size - most_text if most_text else 0
        over_turns = 0
        if most_turns is not None:
            have = self.db.value("SELECT count(*) FROM turns WHERE file = ?", file)
            over_turns = have - len(left) - most_turns
        if over_text <= 0 and over_turns <= 0:
            return
        oldest = list(self.db.rows("SELECT id, session, size FROM turns WHERE file = ? ORDER BY seq", file))
        for turn, session, length in oldest:
            if over_text <= 0 and over_turns <= 0:
                break
            if turn in left:
                continue
            name = self.db.value("SELECT native_id FROM sessions WHERE id = ?", session)
            leave_out(self.db, source, name, file, "per_file" if over_text > 0 else reason)
            drop_chunks_of_turn(self.db, turn)
            self.db.run("DELETE FROM turns WHERE id = ?", turn)
            self.sessions.add(session)
            self._chunks.pop(turn, None)
            over_text, over_turns, size = over_text - length, over_turns - 1, size - length
        self.db.run("UPDATE files SET text_size = ? WHERE id = ?", size, file)
