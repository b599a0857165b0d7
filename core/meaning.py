"""What one process knows of meaning: the model, loaded once, and the vectors of one index; for any of its threads.

Whatever goes wrong here is said in `Meaning.trouble` and costs nobody a search by words.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .config import Semantic
from .database import Database
from .no_model import NoModel
from .query import Query

if TYPE_CHECKING:
    from .embedder import Embedder
    from .model_folder import Identity
    from .vectors import Floats, Vectors

RETRY_SECONDS = 30.0
"""After so long a model that could not be loaded is tried again: its files may have come."""
REMEMBERED = 256
"""Queries whose vectors are kept: while one types back and forth they come again."""

Opener = Callable[[Semantic, Path, int | None], "Embedder"]
"""Loads the model of `[semantic]` from a harkback folder, to use so many threads at most. Raises NoModel."""


class Asked:
    """One query against the vectors of one index."""

    def __init__(self, lock: threading.Lock, vectors: Vectors, query: Floats) -> None:
        self._lock, self._vectors, self._query = lock, vectors, query
        self.mean = vectors.mean(query)
        """The mean of the cosines of all."""

    def nearest(self, limit: int, among: Sequence[int] | None = None) -> list[int]:
        """The ids of the nearest vectors, the nearest first; of all, or of those of some chunks."""
        import numpy as np

        chunks = None if among is None else np.asarray(among, np.int64)
        with self._lock:
            return [number for number, _ in self._vectors.nearest(self._query, limit, chunks)]

    def likeness(self, chunks: Sequence[int]) -> dict[int, float]:
        """Of each chunk that has a vector its cosine less the mean of all."""
        with self._lock:
            values = self._vectors.likeness(self._query, chunks)
        return {chunk: value for chunk, value in zip(chunks, values, strict=True) if value is not None}


class Meaning:
    """The arm of search that goes by meaning."""

    def __init__(self, semantic: Semantic, home: Path, opener: Opener) -> None:
        """`home`: harkback's own folder. Loads nothing yet."""
        self._semantic, self._home, self._opener = semantic, home, opener
        self._lock, self._loading = threading.Lock(), threading.Lock()
        self._embedder: Embedder | None = None
        self._failed_at: float | None = None
        self._queries: dict[str, Any] = {}
        self._vectors: tuple[tuple[int, int], Vectors] | None = None
        self.trouble = ""
        """Why there is none of it now, in a sentence."""

    @property
    def is_loaded(self) -> bool:
        """Whether asking costs milliseconds."""
        return self._embedder is not None or (
            self._failed_at is not None and time.monotonic() - self._failed_at < RETRY_SECONDS
        )

    def load(self) -> bool:
        """Load the model, if that is not done yet; gives whether there is one."""
        with self._loading:
            if not self.is_loaded:
                try:
                    self._embedder, self._failed_at, self.trouble = (
                        self._opener(self._semantic, self._home, None),
                        None,
                        "",
                    )
                except NoModel as error:
                    self._failed_at, self.trouble = time.monotonic(), str(error)
        return self._embedder is not None

    def ask(self, db: Database, query: Query) -> Asked | None:
        """Look for a query in an index; None where that can't be done, and `trouble` says why.

        Raises `database.Error`, as everything does that reads the index.
        """
        text = spoken(query)
        if not text or not self.load() or self._embedder is None:
            return None
        identity = self._embedder.identity
        row = model_row(db, identity)
        if row is None:
            none = "what another model made waits to be made anew" if has_vectors(db) else "nothing is embedded yet"
            self.trouble = f"{none}; `harkback index` does that"
            return None
        try:
            with self._lock:
                if text not in self._queries:
                    if len(self._queries) >= REMEMBERED:
                        self._queries.clear()
                    self._queries[text] = self._embedder.query(text)
                vectors = self._up_to_date(db, row, identity.dimension)
        except (ValueError, RuntimeError, MemoryError) as error:
            self.trouble = f"the model failed ({type(error).__name__})"
            return None
        self.trouble = ""
        return Asked(self._lock, vectors, self._queries[text]) if len(vectors) else None

    def _up_to_date(self, db: Database, row: tuple[int, int], dimension: int) -> Vectors:
        from .vectors import Vectors

        if self._vectors is None or self._vectors[0] != row:
            self._vectors = row, Vectors(row[0], dimension)
        self._vectors[1].refresh(db)
        return self._vectors[1]


_known: dict[Path, tuple[tuple[Semantic, Opener], Meaning]] = {}


def meaning_for(semantic: Semantic, home: Path, opener: Opener) -> Meaning | None:
    """The one of this process for a harkback home; None where the person has not turned it on."""
    if not semantic.enabled:
        _known.pop(home, None)
        return None
    have = _known.get(home)
    if have is None or have[0] != (semantic, opener):
        have = _known[home] = (semantic, opener), Meaning(semantic, home, opener)
    return have[1]


def spoken(query: Query) -> str:
    """What of a query has a meaning: all but filters, what is not wanted, and the signs of its language."""
    text = query.text
    for part in sorted((*query.filters, *query.problems, *query.unwanted), key=lambda part: -part.start):
        text = f"{text[: part.start]} {text[part.stop :]}"
    return " ".join(word for word in text.replace('"', " ").replace("*", " ").split() if word not in ("OR", "-"))


# ---- what the index says of models ----


def has_vectors(db: Database) -> bool:
    """Whether anything has been embedded at all, by whatever model."""
    return _knows_vectors(db) and bool(db.value("SELECT 1 FROM vectors LIMIT 1"))


def model_row(db: Database, identity: Identity) -> tuple[int, int] | None:
    """The row of a model with vectors and when it was made; None where there is none."""
    if not _knows_vectors(db):
        return None
    row = db.row(
        """SELECT id, made FROM models WHERE name = ? AND revision = ? AND dimension = ? AND pooling = ?
             AND query_prefix = ? AND passage_prefix = ? AND quantised = ?
             AND EXISTS (SELECT 1 FROM vectors WHERE model = models.id)""",
        *_columns(identity),
    )
    return (row[0], row[1]) if row else None


def add_model(db: Database, identity: Identity, now: int) -> int:
    """The row of a model, made if there is none; within a transaction of the caller's. `now` is UTC ms."""
    db.run(
        """INSERT OR IGNORE INTO models
             (name, revision, dimension, pooling, query_prefix, passage_prefix, quantised, made)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
        *_columns(identity), now,
    )  # fmt: skip
    return db.value(
        """SELECT id FROM models WHERE name = ? AND revision = ? AND dimension = ? AND pooling = ?
             AND query_prefix = ? AND passage_prefix = ? AND quantised = ?""",
        *_columns(identity),
    )


def _columns(identity: Identity) -> tuple[object, ...]:
    return (
        identity.name, identity.revision, identity.dimension, identity.pooling, identity.query_prefix,
        identity.passage_prefix, identity.quantised,
    )  # fmt: skip


def _knows_vectors(db: Database) -> bool:
    """An index of an older format does not, until it is migrated."""
    return bool(db.value("SELECT 1 FROM sqlite_schema WHERE name = 'vectors'"))
