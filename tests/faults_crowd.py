"""Many at once: several that index and search one home; another program at work on its database while we read that."""

from __future__ import annotations

import functools
import json
import mmap
import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import apsw
from engine import Engine, check, turn
from faults_home import MARK, Home
from faults_process import forked, told
from faults_stages import answers, cursors
from harkback.adapters.foreign_sqlite import open_foreign
from harkback.adapters.goose import Goose
from harkback.core.config import Limits
from harkback.core.model import Unreadable
from harkback.core.store import Busy

Violated = Callable[[str], object]
"""Told what was violated."""
GOOSE_TABLES = """
  CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, name TEXT);
  CREATE TABLE IF NOT EXISTS messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content_json TEXT, created_timestamp INTEGER);
"""


def crowd(place: Path, rng: random.Random, rounds: int, violated: Violated) -> str:
    """Four index and two search, while files grow; gives how much they did."""
    engine = Engine(place, limits=Limits("everything"))
    home = Home(engine, rng)
    for number in range(20):
        engine.write(f"s{number}", *home.lines(number, 10))
    engine.write("known", turn(MARK))
    engine.run()
    ended, done = mmap.mmap(-1, 1), memoryview(mmap.mmap(-1, 6 * 8)).cast("q")

    def index(number: int) -> None:
        while not ended[0]:
            try:
                engine.run()
                done[number] += 1
            except Busy:
                time.sleep(0.005)

    def search(number: int) -> None:
        while not ended[0]:
            assert answers(engine) == 1
            done[number] += 1

    children = [forked(functools.partial(index if n < 4 else search, n)) for n in range(6)]
    for _ in range(rounds):
        for number in range(0, 20, rng.randint(1, 4)):
            engine.append(f"s{number}", turn(home.prose(20)))
        time.sleep(0.02)
    ended[0] = 1
    if sum(os.waitpid(child, 0)[1] for child in children):
        violated("one of them failed, as it said above")
    try:
        engine.run()
        check(engine)
        cursors(engine)
        assert engine.contents() == engine.fresh().contents(), "not what one alone makes of it"
        assert engine.run().bytes_read == 0
    except Exception as error:
        violated(told(error))
    return f"{sum(done[:4])} passes, {sum(done[4:])} searches"


def foreign(place: Path, rng: random.Random, rounds: int, violated: Violated) -> str:
    """Another program's database, read while that program writes, closes, dies and comes back; gives how often."""
    path = place / "store.db"
    path.parent.mkdir()
    reads = busy = rows = 0
    for number in range(rounds):
        writer = forked(functools.partial(_be_another_program, path, number))
        until = time.monotonic() + rng.uniform(0.05, 0.5)
        while time.monotonic() < until:
            reads += 1
            try:
                rows = _read(path, rows)
            except Unreadable as error:
                busy += 1
                if error.reason != "busy":
                    violated(error.reason)
            except Exception as error:
                violated(told(error))
        os.kill(writer, signal.SIGKILL)
        os.waitpid(writer, 0)
        before = _entries(path.parent)
        try:
            rows = _read(path, rows)
        except Exception as error:
            violated(f"after the other program died: {told(error)}")
        if _entries(path.parent) != before:
            violated("a trace was left beside the database")
    return f"{reads} reads, {busy} of them too busy, and said so"


def live_sessions(place: Path, rng: random.Random, rounds: int, violated: Violated) -> str:
    """Goose's database, indexed while Goose talks, compacts, deletes, dies and comes back; gives how often."""
    engine = Engine(place, adapters=(Goose(),), limits=Limits("everything"))  # type: ignore[arg-type]
    path = engine.home / ".local" / "share" / "goose" / "sessions" / "sessions.db"
    path.parent.mkdir(parents=True)
    passes = turns = 0
    for number in range(rounds):
        writer = forked(functools.partial(_be_goose, path, number))
        until = time.monotonic() + rng.uniform(0.1, 0.8)
        while time.monotonic() < until:
            try:
                turns += engine.run().read
                passes += 1
                _whole(engine)
            except Exception as error:
                violated(told(error))
        os.kill(writer, signal.SIGKILL)
        os.waitpid(writer, 0)
        before = _entries(path.parent)
        try:
            engine.run()
            check(engine)
            _whole(engine)
            there = engine.fresh().contents()
            assert {key: said for key, said in engine.contents().items() if key in there} == there, "not as read anew"
            assert engine.run().bytes_read == 0
        except Exception as error:
            violated(f"after Goose died: {told(error)}")
        if _entries(path.parent) != before:
            violated("a trace was left beside Goose's database")
    return f"{passes} passes read {turns} times that it had changed"


def _whole(engine: Engine) -> None:
    """Goose writes a question and its answer at once, so there are never more of one than of the other."""
    sql = """SELECT sessions.native_id FROM turns JOIN sessions ON sessions.id = turns.session WHERE sessions.gone = 0
             GROUP BY turns.session HAVING sum(role = 'user') != sum(role = 'assistant')"""
    torn = engine.rows(sql) if engine.indexed() else []
    assert not torn, f"half a transaction: {torn}"


def _be_goose(path: Path, seed: int) -> None:
    """Open the database, talk in some of its sessions, compact one, delete one, close it, and again, until killed."""
    rng = random.Random(seed)
    said = "INSERT INTO messages (session_id, role, content_json, created_timestamp) VALUES (?, ?, ?, ?)"

    def talk(name: str, at: int) -> None:
        for role in ("user", "assistant"):
            content = [{"type": "text", "text": f"{role} {rng.random()} " + "word " * rng.randint(1, 300)}]
            db.execute(said, (name, role, json.dumps(content), at))

    while True:
        db = apsw.Connection(str(path))
        db.set_busy_timeout(5_000)
        for pragma in ("journal_mode=WAL", f"wal_autocheckpoint={rng.choice((5, 50, 1_000))}"):
            db.execute(f"PRAGMA {pragma}").fetchall()
        db.execute(GOOSE_TABLES)
        for _ in range(rng.randint(1, 200)):
            name, at = f"s{rng.randint(1, 12)}", 1_790_000_000 + time.monotonic_ns() // 1_000_000
            with db:
                what = rng.random()
                if what < 0.03:
                    db.execute("DELETE FROM sessions WHERE id = ?", (name,))
                if what < 0.1:
                    db.execute("DELETE FROM messages WHERE session_id = ?", (name,))
                if what >= 0.03:
                    db.execute("INSERT OR IGNORE INTO sessions (id, name) VALUES (?, ?)", (name, f"about {name}"))
                    talk(name, at)
        db.close()


def _read(path: Path, before: int) -> int:
    """How many rows there are now, of which each second is the opposite of the one before."""
    try:
        with open_foreign(path) as store:
            if not store.columns("entries"):
                return before
            ((rows, total),) = store.rows("SELECT count(*), coalesce(sum(amount), 0) FROM entries")
    except FileNotFoundError:
        return before
    assert (rows % 2, total) == (0, 0), f"half a transaction: {rows} rows, {total}"
    assert rows >= before, f"{before - rows} rows less than before"
    return rows


def _be_another_program(path: Path, seed: int) -> None:
    """Open a database, add rows by two, close it, and again, until killed."""
    rng = random.Random(seed)
    while True:
        db = apsw.Connection(str(path))
        db.set_busy_timeout(5_000)
        for pragma in ("journal_mode=WAL", f"wal_autocheckpoint={rng.choice((5, 50, 1_000))}"):
            db.execute(f"PRAGMA {pragma}").fetchall()
        db.execute("CREATE TABLE IF NOT EXISTS entries (id INTEGER PRIMARY KEY, amount INTEGER, text TEXT)")
        for _ in range(rng.randint(1, 400)):
            amount = rng.randint(1, 99)
            with db:
                for value in (amount, -amount):
                    text = "x" * rng.randint(1, 3_000)
                    db.execute("INSERT INTO entries (amount, text) VALUES (?, ?)", (value, text))
        db.close()


def _entries(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    paths = sorted(folder.iterdir())
    return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns, path.read_bytes()) for path in paths}
