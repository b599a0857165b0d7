"""claude-mem: its observations and summaries as sessions of notes, joined to the raw ones, through many schemas."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from harkback.adapters.claude import Claude
from harkback.adapters.claude_mem import ClaudeMem
from harkback.adapters.claude_mem_note import OBSERVATION, SUMMARY, observation_text, summary_text
from harkback.adapters.foreign_sqlite import within
from harkback.core.model import (
    TITLE_GIVEN,
    TITLE_SUMMARY,
    Checkpoint,
    Place,
    Record,
    SessionRecord,
    TurnRecord,
    Unreadable,
)

MEM = ClaudeMem()
FIXTURES = Path(__file__).parents[1].parent / "shared" / "fixtures" / "claude-mem"
needs_fixtures = pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared fixtures are not here")
TIME = 1_793_604_000_000
RAW = "7c1d2e3f-1111-4a4a-8b8b-0123456789ab"
SCHEMA = """
CREATE TABLE sdk_sessions (content_session_id, memory_session_id, project, platform_source, user_prompt, custom_title);
CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, text TEXT, type TEXT,
  title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT, files_modified TEXT,
  created_at TEXT, created_at_epoch INTEGER, merged_into_project TEXT);
CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, request TEXT,
  learned TEXT, completed TEXT, created_at_epoch INTEGER, merged_into_project TEXT);
CREATE TABLE user_prompts (content_session_id, prompt_text);
"""


def store(home: Path, schema: str = SCHEMA, **tables: list[dict[str, Any]]) -> Path:
    path = home / ".claude-mem" / "claude-mem.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as db:
        db.executescript(schema)
        db.commit()
    for table, rows in tables.items():
        for row in rows:
            add(path, table, **row)
    return path


def run(path: Path, sql: str, *values: Any) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute(sql, values)
        db.commit()


def add(path: Path, table: str, **row: Any) -> None:
    cells = [json.dumps(value) if isinstance(value, list) else value for value in row.values()]
    run(path, f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", *cells)  # noqa: S608


def session(number: int = 1, **more: Any) -> dict[str, Any]:
    row = {"content_session_id": RAW, "memory_session_id": f"m{number}", "project": "kiln", "platform_source": "claude"}
    return row | {"user_prompt": "Why so hot?"} | more


def note(number: int = 1, seconds: int = 0, **more: Any) -> dict[str, Any]:
    row = {"memory_session_id": f"m{number}", "project": "kiln", "type": "decision", "title": f"Note {seconds}"}
    return row | {"narrative": "told", "created_at_epoch": TIME + seconds * 1000} | more


def told(path: Path) -> list[Record]:
    return list(MEM.read(path, None))


def turns(records: Iterable[Record]) -> list[TurnRecord]:
    return [record for record in records if isinstance(record, TurnRecord)]


def facts(records: Iterable[Record]) -> SessionRecord:
    [found] = [record for record in records if isinstance(record, SessionRecord)]
    return found


def places(path: Path) -> dict[str, Place]:
    return {place.path.name: place for place in MEM.places(path) if isinstance(place, Place)}


# ---- where it lies ----


def test_the_folder_is_what_the_environment_or_the_settings_say(tmp_path: Path) -> None:
    assert MEM.roots(tmp_path, {}) == [tmp_path / ".claude-mem"]
    assert MEM.roots(tmp_path, {"CLAUDE_MEM_DATA_DIR": "~/mem"}) == [tmp_path / "mem"]
    (tmp_path / ".claude-mem").mkdir()
    settings = tmp_path / ".claude-mem" / "settings.json"
    settings.write_text(json.dumps({"CLAUDE_MEM_DATA_DIR": "/data/mem", "CLAUDE_MEM_MODEL": "x"}))
    assert MEM.roots(tmp_path, {}) == [Path("/data/mem")]
    assert MEM.roots(tmp_path, {"CLAUDE_MEM_DATA_DIR": "/else"}) == [Path("/else")]
    settings.write_text("{")
    assert MEM.roots(tmp_path, {}) == [tmp_path / ".claude-mem"]


def test_only_the_database_is_found(tmp_path: Path) -> None:
    path = store(tmp_path)
    for name in ("settings.json", "chroma/index.db", "logs/worker.jsonl"):
        (path.parent / name).parent.mkdir(exist_ok=True)
        (path.parent / name).write_text("{}")
    assert list(MEM.find(path.parent)) == [path]
    assert MEM.is_divided(path)
    assert MEM.resume("m1") is None


# ---- what a session is ----


def test_observations_and_summaries_come_in_the_order_of_their_times(tmp_path: Path) -> None:
    path = store(
        tmp_path,
        sdk_sessions=[session()],
        observations=[note(seconds=30), note(seconds=10)],
        session_summaries=[
            {"memory_session_id": "m1", "project": "kiln", "learned": "much", "created_at_epoch": TIME + 20_000}
        ],
        user_prompts=[{"content_session_id": RAW, "prompt_text": "hidden words"}],
    )
    records = told(within(path, "m1"))
    assert [turn.text.splitlines()[0] for turn in turns(records)] == [
        "decision: Note 10",
        "Learned: much",
        "decision: Note 30",
    ]
    assert {(turn.role, turn.quality, turn.session) for turn in turns(records)} == {("memory", "exact", "m1")}
    assert [turn.time for turn in turns(records)] == [TIME + 10_000, TIME + 20_000, TIME + 30_000]
    found = facts(records)
    assert (found.kind, found.project, found.about) == ("memory", "kiln", f"claude:{RAW}")
    assert (found.title, found.title_rank) == ("Why so hot?", TITLE_SUMMARY)
    assert "hidden words" not in repr(records), "the raw session has what the person typed"
    assert records[-1] == Checkpoint(0)


@pytest.mark.parametrize(
    ("platform", "about"),
    [("claude", "claude"), (None, "claude"), ("gemini-cli", "gemini"), ("codex", "codex"), ("opencode", "opencode")],
)
def test_the_platform_says_which_source_has_the_raw_session(tmp_path: Path, platform: str | None, about: str) -> None:
    path = store(tmp_path, sdk_sessions=[session(platform_source=platform)], observations=[note()])
    assert facts(told(within(path, "m1"))).about == f"{about}:{RAW}"


def test_a_given_title_is_better_than_the_first_prompt(tmp_path: Path) -> None:
    path = store(
        tmp_path, sdk_sessions=[session(custom_title="Kiln")], observations=[note(merged_into_project="pottery")]
    )
    found = facts(told(within(path, "m1")))
    assert (found.title, found.title_rank, found.project) == ("Kiln", TITLE_GIVEN, "pottery")


def test_an_observation_is_laid_out_to_be_read() -> None:
    values = dict.fromkeys(OBSERVATION) | {
        "type": "bugfix", "title": "Cooler", "subtitle": "by forty", "facts": '["one", " ", 7, "two"]',
        "narrative": "It was hot.", "concepts": '["trade-off"]', "files_read": '["a.py", "b.py"]',
        "files_modified": "c.py", "text": "of before",
    }  # fmt: skip
    assert observation_text(values) == (
        "bugfix: Cooler\nby forty\n\n- one\n- two\n\nIt was hot.\n\nConcepts: trade-off\n\n"
        "Files read: a.py, b.py\nFiles changed: c.py"
    )
    only = dict.fromkeys(OBSERVATION)
    assert observation_text(only | {"text": "of before"}) == "of before"
    assert observation_text(only | {"type": "change", "files_read": '["a.py"]'}) == "", "nothing was noted"
    assert summary_text(dict.fromkeys(SUMMARY)) == ""
    assert summary_text(dict.fromkeys(SUMMARY) | {"next_steps": "rest"}) == "Next steps: rest"


# ---- its own summariser ----


def test_what_its_own_summariser_said_is_left_out(tmp_path: Path) -> None:
    path = store(
        tmp_path,
        sdk_sessions=[session(1), session(2, project="observer-sessions")],
        observations=[note(1), note(1, 5, project="observer-sessions"), note(2), note(3, project="observer-sessions")],
    )
    assert set(places(path)) == {"m1"}
    assert len(turns(told(within(path, "m1")))) == 1
    assert told(within(path, "m2")) == [Checkpoint(0)]


def test_claude_code_leaves_out_the_sessions_of_that_summariser(tmp_path: Path) -> None:
    projects = tmp_path / ".claude" / "projects"
    for folder in (
        "-home-ada--claude-mem-observer-sessions",
        "C--Users-ada--claude-mem-observer-sessions",
        "-home-ada-kiln",
    ):
        (projects / folder / "subagents").mkdir(parents=True)
        (projects / folder / f"{RAW}.jsonl").write_text("")
    found = [path.parent.name for path in Claude().find(projects) if isinstance(path, Path)]
    assert found == ["-home-ada-kiln"]


# ---- when something changes ----


def test_a_session_changes_with_its_notes_and_no_other_does(tmp_path: Path) -> None:
    path = store(tmp_path, sdk_sessions=[session(1), session(2)], observations=[note(1), note(2, 9), note(2, 5)])
    assert list(places(path)) == ["m2", "m1"], "the newest first"
    assert places(path)["m2"].changed == TIME + 9_000
    changes = (
        ("INSERT INTO observations (memory_session_id, project, title) VALUES ('m1', 'kiln', 'new')",),
        ("UPDATE observations SET narrative = 'told at length' WHERE memory_session_id = 'm1'",),
        ("UPDATE observations SET merged_into_project = 'pottery' WHERE memory_session_id = 'm1'",),
        ("UPDATE sdk_sessions SET custom_title = 'Kiln' WHERE memory_session_id = 'm1'",),
        ("INSERT INTO session_summaries (memory_session_id, learned) VALUES ('m1', 'much')",),
        ("DELETE FROM session_summaries",),
    )
    for (sql,) in changes:
        before, token = places(path), MEM.token(path)
        run(path, sql)
        after = places(path)
        assert MEM.token(path) != token
        assert after["m1"].token != before["m1"].token, sql
        assert after["m2"].token == before["m2"].token, sql


# ---- other schemas ----


def test_a_first_version_with_few_columns_is_read(tmp_path: Path) -> None:
    schema = "CREATE TABLE observations (memory_session_id, text, created_at); CREATE TABLE sdk_sessions (id);"
    path = store(tmp_path, schema)
    add(path, "observations", memory_session_id="m1", text="an old note", created_at="2026-11-02T07:00:00Z")
    assert list(places(path)) == ["m1"]
    records = told(within(path, "m1"))
    assert [turn.text for turn in turns(records)] == ["an old note"]
    assert turns(records)[0].time == 1_793_602_800_000
    assert facts(records).about is None


def test_a_database_without_notes_is_set_aside(tmp_path: Path) -> None:
    path = store(tmp_path, "CREATE TABLE sdk_sessions (id)")
    with pytest.raises(Unreadable, match="schema"):
        list(MEM.places(path))


@needs_fixtures
def test_the_shared_database_is_read() -> None:
    [place] = places(FIXTURES / "derived" / "claude-mem.db").values()
    records = told(place.path)
    assert facts(records).about == "claude:3f2b6a1e-1111-4222-8333-444455556666"
    first, second = turns(records)
    assert first.text.startswith(
        "decision: Exponential backoff chosen for uploader\ncapped at 30 s\n\n- Retry limit is 5\n"
    )
    learned = "Learned: S3 throttles at 503\n\nCompleted: retry added\n\nNext steps: measure"
    assert second.text == f"Request: add retry to uploader\n\n{learned}"
