"""Kimi: kimi-cli's wire and contexts, kimi-code's wire, imports, undoing, and what they share."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from hashlib import md5
from pathlib import Path
from typing import Any

import pytest
from harkback.adapters.kimi import Kimi
from harkback.core.model import (
    TITLE_GENERATED,
    TITLE_GIVEN,
    Checkpoint,
    Place,
    Record,
    Reread,
    SessionRecord,
    SkipRecord,
    TurnRecord,
    UndoRecord,
)
from hypothesis import given, settings
from hypothesis import strategies as st

KIMI = Kimi()
FIXTURES = Path(__file__).parents[1].parent / "shared" / "fixtures"
needs_fixtures = pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared fixtures are not here")
UUID = "3c9d1e2f-0000-4000-8000-00000000d001"
STEP = "5f0c0a9e-0000-4000-8000-00000000000"
TIME = 1_793_602_000


# ---- stores written here ----


def jsonl(path: Path, rows: Iterable[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def folder_of(home: Path, directory: str = "/home/ida/loom", kaos: str = "") -> Path:
    digest = md5(directory.encode(), usedforsecurity=False).hexdigest()
    return home / ".kimi" / "sessions" / f"{kaos}{digest}"


def sent(kind: str, number: int = 0, **payload: Any) -> dict[str, Any]:
    return {"timestamp": TIME + number + 0.5, "message": {"type": kind, "payload": payload}}


def part(text: str, number: int = 0) -> dict[str, Any]:
    return sent("ContentPart", number, type="text", text=text)


def begin(text: Any, number: int = 0) -> dict[str, Any]:
    return sent("TurnBegin", number, user_input=text)


META = {"type": "metadata", "protocol_version": "1.9"}


def code(home: Path, rows: Iterable[Any], session: str = "ses_01", agent: str = "main", **state: Any) -> Path:
    folder = home / ".kimi-code" / "sessions" / "wd_loom_0a1b2c3d4e5f" / session
    path = jsonl(folder / "agents" / agent / "wire.jsonl", rows)
    if state:
        (folder / "state.json").write_text(json.dumps(state))
    return path


def message(role: str, text: str, number: int | None = 0, origin: str | None = None) -> dict[str, Any]:
    body: dict[str, Any] = {"role": role, "content": [{"type": "text", "text": text}]}
    if origin:
        body["origin"] = {"kind": origin}
    row: dict[str, Any] = {"type": "context.append_message", "message": body}
    return row if number is None else row | {"time": (TIME + number) * 1000}


def event(kind: str, number: int = 0, **more: Any) -> dict[str, Any]:
    return {"type": "context.append_loop_event", "event": {"type": kind, **more}, "time": (TIME + number) * 1000}


def content(text: str, step: str = STEP + "1", number: int = 0) -> dict[str, Any]:
    return event("content.part", number, stepUuid=step, part={"type": "text", "text": text})


def told(path: Path, adapter: Any = KIMI) -> list[Record]:
    return list(adapter.read(path, None))


def turns(records: Iterable[Record]) -> list[tuple[str, str]]:
    """What stands of the turns, continuations joined to what they continue."""
    undone: list[UndoRecord] = []
    said: list[TurnRecord] = []
    at: dict[str, int] = {}
    for record in records:
        if isinstance(record, UndoRecord):
            undone.append(record)
        elif isinstance(record, TurnRecord):
            if record.more and record.native_id in at:
                first = said[at[record.native_id]]
                joined = f"{first.text}\n\n{record.text}"
                said[at[record.native_id]] = TurnRecord(first.session, first.role, joined, first.time, first.order)
                continue
            at[record.native_id or ""] = len(said)
            said.append(record)
    assert len({turn.order for turn in said}) == len(said)
    standing = [turn for turn in said if not any(undo.since <= turn.order < undo.until for undo in undone)]
    return [(turn.role, turn.text) for turn in sorted(standing, key=lambda turn: turn.order)]


def facts(records: Iterable[Record], name: str) -> list[Any]:
    found = (getattr(record, name) for record in records if isinstance(record, SessionRecord))
    return [value for value in found if value is not None]


def reasons(records: Iterable[Record]) -> list[str]:
    return [record.reason for record in records if isinstance(record, SkipRecord)]


# ---- where it lies ----


def test_the_roots_are_those_of_both_generations_and_of_the_app(tmp_path: Path) -> None:
    roots = KIMI.roots(tmp_path, {})
    assert roots[:2] == [tmp_path / ".kimi", tmp_path / ".kimi-code"]
    assert len(roots) == 5
    assert all(root.name == "home" and "kimi-desktop" in root.parts for root in roots[2:])
    named = KIMI.roots(tmp_path, {"KIMI_SHARE_DIR": "/data/k", "KIMI_CODE_HOME": "kc", "APPDATA": "/roaming"})
    assert named[:2] == [Path("/data/k"), tmp_path / "kc"]
    assert named[-1].parts[:3] == ("/", "roaming", "kimi-desktop")


def test_both_generations_are_found_with_their_sub_agents_and_nothing_else(tmp_path: Path) -> None:
    session = folder_of(tmp_path) / UUID
    for name in ("wire.jsonl", "context.jsonl", "state.json", "context_1.jsonl", "subagents/a1/context.jsonl"):
        jsonl(session / name, [])
    jsonl(folder_of(tmp_path) / "old.jsonl", [])
    jsonl(folder_of(tmp_path) / f"{UUID}.jsonl", [])
    jsonl(folder_of(tmp_path) / "placeholder" / "test", [])
    for name in ("kimi.json", "config.toml", "credentials/kimi.json"):
        jsonl(tmp_path / ".kimi" / name, [])
    found = list(KIMI.find(tmp_path / ".kimi"))
    assert {item for item in found if isinstance(item, Path)} == {
        session / "wire.jsonl",
        session / "state.json",
        folder_of(tmp_path) / "old.jsonl",
    }
    assert [item for item in found if isinstance(item, Place)] == [
        Place(session / "context.jsonl", beside=(session / "wire.jsonl",)),
        Place(session / "subagents" / "a1" / "context.jsonl", beside=(session / "subagents" / "a1" / "wire.jsonl",)),
    ]
    wires = {code(tmp_path, [], agent=agent, title="x") for agent in ("main", "agent-0")}
    for name in ("ctitle-1", "sklsum-1", "dvlt-1"):
        code(tmp_path, [], session=name, title="x")
    wires |= {code(tmp_path, [], session="conv-1")}
    found = list(KIMI.find(tmp_path / ".kimi-code"))
    states = [item for item in found if isinstance(item, Path) and item.name == "state.json"]
    assert set(found) == wires | set(states)
    assert [path.parent.name for path in states] == ["ses_01"]


def test_the_working_directory_is_what_its_hash_says(tmp_path: Path) -> None:
    rows = [META, begin("hi")]
    for directory, kaos, known in (
        ("/home/ida/loom", "", "/home/ida/loom"),
        ("/far/away", "box_", "/far/away"),
        ("/not/listed", "", None),
        ("/far/away", "other_", None),
    ):
        (tmp_path / ".kimi").mkdir(exist_ok=True)
        dirs = [{"path": "/home/ida/loom", "kaos": "local"}, {"path": "/far/away", "kaos": "box"}, 7, {"path": None}]
        (tmp_path / ".kimi" / "kimi.json").write_text(json.dumps({"work_dirs": dirs}))
        path = jsonl(folder_of(tmp_path, directory, kaos) / UUID / "wire.jsonl", rows)
        assert facts(told(path), "project") == [known or path.parents[1].name]
    (tmp_path / ".kimi" / "kimi.json").write_text("{")
    assert facts(told(path), "project") == [path.parents[1].name]


def test_each_generation_is_resumed_by_its_own_command() -> None:
    assert KIMI.resume(UUID) == ["kimi", "-r", UUID]
    assert KIMI.resume("ses_01") == ["kimi", "--session", "ses_01"]
    assert KIMI.resume("ses_01.agent-0") is None
    assert KIMI.resume("conv-1") is None


# ---- kimi-cli: the wire ----


def test_the_wire_tells_who_said_what_and_when(tmp_path: Path) -> None:
    rows = [
        META,
        begin([{"type": "text", "text": "看"}, {"type": "image_url", "image_url": {"url": "data:x"}}], 1),
        sent("StepBegin", 2, n=1),
        sent("ContentPart", 3, type="think", think="hidden words"),
        part("one ", 4),
        part("two", 5),
        sent("SubagentEvent", 6, event={"type": "ContentPart", "payload": {"type": "text", "text": "hidden words"}}),
        sent("StepBegin", 7, n=2),
        part("three", 8),
        sent("SteerInput", 9, user_input="faster"),
        part("four", 10),
        sent("TurnEnd", 11),
        sent("Hologram", 12),
    ]
    records = told(jsonl(folder_of(tmp_path) / UUID / "wire.jsonl", rows))
    assert turns(records) == [
        ("user", "看"),
        ("assistant", "one two"),
        ("assistant", "three"),
        ("user", "faster"),
        ("assistant", "four"),
    ]
    first = next(record for record in records if isinstance(record, TurnRecord))
    assert (first.time, first.quality, first.session) == ((TIME + 1) * 1000 + 500, "exact", UUID)
    assert reasons(records) == ["unknown-type"]


def test_tool_calls_that_came_in_pieces_are_put_together(tmp_path: Path) -> None:
    rows = [
        META,
        begin("go"),
        sent("ToolCall", 1, id="t1", function={"name": "Shell", "arguments": '{"com'}),
        sent("ToolCallPart", 2, arguments_part='mand": "ls"}'),
        sent("ToolResult", 3, tool_call_id="t1", return_value={"output": "a b"}),
        part("done", 4),
    ]
    path = jsonl(folder_of(tmp_path) / UUID / "wire.jsonl", rows)
    assert turns(told(path)) == [("user", "go"), ("assistant", "done")]
    assert turns(told(path, KIMI.with_tools())) == [
        ("user", "go"),
        ("tool", 'Shell\n{"command": "ls"}'),
        ("tool", "Shell\na b"),
        ("assistant", "done"),
    ]


def test_a_piece_that_comes_after_its_step_was_given_makes_for_another_reading(tmp_path: Path) -> None:
    rows = [META, begin("go"), sent("StepBegin", n=1), part("one ")]
    path = jsonl(folder_of(tmp_path) / UUID / "wire.jsonl", rows)
    mark = told(path)[-1]
    assert isinstance(mark, Checkpoint)
    jsonl(path, [*rows, sent("StepBegin", n=2), part("next")])
    assert turns(KIMI.read(path, mark)) == [("assistant", "next")]
    jsonl(path, [*rows, part("two")])
    with pytest.raises(Reread):
        list(KIMI.read(path, mark))


@settings(max_examples=30)
@given(st.data())
@pytest.mark.parametrize("tools", [False, True])
def test_a_wire_cut_anywhere_and_then_completed_is_read_as_a_whole(
    tmp_path_factory: pytest.TempPathFactory, tools: bool, data: st.DataObject
) -> None:
    adapter: Any = KIMI.with_tools() if tools else KIMI
    rows = [
        META, begin("一"), sent("StepBegin", n=1), part("a"), part("b"),
        sent("ToolCall", id="t", function={"name": "x", "arguments": "1"}), sent("ToolCallPart", arguments_part="2"),
        sent("ToolResult", tool_call_id="t", return_value={"output": "y"}), sent("StepBegin", n=2), part("c"),
        begin("d"),
    ]  # fmt: skip
    path = jsonl(tmp_path_factory.mktemp("cut") / "s" / UUID / "wire.jsonl", rows)
    whole = path.read_bytes()
    complete = turns(told(path, adapter))
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole)))])
    first = told(path, adapter)
    path.write_bytes(whole)
    mark = first[-1]
    assert isinstance(mark, Checkpoint)
    try:
        both = [*first, *adapter.read(path, mark)]
    except Reread:
        both = told(path, adapter)
    assert turns(both) == complete


def test_a_sub_agent_is_a_child(tmp_path: Path) -> None:
    path = jsonl(folder_of(tmp_path) / UUID / "subagents" / "a1" / "wire.jsonl", [META, begin("look")])
    records = told(path)
    assert (facts(records, "kind"), facts(records, "parent")) == (["subagent"], [UUID])
    assert {record.session for record in records if isinstance(record, TurnRecord)} == {f"{UUID}.a1"}


def test_a_title_is_read_and_a_state_cut_short_is_counted(tmp_path: Path) -> None:
    path = folder_of(tmp_path) / UUID / "state.json"
    jsonl(path, [{"custom_title": "Torn warp", "title_generated": False, "archived": True}])
    assert facts(told(path), "title") == ["Torn warp"]
    assert facts(told(path), "deleted") == [], "an archived session is still the person's"
    path.write_text("{")
    assert reasons(told(path)) == ["not-json"]


# ---- kimi-cli: contexts ----

CHECK: dict[str, Any] = {"role": "_checkpoint", "id": 0}


def says(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def answers(text: str) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": [{"type": "think", "think": "hidden words"}, {"type": "text", "text": text}],
    }


def contexts(home: Path, *files: list[Any]) -> Path:
    """Rotated contexts, the oldest first, and the present one."""
    folder = folder_of(home) / UUID
    for number, rows in enumerate(files[:-1], 1):
        jsonl(folder / f"context_{number}.jsonl", rows)
    jsonl(folder / "wire.jsonl", [META])
    return jsonl(folder / "context.jsonl", files[-1])


def test_a_context_is_read_where_the_wire_holds_no_turn(tmp_path: Path) -> None:
    system = {"role": "_system_prompt", "content": "hidden words"}
    path = contexts(
        tmp_path, [system, CHECK, says("hi"), says("<system-reminder>x"), answers("ho"), {"role": "_usage"}]
    )
    os.utime(path, (TIME, TIME))
    records = told(path)
    assert turns(records) == [("user", "hi"), ("assistant", "ho")]
    assert {(r.time, r.quality) for r in records if isinstance(r, TurnRecord)} == {(TIME * 1000, "file")}
    assert reasons(records) == []
    jsonl(path.with_name("wire.jsonl"), [META, begin("hi")])
    assert told(path) == [Checkpoint(path.stat().st_size)]
    with pytest.raises(Reread):
        list(KIMI.read(path, Checkpoint(5)))


@pytest.mark.parametrize("padding", [0, 65_400, 65_450, 65_500, 200_000])
def test_a_turn_far_into_the_wire_is_seen_wherever_it_stands(tmp_path: Path, padding: int) -> None:
    path = contexts(tmp_path, [says("hi")])
    jsonl(path.with_name("wire.jsonl"), [META | {"x": "x" * padding}, begin("hi")])
    assert turns(told(path)) == []


def test_what_was_undone_in_a_context_stays_as_an_abandoned_branch(tmp_path: Path) -> None:
    start = [CHECK, says("one"), answers("1")]
    path = contexts(tmp_path, [*start, says("two"), answers("2")], [*start, says("three"), answers("3")])
    records = told(path)
    assert [words for _, words in turns(records)] == ["one", "1", "three", "3"]
    assert [r.text for r in records if isinstance(r, TurnRecord)] == ["one", "1", "two", "2", "three", "3"]


def test_undone_without_anything_new_is_undone(tmp_path: Path) -> None:
    path = contexts(tmp_path, [says("one"), answers("1"), says("two"), answers("2")], [says("one"), answers("1")])
    assert [words for _, words in turns(told(path))] == ["one", "1"]


def test_what_was_cleared_was_said_all_the_same(tmp_path: Path) -> None:
    path = contexts(tmp_path, [says("one"), answers("1"), answers("more")], [says("one"), answers("other")])
    assert [words for _, words in turns(told(path))] == ["one", "1", "more", "other"]
    path = contexts(tmp_path, [says("one"), answers("1")], [])
    assert [words for _, words in turns(told(path))] == ["one", "1"]


def test_what_a_compaction_keeps_is_not_said_twice(tmp_path: Path) -> None:
    old = [says("one"), answers("1"), says("two"), answers("2")]
    summary = says("<system>Previous context has been compacted.</system> one was asked")
    path = contexts(tmp_path, old, [summary, says("two"), answers("2"), says("three"), says("two")])
    assert [words for _, words in turns(told(path))] == ["one", "1", "two", "2", "three", "two"]


def test_the_oldest_sessions_are_a_single_context(tmp_path: Path) -> None:
    records = told(jsonl(folder_of(tmp_path) / "abc.jsonl", [says("hi"), {"role": "oracle", "content": "x"}]))
    assert {r.session for r in records if isinstance(r, TurnRecord)} == {"abc"}
    assert reasons(records) == ["unknown-type"]


def test_tools_in_a_context_are_read_where_asked_for(tmp_path: Path) -> None:
    call = {"function": {"name": "Shell", "arguments": "{}"}}
    rows = [says("go"), {"role": "assistant", "content": [], "tool_calls": [call]}, {"role": "tool", "content": "ok"}]
    path = contexts(tmp_path, rows)
    assert turns(told(path)) == [("user", "go")]
    assert turns(told(path, KIMI.with_tools())) == [("user", "go"), ("tool", "Shell\n{}"), ("tool", "ok")]


# ---- kimi-code ----


def test_a_wire_of_kimi_code_tells_text_once(tmp_path: Path) -> None:
    path = code(
        tmp_path,
        [
            META,
            {"type": "config.update", "cwd": "/home/ida/loom", "modelAlias": "kimi-k2", "systemPrompt": "hidden words"},
            {"type": "turn.prompt", "input": [{"type": "text", "text": "one"}]},
            message("user", "one", 1, "user"),
            event("content.part", 2, stepUuid=STEP + "1", part={"type": "think", "think": "hidden words"}),
            content("1", number=3),
            content("and more", number=4),
            content("next step", STEP + "2", 5),
            content("short ids", "s1", 6),
            content("are no ids", "s1", 7),
            {"type": "usage.record", "model": "kimi-k3", "time": TIME * 1000},
            {"type": "dream"},
        ],
    )
    records = told(path)
    assert turns(records) == [
        ("user", "one"),
        ("assistant", "1\n\nand more"),
        ("assistant", "next step"),
        ("assistant", "short ids"),
        ("assistant", "are no ids"),
    ]
    assert facts(records, "project") == ["/home/ida/loom"]
    assert facts(records, "model") == ["kimi-k2", "kimi-k3"]
    assert reasons(records) == ["unknown-type"]


@pytest.mark.parametrize(
    "kind",
    "injection compaction_summary system_trigger hook_result task cron_job shell_command skill plugin retry".split(),
)
def test_what_a_program_said_in_the_persons_place_is_dropped(tmp_path: Path, kind: str) -> None:
    assert turns(told(code(tmp_path, [message("user", "no", origin=kind), message("user", "yes", origin="user")]))) == [
        ("user", "yes")
    ]


def undo(count: int) -> dict[str, Any]:
    return {"type": "context.undo", "count": count, "time": TIME * 1000}


@pytest.mark.parametrize(
    ("rows", "left"),
    [
        (["a", "A", "b", "B", undo(1), "c"], "aAc"),
        (["a", "A", "b", "B", undo(2), "c"], "c"),
        (["a", "A", undo(1), "b", undo(1), "c"], "c"),
        (["a", "b", "c", undo(1), undo(1)], "a"),
        (["a", {"type": "context.clear"}, "b", undo(5), "c"], "ac"),
        (["a", {"type": "context.apply_compaction", "summary": "no"}, "b", undo(2)], "a"),
        (["a", "A", {"type": "context.clear"}, undo(1)], "aA"),
        (["a", undo(0), {"type": "context.undo"}], "a"),
    ],
)
def test_undoing_takes_back_prompts_with_their_answers(tmp_path: Path, rows: list[Any], left: str) -> None:
    lines = [
        row if isinstance(row, dict) else message("user" if row.islower() else "assistant", row, number)
        for number, row in enumerate(rows)
    ]
    path = code(tmp_path, lines)
    assert "".join(words for _, words in turns(told(path))) == left
    whole = path.read_bytes()
    for end in (at + 1 for at, byte in enumerate(whole) if byte == ord("\n")):
        path.write_bytes(whole[:end])
        first = told(path)
        path.write_bytes(whole)
        assert isinstance(first[-1], Checkpoint)
        assert "".join(words for _, words in turns([*first, *KIMI.read(path, first[-1])])) == left


def test_the_state_gives_title_fork_and_parents(tmp_path: Path) -> None:
    state = {"title": "Heddles", "forkedFrom": "ses_00", "agents": {"agent-1": {"parentAgentId": "agent-0"}}}
    child = code(tmp_path, [message("user", "x")], agent="agent-1", **state)
    records = told(child.parents[2] / "state.json")
    assert [(r.title, r.title_rank, r.parent) for r in records if isinstance(r, SessionRecord)] == [
        ("Heddles", TITLE_GENERATED, "ses_00")
    ]
    assert facts(told(child), "parent") == ["ses_01.agent-0"]
    given = code(tmp_path, [], title="Mine", isCustomTitle=True)
    assert facts(told(given.parents[2] / "state.json"), "title_rank") == [TITLE_GIVEN]


def test_tools_of_kimi_code_are_read_where_asked_for(tmp_path: Path) -> None:
    rows = [
        message("user", "go"),
        event("tool.call", toolCallId="t", name="Shell", args={"command": "ls"}),
        event("tool.result", toolCallId="t", result={"output": "a b"}),
    ]
    path = code(tmp_path, rows)
    assert turns(told(path)) == [("user", "go")]
    shown = turns(told(path, KIMI.with_tools()))
    assert shown == [("user", "go"), ("tool", 'Shell\n{"command": "ls"}'), ("tool", "a b")]


# ---- imports ----

IMPORTED = {"imported_from_kimi_cli": True, "kimi_cli_session_id": UUID}


def imported(home: Path, **more: Any) -> Path:
    rows = [message("user", "old", None), message("assistant", "older answer", None), message("user", "since then", 9)]
    custom = IMPORTED | more
    return code(home, rows, session=f"ses_{UUID}", createdAt="2026-11-02T07:00:00Z", title="t", custom=custom)


def test_an_import_whose_original_is_gone_is_read(tmp_path: Path) -> None:
    records = told(imported(tmp_path, kimi_cli_source_path="/gone/elsewhere"))
    found = [record for record in records if isinstance(record, TurnRecord)]
    assert [(turn.text, turn.quality) for turn in found] == [
        ("old", "file"),
        ("older answer", "file"),
        ("since then", "exact"),
    ]
    assert found[0].time == 1_793_602_800_000, "its state says when it was last changed"


@pytest.mark.parametrize("by_path", [True, False])
def test_an_import_whose_original_is_there_is_only_what_was_said_since(tmp_path: Path, by_path: bool) -> None:
    home = tmp_path / "elsewhere" if by_path else tmp_path
    original = jsonl(folder_of(home) / UUID / "wire.jsonl", [META, begin("old")]).parent
    path = imported(tmp_path, kimi_cli_source_path=str(original) if by_path else 7)
    records = told(path)
    assert turns(records) == [("user", "since then")]
    assert [(r.reason, r.count) for r in records if isinstance(r, SkipRecord)] == [("imported-copy", 2)]
    assert facts(told(path.parents[2] / "state.json"), "parent") == [UUID]


# ---- the shared fixtures ----


@needs_fixtures
def test_the_texts_of_the_shared_fixtures_are_as_expected(tmp_path: Path) -> None:
    expected = json.loads((FIXTURES / "EXPECTED.json").read_text("utf-8"))
    names = [name for name in expected if name.startswith(("kimi-cli/", "kimi-code/")) and name.endswith(".jsonl")]
    assert len(names) >= 24
    for name in names:
        source = FIXTURES / name
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.name == "kimi-config-update-cwd.jsonl":
            path = path.parent / "ses" / "agents" / "main" / "wire.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(source.read_bytes())
        if path.name == "context.jsonl":  # alone, as it would not be read beside a wire that has turns
            (path.parent / "wire.jsonl").unlink(missing_ok=True)
        records = told(path)
        assert [[role, words[:80]] for role, words in turns(records)] == expected[name]["msgs"], name
        assert reasons(records) == [], name


@needs_fixtures
def test_every_shared_home_and_state_is_read() -> None:
    root = FIXTURES / "kimi-cli" / "multi-workdir" / ".kimi"
    projects: dict[str, Any] = {}
    for item in KIMI.find(root):
        assert not isinstance(item, SkipRecord)
        records = told(item.path if isinstance(item, Place) else item)
        for record in records:
            if isinstance(record, SessionRecord) and record.project:
                projects[record.session] = record.project
    assert projects == {"uuid-a1": "/proj-a", "uuid-a2": "/proj-a", "uuid-c1": "/proj-c"}
    for path in (FIXTURES / "kimi-cli").rglob("state.json"):
        assert isinstance(told(path)[-1], Checkpoint)
    main = FIXTURES / "kimi-code" / "sample-main"
    assert facts(told(main / "state.json"), "title") == ["fixture: hello world"]
    old = told(FIXTURES / "kimi-cli" / "python-jsonl-compat.jsonl")
    assert turns(old)[0] == ("user", "hello from python")
    assert reasons(old) == ["not-json"]
