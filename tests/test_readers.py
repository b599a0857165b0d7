"""Connections that are kept: they see what is written meanwhile, are prepared anew where that is due, and let go."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from engine import Engine, turn
from harkback.core.database import Database, Error, Interrupted
from harkback.core.forget import forget
from harkback.core.forget_plan import Request
from harkback.core.readers import KEPT, Readers
from harkback.core.store import NoIndex, StoreError


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return Engine(tmp_path)


@pytest.fixture
def readers(engine: Engine) -> Iterator[Readers]:
    engine.write("a", turn("zebra"))
    engine.run()
    readers = Readers(engine.store)
    yield readers
    readers.close()


def turns(db: Database) -> int:
    return db.value("SELECT count(*) FROM turns")


def test_the_same_connection_is_lent_again_and_sees_what_was_written_since(engine: Engine, readers: Readers) -> None:
    with readers.reading() as first:
        assert turns(first) == 1
    engine.append("a", turn("okapi"))
    engine.run()
    with readers.reading() as second:
        assert second is first
        assert turns(second) == 2


def test_two_who_read_at_once_have_a_connection_each(readers: Readers) -> None:
    with readers.reading() as one, readers.reading() as other:
        assert one is not other
    with readers.reading() as again, readers.reading() as and_again, readers.reading():
        assert {again, and_again} == {one, other}
    assert len(readers._idle) == KEPT  # pyright: ignore[reportPrivateUsage]


def test_what_is_remembered_holds_until_somebody_writes(engine: Engine, readers: Readers) -> None:
    asked: list[int] = []

    def count(db: Database) -> int:
        asked.append(1)
        return turns(db)

    for expected in (1, 1):
        with readers.reading() as db, db.snapshot():
            assert db.remembered("turns", lambda: count(db)) == expected
    assert len(asked) == 1
    engine.append("a", turn("okapi"))
    engine.run()
    with readers.reading() as db, db.snapshot():
        assert db.remembered("turns", lambda: count(db)) == 2
        assert db.remembered("more", lambda: 7) == 7


def test_a_connection_that_was_interrupted_is_good_again(readers: Readers) -> None:
    lent: list[Database] = []

    def read_for_ever() -> None:
        with readers.reading() as db, db.snapshot():
            lent.append(db)
            asking = threading.Timer(0.05, db.interrupt)
            asking.start()
            db.value("WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")

    with pytest.raises(Interrupted):
        read_for_ever()
    with readers.reading() as db:
        assert db is lent[0]
        assert turns(db) == 1


def test_after_an_error_of_the_index_a_new_connection_is_made(readers: Readers) -> None:
    with pytest.raises(Error), readers.reading() as first:
        first.value("SELECT nothing")
    with readers.reading() as second:
        assert second is not first


def test_a_query_that_is_left_half_read_keeps_nobody_in_the_past(engine: Engine, readers: Readers) -> None:
    engine.append("a", turn("okapi"))
    engine.run()
    with readers.reading() as first:
        half_read = first.rows("SELECT id FROM turns")
        next(half_read)
    engine.append("a", turn("wombat"))
    engine.run()
    with readers.reading() as second:
        assert turns(second) == 3
    del half_read


def test_a_file_that_took_the_place_of_the_old_one_is_opened(engine: Engine, readers: Readers) -> None:
    with readers.reading() as first:
        assert turns(first) == 1
    engine.write("b", turn("wombat"))
    engine.run(rebuild=True)
    forget(engine.store, Request(session="lines:a"))
    with readers.reading() as second:
        assert second is not first
        assert [row[0] for row in second.rows("SELECT native_id FROM sessions WHERE turns > 0")] == ["b"]


def test_what_was_forgotten_is_let_go_of_when_nobody_reads(engine: Engine, readers: Readers) -> None:
    with readers.reading():
        pass
    assert open_files(engine.store.path)
    readers.close_unused(0)
    assert not open_files(engine.store.path)


def test_whoever_reads_while_all_is_closed_lets_go_at_the_end(engine: Engine, readers: Readers) -> None:
    with readers.reading() as db:
        readers.close()
        assert turns(db) == 1
    assert not open_files(engine.store.path)


def test_what_was_removed_is_in_no_log_while_somebody_keeps_a_connection(engine: Engine, readers: Readers) -> None:
    with readers.reading():
        pass
    engine.write("a", turn("okapi"))
    engine.run()
    log = engine.store.path.with_name(f"{engine.store.path.name}-wal")
    assert log.stat().st_size == 0
    assert b"zebra" not in engine.store.path.read_bytes()
    with readers.reading() as db:
        assert turns(db) == 1


def test_without_an_index_there_is_none_and_later_there_is(engine: Engine) -> None:
    readers = Readers(engine.store)
    with pytest.raises(NoIndex), readers.reading():
        pass
    engine.write("a", turn("zebra"))
    engine.run()
    with readers.reading() as db:
        assert turns(db) == 1
    forget(engine.store, Request(everything=True))
    with readers.reading() as db:
        assert turns(db) == 0
    readers.close()


def test_an_index_of_a_newer_harkback_is_refused_by_a_kept_connection_too(engine: Engine, readers: Readers) -> None:
    with readers.reading():
        pass
    raw = apsw.Connection(os.fspath(engine.store.path))
    raw.execute("PRAGMA user_version=99")
    raw.close()
    with pytest.raises(StoreError, match="newer harkback"), readers.reading():
        pass


def open_files(path: Path) -> list[str]:
    """Which of this process's open files are at a path."""
    found: list[str] = []
    for number in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            found.append(os.fspath(number.readlink()))
    return [each for each in found if each.startswith(os.fspath(path))]
