"""Other programs' SQLite stores: read whole while their owners live, leave, crash and cheat, and left as they were."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest
from harkback.adapters import foreign_connection
from harkback.adapters.base import open_file
from harkback.adapters.foreign_sqlite import SchemaMismatch, change_token, drop_copy, fitting, open_foreign
from harkback.core.model import Unreadable
from hypothesis import given, settings
from hypothesis import strategies as st

ALL = "SELECT id, text FROM message ORDER BY id"
TABLE = "CREATE TABLE message (id INTEGER PRIMARY KEY, text TEXT)"
WAL = ("PRAGMA journal_mode=WAL", "PRAGMA wal_autocheckpoint=0")

SHELL = """
import json, sqlite3, sys
app = sqlite3.connect(sys.argv[1], isolation_level=None)
for line in sys.stdin:
    print(json.dumps(app.execute(json.loads(line)).fetchall()), flush=True)
app.close()
"""
"""A program that runs each statement it is given."""

WRITER = """
import itertools, sqlite3, sys, time
path, pause, *pragmas = sys.argv[1:]
for n in itertools.count():
    if n % 20 == 0:
        app = sqlite3.connect(path, isolation_level=None, timeout=30)
        for pragma in *pragmas, "wal_autocheckpoint=50", "cache_size=20", "synchronous=OFF":
            app.execute("PRAGMA " + pragma)
        app.execute("CREATE TABLE IF NOT EXISTS pair (id INTEGER PRIMARY KEY, n INT, text TEXT)")
    app.execute("BEGIN IMMEDIATE")
    app.execute("DELETE FROM pair WHERE n < ?", (n - 50,))
    app.executemany("INSERT INTO pair (n, text) VALUES (?, ?)", [(n, str(n) * 2000)] * 2)
    app.execute("COMMIT")
    if n % 20 == 19:
        app.close()
    if n == 21:
        print("ready", flush=True)
    time.sleep(float(pause))
"""
"""A program that writes every number twice in one transaction, and is started anew every twenty numbers."""


class App:
    """Another program with a store open."""

    def __init__(self, path: Path, *first: str) -> None:
        path.parent.mkdir(exist_ok=True)
        command = [sys.executable, "-c", SHELL, str(path)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.run(*first)

    def run(self, *statements: str) -> Any:
        """The rows of the last statement."""
        answer = "[]"
        for sql in statements:
            assert self._process.stdin
            assert self._process.stdout
            self._process.stdin.write(json.dumps(sql) + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        return json.loads(answer)

    def leave(self) -> None:
        self._process.communicate()

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()


@pytest.fixture
def start() -> Iterator[Callable[..., App]]:
    """Starts an `App`; none outlives the test."""
    apps: list[App] = []

    def started(path: Path, *first: str) -> App:
        apps.append(App(path, *first))
        return apps[-1]

    yield started
    for app in apps:
        app.kill()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "their folder" / "a?b#c%20é.db"


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def numbers(first: int, last: int) -> str:
    values = [f"({n}, 'text {n}')" for n in range(first, last + 1)]
    return f"INSERT INTO message VALUES {', '.join(values)}"  # noqa: S608


def expected(last: int) -> list[tuple[int, str]]:
    return [(n, f"text {n}") for n in range(1, last + 1)]


def make(path: Path, *statements: str) -> Path:
    """A store that its owner closed, changed for the last time a while ago."""
    path.parent.mkdir(exist_ok=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for sql in statements:
            db.execute(sql)
    age(path)
    return path


def age(*paths: Path) -> None:
    """As if what was changed just now had been changed a minute ago, and not been read for years."""
    for path in paths:
        changed = path.stat().st_mtime_ns
        os.utime(path, ns=(0, changed - 60 * 10**9 if time.time_ns() - changed < 30 * 10**9 else changed))


def rows(path: Path, sql: str = ALL, *values: object) -> list[Any]:
    with open_foreign(path) as store:
        return store.rows(sql, *values)


def refusal(path: Path, sql: str = ALL) -> Unreadable:
    with pytest.raises(Unreadable) as raised:
        rows(path, sql)
    return raised.value


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def traces(folder: Path) -> dict[str, Any]:
    """All that one could see of a reader in a folder."""
    seen: dict[str, Any] = {"": (folder.stat().st_mtime_ns, folder.stat().st_mode)}
    for path in sorted(folder.iterdir()):
        status = path.stat()
        with open_file(path) as stream:
            content = hashlib.sha256(stream.read()).hexdigest()
        seen[path.name] = (content, status.st_mtime_ns, status.st_mode, status.st_ino, status.st_nlink)
    return seen


# ---- the ways in ----


def test_a_running_program_is_read_with_its_latest_rows_and_without_a_trace(
    path: Path, start: Callable[..., App]
) -> None:
    app = start(path, *WAL, TABLE, numbers(1, 50), "PRAGMA wal_checkpoint", numbers(51, 100))
    before = traces(path.parent)
    assert rows(path) == expected(100)
    assert traces(path.parent) == before
    app.run(numbers(101, 110))
    assert rows(path) == expected(110)


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_a_closed_store_is_read_without_a_trace_even_of_access(
    path: Path, start: Callable[..., App], mode: str
) -> None:
    start(path, f"PRAGMA journal_mode={mode}", TABLE, numbers(1, 100)).leave()
    age(path)
    before, access = traces(path.parent), path.stat().st_atime_ns
    assert rows(path) == expected(100)
    assert traces(path.parent) == before
    assert names(path.parent) == [path.name]
    assert path.stat().st_atime_ns == access


def test_a_killed_program_left_both_files(path: Path, start: Callable[..., App], temporary: Path) -> None:
    start(path, *WAL, TABLE, numbers(1, 50), "PRAGMA wal_checkpoint", numbers(51, 100)).kill()
    before = traces(path.parent)
    assert len(before) == 4
    assert rows(path) == expected(100)
    assert traces(path.parent) == before
    drop_copy()
    assert not names(temporary)


def test_a_killed_program_left_only_its_wal(path: Path, start: Callable[..., App], temporary: Path) -> None:
    start(path, *WAL, TABLE, numbers(1, 50), "PRAGMA wal_checkpoint", numbers(51, 100)).kill()
    path.with_name(path.name + "-shm").unlink()
    before = traces(path.parent)
    with open_foreign(path) as store:
        assert store.rows(ALL) == expected(100)
        (folder,) = temporary.iterdir()
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert list(store.scan("SELECT id, text FROM message WHERE id > ? ORDER BY id", 90)) == expected(100)[90:]
        assert list(temporary.iterdir()) == [folder]
    drop_copy()
    assert not names(temporary)
    assert traces(path.parent) == before


def test_the_private_copy_serves_until_the_store_changes_or_another_is_read(
    path: Path, start: Callable[..., App], temporary: Path
) -> None:
    start(path, *WAL, TABLE, numbers(1, 50)).kill()
    path.with_name(path.name + "-shm").unlink()
    assert rows(path) == expected(50)
    (folder,) = names(temporary)
    for _ in range(3):
        assert rows(path) == expected(50)
        assert refusal(path, "SELECT missing FROM message").reason == "schema"
    with pytest.raises(ZeroDivisionError), open_foreign(path) as store:
        assert store.rows(ALL)[len(names(temporary)) // 0]
    assert names(temporary) == [folder]
    start(path, numbers(51, 60)).kill()
    path.with_name(path.name + "-shm").unlink(missing_ok=True)
    assert rows(path) == expected(60)
    assert folder not in names(temporary)
    other = path.with_name("other.db")
    start(other, TABLE, numbers(1, 5)).leave()
    assert rows(other) == expected(5)
    assert not names(temporary)


def test_a_private_copy_that_somebody_removed_is_made_anew(
    path: Path, start: Callable[..., App], temporary: Path
) -> None:
    start(path, *WAL, TABLE, numbers(1, 50)).kill()
    path.with_name(path.name + "-shm").unlink()
    assert rows(path) == expected(50)
    for name in names(temporary):
        shutil.rmtree(temporary / name)
    assert rows(path) == expected(50)
    drop_copy()
    assert not names(temporary)


def test_a_program_killed_while_it_rewrote_its_store(path: Path, start: Callable[..., App], temporary: Path) -> None:
    app = start(path, TABLE, numbers(1, 5000), "PRAGMA cache_size=5", "BEGIN", "UPDATE message SET text = 'half done'")
    app.kill()
    before = traces(path.parent)
    assert path.name + "-journal" in before
    assert b"half done" in path.read_bytes()
    assert rows(path) == expected(5000)
    assert traces(path.parent) == before
    drop_copy()
    assert not names(temporary)


def test_a_transaction_that_is_under_way_does_not_count_yet(path: Path, start: Callable[..., App]) -> None:
    app = start(path, TABLE, numbers(1, 10), "BEGIN", numbers(11, 20))
    assert rows(path) == expected(10)
    app.run("COMMIT")
    assert rows(path) == expected(20)


def test_a_program_that_shares_its_wal_with_nobody(path: Path, start: Callable[..., App]) -> None:
    app = start(path, "PRAGMA locking_mode=EXCLUSIVE", *WAL, TABLE, numbers(1, 50))
    assert names(path.parent) == [path.name, path.name + "-wal"]
    assert rows(path) == expected(50)
    app.run(numbers(51, 60))
    assert rows(path) == expected(60)


def test_a_store_that_its_owner_locks_is_busy(path: Path, start: Callable[..., App]) -> None:
    app = start(path, TABLE, numbers(1, 5000), "PRAGMA cache_size=5", "BEGIN EXCLUSIVE", "UPDATE message SET text = ''")
    before = traces(path.parent)
    assert refusal(path).reason == "busy"
    assert traces(path.parent) == before
    app.run("ROLLBACK")
    assert rows(path) == expected(5000)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written(path: Path) -> None:
    make(path, *WAL, TABLE, numbers(1, 100))
    path.parent.chmod(0o555)
    try:
        assert rows(path) == expected(100)
    finally:
        path.parent.chmod(0o755)


# ---- while it is written ----


@pytest.mark.parametrize(
    ("pragmas", "pause", "reads"),
    [
        (["journal_mode=WAL"], "0", 60),
        (["journal_mode=WAL"], "0.01", 60),
        (["locking_mode=EXCLUSIVE", "journal_mode=WAL"], "0.1", 6),
        (["journal_mode=DELETE"], "0.03", 15),
        (["journal_mode=PERSIST"], "0.03", 30),
        (["journal_mode=MEMORY"], "0.1", 6),
    ],
)
def test_what_is_read_beside_a_writer_is_whole(path: Path, pragmas: list[str], pause: str, reads: int) -> None:
    path.parent.mkdir()
    command = [sys.executable, "-c", WRITER, str(path), pause, *pragmas]
    last, seen = 0, list[str]()
    with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
        try:
            assert writer.stdout
            assert writer.stdout.readline()
            for _ in range(reads):
                try:
                    found = rows(path, "SELECT n, count(*), min(text), max(text) FROM pair GROUP BY n ORDER BY n")
                except Unreadable as error:
                    seen.append(error.reason)
                    continue
                seen.append("rows")
                assert found[-1][0] >= last
                last = found[-1][0]
                assert [n for n, *_ in found] == list(range(max(0, last - 50), last + 1))
                assert all(count == 2 and low == high == str(n) * 2000 for n, count, low, high in found)
        finally:
            writer.kill()
    assert set(seen) <= {"rows", "busy"}
    assert "rows" in seen
    assert rows(path, "SELECT max(n) FROM pair")[0][0] >= last


def test_every_state_that_is_read_beside_a_writer_passes_the_check(path: Path) -> None:
    path.parent.mkdir()
    command = [sys.executable, "-c", WRITER, str(path), "0", "journal_mode=WAL"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
        try:
            assert writer.stdout
            assert writer.stdout.readline()
            checked = 0
            for _ in range(400):
                try:
                    db = foreign_connection.connect(path, "shared")
                    db.authorizer = None
                    try:
                        assert list(db.execute("PRAGMA quick_check")) == [("ok",)]
                    finally:
                        db.close(True)
                    checked += 1
                except (apsw.CantOpenError, apsw.ReadOnlyError):  # just closed, or just opened
                    pass
            assert checked > 20
        finally:
            writer.kill()


def test_what_was_read_while_somebody_wrote_is_read_again(path: Path, start: Callable[..., App]) -> None:
    make(path, TABLE, numbers(1, 10))
    app = start(path)
    counts: list[int] = []

    def count_and_add(db: Any) -> Any:
        counts.extend(db.execute("SELECT count(*) FROM message").fetchone())
        if len(counts) == 1:
            app.run(numbers(11, 20))
        return counts[-1]

    with open_foreign(path) as store:
        assert store._read(count_and_add) == 20
    assert counts == [10, 20]


def test_an_error_that_somebody_caused_by_writing_does_not_count(path: Path, start: Callable[..., App]) -> None:
    make(path, "CREATE TABLE other (id)")
    app = start(path)

    def read_or_make(db: Any) -> Any:
        try:
            return db.execute(ALL).fetchall()
        except apsw.SQLError:
            app.run(TABLE)
            raise

    with open_foreign(path) as store:
        assert store._read(read_or_make) == []


@pytest.mark.parametrize("setup", [WAL, ()])
def test_a_store_that_was_replaced_meanwhile_is_read_again(
    path: Path, start: Callable[..., App], setup: tuple[str, ...]
) -> None:
    start(path, *setup, TABLE, numbers(1, 10))
    make(path.with_name("other"), TABLE, numbers(1, 20))

    def read_and_replace(db: Any) -> Any:
        count = db.execute("SELECT count(*) FROM message").fetchone()[0]
        if count == 10:
            for file in path.parent.glob("*-*"):
                file.unlink()
            path.with_name("other").replace(path)
        return count

    with open_foreign(path) as store:
        assert store._read(read_and_replace) == 20


def test_a_program_that_leaves_at_the_last_moment_gets_no_new_files(path: Path) -> None:
    make(path, *WAL, TABLE)
    before = traces(path.parent)
    db = foreign_connection.connect(path, "shared")
    with pytest.raises(apsw.CantOpenError):
        db.execute(ALL)
    db.close(True)
    assert traces(path.parent) == before


def test_a_pause_between_pages_keeps_no_checkpoint_waiting(path: Path, start: Callable[..., App]) -> None:
    big = "INSERT INTO message SELECT NULL, hex(zeroblob(1500000)) FROM (VALUES (1), (2), (3), (4), (5), (6))"
    app = start(path, *WAL, TABLE, big)
    with open_foreign(path) as store:
        reader = store.scan("SELECT id, text FROM message WHERE id > ? ORDER BY id", 0)
        assert next(reader)[0] == 1
        app.run("INSERT INTO message VALUES (7, 'late')", "DELETE FROM message WHERE id = 6")
        assert app.run("PRAGMA wal_checkpoint(TRUNCATE)") == [[0, 0, 0]]
        assert [row[0] for row in reader] == [2, 3, 4, 5, 7]


def test_a_token_changes_with_the_store_only(path: Path, start: Callable[..., App]) -> None:
    make(path, "PRAGMA journal_mode=WAL", TABLE)
    tokens = [change_token(path)]
    assert change_token(path) == tokens[0]
    app = start(path, "PRAGMA wal_autocheckpoint=0", numbers(1, 10))
    wal = path.with_name(path.name + "-wal")
    for sql in ("SELECT 1", numbers(11, 20), "PRAGMA wal_checkpoint", "UPDATE message SET text = 'other'"):
        app.run(sql)
        age(path, wal)
        tokens.append(change_token(path))
        rows(path)
        assert change_token(path) == tokens[-1]
    app.leave()
    age(path)
    tokens.append(change_token(path))
    assert len(set(tokens)) == len(tokens)


def test_a_store_that_changed_a_moment_ago_has_no_lasting_token(path: Path) -> None:
    make(path, TABLE)
    os.utime(path)
    assert change_token(path) != change_token(path)


# ---- what is no store ----


def test_a_missing_store_is_not_made(path: Path) -> None:
    path.parent.mkdir()
    with pytest.raises(FileNotFoundError):
        rows(path)
    with pytest.raises(FileNotFoundError):
        change_token(path)
    assert not names(path.parent)


def test_a_store_that_goes_away_meanwhile(path: Path) -> None:
    make(path, TABLE)
    with open_foreign(path) as store:
        path.unlink()
        with pytest.raises(FileNotFoundError):
            store.rows(ALL)
    assert not names(path.parent)


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm", "-journal"])
@pytest.mark.parametrize("kind", ["pipe", "folder", "link"])
def test_only_files_are_read(path: Path, suffix: str, kind: str) -> None:
    make(path, TABLE, numbers(1, 3))
    place = path.with_name(path.name + suffix)
    place.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    else:
        place.symlink_to(make(path.with_name("other.db"), TABLE))
    for attempt in (rows, change_token):
        with pytest.raises((Unreadable, OSError)):
            attempt(path)


@pytest.mark.parametrize(
    "content", [b"no database at all, " * 100, bytes(range(256)) * 32, b"SQLite format 3\0" + b"\1" * 4080]
)
def test_what_is_no_database_or_encrypted(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    before = traces(path.parent)
    assert refusal(path).reason in ("sqlite-notadb", "sqlite-corrupt")
    assert traces(path.parent) == before


def test_an_empty_file_is_a_store_without_tables(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    assert refusal(path).reason == "schema"
    assert rows(path, "SELECT name FROM sqlite_schema") == []


# ---- damage ----

SCAN = "SELECT id, text FROM message WHERE id > ? ORDER BY id"


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small store: an index, a long cell, pages of every kind."""
    return make(
        tmp_path_factory.mktemp("sound") / "store",
        "PRAGMA page_size=512", TABLE, "CREATE INDEX by_text ON message (text)", numbers(1, 200),
        "INSERT INTO message VALUES (201, hex(zeroblob(2000)))", "DELETE FROM message WHERE id BETWEEN 50 AND 90",
    )  # fmt: skip


def try_all(path: Path, content: bytes) -> None:
    """Whatever a store holds, it gives rows or says why not."""
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    age(path)
    reads: list[Callable[[Any], object]] = [
        lambda store: store.rows(ALL),
        lambda store: store.rows("SELECT text FROM message WHERE text > 'text 7' ORDER BY text"),
        lambda store: list(store.scan(SCAN, 0)),
        lambda store: store.columns("message"),
    ]
    reasons: list[str] = []
    for read in reads:
        try:
            with open_foreign(path) as store:
                read(store)
        except Unreadable as error:
            reasons.append(error.reason)
    assert all(reason.startswith("sqlite-") or reason == "schema" for reason in reasons)
    assert names(path.parent) == [path.name]


@pytest.mark.parametrize("filling", [b"\0", b"\xff", b"random"])
def test_any_page_may_be_damaged(path: Path, sound: Path, filling: bytes) -> None:
    content = sound.read_bytes()
    for start in range(0, len(content), 512):
        page = random.Random(start).randbytes(512) if filling == b"random" else filling * 512
        try_all(path, content[:start] + page + content[start + 512 :])


def test_any_end_may_be_missing(path: Path, sound: Path) -> None:
    content = sound.read_bytes()
    for size in range(1, len(content), 509):
        try_all(path, content[:size])


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 1 << 16), st.integers(0, 255)), min_size=1, max_size=8))
def test_any_bytes_may_be_changed(path: Path, sound: Path, changes: list[tuple[int, int]]) -> None:
    content = bytearray(sound.read_bytes())
    for place, value in changes:
        content[place % len(content)] = value
    try_all(path, bytes(content))


def test_damage_is_named(path: Path, sound: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(sound.read_bytes()[:512] + b"\xff" * 9999)
    assert refusal(path).reason == "sqlite-corrupt"


def test_a_scan_that_goes_in_circles_ends(path: Path) -> None:
    make(path, TABLE, "INSERT INTO message SELECT 1, hex(zeroblob(5000000))")
    query = "SELECT id, text FROM message, (VALUES (1), (2)) WHERE ? IS NOT NULL"
    with open_foreign(path) as store, pytest.raises(Unreadable, match="sqlite-corrupt"):
        list(store.scan(query, 0))


# ---- hostile and unexpected schemas ----


@pytest.mark.parametrize(
    ("sql", "missing"),
    [
        ("SELECT id FROM messages", "messages"),
        ("SELECT id, time FROM message", "time"),
        ('SELECT id, "time" FROM message', "time"),
        ("SELECT m.time FROM message AS m", "m.time"),
        ("SELECT id FROM seen", "seen"),
        ("SELECT one FROM constant", "constant"),
        ("SELECT text FROM words", "fts5"),
        ("SELECT id FROM places", "rtree"),
    ],
)
def test_what_a_store_lacks_is_named(path: Path, sql: str, missing: str) -> None:
    make(
        path, TABLE, "CREATE VIEW seen AS SELECT id FROM message", "CREATE VIEW constant AS SELECT 1 AS one",
        "CREATE VIRTUAL TABLE words USING fts5 (text)", "CREATE VIRTUAL TABLE places USING rtree (id, a, b)",
    )  # fmt: skip
    error = refusal(path, sql)
    assert isinstance(error, SchemaMismatch)
    assert (error.reason, error.missing) == ("schema", missing)


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO message VALUES (9, '')", "DELETE FROM message", "DROP TABLE message", "CREATE TEMP TABLE t (a)",
        "ATTACH '/dev/null' AS other", "VACUUM INTO 'elsewhere'", "BEGIN", "PRAGMA writable_schema=1", "ANALYZE",
        "PRAGMA query_only=0", "PRAGMA journal_mode=DELETE", "SELECT load_extension('evil')", "SELECT randomblob(9)",
        "SELECT printf('%d', 1)", "SELECT writefile('x', 'y')", "PRAGMA wal_checkpoint(TRUNCATE)",
    ],
)  # fmt: skip
def test_nothing_but_reading_is_allowed(path: Path, sql: str) -> None:
    make(path, TABLE, numbers(1, 3))
    before = traces(path.parent)
    assert refusal(path, sql).reason.startswith("sqlite-")
    assert traces(path.parent) == before


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE VIEW message AS SELECT 1 AS id, 'x' AS text",
        "CREATE/**/VIEW message (id, text) AS SELECT randomblob(10), load_extension('evil')",
        "CREATE VIRTUAL TABLE message USING fts5 (id, text)",
        "CREATE TABLE message (id, text AS (load_extension(id)))",
        "CREATE TABLE message (", "create gibberish", "CREATE TABLE other (id, text)", "",
    ],
)  # fmt: skip
def test_a_forged_schema_is_refused(path: Path, sql: str) -> None:
    make(path, TABLE, numbers(1, 3))
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA writable_schema=1")
        db.execute("UPDATE sqlite_master SET sql = ?", (sql,))
    refusal(path)


def test_a_schema_that_is_no_text_is_damage(path: Path) -> None:
    make(path, TABLE, "INSERT INTO message VALUES (1, CAST(x'ff' AS TEXT))")
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA writable_schema=1")
        db.execute("UPDATE sqlite_master SET sql = CAST(replace(sql, 'TEXT', x'80') AS TEXT)")
    assert refusal(path).reason == "sqlite-corrupt"


def test_triggers_do_nothing(path: Path) -> None:
    make(path, TABLE, "CREATE TRIGGER t AFTER INSERT ON message BEGIN DELETE FROM message; END")
    assert rows(path) == []


def test_columns_are_known_by_name(path: Path) -> None:
    make(path, "CREATE TABLE t (a, \"b c\", d AS (length(a)))", "CREATE VIEW v AS SELECT a FROM t",
         "CREATE VIRTUAL TABLE words USING fts5 (text)")  # fmt: skip
    with open_foreign(path) as store:
        assert store.columns("t") == ("a", "b c", "d")
        assert store.columns("v") == store.columns("missing") == ()
        assert store.rows("PRAGMA user_version") == [(0,)]


# ---- cells ----


def test_cells_come_as_they_are(path: Path) -> None:
    make(path, TABLE, "INSERT INTO message VALUES (1, x'00ff'), (2, NULL), (3, 2.5), (4, 'ü')")
    assert rows(path) == [(1, b"\x00\xff"), (2, None), (3, "2.5"), (4, "ü")]


def test_foreign_bytes_in_a_text_are_replaced(path: Path) -> None:
    make(path, TABLE, "INSERT INTO message VALUES (1, 'ü'), (2, CAST(x'61ff62' AS TEXT)), (3, x'ff'), (4, NULL)")
    found = [(4, None), (3, b"\xff"), (2, "a\N{REPLACEMENT CHARACTER}b"), (1, "ü")]
    assert rows(path, "SELECT id, text FROM message WHERE id < ? ORDER BY id DESC", 9) == found
    with open_foreign(path) as store:
        assert list(store.scan(SCAN, 0)) == found[::-1]


def test_half_a_character_in_utf_16_is_replaced(path: Path) -> None:
    make(path, "PRAGMA encoding='UTF-16le'", TABLE, "INSERT INTO message VALUES (1, CAST(x'6100fc0000d8' AS TEXT))")
    assert rows(path) == [(1, "aü\N{REPLACEMENT CHARACTER}")]


def test_a_huge_cell_costs_its_own_row_only(path: Path) -> None:
    make(
        path,
        TABLE,
        numbers(1, 3),
        "INSERT INTO message VALUES (4, zeroblob(20000000))",
        "INSERT INTO message VALUES (5, 'end')",
    )
    assert refusal(path).reason == "sqlite-toobig"
    select = "SELECT {}, octet_length(text) FROM message WHERE id > 2"
    assert rows(path, select.format(fitting("text"))) == [("text 3", 6), (None, 20_000_000), ("end", 3)]
    assert rows(path, select.format(fitting("text", 5))) == [(None, 6), (None, 20_000_000), ("end", 3)]


def test_an_endless_result_ends(path: Path) -> None:
    make(path, TABLE, numbers(1, 1))
    endless = "WITH RECURSIVE n (v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n) SELECT v FROM n"
    assert refusal(path, endless).reason == "sqlite-toobig"


@settings(max_examples=15)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9)), unique=True, min_size=1))
def test_a_scan_finds_every_key_once(path: Path, keys: list[tuple[str, int]]) -> None:
    path.unlink(missing_ok=True)
    make(path, "CREATE TABLE part (a TEXT, b INTEGER, data BLOB, PRIMARY KEY (a, b))",
         *(f"INSERT INTO part VALUES ('{a}', {b}, zeroblob(3000000))" for a, b in keys))  # noqa: S608  # fmt: skip
    with open_foreign(path) as store:
        found = store.scan("SELECT a, b, data FROM part WHERE (a, b) > (?, ?) ORDER BY a, b", "", 0)
        assert [row[:2] for row in found] == sorted(keys)
