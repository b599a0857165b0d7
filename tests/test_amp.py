"""Amp's threads as documents, and the stubs that are left of newer ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harkback.adapters.amp import Amp
from harkback.core.model import Checkpoint, Reread
from samples import Told

FIXTURES = Path(__file__).parents[1].parent / "shared" / "fixtures" / "amp"
needs_fixtures = pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared fixtures are not here")
AMP = Amp()


def write(folder: Path, *messages: Any, **facts: Any) -> Path:
    path = folder / "T-1.json"
    path.write_text(json.dumps({"id": "T-1", "messages": messages} | facts), "utf-8")
    return path


def told(path: Path, adapter: Any = AMP) -> Told:
    read = Told()
    read.read(adapter, path)
    return read


def test_threads_are_found_by_name_and_logs_are_not(tmp_path: Path) -> None:
    for name in ("T-1.json", "T-2.log", "history.json", "T-3.json.tmp"):
        (tmp_path / name).write_text("{}")
    assert list(AMP.find(tmp_path)) == [tmp_path / "T-1.json"]
    assert AMP.roots(tmp_path, {}) == [tmp_path / ".local" / "share" / "amp" / "threads"]
    assert AMP.roots(tmp_path, {"XDG_DATA_HOME": "/srv/data"}) == [Path("/srv/data/amp/threads")]


def test_a_message_without_a_time_has_that_of_the_one_before(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {"role": "assistant", "content": "Before anything."},
        {"role": "user", "content": [{"type": "text", "text": "Now."}], "meta": {"sentAt": 1793955601000}},
        {"role": "assistant", "content": [{"type": "text", "text": "Then."}]},
        created=1793955600000,
    )
    assert [(turn.time, turn.quality) for turn in told(path).turns] == [
        (1793955600000, "file"),
        (1793955601000, "exact"),
        (1793955601000, "file"),
    ]


def test_a_stub_of_a_thread_on_the_server_is_counted(tmp_path: Path) -> None:
    read = told(write(tmp_path))
    assert [(skip.reason, skip.example) for skip in read.skips] == [("on-server", "T-1")]
    assert read.turns == []


def test_a_role_that_is_not_known_and_a_message_that_is_none_are_counted(tmp_path: Path) -> None:
    path = write(tmp_path, {"role": "info", "content": "x"}, 7, {"role": "user", "content": "Still read."})
    read = told(path)
    assert sorted((skip.reason, skip.example) for skip in read.skips) == [
        ("unexpected-shape", "message 2"),
        ("unknown-type", "info at message 1"),
    ]
    assert [turn.text for turn in read.turns] == ["Still read."]


def test_a_thread_is_read_as_a_whole_or_again(tmp_path: Path) -> None:
    with pytest.raises(Reread):
        list(AMP.read(write(tmp_path), Checkpoint(5)))


def test_tools_are_read_where_they_are_asked_for(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {"role": "assistant", "content": [{"type": "tool_use", "name": "Bash", "input": {"cmd": "ls"}}]},
        {"role": "user", "content": [{"type": "tool_result", "run": {"result": "kelp.txt"}}]},
    )
    assert told(path).turns == []
    tools = [(turn.role, turn.text) for turn in told(path, AMP.with_tools()).turns]
    assert tools == [("tool", 'Bash\n{"cmd": "ls"}'), ("tool", "kelp.txt")]


@needs_fixtures
def test_the_fixtures_are_read() -> None:
    first, edge = (told(FIXTURES / f"cn_test-thread-{name}.json") for name in ("1", "edge"))
    session = first.sessions()["test-thread-1"]
    assert session["title"] == "Create a login form component"
    assert [role for role, _ in session["turns"]] == ["user", "assistant"] * 3
    assert session["turns"][4] == ["user", "Now add loading state during form submission"]
    assert [text for _, text in edge.sessions()["test-thread-edge"]["turns"]] == [
        "Fix the null pointer bug in the checkout flow",
        "Are you there?",
        "Sorry for the delay. I found the issue — the cart total is accessed before null checking.",
    ]
    assert not first.is_counted
    assert not edge.is_counted
