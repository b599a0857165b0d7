"""Copilot Chat in VS Code: documents, logs of changes, workspaces, and what of a response is text."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from harkback.adapters.copilot_vscode import CopilotVscode
from harkback.adapters.object_log import ObjectLog, Operation
from harkback.adapters.vscode_storage import path_of
from harkback.core.model import Checkpoint, Reread
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import Told

VSCODE = CopilotVscode()
FIXTURES = Path(__file__).parents[1].parent / "shared" / "fixtures" / "copilot-vscode"
TIME = 1_770_650_000_000


def request(name: str, text: str, *response: Any, **more: Any) -> dict[str, Any]:
    return {"requestId": name, "timestamp": TIME, "message": {"text": text}, "response": list(response), **more}


def said(text: str) -> dict[str, str]:
    return {"value": text}


def snapshot(*requests: Any, **more: Any) -> dict[str, Any]:
    return {
        "kind": 0,
        "v": {"version": 3, "sessionId": "s-1", "creationDate": TIME, "requests": list(requests), **more},
    }


def written(
    tmp_path: Path, *rows: Any, name: str = "s-1.jsonl", folder: str = "workspaceStorage/w1/chatSessions"
) -> Path:
    path = tmp_path / "User" / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(each, ensure_ascii=False) + "\n" for each in rows)
    path.write_text("".join(lines) if path.suffix == ".jsonl" else json.dumps(rows[0]), encoding="utf-8")
    return path


def told(path: Path, adapter: CopilotVscode = VSCODE) -> Told:
    result = Told()
    result.read(adapter, path)
    return result


def texts(path: Path, adapter: CopilotVscode = VSCODE) -> list[str]:
    return [text for each in told(path, adapter).sessions().values() for _, text in each["turns"]]


# ---- the log ----


def test_the_operations_of_a_log_are_replayed(tmp_path: Path) -> None:
    path = written(
        tmp_path, snapshot(customTitle="Old"),
        {"kind": 2, "k": ["requests"], "v": [request("r1", "ask", said("par"))]},
        {"kind": 1, "k": ["requests", 0, "response", 0], "v": said("partly, ")},
        {"kind": 2, "k": ["requests", 0, "response"], "v": [said("wrong")]},
        {"kind": 2, "k": ["requests", 0, "response"], "i": 1, "v": [said("then ")]},
        {"kind": 1, "k": ["requests", 0, "response", 2], "v": said("whole")},
        {"kind": 1, "k": ["customTitle"], "v": "New"},
        {"kind": 3, "k": ["requests", 0, "modelId"]},
    )  # fmt: skip
    (found,) = told(path).sessions().values()
    assert found["turns"] == [["user", "ask"], ["assistant", "partly, then whole"]]
    assert found["title"] == "New"
    assert not told(path).skips


def test_a_later_snapshot_replaces_everything(tmp_path: Path) -> None:
    path = written(tmp_path, snapshot(request("r1", "old")), snapshot(request("r2", "new")))
    assert texts(path) == ["new"]


@pytest.mark.parametrize(
    "operation",
    [
        {"kind": 1, "k": ["requests", 9, "x"], "v": 1}, {"kind": 1, "k": ["requests", 9], "v": 1},
        {"kind": 2, "k": ["version"], "v": [1]}, {"kind": 2, "k": ["requests"], "v": 7}, {"kind": 9, "k": ["x"]},
        {"kind": 1, "k": [], "v": 7}, {"kind": 1}, {"kind": 0, "v": []}, {"kind": 1, "k": ["requests", True], "v": 1},
        {"kind": None}, {"kind": 1, "k": ["requests", -1], "v": 1}, {"kind": 1, "k": [["x"]], "v": 1},
    ],
)  # fmt: skip
def test_an_operation_that_makes_no_sense_is_counted_and_changes_nothing(tmp_path: Path, operation: Any) -> None:
    path = written(tmp_path, snapshot(request("r1", "ask", said("answer"))), operation)
    assert texts(path) == ["ask", "answer"]
    assert [skip.reason for skip in told(path).skips] == ["unexpected-shape"]


def test_a_log_is_always_read_from_its_beginning(tmp_path: Path) -> None:
    path = written(tmp_path, snapshot())
    with pytest.raises(Reread):
        list(VSCODE.read(path, Checkpoint(3)))
    assert list(VSCODE.read(path, None))[-1] == Checkpoint(path.stat().st_size)


VALUES = st.recursive(
    st.integers(0, 3) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xy"), inner, max_size=2),
    max_leaves=6,
)


@settings(max_examples=60)
@given(st.data())
def test_any_changes_that_were_logged_lead_to_the_object_that_they_led_to(data: st.DataObject) -> None:
    """An object is changed at random the way an editor would, and the log that it writes is replayed."""
    live: dict[str, Any] = {"x": data.draw(VALUES), "list": []}
    log = ObjectLog()
    assert log.take(Operation(0, None, copy.deepcopy(live)))
    for _ in range(data.draw(st.integers(0, 6))):
        value = data.draw(VALUES)
        match data.draw(st.sampled_from(["set", "item", "push", "cut", "delete"])):
            case "set":
                live["x"] = value
                operation = Operation(1, ["x"], copy.deepcopy(value))
            case "item" if live["list"]:
                at = data.draw(st.integers(0, len(live["list"]) - 1))
                live["list"][at] = value
                operation = Operation(1, ["list", at], copy.deepcopy(value))
            case "cut" if live["list"]:
                at = data.draw(st.integers(0, len(live["list"])))
                live["list"][at:] = [value]
                operation = Operation(2, ["list"], [copy.deepcopy(value)], at)
            case "delete":
                live["x"] = None
                operation = Operation(3, ["x"])
            case _:
                live["list"].append(value)
                operation = Operation(2, ["list"], [copy.deepcopy(value)])
        assert log.take(operation)
    assert log.document == live


# ---- what of it is said ----


def link(**reference: Any) -> dict[str, Any]:
    return {"kind": "inlineReference", "inlineReference": reference}


def test_a_response_is_its_markdown_with_the_names_of_links_and_nothing_else(tmp_path: Path) -> None:
    response = [
        {"kind": "thinking", "value": "hidden"}, said("See "), link(fsPath="C:\\src\\a b.py"), said(", "),
        link(name="Lamp", location={"uri": {"path": "/x.py"}}), said(" and "),
        link(uri={"path": "/src/c.py"}, range={}), {"kind": "markdownContent", "content": {"value": "."}},
        {"kind": "progressMessage", "content": said("…")}, {"kind": "textEditGroup", "edits": [[{"text": "code"}]]},
        {"kind": "undoStop"}, {"kind": "codeblockUri"}, {"kind": "prepareToolInvocation"},
        {"value": {"value": " Done"}}, {"kind": "command"},
    ]  # fmt: skip
    path = written(tmp_path, snapshot(request("r1", "ask", *response)))
    assert texts(path) == ["ask", "See a b.py, Lamp and c.py. Done"]
    assert not told(path).skips


def test_a_hidden_request_is_one_that_was_taken_back(tmp_path: Path) -> None:
    hidden = request("r2", "undone", said("2"), isHidden=True)
    path = written(tmp_path, snapshot(request("r1", "first", said("1")), hidden, request("r3", "last")))
    assert texts(path) == ["first", "1", "last"]
    assert "undone" in {turn.text for turn in told(path).turns}


def test_an_unknown_kind_of_response_is_counted(tmp_path: Path) -> None:
    path = written(tmp_path, snapshot(request("r1", "ask", {"kind": "hologram"}, {"kind": 7}, 7)))
    assert texts(path) == ["ask"]
    assert {skip.reason for skip in told(path).skips} == {"unknown-type"}


def test_tools_stand_between_the_question_and_the_answer(tmp_path: Path) -> None:
    call = {
        "kind": "toolInvocationSerialized", "toolId": "run_in_terminal", "pastTenseMessage": {"value": "Ran"},
        "toolSpecificData": {"kind": "terminal", "commandLine": {"original": "ls -l"}},
    }  # fmt: skip
    path = written(tmp_path, snapshot(request("r1", "ask", said("a"), call, said("b")), request("r2", "on", said("c"))))
    assert texts(path) == ["ask", "ab", "on", "c"]
    assert texts(path, VSCODE.with_tools()) == ["ask", "run_in_terminal\nls -l", "ab", "on", "c"]


def test_times_are_of_the_request_or_of_the_chats_beginning(tmp_path: Path) -> None:
    path = written(tmp_path, snapshot(request("r1", "ask", said("a")), request("r2", "on") | {"timestamp": None}))
    assert [(turn.time, turn.quality) for turn in told(path).turns] == [
        (TIME, "exact"),
        (TIME, "exact"),
        (TIME, "file"),
    ]


def test_oldest_messages_are_strings(tmp_path: Path) -> None:
    path = written(tmp_path, {"requests": [{"message": "ask", "response": [said("a")]}]}, name="old.json")
    assert told(path).sessions()["old"]["turns"] == [["user", "ask"], ["assistant", "a"]]


# ---- where it lies ----


def test_chats_are_found_where_they_are_kept_and_nowhere_else(tmp_path: Path) -> None:
    user = tmp_path / "User"
    log = written(tmp_path, snapshot())
    written(tmp_path, {}, name="s-1.json")
    document = written(tmp_path, {}, name="s-2.json")
    empty = written(tmp_path, snapshot(), name="e.jsonl", folder="globalStorage/emptyWindowChatSessions")
    moved = written(tmp_path, snapshot(), name="t.json", folder="globalStorage/transferredChatSessions")
    written(tmp_path, snapshot(), folder="workspaceStorage/w1/GitHub.copilot-chat/transcripts")
    written(tmp_path, snapshot(), folder="globalStorage/github.copilot-chat")
    written(tmp_path, {}, name="oauth_credentials.json")
    assert set(VSCODE.find(user)) == {log, document, empty, moved}
    twins = {written(tmp_path, snapshot(), name=f"twin-{number}.jsonl") for number in range(8)}
    for number in range(8):
        written(tmp_path, {}, name=f"twin-{number}.json")
    assert set(VSCODE.find(user)) == {log, document, empty, moved, *twins}
    (user / "workspaceStorage" / "w2").symlink_to(user / "workspaceStorage" / "w1")
    assert set(VSCODE.find(user)) == {log, document, empty, moved, *twins}


def test_every_edition_on_every_system_has_a_root() -> None:
    home = Path("/home/kim")
    roots = [root.relative_to(home).as_posix() for root in VSCODE.roots(home, {})]
    assert roots == [
        f"{base}/{edition}/User"
        for edition in ("Code", "Code - Insiders", "VSCodium")
        for base in (".config", "Library/Application Support", "AppData/Roaming")
    ]
    assert Path("/roaming/Code/User") in VSCODE.roots(home, {"APPDATA": "/roaming"})
    assert Path("/config/VSCodium/User") in VSCODE.roots(home, {"XDG_CONFIG_HOME": "/config"})
    assert VSCODE.resume("s-1") is None


@pytest.mark.parametrize(
    ("manifest", "project"),
    [
        ({"folder": "file:///src/my%20demo"}, "/src/my demo"),
        ({"folder": "file:///c%3A/src/demo"}, "c:/src/demo"),
        ({"folder": "vscode-remote://ssh-remote%2Bbox/home/kim/demo"}, "/home/kim/demo"),
        ({"workspace": "file:///src/all/all.code-workspace"}, "/src/all"),
        ({"workspace": "file:///tmp/1700000/workspace.json"}, None),
        ({"folder": 7}, None), ({"folder": "file://[oops"}, None), ([], None), ("", None),
    ],
)  # fmt: skip
def test_the_project_is_the_workspaces_folder(tmp_path: Path, manifest: Any, project: str | None) -> None:
    path = written(tmp_path, snapshot(request("r1", "ask")))
    (path.parent.parent / "workspace.json").write_text(json.dumps(manifest))
    (found,) = told(path).sessions().values()
    assert found["project"] == project


@given(st.text())
def test_no_uri_is_too_odd(uri: str) -> None:
    path = path_of(f"file:///{uri}")
    assert path is None or path.strip()


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared fixtures are not here")
def test_every_fixture_gives_its_texts() -> None:
    paths = [path for path in FIXTURES.rglob("*.json*") if path.name != "workspace.json"]
    assert {path.stem: texts(path) for path in paths} == {
        "vscode-132": [
            "Read test.txt and run its command.", "I'll read test.txt first. test.txt contains the command. Done.",
        ],
        "jsonl-001": ["Hello JSONL", "Hi from JSONL!"],
        "jsonl-multi": ["First", "Answer 1", "Second", "Answer 2"],
        "jsonl-set": ["Q", "Complete answer"],
        "legacy": ["Why does the retry loop never stop?", "The condition a.py is always true."],
    }  # fmt: skip
    (titled,) = told(next(path for path in paths if path.stem == "jsonl-001")).sessions().values()
    assert (titled["title"], titled["project"]) == ("Test JSONL Session", "/Users/dev/projects/agentsview")
    assert list(told(FIXTURES / "own_chatSessions" / "legacy.json").sessions()) == ["legacy-1"]
    told(FIXTURES / "av_workspaceStorage" / "abc123" / "workspace.json")
