"""Codex rollouts of every generation, read whole, in pieces and damaged."""

from __future__ import annotations

import copy
import json
import os
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import zstandard
from harkback.adapters.codex import BETWEEN_CHECKPOINTS, Codex
from harkback.adapters.codex_text import prompt
from harkback.adapters.codex_turns import HOLD, USERS_KEPT
from harkback.adapters.json_lines import LINE_LIMIT
from harkback.core.model import (
    TITLE_GENERATED,
    TITLE_GIVEN,
    Adapter,
    Checkpoint,
    CutRecord,
    Record,
    Reread,
    SessionRecord,
    SkipRecord,
    TurnRecord,
    UndoRecord,
    Unreadable,
)
from hypothesis import example, given, settings
from hypothesis import strategies as st

CODEX: Adapter = Codex()
CORPUS = Path(__file__).parent / "corpus" / "codex"
FIXTURES = Path(__file__).parents[1].parent / "shared" / "fixtures" / "codex"
ROLLOUTS = sorted(path for path in CORPUS.rglob("*.jsonl") if path.parent != CORPUS)
needs_fixtures = pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared fixtures are not here")


# ---- Reading as the engine would ----


@dataclass
class Told:
    """What records add up to."""

    turns: list[TurnRecord] = field(default_factory=list)
    undos: set[UndoRecord] = field(default_factory=set)
    cuts: list[CutRecord] = field(default_factory=list)
    facts: dict[str, SessionRecord] = field(default_factory=dict)
    skips: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    checkpoints: list[Checkpoint] = field(default_factory=list)

    def take(self, records: Iterable[Record]) -> Told:
        for record in records:
            match record:
                case TurnRecord():
                    self.turns.append(record)
                case UndoRecord():
                    self.undos.add(record)
                case CutRecord():
                    self.cuts.append(record)
                case SessionRecord():
                    self._learn(record)
                case SkipRecord():
                    self.skips[record.reason] += record.count
                    self.examples.append(record.example)
                case Checkpoint():
                    self.checkpoints.append(record)
                case _:
                    pytest.fail(f"Codex has no {record}")
        return self

    def _learn(self, record: SessionRecord) -> None:
        old = self.facts.get(record.session, SessionRecord(record.session))
        new = {
            name: value for name in ("project", "branch", "model", "parent", "kind") if (value := getattr(record, name))
        }
        if record.title and record.title_rank >= old.title_rank:
            new |= {"title": record.title, "title_rank": record.title_rank}
        self.facts[record.session] = replace(old, **new)

    @property
    def standing(self) -> list[TurnRecord]:
        undone = [turn for turn in self.turns if any(u.since <= turn.order < u.until for u in self.undos)]
        return sorted((turn for turn in self.turns if turn not in undone), key=lambda turn: turn.order)

    @property
    def dialog(self) -> list[tuple[str, str]]:
        return [(turn.role[0], turn.text) for turn in self.standing]

    @property
    def outcome(self) -> Any:
        """All that must not depend on how the file was cut into passes."""
        return self.turns, self.undos, self.cuts, self.facts


def told(path: Path, since: Checkpoint | None = None) -> Told:
    return Told().take(CODEX.read(path, since))


def told_in_pieces(path: Path, data: bytes, cuts: Iterable[int]) -> Told:
    """What comes out when the file grows up to each of `cuts` between two passes."""
    so_far, since = Told(), None
    for end in [*sorted(cuts), len(data)]:
        path.write_bytes(data[:end])
        try:
            records = list(CODEX.read(path, since))
        except Reread:
            so_far, records = Told(), list(CODEX.read(path, None))
        so_far.take(records)
        since = so_far.checkpoints[-1]
    return so_far


def written(folder: Path, rows: Iterable[Any], name: str = "rollout-test.jsonl") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def line(kind: str, payload: dict[str, Any], ordinal: int | None = None) -> dict[str, Any]:
    row: dict[str, Any] = {"timestamp": "2026-03-04T05:06:07.000Z", "type": kind, "payload": payload}
    return row if ordinal is None else {**row, "ordinal": ordinal}


def meta(**more: Any) -> dict[str, Any]:
    return line("session_meta", {"id": "s1", "cwd": "/src/demo", "source": "cli", **more})


def item(role: str, *texts: str) -> dict[str, Any]:
    part = "output_text" if role == "assistant" else "input_text"
    content = [{"type": part, "text": text} for text in texts]
    return line("response_item", {"type": "message", "role": role, "content": content})


def event(kind: str, **more: Any) -> dict[str, Any]:
    return line("event_msg", {"type": kind, **more})


def asked(text: str) -> dict[str, Any]:
    return event("user_message", message=text, images=[])


def said(text: str) -> dict[str, Any]:
    return event("agent_message", message=text)


def thread_item(kind: str, text: str) -> dict[str, Any]:
    part = {"UserMessage": "text", "AgentMessage": "Text"}[kind]
    return event("item_completed", item={"type": kind, "id": "item-1", "content": [{"type": part, "text": text}]})


def packed(path: Path, to: Path) -> Path:
    target = to / (path.name + ".zst")
    target.write_bytes(zstandard.ZstdCompressor().compress(path.read_bytes()))
    return target


# ---- Finding ----


def found(root: Path) -> list[Path]:
    paths = list(CODEX.find(root))
    assert all(isinstance(path, Path) for path in paths), paths
    return sorted(path for path in paths if isinstance(path, Path))


def test_the_store_is_where_codex_home_says_or_in_the_home_folder(tmp_path: Path) -> None:
    assert CODEX.roots(tmp_path, {}) == [tmp_path / ".codex"]
    assert CODEX.roots(tmp_path, {"CODEX_HOME": ""}) == [tmp_path / ".codex"]
    assert CODEX.roots(tmp_path, {"CODEX_HOME": "/srv/codex"}) == [Path("/srv/codex")]


def test_a_home_gives_its_rollouts_and_its_titles_and_nothing_else() -> None:
    json_rollouts = list(CORPUS.rglob("rollout-*.json"))
    assert found(CORPUS) == sorted([*ROLLOUTS, *json_rollouts, CORPUS / "session_index.jsonl"])
    assert len(ROLLOUTS) == 15


def test_temporary_files_prompt_logs_and_databases_are_passed_over(tmp_path: Path) -> None:
    for name in (
        ".rollout-1.jsonl",
        "rollout-1.jsonl.tmp",
        "rollout-1.jsonl.zst.tmp-77",
        "history.jsonl",
        "state_5.sqlite",
    ):
        written(tmp_path, [], f"sessions/{name}")
        written(tmp_path, [], name)
    assert found(tmp_path) == []


def test_a_plain_rollout_wins_over_its_packed_copy_wherever_that_lies(tmp_path: Path) -> None:
    stem = "rollout-2026-01-01T00-00-00-019b0001-5a11-7c0d-9e0a-3f00d5c00001.jsonl"
    archived = written(tmp_path, [], f"archived_sessions/{stem}")
    written(tmp_path, [], f"sessions/2026/01/01/{stem}.zst")
    assert found(tmp_path) == [archived]
    live = written(tmp_path, [], f"sessions/2026/01/01/{stem}")
    assert found(tmp_path) == [live]


def test_rollouts_without_an_id_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    paths = [written(tmp_path, [], f"sessions/{month}/rollout-a.jsonl") for month in ("01", "02")]
    written(tmp_path, [], "sessions/02/rollout-a.jsonl.zst")
    assert found(tmp_path) == paths


@pytest.mark.parametrize("root", ["sessions", "sessions/2026", "sessions/2026/02", "sessions/2026/02/03"])
def test_any_folder_of_rollouts_can_be_a_root(root: str) -> None:
    below = sorted(path for path in (CORPUS / root).rglob("*") if path.suffix in (".jsonl", ".json"))
    assert found(CORPUS / root) == below


def test_a_home_without_sessions_is_not_searched(tmp_path: Path) -> None:
    (tmp_path / "auth.json").write_text("{}")
    written(tmp_path, [], "worktrees/x/rollout-1.jsonl")
    assert found(tmp_path) == []


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = written(tmp_path, [meta()], "outside/rollout-1.jsonl")
    home = tmp_path / "home"
    (home / "sessions").mkdir(parents=True)
    (home / "sessions" / "rollout-2.jsonl").symlink_to(outside)
    (home / "archived_sessions").symlink_to(outside.parent)
    links = home / "sessions" / "rollout-2.jsonl", home / "archived_sessions"
    assert list(CODEX.find(home)) == [SkipRecord("symbolic-link", str(link)) for link in links]
    with pytest.raises(OSError, match="symbolic link"):
        told(home / "sessions" / "rollout-2.jsonl")


@pytest.mark.parametrize("bad", ["", "-last", "a b", "a;b", "../x", "x" * 129, "é", "a\n"])
def test_an_id_that_a_shell_or_an_option_parser_could_take_otherwise_is_not_resumed(bad: str) -> None:
    assert CODEX.resume(bad) is None


def test_a_thread_is_resumed_by_its_id() -> None:
    assert CODEX.resume("019b0001-5a11") == ["codex", "resume", "019b0001-5a11"]


# ---- Our own corpus: what must come out, what must not ----

DIALOGS = {
    "019b0001": ["u The test `test_lease_renewal` is flaky", "a I'll run it in a loop",
                 "a It fails when the lease's clock", "u Freeze both clocks.", "a Done: `frozen_clocks`"],
    "019b0002": ["u 数据库迁移到一半失败了", "a 先不要重跑。", "u 好的，帮我写成脚本", "a 脚本在 `scripts/",
                 "u 顺便 explain 一下", "a 因为它要分两次扫描表"],
    "019b0003": ["u The test `test_lease_renewal` is flaky", "a I'll run it in a loop", "u Add random jitter, not",
                 "a Renewals now start between", "u Does the jitter survive", "a Yes: the new leader"],
    "019b0004": ["u Why does the websocket reconnect", "a 先看 src/socket.ts", "a 唤醒后旧的定时器",
                 "u Rewrite the whole socket layer", "a Here is a plan"],
    "019b0004_": ["u Just cancel the old timer", "a The `online` handler"],
    "019b0005": ["u What would a service worker", "a Little: it has no access"],
    "019b0006": ["u List every caller of reconnect()", "a Three callers"],
    "019b0007": ["u Assess whether this command", 'a {"risk":"low"}'],
    "019b0008": ["u Summarise last night's", "a Two builds failed:", "a Filed as one report."],
    "019b0009": ["u Center the dialog", "a The dialog is a grid now", "u ok", "a ok", "u And now make it", "a ok",
                 "a Below 600 px"],
    "5973b6c0": ["u How do I map jk", "a ```lua", "u 那 vscode 里呢？", "a 装 vscode-neovim"],
    "a1d0c6e8": ["u write a makefile target", "a Added `make docs`", "u thanks!"],
    "notes-on-weather": ["u Which unit does the forecast", "a Metres per second", "u and for rain?", "a Millimetres"],
    "019b000a": ["u Scale the sourdough", "a 1,500 g flour", "u In ounces, please", "a 53 oz flour"],
    "019b000b": ["u Ship the release notes", "a Shipped.", "u My AGENTS.md says:", "a Yes, when it changes.",
                 "u <div>why is this tag", "a It needs `</div>`."],
    "019b000c": ["u Which error code does", "a 409, with the holder's", "u Glued but whole",
                 "a and so is its neighbour", "a No time of its own", "a half a pair"],
}  # fmt: skip


def corpus_file(key: str) -> Path:
    ending, start = (".json", key) if key == "a1d0c6e8" else (".jsonl", key)
    between = "*_*" if key.endswith("_") else "*"
    matches = [
        path
        for path in CORPUS.rglob(f"*{start.rstrip('_')}{between}{ending}")
        if ("_019b" in path.name) == ("_" in key)
    ]
    (path,) = matches
    return path


@pytest.mark.parametrize("key", DIALOGS)
def test_a_session_of_the_corpus_reads_as_its_conversation(key: str) -> None:
    dialog = [f"{role} {text}" for role, text in told(corpus_file(key)).dialog]
    assert len(dialog) == len(DIALOGS[key])
    for turn, start in zip(dialog, DIALOGS[key], strict=True):
        assert turn.startswith(start)


def test_nothing_that_is_no_conversation_comes_out_of_the_corpus() -> None:
    paths = [path for path in CODEX.find(CORPUS) if isinstance(path, Path)]
    raw = b"".join(path.read_bytes() for path in paths)
    assert raw.count(b"sentinel-") > 40
    for path in paths:
        for record in CODEX.read(path, None):
            assert "sentinel-" not in repr(record)
            assert "data:image" not in repr(record)


FACTS = {
    "019b0001": ("/home/mara/src/tidepool", "main", "gpt-5.2-codex", None, "main", "Flaky lease renewal test"),
    "019b0002": ("/home/wenjie/code/miaopu", "feat/迁移", "gpt-5.3-codex", None, "main", None),
    "019b0003": ("/home/mara/src/tidepool", "lease-jitter", None, "019b0001", "main", None),
    "019b0004_": ("/home/mara/src/lantern-web", "main", None, None, "main", None),
    "019b0005": ("/home/mara/src/lantern-web", "main", None, "019b0004", "main", None),
    "019b0006": ("/home/mara/src/lantern-web", "main", None, "019b0004", "subagent", None),
    "019b0007": ("/home/mara/src/lantern-web", "main", None, "019b0004", "subagent", None),
    "019b0008": ("/home/mara/src/tidepool", "main", None, None, "automated", None),
    "019b0009": ("/home/mara/src/lantern-web", None, None, None, "main", None),
    "5973b6c0": ("/home/mara/dotfiles", "topic/vim", None, None, "main", None),
    "notes-on-weather": (None, None, "o4-mini", None, None, None),
}


@pytest.mark.parametrize("key", FACTS)
def test_a_session_of_the_corpus_says_where_it_belongs(key: str) -> None:
    ((session, fact),) = told(corpus_file(key)).facts.items()
    assert session.startswith(key.rstrip("_"))
    assert {turn.session for turn in told(corpus_file(key)).turns} == {session}
    parent = fact.parent and fact.parent[:8]
    assert (fact.project, fact.branch, fact.model, parent, fact.kind, fact.title) == FACTS[key]
    assert fact.title_rank == (TITLE_GIVEN if fact.title else 0)


def test_a_rolled_back_turn_of_the_corpus_stays_as_an_undone_one() -> None:
    fork = told(corpus_file("019b0003"))
    gone = [turn.text for turn in fork.turns if turn not in fork.standing]
    assert gone == ["Add jitter to the renewal instead", "I put a fixed 250 ms delay before each renewal."]
    assert fork.skips == {"summary": 1}


def test_a_revert_cuts_what_the_older_file_holds_from_its_ordinal_on() -> None:
    older, newer = told(corpus_file("019b0004")), told(corpus_file("019b0004_"))
    (cut,) = newer.cuts
    assert cut.session == older.turns[0].session == newer.turns[0].session
    kept = [turn.text for turn in older.turns if not (turn.order >= cut.since and (turn.time or 0) <= cut.time)]
    assert kept[-1].startswith("唤醒后旧的定时器")
    assert not any("RxJS" in text for text in kept)
    assert min(turn.order for turn in newer.turns) >= cut.since
    assert all((turn.time or 0) > cut.time for turn in newer.turns)
    assert told(corpus_file("019b0005")).cuts == []


def test_the_index_of_titles_names_sessions_and_the_newest_wins(tmp_path: Path) -> None:
    titles = told(CORPUS / "session_index.jsonl")
    assert titles.turns == []
    assert {fact.title: fact.title_rank for fact in titles.facts.values()} == {
        "Lease jitter": TITLE_GENERATED,
        "回滚失败的数据库迁移": TITLE_GENERATED,
    }
    path = written(
        tmp_path, [{"id": "s1", "thread_name": "old"}, {"id": 5}, {"thread_name": "x"}], "session_index.jsonl"
    )
    first = told(path)
    with path.open("a") as file:
        file.write('{"id":"s1","thread_name":"new"}\n{"id":"s2","thread_name"')
    second = told(path, first.checkpoints[-1])
    assert {fact.title for fact in first.facts.values()} == {"old"}
    assert {fact.title for fact in second.facts.values()} == {"new"}


def test_damage_is_counted_and_costs_only_what_it_hits() -> None:
    damaged = told(corpus_file("019b000c"))
    assert damaged.skips == {"unknown-type": 5, "not-json": 1, "unexpected-shape": 1, "unfinished-line": 1}
    assert "quantum_state at byte 421" in damaged.examples
    assert "item_completed/Telepathy" in " ".join(damaged.examples)
    torn = corpus_file("019b000c").read_bytes().rindex(b"\n") + 1
    assert damaged.checkpoints[-1].offset == torn


def test_times_are_the_messages_own_and_else_the_last_one_known() -> None:
    qualities = [turn.quality for turn in told(corpus_file("019b000c")).turns]
    assert qualities == ["exact"] * 4 + ["file", "exact"]
    flat = told(corpus_file("5973b6c0"))
    assert {(turn.time, turn.quality) for turn in flat.turns} == {(1752562800000, "file")}
    (first, *_) = told(corpus_file("019b0002")).turns
    assert (first.time, first.quality) == (1770211820004, "exact")


def test_the_state_holds_no_text(tmp_path: Path) -> None:
    for path in ROLLOUTS:
        read = told(path)
        for checkpoint in read.checkpoints:
            for turn in read.turns:
                words = turn.text.split()
                assert not any(word.encode() in checkpoint.state for word in words if len(word) > 5), turn.text


# ---- Layers ----


def test_user_turns_come_from_the_events_once_there_is_one(tmp_path: Path) -> None:
    start = [meta(), item("user", "<new_kind_of_context>unknown</new_kind_of_context>"), item("user", "hello")]
    rows = [*start, asked("hello"), said("hi"), item("assistant", "hi"), item("user", "injected in mid turn"),
            asked("bye"), item("user", "bye")]  # fmt: skip
    assert told(written(tmp_path, rows)).dialog == [("u", "hello"), ("a", "hi"), ("u", "bye")]


def test_without_user_events_the_items_speak(tmp_path: Path) -> None:
    rows = [meta(), item("user", "hello"), said("hi"), item("assistant", "hi"), item("user", "bye")]
    assert told(written(tmp_path, rows)).dialog == [("u", "hello"), ("a", "hi"), ("u", "bye")]


def test_a_user_event_after_turns_were_given_from_the_items_asks_for_a_reread(tmp_path: Path) -> None:
    rows = [meta(), item("user", "some context"), item("user", "hello")]
    first = told(written(tmp_path, rows))
    assert first.dialog == [("u", "some context"), ("u", "hello")]
    path = written(tmp_path, [*rows, asked("hello"), said("hi")])
    with pytest.raises(Reread):
        told(path, first.checkpoints[-1])
    assert told(path).dialog == [("u", "hello"), ("a", "hi")]


def test_an_assistants_text_given_early_needs_no_reread(tmp_path: Path) -> None:
    rows = [meta(), item("assistant", "welcome")]
    first = told(written(tmp_path, rows))
    second = told(written(tmp_path, [*rows, said("welcome"), item("user", "x"), asked("hello")]), first.checkpoints[-1])
    assert (first.dialog, second.dialog) == ([("a", "welcome")], [("u", "hello")])


def test_after_a_megabyte_without_a_user_event_the_items_speak_for_good(tmp_path: Path) -> None:
    rows = [meta(), *(item("user", f"{n} " + "x" * (HOLD // 4)) for n in range(5))]
    late = [asked("late"), item("user", "late")]
    whole = told(written(tmp_path, [*rows, *late]))
    assert [text[:4] for _, text in whole.dialog] == ["0 xx", "1 xx", "2 xx", "3 xx", "4 xx", "late"]
    first = told(written(tmp_path, rows[:3]))
    second = told(written(tmp_path, [*rows, *late]), first.checkpoints[-1])
    assert first.turns + second.turns == whole.turns


ROUND = {
    "item": lambda text: item("assistant", text),
    "event": said,
    "thread item": lambda text: thread_item("AgentMessage", text),
}


@pytest.mark.parametrize("first", ROUND)
@pytest.mark.parametrize("second", ROUND)
def test_each_answer_stands_once_whichever_copy_comes_first(tmp_path: Path, first: str, second: str) -> None:
    both = [ROUND[first], ROUND[second]] if first != second else [ROUND[first]]
    rows = [meta(), asked("go"), *(make("ok") for make in both), *(make("ok") for make in both), said("only an event"),
            item("assistant", "only an item"), asked("again"), *(make("ok") for make in both)]  # fmt: skip
    answers = [text for role, text in told(written(tmp_path, rows)).dialog if role == "a"]
    assert answers == ["ok", "ok", "only an event", "only an item", "ok"]


def test_an_item_of_several_parts_is_the_same_as_its_events(tmp_path: Path) -> None:
    parts = ["one part", "and another"]
    event_first = [meta(), asked("go"), *map(said, parts), item("assistant", *parts)]
    item_first = [meta(), asked("go"), item("assistant", *parts), *map(said, parts)]
    assert [text for _, text in told(written(tmp_path, event_first)).dialog] == ["go", "one part", "and another"]
    assert [text for _, text in told(written(tmp_path, item_first)).dialog] == ["go", "one part\nand another"]
    joined = [meta(), asked("go"), said("".join(parts)), item("assistant", *parts)]
    assert [text for _, text in told(written(tmp_path, joined)).dialog] == ["go", "one partand another"]


@pytest.mark.parametrize(
    "block", ["<oai-mem-citation>\nnotes.md:3\n</oai-mem-citation>", "<proposed_plan>1. look</proposed_plan>"]
)
def test_blocks_that_only_the_items_have_do_not_make_a_second_turn(tmp_path: Path, block: str) -> None:
    rows = [meta(), asked("go"), said("Done."), item("assistant", f"Done.\n\n{block}"), item("assistant", block)]
    assert [text for _, text in told(written(tmp_path, rows)).dialog] == ["go", "Done.", block]


def test_a_prompt_that_is_written_again_stands_once_unless_it_was_taken_back(tmp_path: Path) -> None:
    again = [
        meta(),
        asked("go"),
        event("turn_aborted"),
        asked("go"),
        thread_item("UserMessage", "go"),
        said("x"),
        asked("go"),
    ]
    assert told(written(tmp_path, again)).dialog == [("u", "go"), ("a", "x"), ("u", "go")]
    undone = told(written(tmp_path, [meta(), asked("go"), event("thread_rolled_back", num_turns=1), asked("go")]))
    assert undone.dialog == [("u", "go")]
    assert len(undone.turns) == 2


# ---- Rolling back ----


def test_rolling_back_takes_the_last_user_turns_that_still_stand(tmp_path: Path) -> None:
    back = [event("thread_rolled_back", num_turns=n) for n in (1, 2)]
    rows = [
        meta(),
        asked("1"),
        said("a1"),
        asked("2"),
        said("a2"),
        asked("3"),
        said("a3"),
        back[0],
        asked("4"),
        back[1],
        asked("5"),
    ]
    assert told(written(tmp_path, rows)).dialog == [("u", "1"), ("a", "a1"), ("u", "5")]


def test_rolling_back_more_than_there_is_takes_everything(tmp_path: Path) -> None:
    rows = [meta(), asked("1"), said("a1"), event("thread_rolled_back", num_turns=9), asked("2")]
    assert told(written(tmp_path, rows)).dialog == [("u", "2")]


@pytest.mark.parametrize("nonsense", [0, -1, None, "2", True, 1.5, 10**30])
def test_a_rollback_that_makes_no_sense_takes_nothing(tmp_path: Path, nonsense: Any) -> None:
    rows = [meta(), asked("1"), event("thread_rolled_back", num_turns=nonsense)]
    assert told(written(tmp_path, rows)).dialog == [("u", "1")]


def test_a_rollback_in_the_item_layer_counts_its_prompts(tmp_path: Path) -> None:
    rows = [meta(), item("user", "1"), item("user", "<environment_context></environment_context>"), item("user", "2"),
            event("thread_rolled_back", num_turns=1), item("user", "3")]  # fmt: skip
    assert told(written(tmp_path, rows)).dialog == [("u", "1"), ("u", "3")]


def test_a_rollback_beyond_what_the_state_remembers_asks_for_a_reread(tmp_path: Path) -> None:
    rows = [meta(), *(asked(f"q{n}") for n in range(USERS_KEPT + 44))]
    checkpoint = told(written(tmp_path, rows)).checkpoints[-1]
    assert len(checkpoint.state) < 4000

    def after(turns: int) -> Path:
        return written(tmp_path, [*rows, event("thread_rolled_back", num_turns=turns)])

    (undo,) = told(after(USERS_KEPT), checkpoint).undos
    assert undo == next(iter(told(after(USERS_KEPT)).undos))
    with pytest.raises(Reread):
        told(after(USERS_KEPT + 1), checkpoint)
    assert [text for _, text in told(after(USERS_KEPT + 1)).dialog] == [f"q{n}" for n in range(43)]


# ---- Who a session is ----


def test_the_first_meta_wins_and_the_files_name_stands_in(tmp_path: Path) -> None:
    uuid = "019b0001-5a11-7c0d-9e0a-3f00d5c00001"
    name = f"rollout-2026-01-01T00-00-00-{uuid}_019b0002-5a11-7c0d-9e0a-3f00d5c00002.jsonl"
    for rows, session in (
        ([meta(), meta(id="other", cwd="/other"), asked("x")], "s1"),
        ([line("session_meta", {"session_id": "s2"}), asked("x")], "s2"),
        ([line("session_meta", {"id": {"odd": 1}}), asked("x")], uuid),
        ([asked("x"), meta(id="late")], uuid),
        ([meta(), asked("x"), meta(cwd="/elsewhere")], "s1"),
        ([asked("x"), meta(id=uuid)], uuid),
    ):
        read = told(written(tmp_path, rows, name))
        assert {turn.session for turn in read.turns} == {session}
        assert set(read.facts) <= {session}
        assert all(fact.project in (None, "/src/demo") for fact in read.facts.values())
    assert told(written(tmp_path, [asked("x")], "rollout-plain.jsonl")).turns[0].session == "rollout-plain"


@pytest.mark.parametrize(
    ("source", "more", "kind"),
    [
        ("cli", {}, "main"),
        ("vscode", {"thread_source": "user"}, "main"),
        ({"custom": "my-app"}, {}, "main"),
        (None, {}, "main"),
        ([1], {"thread_source": {}}, "main"),
        ("exec", {}, "automated"),
        ("mcp", {}, "automated"),
        (None, {"originator": "codex_exec"}, "automated"),
        ({"subagent": "review"}, {}, "subagent"),
        ({"subagent": {"other": "guardian"}}, {}, "subagent"),
        ({"internal": "memory_consolidation"}, {}, "subagent"),
        ("cli", {"thread_source": "subagent"}, "subagent"),
    ],
)
def test_what_spawned_a_session_is_its_kind(tmp_path: Path, source: Any, more: dict[str, Any], kind: str) -> None:
    assert told(written(tmp_path, [meta(source=source, **more)])).facts["s1"].kind == kind


@pytest.mark.parametrize(
    ("more", "parent"),
    [
        ({"forked_from_id": "p1"}, "p1"),
        ({"parent_thread_id": "p2", "forked_from_id": "p1"}, "p2"),
        ({"source": {"subagent": {"thread_spawn": {"parent_thread_id": "p3"}}}}, "p3"),
        ({"history_base": {"thread_id": "p4", "end_ordinal_exclusive": 3}}, "p4"),
        ({"history_base": {"thread_id": "s1", "end_ordinal_exclusive": 3}}, None),
        ({"forked_from_id": 7, "parent_thread_id": None, "history_base": "?", "git": []}, None),
    ],
)
def test_a_fork_and_a_sub_agent_name_their_parent(tmp_path: Path, more: dict[str, Any], parent: str | None) -> None:
    read = told(written(tmp_path, [meta(**more)]))
    assert read.facts["s1"].parent == parent
    assert bool(read.cuts) == (more.get("history_base") == {"thread_id": "s1", "end_ordinal_exclusive": 3})


def test_a_copied_parents_title_model_and_turns_do_not_reach_a_sub_agent(tmp_path: Path) -> None:
    own = {"source": {"subagent": "x"}, "subagent_history_start_ordinal": 5}
    copied = [meta(id="parent"), line("turn_context", {"model": "parents"}),
              event("thread_name_updated", thread_name="parents"), asked("parents question")]  # fmt: skip
    rows = [meta(**own), *copied, line("turn_context", {"model": "own"}), asked("own"),
            event("thread_rolled_back", num_turns=1)]  # fmt: skip
    read = told(written(tmp_path, [{**row, "ordinal": n} for n, row in enumerate(rows)]))
    assert [turn.text for turn in read.turns] == ["own"]
    assert (read.facts["s1"].model, read.facts["s1"].title) == ("own", None)
    assert read.undos == {UndoRecord("s1", 6, 7)}


def test_a_title_of_another_thread_is_not_taken(tmp_path: Path) -> None:
    rows = [meta(), event("thread_name_updated", thread_name="theirs", thread_id="p1"),
            event("thread_name_updated", thread_name=" "), event("thread_name_updated", thread_name=7)]  # fmt: skip
    assert told(written(tmp_path, rows)).facts["s1"].title is None


def test_orders_follow_the_ordinals_and_stay_unique_when_those_do_not(tmp_path: Path) -> None:
    ordinals = [0, 5, 6, 6, 2, "x", None, 40]
    rows = [meta(), *(asked(f"q{n}") for n in range(1, 8))]
    read = told(written(tmp_path, [{**row, "ordinal": o} for row, o in zip(rows, ordinals, strict=True)]))
    assert [turn.order for turn in read.turns] == [5, 6, 7, 8, 9, 10, 40]


# ---- What a person typed ----


def test_only_parts_that_are_text_are_read_whatever_the_content_is(tmp_path: Path) -> None:
    odd = ["encrypted_content", "summary_text", "reasoning_text", "input_image", 7, {}]
    parts = [{"type": kind, "text": "hidden"} for kind in odd]
    rows = [meta()]
    for content in (
        "plain",
        ["listed"],
        {"type": "text", "text": "single"},
        [*parts, {"text": "untyped"}, {"text": 5}],
    ):
        rows.append(line("response_item", {"type": "message", "role": "user", "content": content}))
    dialog = told(written(tmp_path, rows)).dialog
    assert dialog == [("u", "plain"), ("u", "listed"), ("u", "single"), ("u", "untyped")]


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("plain", "plain"),
        ("  spaced \n", "spaced"),
        ("<environment_context>\n<cwd>/x</cwd>\n</environment_context>", ""),
        ("<environment_context>cut off", ""),
        ("\n\n<user_instructions>\nx\n</user_instructions>\n", ""),
        ("<recommended_plugins>a</recommended_plugins>\n\nreal", "real"),
        ("<recommended_plugins>a</recommended_plugins><environment_context>b</environment_context> real </skill>",
         "real </skill>"),
        ("# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\na\n</INSTRUCTIONS>", ""),
        ("# AGENTS.md instructions\n<INSTRUCTIONS>a</INSTRUCTIONS>\nreal", "real"),
        ("# AGENTS.md instructions are ignored, why?", "# AGENTS.md instructions are ignored, why?"),
        ("see:\n# AGENTS.md instructions for /x\n<INSTRUCTIONS>a</INSTRUCTIONS>",
         "see:\n# AGENTS.md instructions for /x\n<INSTRUCTIONS>a</INSTRUCTIONS>"),
        ("why <skill>?", "why <skill>?"),
        ("<environment_context></environment_context>\n<turn_aborted>x</turn_aborted>", ""),
        ("<skills> is not a tag of Codex", "<skills> is not a tag of Codex"),
        ("<skill>\na </skill> b", ""),
        ('<codex_internal_context source="x">a</codex_internal_context>', ""),
        ("# Context from my IDE setup:\n\n## Active file: a\n\n## My request for Codex:\ndo it", "do it"),
        ("# Context from my IDE setup:\n\n## Active file: a", "# Context from my IDE setup:\n\n## Active file: a"),
        ("quote:\n## My request for Codex:\nx", "quote:\n## My request for Codex:\nx"),
        ("<image name=[Image #1]>", ""),
        ("</image>", ""),
    ],
)  # fmt: skip
def test_context_is_taken_away_at_the_start_of_a_record_and_nowhere_else(text: str, typed: str) -> None:
    assert prompt([text]) == typed


def test_a_long_row_of_empty_blocks_takes_linear_time() -> None:
    block = "<environment_context></environment_context>"
    assert prompt([block * 50_000 + "end"]) == "end"


# ---- Files that are not plain, small or whole ----


@pytest.mark.parametrize("path", ROLLOUTS, ids=lambda path: path.name)
def test_a_packed_rollout_reads_like_the_plain_one(tmp_path: Path, path: Path) -> None:
    zst = packed(path, tmp_path)
    assert told(zst).outcome == told(path).outcome
    assert told(zst).checkpoints[-1].offset == zst.stat().st_size


def test_a_packed_rollout_is_read_from_the_beginning_or_not_at_all(tmp_path: Path) -> None:
    with pytest.raises(Reread):
        told(packed(ROLLOUTS[0], tmp_path), Checkpoint(10))


def test_a_torn_packed_rollout_gives_what_is_whole(tmp_path: Path) -> None:
    noise = random.Random(4)
    rows = [meta(), *(asked(f"q{n} {noise.getrandbits(4000):x}") for n in range(2000))]
    zst = packed(written(tmp_path, rows), tmp_path)
    whole = told(zst).turns
    zst.write_bytes(zst.read_bytes()[:-1000])
    torn = told(zst).turns
    assert 1000 < len(torn) < 2000
    assert torn == whole[: len(torn)]


def test_what_is_no_zstd_is_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "rollout-x.jsonl.zst"
    path.write_bytes(b"no zstd at all")
    with pytest.raises(Unreadable, match="zstd"):
        told(path)


def test_the_oldest_form_is_read_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "rollout-2025-05-01-a.json"
    for data, reason in (
        (b'{"session":{"id":"a"},"items":[' + b" " * LINE_LIMIT + b"]}", "too-large"),
        (b'{"session":{"id":"a"},"items":[', "not-json"),
        (b"\xff\xfe", "not-json"),
        (b"[]", "unexpected-shape"),
        (b'{"items":[]}', "unexpected-shape"),
    ):
        path.write_bytes(data)
        with pytest.raises(Unreadable, match=reason):
            told(path)
    json_file = corpus_file("a1d0c6e8")
    with pytest.raises(Reread):
        told(json_file, Checkpoint(3))
    assert told(json_file).skips == {"unexpected-shape": 1}
    assert told(json_file).checkpoints[-1].offset == json_file.stat().st_size


def test_a_compaction_of_any_size_costs_one_skip(tmp_path: Path) -> None:
    history = [{"type": "message", "role": "user", "content": "old " * 250_000}] * 3
    huge = [{"type": "message", "role": "user", "content": "x" * LINE_LIMIT}]
    rows = [meta(), asked("1"), line("compacted", {"message": "", "replacement_history": history}),
            line("compacted", {"message": "so far", "replacement_history": history}),
            line("compacted", {"message": "so far", "replacement_history": huge}), asked("2")]  # fmt: skip
    read = told(written(tmp_path, rows))
    assert read.dialog == [("u", "1"), ("u", "2")]
    assert read.skips == {"summary": 1, "line-too-long": 1}


def test_a_long_file_has_checkpoints_on_the_way_and_resumes_at_each(tmp_path: Path) -> None:
    rows = [
        meta(),
        asked("first"),
        *(event("token_count") for _ in range(2 * BETWEEN_CHECKPOINTS)),
        asked("last"),
        line("odd", {}),
    ]
    path = written(tmp_path, rows)
    whole = told(path)
    assert len(whole.checkpoints) == 3
    assert whole.checkpoints[-1].offset == path.stat().st_size
    for checkpoint in whole.checkpoints[:-1]:
        rest = told(path, checkpoint)
        assert [turn.text for turn in rest.turns] == ["last"]
        assert rest.skips == {"unknown-type": 1}
        assert rest.turns[0] == whole.turns[1]
    offsets = [checkpoint.offset for checkpoint in told(packed(path, tmp_path)).checkpoints]
    assert offsets[:2] == [0, 0]


def test_no_checkpoint_stands_for_turns_that_still_wait(tmp_path: Path) -> None:
    rows = [meta(), item("user", "context"), *(event("token_count") for _ in range(2 * BETWEEN_CHECKPOINTS))]
    for more in ([], [asked("hello")]):
        path = written(tmp_path, [*rows, *more, *(event("token_count") for _ in range(2 * BETWEEN_CHECKPOINTS))])
        whole = told(path)
        assert [turn.text for turn in whole.turns] == (["hello"] if more else ["context"])
        for checkpoint in whole.checkpoints[:-1]:
            assert told(path, checkpoint).turns == []


def test_a_name_that_is_no_text_still_makes_an_id(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/rollout-\xff.jsonl"))
    path.write_text(json.dumps(asked("x")))
    (turn,) = told(path).turns
    assert turn.session == "rollout-\N{REPLACEMENT CHARACTER}"


def test_a_state_that_cannot_be_understood_asks_for_a_reread(tmp_path: Path) -> None:
    path = written(tmp_path, [meta(), asked("x")])
    for checkpoint in (Checkpoint(5, b"\xc1"), Checkpoint(5, b"\x91\xa1\xff"), Checkpoint(10_000)):
        with pytest.raises(Reread):
            told(path, checkpoint)


# ---- Any cut, any damage ----

MOVES = st.sampled_from(
    [
        meta(), meta(id="p1", cwd="/other"),
        *(make(text) for text in ("a", "b") for make in (asked, said)),
        *(item(role, text) for text in ("a", "b") for role in ("user", "assistant")),
        *(thread_item(kind, text) for text in ("a", "b") for kind in ("UserMessage", "AgentMessage")),
        item("assistant", "a", "b"), item("user", "<environment_context><cwd>/c</cwd></environment_context>"),
        *(event("thread_rolled_back", num_turns=n) for n in (1, 2)),
        line("turn_context", {"model": "m1"}), line("turn_context", {"model": "m2", "cwd": "/d"}),
        event("thread_name_updated", thread_name="name"), line("new", {}),
        {"type": "message", "role": "user", "content": "flat"},
    ]
)  # fmt: skip


@settings(max_examples=80, deadline=None)
@given(st.lists(MOVES, max_size=14), st.booleans(), st.lists(st.integers(0, 10_000), max_size=6))
@example([item("user", "a"), event("thread_rolled_back", num_turns=1), asked("a")], False, [200, 400])
@example([item("assistant", "a"), event("thread_rolled_back", num_turns=1), item("user", "a"), said("a")], True, [300])
def test_however_a_file_grows_the_outcome_is_that_of_one_pass(rows: list[Any], numbered: bool, cuts: list[int]) -> None:
    if numbered:
        rows = [{**row, "ordinal": n} for n, row in enumerate(rows)]
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), rows)
        data = path.read_bytes()
        whole = told(path)
        pieces = told_in_pieces(path, data, [cut % (len(data) + 1) for cut in cuts])
    assert pieces.outcome == whole.outcome
    orders = [turn.order for turn in whole.turns]
    assert orders == sorted(set(orders))


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(ROLLOUTS), st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_a_rollout_of_the_corpus_may_be_cut_at_any_byte(path: Path, cuts: list[float]) -> None:
    data = path.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        grown = told_in_pieces(Path(folder) / path.name, data, [int(cut * len(data)) for cut in cuts])
    assert grown.outcome == told(path).outcome


def spoken(rng: random.Random, texts: list[str]) -> tuple[list[Any], list[tuple[str, str]]]:
    """A conversation as some build may write it: every text in one or more of the sources, copies in any order."""
    rows, dialog = [meta()], [("u", "start")]
    rows += rng.sample([asked("start"), item("user", "start")], 2)
    for text in texts:
        if text.startswith("u"):
            copies = [asked(text), item("user", text)]
        else:
            ways = rng.sample([said, ROUND["item"], ROUND["thread item"]], rng.randint(1, 3))
            copies = [make(text) for make in ways]
        rng.shuffle(copies)
        rows += copies
        dialog.append((text[0], text))
    return rows, dialog


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9), st.lists(st.sampled_from(["u1", "u2", "a1", "a2", "a3"]), max_size=10))
def test_each_text_comes_once_and_none_is_lost_in_whatever_layers_a_build_writes(seed: int, texts: list[str]) -> None:
    rounds = "".join(texts).replace("u", " u").split()
    texts = [name for part in rounds for name in dict.fromkeys(re.findall("..", part))]  # no answer twice in a round
    texts = [text for n, text in enumerate(texts) if n == 0 or texts[n - 1] != text]
    rows, dialog = spoken(random.Random(seed), texts)
    with tempfile.TemporaryDirectory() as folder:
        assert told(written(Path(folder), rows)).dialog == dialog


ODD = [None, True, 0, -1, 1e308, 2**70, "", "x", [], [[]], [None], {}, {"type": {}}, "\ud800", "\x00"]


def with_an_odd_value(rng: random.Random, value: Any) -> Any:
    """A JSON value with something odd in one place."""
    if rng.random() < 0.25 or not isinstance(value, dict | list) or not value:
        return copy.deepcopy(rng.choice(ODD))
    place = rng.choice(list(value)) if isinstance(value, dict) else rng.randrange(len(value))
    value[place] = with_an_odd_value(rng, value[place])
    return value


def damaged(rng: random.Random, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    for _ in range(rng.randint(1, 4)):
        n = rng.randrange(len(lines))
        match rng.randrange(7):
            case 0:
                lines.insert(rng.randrange(len(lines) + 1), lines[n])
            case 1:
                lines[n] = lines[n].rstrip(b"\n")
            case 2:
                lines[n] = lines[n][: rng.randrange(len(lines[n]) + 1)]
            case 3:
                place = rng.randrange(len(lines[n]) or 1)
                lines[n] = lines[n][:place] + rng.randbytes(rng.randint(1, 5)) + lines[n][place + rng.randint(0, 5) :]
            case 4:
                rng.shuffle(lines)
            case 5:
                lines[n] = lines[n] * 3
            case _:
                try:
                    value = json.loads(lines[n])
                except ValueError:
                    continue
                for _ in range(rng.randint(1, 3)):
                    value = with_an_odd_value(rng, value)
                lines[n] = json.dumps(value).encode() + b"\n"
    return b"".join(lines)


@settings(max_examples=120, deadline=None)
@given(st.sampled_from([*ROLLOUTS, CORPUS / "session_index.jsonl", corpus_file("a1d0c6e8")]), st.integers(0, 10**9))
def test_no_damage_makes_reading_fail_in_another_way_than_foreseen(path: Path, seed: int) -> None:
    rng = random.Random(seed)
    data = damaged(rng, path.read_bytes())
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / path.name
        file.write_bytes(data)
        try:
            read = told(file)
        except Unreadable:
            return
        offsets = [checkpoint.offset for checkpoint in read.checkpoints]
        assert offsets == sorted(offsets)
        assert 0 <= offsets[-1] <= len(data)
        assert len({turn.order for turn in read.turns}) == len(read.turns)
        assert all(0 <= turn.order < 2**63 and turn.text.strip() and turn.session for turn in read.turns)
        for turn in read.turns:
            turn.text.encode()
        for checkpoint in read.checkpoints:
            try:
                told(file, checkpoint)
            except Reread:
                assert path.suffix == ".json"


# ---- The shared fixtures ----

OWN = "019a0000-0000-7000-8000-00000000000"
Q, R = "Why does the retry loop never stop?", "own_paginated/sessions/2026/09/10/rollout-2026-09-10T10-"
SHARED: dict[str, tuple[str | None, list[str], dict[str, Any]]] = {
    "as_codex_050_legacy.jsonl": ("test-legacy-session", [], {"folder": "test", "kind": "main"}),
    "as_codex_051_usage.jsonl": ("test-usage-session", [], {}),
    "as_codex_052_raw.jsonl": ("test-raw-session", [], {}),
    "as_codex_053_rate_limit.jsonl": ("test-ratelimit-session", [], {}),
    "as_large.jsonl": ("019b2ea4-aaaa-bbbb-cccc-58208e1f0000",
                       ["u Start", "a Acknowledged.", "a Captured multiline output.", *["a Ok"] * 5],
                       {"folder": "large", "model": "gpt-5.2"}),
    "as_schema_drift.jsonl": ("as_schema_drift", ["u Translate 'hello'", 'a "hola"'], {"model": "gpt-4o-mini"}),
    "as_session_branch.jsonl": ("as_session_branch", ["u What branch am I on?", "a You're on main."], {}),
    "as_session_simple.jsonl": ("as_session_simple", ["u What's the", "a It looks sunny"], {"model": "o4-mini"}),
    "as_session_toolcall.jsonl": ("as_session_toolcall", ["u Translate 'hello'", 'a "hola"'], {}),
    "as_small_all_record_types.jsonl": (
        "019fc8be-3658-7ca3-9e29-000000000000",
        ["u List the files", "a Found 2 files.", "u [trimmed", "a [trimmed", "a [trimmed"],
        {"folder": "repo", "branch": "main", "kind": "main", "parent": None, "title": "[trimmed for fixture]"}),
    "av_blockquotes_session.jsonl": ("quote-123", ["u blablabla?", "a blabla1\n\n> blabla2"], {"kind": "automated"}),
    "av_fc_args_1.jsonl": ("fc-args-1", ["u inspect files"], {}),
    "av_fc_args_2.jsonl": ("fc-args-2", ["u apply patch"], {}),
    "av_fc_stdin.jsonl": ("fc-stdin", ["u send input"], {}),
    "av_function_calls.jsonl": ("fc-1", ["u Run the tests"], {"folder": "app"}),
    "av_standard_session.jsonl": ("abc-123", ["u Add rate limiting", "a I'll add rate limiting"], {}),
    "av_traex_rollout_subagent.jsonl": (
        "019fbcca-9fd4-7d20-83dc-0762b2f839b3", ["u Explore the parser", "a The provider facade"],
        {"kind": "subagent", "parent": "019fbc4a-48b9-7472-a0da-6d92901383db", "model": "gpt-5-codex"}),
    "cct_codex_session.jsonl": ("xyz789", ["u Hello, please", "a This is a very long", "u Now run", "a Short"],
                                {"folder": "dir"}),
    "deja_history.jsonl": (None, [], {}),
    "deja_rollout-2026-07-17T09-00-00-registry-codex.jsonl": (
        "registry-codex", ["u inspect the rollout", "a the rollout is"], {"folder": "registry-demo"}),
    "recall_test-codex.jsonl": ("test-codex-456", ["u search for all", "a Found 15", "u refactor", "a I'll refactor"],
                                {"folder": "webapp", "branch": "main", "title": None}),
    "own_legacy/archived_sessions/rollout-2026-01-15T10-00-00-" + OWN + "5.jsonl.zst": (
        OWN + "5", ["u Parent question (copied)", "a Parent answer (copied)"], {"folder": "demo-a"}),
    "own_legacy/session_index.jsonl": (OWN + "4", [], {"title": "async → threads"}),
    "own_legacy/sessions/2026/01/15/rollout-2026-01-15T10-00-00-" + OWN + "4.jsonl": (
        OWN + "4", ["u Parent question", "a Parent answer", "u Use threads instead", "a Done with threads."],
        {"folder": "demo-b", "branch": "b", "parent": OWN + "5", "kind": "main"}),
    R + "00-00-" + OWN + "1.jsonl": (
        OWN + "1", ["u " + Q, "a Looking at", "a 循环条件永远为真", "u Second turn that", "a Answer that will"],
        {"folder": "demo", "branch": "main", "model": "gpt-5.6-codex", "kind": "main"}),
    R + "20-00-" + OWN + "1_019a0000-0000-7000-8000-0000000000ff.jsonl": (
        OWN + "1", ["u Replacement second turn", "a Replacement answer"], {"parent": None}),
    R + "30-00-" + OWN + "2.jsonl": (OWN + "2", ["u Fork-only question", "a Fork-only answer"], {"parent": OWN + "1"}),
    R + "40-00-" + OWN + "3.jsonl": (OWN + "3", ["u Find every caller of retry()", "a Two callers found."],
                                     {"parent": OWN + "1", "kind": "subagent"}),
}  # fmt: skip


@needs_fixtures
def test_every_shared_fixture_has_its_expectation() -> None:
    assert {path.relative_to(FIXTURES).as_posix() for path in FIXTURES.rglob("*") if path.is_file()} == set(SHARED)
    assert len(SHARED) == 28


@needs_fixtures
@pytest.mark.parametrize("name", SHARED)
def test_a_shared_fixture_reads_as_expected(name: str) -> None:
    session, starts, facts = SHARED[name]
    read = told(FIXTURES / name)
    dialog = [f"{role} {text}" for role, text in read.dialog]
    assert [turn[: len(start)] for turn, start in zip(dialog, starts, strict=True)] == starts
    assert {turn.session for turn in read.turns} <= {session}
    assert set(read.facts) == ({session} if session else set())
    for key, value in facts.items():
        fact = read.facts[session or ""]
        assert ((fact.project or "").split("/")[-1] if key == "folder" else getattr(fact, key)) == value
    assert read.checkpoints[-1].offset == (FIXTURES / name).stat().st_size
    assert set(read.skips) <= {"summary", "unknown-type"}


@needs_fixtures
def test_the_shared_revert_segment_cuts_at_its_ordinal_and_start() -> None:
    (cut,) = told(FIXTURES / (R + "20-00-" + OWN + "1_019a0000-0000-7000-8000-0000000000ff.jsonl")).cuts
    assert cut == CutRecord(OWN + "1", 17, 1789028400000)


@needs_fixtures
def test_no_shared_fixture_has_a_type_that_is_not_known() -> None:
    unknown = [path.name for path in FIXTURES.rglob("*.jsonl") if told(path).skips["unknown-type"]]
    assert unknown == ["deja_history.jsonl"]


@needs_fixtures
@pytest.mark.parametrize("name", [name for name in SHARED if name.endswith(".jsonl")])
def test_a_shared_fixture_may_be_read_in_pieces(tmp_path: Path, name: str) -> None:
    data = (FIXTURES / name).read_bytes()
    rng = random.Random(name)
    for _ in range(3):
        cuts = [rng.randrange(len(data)) for _ in range(4)]
        grown = told_in_pieces(tmp_path / Path(name).name, data, cuts)
        assert grown.outcome == told(FIXTURES / name).outcome
