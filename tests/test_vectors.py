"""The vectors in memory: what is nearest is what arithmetic says, and what changed in the index has changed here."""

from __future__ import annotations

from importlib import resources

import numpy as np
import pytest
from harkback.core import vectors as module
from harkback.core.database import Database
from harkback.core.vectors import Vectors, quantise
from hypothesis import given, settings
from hypothesis import strategies as st

DIMENSION = 384


class Table:
    """The table of vectors in an index of its own."""

    def __init__(self) -> None:
        self.db = Database(None)
        self.db.run("PRAGMA foreign_keys=0")
        self.db.run_script(resources.files("harkback.core").joinpath("schema.sql").read_text("utf-8"))
        self.known: dict[int, np.ndarray] = {}
        self.vectors = Vectors(1, DIMENSION)

    def put(self, chunk: int, vector: np.ndarray, model: int = 1) -> None:
        data = quantise(vector[None].astype(np.float32))[0]
        self.db.run("INSERT OR IGNORE INTO chunks VALUES (?, 1, 0, 1)", chunk)
        self.db.run("REPLACE INTO vectors (chunk, model, vector) VALUES (?, ?, ?)", chunk, model, data.tobytes())
        self.known.pop(chunk, None)
        if model == 1:
            self.known[chunk] = data.astype(np.float64) / np.linalg.norm(data.astype(np.float64))

    def drop(self, chunk: int) -> None:
        self.db.run("DELETE FROM chunks WHERE id = ?", chunk)
        self.known.pop(chunk, None)

    def expected(self, query: np.ndarray, limit: int, among: set[int] | None = None) -> list[int]:
        chunks = [chunk for chunk in self.known if among is None or chunk in among]
        return sorted(chunks, key=lambda chunk: (-round(float(self.known[chunk] @ query), 5), -chunk))[:limit]

    def nearest(self, query: np.ndarray, limit: int, among: set[int] | None = None) -> list[int]:
        chosen = None if among is None else np.array(sorted(among), np.int64)
        return [chunk for _, chunk in self.vectors.nearest(query.astype(np.float32), limit, chosen)]


def unit(seed: int) -> np.ndarray:
    vector = np.random.default_rng(seed).standard_normal(DIMENSION) + 0.8  # real models share a direction too
    return vector / np.linalg.norm(vector)


steps = st.lists(
    st.tuples(
        st.sampled_from(["put", "put", "put", "drop", "other", "refresh"]), st.integers(1, 12), st.integers(0, 99)
    ),
    max_size=40,
)


@settings(max_examples=60)
@given(steps)
def test_it_knows_what_the_index_holds_however_that_came_about(steps: list[tuple[str, int, int]]) -> None:
    table = Table()
    for what, chunk, seed in steps:
        if what == "drop":
            table.drop(chunk)
        elif what == "refresh":
            table.vectors.refresh(table.db)
        else:
            table.put(chunk, unit(seed), model=1 if what == "put" else 2)
    table.vectors.refresh(table.db)
    assert len(table.vectors) == len(table.known)
    query = unit(1_000)
    assert sorted(table.nearest(query, 20)) == sorted(table.known)
    cosines = [float(table.known[chunk] @ query) for chunk in table.nearest(query, 20)]
    assert cosines == pytest.approx(sorted(cosines, reverse=True), abs=1e-5)
    mean = table.vectors.mean(query.astype(np.float32))
    for chunk, value in zip(range(1, 13), table.vectors.likeness(query.astype(np.float32), range(1, 13)), strict=True):
        if chunk in table.known:
            assert value == pytest.approx(float(table.known[chunk] @ query) - mean, abs=1e-5)
        else:
            assert value is None


def test_the_first_pass_over_signs_loses_next_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EXACT_BELOW", 0)
    monkeypatch.setattr(module, "RESCORED", 150)
    table = Table()
    for chunk in range(1, 3_001):  # a hundred subjects
        table.put(chunk, unit(chunk % 100) + 0.8 * unit(chunk + 1_000))
    table.vectors.refresh(table.db)
    found = 0
    for seed in range(20):
        query = unit(seed) + 0.5 * unit(90_000 + seed)
        query /= np.linalg.norm(query)
        found += len(set(table.nearest(query, 10)) & set(table.expected(query, 10)))
    assert found >= 195


def test_only_chunks_that_are_allowed_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table()
    for chunk in range(1, 200):
        table.put(chunk, unit(chunk))
    table.vectors.refresh(table.db)
    allowed = {3, 77, 150, 4_000}
    assert set(table.nearest(unit(5), 10, allowed)) == {3, 77, 150}
    assert table.nearest(unit(5), 10, set()) == []


@given(st.integers(0, 500), st.floats(0.001, 1000))
def test_bytes_keep_the_direction_whatever_the_length(seed: int, length: float) -> None:
    vector = (unit(seed) * length).astype(np.float32)
    data = quantise(vector[None])[0].astype(np.float64)
    assert np.abs(data).max() == 127
    assert data @ vector / (np.linalg.norm(data) * np.linalg.norm(vector)) > 0.9995


def test_no_direction_at_all_is_no_error() -> None:
    assert not quantise(np.zeros((1, DIMENSION), np.float32)).any()
