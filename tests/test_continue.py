"""Continue's sessions and the list beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harkback.adapters.continue_dev import Continue
from harkback.core.model import Checkpoint, Reread, SessionRecord
from samples import Told

FIXTURES = Path(__file__).parents[1].parent / "shared" / "fixtures" / "continue" / "own_sessions"
needs_fixtures = pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared fixtures are not here")
CONTINUE = Continue()
ID = "2d3e4f50-aaaa-4bbb-8ccc-000000000001"


def write(folder: Path, *messages: Any, **facts: Any) -> Path:
    path = folder / f"{ID}.json"
    history = [{"message": message} for message in messages]
    path.write_text(json.dumps({"sessionId": ID, "history": history} | facts), "utf-8")
    return path


def told(path: Path, adapter: Any = CONTINUE) -> Told:
    read = Told()
    read.read(adapter, path)
    return read


def test_sessions_and_their_list_are_found_and_nothing_else(tmp_path: Path) -> None:
    for name in (f"{ID}.json", "sessions.json", "config.json", f"{ID}.json.bak"):
        (tmp_path / name).write_text("{}")
    assert sorted(CONTINUE.find(tmp_path)) == [tmp_path / f"{ID}.json", tmp_path / "sessions.json"]
    assert CONTINUE.roots(tmp_path, {"CONTINUE_GLOBAL_DIR": "/srv/c"}) == [Path("/srv/c/sessions")]
    assert CONTINUE.resume(ID) is None


def test_turns_have_the_time_at_which_the_list_says_the_session_began(tmp_path: Path) -> None:
    path = write(tmp_path, {"role": "user", "content": "When?"})
    assert told(path).turns[0].time == path.stat().st_mtime_ns // 1_000_000
    (tmp_path / "sessions.json").write_text(json.dumps([7, {"sessionId": ID, "dateCreated": "1793959200000"}]))
    (turn,) = told(path).turns
    assert (turn.time, turn.quality) == (1793959200000, "file")


def test_the_list_gives_titles_and_folders_of_old_rows_too(tmp_path: Path) -> None:
    path = tmp_path / "sessions.json"
    rows = [
        {"sessionId": "a", "title": "One", "workspaceDirectory": "file:///c%3A/src/one"},
        {"session_id": "b", "title": "New Session", "workspaceDirectory": "/src/two"},
        "junk",
    ]
    path.write_text(json.dumps(rows))
    read = told(path)
    facts = [record for record in read.records() if isinstance(record, SessionRecord)]
    assert [(each.session, each.title, each.project) for each in facts] == [
        ("a", "One", "c:/src/one"),
        ("b", None, "/src/two"),
    ]
    assert [skip.reason for skip in read.skips] == ["unexpected-shape"]


def test_context_thinking_prompts_and_tools_are_no_text(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {"role": "system", "content": "injected"},
        {"role": "user", "content": "Ask."},
        {"role": "thinking", "content": "hm"},
        {"role": "assistant", "content": "", "toolCalls": [{"function": {"name": "ls", "arguments": "{}"}}]},
        {"role": "tool", "content": "wick.txt"},
        {"role": "oracle", "content": "?"},
    )
    read = told(path)
    assert [turn.text for turn in read.turns] == ["Ask."]
    assert [(skip.reason, skip.count) for skip in read.skips] == [("unknown-type", 1)]
    tools = [turn.text for turn in told(path, CONTINUE.with_tools()).turns if turn.role == "tool"]
    assert tools == ["ls\n{}", "wick.txt"]


def test_a_session_is_read_as_a_whole_or_again(tmp_path: Path) -> None:
    with pytest.raises(Reread):
        list(CONTINUE.read(write(tmp_path), Checkpoint(5)))


@needs_fixtures
def test_the_fixtures_are_read() -> None:
    read = Told()
    for path in sorted(FIXTURES.iterdir()):
        read.read(CONTINUE, path)
    assert not read.is_counted
    session = read.sessions()["4b3c0000-0000-4000-8000-000000000001"]
    assert session["turns"] == [
        ["user", "Why does the retry loop never stop? 为什么"],
        ["assistant", "The condition is always true."],
    ]
    document = json.loads((FIXTURES / "4b3c0000-0000-4000-8000-000000000001.json").read_text("utf-8"))
    assert (session["title"], f"file://{session['project']}") == ("Retry loop", document["workspaceDirectory"])
    assert session["times"] == [1787000000000] * 2
