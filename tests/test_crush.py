"""Crush's databases, one a project: found by the registry or in a project, read without what is not conversation."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from harkback.adapters.crush import Crush
from harkback.adapters.foreign_sqlite import SchemaMismatch, within
from harkback.core.model import Checkpoint, PerProject, Place, Reread, SkipRecord
from read_sessions import database, read, run

CRUSH = Crush()
FIXTURES = Path(__file__).parents[1].parent / "shared" / "fixtures" / "crush"
needs_fixtures = pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared fixtures are not here")
NOW = 1_793_872_800

SCHEMA = """
CREATE TABLE sessions(id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL, message_count INTEGER,
  updated_at INTEGER NOT NULL DEFAULT (strftime('%s', 'now')));
CREATE TABLE messages(id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL, parts TEXT NOT NULL,
  model TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, is_summary_message INTEGER DEFAULT 0);
CREATE INDEX idx_messages_session_id ON messages(session_id);
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "src" / "kiln" / ".crush"


@pytest.fixture
def store(folder: Path) -> Path:
    return database(folder / "crush.db", SCHEMA)


def session(store: Path, native_id: str, title: str = "A title", parent: str | None = None, at: int = NOW) -> None:
    run(store, "INSERT INTO sessions VALUES (?, ?, ?, 0, ?)", native_id, parent, title, at)


def says(
    store: Path, name: str, role: str, *parts: Any, at: int = NOW, model: str | None = None, sums: int = 0
) -> None:
    told = [part if isinstance(part, dict) else piece("text", text=part) for part in parts]
    row = (name, role, json.dumps(told), model, at, at, sums)
    number = "(SELECT 'm' || (99 - count(*)) FROM messages)"
    run(store, f"INSERT INTO messages SELECT {number}, ?, ?, ?, ?, ?, ?, ?", *row)


def piece(kind: str, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data}


# ---- Where ----


def test_the_registry_is_where_the_environment_says(tmp_path: Path) -> None:
    assert CRUSH.roots(tmp_path, {}) == [
        tmp_path / ".local" / "share" / "crush",
        tmp_path / "AppData" / "Local" / "crush",
    ]
    assert CRUSH.roots(tmp_path, {"XDG_DATA_HOME": "/data", "LOCALAPPDATA": "/local"}) == [
        Path("/data/crush"),
        Path("/local/crush"),
    ]
    assert CRUSH.roots(tmp_path, {"CRUSH_GLOBAL_DATA": "/crush", "XDG_DATA_HOME": "/data"}) == [Path("/crush")]


def test_a_project_has_its_store_in_a_folder_of_its_own(store: Path, folder: Path) -> None:
    assert isinstance(CRUSH, PerProject)
    assert CRUSH.project_roots(folder.parent) == [folder]
    assert list(CRUSH.find(folder)) == [store]


@pytest.mark.parametrize(
    "registry",
    [
        '{"projects": [{"path": "PROJECT", "data_dir": ".crush", "last_accessed": "2026-11-05T10:00:00Z"}]}',
        '{"projects": [{"path": "PROJECT", "data_dir": "PROJECT/.crush"}, {"path": "PROJECT"}]}',
        '{"projects": {"PROJECT": {"data_dir": ".crush"}}}',
        '[{"path": "PROJECT"}, {"path": 7}, null, {"path": "/nowhere"}, {"path": "a\\u0000b"}]',
        '["PROJECT"]',
        '{"PROJECT": ".crush"}',
    ],
)
def test_the_registry_leads_to_every_project_whichever_its_form(tmp_path: Path, store: Path, registry: str) -> None:
    root = tmp_path / "registry"
    root.mkdir()
    (root / "projects.json").write_text(registry.replace("PROJECT", str(store.parents[1])))
    assert list(CRUSH.find(root)) == [store]


def test_a_project_may_keep_its_store_in_another_folder(tmp_path: Path) -> None:
    inside = database(tmp_path / "src" / "kiln" / "state" / "crush.db", SCHEMA)
    outside = database(tmp_path / "elsewhere" / "crush.db", SCHEMA)
    project = str(tmp_path / "src" / "kiln")
    projects = [{"path": project, "data_dir": "state"}, {"path": project, "data_dir": str(outside.parent)}]
    (tmp_path / "projects.json").write_text(json.dumps({"projects": projects}))
    assert list(CRUSH.find(tmp_path)) == [inside, outside]


def test_a_registry_that_is_no_json_is_counted(tmp_path: Path) -> None:
    (tmp_path / "projects.json").write_text('{"projects": [')
    assert list(CRUSH.find(tmp_path)) == [SkipRecord("not-json", str(tmp_path / "projects.json"))]


def test_a_session_is_resumed_by_its_id_and_a_helper_not_at_all() -> None:
    assert CRUSH.resume("2b1d7c1e-8a6f") == ["crush", "--session", "2b1d7c1e-8a6f"]
    assert CRUSH.resume("m2$$call_1") is None


# ---- What is said ----


def test_only_what_was_said_is_read(store: Path, folder: Path) -> None:
    session(store, "s1", "Kiln")
    says(store, "s1", "user", "Why?", piece("binary", Path="a.png", Data="AAAA"), piece("finish", reason="stop"))
    says(
        store, "s1", "assistant", piece("reasoning", thinking="Hm"), "I look.",
        piece("tool_call", id="c1", name="bash", input='{"command":"ls"}'), at=NOW + 5, model="glm-5",
    )  # fmt: skip
    says(store, "s1", "tool", piece("tool_result", tool_call_id="c1", name="bash", content="kiln.py"), "hm", at=NOW + 6)
    says(store, "s1", "assistant", "Summary of all this", at=NOW + 7, sums=1)
    says(store, "s1", "system", "You are", at=NOW + 8)
    told = read(CRUSH, folder)
    assert told["s1"].dialog == [("user", "Why?"), ("assistant", "I look.")]
    assert [turn.time for turn in told["s1"].turns] == [NOW * 1000, (NOW + 5) * 1000]
    assert (told["s1"].title, told["s1"].project, told["s1"].model) == ("Kiln", str(folder.parent), "glm-5")
    assert not told.skips
    assert read(CRUSH, folder, tools=True)["s1"].dialog == [
        ("user", "Why?"), ("assistant", "I look."), ("tool", 'bash\n{"command":"ls"}'), ("tool", "bash\nkiln.py"),
    ]  # fmt: skip


def test_messages_of_one_second_keep_the_order_of_their_rows(store: Path, folder: Path) -> None:
    session(store, "s1")
    for text, at in (("third", NOW + 1), ("first", NOW), ("second", NOW)):
        says(store, "s1", "user", text, at=at)
    assert [text for _, text in read(CRUSH, folder)["s1"].dialog] == ["first", "second", "third"]


def test_a_helper_serves_its_parent_and_a_job_that_makes_a_title_is_no_session(store: Path, folder: Path) -> None:
    session(store, "s1")
    session(store, "m2$$call_1", "New Agent Session", "s1")
    session(store, "title-s1", "Generate a title", "s1")
    for name in ("s1", "m2$$call_1", "title-s1"):
        says(store, name, "user", f"Hello from {name}")
    told = read(CRUSH, folder)
    assert set(told.sessions) == {"s1", "m2$$call_1"}
    assert (told["m2$$call_1"].kind, told["m2$$call_1"].parent, told["m2$$call_1"].title) == ("subagent", "s1", None)
    assert (told["s1"].kind, told["s1"].parent) == ("main", None)


def test_a_store_elsewhere_does_not_say_which_project_it_is_of(tmp_path: Path) -> None:
    store = database(tmp_path / "data" / "crush.db", SCHEMA)
    session(store, "s1")
    assert read(CRUSH, store.parent)["s1"].project is None


def test_broken_rows_cost_themselves_and_new_types_are_counted(store: Path, folder: Path) -> None:
    session(store, "s1")
    says(store, "s1", "user", "Hello", piece("hologram"), {"type": "text", "data": [1]}, {"type": ["x"]})
    says(store, "s1", "oracle", "Hear")
    run(store, "INSERT INTO messages VALUES ('m9', 's1', 'user', '[{', NULL, 1, 1, 0)")
    run(store, "INSERT INTO messages VALUES ('m10', 's1', 'user', '{}', NULL, 1, 1, 0)")
    told = read(CRUSH, folder)
    assert told["s1"].dialog == [("user", "Hello")]
    assert told.skips == {"unknown-type": 3, "not-json": 1, "unexpected-shape": 1}


@pytest.mark.parametrize(
    "change",
    [
        'UPDATE messages SET parts = \'[{"type":"text","data":{"text":"Hello"}}]\' WHERE session_id = \'s1\'',
        "INSERT INTO messages VALUES ('m9', 's1', 'user', '[]', NULL, 1, 1, 0)",
        "UPDATE sessions SET title = 'Named' WHERE id = 's1'",
        "DELETE FROM messages WHERE session_id = 's1'",
    ],
)
def test_a_change_shows_in_its_session_alone(store: Path, change: str) -> None:
    for name in ("s1", "s2"):
        session(store, name)
        says(store, name, "assistant", "Hel")
    before = places(store)
    assert places(store) == before
    run(store, change)
    after = places(store)
    assert after["s1"].token != before["s1"].token
    assert after["s2"] == before["s2"]


def places(store: Path) -> dict[str, Place]:
    return {place.path.name: place for place in CRUSH.places(store) if isinstance(place, Place)}


def test_sessions_come_newest_first(store: Path) -> None:
    for name, at in (("s1", NOW), ("s2", NOW + 9), ("s3", NOW + 5)):
        session(store, name, at=at)
    assert [(name, place.changed) for name, place in places(store).items()] == [
        ("s2", (NOW + 9) * 1000), ("s3", (NOW + 5) * 1000), ("s1", NOW * 1000),
    ]  # fmt: skip


def test_another_database_a_session_that_is_gone_and_reading_on(store: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(CRUSH.read(within(store, "s1"), None))
    with pytest.raises(Reread):
        list(CRUSH.read(within(store, "s1"), Checkpoint(0)))
    run(store, "DROP TABLE messages")
    with pytest.raises(SchemaMismatch):
        list(CRUSH.places(store))


@needs_fixtures
def test_the_fixtures(tmp_path: Path) -> None:
    project = shutil.copytree(FIXTURES / "own_project", tmp_path / "work" / "demo")
    registry = (FIXTURES / "own_projects.json").read_text("utf-8").replace("/work/demo", str(project))
    (tmp_path / "projects.json").write_text(registry)
    told = read(CRUSH, tmp_path)
    assert not told.skips
    main = told["5f0c0000-0000-4000-8000-000000000001"]
    assert main.dialog == [("user", "Why does the retry loop never stop?"), ("assistant", "条件永远为真。")]
    assert (main.title, main.project, main.model) == ("Retry loop", str(project), "claude-sonnet-4-5")
    assert main.turns[0].time == 1_787_000_000_000
    assert told["m2$$call_1"].dialog == [("user", "Find callers")]
    assert told["m2$$call_1"].kind == "subagent"
