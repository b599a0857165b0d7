"""OpenCode's three generations of stores: what is said, what is not, and a database that its owner has open."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from harkback.adapters.foreign_sqlite import SchemaMismatch, within
from harkback.adapters.opencode import OpenCode
from harkback.core.model import TITLE_GENERATED, Checkpoint, Place, Reread, SessionRecord, SkipRecord, TurnRecord
from read_sessions import Read, database, found, read, run

OPENCODE = OpenCode()
STORES = Path(__file__).parent / "corpus" / "stores" / "opencode" / "home" / ".local" / "share" / "opencode"
FIXTURES = Path(__file__).parents[1].parent / "shared" / "fixtures" / "opencode"
needs_fixtures = pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared fixtures are not here")

FIRST = """
CREATE TABLE session(id text primary key, parent_id text, directory text, title text, revert text, model text,
  time_updated integer);
CREATE TABLE message(id text primary key, session_id text, time_created integer, time_updated integer, data text);
CREATE TABLE part(id text primary key, message_id text, session_id text, time_updated integer, data text);
CREATE INDEX message_session_time_created_id_idx ON message(session_id, time_created, id);
CREATE INDEX part_message_id_id_idx ON part(message_id, id);
CREATE INDEX part_session_idx ON part(session_id);
"""
SECOND = """
CREATE TABLE session_v2(id text primary key, parent_id text, fork_session_id text, directory text, title text,
  revert text, time_updated integer);
CREATE TABLE session_message(id text primary key, session_id text, type text, seq integer, time_created integer,
  time_updated integer, data text);
CREATE UNIQUE INDEX session_message_session_seq_idx ON session_message(session_id, seq);
"""
NOW = 1_793_610_000_000


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "opencode"


class First:
    """A database of 1.x, written row by row."""

    def __init__(self, path: Path) -> None:
        self.path = path if path.exists() else database(path, FIRST)
        self.parts = 0

    def session(self, name: str, **more: Any) -> None:
        row = {"parent_id": None, "directory": "/src/demo", "title": "A title", "revert": None, "model": None} | more
        run(self.path, "INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?)", name, *row.values(), NOW)

    def says(self, session: str, message: str, role: str, *parts: Any, at: int | None = NOW, **more: Any) -> None:
        told = json.dumps({"role": role, "time": {"created": at}} | more)
        run(self.path, "INSERT INTO message VALUES (?, ?, ?, ?, ?)", message, session, at, at, told)
        for part in parts:
            self.parts += 1
            told = part if isinstance(part, dict) else {"type": "text", "text": part}
            name = f"prt_{self.parts:04}"
            row = (name, message, session, at, json.dumps(told))
            run(self.path, "INSERT INTO part VALUES (?, ?, ?, ?, ?)", *row)


def event(path: Path, session: str, seq: int, kind: str, told: Any) -> None:
    row = (f"evt_{session}_{seq}", session, kind, seq, NOW + seq, NOW + seq, json.dumps(told))
    run(path, "INSERT INTO session_message VALUES (?, ?, ?, ?, ?, ?, ?)", *row)


def tree(storage: Path, session: str, *messages: tuple[str, str], **info: Any) -> Path:
    """A session of before 1.2: (role, text) by (role, text)."""
    path = storage / "session" / "p1" / f"{session}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"id": session, "title": "Old", "directory": "/src/old"} | info))
    for number, (role, text) in enumerate(messages):
        message = f"msg_{session}_{number}"
        told = {"id": message, "sessionID": session, "role": role, "time": {"created": NOW + number}}
        part = {"id": f"prt_{number}", "messageID": message, "type": "text", "text": text}
        for folder, name, content in (("message", session, told), ("part", message, part)):
            file = storage / folder / name / f"{content['id']}.json"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(content))
    return path


# ---- Where ----


def test_the_store_is_where_the_environment_says(tmp_path: Path) -> None:
    default = tmp_path / ".local" / "share" / "opencode"
    assert OPENCODE.roots(tmp_path, {}) == [default]
    assert OPENCODE.roots(tmp_path, {"XDG_DATA_HOME": "/data"}) == [Path("/data/opencode")]
    assert OPENCODE.roots(tmp_path, {"OPENCODE_DB": ":memory:"}) == [default]
    assert OPENCODE.roots(tmp_path, {"OPENCODE_DB": "/db/mine.sqlite"}) == [default, Path("/db/mine.sqlite")]
    assert OPENCODE.roots(tmp_path, {"OPENCODE_DB": "mine.db"}) == [default, default / "mine.db"]


def test_databases_of_every_channel_are_found_and_nothing_else_beside_them(data: Path) -> None:
    for name in ("opencode.db", "opencode-dev.db", "opencode.db-wal", "opencode.db-shm", "auth.json", "other.db"):
        (data / name).parent.mkdir(exist_ok=True)
        (data / name).write_bytes(b"")
    (data / "opencode-linked.db").symlink_to(data / "other.db")
    items = list(OPENCODE.find(data))
    assert {item.name for item in items if isinstance(item, Path)} == {"opencode.db", "opencode-dev.db"}
    assert [item.reason for item in items if isinstance(item, SkipRecord)] == ["symbolic-link"]


def test_a_database_that_the_environment_names_is_a_root_of_its_own(tmp_path: Path) -> None:
    store = First(tmp_path / "mine.sqlite")
    store.session("ses_1")
    store.says("ses_1", "msg_1", "user", "Hello")
    assert read(OPENCODE, store.path)["ses_1"].dialog == [("user", "Hello")]


def test_a_session_is_resumed_by_its_id() -> None:
    assert OPENCODE.resume("ses_6f10") == ["opencode", "--session", "ses_6f10"]
    assert OPENCODE.resume("--model") is None


# ---- 1.x ----


def test_only_what_was_said_is_read(data: Path) -> None:
    store = First(data / "opencode.db")
    store.session("ses_1", title="Sorting")
    store.says(
        "ses_1", "msg_1", "user", "Why?",
        {"type": "text", "text": "Called the Read tool", "synthetic": True},
        {"type": "text", "text": "Not for the model", "ignored": True},
        {"type": "file", "mime": "image/png", "url": "data:image/png;base64,AAAA"},
    )  # fmt: skip
    store.says(
        "ses_1", "msg_2", "assistant", {"type": "step-start"}, {"type": "reasoning", "text": "Hm."}, "I look.",
        {"type": "tool", "tool": "bash", "state": {"input": {"command": "ls"}, "output": "a.py"}}, "It is a.py.",
        at=NOW + 1, modelID="glm-5",
    )  # fmt: skip
    store.says("ses_1", "msg_3", "user", {"type": "compaction", "auto": True}, at=NOW + 2)
    store.says("ses_1", "msg_4", "assistant", "Summary of all this", at=NOW + 3, summary=True)
    told = read(OPENCODE, data)
    assert told["ses_1"].dialog == [("user", "Why?"), ("assistant", "I look.\n\nIt is a.py.")]
    assert [turn.time for turn in told["ses_1"].turns] == [NOW, NOW + 1]
    assert (told["ses_1"].title, told["ses_1"].project, told["ses_1"].model) == ("Sorting", "/src/demo", "glm-5")
    assert not told.skips


def test_tools_are_read_in_their_place_where_the_person_asked_for_them(data: Path) -> None:
    store = First(data / "opencode.db")
    store.session("ses_1")
    tool = {"type": "tool", "tool": "bash", "state": {"input": {"command": "ls"}, "output": "a.py"}}
    store.says("ses_1", "msg_1", "assistant", tool, "It is a.py.")
    assert read(OPENCODE, data, tools=True)["ses_1"].dialog == [
        ("tool", 'bash\n{"command": "ls"}'),
        ("tool", "bash\na.py"),
        ("assistant", "It is a.py."),
    ]
    assert OPENCODE.with_tools().version != OPENCODE.version


def test_what_was_taken_back_is_an_abandoned_branch(data: Path) -> None:
    store = First(data / "opencode.db")
    store.session("ses_1", revert=json.dumps({"messageID": "msg_2", "diff": "x" * 1000}))
    for number, text in enumerate(["kept", "gone", "gone too"], 1):
        store.says("ses_1", f"msg_{number}", "user", text, at=NOW + number)
    told = read(OPENCODE, data)["ses_1"]
    assert told.dialog == [("user", "kept")]
    assert [turn.text for turn in told.undone] == ["gone", "gone too"]


def test_a_message_that_was_taken_back_from_a_part_on_keeps_the_parts_before(data: Path) -> None:
    store = First(data / "opencode.db")
    store.session("ses_1", revert=json.dumps({"messageID": "msg_2", "partID": "prt_0003"}))
    store.says("ses_1", "msg_1", "user", "Go")
    store.says("ses_1", "msg_2", "assistant", "First.", "Second.", at=NOW + 1)
    store.says("ses_1", "msg_3", "user", "More", at=NOW + 2)
    told = read(OPENCODE, data)["ses_1"]
    assert told.dialog == [("user", "Go"), ("assistant", "First.")]
    assert [turn.text for turn in told.undone] == ["Second.", "More"]


@pytest.mark.parametrize(
    "title", ["New session - 2026-08-17T20:53:20.000Z", "Child session - 2026-08-17T20:53:20.1Z", ""]
)
def test_a_default_title_is_none(data: Path, title: str) -> None:
    store = First(data / "opencode.db")
    store.session("ses_1", title=title)
    store.session("ses_2", title="New session - of the council")
    told = read(OPENCODE, data)
    assert told["ses_1"].title is None
    assert told["ses_2"].title == "New session - of the council"


def test_a_child_serves_its_parent(data: Path) -> None:
    store = First(data / "opencode.db")
    store.session("ses_2", parent_id="ses_9")
    told = read(OPENCODE, data)
    assert (told["ses_2"].kind, told["ses_2"].parent) == ("subagent", "ses_9")


def test_a_fork_has_the_same_turns_under_other_message_ids(data: Path) -> None:
    store = First(data / "opencode.db")
    store.session("ses_2")
    store.session("ses_1", title="A title (fork #1)")
    store.says("ses_2", "msg_1", "user", "Hello")
    store.says("ses_1", "msg_2", "user", "Hello")
    told = read(OPENCODE, data)
    assert told["ses_1"].turns[0].native_id == told["ses_2"].turns[0].native_id
    assert told["ses_1"].turns[0].native_id


def test_messages_are_ordered_by_time_not_by_id(data: Path) -> None:
    store = First(data / "opencode.db")
    store.session("ses_1")
    store.says("ses_1", "msg_b", "user", "first", at=NOW)
    store.says("ses_1", "msg_a", "assistant", "second", at=NOW + 5)
    assert read(OPENCODE, data)["ses_1"].dialog == [("user", "first"), ("assistant", "second")]


def test_a_message_without_a_time_is_not_lost(data: Path) -> None:
    store = First(data / "opencode.db")
    store.session("ses_1")
    store.says("ses_1", "msg_1", "user", "first", at=None)
    store.says("ses_1", "msg_2", "assistant", "second")
    told = read(OPENCODE, data)["ses_1"]
    assert told.dialog == [("user", "first"), ("assistant", "second")]
    assert [turn.quality for turn in told.turns] == ["none", "exact"]


def test_broken_rows_cost_themselves_and_new_types_are_counted(data: Path) -> None:
    store = First(data / "opencode.db")
    store.session("ses_1")
    store.says(
        "ses_1",
        "msg_1",
        "user",
        "Hello",
        {"type": "hologram", "text": "x"},
        {"type": ["x"]},
        {"type": "text", "text": [1]},
    )
    store.says("ses_1", "msg_2", "user", "lost")
    run(store.path, "UPDATE part SET data = '{\"type\":' WHERE message_id = 'msg_2'")
    run(store.path, "INSERT INTO message VALUES ('msg_3', 'ses_1', 0, 0, '[]')")
    told = read(OPENCODE, data)
    assert told["ses_1"].dialog == [("user", "Hello")]
    assert told.skips == {"unknown-type": 2, "unexpected-shape": 1, "not-json": 1}


def test_a_long_session_is_read_in_pages(data: Path) -> None:
    store = First(data / "opencode.db")
    store.session("ses_1")
    for number in range(12):
        store.says("ses_1", f"msg_{number:02}", "user", f"{number} " + "x" * 1_000_000, at=NOW + number // 3)
    told = read(OPENCODE, data)["ses_1"]
    assert [turn.text.split()[0] for turn in told.turns] == [str(number) for number in range(12)]


# ---- 2.x ----


def test_events_of_the_second_generation(data: Path) -> None:
    path = database(data / "opencode.db", SECOND)
    run(path, "INSERT INTO session_v2 VALUES ('ses_1', NULL, NULL, '/src/demo', 'Loop', NULL, ?)", NOW)
    told = {"time": {"created": NOW}}
    for seq, (kind, more) in enumerate(
        (
            ("model-switched", {"model": {"id": "glm-5"}}),
            ("system", {"text": "You are"}),
            ("user", {"text": "Why?"}),
            ("synthetic", {"text": "Remember"}),
            ("assistant", {"model": {"id": "glm-6"}, "content": [
                {"type": "reasoning", "text": "Hm"}, {"type": "text", "text": "So."},
                {"type": "tool", "name": "bash", "state": {"input": {"command": "ls"}, "content": [{"text": "a.py"}]}},
            ]}),
            ("shell", {"command": "ls", "output": "b.py"}),
            ("compaction", {"summary": "All"}),
            ("dream", {"text": "x"}),
        )
    ):  # fmt: skip
        event(path, "ses_1", seq, kind, told | more)
    read_ = read(OPENCODE, data)
    assert read_["ses_1"].dialog == [("user", "Why?"), ("assistant", "So.")]
    assert (read_["ses_1"].title, read_["ses_1"].project, read_["ses_1"].model) == ("Loop", "/src/demo", "glm-6")
    assert read_.skips == {"unknown-type": 1}
    tools = [text for role, text in read(OPENCODE, data, tools=True)["ses_1"].dialog if role == "tool"]
    assert tools == ['bash\n{"command": "ls"}', 'bash\n[{"text": "a.py"}]', "shell\nls", "shell\nb.py"]


def test_an_event_that_was_taken_back_is_an_abandoned_branch_and_a_fork_is_no_child(data: Path) -> None:
    path = database(data / "opencode.db", SECOND)
    row = (json.dumps({"messageID": "evt_ses_1_2"}), NOW)
    run(path, "INSERT INTO session_v2 VALUES ('ses_1', NULL, 'ses_0', '/src', 'Fork', ?, ?)", *row)
    for seq in (1, 2, 3):
        event(path, "ses_1", seq, "user", {"time": {"created": NOW + seq}, "text": f"{seq}"})
    told = read(OPENCODE, data)["ses_1"]
    assert told.dialog == [("user", "1")]
    assert (told.kind, told.parent) == ("main", "ses_0")


def test_where_both_generations_are_the_second_wins_but_an_empty_twin_does_not(data: Path) -> None:
    store = First(data / "opencode.db")
    database(store.path, SECOND)
    for name in ("ses_both", "ses_old", "ses_empty_twin"):
        store.session(name)
        store.says(name, f"msg_{name}", "user", "stale")
    for name in ("ses_both", "ses_new", "ses_empty_twin"):
        run(store.path, "INSERT INTO session_v2 VALUES (?, NULL, NULL, '/src', 'T', NULL, ?)", name, NOW)
    for name in ("ses_both", "ses_new"):
        event(store.path, name, 1, "user", {"time": {"created": NOW}, "text": "fresh"})
    told = read(OPENCODE, data)
    assert {name: session.dialog[0][1] for name, session in told.sessions.items()} == {
        "ses_both": "fresh", "ses_new": "fresh", "ses_old": "stale", "ses_empty_twin": "stale",
    }  # fmt: skip


def test_a_database_of_another_kind_is_said_to_be_one(data: Path) -> None:
    path = database(
        data / "opencode.db", "CREATE TABLE account(id text)", "CREATE VIRTUAL TABLE session USING fts5(id)"
    )
    with pytest.raises(SchemaMismatch):
        list(OPENCODE.places(path))


def test_a_session_that_is_gone_is_a_missing_file(data: Path) -> None:
    store = First(data / "opencode.db")
    with pytest.raises(FileNotFoundError):
        list(OPENCODE.read(within(store.path, "ses_1"), None))


def test_what_was_read_is_never_read_on_but_again(data: Path) -> None:
    store = First(data / "opencode.db")
    with pytest.raises(Reread):
        list(OPENCODE.read(within(store.path, "ses_1"), Checkpoint(0)))


# ---- What changes ----


def places(path: Path) -> dict[str, Place]:
    return {place.path.name: place for place in OPENCODE.places(path) if isinstance(place, Place)}


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO message VALUES ('msg_3', 'ses_1', 1793610000009, 1793610000009, '{\"role\":\"user\"}')",
        "INSERT INTO part VALUES ('prt_0009', 'msg_1', 'ses_1', 1, '{}')",
        "UPDATE part SET data = data || ' ' WHERE message_id = 'msg_2'",
        "UPDATE part SET time_updated = time_updated + 1 WHERE message_id = 'msg_2'",
        "UPDATE session SET revert = '{\"messageID\":\"msg_2\"}' WHERE id = 'ses_1'",
        "UPDATE session SET title = 'Another' WHERE id = 'ses_1'",
        "DELETE FROM message WHERE id = 'msg_1'",
    ],
)
def test_a_change_shows_in_its_session_alone(data: Path, change: str) -> None:
    store = First(data / "opencode.db")
    for name in ("ses_1", "ses_2"):
        store.session(name)
    store.says("ses_1", "msg_1", "user", "Hello")
    store.says("ses_1", "msg_2", "assistant", "Hel", at=NOW + 1)
    store.says("ses_2", "msg_0", "user", "Hello")
    before = places(store.path)
    assert places(store.path) == before
    run(store.path, change)
    after = places(store.path)
    assert after["ses_1"].token != before["ses_1"].token
    assert after["ses_2"] == before["ses_2"]


def test_sessions_come_newest_first_by_what_changed_in_them(data: Path) -> None:
    store = First(data / "opencode.db")
    for name, at in (("ses_1", NOW + 1), ("ses_2", NOW + 9_000), ("ses_3", NOW + 5)):
        store.session(name)
        store.says(name, f"msg_{name}", "user", "Hello", at=at)
    listed = [place for place in OPENCODE.places(store.path) if isinstance(place, Place)]
    assert [(place.path.name, place.changed) for place in listed] == [
        ("ses_2", NOW + 9_000), ("ses_3", NOW + 5), ("ses_1", NOW + 1),
    ]  # fmt: skip


# ---- The JSON tree ----


def test_a_tree_session_is_read_with_its_messages_and_parts(data: Path) -> None:
    path = tree(data / "storage", "ses_1", ("user", "Hello"), ("assistant", "Hi."), parentID="ses_0")
    told = read(OPENCODE, data)["ses_1"]
    assert told.dialog == [("user", "Hello"), ("assistant", "Hi.")]
    assert (told.title, told.project, told.kind, told.parent) == ("Old", "/src/old", "subagent", "ses_0")
    [place] = found(OPENCODE, data)
    assert isinstance(place, Place)
    parts = data / "storage" / "part"
    assert place == Place(path, (data / "storage" / "message" / "ses_1", parts / "msg_ses_1_0", parts / "msg_ses_1_1"))


def test_a_tree_session_that_a_database_has_is_not_read_from_the_tree(data: Path) -> None:
    tree(data / "storage", "ses_1", ("user", "stale"))
    tree(data / "storage", "ses_2", ("user", "left over"))
    tree(data / "storage", "ses_3", ("user", "not migrated"))
    store = First(data / "opencode-dev.db")
    store.session("ses_1")
    store.session("ses_3")
    store.says("ses_1", "msg_1", "user", "migrated")
    told = read(OPENCODE, data)
    assert {name: [text for _, text in session.dialog] for name, session in told.sessions.items()} == {
        "ses_1": ["migrated"], "ses_2": ["left over"], "ses_3": ["not migrated"],
    }  # fmt: skip


def test_that_a_database_came_has_the_tree_read_again_once(data: Path) -> None:
    path = tree(data / "storage", "ses_1", ("user", "Hello"))
    [before] = found(OPENCODE, data)
    store = First(data / "opencode.db")
    store.session("ses_1")
    store.says("ses_1", "msg_ses_1_0", "user", "Hello")
    [_, after] = found(OPENCODE, data)
    assert isinstance(before, Place)
    assert before.beside
    assert after == Place(path)
    assert [*OPENCODE.read(path, None)] == [Checkpoint(path.stat().st_size)]


def test_the_oldest_form_keeps_all_in_the_session_folder_of_a_project(data: Path) -> None:
    storage = data / "project" / "src-demo" / "storage" / "session"
    message = {"role": "assistant", "metadata": {"time": {"created": NOW}, "assistant": {"path": {"cwd": "/src/demo"}}}}
    inline = {"parts": [{"type": "text", "text": "Hi."}, {"type": "tool-invocation", "toolInvocation": {
        "toolName": "ls", "args": {}, "result": "a.py"}}]}  # fmt: skip
    for name, content in (
        ("info/ses_1.json", {"id": "ses_1", "title": "Oldest"}),
        ("message/ses_1/msg_1.json", {"id": "msg_1"} | message | inline),
        ("message/ses_1/msg_2.json", {"id": "msg_2", "role": "user", "time": {"created": NOW + 1}}),
        ("part/ses_1/msg_2/prt_1.json", {"type": "text", "text": "Thanks"}),
    ):
        (storage / name).parent.mkdir(parents=True, exist_ok=True)
        (storage / name).write_text(json.dumps(content))
    told = read(OPENCODE, data)["ses_1"]
    assert told.dialog == [("assistant", "Hi."), ("user", "Thanks")]
    assert (told.title, told.project) == ("Oldest", "/src/demo")
    assert ("tool", "ls\na.py") in read(OPENCODE, data, tools=True)["ses_1"].dialog


def test_the_folder_of_a_project_stands_in_for_one_that_is_not_told_but_never_the_global_one(data: Path) -> None:
    for project, session in (("p7", "ses_1"), ("global", "ses_2")):
        path = tree(data / "storage", session, ("user", "Hello"), projectID=project, directory=None)
        folder = path.parents[2] / "project"
        folder.mkdir(exist_ok=True)
        (folder / f"{project}.json").write_text(json.dumps({"worktree": "/" if project == "global" else "/src/p7"}))
    told = read(OPENCODE, data)
    assert (told["ses_1"].project, told["ses_2"].project) == ("/src/p7", None)


def test_a_broken_file_of_a_tree_costs_itself(data: Path) -> None:
    tree(data / "storage", "ses_1", ("user", "Hello"), ("assistant", "Hi."), revert={"messageID": "msg_ses_1_1"})
    (data / "storage" / "part" / "msg_ses_1_0" / "prt_0.json").write_text('{"type":"te')
    (data / "storage" / "message" / "ses_1" / "msg_x.json").write_text("[]")
    told = read(OPENCODE, data)
    assert told["ses_1"].dialog == []
    assert [turn.text for turn in told["ses_1"].undone] == ["Hi."]
    assert told.skips == {"not-json": 1, "unexpected-shape": 1}


# ---- While OpenCode runs ----

WRITER = """
import json, sqlite3, sys
app = sqlite3.connect(sys.argv[1], isolation_level=None)
for pragma in ("journal_mode=WAL", "wal_autocheckpoint=0"):
    app.execute("PRAGMA " + pragma)
print("ready", flush=True)
for line in sys.stdin:
    app.executescript(json.loads(line))
    print("done", flush=True)
"""

LIVE = """BEGIN;
INSERT INTO session VALUES ('ses_2', NULL, '/src/live', 'Live', NULL, NULL, 1793610000009);
INSERT INTO message VALUES ('msg_2', 'ses_2', 1793610000009, 1793610000009, '{"role":"user"}');
INSERT INTO part VALUES ('prt_9', 'msg_2', 'ses_2', 0, '{"type":"text","text":"Said just now"}');
COMMIT;"""


def test_a_new_session_shows_while_opencode_holds_its_database_and_nothing_there_changes(data: Path) -> None:
    store = First(data / "opencode.db")
    store.session("ses_1")
    store.says("ses_1", "msg_1", "user", "Hello")
    owner = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(store.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert owner.stdin
    assert owner.stdout
    try:
        assert owner.stdout.readline() == "ready\n"
        token = OPENCODE.token(store.path)
        owner.stdin.write(json.dumps(LIVE) + "\n")
        owner.stdin.flush()
        assert owner.stdout.readline() == "done\n"
        before = listing(data)
        assert store.path.with_name("opencode.db-wal").stat().st_size > 0
        assert OPENCODE.token(store.path) != token
        told = read(OPENCODE, data)
        assert told["ses_2"].dialog == [("user", "Said just now")]
        assert told["ses_1"].dialog == [("user", "Hello")]
        assert listing(data) == before
    finally:
        owner.kill()
        owner.communicate()


def listing(folder: Path) -> dict[str, Any]:
    """Every file with a hash of its bytes and what `stat` says of it.

    Left aside is the time of a change of its owner: SQLite, where root runs it, sets that to what it is.
    """
    return {
        path.name: (
            status.st_ino, status.st_size, status.st_mtime_ns, status.st_mode,
            hashlib.sha256(path.read_bytes()).hexdigest(),
        )
        for path in sorted(folder.iterdir())
        if (status := path.stat())
    }  # fmt: skip


# ---- The shared fixtures ----


def fixture(tmp_path: Path, *names: str) -> Read:
    folder = tmp_path / "fixture"
    folder.mkdir()
    for name in names:
        if name.endswith(".sql"):
            database(folder / f"opencode-{Path(name).stem}.db", (FIXTURES / name).read_text("utf-8"))
        elif name.endswith(".db"):
            shutil.copyfile(FIXTURES / name, folder / name.replace("own_opencode_", "opencode-"))
        else:
            shutil.copytree(FIXTURES / name, folder, dirs_exist_ok=True)
    told = read(OPENCODE, folder)
    assert not told.skips, told.examples
    return told


@needs_fixtures
def test_the_trees_of_the_fixtures(tmp_path: Path) -> None:
    told = fixture(tmp_path, "as_storage_v2", "as_storage_legacy")
    assert {name: session.dialog for name, session in told.sessions.items()} == {
        "s_stage0_large": [("user", "Step 1"), ("user", "Step 2"), ("assistant", "Ok")],
        "s_stage0_small": [("user", "Hello"), ("assistant", "Found 2 files.")],
        "s_stage0_drift": [("assistant", "Read README and extracted the title.")],
    }
    assert {session.project for session in told.sessions.values()} == {"/tmp/large", "/tmp/repo", "/tmp/drift"}  # noqa: S108


@needs_fixtures
def test_the_databases_of_the_fixtures(tmp_path: Path) -> None:
    told = fixture(tmp_path, "own_opencode_v1.db", "own_opencode_v2.db", "deja_opencode_v1.sql")
    assert {name: session.dialog for name, session in told.sessions.items()} == {
        "ses_7b0a": [("user", "为什么排序测试不稳定？"), ("assistant", "The comparator is not stable for equal keys.")],
        "ses_7b09": [("user", "Find all callers of sort_items")],
        "ses_7b08": [("user", "kept question"), ("assistant", "kept answer")],
        "ses_v2a": [
            ("user", "Why does the retry loop never stop? 为什么"), ("assistant", "The loop condition is always true."),
        ],
        "registry-opencode": [("user", "inspect the sqlite fixture"), ("assistant", "the sqlite rows are readable")],
    }  # fmt: skip
    assert [turn.text for turn in told["ses_7b08"].undone] == ["reverted question"]
    assert (told["ses_7b0a"].title, told["ses_7b08"].title) == ("Fix flaky 排序 test", None)
    assert (told["ses_7b09"].kind, told["ses_7b09"].parent) == ("subagent", "ses_7b0a")


@needs_fixtures
def test_a_title_is_known_for_a_generated_one(tmp_path: Path) -> None:
    path = shutil.copyfile(FIXTURES / "own_opencode_v1.db", tmp_path / "opencode.db")
    records = list(OPENCODE.read(within(path, "ses_7b0a"), None))
    titles = [record for record in records if isinstance(record, SessionRecord) and record.title]
    assert [title.title_rank for title in titles] == [TITLE_GENERATED]
    assert isinstance(records[-1], Checkpoint)
    assert all(turn.quality == "exact" for turn in records if isinstance(turn, TurnRecord))
