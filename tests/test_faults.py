"""The fault programme in short: a handful of all that `bench/faults.py` does by the hundred; and what that found."""

from __future__ import annotations

import contextlib
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import apsw
import pytest
from engine import Engine, check, turn
from harkback.core.forget import forget
from harkback.core.forget_plan import Request
from harkback.core.store import NoIndex

PROGRAM = Path(__file__).parent / "bench" / "faults.py"
HANDFUL = ["--kills", "7", "--faults", "9", "--disks", "3", "--rounds", "8", "--sessions", "12"]


@pytest.fixture(scope="module")
def printed() -> str:
    """What the programme says after a handful of each kind."""
    ended = subprocess.run(
        [sys.executable, PROGRAM, *HANDFUL], capture_output=True, text=True, check=False, timeout=300
    )
    assert not ended.stderr, ended.stderr
    assert ended.returncode == int("VIOLATED" in ended.stdout), ended.stdout
    return ended.stdout


def violations(printed: str, *rows: str) -> int:
    """How many violations the rows tell of that begin so; there must be such rows."""
    found = [line for line in printed.splitlines() if line.startswith(rows)]
    assert found, printed
    return sum(int(re.split(r" {2,}", line)[3]) for line in found)


def test_whoever_is_killed_at_whatever_point_nothing_is_lost_or_wrong(printed: str) -> None:
    assert violations(printed, "kill -9: ") == 0, printed


def test_whatever_call_fails_nothing_is_lost_or_wrong(printed: str) -> None:
    if "without a C compiler" in printed:
        pytest.skip("no C compiler is here to make calls fail with")
    assert violations(printed, "write ", "read ", "fsync ", "ftruncate ", "open ", "unlink ", "rename ") == 0, printed


def test_a_full_disk_stops_what_is_done_and_nothing_else(printed: str) -> None:
    if "no disk of its own" in printed:
        pytest.skip("no disk may be mounted here")
    assert violations(printed, "disk full") == 0, printed


def test_a_limit_to_the_size_of_files_stops_what_is_done_and_nothing_else(printed: str) -> None:
    assert violations(printed, "RLIMIT_FSIZE") == 0, printed


def test_four_index_and_two_search_at_once(printed: str) -> None:
    assert violations(printed, "4 indexers, 2 searchers") == 0, printed


def test_another_programs_database_is_read_while_it_is_written(printed: str) -> None:
    assert violations(printed, "foreign database") == 0, printed


def test_the_programme_violates_nothing_at_all(printed: str) -> None:
    assert violations(printed, "together") == 0, printed


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
