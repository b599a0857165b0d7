"""Giving chunks their vectors: newest first, a small transaction at a time, wherever it was left off.

The model works while nobody holds the lock of the index; what it made is written only for chunks that are still what
they were.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from .chunk import ID_BITS
from .database import Database
from .lock import Busy, exclusive
from .meaning import add_model, model_row
from .model_folder import Identity
from .store import NoIndex, Store, unpack

if TYPE_CHECKING:
    from .embedder import Embedder

STEP = 32
"""Chunks of one step, and of one transaction; a second's work or two."""
BATCH = 16
"""Chunks that the model gets at once, of about the same length; more is slower and takes a gigabyte of memory."""
PATIENCE = 5.0
"""Seconds to wait for another who is writing."""
LONGEST = 2_000
"""Characters of a chunk that are given to the model, which looks at fewer."""
_FIRST = 1 << (ID_BITS + 40)
"""Greater than any chunk's id."""
_WANTED = "turns.number IS NOT NULL AND turns.role != 'tool'"
"""Abandoned branches are seldom looked for, and what tools said is long and seldom has a meaning."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk without a vector."""

    id: int
    turn: int
    start: int
    stop: int
    hash: int
    """Of its turn's role and text."""
    text: str


@dataclass(frozen=True, slots=True)
class Embedded:
    """How far it has come: chunks that have their vector, of those that are to have one."""

    done: int
    total: int

    @property
    def is_finished(self) -> bool:
        return self.done >= self.total


class Embedding:
    """One way through an index, from its newest chunk to its oldest."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self._store, self._embedder = store, embedder
        self._before = _FIRST
        self.progress = Embedded(0, 0)

    def begin(self) -> Embedded:
        """Start from the newest; gives how far the index is. Raises StoreError, `database.Error`."""
        self._before = _FIRST
        try:
            with closing(self._store.read()) as db:
                self.progress = embedded(db, self._embedder.identity)
        except NoIndex:
            self.progress = Embedded(0, 0)
        return self.progress

    def step(self, stopped: Callable[[], bool] = lambda: False) -> bool:
        """Embed the next chunks; gives whether there were any. `stopped` is asked between batches.

        Raises Busy, StoreError, `database.Error`, and what a model raises that fails.
        """
        with closing(self._store.read()) as db:
            chunks = list(islice(self._without(db), STEP))
        if not chunks:
            return False
        made: list[tuple[Chunk, bytes]] = []
        ordered = sorted(chunks, key=lambda chunk: len(chunk.text))
        for first in range(0, len(ordered), BATCH):
            if stopped():
                break
            batch = ordered[first : first + BATCH]
            made += zip(batch, self._vectors(batch), strict=True)
        if made:
            self._write(made)
        if len(made) == len(chunks):
            self._before = chunks[-1].id
        return True

    def _without(self, db: Database) -> Generator[Chunk]:
        row = model_row(db, self._embedder.identity)
        rows = db.rows(
            f"""SELECT chunks.id, turn, start, stop, hash, text FROM chunks JOIN turns ON turns.id = chunks.turn
                WHERE chunks.id < ? AND {_WANTED}
                  AND NOT EXISTS (SELECT 1 FROM vectors WHERE chunk = chunks.id AND model = ?)
                ORDER BY chunks.id DESC""",  # noqa: S608
            self._before,
            row[0] if row else -1,
        )
        for number, turn, start, stop, text_hash, text in rows:
            yield Chunk(number, turn, start, stop, text_hash, unpack(text)[start : min(stop, start + LONGEST)])

    def _vectors(self, batch: list[Chunk]) -> list[bytes]:
        from .vectors import quantise

        return [row.tobytes() for row in quantise(self._embedder.passages([chunk.text for chunk in batch]))]

    def _write(self, made: list[tuple[Chunk, bytes]]) -> None:
        with self._store.write(PATIENCE) as db, db.transaction():
            model = add_model(db, self._embedder.identity, int(time.time() * 1000))
            for chunk, vector in made:
                db.run(
                    """REPLACE INTO vectors (chunk, model, vector)
                       SELECT chunks.id, ?, ? FROM chunks JOIN turns ON turns.id = chunks.turn
                       WHERE chunks.id = ? AND turn = ? AND start = ? AND stop = ? AND hash = ?""",
                    model, vector, chunk.id, chunk.turn, chunk.start, chunk.stop, chunk.hash,
                )  # fmt: skip
        self.progress = Embedded(self.progress.done + len(made), self.progress.total)


@contextlib.contextmanager
def alone(home: Path) -> Generator[None]:
    """Nobody else embeds for this home meanwhile. Raises Busy."""
    with exclusive(home / "embedding.lock"):
        yield


def embedded(db: Database, identity: Identity) -> Embedded:
    """How far an index is with one model."""
    row = model_row(db, identity)
    total = db.value(f"SELECT count(*) FROM chunks JOIN turns ON turns.id = chunks.turn WHERE {_WANTED}")  # noqa: S608
    if row is None:
        return Embedded(0, total)
    done = db.value(
        f"""SELECT count(*) FROM vectors JOIN chunks ON chunks.id = vectors.chunk JOIN turns ON turns.id = chunks.turn
            WHERE vectors.model = ? AND {_WANTED}""",  # noqa: S608
        row[0],
    )
    return Embedded(done, total)


__all__ = ["Busy", "Chunk", "Embedded", "Embedding", "alone", "embedded"]
