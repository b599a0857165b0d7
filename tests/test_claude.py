"""Claude Code's sessions, from our own corpus, from files seen in the wild, and from files that are being written."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zstandard
from harkback.adapters import claude_thread
from harkback.adapters.claude import Claude
from harkback.core.branch import Link, active
from harkback.core.model import (
    TITLE_GENERATED,
    TITLE_GIVEN,
    TITLE_SUMMARY,
    Checkpoint,
    Record,
    Reread,
    SessionRecord,
    SkipRecord,
    TitleRecord,
    TurnRecord,
    Unreadable,
)
from hypothesis import given, settings
from hypothesis import strategies as st

CORPUS = Path(__file__).parent / "corpus" / "claude" / "projects"
FIXTURES = Path(__file__).parents[1].parent / "shared" / "fixtures" / "claude"
TEAPOT = CORPUS / "-home-mira-teapot"
KETTLE, FORK = "3f0c1a52-7d1e-4c8b-9a60-5b1f0e2d7c11", "3f0c1a52-0000-4fff-8000-00000000f0f0"
TIMER, POT = "b2a7c9e0-55aa-4d10-8e1f-0c9d8b7a6f5e", "c0ffee00-8a4b-4b7e-9d3c-2f6e5d4c3b2a"
PROBE, PROGRAM = "d0d0d0d0-0001-4000-8000-000000000001", "e1e1e1e1-0002-4000-8000-000000000002"
OLD, BARE = "0ld00000-0003-4000-8000-000000000003", "7a7a7a7a-0004-4000-8000-000000000004"
BAD, EMPTY = "bad00000-0005-4000-8000-000000000005", "bad00000-0006-4000-8000-000000000006"
CLAUDE = Claude()


# ---- records folded into what an index would hold ----


@dataclass
class Told:
    """What a file says in the end."""

    turns: dict[tuple[str, int], TurnRecord] = field(default_factory=dict)
    facts: dict[str, SessionRecord] = field(default_factory=dict)
    titles: list[TitleRecord] = field(default_factory=list)
    skips: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    checkpoints: list[Checkpoint] = field(default_factory=list)

    def add(self, record: Record) -> None:
        match record:
            case TurnRecord() if record.more:
                key = next(
                    k for k, t in self.turns.items() if (t.session, t.native_id) == (record.session, record.native_id)
                )
                self.turns[key] = replace(self.turns[key], text=f"{self.turns[key].text}\n\n{record.text}")
            case TurnRecord():
                assert (record.session, record.order) not in self.turns
                assert record.text.strip()
                self.turns[record.session, record.order] = record
            case SessionRecord():
                old = self.facts.get(record.session, SessionRecord(record.session))
                better = record.title is not None and record.title_rank >= old.title_rank
                self.facts[record.session] = SessionRecord(
                    record.session,
                    *((record.title, record.title_rank) if better else (old.title, old.title_rank)),
                    *(
                        getattr(record, f) or getattr(old, f)
                        for f in ("project", "branch", "model", "parent", "kind", "leaf")
                    ),
                )
            case TitleRecord():
                self.titles.append(record)
            case SkipRecord():
                self.skips[record.reason] += record.count
                self.examples.append(record.example)
            case Checkpoint():
                self.checkpoints.append(record)
            case _:
                raise AssertionError(record)

    def of(self, session: str) -> list[TurnRecord]:
        return sorted((t for t in self.turns.values() if t.session == session), key=lambda t: t.order)

    def said(self, session: str) -> list[tuple[str, str]]:
        return [(turn.role, turn.text) for turn in self.of(session)]

    def inactive(self, session: str) -> list[str]:
        turns, leaf = self.of(session), self.facts[session].leaf
        links = [Link(0, turn.order, turn.time, turn.native_id, turn.parent_id, False) for turn in turns]
        return [turn.text for turn, on in zip(turns, active(links, leaf), strict=True) if not on]

    @property
    def result(self) -> tuple[Any, ...]:
        """What must not depend on how a file was read."""
        skips = {reason: count for reason, count in self.skips.items() if reason != "unfinished-line"}
        return sorted(self.turns.items()), self.facts, self.titles, skips


def told(records: Iterable[Record]) -> Told:
    result = Told()
    for record in records:
        result.add(record)
    return result


def read(path: Path) -> Told:
    result = told(CLAUDE.read(path, None))
    assert [c.offset for c in result.checkpoints] == sorted(c.offset for c in result.checkpoints)
    assert result.checkpoints[-1].offset <= path.stat().st_size
    return result


def read_in_pieces(path: Path, data: bytes, cuts: Iterable[int], reread: list[int] | None = None) -> Told:
    """Reads `data` while it is being written to `path`, as far as each of `cuts`."""
    result, since = Told(), None
    for cut in [*cuts, len(data)]:
        path.write_bytes(data[:cut])
        try:
            for record in list(CLAUDE.read(path, since)):
                result.add(record)
        except Reread:
            if reread is not None:
                reread.append(cut)
            result = told(CLAUDE.read(path, None))
        assert since is None or result.checkpoints[-1].offset >= since.offset
        since = result.checkpoints[-1]
    return result


def line_ends(data: bytes) -> list[int]:
    return [i + 1 for i, byte in enumerate(data) if byte == 10]


def words(told: Told) -> str:
    return "\n".join(turn.text for turn in told.turns.values())


# ---- a session as Claude Code writes it ----


class Writing:
    """Builds a session file record by record."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.last: str | None = None
        self.clock = 0

    def time(self) -> str:
        self.clock += 1
        return f"2026-06-01T{self.clock // 3600:02d}:{self.clock // 60 % 60:02d}:{self.clock % 60:02d}.000Z"

    def record(self, kind: str, parent: str | None = "last", **more: Any) -> str:
        uuid = f"{len(self.rows):08x}-0000-4000-8000-000000000000"
        row = {
            "parentUuid": self.last if parent == "last" else parent,
            "isSidechain": False,
            "type": kind,
            "uuid": uuid,
        }
        self.rows.append({**row, "timestamp": self.time(), **more})
        if not more.get("isSidechain"):
            self.last = uuid
        return uuid

    def user(self, content: Any, parent: str | None = "last", **more: Any) -> str:
        return self.record("user", parent, message={"role": "user", "content": content}, **more)

    def reply(self, *texts: str, key: str | None = None, parent: str | None = "last", **more: Any) -> str:
        message = {"role": "assistant", "id": key, "content": [{"type": "text", "text": text} for text in texts]}
        return self.record("assistant", parent, message=message, **more)

    def tool(self, key: str | None = None, parent: str | None = "last") -> str:
        call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "true"}}
        return self.record("assistant", parent, message={"role": "assistant", "id": key, "content": [call]})

    def result(self, parent: str | None = "last") -> str:
        return self.user([{"type": "tool_result", "tool_use_id": "t", "content": "output"}], parent)

    def queued(self, text: str) -> str:
        return self.record("attachment", attachment={"type": "queued_command", "prompt": text, "commandMode": "prompt"})

    def meta(self, kind: str, **more: Any) -> None:
        self.rows.append({"type": kind, "timestamp": self.time(), **more})

    @property
    def data(self) -> bytes:
        return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in self.rows)

    def read(self, folder: Path) -> Told:
        path = folder / "session.jsonl"
        path.write_bytes(self.data)
        result = read(path)
        assert read_in_pieces(folder / "session.jsonl", self.data, line_ends(self.data)).result == result.result
        return result

    def texts(self, folder: Path) -> list[str]:
        return [text for _, text in self.read(folder).said("session")]


# ---- where sessions are ----


def test_the_roots_are_the_usual_places(tmp_path: Path) -> None:
    assert CLAUDE.roots(tmp_path, {}) == [
        tmp_path / ".claude" / "projects",
        tmp_path / ".config" / "claude" / "projects",
        tmp_path / ".config" / "Claude" / "local-agent-mode-sessions",
        tmp_path / "Library" / "Application Support" / "Claude" / "local-agent-mode-sessions",
        tmp_path / "AppData" / "Roaming" / "Claude" / "local-agent-mode-sessions",
    ]
    assert CLAUDE.roots(tmp_path, {"CLAUDE_CONFIG_DIR": ""}) == CLAUDE.roots(tmp_path, {})
    assert CLAUDE.roots(tmp_path, {"CLAUDE_CONFIG_DIR": " , "}) == CLAUDE.roots(tmp_path, {})


@pytest.mark.parametrize("separator", [",", os.pathsep, " , "])
def test_a_list_of_configuration_folders_gives_a_root_each(tmp_path: Path, separator: str) -> None:
    named = separator.join([str(tmp_path / "work"), "~/private", str(tmp_path / "work")])
    roots = CLAUDE.roots(tmp_path, {"CLAUDE_CONFIG_DIR": named})
    assert roots[:-3] == [tmp_path / "work" / "projects", tmp_path / "private" / "projects"]


def test_only_sessions_are_found() -> None:
    found = sorted(str(path.relative_to(CORPUS)) for path in CLAUDE.find(CORPUS) if isinstance(path, Path))
    assert f"-home-mira-teapot/{KETTLE}.jsonl" in found
    assert f"-home-mira-teapot/{KETTLE}/subagents/agent-a1c0ffee.jsonl" in found
    assert f"-home-mira-teapot/{KETTLE}/subagents/workflows/wf_review/agent-w0rk.jsonl" in found
    assert len(found) == 13
    assert not [name for name in found if "journal" in name or "tool-results" in name or "meta" in name]


def test_the_desktop_store_gives_only_what_lies_below_projects(tmp_path: Path) -> None:
    root = tmp_path / "local-agent-mode-sessions"
    session = root / "a" / "local_1" / ".claude" / "projects" / "-w" / "s.jsonl"
    session.parent.mkdir(parents=True)
    session.touch()
    (root / "a" / "local_1" / "audit.jsonl").touch()
    (session.parent / "local_2.json").touch()
    assert list(CLAUDE.find(root)) == [session]


def test_claude_desktop_titles_its_sessions_in_files_of_their_own(tmp_path: Path) -> None:
    root = tmp_path / "local-agent-mode-sessions"
    side = root / "a" / "b" / "local_1.json"
    side.parent.mkdir(parents=True)
    side.write_text('{"cliSessionId": "s1", "title": "Tea for the desktop", "systemPrompt": "x"}')
    assert list(CLAUDE.find(root)) == [side]
    titled = SessionRecord("s1", title="Tea for the desktop", title_rank=TITLE_GENERATED)
    assert list(CLAUDE.read(side, None)) == [titled, Checkpoint(side.stat().st_size)]
    with pytest.raises(Reread):
        list(CLAUDE.read(side, Checkpoint(3)))
    for text in ('{"cliSessionId": 7, "title": "x"}', '{"cliSessionId": "s1"}', '{"cliSessionId": "s1", "title": []}'):
        side.write_text(text)
        assert list(CLAUDE.read(side, None)) == [Checkpoint(len(text))]


@pytest.mark.parametrize("native_id", [KETTLE, "ses_1", "0"])
def test_a_session_can_be_resumed(native_id: str) -> None:
    assert CLAUDE.resume(native_id) == ["claude", "--resume", native_id]


@pytest.mark.parametrize(
    "native_id", ["", "-p", "--help", "agent-a1c0ffee", f"{OLD}.sidechain", "a b", "a\n", "$(x)", "x" * 129, "茶"]
)
def test_what_is_no_plain_session_id_cannot_be_resumed(native_id: str) -> None:
    assert CLAUDE.resume(native_id) is None


# ---- our own corpus ----


def test_an_ordinary_session() -> None:
    kettle = read(TEAPOT / f"{KETTLE}.jsonl")
    assert kettle.said(KETTLE) == [
        ("user", "The kettle endpoint returns 418 for every request since yesterday. Can you find out why?"),
        ("assistant", "I'll look at the route and at its test first."),
        ("assistant", "The guard compares the header with itself, so every request looks like coffee."),
        ("user", "also add a regression test, please"),
        ("assistant", "Fixed, and tests/test_kettle.py now covers the header.\n\nAll 41 tests pass."),
        ("user", "and bump the version"),
        ("assistant", "Bumped to 1.4.1."),
    ]
    assert kettle.inactive(KETTLE) == []
    assert not kettle.skips
    facts = kettle.facts[KETTLE]
    assert (facts.title, facts.title_rank) == ("Kettle endpoint answers 418", TITLE_GENERATED)
    assert (facts.project, facts.branch, facts.model) == ("/home/mira/teapot", "fix/kettle-418", "claude-sonnet-4-5")
    assert (facts.kind, facts.parent, facts.leaf) == ("main", None, kettle.of(KETTLE)[-1].native_id)
    first = kettle.of(KETTLE)[0]
    assert (first.time, first.quality, first.parent_id) == (1777885214572, "exact", None)
    assert all(
        turn.parent_id == before.native_id
        for before, turn in zip(kettle.of(KETTLE), kettle.of(KETTLE)[1:], strict=False)
    )


def test_a_fork_keeps_the_ids_of_what_it_copied() -> None:
    original, fork = read(TEAPOT / f"{KETTLE}.jsonl").of(KETTLE), read(TEAPOT / f"{FORK}.jsonl")
    assert [turn.native_id for turn in fork.of(FORK)[:3]] == [turn.native_id for turn in original[:3]]
    assert fork.of(FORK)[-1].text == "In the fork the guard is gone altogether."
    assert fork.facts[FORK].kind == "main"


def test_a_rewound_branch_is_inactive_and_compaction_is_not_a_branch() -> None:
    timer = read(TEAPOT / f"{TIMER}.jsonl")
    assert timer.inactive(TIMER) == ["Write it with threads.", "Here is a version with threads."]
    assert len(timer.of(TIMER)) == 14
    assert timer.skips == {"summary": 1}
    assert "being continued" not in words(timer)
    assert timer.facts[TIMER].leaf == timer.of(TIMER)[-1].native_id
    assert (timer.facts[TIMER].title, timer.facts[TIMER].title_rank) == ("Tea timer with a quiet bell", TITLE_SUMMARY)


def test_a_chinese_session_without_what_the_program_put_in() -> None:
    pot = read(CORPUS / "-home-mira----" / f"{POT}.jsonl")
    assert pot.said(POT) == [
        ("user", "/clear"),
        ("user", "为什么倒计时总是停在最后一分钟？"),
        ("assistant", "因为最后一次刷新被取消了。\n\n已经改好：计时器现在会走到零。"),
        ("user", "顺便把按钮的颜色改成绿色。"),
        ("assistant", "按钮现在是绿色的 🍵。"),
        ("user", "日志里有一行 <system-reminder> 标签，<system-reminder>这里</system-reminder>是什么意思？"),
        ("assistant", "那是程序自己加的提醒，不是你写的。"),
        ("user", "! git status --short"),
        ("user", "/review src/计时.py 请仔细看"),
        ("assistant", "看过了，没有别的问题。"),
        ("user", "再跑一遍测试"),
        ("assistant", "测试全部通过。"),
        ("user", "/rename 茶壶倒计时"),
    ]
    facts = pot.facts[POT]
    assert (facts.title, facts.title_rank) == ("茶壶倒计时", TITLE_GIVEN)
    assert (facts.project, facts.branch) == ("/home/mira/worktrees/茶壶-倒计时", "功能/倒计时")
    assert pot.inactive(POT) == []


def test_a_probe_of_bare_commands_gives_no_turn_and_no_session() -> None:
    probe = read(TEAPOT / f"{PROBE}.jsonl")
    assert not probe.turns
    assert not probe.facts


def test_a_session_that_a_program_drives_is_automated() -> None:
    assert read(TEAPOT / f"{PROGRAM}.jsonl").facts[PROGRAM].kind == "automated"


@pytest.mark.parametrize(
    ("file", "session", "parent"),
    [
        (f"{KETTLE}/subagents/agent-a1c0ffee", "agent-a1c0ffee", KETTLE),
        (f"{KETTLE}/subagents/workflows/wf_review/agent-w0rk", "agent-w0rk", KETTLE),
        ("agent-5eed5eed", "agent-5eed5eed", "9b1d6a00-1111-4222-8333-444455556666"),
    ],
)
def test_a_sub_agent_is_a_session_of_its_own(file: str, session: str, parent: str) -> None:
    agent = read(TEAPOT / f"{file}.jsonl")
    assert list(agent.facts) == [session]
    assert (agent.facts[session].kind, agent.facts[session].parent) == ("subagent", parent)
    assert len(agent.of(session)) == 2


def test_only_a_sub_agent_is_called_by_its_agents_name() -> None:
    agent = read(TEAPOT / KETTLE / "subagents" / "agent-a1c0ffee.jsonl")
    assert agent.facts["agent-a1c0ffee"].title == "Searcher of teapots"


def test_a_sub_agent_inside_its_parents_file_is_kept_apart() -> None:
    old = read(TEAPOT / f"{OLD}.jsonl")
    assert [text for _, text in old.said(OLD)] == [
        "Split the work: one agent counts cups.",
        "I am asking an agent to count.",
        "The agent counted twelve cups.",
    ]
    assert [text for _, text in old.said(f"{OLD}.sidechain")] == ["Count the cups.", "There are twelve cups."]
    assert old.inactive(OLD) == old.inactive(f"{OLD}.sidechain") == []
    aside = old.facts[f"{OLD}.sidechain"]
    assert (aside.kind, aside.parent, old.facts[OLD].kind) == ("subagent", OLD, "main")


def test_a_summary_of_another_session_is_a_title_for_whichever_holds_its_leaf() -> None:
    old, timer = read(TEAPOT / f"{OLD}.jsonl"), read(TEAPOT / f"{TIMER}.jsonl")
    leaf = timer.facts[TIMER].leaf
    assert leaf is not None
    assert old.titles == [TitleRecord(leaf, "Timer conversation, from long ago", TITLE_SUMMARY)]
    assert old.facts[OLD].title == "Teapots of old"


def test_records_without_ids_or_good_times_are_read_in_order() -> None:
    bare = read(TEAPOT / f"{BARE}.jsonl")
    assert [(t.role, t.native_id, t.parent_id, t.time, t.quality) for t in bare.of(BARE)] == [
        ("user", None, None, 1748772000000, "exact"),
        ("assistant", None, None, None, "none"),
    ]
    assert bare.checkpoints[-1].offset == (TEAPOT / f"{BARE}.jsonl").stat().st_size


def test_damage_costs_only_what_it_hit_and_is_counted() -> None:
    bad = read(TEAPOT / f"{BAD}.jsonl")
    assert [text for _, text in bad.said(BAD)] == [
        "First line behind a byte order mark.",
        "Glued before.",
        "Glued after.",
        "Broken bytes \ufffd\ufffd\ufffd in the middle.",
        "A raw control \x07\x1b character.",
        "A lone surrogate \ufffd here.",
        "Behind a run of zero bytes.",
        "Wrong types around good words.",
        "The last whole line.",
    ]
    assert bad.skips == {
        "not-json": 1,
        "unexpected-shape": 8,
        "unknown-type": 4,
        "unfinished-line": 1,
        "replaced-bytes": 1,
    }
    assert any(example.startswith("hologram at byte ") for example in bad.examples)
    assert bad.inactive(BAD) == []


def test_an_empty_file_gives_a_checkpoint() -> None:
    empty = read(TEAPOT / f"{EMPTY}.jsonl")
    assert [c.offset for c in empty.checkpoints] == [0]
    assert not empty.facts


# ---- rules, one by one ----


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("<system-reminder>a</system-reminder>", []),
        ("<system-reminder>a</system-reminder>\n<system-reminder>b</system-reminder>\nReal.", ["Real."]),
        ("  <system-reminder>a</system-reminder>Real.", ["Real."]),
        ("<ide_selection>code</ide_selection> Explain this.", ["Explain this."]),
        ("Why <system-reminder>x</system-reminder> here?", ["Why <system-reminder>x</system-reminder> here?"]),
        ("<system-reminder> is never closed here", ["<system-reminder> is never closed here"]),
        ("# AGENTS.md says no", ["# AGENTS.md says no"]),
        ("[Request interrupted by user for tool use]", []),
        ("Stop hook feedback:\nno", []),
        ("<local-command-stderr>no</local-command-stderr>", []),
        ("<bash-stdout>no</bash-stdout><bash-stderr></bash-stderr>", []),
        ("<task-notification>no</task-notification>", []),
        ("<bash-input>ls -la</bash-input>", ["! ls -la"]),
        ("<command-name>/model</command-name><command-args>opus</command-args>", ["/model opus"]),
        ("<command-name>fix</command-name><command-args>a\n  b</command-args>", ["/fix a\n  b"]),
        ("<command-message>x</command-message>", []),
        ("<command-name>/usage</command-name>", []),
        ("/usage", []),
        ("/usage now", ["/usage now"]),
        ("This session is being continued from a previous conversation that ran out.", []),
        ("", []),
        (" \n", []),
        (None, []),
        ([], []),
        ([{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}], ["One.\n\nTwo."]),
        (
            [{"type": "text", "text": "One."}, {"type": "text", "text": "<system-reminder>x</system-reminder>"}],
            ["One."],
        ),
        ([{"type": "image", "source": {"data": "QUJD"}}], []),
        ([{"type": "tool_result", "content": "no"}], []),
        ([{"type": "hologram", "text": "no"}, {"type": "text", "text": 5}, {"type": "text", "text": "Yes."}], ["Yes."]),
    ],
)
def test_what_a_person_said_in_a_user_record(tmp_path: Path, content: Any, said: list[str]) -> None:
    writing = Writing()
    writing.user(content)
    assert writing.texts(tmp_path) == said


@pytest.mark.parametrize(
    "more",
    [
        {"isMeta": True},
        {"isCompactSummary": True},
        {"origin": {"kind": "task-notification"}},
    ],
)
def test_a_user_record_that_is_marked_as_the_programs_is_not_said(tmp_path: Path, more: dict[str, Any]) -> None:
    writing = Writing()
    writing.user("not a person's words", **more)
    assert writing.texts(tmp_path) == []


@pytest.mark.parametrize(
    ("message", "more"),
    [
        ({"content": [{"type": "thinking", "thinking": "no"}]}, {}),
        ({"content": [{"type": "text", "text": "no"}], "model": "<synthetic>"}, {}),
        ({"content": [{"type": "text", "text": "no"}]}, {"isApiErrorMessage": True}),
        ({"content": [{"type": "text", "text": "(no content)"}]}, {}),
        ({"content": [{"type": "tool_use", "input": {"text": "no"}}]}, {}),
        ({"content": "  "}, {}),
    ],
)
def test_an_assistant_record_without_words(tmp_path: Path, message: dict[str, Any], more: dict[str, Any]) -> None:
    writing = Writing()
    writing.record("assistant", message=message, **more)
    assert writing.texts(tmp_path) == []


def test_a_synthetic_model_is_no_model(tmp_path: Path) -> None:
    writing = Writing()
    writing.record("assistant", message={"content": "Yes.", "model": "claude-x"})
    writing.record("assistant", message={"content": "Error", "model": "<synthetic>"})
    assert writing.read(tmp_path).facts["session"].model == "claude-x"


def test_bare_commands_appear_once_something_is_said_after_them(tmp_path: Path) -> None:
    writing = Writing()
    first = writing.user("<command-name>/usage</command-name>")
    writing.user("<local-command-stdout>x</local-command-stdout>")
    second = writing.user("<command-name>/clear</command-name>")
    assert writing.texts(tmp_path) == []
    third = writing.user("Now then.")
    told = writing.read(tmp_path)
    assert [(t.text, t.native_id, t.parent_id) for t in told.of("session")] == [
        ("/usage", first, None),
        ("/clear", second, first),
        ("Now then.", third, second),
    ]
    writing.user("<command-name>/exit</command-name>")
    told = writing.read(tmp_path)
    assert len(told.of("session")) == 3
    assert told.facts["session"].leaf == third


def test_a_reply_on_many_lines_is_one_turn(tmp_path: Path) -> None:
    writing = Writing()
    writing.user("Go.")
    first = writing.reply("One.", key="m")
    writing.tool(key="m")
    writing.result()
    writing.reply("Two.", key="m")
    writing.reply("One.", "Two.", "Three.", key="m")
    writing.user("Thanks.")
    told = writing.read(tmp_path)
    assert told.said("session") == [("user", "Go."), ("assistant", "One.\n\nTwo.\n\nThree."), ("user", "Thanks.")]
    assert told.of("session")[2].parent_id == told.of("session")[1].native_id == first


@pytest.mark.parametrize(
    ("before", "after", "whole"),
    [
        ("Looking at", "Looking at the file", "Looking at\n\nthe file"),
        ("Looking at the fi", "Looking at the file", "Looking at the fi\n\nfile"),
        ("I", "It works", "I\n\nIt works"),
        ("先看日志。再", "先看日志。再看配置。", "先看日志。再\n\n再看配置。"),
        ("Same", "Same", "Same"),
    ],
)
def test_a_reply_that_is_written_again_longer_adds_what_is_new(
    tmp_path: Path, before: str, after: str, whole: str
) -> None:
    writing = Writing()
    writing.reply(before, key="m")
    writing.reply(after, key="m")
    assert writing.texts(tmp_path) == [whole]


def test_parallel_tool_calls_make_nothing_inactive(tmp_path: Path) -> None:
    writing = Writing()
    writing.user("Go.")
    writing.reply("Working.", key="m")
    one = writing.tool(key="m")
    two = writing.tool(key="m")
    writing.reply("Still the same reply.", key="m")
    writing.result(one)
    writing.result(two)
    writing.reply("Done.", key="n", parent=one)
    told = writing.read(tmp_path)
    assert len(told.of("session")) == 3
    assert told.inactive("session") == []


def test_a_prompt_between_two_lines_of_a_reply_stays_active(tmp_path: Path) -> None:
    writing = Writing()
    writing.user("Go.")
    writing.reply("One.", key="m")
    writing.result()
    writing.queued("Hurry.")
    writing.reply("Two.", key="m")
    writing.user("Next.")
    told = writing.read(tmp_path)
    assert [text for _, text in told.said("session")] == ["Go.", "One.\n\nTwo.", "Hurry.", "Next."]
    assert told.inactive("session") == []


def test_a_record_without_text_that_starts_a_new_branch_moves_the_leaf(tmp_path: Path) -> None:
    writing = Writing()
    writing.user("Go.")
    reply = writing.reply("First.")
    writing.user("Wrong way.")
    writing.reply("Indeed.")
    writing.user([{"type": "image", "source": {}}], parent=reply)
    assert writing.read(tmp_path).inactive("session") == ["Wrong way.", "Indeed."]


def test_late_notes_of_an_abandoned_branch_do_not_bring_it_back(tmp_path: Path) -> None:
    writing = Writing()
    start = writing.reply("First.")
    old = writing.user("Wrong way.")
    writing.user("Right way.", parent=start)
    writing.record("system", old, subtype="turn_duration")
    writing.record("attachment", old, attachment={"type": "task_reminder"})
    assert writing.read(tmp_path).inactive("session") == ["Wrong way."]


def test_a_record_written_twice_is_one_turn_and_no_new_leaf(tmp_path: Path) -> None:
    writing = Writing()
    for text in ("One.", "Two.", "Three."):
        writing.user(text)
    writing.rows += writing.rows[:2]
    told = writing.read(tmp_path)
    assert [text for _, text in told.said("session")] == ["One.", "Two.", "Three."]
    assert told.inactive("session") == []


def test_a_boundary_follows_its_logical_parent(tmp_path: Path) -> None:
    writing = Writing()
    one = writing.user("One.")
    writing.user("Two.")
    writing.record("system", None, subtype="compact_boundary", logicalParentUuid=one)
    writing.user("Three.")
    assert writing.read(tmp_path).inactive("session") == ["Two."]


def test_a_record_that_names_itself_as_parent_makes_no_cycle(tmp_path: Path) -> None:
    writing = Writing()
    writing.user("One.")
    writing.user("Two.", parent="00000001-0000-4000-8000-000000000000")
    told = writing.read(tmp_path)
    assert told.of("session")[1].parent_id == told.of("session")[0].native_id


@pytest.mark.parametrize("order", ["remove, record", "record, remove", "remove", "record", "both twice"])
def test_a_steering_prompt_comes_out_once(tmp_path: Path, order: str) -> None:
    writing = Writing()
    writing.user("Go.")
    writing.reply("Going.")
    texts = ["stop"] if order != "both twice" else ["stop", "wait"]
    for text in texts:
        writing.meta("queue-operation", operation="enqueue", content=text)
    for text in texts:
        if order in ("remove, record", "remove", "both twice"):
            writing.meta("queue-operation", operation="remove", content=text)
    uuids = [writing.queued(text) for text in texts if order != "remove"]
    if order == "record, remove":
        writing.meta("queue-operation", operation="remove", content="stop")
    writing.reply("Stopped.")
    told = writing.read(tmp_path)
    assert [text for _, text in told.said("session")] == ["Go.", "Going.", *texts, "Stopped."]
    assert [t.native_id for t in told.of("session")[2:-1]] == (uuids or [None])
    assert told.inactive("session") == []


def test_the_same_words_steered_again_later_are_said_again(tmp_path: Path) -> None:
    writing = Writing()
    for _ in range(2):
        writing.meta("queue-operation", operation="remove", content="continue")
        writing.reply("Going on.")
    writing.user("continue")
    assert writing.texts(tmp_path) == ["continue", "Going on.", "continue", "Going on.", "continue"]


def test_what_was_taken_back_or_is_still_queued_is_not_said(tmp_path: Path) -> None:
    writing = Writing()
    writing.user("Go.")
    writing.meta("queue-operation", operation="enqueue", content="one")
    writing.meta("queue-operation", operation="popAll", content="one")
    writing.meta("queue-operation", operation="remove", content="<task-notification>x</task-notification>")
    writing.meta("queue-operation", operation="remove", content={"a": 1})
    told = writing.read(tmp_path)
    assert words(told) == "Go."
    assert told.skips == {"unexpected-shape": 1}


@pytest.mark.parametrize(
    "attachment",
    [
        {"type": "queued_command", "prompt": "no", "commandMode": "task-notification"},
        {"type": "queued_command", "prompt": "no", "origin": {"kind": "task-notification"}},
        {"type": "queued_command", "prompt": "<task-notification>no</task-notification>"},
        {"type": "queued_command", "prompt": "no", "isMeta": True},
        {"type": "queued_command"},
        {"type": "nested_memory", "prompt": "no", "content": {"content": "no"}},
        None,
    ],
)
def test_an_attachment_that_is_no_prompt(tmp_path: Path, attachment: Any) -> None:
    writing = Writing()
    writing.record("attachment", attachment=attachment)
    assert writing.texts(tmp_path) == []


@pytest.mark.parametrize(
    ("records", "kind"),
    [
        ([{"entrypoint": "cli"}], "main"),
        ([{"entrypoint": "sdk-ts"}], "automated"),
        ([{"entrypoint": "sdk-cli"}, {"entrypoint": "cli", "promptSource": "typed"}], "main"),
        ([{"entrypoint": "cli", "promptSource": "sdk"}], "automated"),
        ([{"entrypoint": "sdk-py", "promptSource": "typed"}], "main"),
        ([{"sessionKind": "bg", "promptSource": "typed"}], "main"),
    ],
)
def test_who_started_a_session(tmp_path: Path, records: list[dict[str, str]], kind: str) -> None:
    writing = Writing()
    for more in records:
        writing.user("Do something.", **more)
    assert writing.read(tmp_path).facts["session"].kind == kind


def test_a_given_title_outranks_the_others_whenever_it_comes(tmp_path: Path) -> None:
    writing = Writing()
    writing.user("Go.")
    writing.meta("custom-title", customTitle="Given")
    writing.meta("ai-title", aiTitle="Generated")
    writing.meta("ai-title", aiTitle=None)
    writing.meta("agent-name", agentName="Agent")
    writing.meta("custom-title", customTitle=" ")
    facts = writing.read(tmp_path).facts["session"]
    assert (facts.title, facts.title_rank) == ("Given", TITLE_GIVEN)


def test_a_summary_belongs_to_the_session_that_holds_its_leaf_even_if_that_is_no_turn(tmp_path: Path) -> None:
    writing = Writing()
    writing.user("Go.")
    leaf = writing.tool()
    writing.meta("summary", summary="Here", leafUuid=leaf)
    writing.meta("summary", summary="Elsewhere", leafUuid="other")
    told = writing.read(tmp_path)
    assert (told.facts["session"].title, told.titles) == ("Here", [TitleRecord("other", "Elsewhere", TITLE_SUMMARY)])


def test_a_session_without_a_working_directory_has_no_project(tmp_path: Path) -> None:
    writing = Writing()
    writing.user("Go.", gitBranch="HEAD")
    facts = writing.read(tmp_path).facts["session"]
    assert (facts.project, facts.branch) == (None, None)


def test_each_unknown_type_is_counted_once_in_a_pass(tmp_path: Path) -> None:
    writing = Writing()
    for kind in ("hologram", "hologram", "tea"):
        writing.meta(kind)
    skips = [r for r in CLAUDE.read(write(tmp_path, writing), None) if isinstance(r, SkipRecord)]
    assert skips == [
        SkipRecord("unknown-type", "hologram at byte 0", 2),
        SkipRecord("unknown-type", f"tea at byte {line_ends(writing.data)[1]}", 1),
    ]


def test_a_file_of_side_records_only_is_a_sub_agents_until_it_turns_out_otherwise(tmp_path: Path) -> None:
    writing = Writing()
    writing.user("Warmup", parent=None, isSidechain=True, sessionId="parent", agentId="a")
    assert writing.read(tmp_path).facts == {
        "session": SessionRecord(
            "session", parent="parent", kind="subagent", leaf="00000000-0000-4000-8000-000000000000"
        )
    }
    writing.user("And now the person.", parent=None)
    reread: list[int] = []
    told = read_in_pieces(tmp_path / "session.jsonl", writing.data, line_ends(writing.data), reread)
    assert reread
    assert told.result == writing.read(tmp_path).result
    assert set(told.facts) == {"session", "session.a"}


def test_a_folder_named_subagents_above_the_store_means_nothing(tmp_path: Path) -> None:
    path = tmp_path / "subagents" / ".claude" / "projects" / "-w" / "s.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text('{"type":"user","message":{"content":"Hello."}}\n')
    assert read(path).facts["s"].kind == "main"


def test_a_file_name_that_is_no_text_makes_a_session_that_can_be_stored(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.jsonl"))
    try:
        path.write_text('{"type":"user","message":{"content":"Hello."}}\n')
    except OSError:
        pytest.skip("this file system only takes text")
    assert list(read(path).facts) == ["\ufffd"]


# ---- files from elsewhere ----

YOU, IT = "user", "assistant"
SEEN: dict[str, tuple[list[tuple[str, str]], list[str]]] = {
    "as_large": (
        [(YOU, "Start"), (IT, "Ok, running."), (IT, "Continuing."), (YOU, "Step 1"), (IT, "Ok"), (YOU, "Step 2"),
         (IT, "Ok"), (YOU, "Step 3"), (IT, "Ok")],
        [],
    ),
    "as_schema_drift": ([(YOU, "Open README"), (IT, "Read README and extracted")], []),
    "as_small_all_record_types": (
        [(IT, "Listing the files."), (YOU, "[trimmed for fixture]"), (YOU, "[trimmed for fixture]")],
        [],
    ),
    "as_subagent/0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f": ([(YOU, "Delegate a repo"), (IT, "Spawning a subagent.")], []),
    "as_subagent/0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f/subagents/agent-a0ad4f44468bdf20d": (
        [(YOU, "Search the repo for TODO"), (IT, "Searching.")],
        [],
    ),
    "av_queued_system_messages": ([(YOU, "Your final response is")], []),
    "av_tool_call_pending": ([(YOU, "Read auth.ts"), (IT, "Reading the file...")], []),
    "av_truncated": ([(YOU, "hello"), (IT, "Hi there")], []),
    "av_valid_session": (
        [(YOU, "Fix the login bug"), (IT, "Looking at the auth"), (YOU, "That looks right"), (IT, "Applied the fix.")],
        [],
    ),
    "ccl_dag_compact_after_rewind": (
        [(YOU, "Start"), (IT, "Ready"), (YOU, "First attempt"), (IT, "First answer"), (YOU, "Second attempt"),
         (IT, "Second answer"), (YOU, "Keep going"), (IT, "Kept going"), (YOU, "After compaction"), (IT, "Final")],
        ["First attempt", "First answer"],
    ),
    "ccl_dag_compact_after_rewind_preserved": (
        [(YOU, "Start"), (IT, "Ready"), (YOU, "First attempt"), (IT, "First answer"), (YOU, "Second attempt"),
         (IT, "Second answer"), (YOU, "Keep going"), (IT, "Kept going"), (YOU, "After compaction"), (IT, "Final")],
        ["First attempt", "First answer"],
    ),
    "ccl_edge_cases": (
        [(YOU, "Here's a message with some"), (IT, "Great example!"), (YOU, "Let's test a very long"),
         (YOU, "/test-command --verbose"), (IT, "I see the long"), (YOU, "Testing special characters")],
        [],
    ),
    "ccl_representative_messages": (
        [(YOU, "Hello Claude!"), (IT, "I'd be happy"), (YOU, "Great! Can you"), (IT, "Perfect! I've created"),
         (YOU, "Can you run"), (IT, "Perfect! As you"), (YOU, "This is really")],
        [],
    ),
    "ccl_session_b": ([(YOU, "This is from a different"), (IT, "Indeed!"), (YOU, "Perfect!")], []),
    "ccl_session_id_steering_order": (
        [(YOU, "Please start the migration."), (IT, "Starting the migration"), (YOU, "actually — focus on"),
         (YOU, "Here is the extra context"), (IT, "Understood — parser first")],
        [],
    ),
    "ccl_todowrite_examples": (
        [(YOU, "Can you help me implement"), (IT, "I'll help you"), (IT, "Great! Now let me"),
         (YOU, "Can you add a task"), (IT, "Absolutely!")],
        [],
    ),
    "ccr_agent-session": ([(YOU, "Warmup"), (IT, "I'm ready to help!")], []),
    "ccr_no-summary": ([(YOU, "test message"), (IT, "response")], []),
    "ccr_sample": ([(YOU, "test message"), (IT, "response")], []),
    "cct_session": (
        [(YOU, "Hello, please read"), (IT, "This is a very"), (YOU, "Now run a command"), (IT, "Short response")],
        [],
    ),
    "deja_session": ([(YOU, "inspect the registry"), (IT, "the fixture has")], []),
    "own_fork_pair/aaaaaaaa-0000-4000-8000-000000000001": (
        [(YOU, "用 ripgrep 找出所有调用"), (IT, "共有三处调用"), (YOU, "看这张截图")],
        [],
    ),
    "own_fork_pair/bbbbbbbb-0000-4000-8000-000000000002": (
        [(YOU, "用 ripgrep 找出所有调用"), (IT, "共有三处调用"), (YOU, "看这张截图"), (IT, "Fork-only answer:")],
        [],
    ),
    "own_injected_wrappers": (
        [(YOU, "/clear"), (YOU, "Why does the retry loop"), (YOU, "Also rename the flag."), (YOU, "and run the tests")],
        [],
    ),
    "recall_session": (
        [(YOU, "hello world"), (IT, "Hi there!"), (YOU, "fix the authentication bug"), (IT, "I'll fix")],
        [],
    ),
    "sw_sample_session": (
        [(YOU, "Create a hello world"), (IT, "I'll create that"), (YOU, "Now add a goodbye"), (IT, "Done!")],
        [],
    ),
}  # fmt: skip
seen_elsewhere = pytest.mark.skipif(not FIXTURES.is_dir(), reason="no files from elsewhere here")


@seen_elsewhere
def test_every_file_from_elsewhere_has_its_expectation() -> None:
    assert sorted(str(path.relative_to(FIXTURES).with_suffix("")) for path in FIXTURES.rglob("*.jsonl")) == sorted(SEEN)


@seen_elsewhere
@pytest.mark.parametrize("name", sorted(SEEN))
def test_a_file_from_elsewhere(name: str, tmp_path: Path) -> None:
    path = FIXTURES / f"{name}.jsonl"
    session, (expected, off) = path.stem, SEEN[name]
    result = read(path)
    said = result.said(session)
    assert [role for role, _ in said] == [role for role, _ in expected]
    for (_, text), (_, begin) in zip(said, expected, strict=True):
        assert text.startswith(begin)
    assert result.inactive(session) == off
    copy = tmp_path / path.relative_to(FIXTURES)
    copy.parent.mkdir(parents=True, exist_ok=True)
    data = path.read_bytes()
    assert read_in_pieces(copy, data, line_ends(data)).result == result.result


@seen_elsewhere
def test_the_union_of_all_record_types_loses_nothing_but_one_summary() -> None:
    union = read(FIXTURES / "as_small_all_record_types.jsonl")
    assert union.skips == {"summary": 1}
    assert [t for _, t in union.said("as_small_all_record_types.sidechain")] == [
        "Hello",
        "I'll list files.",
        "Done.",
        "Partial reply",
    ]
    facts = union.facts["as_small_all_record_types"]
    assert (facts.title, facts.project) == ("Stage0 small fixture", "/tmp/repo/worktrees/example")  # noqa: S108


@pytest.mark.parametrize(
    ("body", "needle"),
    [
        (
            b'{"type":"user","uuid":"u1","message":{"role":"user","content":"okapi needle"}}\n{"type":"assis',
            "okapi needle",
        ),
        (b'\xff\xfe\x00garbage\x00\n{"type":"user","message":{"content":"pangolin needle"}}\n', "pangolin needle"),
    ],
)
def test_a_torn_tail_or_a_first_line_that_is_no_text_hides_nothing(tmp_path: Path, body: bytes, needle: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(body)
    assert words(read(path)) == needle


# ---- reading on ----


def write(folder: Path, writing: Writing) -> Path:
    path = folder / "session.jsonl"
    path.write_bytes(writing.data)
    return path


@pytest.mark.parametrize("path", sorted(CORPUS.rglob("*.jsonl")), ids=lambda path: path.stem[:8])
def test_reading_line_by_line_gives_what_reading_at_once_gives(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "projects" / path.relative_to(CORPUS)
    copy.parent.mkdir(parents=True)
    data = path.read_bytes()
    assert read_in_pieces(copy, data, line_ends(data)).result == read(path).result


def test_a_file_cut_at_any_byte_reads_on_to_the_same_end(tmp_path: Path) -> None:
    for name, step in ((OLD, 5), (BAD, 11), (BARE, 1)):
        path, data = tmp_path / f"{name}.jsonl", (TEAPOT / f"{name}.jsonl").read_bytes()
        whole = read(TEAPOT / f"{name}.jsonl").result
        for cut in range(0, len(data), step):
            assert read_in_pieces(path, data, [cut]).result == whole, cut


@settings(max_examples=60)
@given(data=st.data())
def test_a_file_in_any_pieces_reads_to_the_same_end(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = data.draw(st.sampled_from(sorted(CORPUS.rglob("*.jsonl"))))
    copy = tmp_path_factory.mktemp("pieces") / path.relative_to(CORPUS)
    copy.parent.mkdir(parents=True)
    content = path.read_bytes()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(content)), max_size=6)))
    assert read_in_pieces(copy, content, cuts).result == read(path).result


MOVES = (
    "user", "same", "reply", "grow", "tool", "result", "remove", "queued", "bare", "copy", "rewind", "orphan", "root",
    "boundary", "title", "aside", "summary", "unknown", "meta",
)  # fmt: skip


def any_session(moves: Sequence[str], chance: random.Random) -> Writing:
    """A session in which anything may follow anything."""
    writing = Writing()
    text = "nothing"
    for number, move in enumerate(moves):
        key = f"m{chance.randrange(max(1, number // 3), number // 3 + 2)}"
        uuids = [row["uuid"] for row in writing.rows if "uuid" in row and not row["isSidechain"]]
        match move:
            case "user":
                text = f"prompt {number}"
                writing.user(text)
            case "same" | "queued":
                writing.queued(text)
            case "reply":
                writing.reply(f"answer {number}", key=key)
            case "grow":
                writing.reply(f"answer {number - 1}", f"answer {number - 1} and more {number}", key=key)
            case "tool":
                writing.tool(key)
            case "result":
                writing.result()
            case "remove":
                text = chance.choice([text, f"steer {number}"])
                writing.meta("queue-operation", operation="remove", content=text)
            case "bare":
                writing.user("<command-name>/status</command-name>")
            case "copy" if writing.rows:
                writing.rows.append(chance.choice(writing.rows))
            case "rewind" if uuids:
                writing.user(f"again {number}", parent=chance.choice(uuids))
            case "orphan":
                writing.user(f"orphan {number}", parent="ffffffff-0000-4000-8000-000000000000")
            case "root":
                writing.user(f"root {number}", parent=None)
            case "boundary" if uuids:
                writing.record("system", None, subtype="compact_boundary", logicalParentUuid=chance.choice(uuids))
            case "title":
                writing.meta("ai-title", aiTitle=f"title {number}")
            case "aside":
                agent = f"a{chance.randrange(4)}"
                parent = chance.choice([None, *(r["uuid"] for r in writing.rows if r.get("agentId") == agent)])
                writing.user(f"aside {number}", parent, isSidechain=True, agentId=agent)
            case "summary" if uuids:
                writing.meta("summary", summary=f"summary {number}", leafUuid=chance.choice(uuids))
            case "unknown":
                writing.meta("hologram")
            case _:
                writing.meta("mode", mode="normal")
    return writing


@settings(max_examples=60)
@given(
    moves=st.lists(st.sampled_from(MOVES), max_size=40),
    chance=st.randoms(use_true_random=False),
    kept=st.sampled_from([2, 5, 64]),
)
def test_any_session_in_any_pieces_reads_to_the_same_end(
    moves: list[str], chance: random.Random, kept: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    data = any_session(moves, chance).data
    path = tmp_path_factory.mktemp("any") / "session.jsonl"
    ends = line_ends(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(claude_thread, "KEPT_LINKS", kept)
        patch.setattr(claude_thread, "KEPT_THREADS", 3)
        pieces = read_in_pieces(path, data, sorted(chance.sample(ends, min(len(ends), chance.randrange(6)))))
        whole = read(path)
    assert pieces.result == whole.result
    for session, facts in whole.facts.items():
        ids = {turn.native_id for turn in whole.of(session)}
        assert facts.leaf is None or facts.leaf in ids
        assert all(turn.parent_id is None or turn.parent_id in ids for turn in whole.of(session))


def test_a_long_session_keeps_a_small_state_and_is_rarely_read_again(tmp_path: Path) -> None:
    writing = Writing()
    for number in range(400):
        writing.user(f"question {number} about tea")
        writing.reply(f"answer {number} about tea", key=f"m{number}")
        writing.tool(f"m{number}")
        writing.result()
    reread: list[int] = []
    ends = line_ends(writing.data)
    told = read_in_pieces(tmp_path / "session.jsonl", writing.data, ends[::97], reread)
    assert told.result == read(write(tmp_path, writing)).result
    assert reread == []
    assert len(told.of("session")) == 800
    assert max(len(checkpoint.state) for checkpoint in told.checkpoints) < 4_000


def test_a_rewind_to_what_the_state_forgot_reads_the_file_again(tmp_path: Path) -> None:
    writing = Writing()
    first = writing.user("The start.")
    for number in range(100):
        writing.user(f"step {number}")
    cut = len(writing.data)
    writing.user("Back to the start.", parent=first)
    path = write(tmp_path, writing)
    path.write_bytes(writing.data[:cut])
    since = told(CLAUDE.read(path, None)).checkpoints[-1]
    path.write_bytes(writing.data)
    with pytest.raises(Reread):
        list(CLAUDE.read(path, since))
    assert len(read(path).inactive("session")) == 100


def test_a_copy_of_what_the_state_forgot_is_not_said_twice(tmp_path: Path) -> None:
    writing = Writing()
    for number in range(100):
        writing.user(f"step {number}")
    cut = len(writing.data)
    writing.rows.append(writing.rows[3])
    told = read_in_pieces(tmp_path / "session.jsonl", writing.data, [cut])
    assert len(told.of("session")) == 100


def test_a_file_of_many_lines_has_checkpoints_on_its_way(tmp_path: Path) -> None:
    writing = Writing()
    for number in range(4_500):
        writing.user(f"line {number}")
    path = write(tmp_path, writing)
    records = list(CLAUDE.read(path, None))
    places = [i for i, record in enumerate(records) if isinstance(record, Checkpoint)]
    assert len(places) == 3
    checkpoint = records[places[0]]
    assert isinstance(checkpoint, Checkpoint)
    resumed = told([*records[: places[0] + 1], *CLAUDE.read(path, checkpoint)])
    assert resumed.result == told(records).result


def test_the_state_holds_no_words(tmp_path: Path) -> None:
    writing = Writing()
    writing.user("a secret kettle")
    writing.reply("a secret answer", key="m")
    writing.meta("custom-title", customTitle="a secret title")
    writing.meta("queue-operation", operation="remove", content="a secret order")
    state = zstandard.decompress(read(write(tmp_path, writing)).checkpoints[-1].state)
    assert b"secret" not in state
    assert msgspec.msgpack.decode(state)


@pytest.mark.parametrize("state", [b"", b"nonsense", zstandard.compress(b"\xc1")])
def test_a_state_that_is_not_ours_reads_the_file_again(state: bytes) -> None:
    with pytest.raises(Reread):
        list(CLAUDE.read(TEAPOT / f"{KETTLE}.jsonl", Checkpoint(100, state)))


def test_a_file_that_became_shorter_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / f"{KETTLE}.jsonl"
    shutil.copy(TEAPOT / f"{KETTLE}.jsonl", path)
    since = read(path).checkpoints[-1]
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(Reread):
        list(CLAUDE.read(path, since))


def test_reading_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    shutil.copy(TEAPOT / f"{KETTLE}.jsonl", path)
    os.utime(path, ns=(10**18, 10**18))
    path.chmod(0o400)
    before = path.stat()
    read(path)
    after = path.stat()
    assert (before.st_mtime_ns, before.st_ctime_ns, before.st_size) == (
        after.st_mtime_ns,
        after.st_ctime_ns,
        after.st_size,
    )
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["home", "s.jsonl"]


# ---- damage ----


def survives(path: Path) -> None:
    """Reading fails only in the ways it may, and every checkpoint is a place in the file."""
    try:
        result = read(path)
    except Unreadable:
        return
    with suppress(Reread):
        list(CLAUDE.read(path, result.checkpoints[-1]))


@settings(max_examples=50)
@given(chance=st.randoms(use_true_random=False))
def test_random_damage_to_the_bytes_of_a_file_is_survived(
    chance: random.Random, tmp_path_factory: pytest.TempPathFactory
) -> None:
    data = bytearray(chance.choice(sorted(CORPUS.rglob("*.jsonl"))).read_bytes())
    for _ in range(chance.randrange(1, 12)):
        place = chance.randrange(len(data) + 1)
        match chance.randrange(5):
            case 0:
                data[place : place + 1] = bytes([chance.randrange(256)])
            case 1:
                del data[place : place + chance.randrange(200)]
            case 2:
                data[place:place] = chance.choice([b"\n", b"\0" * 9, b"{", b'"', b"\xff", b"[" * 2000, b"\xe2\x80\xa8"])
            case 3:
                data[place:place] = data[chance.randrange(len(data) + 1) :][:300]
            case _:
                data = data.replace(b"\n", b"", 1)
    path = tmp_path_factory.mktemp("bytes") / "s.jsonl"
    path.write_bytes(data)
    survives(path)


ODD = [
    None,
    True,
    0,
    -1,
    2**70,
    1.5,
    1e308,
    "",
    "x",
    "\x00",
    "\N{REPLACEMENT CHARACTER}",
    [],
    [[]],
    {},
    {"type": "text"},
]


def swapped(value: Any, chance: random.Random) -> Any:
    """`value` with one thing somewhere inside it replaced."""
    if isinstance(value, dict) and value and chance.random() < 0.85:
        key = chance.choice(list(value))
        return {**value, key: swapped(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.85:
        place = chance.randrange(len(value))
        return [*value[:place], swapped(value[place], chance), *value[place + 1 :]]
    return chance.choice(ODD)


@settings(max_examples=50)
@given(chance=st.randoms(use_true_random=False))
def test_values_of_the_wrong_type_cost_only_their_record(
    chance: random.Random, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = chance.choice(
        [TEAPOT / f"{KETTLE}.jsonl", TEAPOT / f"{TIMER}.jsonl", CORPUS / "-home-mira----" / f"{POT}.jsonl"]
    )
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for _ in range(chance.randrange(1, 4)):
        place = chance.randrange(len(rows))
        rows[place] = swapped(rows[place], chance)
    rows.append({"type": "user", "uuid": "end", "message": {"content": "The end is still heard."}})
    damaged = tmp_path_factory.mktemp("types") / "s.jsonl"
    damaged.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    survives(damaged)
    result = read(damaged)
    assert result.of("s")[-1].text == "The end is still heard."
    assert len(result.of("s")) >= len(read(path).turns) - 3


@settings(max_examples=60)
@given(chance=st.randoms(use_true_random=False))
def test_glued_and_repeated_lines_lose_and_double_nothing(
    chance: random.Random, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = chance.choice([TEAPOT / f"{TIMER}.jsonl", CORPUS / "-home-mira----" / f"{POT}.jsonl"])
    lines = path.read_bytes().splitlines()
    data = b""
    for line in lines:
        data += line * chance.choice([1, 1, 1, 2]) + chance.choice([b"\n", b"\n", b"", b"\r\n\n"])
    copy = tmp_path_factory.mktemp("glued") / path.name
    copy.write_bytes(data)
    result, whole = read(copy), read(path)
    assert result.said(path.stem) == whole.said(path.stem)
    assert result.inactive(path.stem) == whole.inactive(path.stem)


def test_a_file_that_is_no_jsonl_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"<html>\n" * 100)
    with pytest.raises(Unreadable, match="not-jsonl"):
        list(CLAUDE.read(path, None))
