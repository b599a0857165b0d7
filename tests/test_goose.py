"""Goose's database of every version, and the files of before that it leaves behind."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from harkback.adapters.foreign_sqlite import SchemaMismatch, within
from harkback.adapters.goose import Goose
from harkback.core.model import TITLE_GIVEN, Checkpoint, Place, Reread, SessionRecord, TurnRecord
from hypothesis import given
from hypothesis import strategies as st
from read_sessions import database, read, run

GOOSE = Goose()
FIXTURES = Path(__file__).parents[1].parent / "shared" / "fixtures" / "goose"
needs_fixtures = pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared fixtures are not here")
NOW = 1_793_696_400

SCHEMA = """
CREATE TABLE sessions(id TEXT PRIMARY KEY, name TEXT, description TEXT, user_set_name BOOLEAN, session_type TEXT,
  working_dir TEXT, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE messages(id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content_json TEXT,
  created_timestamp INTEGER, metadata_json TEXT);
CREATE INDEX idx_messages_session ON messages(session_id);
"""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return database(tmp_path / "sessions.db", SCHEMA)


def session(store: Path, native_id: str, **more: Any) -> None:
    row = {"name": "A name", "description": "", "set": 0, "type": "user", "dir": "/src", "at": "2026-11-03 09:00:00"}
    run(store, "INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?)", native_id, *(row | more).values())


def says(store: Path, name: str, role: str, *blocks: Any, at: int = NOW, **metadata: Any) -> None:
    content = [block if isinstance(block, dict) else {"type": "text", "text": block} for block in blocks]
    row = (name, role, json.dumps(content), at, json.dumps(metadata) if metadata else None)
    columns = "session_id, role, content_json, created_timestamp, metadata_json"
    run(store, f"INSERT INTO messages({columns}) VALUES (?, ?, ?, ?, ?)", *row)  # noqa: S608


def call(name: str, **arguments: Any) -> dict[str, Any]:
    value = {"name": name, "arguments": arguments}
    return {"type": "toolRequest", "id": "t1", "toolCall": {"status": "success", "value": value}}


def result(value: Any) -> dict[str, Any]:
    return {"type": "toolResponse", "id": "t1", "toolResult": {"status": "success", "value": value}}


def lines(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def line(role: str, text: str, at: int = NOW) -> dict[str, Any]:
    return {"role": role, "created": at, "content": [{"type": "text", "text": text}]}


# ---- Where ----


def test_the_store_is_where_the_environment_says(tmp_path: Path) -> None:
    assert GOOSE.roots(tmp_path, {}) == [
        tmp_path / ".local" / "share" / "goose" / "sessions",
        tmp_path / "AppData" / "Roaming" / "Block" / "goose" / "data" / "sessions",
    ]
    assert GOOSE.roots(tmp_path, {"XDG_DATA_HOME": "/data"})[0] == Path("/data/goose/sessions")
    assert GOOSE.roots(tmp_path, {"GOOSE_PATH_ROOT": "/goose"}) == [Path("/goose/data/sessions")]


def test_the_database_and_the_old_files_are_found_and_nothing_else(tmp_path: Path, store: Path) -> None:
    for name in ("20250901_1.jsonl", ".hidden.jsonl", "sessions.db-wal", "config.yaml", "20250901_1.jsonl.bak"):
        (tmp_path / name).write_bytes(b"")
    assert {path.name for path in GOOSE.find(tmp_path) if isinstance(path, Path)} == {store.name, "20250901_1.jsonl"}


def test_a_session_is_resumed_by_its_id() -> None:
    assert GOOSE.resume("20261103_1") == ["goose", "session", "--resume", "--session-id", "20261103_1"]
    assert GOOSE.resume("--help") is None


# ---- The database ----


def test_only_what_both_see_and_say_is_read(tmp_path: Path, store: Path) -> None:
    session(store, "1", name="Heater", set=1)
    says(store, "1", "user", "How warm?", {"type": "image", "data": "AAAA", "mimeType": "image/png"})
    says(store, "1", "assistant", {"type": "thinking", "thinking": "Hm"}, call("shell", command="ls"), at=NOW + 1)
    says(store, "1", "user", result([{"type": "text", "text": "heat.csv"}]), at=NOW + 2)
    says(store, "1", "assistant", "It is warm.", at=NOW + 3, userVisible=True, agentVisible=False)
    says(store, "1", "assistant", "Summary for the model", at=NOW + 4, userVisible=False, agentVisible=True)
    told = read(GOOSE, tmp_path)
    assert told["1"].dialog == [("user", "How warm?"), ("assistant", "It is warm.")]
    assert [turn.time for turn in told["1"].turns] == [NOW * 1000, (NOW + 3) * 1000]
    assert (told["1"].title, told["1"].project) == ("Heater", "/src")
    assert not told.skips
    [facts] = [record for record in GOOSE.read(within(store, "1"), None) if isinstance(record, SessionRecord)]
    assert facts.title_rank == TITLE_GIVEN


def test_tools_are_read_in_their_place_where_the_person_asked_for_them(tmp_path: Path, store: Path) -> None:
    session(store, "1")
    says(store, "1", "assistant", "I look.", call("shell", command="ls"), at=NOW + 1)
    says(store, "1", "user", result({"content": [{"type": "text", "text": "heat.csv"}]}), at=NOW + 2)
    says(store, "1", "user", {"type": "toolResponse", "toolResult": {"status": "error", "error": "no"}}, at=NOW + 2)
    assert read(GOOSE, tmp_path, tools=True)["1"].dialog == [
        ("assistant", "I look."), ("tool", 'shell\n{"command": "ls"}'), ("tool", "heat.csv"), ("tool", "no"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "is_read_as"),
    [("user", "main"), ("scheduled", "automated"), ("sub_agent", "subagent"), ("hidden", "automated"), ("x", "main")],
)
def test_the_kind_of_a_session(tmp_path: Path, store: Path, kind: str, is_read_as: str) -> None:
    session(store, "1", type=kind)
    assert read(GOOSE, tmp_path)["1"].kind == is_read_as


def test_what_goose_calls_every_session_is_no_title_and_a_description_stands_in(tmp_path: Path, store: Path) -> None:
    session(store, "1", name="CLI Session")
    session(store, "2", name="New session 12", description="About seeds")
    session(store, "3", name="New sessions of parliament")
    told = read(GOOSE, tmp_path)
    assert [told[name].title for name in "123"] == [None, "About seeds", "New sessions of parliament"]


def test_messages_are_ordered_by_time_then_by_row(tmp_path: Path, store: Path) -> None:
    session(store, "1")
    for text, at in (("third", NOW + 9), ("first", NOW), ("second", NOW)):
        says(store, "1", "user", text, at=at)
    assert [text for _, text in read(GOOSE, tmp_path)["1"].dialog] == ["first", "second", "third"]


def test_a_compaction_that_replaces_every_row_leaves_turns_the_same(tmp_path: Path, store: Path) -> None:
    session(store, "1")
    says(store, "1", "user", "Hello")
    [before] = [turn.native_id for turn in read(GOOSE, tmp_path)["1"].turns]
    token = places(store)["1"].token
    run(store, "DELETE FROM messages")
    says(store, "1", "user", "Hello")
    assert places(store)["1"].token != token
    assert [turn.native_id for turn in read(GOOSE, tmp_path)["1"].turns] == [before]


def test_times_of_the_sessions_table_are_utc(monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    session(store, "1", at="2026-11-03 09:00:00")
    session(store, "2", at="2026-11-03T09:00:00+09:00")
    session(store, "3", at=None)
    assert {name: place.changed for name, place in places(store).items()} == {
        "1": 1_793_696_400_000, "2": 1_793_664_000_000, "3": 0,
    }  # fmt: skip


def places(store: Path) -> dict[str, Place]:
    return {place.path.name: place for place in GOOSE.places(store) if isinstance(place, Place)}


def test_broken_rows_cost_themselves_and_new_types_are_counted(tmp_path: Path, store: Path) -> None:
    session(store, "1")
    says(store, "1", "user", "Hello", {"type": "hologram"})
    run(store, "INSERT INTO messages(session_id, role, content_json, created_timestamp) VALUES ('1', 'user', '[{', 0)")
    says(store, "1", "developer", "You are")
    told = read(GOOSE, tmp_path)
    assert told["1"].dialog == [("user", "Hello")]
    assert told.skips == {"unknown-type": 2, "not-json": 1}


def test_the_first_version_of_the_schema_and_one_without_messages(tmp_path: Path) -> None:
    path = database(
        tmp_path / "sessions.db",
        """CREATE TABLE sessions(id TEXT PRIMARY KEY, description TEXT, working_dir TEXT);
        CREATE TABLE messages(id INTEGER PRIMARY KEY, session_id, role, content_json, created_timestamp);
        INSERT INTO sessions VALUES ('1', 'Old', '/src');
        INSERT INTO messages VALUES (1, '1', 'user', '[{"type":"text","text":"Hello"}]', 1793696400)""",
    )
    told = read(GOOSE, tmp_path)["1"]
    assert (told.title, told.project, told.dialog) == ("Old", "/src", [("user", "Hello")])
    run(path, "DROP TABLE messages")
    with pytest.raises(SchemaMismatch):
        list(GOOSE.places(path))
    with pytest.raises(SchemaMismatch):
        list(GOOSE.read(within(path, "1"), None))


def test_a_session_that_is_gone_is_a_missing_file_and_none_is_read_on(store: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(GOOSE.read(within(store, "1"), None))
    with pytest.raises(Reread):
        list(GOOSE.read(within(store, "1"), Checkpoint(0)))


# ---- The files of before ----

HEADER = {"working_dir": "/src", "description": "Old", "message_count": 2}


def test_an_old_file_is_a_session_named_by_its_header_or_its_file(tmp_path: Path) -> None:
    lines(tmp_path / "20250814_3.jsonl", HEADER, line("user", "Hello"), line("assistant", "Hi.", NOW + 1))
    lines(tmp_path / "copy.jsonl", HEADER | {"id": "20250815_1", "schedule_id": "nightly"}, line("user", "Hello"))
    told = read(GOOSE, tmp_path)
    assert told["20250814_3"].dialog == [("user", "Hello"), ("assistant", "Hi.")]
    assert (told["20250814_3"].title, told["20250814_3"].project) == ("Old", "/src")
    assert told["20250815_1"].kind == "automated"


def test_an_old_file_that_was_imported_is_not_read_twice(tmp_path: Path, store: Path) -> None:
    for name in ("1", "2"):
        lines(tmp_path / f"{name}.jsonl", HEADER, line("user", f"Hello from {name}"))
    session(store, "1")
    says(store, "1", "user", "Hello from the database")
    told = read(GOOSE, tmp_path)
    assert told["1"].dialog == [("user", "Hello from the database")]
    assert told["2"].dialog == [("user", "Hello from 2")]


def test_a_turn_is_the_same_in_an_old_file_and_in_the_database(tmp_path: Path, store: Path) -> None:
    session(store, "1")
    says(store, "1", "user", "Hello")
    lines(tmp_path / "2.jsonl", HEADER, line("user", "Hello"))
    told = read(GOOSE, tmp_path)
    assert told["1"].turns[0].native_id == told["2"].turns[0].native_id


@given(cut=st.integers(0, 400), tools=st.booleans())
def test_a_file_that_grows_is_read_as_if_it_were_whole(tmp_path: Path, cut: int, tools: bool) -> None:
    adapter = GOOSE.with_tools() if tools else GOOSE
    rows = (
        HEADER | {"id": "9"},
        line("user", "Hello"),
        {**line("assistant", ""), "content": [call("ls"), result("é")]},
    )
    path = lines(tmp_path / "2.jsonl", *rows, line("assistant", "Hi."))
    data = path.read_bytes()
    whole = [record for record in adapter.read(path, None) if isinstance(record, SessionRecord | TurnRecord)]
    path.write_bytes(data[:cut])
    first = list(adapter.read(path, None))
    path.write_bytes(data)
    since = first[-1]
    assert isinstance(since, Checkpoint)
    rest = adapter.read(path, since)
    assert [record for record in [*first, *rest] if isinstance(record, SessionRecord | TurnRecord)] == whole


def test_a_file_that_shrank_is_read_again(tmp_path: Path) -> None:
    path = lines(tmp_path / "2.jsonl", HEADER)
    with pytest.raises(Reread):
        list(GOOSE.read(path, Checkpoint(10_000, b"2")))


# ---- The shared fixtures ----


@needs_fixtures
def test_the_fixtures(tmp_path: Path) -> None:
    shutil.copyfile(FIXTURES / "deja_20250724_1.jsonl", tmp_path / "20250724_1.jsonl")
    shutil.copyfile(FIXTURES / "own_sessions_v5.db", tmp_path / "sessions.db")
    (tmp_path / "dump").mkdir()
    database(tmp_path / "dump" / "sessions.db", (FIXTURES / "deja_goose.sql").read_text("utf-8"))
    told = read(GOOSE, tmp_path, tmp_path / "dump")
    assert not told.skips
    assert {name: each.dialog for name, each in told.sessions.items()} == {
        "20250724_1": [("user", "Say hello"), ("assistant", "Hello from Goose!")],
        "20250724_2": [("user", "inspect the sqlite fixture"), ("assistant", "the sqlite rows are readable")],
        "20260817_1": [("user", "Why does the retry loop never stop?"), ("assistant", "条件永远为真。")],
        "20260817_2": [("user", "Find callers")],
    }
    assert told["20260817_2"].kind == "subagent"
    assert told["20260817_1"].turns[0].time == 1_787_000_000_000
    shutil.copyfile(FIXTURES / "deja_goose_materialized.db", tmp_path / "dump" / "sessions.db")
    assert read(GOOSE, tmp_path / "dump")["20250724_2"].dialog == told["20250724_2"].dialog
