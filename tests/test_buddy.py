"""WorkBuddy and CodeBuddy: what is found, whose words they are, what the database says, and reading on."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from harkback.adapters.buddy_text import prompt
from harkback.adapters.codebuddy import CodeBuddy
from harkback.adapters.workbuddy import WorkBuddy
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
    Unreadable,
)
from hypothesis import given, settings
from hypothesis import strategies as st

WORK, CODE = WorkBuddy(), CodeBuddy()
FIXTURES = Path(__file__).parents[1].parent / "shared" / "fixtures"
needs_fixtures = pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared fixtures are not here")
SESSION = "28f99488-2dd5-4634-af94-3ec2d40b8bef"
TIME = 1_793_600_000_000


def message(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": content, "timestamp": TIME, **more}


def said(text: str, **more: Any) -> dict[str, Any]:
    return message("user", [{"type": "input_text", "text": text}], **more)


def written(root: Path, rows: Iterable[Any], name: str = f"{SESSION}.jsonl") -> Path:
    path = root / "projects" / "home-lin-x" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def database(root: Path, *rows: tuple[Any, ...], columns: str = "id, title, custom_title, status, deleted_at") -> Path:
    root.mkdir(parents=True, exist_ok=True)
    path = root / "workbuddy.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"CREATE TABLE sessions ({columns})")
        db.executemany(f"INSERT INTO sessions VALUES ({', '.join('?' * len(columns.split(',')))})", rows)  # noqa: S608
        db.commit()
    return path


def turns(records: Iterable[Record]) -> list[tuple[str, str]]:
    return [(record.role, record.text) for record in records if isinstance(record, TurnRecord)]


def facts(records: Iterable[Record], name: str) -> list[Any]:
    return [
        value
        for record in records
        if isinstance(record, SessionRecord) and (value := getattr(record, name)) is not None
    ]


# ---- where it lies ----


def test_the_roots_are_those_of_both_countries_and_what_the_variable_names(tmp_path: Path) -> None:
    assert WORK.roots(tmp_path, {}) == [tmp_path / ".workbuddy", tmp_path / ".workbuddy-ai"]
    assert WORK.roots(tmp_path, {"WORKBUDDY_CONFIG_DIR": "/data/wb"}) == [Path("/data/wb"), tmp_path / ".workbuddy-ai"]
    assert CODE.roots(tmp_path, {}) == [tmp_path / ".codebuddy", tmp_path / ".codebuddy-cn"]
    assert CODE.roots(tmp_path, {"CODEBUDDY_CONFIG_DIR": "~/cb"})[0] == tmp_path / "cb"


def test_a_folder_of_workbuddy_is_never_codebuddys_too(tmp_path: Path) -> None:
    theirs = os.fspath(tmp_path / ".workbuddy-ai")
    assert not set(CODE.roots(tmp_path, {"CODEBUDDY_CONFIG_DIR": theirs})) & set(WORK.roots(tmp_path, {}))


def test_sessions_sub_agents_and_the_database_are_found_and_nothing_else(tmp_path: Path) -> None:
    database(tmp_path)
    own = written(tmp_path, [said("a")])
    child = written(tmp_path, [said("b")], f"{SESSION}/subagents/agent-1.jsonl")
    written(tmp_path, [], f"{SESSION}/tool-results/big.jsonl")
    for other in ("history.jsonl", "sessions/4711.json", "blobs/x", "settings.json"):
        (tmp_path / other).parent.mkdir(exist_ok=True)
        (tmp_path / other).write_text("{}")
    found = list(WORK.find(tmp_path))
    assert found[0] == Place(tmp_path / "workbuddy.db", beside=(tmp_path / "workbuddy.db-wal",))
    assert set(found[1:]) == {own, child}


# ---- whose words ----


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("<user_query>why?</user_query>", "why?"),
        ("<system-reminder>rules</system-reminder>\n<user_query> why? </user_query>\n<more>x</more>", "why?"),
        ("<system-reminder>words stand in <user_query>.</system-reminder><user_query>why?</user_query>", "why?"),
        ("<user_query>what is a <system-reminder> for?</user_query>", "what is a <system-reminder> for?"),
        ("<user_query>never closed", "never closed"),
        ("<system-reminder>never closed <user_query>lost?</user_query>", "lost?"),
        ("plain <system-reminder>x</system-reminder>words", "plain words"),
        ("<system-reminder>only that", ""),
        ("<command-name>/clear</command-name>", ""),
        ("<command-message>clear</command-message>", ""),
        ("<local-command-stdout>done</local-command-stdout>", ""),
        ("Caveat: The messages below were generated", ""),
        ("Warmup", ""),
        ("Warmup exercises for the choir", "Warmup exercises for the choir"),
        ([{"type": "input_text", "text": "one"}, {"text": "two"}, {"type": "image", "text": "no"}], "one\n\ntwo"),
        ([{"text": "<project_context>…"}, {"text": "<user_query>asked</user_query>"}], "asked"),
        (None, ""),
        ({"type": 7}, ""),
    ],
)
def test_a_prompt_is_what_the_person_typed(content: Any, words: str) -> None:
    assert prompt(content) == words


@settings(max_examples=50)
@given(st.lists(st.sampled_from(["<user_query>", "</user_query>", "<system-reminder>", "</system-reminder>", "x"])))
def test_no_nesting_of_tags_makes_a_prompt_fail(tags: list[str]) -> None:
    assert isinstance(prompt("".join(tags)), str)


def test_a_prompt_of_many_tags_is_read_in_time_linear_in_it() -> None:
    text = "<system-reminder><user_query></system-reminder>" * 20_000
    assert prompt(text) == ""
    assert prompt("<system-reminder>" * 50_000) == ""


def test_a_person_may_say_warmup_where_reference_readers_drop_whatever_begins_so(tmp_path: Path) -> None:
    path = written(tmp_path, [said("Warmup"), said("Warmup plan for Monday")])
    assert turns(WORK.read(path, None)) == [("user", "Warmup plan for Monday")]


# ---- rows ----


def test_the_traps_of_rows(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        [
            said("first", id="m1", sessionId="another-session", cwd="/home/lin/a-b"),
            message("assistant", [{"type": "output_text", "text": ""}], id="m2", status="incomplete"),
            message("assistant", "answer", id="m3", providerData={"model": "auto"}),
            {"type": "function_call", "id": "m3", "name": "Edit", "arguments": '{"x": 1}', "timestamp": TIME},
            message("assistant", "more", id="m3", providerData={"model": "hunyuan"}),
            {"type": "reasoning", "rawContent": [{"type": "reasoning_text", "text": "hidden"}]},
            {"type": "system", "subtype": "compact_boundary"},
            said("what was said so far", isCompactSummary=True),
            {"type": "weather", "text": "x"},
            {"type": "message", "role": "user", "content": "late, without a time"},
        ],
    )
    records = list(WORK.read(path, None))
    assert turns(records) == [
        ("user", "first"),
        ("assistant", "answer"),
        ("assistant", "more"),
        ("user", "late, without a time"),
    ]
    read = [record for record in records if isinstance(record, TurnRecord)]
    assert {turn.session for turn in read} == {SESSION}, "the file's name is the session's id, whatever rows say"
    assert {turn.native_id for turn in read} == {None}, "ids repeat"
    assert [turn.quality for turn in read] == ["exact", "exact", "exact", "file"]
    assert facts(records, "project") == ["/home/lin/a-b"], "the folder's name could not tell it"
    assert facts(records, "model") == ["hunyuan"]
    skips = {record.reason: record for record in records if isinstance(record, SkipRecord)}
    assert set(skips) == {"summary", "unknown-type"}
    assert skips["unknown-type"].example.startswith("weather at byte ")


def test_tools_are_turns_only_where_they_are_asked_for(tmp_path: Path) -> None:
    rows = [
        said("go"),
        {"type": "function_call", "name": "Bash", "arguments": '{"command": "ls"}', "timestamp": TIME},
        {"type": "function_call_result", "name": "Bash", "output": {"type": "text", "text": "a b"}, "timestamp": TIME},
        message("assistant", "done"),
    ]
    path = written(tmp_path, rows)
    assert turns(WORK.read(path, None)) == [("user", "go"), ("assistant", "done")]
    assert turns(WORK.with_tools().read(path, None)) == [
        ("user", "go"),
        ("tool", 'Bash\n{"command": "ls"}'),
        ("tool", "Bash\na b"),
        ("assistant", "done"),
    ]
    assert WORK.with_tools().version != WORK.version


def test_sub_agents_are_children_wherever_they_lie(tmp_path: Path) -> None:
    inside = written(tmp_path, [said("a")], f"{SESSION}/subagents/agent-1.jsonl")
    beside = written(tmp_path, [said("b", sessionId=SESSION)], "agent-2.jsonl")
    for path, name in ((inside, f"{SESSION}.agent-1"), (beside, "agent-2")):
        records = list(CODE.read(path, None))
        assert facts(records, "kind") == ["subagent"]
        assert facts(records, "parent") == [SESSION]
        assert {record.session for record in records if isinstance(record, TurnRecord)} == {name}
        assert CODE.resume(name) is None


@pytest.mark.parametrize(
    ("order", "title"),
    [
        (("topic", "ai-title", "custom-title"), "custom-title"),
        (("custom-title", "ai-title", "topic"), "custom-title"),
        (("ai-title", "topic"), "ai-title"),
        (("topic",), "topic"),
    ],
)
def test_titles_in_a_file_are_ranked_whatever_their_order(tmp_path: Path, order: tuple[str, ...], title: str) -> None:
    keys = {"topic": "topic", "ai-title": "aiTitle", "custom-title": "customTitle"}
    path = written(tmp_path, [said("a"), *({"type": kind, keys[kind]: kind} for kind in order)])
    best, rank = None, 0
    for record in WORK.read(path, None):
        if isinstance(record, SessionRecord) and record.title and record.title_rank >= rank:
            best, rank = record.title, record.title_rank
    assert best == title
    assert 1 < rank <= TITLE_GENERATED < TITLE_GIVEN, "any title of the database is better, the first prompt worse"


# ---- the database ----


def test_the_database_gives_titles_and_takes_what_was_deleted_or_archived(tmp_path: Path) -> None:
    path = database(
        tmp_path,
        ("s1", "generated", "chosen", "completed", None),
        ("s2", "generated", "", "completed", None),
        ("s3", "x", None, "completed", TIME),
        ("s4", "x", None, "archived", None),
        (None, "nameless", None, None, None),
    )
    records = list(WORK.read(path, None))
    found = {record.session: record for record in records if isinstance(record, SessionRecord)}
    assert [(record.title, record.deleted) for record in found.values()] == [
        ("chosen", None),
        ("generated", None),
        ("x", True),
        ("x", True),
    ]
    assert {record.title_rank for record in found.values()} == {TITLE_GIVEN}
    assert records[-1] == Checkpoint(path.stat().st_size)


def test_an_older_database_with_fewer_columns_is_read(tmp_path: Path) -> None:
    path = database(tmp_path, ("s1", "only a title"), columns="id, title")
    assert facts(WORK.read(path, None), "title") == ["only a title"]


def test_a_database_without_sessions_is_set_aside(tmp_path: Path) -> None:
    path = database(tmp_path, columns="name")
    with pytest.raises(Unreadable, match="schema"):
        list(WORK.read(path, None))


# ---- resuming ----


def test_a_session_is_resumed_in_the_folder_that_it_lies_in(tmp_path: Path) -> None:
    international = tmp_path / ".workbuddy-ai"
    records = list(WORK.read(written(international, [said("a")]), None))
    [handle] = facts(records, "handle")
    command = ["env", f"CODEBUDDY_CONFIG_DIR={international}", "codebuddy", "--resume", SESSION]
    assert WORK.resume(handle) == command
    by_id = WORK.resume(SESSION)
    assert by_id is not None
    assert by_id[1].endswith(".workbuddy")


def test_codebuddys_own_folder_needs_no_variable(tmp_path: Path) -> None:
    assert facts(CODE.read(written(tmp_path / ".codebuddy", [said("a")]), None), "handle") == []
    assert CODE.resume(SESSION) == ["codebuddy", "--resume", SESSION]
    chinese = tmp_path / ".codebuddy-cn"
    [handle] = facts(CODE.read(written(chinese, [said("a")]), None), "handle")
    assert CODE.resume(handle) == ["env", f"CODEBUDDY_CONFIG_DIR={chinese}", "codebuddy", "--resume", SESSION]


# ---- reading on ----


def test_a_file_that_got_shorter_is_read_again(tmp_path: Path) -> None:
    path = written(tmp_path, [said("a")])
    with pytest.raises(Reread):
        list(WORK.read(path, Checkpoint(10_000)))


@settings(max_examples=40)
@given(st.data())
def test_a_file_cut_anywhere_and_then_completed_is_read_as_a_whole(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    rows = [
        said("一", cwd="/a"),
        {"type": "custom-title", "customTitle": "t"},
        message("assistant", "two", providerData={"model": "m"}),
        {"type": "topic", "topic": "worse"},
        {"type": "message", "role": "user", "content": "three"},
    ]
    path = written(tmp_path_factory.mktemp("cut"), rows)
    whole = path.read_bytes()
    complete = [record for record in WORK.read(path, None) if not isinstance(record, Checkpoint)]
    cut = data.draw(st.integers(0, len(whole)))
    path.write_bytes(whole[:cut])
    first = list(WORK.read(path, None))
    path.write_bytes(whole)
    mark = first[-1]
    assert isinstance(mark, Checkpoint)
    both = [*first, *WORK.read(path, mark)]
    dropped = (Checkpoint, SkipRecord)
    assert [record for record in both if not isinstance(record, dropped)] == complete


# ---- the shared fixtures ----


@needs_fixtures
def test_the_texts_of_the_shared_fixtures_are_as_expected() -> None:
    expected = json.loads((FIXTURES / "EXPECTED.json").read_text("utf-8"))
    names = [name for name in expected if name.startswith("workbuddy/")]
    assert len(names) == 11
    for name in names:
        records = list(WORK.read(FIXTURES / name, None))
        assert [[role, text[:80]] for role, text in turns(records)] == expected[name]["msgs"], name
        titles = [record for record in records if isinstance(record, SessionRecord) and record.title]
        best = max(titles, key=lambda record: record.title_rank).title if titles else None
        assert best == expected[name]["title"], name
        assert not any(isinstance(record, SkipRecord) and record.reason != "summary" for record in records), name


@needs_fixtures
def test_the_shared_home_is_found_whole() -> None:
    found = [path.name for path in WORK.find(FIXTURES / "workbuddy" / "derived") if isinstance(path, Path)]
    assert sorted(found) == [f"{SESSION}.jsonl", "agent-123.jsonl"]
