"""Roo Code's tasks: both forms of a history, what a condensed one keeps, parents, and Kilo Code."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from harkback.adapters.roo import Roo
from harkback.core.model import Checkpoint, Place, Reread
from read_sessions import read

ROO = Roo()
FIXTURES = Path(__file__).parents[1].parent / "shared" / "fixtures" / "roo"
needs_fixtures = pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared fixtures are not here")
TASK = "0199a3f0-5a10-7c3b-9d2e-1f4b6c8d0e12"
NOW = 1_794_400_000_000


def put(root: Path, name: str, content: Any, task: str = TASK) -> Path:
    path = root / "tasks" / task / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    return path


def says(role: str, text: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": [{"type": "text", "text": text}], "ts": NOW} | more


@pytest.mark.parametrize("extension", ["rooveterinaryinc.roo-cline", "kilocode.kilo-code"])
@pytest.mark.parametrize("user", [".config/Code/User", "AppData/Roaming/Cursor/User", ".vscode-server/data/User"])
def test_tasks_are_in_the_storage_of_every_editor(tmp_path: Path, extension: str, user: str) -> None:
    assert tmp_path / user / "globalStorage" / extension in ROO.roots(tmp_path, {})


def test_a_task_and_what_it_is_are_found_and_nothing_else(tmp_path: Path) -> None:
    path, item = put(tmp_path, "api_conversation_history.json", []), put(tmp_path, "history_item.json", {})
    for name in ("task_metadata.json", "checkpoints/history_item.json"):
        (tmp_path / "tasks" / TASK / name).parent.mkdir(exist_ok=True)
        (tmp_path / "tasks" / TASK / name).write_text("{}")
    assert list(ROO.find(tmp_path)) == [Place(path, (path.with_name("ui_messages.json"),)), item]
    assert list(ROO.find(tmp_path / "tasks")) == [Place(path, (path.with_name("ui_messages.json"),)), item]


@pytest.mark.parametrize("is_newer", [False, True])
def test_a_condensed_history_keeps_what_was_said_and_not_the_summary(tmp_path: Path, is_newer: bool) -> None:
    messages = [
        says("user", "<task>\nFix it\n</task>", condenseParent="c1"),
        says("assistant", "I look.", truncationParent="x1"),
        says("assistant", "Summary of all this", isSummary=True, condenseId="c1"),
        says("user", "Summary of all this", isSummary=True, condenseId="c2"),
        says("user", "[Sliding window truncation]", isTruncationMarker=True, truncationId="x1"),
        says("assistant", "Fixed.", ts=NOW + 1),
    ]
    put(tmp_path, "api_conversation_history.json", {"version": 2, "messages": messages} if is_newer else messages)
    told = read(ROO, tmp_path)
    assert told[TASK].dialog == [("user", "Fix it"), ("assistant", "I look."), ("assistant", "Fixed.")]
    assert told[TASK].turns[-1].time == NOW + 1
    assert not told.skips


def test_a_task_that_another_one_set_serves_it(tmp_path: Path) -> None:
    put(tmp_path, "api_conversation_history.json", [says("user", "Hello")])
    put(tmp_path, "history_item.json", {"id": TASK, "task": "Hello", "workspace": "/src", "parentTaskId": "p-1"})
    told = read(ROO, tmp_path)[TASK]
    assert (told.project, told.kind, told.parent) == ("/src", "subagent", "p-1")


def test_tools_are_read_where_the_person_asked_for_them(tmp_path: Path) -> None:
    call = {"type": "tool_use", "name": "apply_diff", "input": {"path": "a.py"}}
    put(tmp_path, "api_conversation_history.json", [{"role": "assistant", "ts": NOW, "content": [call]}])
    assert TASK not in read(ROO, tmp_path).sessions
    assert read(ROO, tmp_path, tools=True)[TASK].dialog == [("tool", 'apply_diff\n{"path": "a.py"}')]


def test_no_command_opens_a_task_and_none_is_read_on(tmp_path: Path) -> None:
    assert ROO.resume(TASK) is None
    path = put(tmp_path, "api_conversation_history.json", [])
    with pytest.raises(Reread):
        list(ROO.read(path, Checkpoint(1)))


@needs_fixtures
def test_the_fixtures(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "deja", tmp_path, dirs_exist_ok=True)
    for name, task in (("cn_ui_messages.json", "1740471000000"), ("cn_kilo_ui_messages.json", "1740472000000")):
        put(tmp_path, "ui_messages.json", json.loads((FIXTURES / name).read_text("utf-8")), task)
    told = read(ROO, tmp_path)
    assert not told.skips
    assert told["1767225700000"].dialog == [
        ("user", "Fix the flaky test"),
        ("assistant", "The retry loop reused a stale timeout; pinned it per attempt."),
    ]
    assert told["1767225700000"].project == "/home/example/work/demo"
    assert told["1767225700000"].turns[0].quality == "file"
    assert told["1740471000000"].dialog == [
        ("user", "Set up a CI/CD pipeline with GitHub Actions for our Node.js project"),
        ("user", "Add a matrix strategy to test on Node 18 and 20"),
        ("assistant", "CI/CD pipeline created at .github/workflows/ci.yml with matrix testing on Node 18 and 20."),
    ]
    assert [role for role, _ in told["1740472000000"].dialog] == ["user", "user", "assistant"]
