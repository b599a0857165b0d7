"""Copilot CLI: events of every layout, sub-agents apart, and the few lines of YAML beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harkback.adapters.copilot import Copilot, plain_values
from harkback.core.model import TITLE_GENERATED, TITLE_GIVEN, Checkpoint, Reread, SessionRecord
from hypothesis import example, given
from hypothesis import strategies as st
from samples import Told

COPILOT = Copilot()
FIXTURES = Path(__file__).parents[1].parent / "shared" / "fixtures" / "copilot-cli"
FOLDER = "b5d8a2e6-4f17-4c03-9e7b-60a1c8f2d477"


def event(kind: str, name: str = "e", **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data, "id": name, "timestamp": "2026-08-02T16:20:00.000Z"}


def written(tmp_path: Path, *rows: Any, name: str = f"{FOLDER}/events.jsonl", root: str = "session-state") -> Path:
    path = tmp_path / ".copilot" / root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in rows), encoding="utf-8")
    return path


def told(*paths: Path, adapter: Copilot = COPILOT) -> Told:
    result = Told()
    for path in paths:
        result.read(adapter, path)
    return result


def turns(path: Path, adapter: Copilot = COPILOT) -> dict[str, list[list[str]]]:
    return {name: each["turns"] for name, each in told(path, adapter=adapter).sessions().items()}


def test_the_folder_names_the_session_whatever_the_events_say(tmp_path: Path) -> None:
    start = event("session.start", sessionId="another", context={"cwd": "/src/demo", "branch": "main"})
    path = written(tmp_path, start, event("user.message", content="ask"))
    (found,) = told(path).sessions().items()
    assert found[0] == FOLDER
    assert (found[1]["project"], found[1]["branch"]) == ("/src/demo", "main")


def test_what_is_sent_along_is_not_what_the_person_said(tmp_path: Path) -> None:
    path = written(
        tmp_path, event("user.message", content="ask", transformedContent="<reminder>x</reminder> ask"),
        event("assistant.message", content="", toolRequests=[{"name": "bash"}], reasoningText="hidden"),
        event("assistant.reasoning", content="hidden"), event("system.message", content="You are"),
        event("system.notification", content="done"), event("assistant.message", "f", content="answer"),
    )  # fmt: skip
    assert turns(path) == {FOLDER: [["user", "ask"], ["assistant", "answer"]]}
    assert not told(path).skips


@pytest.mark.parametrize(
    "data", [{"content": "<skill-context>x</skill-context>"}, {"content": "do as the skill says", "source": "skill-x"}]
)
def test_a_skills_message_is_not_the_persons(tmp_path: Path, data: dict[str, str]) -> None:
    path = written(tmp_path, event("user.message", content="ask"), event("user.message", "f", **data))
    assert turns(path) == {FOLDER: [["user", "ask"]]}
    assert [skip.reason for skip in told(path).skips] == ["skill"]


def test_sub_agents_turns_are_a_session_of_their_own(tmp_path: Path) -> None:
    path = written(
        tmp_path, event("user.message", "1", content="ask"),
        event("user.message", "2", content="look around") | {"agentId": "explore-1"},
        event("assistant.message", "3", content="looked", parentToolCallId="call-7"),
        event("assistant.message", "4", content="odd", parentToolCallId="no identifier at all"),
        event("assistant.message", "5", content="answer"),
    )  # fmt: skip
    assert turns(path) == {
        FOLDER: [["user", "ask"], ["assistant", "answer"]],
        f"{FOLDER}:explore-1": [["user", "look around"]],
        f"{FOLDER}:call-7": [["assistant", "looked"]],
        f"{FOLDER}:sub-agent": [["assistant", "odd"]],
    }
    children = [each for name, each in told(path).sessions().items() if name != FOLDER]
    assert {(each["kind"], each["parent"]) for each in children} == {("subagent", FOLDER)}
    assert COPILOT.resume(f"{FOLDER}:call-7") is None


def test_the_latest_title_and_model_count(tmp_path: Path) -> None:
    path = written(
        tmp_path, event("session.start", selectedModel="gpt-5-mini"), event("user.message", content="ask"),
        event("session.title_changed", title="First"), event("session.title_changed", title="Second"),
        event("session.model_change", newModel="gpt-5"),
    )  # fmt: skip
    (found,) = told(path).sessions().values()
    assert (found["title"], found["model"]) == ("Second", "gpt-5")


def test_each_layout_is_found_and_what_agents_write_there_is_not(tmp_path: Path) -> None:
    root = tmp_path / ".copilot" / "session-state"
    log, flat = written(tmp_path), written(tmp_path, name="11111111-0000-4000-8000-000000000000.jsonl")
    facts = log.with_name("workspace.yaml")
    facts.write_text("cwd: /src/demo\n")
    (root / "opened-only").mkdir()
    (root / "opened-only" / "workspace.yaml").write_text("cwd: /src/demo\n")
    (log.parent / "files").mkdir()
    (log.parent / "files" / "notes.jsonl").write_text("{}\n")
    (root / "session-store.json").write_text("{}")
    assert set(COPILOT.find(root)) == {log, flat, facts}
    old = written(tmp_path, root="history-session-state", name="session_1.json")
    assert list(COPILOT.find(old.parent)) == [old]


def test_the_oldest_documents_are_read(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "ask"},
        {"role": "assistant", "content": "answer"},
        {"role": "tool", "content": "x"},
        7,
    ]
    document = {"sessionId": "s-1", "startTime": "2025-10-08T21:10:16.398Z", "chatMessages": messages}
    path = written(tmp_path, document, root="history-session-state", name="session_1.json")
    assert turns(path) == {"s-1": [["user", "ask"], ["assistant", "answer"]]}


def test_the_facts_beside_a_log_are_facts_of_its_session(tmp_path: Path) -> None:
    log = written(tmp_path, event("user.message", content="ask"))
    facts = log.with_name("workspace.yaml")
    facts.write_text(
        "id: x\ncwd: '/src/it''s here'\nname: \"A \\\"name\\\"\"\nuser_named: true\nbranch: main # a comment\n"
    )
    (found,) = told(log, facts).sessions().values()
    assert (found["title"], found["project"], found["branch"]) == ('A "name"', "/src/it's here", "main")
    ranks = []
    for named in ("true", "false"):
        facts.write_text(f"name: N\nuser_named: {named}\n")
        ranks += [each.title_rank for each in COPILOT.read(facts, None) if isinstance(each, SessionRecord)]
    assert ranks == [TITLE_GIVEN, TITLE_GENERATED]
    with pytest.raises(Reread):
        list(COPILOT.read(facts, Checkpoint(3)))


def test_only_plain_values_of_the_outermost_level_are_taken() -> None:
    text = "a: 1\nb:\n  a: 2\n- a: 3\nc: |\n  a: 4\nd: [1, 2]\n# e: 5\nf: http://x:8/#y\ng: ''\na: 6\nh : 7\n"
    assert plain_values(text) == {"a": "1", "f": "http://x:8/#y", "g": ""}


@given(st.text(alphabet="ab:\"'\\|>-# \n\t{[") | st.text())
@example("a: '")
@example('a: "')
def test_no_yaml_is_too_odd(text: str) -> None:
    values = plain_values(text)
    assert all(key and "\n" not in key and "\n" not in value for key, value in values.items())


def test_a_tool_call_is_told_once_whoever_tells_it(tmp_path: Path) -> None:
    request = {"toolCallId": "c1", "name": "bash", "arguments": {"command": "ls"}}
    path = written(
        tmp_path, event("assistant.message", "1", content="Look", toolRequests=[request]),
        event("tool.execution_start", "2", toolCallId="c1", toolName="bash", arguments={"command": "ls"}),
        event("tool.execution_start", "3", toolCallId="c2", toolName="edit", arguments={"path": "a"}),
        event("tool.execution_complete", "4", toolCallId="c1", result={"content": "a.txt"}),
    )  # fmt: skip
    assert turns(path, COPILOT.with_tools())[FOLDER] == [
        ["assistant", "Look"], ["tool", 'bash\n{"command": "ls"}'], ["tool", 'edit\n{"path": "a"}'],
        ["tool", "bash\na.txt"],
    ]  # fmt: skip
    assert turns(path) == {FOLDER: [["assistant", "Look"]]}


def test_reading_on_knows_the_tools_and_sub_agents_of_before(tmp_path: Path) -> None:
    adapter = COPILOT.with_tools()
    rows = [
        event("tool.execution_start", "1", toolCallId="c1", toolName="bash", arguments="ls"),
        event("assistant.message", "2", content="mine", parentToolCallId="c9"),
        event("tool.execution_complete", "3", toolCallId="c1", result={"content": "a.txt"}),
        event("assistant.message", "4", content="more", parentToolCallId="c9"),
    ]
    path = written(tmp_path, *rows[:2])
    grown = Told()
    mark = grown.read(adapter, path)
    written(tmp_path, *rows)
    grown.read(adapter, path, mark)
    assert grown.sessions() == told(path, adapter=adapter).sessions()
    with pytest.raises(Reread):
        list(COPILOT.read(path, Checkpoint(4, b"\xff")))


def test_the_home_of_copilot_may_be_elsewhere() -> None:
    assert COPILOT.roots(Path("/home/kim"), {"COPILOT_HOME": "/data"}) == [
        Path("/data/session-state"), Path("/data/history-session-state"),
    ]  # fmt: skip


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared fixtures are not here")
def test_every_fixture_gives_its_texts() -> None:
    trimmed = "[trimmed for fixture]"
    found = {
        name: [text for _, text in each] for path in FIXTURES.rglob("*.jsonl") for name, each in turns(path).items()
    }
    assert found == {
        "as_small": ["List the files", "Listing the files.", "Done", trimmed, trimmed, trimmed],
        "as_small:sub-agent": [trimmed],
        "as_large": ["Step 1", "Ok", "Step 2", "Captured multiline output.", "Step 3", "Ok"],
        "as_schema_drift": ["Finished."],
        "aaaabbbb-1111-2222-3333-ccccddddeeee": ["List the files", "The directory contains file1 and file2."],
        "deja_7cf44517": [
            "why is the connection pool exhausted", "the metrics poller leaks rows; add rows.Close in the scan loop",
        ],
    }  # fmt: skip
    assert not any(told(path).skips for path in FIXTURES.rglob("*.jsonl"))
