"""How fast the vectors of a large index are searched, and what they cost: one table.

    python tests/bench/vectors.py [--chunks 300000] [--model FOLDER]

The vectors are synthetic: subjects with texts about them, a direction shared by all, as real models give. With a model
folder it is also measured how many texts of about 200 tokens that model embeds in a second.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from harkback.core.config import Semantic
from harkback.core.database import Database
from harkback.core.embedder import open_embedder
from harkback.core.embedding import BATCH
from harkback.core.vectors import Vectors, quantise

DIMENSION = 384
ASKED = 40


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--chunks", type=int, default=300_000)
    options.add_argument("--model", type=Path)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="harkback-bench-") as folder:
        path = Path(folder) / "index.db"
        write(path, given.chunks)
        db = Database(path, read_only=True)
        before = memory()
        vectors = Vectors(1, DIMENSION)
        began = time.perf_counter()
        vectors.refresh(db)
        print(f"{'vectors':34}{len(vectors):>12,}")
        print(f"{'table in the index':34}{path.stat().st_size / 1e6:>12,.0f} MB")
        print(f"{'load all, once a process':34}{time.perf_counter() - began:>12.2f} s")
        print(f"{'memory for them':34}{memory() - before:>12,.0f} MB")
        queries = [subject(seed) + 0.5 * subject(10_000 + seed) for seed in range(ASKED)]
        queries = [(query / np.linalg.norm(query)).astype(np.float32) for query in queries]
        few = np.sort(
            np.random.default_rng(1).choice(vectors._chunks[: len(vectors)], given.chunks // 10, replace=False)
        )
        thousand = [int(chunk) for chunk in few[:1_000]]
        timed("bring up to date, nothing new", lambda query: vectors.refresh(db), queries)
        timed("nearest 200 of all", lambda query: vectors.nearest(query, 200), queries)
        timed("nearest 200 of a tenth", lambda query: vectors.nearest(query, 200, few), queries)
        timed("likeness of 1,000 chunks", lambda query: vectors.likeness(query, thousand), queries)
        print(f"{'recall of the nearest 10':34}{100 * recall(vectors, queries):>12.1f} %")
        db.close()
    if given.model:
        embed(given.model)


def timed(name: str, does: Callable[[Any], object], queries: list[Any]) -> None:
    times: list[float] = []
    for query in queries:
        began = time.perf_counter()
        does(query)
        times.append(1000 * (time.perf_counter() - began))
    times.sort()
    print(f"{name:34}{times[len(times) // 2]:>12.1f} ms   p95 {times[len(times) * 95 // 100]:.1f}")


def recall(vectors: Vectors, queries: list[Any]) -> float:
    """Against the cosines of all."""
    all_bytes, lengths = vectors._bytes[: len(vectors)], vectors._lengths[: len(vectors)]
    found = 0
    for query in queries:
        exact = np.concatenate([part.astype(np.float32) @ query for part in np.array_split(all_bytes, 20)]) / lengths
        best = set(vectors._chunks[np.argpartition(-exact, 10)[:10]].tolist())
        found += len(best & {chunk for _, chunk in vectors.nearest(query, 10)})
    return found / (10 * len(queries))


def write(path: Path, chunks: int) -> None:
    db = Database(path)
    db.run_script(resources.files("harkback.core").joinpath("schema.sql").read_text("utf-8"))
    dice = np.random.default_rng(0)
    subjects = np.stack([subject(seed) for seed in range(2_000)])
    with db.transaction():
        for first in range(0, chunks, 10_000):
            size = min(10_000, chunks - first)
            rows = subjects[dice.integers(0, len(subjects), size)] + 0.04 * dice.standard_normal((size, DIMENSION))
            data = quantise(rows.astype(np.float32))
            numbers = range(first + 1, first + size + 1)
            db.run_many("INSERT INTO chunks VALUES (?, 1, 0, 1)", ((number,) for number in numbers))
            db.run_many(
                "INSERT INTO vectors (chunk, model, vector) VALUES (?, 1, ?)",
                ((number, row.tobytes()) for number, row in zip(numbers, data, strict=True)),
            )
    db.close()


def subject(seed: int) -> Any:
    vector = np.random.default_rng(seed).standard_normal(DIMENSION) + 1.0
    return vector / np.linalg.norm(vector)


def embed(folder: Path) -> None:
    model = open_embedder(Semantic(enabled=True, model_path=str(folder.absolute())), folder)
    texts = [
        f"{n}: " + "the connection to the database was closed before the last row had been read; " * 10
        for n in range(BATCH)
    ]
    model.passages(texts)
    began = time.perf_counter()
    for _ in range(4):
        model.passages(texts)
    print(f"{'texts embedded':34}{4 * BATCH / (time.perf_counter() - began):>12.1f} a second")
    timed("one query embedded", lambda number: model.query(f"why was connection {number} closed?"), list(range(ASKED)))
    print(f"{'most memory':34}{memory():>12,.0f} MB")


def memory() -> float:
    """The most that this process has had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
