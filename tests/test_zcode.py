"""ZCode: its database, the request log that stands in for it, and the older transcripts."""

from __future__ import annotations

import json
import sqlite3
import tracemalloc
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from engine import Engine
from harkback.adapters.foreign_sqlite import within
from harkback.adapters.zcode import ZCode
from harkback.adapters.zcode_database import NEWEST, session_places
from harkback.core.branch import Cut, Link, active
from harkback.core.model import (
    Checkpoint,
    CutRecord,
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

ZCODE = ZCode()
FIXTURES = Path(__file__).parents[1].parent / "shared" / "fixtures"
needs_fixtures = pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared fixtures are not here")
TIME = 1_793_600_000_000
SESSION = "sess_7d40a1c6-1111-4000-8000-00000000a001"
TABLES = """
CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, time_created, time_updated);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created, data TEXT);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created, data TEXT);
CREATE TABLE model_usage (session_id TEXT, model_id TEXT, started_at INTEGER);
"""


# ---- stores written here ----


def database(home: Path, *sessions: str, tables: str = TABLES) -> Path:
    path = home / ".zcode" / "cli" / "db" / "db.sqlite"
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as db:
        db.executescript(tables)
        for number, session in enumerate(sessions):
            values = (session, None, "/home/mei/kite", f"Title {number}", TIME, TIME + number)
            db.execute("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?)", values)
        db.commit()
    return path


def said(path: Path, session: str, name: str, role: str, *parts: dict[str, Any] | str, time: object = TIME) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("INSERT INTO message VALUES (?, ?, ?, ?)", (name, session, time, json.dumps({"role": role})))
        for number, part in enumerate(parts):
            data = part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)
            when = part.get("at") if isinstance(part, dict) else None
            values = (f"{name}-{9 - number}", name, session, when, data)
            db.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?)", values)
        db.commit()


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def request(number: int, offset: int | None, messages: list[Any], answer: str, **more: Any) -> dict[str, Any]:
    asked = {"messages": messages} if offset is None else {"messageOffset": offset, "messages": messages}
    row = {
        "type": "model_io",
        "requestId": f"r{number}",
        "attempt": 1,
        "querySource": "main",
        "startedAt": f"2026-11-02T07:{number % 60:02}:00.000Z",
        "completedAt": f"2026-11-02T07:{number % 60:02}:30.000Z",
        "request": asked | {"headers": {"authorization": "hidden words"}, "body": {"system": "hidden words"}},
        "response": {"text": answer},
    }
    return row | more


def user(words: str) -> dict[str, Any]:
    return {"role": "user", "content": words}


def agent(words: str, *calls: dict[str, Any]) -> dict[str, Any]:
    content = [{"type": "reasoning", "text": "hidden words"}, {"type": "text", "text": words}]
    return {"role": "assistant", "content": content, "toolCalls": list(calls)}


def log(home: Path, rows: Iterable[Any], session: str = SESSION) -> Path:
    path = home / ".zcode" / "cli" / "rollout" / f"model-io-{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def told(path: Path, adapter: Any = ZCODE) -> list[Record]:
    return list(adapter.read(path, None))


def turns(records: Iterable[Record]) -> list[tuple[str, str]]:
    found = sorted((record for record in records if isinstance(record, TurnRecord)), key=lambda turn: turn.order)
    assert len({turn.order for turn in found}) == len(found)
    return [(turn.role, turn.text) for turn in found]


def facts(records: Iterable[Record], name: str) -> list[Any]:
    found = (getattr(record, name) for record in records if isinstance(record, SessionRecord))
    return [value for value in found if value is not None]


def reasons(records: Iterable[Record]) -> list[str]:
    return [record.reason for record in records if isinstance(record, SkipRecord)]


# ---- what is found ----


def test_the_root_is_what_any_of_the_variables_names(tmp_path: Path) -> None:
    assert ZCODE.roots(tmp_path, {}) == [tmp_path / ".zcode"]
    for name in ("ZCODE_STORAGE_DIR", "ZCODE_HOME", "ZCODE_DIR"):
        assert ZCODE.roots(tmp_path, {name: "/data/z"}) == [Path("/data/z")]


def test_the_database_logs_and_transcripts_are_found_and_nothing_else(tmp_path: Path) -> None:
    root = tmp_path / ".zcode"
    wanted = [database(tmp_path), log(tmp_path, [])]
    for name in ("cli/agents/s/agent_1/transcript.jsonl", "projects/home-mei-kite/abc.jsonl"):
        wanted.append(root / name)
    for name in (
        "cli/rollout/model-io-no-session.jsonl", "cli/agents/s/agent_1/metadata.json", "cli/config.json",
        "cli/agents/s/agent_1/output.jsonl", "log/zcode-2026-11-02.jsonl", "cli/db/other.sqlite", "cli/rollout/x.jsonl",
    ):  # fmt: skip
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("{}")
    for path in wanted:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert sorted(path for path in ZCODE.find(root) if isinstance(path, Path)) == sorted(wanted)
    assert ZCODE.is_divided(wanted[0])
    assert not ZCODE.is_divided(wanted[1])
    assert ZCODE.resume(SESSION) is None


# ---- the database ----


def test_a_session_of_the_database_is_its_text_parts_in_order_of_time(tmp_path: Path) -> None:
    path = database(tmp_path, SESSION)
    said(path, SESSION, "m9", "user", text("<system-reminder>x</system-reminder> Why?"), time=str(TIME))
    said(
        path, SESSION, "m1", "assistant",
        text("second", at=str(TIME + 20)), {"type": "thinking", "thinking": "hidden words"},
        text("first", at=TIME + 10),
        {"type": "tool_use", "name": "Read", "input": {"file_path": "a"}, "at": TIME + 30},
        time="2026-11-02T07:00:00Z",
    )  # fmt: skip
    said(path, SESSION, "m2", "user", {"type": "tool_result", "content": "of a tool"}, time=TIME + 4_000_000)
    said(path, SESSION, "m3", "user", text("<task-notification>done</task-notification>"), time=TIME + 5_000_000)
    said(path, SESSION, "m4", "user", text("injected", synthetic=True), text("还有呢？"), time=TIME + 6_000_000)
    records = told(within(path, SESSION))
    assert turns(records) == [("user", "Why?"), ("assistant", "first\n\nsecond"), ("user", "还有呢？")]
    assert {record.quality for record in records if isinstance(record, TurnRecord)} == {"exact"}
    assert facts(records, "title") == ["Title 0"]
    assert facts(records, "project") == ["/home/mei/kite"]
    assert reasons(records) == []
    assert records[-1] == Checkpoint(0)
    with_tools = turns(told(within(path, SESSION), ZCODE.with_tools()))
    assert with_tools[2:4] == [("tool", 'Read\n{"file_path": "a"}'), ("tool", "of a tool")]


def test_what_the_database_holds_in_an_unknown_form_is_counted(tmp_path: Path) -> None:
    path = database(tmp_path, SESSION)
    said(path, SESSION, "m1", "user", text("hello"), {"type": "hologram"}, "no json", '{"type": "text", "text": 7}')
    records = told(within(path, SESSION))
    assert turns(records) == [("user", "hello")]
    assert sorted(reasons(records)) == ["not-json", "unknown-type"]


def test_sessions_come_newest_first_and_their_tokens_change_with_them(tmp_path: Path) -> None:
    names = [f"s{number}" for number in range(NEWEST + 2)]
    path = database(tmp_path, *names)
    places = [place for place in session_places(path) if isinstance(place, Place)]
    assert [place.path for place in places] == [within(path, name) for name in reversed(names)]
    assert places[0].changed == TIME + len(names) - 1
    tokens = {place.path: place.token for place in places}

    def changed() -> set[str]:
        now = {place.path: place.token for place in session_places(path) if isinstance(place, Place)}
        return {place.name for place, token in now.items() if token != tokens[place]}

    said(path, names[-1], "m1", "user", text("a part that no time of the session tells of"))
    assert changed() == set(names[2:]), "the newest are read again whatever changed"
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE session SET title = 'renamed' WHERE id = 's0'")
        db.commit()
    assert changed() == {*names[2:], "s0"}


def test_a_sub_agent_in_the_database_knows_its_parent(tmp_path: Path) -> None:
    path = database(tmp_path, "sess_subagent_agent_1", "sess_dwf-1", SESSION)
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE session SET parent_id = ? WHERE id = 'sess_subagent_agent_1'", (SESSION,))
        db.execute("INSERT INTO model_usage VALUES (?, 'glm-4', 1), (?, 'glm-5', 2)", (SESSION, SESSION))
        db.commit()
    child = told(within(path, "sess_subagent_agent_1"))
    assert (facts(child, "kind"), facts(child, "parent")) == (["subagent"], [SESSION])
    assert facts(told(within(path, "sess_dwf-1")), "kind") == ["automated"]
    assert facts(told(within(path, SESSION)), "model") == ["glm-5"]


def test_an_older_database_without_times_or_usage_is_read(tmp_path: Path) -> None:
    tables = """CREATE TABLE session (id, a, b, title, d, e); CREATE TABLE message (id, session_id, x, data);
                CREATE TABLE part (id, message_id, session_id, x, data);"""
    path = database(tmp_path, SESSION, tables=tables)
    said(path, SESSION, "m1", "user", text("hello"))
    assert [place.path.name for place in session_places(path) if isinstance(place, Place)] == [SESSION]
    assert turns(told(within(path, SESSION))) == [("user", "hello")]


def test_a_database_without_parts_is_set_aside(tmp_path: Path) -> None:
    path = database(tmp_path, tables="CREATE TABLE other (id)")
    with pytest.raises(Unreadable, match="schema"):
        list(session_places(path))


# ---- the request log ----


def test_windows_are_laid_over_each_other_by_their_places(tmp_path: Path) -> None:
    call = {"id": "c1", "name": "Read", "input": {"file_path": "a"}}
    tool = {"role": "tool", "toolName": "Read", "content": "hidden words of a tool"}
    system = {"role": "system", "content": "You help. Primary working directory: /home/mei/kite\nPlatform: x"}
    path = log(
        tmp_path,
        [
            request(1, 0, [system, user("<system-reminder>r</system-reminder>one")], "looking", messagesKind="full"),
            request(2, 2, [agent("looking", call), tool], "found"),
            request(3, 3, [tool, agent("found"), user("two")], "fails"),
            request(3, 3, [tool, agent("found"), user("two")], "done", attempt=2),
        ],
    )
    records = told(path)
    said_in_order = [("user", "one"), ("assistant", "looking"), ("assistant", "found"), ("user", "two")]
    assert turns(records) == [*said_in_order, ("assistant", "done")]
    assert "hidden words" not in repr(records)
    assert facts(records, "project") == ["/home/mei/kite"]
    minutes = [record.time // 60_000 % 60 for record in records if isinstance(record, TurnRecord) and record.time]
    assert minutes == [1, 1, 2, 3, 3], "a question has the time it was asked at, an answer the time it came"
    with_tools = turns(told(path, ZCODE.with_tools()))
    assert [turn for turn in with_tools if turn[0] == "tool"] == [
        ("tool", 'Read\n{"file_path": "a"}'),
        ("tool", "Read\nhidden words of a tool"),
    ]


def test_the_last_answer_is_added_unless_a_window_has_it(tmp_path: Path) -> None:
    window = [user("one"), agent("done")]
    assert turns(told(log(tmp_path, [request(1, 0, window, "done")]))) == [("user", "one"), ("assistant", "done")]
    assert turns(told(log(tmp_path, [request(1, 0, window, "more")])))[-1] == ("assistant", "more")
    failed = request(1, 0, window, "") | {"response": None, "error": "x"}
    assert turns(told(log(tmp_path, [failed]))) == [("user", "one"), ("assistant", "done")]


def test_an_earlier_attempt_that_is_logged_late_changes_nothing(tmp_path: Path) -> None:
    rows = [request(1, 0, [user("one")], "good", attempt=2), request(1, 0, [user("one")], "bad", attempt=1)]
    assert turns(told(log(tmp_path, rows))) == [("user", "one"), ("assistant", "good")]


def test_holes_stay_holes_and_later_lines_overwrite(tmp_path: Path) -> None:
    rows = [request(1, 40, [user("late")], "a"), request(2, 0, [user("early")], "b"), request(3, 0, [user("new")], "c")]
    assert turns(told(log(tmp_path, rows))) == [("user", "new"), ("user", "late"), ("assistant", "c")]


def test_what_was_said_before_the_log_begins_has_no_exact_time(tmp_path: Path) -> None:
    rows = [request(1, 0, [user("old"), agent("older answer"), user("now")], "a")]
    qualities = {record.text: record.quality for record in told(log(tmp_path, rows)) if isinstance(record, TurnRecord)}
    assert qualities == {"old": "file", "older answer": "file", "now": "exact", "a": "exact"}


def test_a_request_for_a_title_does_not_overwrite_the_conversation(tmp_path: Path) -> None:
    rows = [
        request(1, 0, [user("one")], "first"),
        request(2, 0, [user(f"Sum this up {n}") for n in range(9)], "A title", querySource="title"),
        request(3, 1, [agent("first"), user("two")], "second"),
    ]
    records = told(log(tmp_path, rows))
    assert [words for _, words in turns(records)] == ["one", "first", "two", "second"]
    assert reasons(records) == ["side-request"]


def test_a_log_without_places_gives_each_question_and_each_answer_once(tmp_path: Path) -> None:
    rows = [
        request(1, None, [user("one")], "looking"),
        request(2, None, [user("one"), agent("looking"), {"role": "user", "content": [{"type": "tool_result"}]}], "x"),
        request(2, None, [user("one")], "found", attempt=2),
        request(3, None, [user("one"), agent("found"), user("two")], "found"),
        request(4, None, [user("two")], "done"),
    ]
    assert [words for _, words in turns(told(log(tmp_path, rows)))] == ["one", "looking", "found", "two", "done"]


def test_unclosed_reminders_and_notices_are_not_human(tmp_path: Path) -> None:
    window = [user("<task-notification>x</task-notification>"), user("<system-reminder>never closed"), user("real")]
    assert turns(told(log(tmp_path, [request(1, 0, window, "")]))) == [("user", "real")]


@pytest.mark.parametrize("directory", ["/home/mei/kite", "C:\\new\\repo", "/数据/风筝", '/with "quotes', None])
@pytest.mark.parametrize("where", ["message", "blocks", "body"])
def test_the_working_directory_is_that_of_the_system_text(tmp_path: Path, directory: str | None, where: str) -> None:
    words = f"You help.\nPrimary working directory: {directory}\nPlatform: x" if directory else "You help."
    asked = user("Primary working directory: /not/this")
    if where == "body":
        row = request(1, 0, [asked], "")
        row["request"]["body"] = {"system": [{"type": "text", "text": words}], "tools": []}
    else:
        content: Any = words if where == "message" else [{"type": "text", "text": words}]
        row = request(1, 0, [{"role": "system", "content": content}, asked], "")
    path = log(tmp_path, [row])
    for compact in (True, False):
        path.write_text(json.dumps(row, ensure_ascii=compact) + "\n", encoding="utf-8")
        assert facts(told(path), "project") == ([directory] if directory else [])


def test_a_grown_log_is_read_again_as_a_whole(tmp_path: Path) -> None:
    path = log(tmp_path, [request(1, 0, [user("one")], "a")])
    with pytest.raises(Reread):
        list(ZCODE.read(path, Checkpoint(10)))
    assert told(path)[-1] == Checkpoint(path.stat().st_size)


def test_a_log_of_many_overlapping_windows_holds_each_message_once(tmp_path: Path) -> None:
    history: list[Any] = []
    rows: list[Any] = []
    for number in range(120):
        history += [user(f"question {number}"), agent(f"answer {number}")]
        kind = number % 3
        start = 0 if kind == 0 else max(0, len(history) - 3 - kind)
        rows.append(request(number, start, history[start:-1], f"answer {number}"))
    records = told(log(tmp_path, rows))
    assert [words for _, words in turns(records)] == [f"{w} {n}" for n in range(120) for w in ("question", "answer")]


def test_memory_is_taken_by_messages_not_by_how_often_they_were_sent(tmp_path: Path) -> None:
    history = [user(f"question {n}") if n % 2 == 0 else agent(f"answer {n}") for n in range(40)]

    def peak(times: int) -> int:
        rows = [request(n, 0, history, f"{n}", body={"system": "x" * 20_000}) for n in range(times)]
        path = log(tmp_path, rows)
        tracemalloc.start()
        assert len(turns(told(path))) == 41
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(2)
    assert peak(400) < 1.5 * peak(20)


@settings(max_examples=40)
@given(st.data())
def test_however_windows_overlap_the_conversation_comes_out_whole(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    size = data.draw(st.integers(1, 8))
    history = [user(f"q{n}") if n % 2 == 0 else agent(f"a{n}") for n in range(2 * size)]
    rows: list[Any] = []
    covered = 0
    for number in range(size):
        end = 2 * number + 1
        start = data.draw(st.integers(0, covered))
        covered = end
        rows.append(request(number, start, history[start:end], f"a{end}"))
    records = told(log(tmp_path_factory.mktemp("log"), rows))
    assert [words for _, words in turns(records)] == [f"{'qa'[n % 2]}{n}" for n in range(2 * size)]


# ---- one thing once ----


def test_a_log_of_a_session_that_the_database_holds_says_nothing(tmp_path: Path) -> None:
    path = database(tmp_path, SESSION)
    rollout = log(tmp_path, [request(1, 0, [user("one")], "a")])
    assert turns(told(rollout)) == [("user", "one"), ("assistant", "a")], "the database knows its name only"
    said(path, SESSION, "m1", "user", text("one"))
    assert told(rollout) == [Checkpoint(rollout.stat().st_size)]


def test_a_database_that_comes_later_stands_in_place_of_the_log(tmp_path: Path) -> None:
    before = [
        record for record in told(log(tmp_path, [request(1, 0, [user("one")], "a")])) if isinstance(record, TurnRecord)
    ]
    path = database(tmp_path, SESSION)
    said(path, SESSION, "m1", "user", text("one"))
    after = told(within(path, SESSION))
    own = [record for record in after if isinstance(record, TurnRecord)]
    [cut] = [Cut(2, record.since, record.time) for record in after if isinstance(record, CutRecord)]
    links = [Link(1, turn.order, turn.time, None, None, undone=False) for turn in before]
    links += [Link(2, turn.order, turn.time, turn.native_id, None, undone=False) for turn in own]
    assert active(links, None, [cut]) == [False] * len(before) + [True] * len(own)


def test_the_index_holds_a_session_once_whichever_store_came_first(tmp_path: Path) -> None:
    engine = Engine(tmp_path, adapters=(ZCODE,))  # type: ignore[arg-type]
    log(engine.home, [request(1, 0, [user("one")], "only the log has this")])
    engine.run()
    assert engine.texts(SESSION, "zcode") == ["one", "only the log has this"]
    path = database(engine.home, SESSION)
    said(path, SESSION, "m1", "user", text("one"))
    said(path, SESSION, "m2", "assistant", text("the database has this"), time=TIME + 9)
    engine.run()
    assert engine.texts(SESSION, "zcode") == ["one", "the database has this"]
    log(engine.home, [request(1, 0, [user("one")], "a"), request(2, 1, [agent("a"), user("two")], "b")])
    engine.run()
    assert engine.texts(SESSION, "zcode") == ["one", "the database has this"]
    assert engine.rows("SELECT count(*) FROM turns") == [(2,)], "nothing of the log is left"


def test_a_log_beside_a_broken_database_is_read(tmp_path: Path) -> None:
    path = database(tmp_path)
    path.write_bytes(b"no database at all" * 100)
    assert turns(told(log(tmp_path, [request(1, 0, [user("one")], "")]))) == [("user", "one")]


# ---- older transcripts ----


def transcript(path: Path, *rows: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_transcript_is_read_in_both_of_its_forms(tmp_path: Path) -> None:
    path = transcript(
        tmp_path / ".zcode" / "projects" / "x" / "abc.jsonl",
        {"role": "user", "content": "flat", "timestamp": "2026-03-01T10:00:00Z", "cwd": "/home/mei"},
        {
            "type": "assistant",
            "message": {"role": "assistant", "model": "glm-4", "content": [{"type": "text", "text": "b"}]},
        },
        {"type": "user", "isMeta": True, "message": {"role": "user", "content": "injected"}},
        {"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "content": "x"}]}},
        {"type": "dream"},
    )
    records = told(path)
    assert turns(records) == [("user", "flat"), ("assistant", "b")]
    assert (facts(records, "project"), facts(records, "model")) == (["/home/mei"], ["glm-4"])
    assert reasons(records) == ["unknown-type"]


def test_a_sub_agents_transcript_is_read_where_nothing_better_is(tmp_path: Path) -> None:
    path = tmp_path / ".zcode" / "cli" / "agents" / SESSION / "agent_1" / "transcript.jsonl"
    transcript(path, {"role": "user", "content": "look"})
    records = told(path)
    assert {record.session for record in records if isinstance(record, TurnRecord)} == {"sess_subagent_agent_1"}
    assert (facts(records, "parent"), facts(records, "kind")) == ([SESSION], ["subagent"])
    rollout = log(tmp_path, [request(1, 0, [user("look")], "")], "sess_subagent_agent_1")
    assert turns(told(path)) == []
    assert facts(told(rollout), "parent") == [SESSION]


# ---- the shared fixtures ----


@needs_fixtures
def test_the_texts_of_the_shared_log_are_as_expected() -> None:
    name = "zcode/derived/model-io-sess_3f1c8a52-0000-4000-8000-000000000001.jsonl"
    expected = json.loads((FIXTURES / "EXPECTED.json").read_text("utf-8"))[name]
    records = told(FIXTURES / name)
    assert [[role, words[:80]] for role, words in turns(records)] == expected["msgs"]
    assert facts(records, "project") == ["/home/user/proj"]


@needs_fixtures
def test_the_shared_database_is_read() -> None:
    [place] = session_places(FIXTURES / "zcode" / "derived" / "db.sqlite")
    assert isinstance(place, Place)
    assert place.path.name == "session-001"
    records = told(place.path)
    assert turns(records) == [("user", "Inspect the login flow."), ("assistant", "I'll inspect the auth code first.")]
    assert facts(records, "title") == ["Acme session"]
