"""What an earlier reading of a file left in the index, until a new one meets it again: that keeps its rows."""

from __future__ import annotations

from .database import Database
from .fulltext import drop_chunks_of_turn
from .intake import NewTurn

_Identity = tuple[int, str, int | str | None, int, int]
"""(session, role, time, hash of role and text, characters of text)

A part of a file that is cited by its lines has in place of its time the quality of that: when the file was changed
elsewhere the part is the same, and keeps its time.
"""


class OldTurns:
    """The turns of one file that were there before it was read again."""

    def __init__(self, db: Database, file: int) -> None:
        self._db = db
        self._rows: dict[_Identity, list[int]] = {}
        self.left: set[int] = set()
        """Rows that were not met again so far."""
        for row, *identity in db.rows(
            """SELECT id, session, role, iif(cite IS NULL, time, quality), hash, size
               FROM turns WHERE file = ? ORDER BY seq DESC""",
            file,
        ):
            self._rows.setdefault((identity[0], identity[1], identity[2], identity[3], identity[4]), []).append(row)
            self.left.add(row)

    def meet(self, session: int, turn: NewTurn, text_hash: int) -> int | None:
        """The row of a turn that is the same in all that is searched; the rest of it is brought up to date."""
        time = turn.time if turn.cite is None else turn.quality
        rows = self._rows.get((session, turn.role, time, text_hash, len(turn.text)))
        if not rows:
            return None
        row = rows.pop()
        self.left.discard(row)
        self._db.run(
            """UPDATE turns SET (seq, quality, native_id, parent_id, undone, cite) = (?1, ?2, ?3, ?4, 0, ?5)
               WHERE id = ?6 AND (seq, quality, native_id, parent_id, undone, cite) IS NOT (?1, ?2, ?3, ?4, 0, ?5)""",
            turn.seq, turn.quality, turn.native_id, turn.parent_id, turn.cite, row,
        )  # fmt: skip
        return row

    def drop_left(self) -> None:
        """Drop what was not met again."""
        for row in self.left:
            drop_chunks_of_turn(self._db, row)
        self._db.run_many("DELETE FROM turns WHERE id = ?", [(row,) for row in self.left])
        self.left = set()
