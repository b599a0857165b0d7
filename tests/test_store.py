"""The index file: made, opened, shared, interrupted at any point, and never left in pieces."""

from __future__ import annotations

import contextlib
import os
import signal
import stat
from pathlib import Path

import apsw
import pytest
from command_line import run_code
from engine import Engine, check, line, turn
from harkback.core.config import Limits
from harkback.core.store import SCHEMA_VERSION, Busy, NoIndex, Store, StoreError, pack, unpack
from hypothesis import given
from hypothesis import strategies as st

CHILD = """
import os, resource, signal, sys
sys.path[:0] = {path!r}
import apsw
from pathlib import Path
from engine import Engine
from harkback.core import lots
from harkback.core.store import StoreError

lots.FLUSH_TURNS = 7
kill_at, most_bytes, count = {kill_at}, {most_bytes}, 0

def watch(connection):
    def step(cursor, sql, values):
        global count
        count += 1
        if count == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return True
    connection.exec_trace = step

apsw.connection_hooks.append(watch)
if most_bytes:
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
try:
    Engine(Path({place!r})).run()
except StoreError as error:
    print("StoreError:", error)
print(count)
"""


def run_child(engine: Engine, kill_at: int = 0, most_bytes: int = 0) -> tuple[int, str]:
    """Reconcile in another process that is killed at its statement `kill_at` or may write files of `most_bytes`."""
    code = CHILD.format(
        path=[os.fspath(Path(__file__).parent)], kill_at=kill_at, most_bytes=most_bytes, place=os.fspath(engine.place)
    )
    ended = run_code(code)
    assert not ended.err, ended.err
    return ended.code, ended.out


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return Engine(tmp_path / "engine")


def fill(engine: Engine) -> None:
    for i in range(6):
        turns = [
            turn(f"turn {k} of {i} " + "some words " * 9, role="assistant", native_id=f"{i}-{k}") for k in range(9)
        ]
        engine.write(f"s{i}", ["facts", {"title": f"number {i}", "title_rank": 3, "parent": "s0"}], *turns)


def test_nothing_is_indexed_in_a_new_home(engine: Engine) -> None:
    assert not engine.store.exists()
    assert not engine.store.being_written()
    with pytest.raises(NoIndex, match="harkback index"):
        engine.store.read()


def test_an_index_that_was_only_begun_is_none(engine: Engine) -> None:
    engine.store.home.mkdir()
    engine.store.path.touch()
    with pytest.raises(NoIndex):
        engine.store.read()
    engine.write("a", turn("zebra"))
    engine.run()
    assert engine.places("zebra") == [("a", 1)]


def test_the_index_is_the_owners_alone_from_the_first_moment(engine: Engine) -> None:
    old = os.umask(0)
    try:
        with engine.store.write() as db, db.transaction():
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in engine.store.home.iterdir()}
    finally:
        os.umask(old)
    assert modes == dict.fromkeys(("index.db", "index.db-shm", "index.db-wal", "index.lock"), 0o600)
    assert stat.S_IMODE(engine.store.home.stat().st_mode) == 0o700


def test_one_writes_and_the_second_is_told(engine: Engine) -> None:
    engine.write("a", turn("zebra"))
    with engine.store.write():
        assert engine.store.being_written()
        with pytest.raises(Busy), Store(engine.store.home).write():
            pass
        with pytest.raises(Busy):
            engine.run()
    assert not engine.store.being_written()
    assert engine.run().sessions == 1


def test_a_lock_file_left_behind_locks_nothing(engine: Engine) -> None:
    fill(engine)
    assert run_child(engine, kill_at=200)[0] == -signal.SIGKILL
    assert engine.store.lock_path.exists()
    assert not engine.store.being_written()
    assert engine.run().finished


def test_readers_see_what_was_there_while_a_writer_is_at_it(engine: Engine) -> None:
    engine.write("a", turn("zebra"))
    engine.run()
    with engine.store.write() as db, db.transaction():
        db.run("DELETE FROM chunks")
        db.run("DELETE FROM words WHERE rowid > 0")
        assert engine.places("zebra") == [("a", 1)]
    assert engine.places("zebra") == []


def test_readers_cannot_write(engine: Engine) -> None:
    engine.write("a", turn("zebra"))
    engine.run()
    db = engine.store.read()
    with pytest.raises(apsw.ReadOnlyError):
        db.run("DELETE FROM turns")
    db.close()


def test_a_transaction_is_all_or_nothing(engine: Engine) -> None:
    engine.write("a", turn("zebra"))
    engine.run()
    with engine.store.write() as db:
        with contextlib.suppress(ZeroDivisionError), db.transaction():
            db.run("DELETE FROM turns")
            raise ZeroDivisionError
        assert db.value("SELECT count(*) FROM turns") == 1


def test_an_index_of_a_newer_harkback_is_left_alone(engine: Engine) -> None:
    engine.write("a", turn("zebra"))
    engine.run()
    db = apsw.Connection(str(engine.store.path))
    db.execute(f"PRAGMA user_version={SCHEMA_VERSION + 1}")
    db.close()
    before = engine.store.path.read_bytes()
    for use in (engine.run, engine.store.read):
        with pytest.raises(StoreError, match="newer harkback"):
            use()
    assert engine.store.path.read_bytes() == before


@pytest.mark.parametrize("at", [0, 5_000, 20_000])
def test_a_damaged_index_is_built_anew(engine: Engine, at: int) -> None:
    fill(engine)
    engine.run()
    content = bytearray(engine.store.path.read_bytes())
    content[at : at + 4_000] = b"\xa5" * 4_000
    engine.store.path.write_bytes(content)
    assert "damaged" in engine.run(rebuild=True).mended
    check(engine)
    assert engine.contents() == engine.fresh().contents()


def test_a_folder_that_cannot_be_made_is_a_message(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="can't be written"), Store(tmp_path / "file" / "home").write():
        pass


def test_killed_at_any_point_the_index_is_whole_and_goes_on(engine: Engine, tmp_path: Path) -> None:
    fill(engine)
    counting = Engine(tmp_path / "counting")
    fill(counting)
    code, output = run_child(counting)
    statements = int(output)
    assert code == 0
    expected = counting.contents()
    for k in range(1, 7):
        code, _ = run_child(engine, kill_at=statements * k // 7)
        assert code == -signal.SIGKILL
        with contextlib.suppress(NoIndex):
            engine.search("turn")
            check(engine)
        assert engine.run().finished
        check(engine)
        assert engine.contents() == expected
        assert engine.run().bytes_read == 0
        for path in engine.store.home.iterdir():
            path.unlink()


def test_killed_while_reading_again_the_old_rows_answer(engine: Engine) -> None:
    fill(engine)
    engine.run()
    for i in range(6):
        engine.write(f"s{i}", *(turn(f"other {k} of {i}", native_id=f"{i}-{k}") for k in range(9)))
    for kill_at in (60, 120, 240):
        assert run_child(engine, kill_at=kill_at)[0] == -signal.SIGKILL
        check(engine)
        assert len(engine.places("turn")) + len(engine.places("other")) == 54
    engine.run()
    assert engine.contents() == engine.fresh().contents()


def test_a_full_disk_stops_indexing_and_nothing_else(engine: Engine) -> None:
    engine.write("first", turn("zebra"))
    engine.run()
    for i in range(5):
        noise = (" ".join(os.urandom(4).hex() for _ in range(2_000)) for _ in range(5))
        engine.write(f"s{i}", *(turn(text) for text in noise))
    before = engine.listing()
    code, output = run_child(engine, most_bytes=400_000)
    assert code == 0
    assert output.startswith("StoreError: ")
    assert os.fspath(engine.store.path) in output
    check(engine)
    assert engine.places("zebra") == [("first", 1)]
    engine.run()
    check(engine)
    assert engine.contents() == engine.fresh().contents()
    assert engine.listing() == before


def test_a_purge_leaves_no_byte_of_the_text(engine: Engine) -> None:
    engine.write("a", turn("zebra okapi"), turn("long " * 500 + "wombat", role="assistant"))
    engine.run()
    engine.limits = Limits("everything")
    engine.ticked = ()
    engine.run()
    for path in engine.store.home.iterdir():
        for word in (b"zebra", b"okapi", b"wombat"):
            assert word not in path.read_bytes()


@given(st.text(max_size=200), st.integers(1, 50))
def test_texts_come_back_as_they_were(part: str, times: int) -> None:
    text = part.encode("utf-8", "replace").decode() * times
    assert unpack(pack(text)) == text
    assert isinstance(pack(text), str) or len(pack(text)) < len(text.encode())


def test_a_line_is_what_it_says() -> None:
    assert line(turn("é")) == '["turn", {"text": "é"}]\n'.encode()
