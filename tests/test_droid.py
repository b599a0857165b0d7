"""Droid's two dialects, its settings files and its sub-agents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harkback.adapters.droid import Droid
from samples import Told

FIXTURES = Path(__file__).parents[1].parent / "shared" / "fixtures" / "droid" / "as"
needs_fixtures = pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared fixtures are not here")
DROID = Droid()
ID = "61728394-1111-4222-8333-000000000001"
START = {"type": "session_start", "id": ID, "title": "Anvil", "cwd": "/home/ada/forge"}


def message(role: str, content: Any, **more: Any) -> dict[str, Any]:
    row = {"type": "message", "id": "m1", "timestamp": "2026-11-06T12:00:01.000Z"}
    return row | {"message": {"role": role, "content": content}} | more


def write(folder: Path, *rows: Any, name: str = f"{ID}.jsonl") -> Path:
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return folder / name


def told(*paths: Path, adapter: Any = DROID) -> Told:
    read = Told()
    for path in paths:
        read.read(adapter, path)
    return read


def test_where_droid_keeps_sessions(tmp_path: Path) -> None:
    assert DROID.roots(tmp_path, {}) == [tmp_path / ".factory" / "sessions", tmp_path / ".factory" / "projects"]
    assert DROID.roots(tmp_path, {"FACTORY_HOME": "/srv/f"})[0] == Path("/srv/f/sessions")
    for name in (f"{ID}.jsonl", f"{ID}.settings.json", "settings.json", "auth.json"):
        (tmp_path / name).write_text("{}")
    assert sorted(path.name for path in DROID.find(tmp_path) if isinstance(path, Path)) == [
        f"{ID}.jsonl",
        f"{ID}.settings.json",
    ]


def test_the_settings_beside_a_session_tell_its_model(tmp_path: Path) -> None:
    settings = tmp_path / f"{ID}.settings.json"
    settings.write_text('{"model": "glm-5", "tokenUsage": {"inputTokens": 1}}')
    session = told(write(tmp_path, START, message("user", "Which?")), settings).sessions()[ID]
    assert session["model"] == "glm-5"


def test_a_file_that_is_named_by_an_id_is_that_session_whatever_it_says(tmp_path: Path) -> None:
    path = write(tmp_path, START | {"id": "another"}, message("user", "Whose?"))
    assert set(told(path).sessions()) == {ID}
    path = write(tmp_path, START | {"id": "another"}, message("user", "Whose?"), name="copy.jsonl")
    assert set(told(path).sessions()) == {"another"}


def test_reminders_in_front_are_no_text_and_quoted_ones_are(tmp_path: Path) -> None:
    blocks = [
        {"type": "text", "text": "<system-reminder>\nx\n</system-reminder>\n\nDo it."},
        {"type": "text", "text": "<system-reminder>only this</system-reminder>"},
        {"type": "text", "text": "Why is there a <system-reminder>x</system-reminder> in my log?"},
    ]
    (turn,) = told(write(tmp_path, START, message("user", blocks))).turns
    assert turn.text == "Do it.\n\nWhy is there a <system-reminder>x</system-reminder> in my log?"


def test_a_task_is_a_subagents_session(tmp_path: Path) -> None:
    path = write(tmp_path, START | {"title": "# Task Tool Invocation: scan"}, message("user", "Scan."))
    assert told(path).sessions()[ID]["kind"] == "subagent"


def test_what_is_not_known_is_counted_and_what_is_known_to_be_silent_is_not(tmp_path: Path) -> None:
    rows = [{"type": "todo_state"}, {"type": "session_end"}, {"type": "error", "message": "no key"}]
    read = told(write(tmp_path, START, *rows, {"type": "hologram"}, message("oracle", "x"), message("user", 7)))
    assert sorted((skip.reason, skip.example.split()[0]) for skip in read.skips) == [
        ("unknown-type", "hologram"),
        ("unknown-type", "message/oracle"),
    ]


def test_a_stream_that_ends_with_its_last_answer_has_it_once(tmp_path: Path) -> None:
    said = {"type": "message", "role": "assistant", "text": "Done.", "timestamp": 1793967604000}
    end = {"type": "completion", "finalText": "Done.", "timestamp": 1793967605000}
    path = write(tmp_path, said, end)
    assert [turn.text for turn in told(path).turns] == ["Done."]
    path = write(tmp_path, said, end | {"finalText": "Really done."})
    assert [turn.text for turn in told(path).turns] == ["Done.", "Really done."]


def test_a_line_without_a_time_has_that_of_the_one_before(tmp_path: Path) -> None:
    rows = [message("user", "One."), message("assistant", "Two.", timestamp="yesterday")]
    assert [turn.quality for turn in told(write(tmp_path, START, *rows)).turns] == ["exact", "file"]


@needs_fixtures
@pytest.mark.parametrize(
    ("name", "session", "turns", "tools"),
    [
        (
            "session_store_large",
            "droid_large",
            ["Step 1", "Ok", "Captured multiline output.", "Step 2", "Ok"],
            2,
        ),
        ("session_store_schema_drift", "droid_drift", ["Do the thing", "Ok"], 0),
        ("session_store_small", "droid_s1", ["Run a command"], 2),
        ("stream_json_large", "sid_stage0_large", ["Step 1", "Ok", "Captured multiline output."], 2),
        ("stream_json_schema_drift", "sid_stage0_drift", ["List files", "Done"], 2),
        ("stream_json_small", "sid_stage0_small", ["Do thing", "Done"], 2),
    ],
)
def test_the_fixtures_are_read(name: str, session: str, turns: list[str], tools: int) -> None:
    path = FIXTURES / f"{name}.jsonl"
    read = told(path)
    assert [text for _, text in read.sessions()[session]["turns"]] == turns
    assert all(turn.quality == "exact" for turn in read.turns)
    assert read.skips == []
    with_tools = told(path, adapter=DROID.with_tools()).turns
    assert len([turn for turn in with_tools if turn.role == "tool"]) == tools
