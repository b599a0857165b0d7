"""Tool calls and results of Claude Code and Codex as turns: in their place, on their branch, and in nobody's way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harkback.adapters.claude import Claude
from harkback.adapters.codex import Codex
from harkback.core.model import TurnRecord
from samples import Told

CORPUS = Path(__file__).parent / "corpus"
FIXTURES = Path(__file__).parents[1].parent / "shared" / "fixtures"
CLAUDE, CODEX = Claude(), Codex()
FILES = [
    (adapter, path)
    for adapter in (CLAUDE, CODEX)
    for folder in (CORPUS / adapter.name, FIXTURES / adapter.name)
    for path in sorted(folder.rglob("*.json*"))
    if path.suffix in (".json", ".jsonl") and path.name not in ("history.jsonl", "deja_history.jsonl")
]


def write(folder: Path, *rows: Any) -> Path:
    path = folder / "s1.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def told(path: Path, adapter: Any) -> Told:
    read = Told()
    read.read(adapter, path)
    return read


def said(read: Told, *roles: str) -> dict[str, list[Any]]:
    sessions = {name: [turn for turn in each["turns"] if turn[0] in roles] for name, each in read.sessions().items()}
    return {name: turns for name, turns in sessions.items() if turns}


@pytest.mark.parametrize(("adapter", "path"), FILES, ids=lambda each: each.name)
def test_what_people_and_agents_said_is_the_same_with_tools(adapter: Any, path: Path) -> None:
    plain, full = told(path, adapter), told(path, adapter.with_tools())
    assert said(full, "user", "assistant") == said(plain, "user", "assistant")
    assert full.skips == plain.skips
    assert [turn for turn in plain.turns if turn.role == "tool"] == []


def claude(uuid: str, parent: str | None, *blocks: Any) -> dict[str, Any]:
    kind = "user" if blocks[0]["type"] == "tool_result" or uuid.startswith("u") else "assistant"
    row = {"type": kind, "uuid": uuid, "parentUuid": parent, "timestamp": "2026-03-04T05:06:07.000Z"}
    return row | {"message": {"role": kind, "content": list(blocks)}}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(name: str, **values: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": name, "input": values}


def result(content: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": "x", "content": content}


def test_claudes_parallel_calls_and_their_results_are_all_active(tmp_path: Path) -> None:
    rows = [
        claude("u1", None, text("Look.")),
        claude("a1", "u1", text("Two at once.")),
        claude("a2", "a1", call("Read", path="a")),
        claude("a3", "a2", call("Read", path="b")),
        claude("r1", "a2", result("content of a")),
        claude("r2", "a3", result([text("content of b"), {"type": "image", "source": {"data": "AAAA"}}])),
        claude("a4", "r2", text("Seen.")),
    ]
    assert told(write(tmp_path, *rows), CLAUDE.with_tools()).sessions()["s1"]["turns"] == [
        ["user", "Look."],
        ["assistant", "Two at once."],
        ["tool", 'Read\n{"path": "a"}'],
        ["tool", 'Read\n{"path": "b"}'],
        ["tool", "content of a"],
        ["tool", "content of b"],
        ["assistant", "Seen."],
    ]


def test_claudes_tools_on_a_branch_that_was_left_are_left_too(tmp_path: Path) -> None:
    rows = [
        claude("u1", None, text("First.")),
        claude("a1", "u1", text("Answer.")),
        claude("u2", "a1", text("Wrong way.")),
        claude("a2", "u2", call("Bash", command="rm")),
        claude("r2", "a2", result("gone")),
        claude("u3", "a1", text("Right way.")),
        claude("a3", "u3", call("Bash", command="ls")),
    ]
    read = told(write(tmp_path, *rows), CLAUDE.with_tools())
    assert said(read, "tool") == {"s1": [["tool", 'Bash\n{"command": "ls"}']]}
    assert len([turn for turn in read.turns if turn.role == "tool"]) == 3


def test_a_record_that_is_written_twice_has_its_tools_once(tmp_path: Path) -> None:
    row = claude("a1", "u1", call("Bash", command="ls"))
    read = told(write(tmp_path, claude("u1", None, text("Look.")), row, row), CLAUDE.with_tools())
    assert said(read, "tool") == {"s1": [["tool", 'Bash\n{"command": "ls"}']]}


def test_long_payloads_keep_both_ends(tmp_path: Path) -> None:
    read = told(
        write(tmp_path, claude("u1", None, text("Go.")), claude("r1", "u1", result("a" * 9_000 + "z"))),
        CLAUDE.with_tools(),
    )
    (turn,) = [turn for turn in read.turns if turn.role == "tool"]
    assert turn.text.startswith("aaa")
    assert turn.text.endswith("az")
    assert len(turn.text) < 2_100


def codex(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-03-04T05:06:07.000Z", "type": "response_item", "payload": {"type": kind} | payload}


def test_every_kind_of_codex_call_and_result_is_read(tmp_path: Path) -> None:
    person = {"role": "user", "content": [{"type": "input_text", "text": "Go."}]}
    rows = [
        codex("message", **person),
        codex("function_call", name="shell", arguments='{"command":["ls"]}'),
        codex("function_call_output", output='{"output":"a.txt","metadata":{"exit_code":0}}'),
        codex("custom_tool_call", name="apply_patch", input="*** Begin Patch"),
        codex("custom_tool_call_output", output={"content": "Done!", "success": True}),
        codex("local_shell_call", action={"type": "exec", "command": ["pwd"]}),
        codex("web_search_call", action={"type": "search", "query": "loom"}),
        codex("function_call_output", output=[{"type": "input_text", "text": "seen"}, {"type": "input_image"}]),
        codex("reasoning", encrypted_content="gAAAA"),
    ]
    turns = told(write(tmp_path, *rows), CODEX.with_tools()).turns
    assert [turn.text for turn in turns if turn.role == "tool"] == [
        'shell\n{"command":["ls"]}',
        '{"output":"a.txt","metadata":{"exit_code":0}}',
        "apply_patch\n*** Begin Patch",
        "Done!",
        'local_shell\n{"type": "exec", "command": ["pwd"]}',
        'web_search\n{"type": "search", "query": "loom"}',
        "seen",
    ]


def test_the_first_generation_of_codex_has_calls_without_an_envelope(tmp_path: Path) -> None:
    rows = [
        {"id": "s1", "timestamp": "2025-06-01T10:00:00Z", "instructions": None},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go."}]},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c"},
        {"type": "function_call_output", "call_id": "c", "output": "a.txt"},
    ]
    turns = sorted(told(write(tmp_path, *rows), CODEX.with_tools()).turns, key=lambda turn: turn.order)
    assert [(turn.role, turn.text) for turn in turns] == [("user", "Go."), ("tool", "shell\n{}"), ("tool", "a.txt")]


@pytest.mark.parametrize(("adapter", "path"), FILES, ids=lambda each: each.name)
def test_reading_tools_in_pieces_gives_what_reading_at_once_gives(adapter: Any, path: Path, tmp_path: Path) -> None:
    reading, content = adapter.with_tools(), path.read_bytes()
    if path.suffix == ".json" or len(content) > 200_000:
        return
    copy = tmp_path / path.name
    grown, mark = Told(), None
    lines = content.splitlines(keepends=True)
    step = max(1, len(lines) // 7)
    for end in [*range(step, len(lines), step), len(lines)]:
        copy.write_bytes(b"".join(lines[:end]))
        mark = grown.read(reading, copy, mark)
    whole = told(copy, reading)
    assert grown.sessions() == whole.sessions()
    assert all(isinstance(turn, TurnRecord) for turn in whole.turns)
