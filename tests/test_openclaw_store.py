"""OpenClaw's database of one agent: windows of a key, the active branch, packed events, what changes a session."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest
import zstandard
from harkback.adapters.foreign_sqlite import SchemaMismatch, within
from harkback.adapters.json_lines import LINE_LIMIT
from harkback.adapters.openclaw import OpenClaw
from harkback.adapters.openclaw_store import KEYS
from harkback.core.model import (
    TITLE_GENERATED,
    TITLE_GIVEN,
    Checkpoint,
    ListRecord,
    Place,
    Record,
    SessionRecord,
    SkipRecord,
    TurnRecord,
    UndoRecord,
)

CLAW = OpenClaw()
FIXTURES = Path(__file__).parents[1].parent / "shared" / "fixtures" / "openclaw" / "derived"
START = 1_788_861_600_000
KEY = "agent:main:telegram:direct:7"
NEWEST = """
CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, current_session_id TEXT, entry_json TEXT, label TEXT,
  display_name TEXT, spawned_by TEXT, parent_session_key TEXT, fork_source_session_id TEXT);
CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT, previous_session_id TEXT, reason TEXT,
  created_at INTEGER, updated_at INTEGER, transcript_updated_at INTEGER, model TEXT, display_name TEXT,
  spawned_by TEXT, parent_session_key TEXT, hook_external_content_source TEXT);
CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json, created_at INTEGER,
  PRIMARY KEY(session_id, seq));
CREATE TABLE session_transcript_index_state (session_id TEXT PRIMARY KEY, indexed_seq INTEGER, leaf_event_id TEXT,
  needs_rebuild INTEGER, active_event_count INTEGER);
CREATE TABLE session_transcript_active_events (session_id TEXT, active_position INTEGER, event_seq INTEGER,
  PRIMARY KEY(session_id, active_position));
CREATE TABLE transcript_rewrite_watermarks (session_id TEXT PRIMARY KEY, generation TEXT, updated_at INTEGER);
CREATE TABLE session_transcript_archives (session_id TEXT, generation TEXT, reason TEXT, archive_blob BLOB);
CREATE TABLE auth_profile_store (store_key TEXT, store_json TEXT);
INSERT INTO auth_profile_store VALUES ('main', 'nobody reads this');
"""
OLDEST = """
CREATE TABLE sessions (session_id TEXT PRIMARY KEY, session_key TEXT, created_at INTEGER, updated_at INTEGER,
  spawned_by TEXT, display_name TEXT);
CREATE TABLE session_entries (session_key TEXT PRIMARY KEY, session_id TEXT, entry_json TEXT, updated_at INTEGER);
CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER,
  PRIMARY KEY(session_id, seq));
"""
HEADER = {"type": "session", "version": 4, "id": "another", "cwd": "/home/ada/dye"}
TREE = [
    ("a", None, "user", "Weld?"),
    ("b", "a", "assistant", "A week."),
    ("c", "b", "user", "abandoned"),
    ("d", "b", "user", "Madder?"),
]


def message(own: str, parent: str | None, role: str, text: str) -> dict[str, object]:
    return {"type": "message", "id": own, "parentId": parent, "message": {"role": role, "content": text}}


class Db:
    """A database as OpenClaw would leave it."""

    def __init__(self, folder: Path, schema: str = NEWEST) -> None:
        self.path = folder / "agents" / "main" / "agent" / "openclaw-agent.sqlite"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.run(schema)

    def run(self, sql: str, *values: object) -> None:
        with closing(apsw.Connection(str(self.path))) as db:
            db.execute(sql, values)  # type: ignore[arg-type]

    def add(self, table: str, **values: object) -> None:
        marks = ", ".join("?" * len(values))
        self.run(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", *values.values())  # noqa: S608

    def window(self, session: str, key: str = KEY, created: int = START, **more: object) -> None:
        self.add("session_windows", session_id=session, session_key=key, created_at=created, updated_at=created, **more)

    def events(self, session: str, *events: object, first: int = 0) -> None:
        for number, event in enumerate(events, first):
            cell = event if isinstance(event, str | bytes) else json.dumps(event)
            stored = START + 1000 * number
            self.add("transcript_events", session_id=session, seq=number, event_json=cell, created_at=stored)

    def state(self, session: str, active: Iterable[int], indexed: int, rebuild: int = 0) -> None:
        active = list(active)
        self.add(
            "session_transcript_index_state",
            session_id=session, indexed_seq=indexed, needs_rebuild=rebuild, active_event_count=len(active),
        )  # fmt: skip
        for place, seq in enumerate(active):
            self.add("session_transcript_active_events", session_id=session, active_position=place, event_seq=seq)

    def places(self) -> dict[str, Place]:
        return {each.path.name: each for each in CLAW.places(self.path) if isinstance(each, Place)}

    def read(self, session: str) -> list[Record]:
        return list(CLAW.read(within(self.path, session), None))


@pytest.fixture
def db(tmp_path: Path) -> Db:
    return Db(tmp_path)


def turns(records: Iterable[Record]) -> list[str]:
    """The texts of the active branch."""
    records = list(records)
    undone = [each for each in records if isinstance(each, UndoRecord)]
    found = [each for each in records if isinstance(each, TurnRecord)]
    return [each.text for each in found if not any(undo.since <= each.order < undo.until for undo in undone)]


def facts(records: Iterable[Record]) -> SessionRecord:
    return next(each for each in records if isinstance(each, SessionRecord))


def tree(db: Db, session: str = "s1") -> None:
    db.window(session)
    db.events(session, HEADER, *(message(*each) for each in TREE))


# ---- what there is ----


def test_the_database_alone_is_found_beside_the_credentials(db: Db, tmp_path: Path) -> None:
    for name in ("auth-profiles.json", "openclaw-agent.sqlite.bak", "models.json"):
        db.path.with_name(name).write_bytes(b"{}")
    assert list(CLAW.find(tmp_path)) == [db.path]
    assert CLAW.is_divided(db.path)
    assert not CLAW.is_divided(tmp_path / "agents" / "main" / "sessions" / "s1.jsonl")


def test_a_database_from_before_sessions_were_kept_in_it_has_none(tmp_path: Path) -> None:
    db = Db(tmp_path, "CREATE TABLE auth_profile_store (store_key TEXT, store_json TEXT)")
    assert db.places() == {}
    assert len(CLAW.token(db.path)) == 16


def test_every_window_of_a_key_is_a_session_and_only_the_last_can_be_resumed(db: Db) -> None:
    db.add("session_nodes", session_key=KEY, current_session_id="s2", display_name="Ada")
    db.window("s1", model="gpt-5.4")
    db.window("s2", created=START + 9000, previous_session_id="s1", reason="reset", display_name="Ada")
    db.events("s1", HEADER, message("a", None, "user", "Weld?"))
    db.events("s2", HEADER, message("a", None, "user", "Madder?"))
    assert list(db.places()) == ["all%20keys", "s2", "s1"], "the newest first"
    old, new = facts(db.read("s1")), facts(db.read("s2"))
    assert (old.session, old.handle, new.session, new.handle) == ("s1", None, "s2", KEY)
    assert (new.title, new.title_rank, new.agent, new.parent, old.model) == (
        "Ada",
        TITLE_GENERATED,
        "main",
        None,
        "gpt-5.4",
    )
    assert [turns(db.read(each)) for each in ("s1", "s2")] == [["Weld?"], ["Madder?"]]


def test_the_directory_is_the_header_s_and_times_are_those_of_storing(db: Db) -> None:
    tree(db)
    records = db.read("s1")
    assert [each.project for each in records if isinstance(each, SessionRecord)] == [None, "/home/ada/dye"]
    assert {each.session for each in records if isinstance(each, SessionRecord | TurnRecord)} == {"s1"}
    first = next(each for each in records if isinstance(each, TurnRecord))
    assert (first.time, first.quality) == (START + 1000, "exact")
    assert records[-1] == Checkpoint(0)


def test_the_first_schema_is_read_too(tmp_path: Path) -> None:
    db = Db(tmp_path, OLDEST)
    entry = json.dumps({"label": "Dyes", "skillsSnapshot": {"prompt": "never"}})
    db.add("session_entries", session_key=KEY, session_id="s1", entry_json=entry)
    db.add("sessions", session_id="s1", session_key=KEY, created_at=START, updated_at=START, display_name="Ada")
    db.events("s1", HEADER, *(message(*each) for each in TREE))
    known = facts(db.read("s1"))
    assert (known.title, known.title_rank, known.handle) == ("Dyes", TITLE_GIVEN, KEY)
    assert turns(db.read("s1")) == ["Weld?", "A week.", "Madder?"]
    db.run("UPDATE session_entries SET entry_json = '{\"label\": '")
    assert facts(db.read("s1")).title == "Ada"


def test_credentials_in_the_same_file_are_not_read(db: Db) -> None:
    tree(db)
    assert "nobody reads this" not in repr([db.read("s1"), db.read(KEYS), db.places()])


def test_a_session_that_is_no_longer_there_is_missing(db: Db) -> None:
    tree(db)
    with pytest.raises(FileNotFoundError):
        db.read("s9")


# ---- the active branch ----


def test_the_store_s_own_account_of_the_branch_is_taken(db: Db) -> None:
    tree(db)
    db.state("s1", [1, 2, 3], indexed=4)
    assert turns(db.read("s1")) == ["Weld?", "A week.", "abandoned"]


@pytest.mark.parametrize("state", ["rebuild", "behind", "broken", "none"])
def test_an_account_that_is_behind_is_worked_out_anew(db: Db, state: str) -> None:
    tree(db)
    if state != "none":
        db.state("s1", [1, 2, 3], indexed=3 if state == "behind" else 4, rebuild=int(state == "rebuild"))
    if state == "broken":
        db.run("DELETE FROM session_transcript_active_events WHERE event_seq = 2")
    assert turns(db.read("s1")) == ["Weld?", "A week.", "Madder?"]


def test_an_import_of_a_file_has_the_same_turns_in_the_same_places(db: Db, tmp_path: Path) -> None:
    tree(db)
    path = tmp_path / "s1.jsonl"
    rows = [{**HEADER, "id": "s1"}, *(message(*each) for each in TREE)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def told(records: Iterable[Record]) -> list[tuple[object, ...]]:
        found = [each for each in records if isinstance(each, TurnRecord)]
        return [(each.session, each.order, each.native_id, each.text) for each in found]

    assert told(CLAW.read(path, None)) == told(db.read("s1"))
    assert len(told(db.read("s1"))) == 4


# ---- packed and broken events ----


def test_packed_events_are_unpacked_and_broken_ones_cost_themselves(db: Db) -> None:
    def pack(data: bytes) -> bytes:
        return zstandard.ZstdCompressor(write_checksum=True).compress(data)

    good = pack(json.dumps(message("a", None, "user", "packed")).encode())
    broken = bytearray(good)
    broken[-1] ^= 0xFF
    db.window("s1")
    db.events("s1", HEADER, good, bytes(broken), pack(b" " * (LINE_LIMIT + 1)), b"\xff\xfe\x00", "[]", "{", None)
    db.events("s1", message("z", "a", "assistant", "after"), first=20)
    records = db.read("s1")
    assert turns(records) == ["packed", "after"]
    assert sorted(each.reason for each in records if isinstance(each, SkipRecord)) == [
        "not-json", "not-json", "not-json", "too-large", "unexpected-shape", "unexpected-shape",
    ]  # fmt: skip


def test_a_payload_under_another_name_is_read_and_none_at_all_is_a_schema_unknown(db: Db) -> None:
    tree(db)
    db.run("ALTER TABLE transcript_events RENAME COLUMN event_json TO event_blob")
    assert turns(db.read("s1")) == ["Weld?", "A week.", "Madder?"]
    db.run("ALTER TABLE transcript_events RENAME COLUMN event_blob TO elsewhere")
    with pytest.raises(SchemaMismatch):
        db.read("s1")


def test_unknown_types_are_counted(db: Db) -> None:
    tree(db)
    db.events("s1", {"type": "weaving", "id": "x", "parentId": "d"}, first=9)
    found = [each for each in db.read("s1") if isinstance(each, SkipRecord)]
    assert found == [SkipRecord("unknown-type", "weaving at event 9")]


# ---- parents and kinds ----


def test_a_child_s_parent_is_the_window_that_its_spawner_had_then(db: Db) -> None:
    for number, session in enumerate(("s1", "s2", "s3")):
        db.window(session, created=START + number * 1000)
    db.window("c1", key="agent:main:subagent:x", created=START + 1500, spawned_by=KEY)
    db.events("c1", HEADER, message("a", None, "user", "Count."))
    known = facts(db.read("c1"))
    assert (known.kind, known.parent) == ("subagent", "s2")


@pytest.mark.parametrize(
    ("reason", "parent"),
    [("rewind", "s0"), ("compaction", "s0"), ("reset", None), ("rollover", None), ("initial", None)],
)
def test_a_window_with_a_copy_of_the_one_before_is_its_child(db: Db, reason: str, parent: str | None) -> None:
    db.window("s1", previous_session_id="s0", reason=reason)
    db.events("s1", HEADER, message("a", None, "user", "Weld?"))
    assert facts(db.read("s1")).parent == parent


def test_a_fork_is_the_child_of_what_it_was_forked_from(db: Db) -> None:
    db.add("session_nodes", session_key=KEY, current_session_id="s1", fork_source_session_id="s0")
    db.window("s1", reason="fork")
    db.events("s1", HEADER, message("a", None, "user", "Weld?"))
    assert facts(db.read("s1")).parent == "s0"


def test_what_came_from_outside_is_automated(db: Db) -> None:
    db.window("s1", hook_external_content_source="gmail")
    db.window("s2", key="agent:main:cron:daily")
    for session in ("s1", "s2"):
        db.events(session, HEADER, message("a", None, "user", "Weld?"))
        assert facts(db.read(session)).kind == "automated"


# ---- the list of keys ----


def test_the_list_has_every_key_with_all_its_windows_and_what_was_deleted(db: Db) -> None:
    db.add("session_nodes", session_key=KEY, current_session_id="s2")
    db.window("s1")
    db.window("s2", created=START + 1)
    db.window("s3", key="a key without a node")
    db.events("s2", HEADER)
    for session, reason in (("s2", "deleted"), ("s4", "deleted"), ("s5", "reset")):
        db.add("session_transcript_archives", session_id=session, generation="g", reason=reason, archive_blob=b"never")
    assert db.read(KEYS) == [
        ListRecord(((KEY, "s1"), (KEY, "s2"))),
        SessionRecord("s4", deleted=True),
        Checkpoint(0),
    ]
    before = db.places()["all%20keys"].token
    db.run("DELETE FROM session_nodes")
    assert db.read(KEYS)[0] == ListRecord(())
    assert db.places()["all%20keys"].token != before


# ---- what changes ----

CHANGES = {
    "an event": "INSERT INTO transcript_events VALUES ('s1', 9, '{}', 1)",
    "a rewrite": "INSERT INTO transcript_rewrite_watermarks VALUES ('s1', 'g2', 1)",
    "a rebuild": "UPDATE session_transcript_index_state SET needs_rebuild = 1 WHERE session_id = 's1'",
    "a moved leaf": "UPDATE session_transcript_index_state SET leaf_event_id = 'a' WHERE session_id = 's1'",
    "a name": "UPDATE session_nodes SET label = 'Dyes'",
    "a new window": "UPDATE session_nodes SET current_session_id = 's7'",
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_token_changes_with_its_session_and_with_no_other(db: Db, change: str) -> None:
    db.add("session_nodes", session_key=KEY, current_session_id="s1")
    tree(db)
    db.state("s1", [1, 2, 4], indexed=4)
    db.window("s2", key="agent:main:other")
    db.events("s2", HEADER, message("a", None, "user", "Weld?"))
    before, whole = db.places(), CLAW.token(db.path)
    assert db.places() == before
    db.run(CHANGES[change])
    after = db.places()
    assert after["s1"].token != before["s1"].token
    assert after["s2"] == before["s2"]
    assert CLAW.token(db.path) != whole


def test_many_sessions_are_listed_without_reading_their_events(db: Db) -> None:
    huge = "x" * 50_000
    with closing(apsw.Connection(str(db.path))) as raw, raw:
        for number in range(300):
            raw.execute(
                "INSERT INTO session_windows (session_id, session_key) VALUES (?, ?)", (f"s{number}", f"k{number}")
            )
            for seq in range(3):
                raw.execute("INSERT INTO transcript_events VALUES (?, ?, ?, 1)", (f"s{number}", seq, huge))
        plan = " ".join(
            str(row) for row in raw.execute("EXPLAIN QUERY PLAN SELECT min(session_id) FROM transcript_events")
        )
    assert "SEARCH" in plan
    assert len(db.places()) == 300


# ---- the shared fixture ----


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared fixtures are not here")
def test_the_fixture_says_in_its_database_what_it_says_in_its_file() -> None:
    path = FIXTURES / "agents" / "main" / "agent" / "openclaw-agent.sqlite"
    names = [each.path for each in CLAW.places(path) if isinstance(each, Place)]
    assert within(path, "branch-demo") in names
    of_store: list[Any] = list(CLAW.read(within(path, "branch-demo"), None))
    assert turns(of_store) == turns(CLAW.read(FIXTURES / "branch-demo.jsonl", None))
    assert len(turns(of_store)) == 4
