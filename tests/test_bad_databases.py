"""Bad databases through the whole engine: Goose's, beside sessions of another source that must not suffer for it."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from engine import Engine, Lines, check, turn
from harkback.adapters.goose import Goose
from harkback.core import taking

TABLES = """
  CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT);
  CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content_json TEXT, created_timestamp INTEGER);
"""


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.setattr(taking, "BUSY_PAUSE", 0)
    engine = Engine(tmp_path, (Goose(), Lines()))  # type: ignore[arg-type]
    engine.write("other", turn("wombat"))
    with opened(engine) as db:
        db.execute(TABLES)
        for session in ("one", "two"):
            db.execute("INSERT INTO sessions VALUES (?, ?)", (session, f"about {session}"))
            say(db, session, f"zebra {session}")
    db.close()
    assert engine.run().sessions == 3
    yield engine
    check(engine)


def store(engine: Engine) -> Path:
    return engine.home / ".local" / "share" / "goose" / "sessions" / "sessions.db"


def opened(engine: Engine) -> Any:
    store(engine).parent.mkdir(parents=True, exist_ok=True)
    return apsw.Connection(str(store(engine)))


def say(db: Any, session: str, text: str) -> None:
    content = json.dumps([{"type": "text", "text": text}])
    db.execute(
        "INSERT INTO messages (session_id, role, content_json, created_timestamp) VALUES (?, 'user', ?, 1790000000)",
        (session, content),
    )


def reasons(engine: Engine) -> list[str]:
    return [row[0] for row in engine.rows("SELECT reason FROM files WHERE state = 'quarantined'")]


def test_a_database_that_its_agent_locks_is_busy_and_what_was_read_of_it_stays(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = opened(engine)
    say(db, "one", "okapi")
    db.execute("PRAGMA locking_mode=EXCLUSIVE").fetchall()
    db.execute("BEGIN EXCLUSIVE")
    say(db, "one", "quokka")
    engine.append("other", turn("numbat"))
    report = engine.run()
    assert (report.quarantined, report.skips, reasons(engine)) == (1, {"busy": 1}, ["busy"])
    assert engine.places("numbat") == [("other", 2)]
    assert sorted(engine.places("zebra")) == [("one", 1), ("two", 1)]
    db.execute("COMMIT")
    db.close()
    assert engine.run().quarantined == 0
    assert engine.places("quokka") == [("one", 3)]


@pytest.mark.parametrize("left", [("-wal", "-shm"), ("-wal",)])
def test_what_a_killed_agent_left_in_its_log_is_found_and_nothing_appears_beside_it(
    engine: Engine, left: tuple[str, ...]
) -> None:
    if (child := os.fork()) == 0:
        try:
            db = opened(engine)
            db.execute("PRAGMA journal_mode=WAL").fetchall()
            say(db, "two", "okapi")
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    if "-shm" not in left:
        store(engine).with_name("sessions.db-shm").unlink()
    before = untouched(engine)
    engine.run()
    assert engine.places("okapi") == [("two", 2)]
    assert untouched(engine) == before
    assert {path.name for path in store(engine).parent.iterdir()} == {f"sessions.db{suffix}" for suffix in ("", *left)}


def untouched(engine: Engine) -> dict[str, Any]:
    """What must not change while a database is read; those who share it mark in its -shm where they read."""
    return {path: (*status[:3], status[4]) for path, status in engine.listing().items() if not path.endswith("-shm")}


@pytest.mark.parametrize("how", ["damaged", "encrypted"])
def test_a_damaged_database_costs_itself_and_what_was_read_of_it_stays(engine: Engine, how: str) -> None:
    content = bytearray(store(engine).read_bytes())
    content[0 if how == "encrypted" else 4_096 :] = os.urandom(len(content) - (0 if how == "encrypted" else 4_096))
    store(engine).write_bytes(content)
    engine.append("other", turn("numbat"))
    report = engine.run()
    assert report.quarantined == 1
    assert reasons(engine)[0] in ("sqlite-corrupt", "sqlite-notadb")
    assert engine.places("numbat") == [("other", 2)]
    assert len(engine.places("zebra")) == 2


def test_a_column_of_another_name_sets_the_database_aside_until_somebody_knows_it(engine: Engine) -> None:
    db = opened(engine)
    db.execute("ALTER TABLE messages RENAME COLUMN content_json TO content")
    db.close()
    engine.run()
    assert reasons(engine) == ["schema"]
    assert len(engine.places("zebra")) == 2
    engine.adapters = (Goose(version=99), Lines())  # type: ignore[assignment]
    db = opened(engine)
    db.execute("ALTER TABLE messages RENAME COLUMN content TO content_json")
    db.close()
    assert engine.run().quarantined == 0


def test_rows_that_change_and_go_are_followed_session_by_session(engine: Engine) -> None:
    db = opened(engine)
    db.execute("DELETE FROM messages WHERE session_id = 'one'")
    say(db, "one", "okapi")
    db.execute("DELETE FROM messages WHERE session_id = 'two'")
    db.execute("DELETE FROM sessions WHERE id = 'two'")
    db.close()
    engine.run()
    assert engine.texts("one", "goose") == ["okapi"]
    assert [hit.session.gone_at_source for hit in engine.search("zebra")] == [True]


def test_a_cell_that_is_no_text_or_far_too_large_costs_its_message(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = opened(engine)
    say(db, "one", "okapi")
    db.execute("UPDATE messages SET content_json = x'00ff00' WHERE session_id = 'one' AND id = 1")
    db.execute("UPDATE messages SET content_json = zeroblob(20000000) WHERE session_id = 'two'")
    db.close()
    report = engine.run()
    assert engine.places("okapi")[0][0] == "one"
    assert sum(report.skips.values()) == 2
