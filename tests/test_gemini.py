"""Gemini CLI: whole documents, logs of operations, and which folder a project's name stands for."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from harkback.adapters.gemini import Gemini
from harkback.adapters.tags import stripped
from harkback.core.model import Checkpoint, Reread, SkipRecord, TurnRecord, UndoRecord, Unreadable
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import Told

GEMINI = Gemini()
FIXTURES = Path(__file__).parents[1].parent / "shared" / "fixtures" / "gemini"
HEAD = {"sessionId": "s-1", "startTime": "2026-05-04T09:00:00.000Z", "kind": "main"}


def message(name: str, text: Any, kind: str = "user", **more: Any) -> dict[str, Any]:
    return {"id": name, "timestamp": "2026-05-04T09:00:01.000Z", "type": kind, "content": text, **more}


def chat(tmp_path: Path, *rows: Any, name: str = "session-2026-05-04T09-00-aaaa.jsonl", project: str = "demo") -> Path:
    path = tmp_path / ".gemini" / "tmp" / project / "chats" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text("".join(lines) if path.suffix == ".jsonl" else json.dumps(rows[0]), encoding="utf-8")
    return path


def told(path: Path, adapter: Gemini = GEMINI) -> Told:
    result = Told()
    result.read(adapter, path)
    return result


def turns(path: Path, adapter: Gemini = GEMINI) -> list[tuple[str, str]]:
    """What stands at the end, of the only session there is."""
    sessions = list(told(path, adapter).sessions().values())
    return [(role, text) for role, text in sessions[0]["turns"]] if sessions else []


def test_a_repeated_id_replaces_the_message_where_it_stood(tmp_path: Path) -> None:
    path = chat(tmp_path, HEAD, message("a", "first"), message("b", "then", "gemini"), message("a", "first, corrected"))
    assert turns(path) == [("user", "first, corrected"), ("assistant", "then")]


def test_a_rewind_takes_back_the_message_and_all_after_it_and_keeps_them_aside(tmp_path: Path) -> None:
    path = chat(
        tmp_path, HEAD, message("a", "one"), message("b", "two", "gemini"), message("c", "three"),
        {"$rewindTo": "b"}, message("d", "instead", "gemini"),
    )  # fmt: skip
    assert turns(path) == [("user", "one"), ("assistant", "instead")]
    assert {turn.text for turn in told(path).turns} == {"one", "two", "three", "instead"}


def test_a_rewind_to_nobody_knows_what_takes_back_everything(tmp_path: Path) -> None:
    for target in ("unknown", 7, ["b"], {"x": 1}):
        path = chat(tmp_path, HEAD, message("a", "one"), {"$rewindTo": target}, message("d", "after"))
        assert turns(path) == [("user", "after")]


def test_setting_all_messages_replaces_the_list(tmp_path: Path) -> None:
    snapshot = {"$set": {"messages": [message("b", "two, masked", "gemini"), message("x", "new")], "summary": "Sums"}}
    path = chat(tmp_path, HEAD, message("a", "one"), message("b", "two", "gemini"), snapshot, message("y", "last"))
    assert turns(path) == [("assistant", "two, masked"), ("user", "new"), ("user", "last")]
    (session,) = told(path).sessions().values()
    assert session["title"] == "Sums"


def test_a_message_that_was_taken_back_and_written_again_stands(tmp_path: Path) -> None:
    path = chat(tmp_path, HEAD, message("a", "one"), {"$rewindTo": "a"}, message("a", "one again"))
    assert [turn.text for turn in told(path).turns] == ["one again"], "an id stands for one turn"


def test_what_is_no_conversation_is_left_out(tmp_path: Path) -> None:
    path = chat(
        tmp_path, HEAD,
        message("a", "<session_context>\nrules\n</session_context>"),
        message("b", "/help"), message("c", "?"),
        message("d", [{"text": "<hook_context>x</hook_context>"}, {"text": "Why <hook_context> in the middle?"}]),
        message("e", "note", "info"), message("f", "oops", "error"), message("g", "careful", "warning"),
        message("h", [{"text": "hidden", "thought": True}, {"text": "shown"}, {"functionCall": {}}], "gemini"),
    )  # fmt: skip
    assert turns(path) == [("user", "Why <hook_context> in the middle?"), ("assistant", "shown")]
    assert sum(skip.count for skip in told(path).skips if skip.reason == "command") == 2


def test_what_the_person_saw_is_preferred_to_what_was_sent(tmp_path: Path) -> None:
    sent = message("a", [{"text": "@notes.md\n--- content ---"}], displayContent=[{"text": "Sum up @notes.md"}])
    assert turns(chat(tmp_path, HEAD, sent)) == [("user", "Sum up @notes.md")]


def test_a_document_that_became_a_log_is_found_once(tmp_path: Path) -> None:
    names = [f"session-2026-05-04T09-0{number}-aaaa" for number in range(8)]
    logs = [chat(tmp_path, HEAD, message("a", "in the log"), name=f"{name}.jsonl") for name in names]
    for name in names:
        chat(tmp_path, HEAD | {"messages": [message("a", "in the document")]}, name=f"{name}.json")
    alone = chat(tmp_path, HEAD | {"messages": []}, name="session-2026-01-01T00-00-bbbb.json")
    assert sorted(GEMINI.find(tmp_path / ".gemini" / "tmp"), key=str) == sorted([*logs, alone], key=str)


def test_what_lies_beside_the_chats_is_not_found(tmp_path: Path) -> None:
    for name in (
        "logs.json",
        "checkpoint-x.json",
        "session-1.jsonl.tmp-7",
        ".session-2.jsonl",
        "session-3.unreadable-1.json",
    ):
        chat(tmp_path, {}, name=name)
    (tmp_path / ".gemini/tmp/demo/session-4.jsonl").write_text("{}\n")
    assert list(GEMINI.find(tmp_path / ".gemini" / "tmp")) == []


def test_a_sub_agents_chat_belongs_to_its_parent_even_if_it_says_the_parents_id(tmp_path: Path) -> None:
    path = chat(tmp_path, HEAD, message("a", "find it"), name="s-1/agent-7.jsonl")
    (found,) = GEMINI.find(tmp_path / ".gemini" / "tmp")
    assert found == path
    (key,) = sessions = told(path).sessions()
    assert (key, sessions[key]["kind"], sessions[key]["parent"]) == ("agent-7", "subagent", "s-1")


def test_the_project_comes_from_its_own_file_or_the_list_by_slug_or_hash(tmp_path: Path) -> None:
    hashed = sha256(b"/src/by-hash").hexdigest()
    gemini = tmp_path / ".gemini"
    for project in ("by-file", "by-history", "by-slug", hashed, "unknown"):
        chat(tmp_path, HEAD, message("a", "x"), project=project)
    (gemini / "tmp/by-file/.project_root").write_text("/src/by-file\n")
    (gemini / "history/by-history").mkdir(parents=True)
    (gemini / "history/by-history/.project_root").write_text("/src/by-history")
    (gemini / "projects.json").write_text(json.dumps({"projects": {"/src/by-hash": "x", "/src/by-slug": "by-slug"}}))
    found = {path.parts[-3]: next(iter(told(path).sessions().values()))["project"] for path in gemini.rglob("*.jsonl")}
    assert found == {
        "by-file": "/src/by-file", "by-history": "/src/by-history", "by-slug": "/src/by-slug",
        hashed: "/src/by-hash", "unknown": None,
    }  # fmt: skip


def test_a_broken_list_of_projects_costs_the_project_alone(tmp_path: Path) -> None:
    path = chat(tmp_path, HEAD, message("a", "x"))
    for content in ("", "[]", '{"projects": [1]}', '{"projects": {"/x": {"slug": 1}}}', "\0" * 99):
        (tmp_path / ".gemini" / "projects.json").write_text(content)
        assert turns(path) == [("user", "x")]


def test_short_ids_of_two_sessions_make_no_copies_and_long_ones_do(tmp_path: Path) -> None:
    long = "5d1f6c2a-8e04-4b57-9a31-6c0f2d9b7e11"
    rows = [message("m1", "x"), message(long, "y")]
    one = told(chat(tmp_path, HEAD, *rows)).turns
    other = told(chat(tmp_path, HEAD | {"sessionId": "s-2"}, *rows)).turns
    assert one[0].native_id != other[0].native_id
    assert one[1].native_id == other[1].native_id == long


def test_a_message_without_a_time_has_the_sessions_beginning(tmp_path: Path) -> None:
    row = message("a", "x") | {"timestamp": "yesterday"}
    (turn,) = told(chat(tmp_path, HEAD, row)).turns
    assert (turn.time, turn.quality) == (1_777_885_200_000, "file")


def test_a_log_is_always_read_from_its_beginning(tmp_path: Path) -> None:
    path = chat(tmp_path, HEAD, message("a", "x"))
    with pytest.raises(Reread):
        list(GEMINI.read(path, Checkpoint(5)))


def test_a_torn_last_line_waits(tmp_path: Path) -> None:
    path = chat(tmp_path, HEAD, message("a", "x"))
    whole = path.stat().st_size
    with path.open("a") as stream:
        stream.write('{"id": "b", "type": "us')
    records = list(GEMINI.read(path, None))
    assert records[-1] == Checkpoint(whole)
    assert SkipRecord("unfinished-line", f"byte {whole}") in records


def test_a_document_that_is_cut_short_is_unreadable_for_now(tmp_path: Path) -> None:
    path = chat(tmp_path, {}, name="session-x.json")
    path.write_text('{"sessionId": "s", "messages": [')
    with pytest.raises(Unreadable, match="not-json"):
        list(GEMINI.read(path, None))


def test_tools_stand_after_the_message_that_called_them(tmp_path: Path) -> None:
    calls = [
        {
            "name": "ls",
            "args": {"dir": "."},
            "result": [{"functionResponse": {"name": "ls", "response": {"output": "a.txt"}}}],
        }
    ]
    path = chat(
        tmp_path, HEAD, message("a", "list"), message("b", "Here", "gemini", toolCalls=calls), message("c", "ok")
    )
    assert [role for role, _ in turns(path)] == ["user", "assistant", "user"]
    assert turns(path, GEMINI.with_tools()) == [
        ("user", "list"), ("assistant", "Here"), ("tool", 'ls\n{"dir": "."}'), ("tool", "ls\na.txt"), ("user", "ok"),
    ]  # fmt: skip


def test_the_home_of_gemini_may_be_elsewhere() -> None:
    home = Path("/home/kim")
    assert GEMINI.roots(home, {}) == [home / ".gemini" / "tmp"]
    assert GEMINI.roots(home, {"GEMINI_CLI_HOME": "/data"}) == [Path("/data/.gemini/tmp")]


# ---- any log ----

NAMES = st.sampled_from("abcde")
OPERATIONS = st.lists(
    st.tuples(st.sampled_from(["put", "rewind"]), NAMES)
    | st.tuples(st.just("set"), st.lists(NAMES, max_size=3, unique=True)),
    max_size=14,
)  # fmt: skip


@settings(max_examples=60)
@given(OPERATIONS)
def test_any_log_leaves_what_its_operations_say(
    tmp_path_factory: pytest.TempPathFactory, operations: list[Any]
) -> None:
    rows: list[Any] = [HEAD]
    model: dict[str, str] = {}
    ever: set[str] = set()
    for number, (kind, what) in enumerate(operations):
        if kind == "put":
            rows.append(message(what, f"{what}{number}"))
            model[what] = f"{what}{number}"
        elif kind == "rewind":
            rows.append({"$rewindTo": what})
            names = list(model)
            model = {name: model[name] for name in (names[: names.index(what)] if what in model else [])}
        else:
            rows.append({"$set": {"messages": [message(name, f"{name}{number}") for name in what]}})
            model = {name: f"{name}{number}" for name in what}
        ever |= set(model)
    path = chat(tmp_path_factory.mktemp("log"), *rows)
    assert [text for _, text in turns(path)] == list(model.values())
    assert {turn.text[0] for turn in told(path).turns} == ever, "nothing is lost for good"


@given(st.text(), st.sampled_from(["a", "hook_context"]))
def test_stripping_blocks_is_done_after_one_time(text: str, tag: str) -> None:
    wrapped = f"<{tag}>\nx\n</{tag}> {text} <{tag} n='1'>y</{tag}>"
    once = stripped(wrapped, tag)
    assert once == stripped(once, tag) == text.strip()


# ---- the shared fixtures ----


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared fixtures are not here")
def test_every_fixture_gives_its_texts() -> None:
    expected = {
        "as_jsonl_v040.jsonl": ["Say hello and list files.", "Hello! I listed the files."],
        "as_large.json": ["Run a command", "Captured multiline output.", "Step 1", "Ok"],
        "as_schema_drift.json": ["Describe this image:", "It looks like..."],
        "as_small.json": ["Hello", "Hi!"],
        "av_standard_session.json": [
            "Fix the login bug", "Looking at the auth module...", "That looks right", "Applied the fix.",
        ],
        "av_system_messages.json": [],
        "av_thinking_only.json": [
            "Explain how this works", "Here is how it works: the system reads the config file on startup.",
        ],
        "av_tool_calls.json": ["Read this file", "Let me read it."],
        "av_tool_calls_with_results.json": ["Read the planning doc", "Let me read that file."],
        "deja_session.jsonl": ["inspect the gemini session", "the session is readable"],
        "deja_session-set-snapshot.jsonl": [
            "gemini set-snapshot conformance question", "gemini set-snapshot conformance answer",
        ],
    }  # fmt: skip
    assert {path.name: [text for _, text in turns(path)] for path in FIXTURES.iterdir()} == expected
    assert not any(told(path).skips for path in FIXTURES.iterdir())


def test_undone_stretches_cover_no_turn_that_stands(tmp_path: Path) -> None:
    path = chat(tmp_path, HEAD, message("a", "1"), message("b", "2"), {"$rewindTo": "b"}, message("c", "3"))
    records = list(GEMINI.read(path, None))
    undone = [range(each.since, each.until) for each in records if isinstance(each, UndoRecord)]
    standing = [each.order for each in records if isinstance(each, TurnRecord) and each.text in "13"]
    assert not any(order in stretch for order in standing for stretch in undone)
