"""The fault programme in short: a handful of all that `bench/faults.py` does by the hundred; and what that found."""

from __future__ import annotations

import contextlib
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Generator
from datetime import datetime
from pathlib import Path

import apsw
import pytest
from engine import Engine, check, turn
from harkback.core.forget import forget
from harkback.core.forget_plan import Request
from harkback.core.query import parse
from harkback.core.search import Search
from harkback.core.store import NoIndex

PROGRAM = Path(__file__).parent / "bench" / "faults.py"
COUNTS = {"kills": 8, "faults": 9, "disks": 3, "rounds": 8, "sessions": 12}


def runs(printed: str, row: str) -> int:
    """How many runs the rows tell of that begin so."""
    found = [re.split(r" {2,}", line) for line in printed.splitlines() if line.startswith(row)]
    assert all(cells[3] == "0" for cells in found), printed
    return sum(int(cells[1]) for cells in found)


def test_whatever_is_killed_fails_is_full_or_many_nothing_is_lost_or_wrong() -> None:
    """One run of the programme has it all: making its home takes longer than any of these faults."""
    options = [f"--{name}={count}" for name, count in COUNTS.items()]
    ended = subprocess.run(
        [sys.executable, PROGRAM, *options], capture_output=True, text=True, check=False, timeout=300
    )
    assert not ended.stderr, ended.stderr
    assert ended.returncode == 0, ended.stdout
    said = ended.stdout
    assert runs(said, "kill -9: ") == 8
    assert runs(said, "RLIMIT_FSIZE") == 3
    full = runs(said, "disk full")
    assert full == 3 or "no disk of its own" in said
    assert runs(said, "4 indexers, 2 searchers") == 8
    assert runs(said, "foreign database") == 4
    assert runs(said, "sessions in a live database") == 4
    failed = runs(said, "together") - 8 - 3 - full - 8 - 4 - 4
    if "without a C compiler" in said:
        pytest.skip("no C compiler is here to make calls fail with")
    assert failed == 9


# ---- what was found ----


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    engine = Engine(tmp_path / "engine")
    engine.write(
        "a", turn("zebra"), *(turn(f"okapi number {number}", native_id=str(number)) for number in range(3_000))
    )
    engine.run()
    return engine


@contextlib.contextmanager
def no_file_above(size: int) -> Generator[None]:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_without_room_for_tombstones_everything_goes_and_that_it_may_come_back_is_said(engine: Engine) -> None:
    with no_file_above(100_000):
        outcome = forget(engine.store, Request(everything=True))
    assert not outcome.remembered
    assert outcome.remains.files == ()
    assert sorted(path.name for path in engine.store.home.iterdir()) == ["index.lock"]
    assert engine.run().turns == 3_001
    check(engine)


def test_a_disk_that_fails_once_does_not_make_forgetting_forget_what_there_was(engine: Engine) -> None:
    failed: list[str] = []

    def watch(connection: apsw.Connection) -> None:
        def step(cursor: object, sql: str, values: object) -> bool:
            if sql.startswith("SELECT DISTINCT source, hash") and not failed:
                failed.append(sql)
                raise apsw.IOError("disk I/O error")
            return True

        connection.exec_trace = step  # type: ignore[assignment]

    apsw.connection_hooks.append(watch)
    try:
        outcome = forget(engine.store, Request(everything=True))
    finally:
        apsw.connection_hooks.remove(watch)
    assert failed
    assert outcome.remembered
    assert engine.run().turns == 0


class _Interrupted(apsw.VFS):
    """Keeps what lies in a database's folder when its journal is about to be deleted."""

    def __init__(self, kept: Path) -> None:
        self._kept = kept
        super().__init__("interrupted", "")

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        shutil.copytree(Path(filename).parent, self._kept)
        super().xDelete(filename, syncdir)


def test_a_first_build_that_was_interrupted_at_once_has_indexed_nothing(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "engine")
    engine.write("a", turn("zebra"))
    (tmp_path / "other").mkdir(mode=0o700)
    (tmp_path / "other" / "index.db").touch(mode=0o600)
    system = _Interrupted(engine.store.home)
    db = apsw.Connection(str(tmp_path / "other" / "index.db"), vfs="interrupted")
    db.execute("PRAGMA journal_mode=WAL").fetchall()
    db.close()
    system.unregister()
    assert sorted(path.name for path in engine.store.home.iterdir()) == ["index.db", "index.db-journal"]
    with pytest.raises(NoIndex):
        engine.store.read()
    assert engine.run().turns == 1
    check(engine)


def test_everything_is_forgotten_for_good_while_a_replacement_is_half_done(engine: Engine) -> None:
    forget(engine.store, Request(everything=True))
    engine.store.path.rename(engine.store.path.with_name("index.db.new"))
    assert forget(engine.store, Request(everything=True)).remembered
    assert engine.run().turns == 0


def test_without_room_for_what_readers_share_what_was_indexed_is_found_all_the_same(engine: Engine) -> None:
    with no_file_above(1):
        assert engine.places("zebra") == [("a", 1)]


def test_what_is_written_anew_between_two_steps_of_a_search_is_found(engine: Engine) -> None:
    db = engine.store.read()
    statements: list[str] = []

    def step(cursor: object, sql: str, values: object) -> bool:
        statements.append(sql)
        if len(statements) > 1 and "words MATCH" in statements[-2] and "again" not in statements:
            engine.write("b", turn("wombat"))
            engine.run(rebuild=True)
            statements.append("again")
        return True

    db._connection.exec_trace = step
    assert len(Search(db).best(parse("zebra", datetime(2026, 3, 31))).ranked) == 1  # noqa: DTZ001
    assert "again" in statements
    db.close()


def test_a_read_that_fails_once_is_no_reason_to_set_the_index_aside(engine: Engine) -> None:
    failed: list[str] = []

    def watch(connection: apsw.Connection) -> None:
        def step(cursor: object, sql: str, values: object) -> bool:
            if "integrity_check" in sql and not failed:
                failed.append(sql)
                raise apsw.CorruptError("database disk image is malformed")
            return True

        connection.exec_trace = step  # type: ignore[assignment]

    apsw.connection_hooks.append(watch)
    try:
        assert engine.run(rebuild=True).turns == 3_001
    finally:
        apsw.connection_hooks.remove(watch)
    assert failed
    assert {path.name for path in engine.store.home.iterdir()} <= {
        "index.db",
        "index.db-wal",
        "index.db-shm",
        "index.lock",
    }
