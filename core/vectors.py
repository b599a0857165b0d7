"""The vectors of an index in memory, and which of them are nearest to that of a query. Needs numpy.

Fast at 300,000 of them, and exact but for the choice of the candidates: a first pass compares the signs of their
components, 48 bytes a vector, then the cosines of the best thousand are taken from their bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .database import Database, Row

RESCORED = 1_000
"""So many of the first pass have their cosine taken; with 500 of 100,000 not one in fifty of the best ten is lost."""
EXACT_BELOW = 4_096
"""With fewer vectors than this the first pass is not worth its while."""
_READ_AT_ONCE = 20_000
_SAMPLED = 20_000
"""So many vectors tell the mean of all."""

Floats = NDArray[np.float32]
Bytes = NDArray[np.int8]
Numbers = NDArray[np.int64]


def quantise(vectors: Floats) -> Bytes:
    """Each row as bytes, its largest component as 127 or -127; its length is taken again from these when it is read."""
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    scaled = vectors * (127 / np.where(largest > 0, largest, 1))
    return np.rint(scaled).astype(np.int8)


class Vectors:
    """All vectors of one model in one index, brought up to date by what was added and dropped since."""

    def __init__(self, model: int, dimension: int) -> None:
        """`model`: its row."""
        self._model, self._dimension = model, dimension
        self._count = 0
        self._ids: Numbers = np.empty(0, np.int64)
        self._chunks: Numbers = np.empty(0, np.int64)
        self._lengths: Floats = np.empty(0, np.float32)
        self._bytes: Bytes = np.empty((0, dimension), np.int8)
        self._signs: NDArray[np.uint64] = np.empty((0, dimension // 64), np.uint64)
        self._centre: Floats = np.zeros(dimension, np.float32)
        """The mean of all; signs are of what a vector differs from it, as those of some models share most of it."""
        self._level: Bytes = np.zeros(dimension, np.int8)
        self._centred_at = 0
        self._by_chunk: Numbers = np.empty(0, np.int64)

    def __len__(self) -> int:
        return self._count

    def refresh(self, db: Database) -> None:
        """Learn what has changed; no id was ever given twice, so what is new has greater ones."""
        first = self._count
        there = db.value("SELECT count(*) FROM vectors WHERE model = ?", self._model)
        last = int(self._ids[first - 1]) if first else 0
        while rows := list(
            db.rows(
                f"SELECT id, chunk, vector FROM vectors WHERE model = ? AND id > ? ORDER BY id LIMIT {_READ_AT_ONCE}",  # noqa: S608
                self._model, last,
            )
        ):  # fmt: skip
            self._append(rows, there)
            last = rows[-1][0]
        added, dropped = self._count > first, there != self._count
        if added and self._count > 1.5 * self._centred_at:
            self._centre_anew()
        elif added:
            self._sign(first, self._count)
        if dropped:
            ids = [row[0] for row in db.rows("SELECT id FROM vectors WHERE model = ?", self._model)]
            self._keep(np.array(ids, np.int64))
        if added or dropped:
            self._by_chunk = np.argsort(self._chunks[: self._count], kind="stable")

    def nearest(self, query: Floats, limit: int, among: Numbers | None = None) -> list[tuple[int, int]]:
        """(id, chunk) of the vectors nearest to `query`, the nearest first; of all or of those of some chunks."""
        rows = np.arange(self._count) if among is None else self._rows(among)
        rows = rows[rows >= 0]
        wanted = max(limit, RESCORED)
        if len(rows) > max(EXACT_BELOW, wanted):
            signs = self._signs[: self._count] if among is None else self._signs[rows]
            distance = np.bitwise_count(signs ^ self._signs_of(query[None])[0]).sum(axis=1, dtype=np.uint16)
            rows = rows[np.argpartition(distance, wanted)[:wanted]]
        cosines = self._cosines(query, rows)
        best = rows[np.lexsort((-self._chunks[rows], -cosines))[:limit]]
        return [(int(self._ids[row]), int(self._chunks[row])) for row in best]

    def likeness(self, query: Floats, chunks: Sequence[int]) -> list[float | None]:
        """Of each chunk its cosine with `query` less the mean of all; None for one that has no vector."""
        if not self._count:
            return [None] * len(chunks)
        rows = self._rows(np.asarray(chunks, np.int64))
        values = self._cosines(query, np.maximum(rows, 0)) - self.mean(query)
        return [float(value) if row >= 0 else None for row, value in zip(rows, values, strict=True)]

    def mean(self, query: Floats) -> float:
        """The mean of all cosines with `query`, from a sample."""
        return float(self._centre @ query)

    # ---- parts ----

    def _cosines(self, query: Floats, rows: Numbers) -> Floats:
        return (self._bytes[rows].astype(np.float32) @ query) / self._lengths[rows]

    def _rows(self, chunks: Numbers) -> Numbers:
        """Where each chunk is; -1 for one that is not there."""
        if not self._count:
            return np.full(len(chunks), -1, np.int64)
        ordered = self._chunks[self._by_chunk]
        at = np.minimum(np.searchsorted(ordered, chunks), self._count - 1)
        return np.where(ordered[at] == chunks, self._by_chunk[at], -1)

    def _append(self, rows: Sequence[Row], there: int) -> None:
        """`there` are so many in the index, for which room is made at once."""
        first, self._count = self._count, self._count + len(rows)
        if self._count > len(self._ids):
            self._reserve(max(1_024, there, self._count) * 9 // 8)
        self._ids[first : self._count] = [row[0] for row in rows]
        self._chunks[first : self._count] = [row[1] for row in rows]
        new = np.frombuffer(b"".join(row[2] for row in rows), np.int8).reshape(len(rows), self._dimension)
        self._bytes[first : self._count] = new
        squares = np.einsum("ij,ij->i", new, new, dtype=np.int32, casting="unsafe")
        self._lengths[first : self._count] = np.sqrt(np.maximum(squares, 1))

    def _reserve(self, size: int) -> None:
        """Room for more, so that each refresh copies only what is new."""
        for name in ("_ids", "_chunks", "_lengths", "_bytes", "_signs"):
            old: NDArray[np.generic] = getattr(self, name)
            new = np.empty((size, *old.shape[1:]), old.dtype)
            new[: len(old)] = old
            setattr(self, name, new)

    def _keep(self, ids: Numbers) -> None:
        kept = np.flatnonzero(np.isin(self._ids[: self._count], ids))
        for name in ("_ids", "_chunks", "_lengths", "_bytes", "_signs"):
            array: NDArray[np.generic] = getattr(self, name)
            array[: len(kept)] = array[kept]
        self._count = len(kept)

    def _centre_anew(self) -> None:
        sample = np.arange(0, self._count, max(1, self._count // _SAMPLED))
        self._centre = (self._bytes[sample] / self._lengths[sample, None]).mean(axis=0, dtype=np.float32)
        length = float(self._lengths[: self._count].mean())
        self._level = np.clip(np.rint(self._centre * length), -127, 127).astype(np.int8)
        self._centred_at = self._count
        for first in range(0, self._count, _READ_AT_ONCE):
            self._sign(first, min(self._count, first + _READ_AT_ONCE))

    def _sign(self, first: int, stop: int) -> None:
        self._signs[first:stop] = _packed(self._bytes[first:stop] > self._level)

    def _signs_of(self, vectors: Floats) -> NDArray[np.uint64]:
        return _packed(vectors > self._centre)


def _packed(signs: NDArray[np.bool_]) -> NDArray[np.uint64]:
    return np.packbits(signs, axis=1).view(np.uint64)
