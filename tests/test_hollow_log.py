"""What a process had in its memory does not get into a file beside the index, however the one before it ended."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from engine import Engine, turn
from harkback.core.hollow_log import empty_if_hollow
from hypothesis import given
from hypothesis import strategies as st

KEPT_TO_ONESELF = b"what only this process knows "
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs kill -9 and fork")


def killed(path: Path, work: Callable[[apsw.Connection], object]) -> None:
    """Have another process write to a database and die."""
    if not (child := os.fork()):
        db = apsw.Connection(str(path))
        db.execute("PRAGMA journal_mode=WAL").fetchall()
        work(db)
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)


def written(db: apsw.Connection) -> None:
    db.execute("REPLACE INTO meta VALUES ('x', 1)").fetchall()


def log_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def beside(path: Path) -> Path:
    return path.with_name(path.name + "-shm")


def spread() -> None:
    """Leave something in memory that is free again."""
    blocks = [(KEPT_TO_ONESELF * 2_000)[: 36_000 + 64 * number] for number in range(400)]
    del blocks


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    engine = Engine(tmp_path / "engine")
    engine.write("a", turn("zebra"))
    engine.run()
    return engine


def never_valid(log: Path) -> None:
    """What is left when the first frame did not get to the disk as a whole."""
    data = bytearray(log.read_bytes())
    data[32 + 8] ^= 1
    log.write_bytes(data)


def cut_short(log: Path) -> None:
    os.truncate(log, 1_000)


@pytest.mark.parametrize("left", [never_valid, cut_short])
@pytest.mark.parametrize("who", ["reader", "writer"])
def test_memory_does_not_get_beside_the_index(engine: Engine, left: Callable[[Path], object], who: str) -> None:
    path = engine.store.path
    killed(path, written)
    left(log_of(path))
    beside(path).unlink()
    spread()
    if who == "reader":
        engine.store.read().close()
    else:
        with engine.store.write():
            pass
    assert not beside(path).exists() or KEPT_TO_ONESELF not in beside(path).read_bytes()
    assert engine.places("zebra") == [("a", 1)]


def test_sqlite_alone_would_let_it_out(engine: Engine) -> None:
    """Should this fail one day, SQLite has mended it and core/hollow_log.py can go."""
    path = engine.store.path
    killed(path, written)
    never_valid(log_of(path))
    beside(path).unlink()
    spread()
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    assert db.execute("SELECT count(*) FROM sessions").fetchall() == [(1,)]
    assert KEPT_TO_ONESELF in beside(path).read_bytes()
    db.close()


def test_a_log_that_holds_something_is_left_alone(engine: Engine) -> None:
    path = engine.store.path
    killed(path, written)
    before = log_of(path).read_bytes()
    empty_if_hollow(path)
    assert log_of(path).read_bytes() == before
    assert engine.rows("SELECT value FROM meta WHERE key = 'x'") == [(1,)]


def test_while_another_writes_the_log_is_left_to_them(engine: Engine) -> None:
    path = engine.store.path
    killed(path, written)
    never_valid(log_of(path))
    before = log_of(path).read_bytes()
    with engine.store.locked():
        empty_if_hollow(path, engine.store.lock_path)
        assert log_of(path).read_bytes() == before
    empty_if_hollow(path, engine.store.lock_path)
    assert log_of(path).read_bytes() == b""


@given(st.binary(max_size=5_000))
def test_whatever_stands_in_a_log_nothing_is_raised(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("log") / "index.db"
    log_of(path).write_bytes(data)
    empty_if_hollow(path)
    assert log_of(path).read_bytes() == data  # no such log has a valid header
