"""Antigravity's steps: what of them the person and the model say, whole and appended to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harkback.adapters.antigravity import Antigravity
from samples import Told

ANTIGRAVITY = Antigravity()
FIXTURES = Path(__file__).parents[1].parent / "shared" / "fixtures" / "antigravity"


def step(source: str | None, kind: Any, content: Any = None, **more: Any) -> dict[str, Any]:
    return {
        "step_index": 0,
        "source": source,
        "type": kind,
        "created_at": "2026-06-26T21:16:16Z",
        "content": content,
        **more,
    }


def log(tmp_path: Path, *steps: Any, session: str = "c-1") -> Path:
    path = tmp_path / "brain" / session / ".system_generated" / "logs" / "transcript.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in steps))
    return path


def told(path: Path, adapter: Antigravity = ANTIGRAVITY) -> Told:
    result = Told()
    result.read(adapter, path)
    return result


def turns(path: Path, adapter: Antigravity = ANTIGRAVITY) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in told(path, adapter).turns]


def test_the_session_is_the_folder_and_the_words_are_those_inside_the_request(tmp_path: Path) -> None:
    change = "The user changed setting `Model Selection` from None to Gemini 3 Pro (High)."
    request = f"<USER_REQUEST>\nGo on\n</USER_REQUEST>\n<USER_SETTINGS_CHANGE>\n{change}\n</USER_SETTINGS_CHANGE>"
    path = log(tmp_path, step("USER_EXPLICIT", "USER_INPUT", request), step("MODEL", "PLANNER_RESPONSE", "Going on."))
    sessions = told(path).sessions()
    assert list(sessions) == ["c-1"]
    assert sessions["c-1"]["turns"] == [["user", "Go on"], ["assistant", "Going on."]]
    assert sessions["c-1"]["model"] == "Gemini 3 Pro (High)"


def test_a_request_without_its_tag_loses_the_settings_alone(tmp_path: Path) -> None:
    text = "Do it <USER_SETTINGS_CHANGE>x</USER_SETTINGS_CHANGE>"
    assert turns(log(tmp_path, step("USER_EXPLICIT", "USER_INPUT", text))) == [("user", "Do it")]


def test_an_empty_request_says_nothing(tmp_path: Path) -> None:
    text = "<USER_REQUEST></USER_REQUEST><USER_SETTINGS_CHANGE>x</USER_SETTINGS_CHANGE>"
    assert turns(log(tmp_path, step("USER_EXPLICIT", "USER_INPUT", text))) == []


def test_thoughts_tools_and_the_system_say_nothing(tmp_path: Path) -> None:
    path = log(
        tmp_path,
        step("SYSTEM", "SYSTEM_MESSAGE", "not the person's"), step("SYSTEM", "USER_INPUT", "neither"),
        step("MODEL", "PLANNER_RESPONSE", None, thinking="hidden", tool_calls=[{"name": "ls", "args": {"p": "."}}, 7]),
        step("MODEL", "LIST_DIRECTORY", "a.txt"),
    )  # fmt: skip
    assert turns(path) == []
    assert turns(path, ANTIGRAVITY.with_tools()) == [("tool", 'ls\n{"p": "."}'), ("tool", "LIST_DIRECTORY\na.txt")]


def test_text_that_was_cut_on_disk_and_unknown_speakers_are_counted(tmp_path: Path) -> None:
    path = log(
        tmp_path, step("MODEL", "PLANNER_RESPONSE", "half an answ", truncated_fields=["content"]),
        step("MODEL", "VIEW_FILE", "half a fi", truncated_fields=["content"]), step("MARS", "USER_INPUT", "hello"),
    )  # fmt: skip
    assert turns(path) == [("assistant", "half an answ")]
    for adapter in (ANTIGRAVITY, ANTIGRAVITY.with_tools()):
        counts = [(skip.reason, skip.count) for skip in told(path, adapter).skips]
        assert sorted(counts) == [("cut-at-source", 1), ("unknown-type", 1)]


def test_both_products_keep_their_logs_in_a_brain(tmp_path: Path) -> None:
    home = tmp_path
    assert [root.relative_to(home).as_posix() for root in ANTIGRAVITY.roots(home, {})] == [
        ".gemini/antigravity-cli/brain", ".gemini/antigravity/brain",
    ]  # fmt: skip
    path = log(tmp_path)
    (path.parent / "other.jsonl").write_text("{}\n")
    (tmp_path / "brain" / "c-1" / "task.md").write_text("# an artifact\n")
    assert list(ANTIGRAVITY.find(tmp_path / "brain")) == [path]


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared fixtures are not here")
def test_every_fixture_gives_its_texts() -> None:
    assert {path.name: [text for _, text in turns(path)] for path in FIXTURES.iterdir()} == {
        "as_cli_small.jsonl": ["List the files.", "The directory contains a.txt and b.txt."],
        "as_cli_schema_drift.jsonl": ["Go"],
        "as_small.md": [],
    }
