"""Chunks and their rows in the full text: put in, taken out, and joined up afterwards."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .chunk import ID_BITS, cut, date_words, day_of
from .database import Database
from .identifiers import spelled_out
from .model import Role
from .tokens import segment


@dataclass(frozen=True, slots=True)
class NewChunk:
    """A chunk on its way into the index."""

    day: int
    turn: int
    start: int
    stop: int
    text: str
    date: str


def chunks_of(turn: int, role: Role, time: int | None, text: str) -> list[NewChunk]:
    """What a turn's text is cut into."""
    day, date = day_of(time), date_words(time)
    return [NewChunk(day, turn, start, stop, text[start:stop], date) for start, stop in cut(text, role)]


def insert_chunks(db: Database, chunks: Iterable[NewChunk]) -> None:
    """By ascending id: FTS5 flushes what it has gathered at every step back."""
    last: dict[int, int] = {}
    rows: list[tuple[int, NewChunk]] = []
    for chunk in sorted(chunks, key=lambda chunk: chunk.day):
        if chunk.day not in last:
            first = chunk.day << ID_BITS
            newest = db.value("SELECT max(id) FROM chunks WHERE id >= ? AND id < ?", first, first + (1 << ID_BITS))
            last[chunk.day] = first if newest is None else newest
        last[chunk.day] += 1
        rows.append((last[chunk.day], chunk))
    db.run_many("INSERT INTO chunks VALUES (?, ?, ?, ?)", [(at, new.turn, new.start, new.stop) for at, new in rows])
    db.run_many(
        "INSERT INTO words (rowid, text, date) VALUES (?, ?, ?)",
        ((at, segment(new.text), f"{new.date} {spelled_out(new.text)}".strip()) for at, new in rows),
    )


def drop_chunks_of_turn(db: Database, turn: int) -> None:
    db.run("DELETE FROM words WHERE rowid IN (SELECT id FROM chunks WHERE turn = ?)", turn)
    db.run("DELETE FROM chunks WHERE turn = ?", turn)


def drop_chunks_of_file(db: Database, file: int) -> None:
    chunks = "SELECT chunks.id FROM turns JOIN chunks ON chunks.turn = turns.id WHERE turns.file = ?"
    db.run(f"DELETE FROM words WHERE rowid IN ({chunks})", file)  # noqa: S608, the text above
    db.run(f"DELETE FROM chunks WHERE id IN ({chunks})", file)  # noqa: S608


def merge(db: Database, *, all_of_it: bool) -> None:
    """Let FTS5 join its segments: all of them after much has changed, a little after an ordinary pass."""
    command, amount = ("optimize", 0) if all_of_it else ("merge", 200)
    db.run("INSERT INTO words (words, rank) VALUES (?, ?)", command, amount)
    db.run(f"PRAGMA wal_checkpoint({'TRUNCATE' if all_of_it else 'PASSIVE'})")
