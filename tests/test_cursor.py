"""Cursor's three stores: composers in a key-value table, chats with their blobs, and transcripts without times."""

from __future__ import annotations

import json
import os
from contextlib import closing
from hashlib import md5, sha256
from pathlib import Path
from typing import Any

import apsw
import pytest
from harkback.adapters.cursor import Cursor
from harkback.adapters.cursor_store import child_ids
from harkback.adapters.cursor_turns import KEPT
from harkback.adapters.foreign_connection import CELL_LIMIT
from harkback.adapters.foreign_places import split, within
from harkback.core.model import Checkpoint, Place, Reread, SkipRecord, Unreadable
from hypothesis import given
from hypothesis import strategies as st
from samples import Told, divided, path_of

CURSOR = Cursor()
FIXTURES = Path(__file__).parents[1].parent / "shared" / "fixtures" / "cursor"
ID = "1b2c3d4e-5f60-4718-8293-a4b5c6d7e8f9"
MTIME = 1_786_000_000
CREATED = 1_785_000_000_000


def told(*paths: Path, adapter: Cursor = CURSOR) -> Told:
    result = Told()
    for path in paths:
        result.read(adapter, path)
    return result


def found(root: Path, adapter: Cursor = CURSOR) -> Told:
    """All that is found below a root and read."""
    paths = [each for item in adapter.find(root) for each in divided(adapter, item) if not isinstance(each, SkipRecord)]
    return told(*(path_of(each) for each in paths), adapter=adapter)


def turns(result: Told) -> dict[str, list[tuple[str, str]]]:
    return {name: [(role, text) for role, text in each["turns"]] for name, each in result.sessions().items()}


# ---- composers ----


def composer(*bubbles: tuple[str, int], of: str = ID, **more: Any) -> tuple[str, Any]:
    headers = [{"bubbleId": bubble, "type": kind} for bubble, kind in bubbles]
    facts = {
        "composerId": of,
        "createdAt": CREATED,
        "lastUpdatedAt": CREATED + 9,
        "fullConversationHeadersOnly": headers,
    }
    return f"composerData:{of}", facts | more


def bubble(name: str, kind: int, text: str, of: str = ID, **more: Any) -> tuple[str, Any]:
    return f"bubbleId:{of}:{name}", {"type": kind, "text": text, "createdAt": "2026-08-13T06:27:00.000Z", **more}


def database(tmp_path: Path, *cells: tuple[str, Any], items: dict[str, Any] | None = None, user: str = "User") -> Path:
    path = tmp_path / user / "globalStorage" / "state.vscdb"
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(apsw.Connection(str(path))) as db:
        for table, rows in (("ItemTable", (items or {}).items()), ("cursorDiskKV", cells)):
            db.execute(f"CREATE TABLE IF NOT EXISTS {table}(key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
            values = (
                (key, value if value is None or isinstance(value, str | bytes) else json.dumps(value))
                for key, value in rows
            )
            db.executemany(f"INSERT INTO {table} VALUES(?, ?)", values)
    return path


def places(path: Path) -> dict[str, Place]:
    return {split(place.path)[1]: place for place in CURSOR.places(path) if isinstance(place, Place)}


def composers(tmp_path: Path, *cells: tuple[str, Any], adapter: Cursor = CURSOR) -> Told:
    path = database(tmp_path, *cells)
    return told(*(place.path for place in places(path).values()), adapter=adapter)


def test_bubbles_stand_in_the_order_of_the_headers(tmp_path: Path) -> None:
    result = composers(
        tmp_path, composer(("b", 1), ("a", 2), ("b", 1), of=ID), bubble("a", 2, "answer"), bubble("b", 1, "ask"),
        bubble("a", 2, "of another composer", of=ID + "0"),
    )  # fmt: skip
    assert turns(result) == {ID: [("user", "ask"), ("assistant", "answer")]}


def test_a_missing_bubble_is_counted_and_one_without_a_header_was_edited_away(tmp_path: Path) -> None:
    result = composers(
        tmp_path, composer(("a", 1), ("gone", 2), ("null", 2)), bubble("a", 1, "ask"), bubble("x", 1, "edited away"),
        (f"bubbleId:{ID}:null", None),
    )  # fmt: skip
    assert turns(result) == {ID: [("user", "ask")]}
    assert "edited away" in {turn.text for turn in result.turns}
    assert [skip.reason for skip in result.skips] == ["missing-message"] * 2


def test_conversations_of_old_stand_in_the_composer_itself(tmp_path: Path) -> None:
    inline = [
        {"type": 1, "bubbleId": "x", "text": "ask"},
        {"type": 2, "text": "answer"},
        {"type": 2, "text": "more"},
        7,
    ]
    assert turns(composers(tmp_path, composer(conversation=inline))) == {
        ID: [("user", "ask"), ("assistant", "answer"), ("assistant", "more")]
    }
    mapped = {"a": {"type": 1, "text": "from the map"}}
    assert turns(composers(tmp_path / "2", composer(("a", 1), conversationMap=mapped))) == {
        ID: [("user", "from the map")]
    }


def test_thoughts_and_raw_models_messages_are_left_out(tmp_path: Path) -> None:
    result = composers(
        tmp_path, composer(("a", 1), ("b", 2), ("c", 3)), bubble("a", 1, "ask"), bubble("c", 3, "no speaker"),
        bubble("b", 2, " ", thinking={"text": "hidden"}, rawText="only raw"),
        ("agentKv:blob:1", {"role": "system", "content": "You are"}),
    )  # fmt: skip
    assert turns(result) == {ID: [("user", "ask"), ("assistant", "only raw")]}


def test_composers_without_anything_are_no_sessions(tmp_path: Path) -> None:
    path = database(tmp_path, ("composerData:null", None), composer(of="empty"), ("bubbleId:null:a", None))
    assert places(path) == {}


def test_the_newest_composer_comes_first_and_says_when_it_changed(tmp_path: Path) -> None:
    old, new = composer(("a", 1), of="old"), composer(("a", 1), of="new", lastUpdatedAt=CREATED + 99)
    path = database(tmp_path, old, new)
    listed = [place for place in CURSOR.places(path) if isinstance(place, Place)]
    assert [split(place.path)[1] for place in listed] == ["new", "old"]
    assert [place.changed for place in listed] == [CREATED + 99, CREATED + 9]


@pytest.mark.parametrize(
    "change",
    [
        {"lastUpdatedAt": CREATED + 10},
        {"fullConversationHeadersOnly": [{"bubbleId": "a", "type": 1}, {"bubbleId": "b", "type": 2}]},
        {"name": "Another name"},
    ],
)
def test_a_changed_composer_has_another_token_and_its_neighbour_has_not(tmp_path: Path, change: dict[str, Any]) -> None:
    path = database(tmp_path, composer(("a", 1)), composer(("a", 1), of="neighbour"))
    before, token = places(path), CURSOR.token(path)
    database(tmp_path, composer(("a", 1), **change))
    after = places(path)
    assert after[ID].token != before[ID].token
    assert after["neighbour"] == before["neighbour"]
    assert CURSOR.token(path) != token


def test_a_list_with_times_saves_looking_into_composers(tmp_path: Path) -> None:
    heads = {"allComposers": [{"composerId": ID, "name": "Listed", "lastUpdatedAt": CREATED + 50}]}
    path = database(tmp_path, composer(("a", 1)), items={"composer.composerHeaders": heads})
    assert places(path)[ID].changed == CREATED + 50
    before = places(path)[ID].token
    database(tmp_path, composer(("a", 1), ("b", 1)), items={"composer.composerHeaders": heads})
    assert places(path)[ID].token != before, "it grew"


def test_names_and_folders_come_from_the_lists(tmp_path: Path) -> None:
    heads = {
        "allComposers": [
            {"composerId": ID, "name": "Listed", "workspaceIdentifier": {"uri": {"fsPath": "/src/demo"}}},
            7,
        ]
    }
    path = database(
        tmp_path, composer(("a", 1), of=ID), bubble("a", 1, "ask"), items={"composer.composerHeaders": heads}
    )
    workspace = tmp_path / "User" / "workspaceStorage" / "w1"
    workspace.mkdir(parents=True)
    (workspace / "workspace.json").write_text('{"folder": "file:///src/other"}')
    with closing(apsw.Connection(str(workspace / "state.vscdb"))) as db:
        db.execute("CREATE TABLE ItemTable(key TEXT UNIQUE, value BLOB)")
        value = json.dumps({"allComposers": [{"composerId": "c2", "name": "New Agent"}, {"composerId": "c3"}]})
        db.execute("INSERT INTO ItemTable VALUES('composer.composerData', ?)", (value,))
    database(tmp_path, composer(("a", 1), of="c2"), bubble("a", 1, "ask too", of="c2"))
    listed = [item for item in CURSOR.find(tmp_path / "User") if not isinstance(item, SkipRecord)]
    assert {path_of(item) for item in listed} == {path, workspace / "state.vscdb"}
    sessions = found(tmp_path / "User").sessions()
    assert {name: (each["title"], each["project"]) for name, each in sessions.items()} == {
        ID: ("Listed", "/src/demo"), "c2": ("ask too", "/src/other"),
    }  # fmt: skip


def test_cursors_own_folder_is_no_project(tmp_path: Path) -> None:
    dirs = {"a": "/home/kim/.cursor/projects/src-demo", "b": "/src/demo"}
    bubbles = (bubble(name, 1, name, workspaceProjectDir=path) for name, path in dirs.items())
    result = composers(tmp_path, composer(("a", 1), ("b", 2)), *bubbles)
    assert result.sessions()[ID]["project"] == "/src/demo"


def test_no_command_reopens_a_composer(tmp_path: Path) -> None:
    (session,) = composers(tmp_path, composer(("a", 1)), bubble("a", 1, "ask")).sessions().values()
    assert CURSOR.resume(session["handle"]) is None


def test_a_bubble_without_a_time_has_the_composers(tmp_path: Path) -> None:
    (turn,) = composers(tmp_path, composer(("a", 1)), bubble("a", 1, "ask", createdAt=None)).turns
    assert (turn.time, turn.quality) == (CREATED, "file")


def test_the_tools_of_bubbles_stand_where_they_were_called(tmp_path: Path) -> None:
    tool = {"name": "read_file", "rawArgs": '{"path":"a"}', "result": "text of a"}
    cells = [composer(("a", 1), ("b", 2), ("c", 2)), bubble("a", 1, "ask"), bubble("b", 2, "", toolFormerData=tool)]
    cells.append(bubble("c", 2, "answer", toolFormerData={"name": 7}))
    result = composers(tmp_path, *cells, adapter=CURSOR.with_tools())
    assert turns(result)[ID] == [
        ("user", "ask"), ("tool", 'read_file\n{"path":"a"}'), ("tool", "read_file\ntext of a"), ("assistant", "answer"),
    ]  # fmt: skip


def test_cells_that_are_too_large_cost_themselves_alone(tmp_path: Path) -> None:
    huge = "x" * (CELL_LIMIT + 1)
    path = database(
        tmp_path, composer(("a", 1), ("b", 2)), bubble("a", 1, "ask"), (f"bubbleId:{ID}:b", huge),
        ("composerData:huge", huge), ("agentKv:blob:1", huge), ("bubbleId:other:a", huge),
    )  # fmt: skip
    assert set(places(path)) == {ID, "huge"}
    result = told(within(path, ID))
    assert turns(result) == {ID: [("user", "ask")]}
    assert {skip.reason for skip in result.skips} == {"too-large", "missing-message"}
    with pytest.raises(Unreadable, match="too-large"):
        list(CURSOR.read(within(path, "huge"), None))


def test_composers_and_bubbles_that_are_no_json_are_counted(tmp_path: Path) -> None:
    path = database(
        tmp_path,
        composer(("a", 1), ("b", 2)),
        bubble("a", 1, "ask"),
        (f"bubbleId:{ID}:b", "{oops"),
        ("composerData:odd", "{oops"),
    )
    assert {skip.reason for skip in told(within(path, ID)).skips} == {"not-json", "missing-message"}
    with pytest.raises(Unreadable, match="not-json"):
        list(CURSOR.read(within(path, "odd"), None))


def test_a_database_without_the_table_holds_nothing(tmp_path: Path) -> None:
    path = database(tmp_path)
    with closing(apsw.Connection(str(path))) as db:
        db.execute("DROP TABLE cursorDiskKV")
    assert places(path) == {}


def test_only_the_database_of_all_composers_is_divided(tmp_path: Path) -> None:
    user = tmp_path / "User"
    assert CURSOR.is_divided(user / "globalStorage" / "state.vscdb")
    assert not CURSOR.is_divided(user / "workspaceStorage" / "w1" / "state.vscdb")
    assert not CURSOR.is_divided(tmp_path / "chats" / "m" / "s" / "store.db")


def test_a_composer_with_a_files_name_is_still_a_composer(tmp_path: Path) -> None:
    for name in ("a.db", "b.jsonl", "c.vscdb"):
        result = composers(tmp_path / name, composer(("a", 1), of=name), bubble("a", 1, "ask", of=name))
        assert turns(result) == {name: [("user", "ask")]}


# ---- transcripts ----


def line(role: str, *blocks: Any) -> dict[str, Any]:
    return {
        "role": role,
        "message": {"content": [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]},
    }


def transcript(tmp_path: Path, *lines: Any, name: str = f"{ID}/{ID}.jsonl", project: str = "src-demo") -> Path:
    path = tmp_path / ".cursor" / "projects" / project / "agent-transcripts" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in lines), encoding="utf-8")
    os.utime(path, (MTIME, MTIME))
    return path


def test_the_words_are_those_inside_the_query_and_the_time_is_the_files(tmp_path: Path) -> None:
    path = transcript(
        tmp_path, line("user", "<user_info>\nOS\n</user_info>\n<user_query>\nask\n</user_query>\n<rules>x</rules>"),
        line("assistant", "answer", {"type": "tool_use", "name": "Shell", "input": {"command": "ls"}}),
        line("user", {"type": "tool_result", "content": [{"type": "text", "text": "a.txt"}]}),
        line("assistant", {"type": "thinking", "thinking": "hidden"}, "[REDACTED]"), {"type": "turn_ended"},
        line("user", "<user_info>\nOS\n</user_info>"), line("user", "untagged <user_info> stays"),
    )  # fmt: skip
    result = told(path)
    assert turns(result) == {ID: [("user", "ask"), ("assistant", "answer"), ("user", "untagged <user_info> stays")]}
    assert {(turn.time, turn.quality) for turn in result.turns} == {(MTIME * 1000, "file")}
    assert not result.skips
    assert [text for role, text in turns(told(path, adapter=CURSOR.with_tools()))[ID] if role == "tool"] == [
        'Shell\n{"command": "ls"}', "a.txt",
    ]  # fmt: skip


def test_unknown_lines_and_blocks_are_counted(tmp_path: Path) -> None:
    path = transcript(tmp_path, line("user", "ask", {"type": "hologram"}), {"type": "future"}, line("oracle", "x"), {})
    result = told(path)
    assert turns(result) == {ID: [("user", "ask")]}
    assert sum(skip.count for skip in result.skips if skip.reason == "unknown-type") == 4


def test_transcripts_are_found_in_every_layout(tmp_path: Path) -> None:
    paths = {
        transcript(tmp_path), transcript(tmp_path, name="flat.jsonl"), transcript(tmp_path, name="old.txt"),
        transcript(tmp_path, name=f"{ID}/subagents/child.jsonl"), transcript(tmp_path, name="lone.jsonl", project="."),
    }  # fmt: skip
    transcript(tmp_path, name="flat.txt")
    transcript(tmp_path, name=f"{ID}/notes.jsonl")
    other = tmp_path / ".cursor" / "projects" / "src-demo"
    (other / "mcp-auth.json").write_text("{}")
    (other / "terminals").mkdir()
    (other / "terminals" / "1.txt").write_text("user:\nno transcript\n")
    assert set(CURSOR.find(tmp_path / ".cursor")) == {path.resolve() for path in paths}


def test_a_sub_agents_transcript_names_its_parent_and_the_trusted_folder_is_the_project(tmp_path: Path) -> None:
    path = transcript(tmp_path, line("user", "look"), name=f"{ID}/subagents/child.jsonl")
    (path.parents[3] / ".workspace-trusted").write_text('{"workspacePath": "/src/demo"}')
    (session,) = told(path).sessions().values()
    assert (session["kind"], session["parent"], session["project"]) == ("subagent", ID, "/src/demo")


def test_a_transcript_of_plain_text(tmp_path: Path) -> None:
    path = transcript(tmp_path, name="old.txt")
    path.write_text(
        "user:\n<user_query>\nWhat says user: here?\n</user_query>\n\nassistant:\n[Thinking] hidden\n  still hidden\n\n"
        "Let me see.\n[Tool call] Read\n  path: a.md\n\n[Tool result] Read\n  secret of the tool\n\nIt says so.\n"
        "user:\nuntagged\nassistant:\n[Tool call] Read\n  path: b.md\n"
    )
    assert turns(told(path))["old"] == [
        ("user", "What says user: here?"), ("assistant", "Let me see.\nIt says so."), ("user", "untagged"),
    ]  # fmt: skip
    tools = [text for role, text in turns(told(path, adapter=CURSOR.with_tools()))["old"] if role == "tool"]
    assert tools == ["Read\npath: a.md", "Read\nsecret of the tool", "Read\npath: b.md"]
    with pytest.raises(Reread):
        list(CURSOR.read(path, Checkpoint(3)))


def test_a_long_transcript_is_read_on_or_again_and_gives_the_same(tmp_path: Path) -> None:
    for size in (3, KEPT + 1):
        lines = [line("assistant", f"turn {number}") for number in range(size)]
        path = transcript(tmp_path, *lines)
        grown = Told()
        mark = grown.read(CURSOR, path)
        transcript(tmp_path, *lines, line("assistant", "turn 0"), line("user", "last"))
        grown.read(CURSOR, path, mark)
        assert grown.sessions() == told(path).sessions()
        assert len({turn.native_id for turn in grown.turns}) == size + 2
    for state in (b"\xff", b"\x91\x01", b""):
        path = transcript(tmp_path, line("user", "ask"))
        if state:
            with pytest.raises(Reread):
                list(CURSOR.read(path, Checkpoint(3, state)))


# ---- chats of the command line ----


def chat(
    tmp_path: Path, *messages: Any, name: str = ID, meta: Any = None, facts: Any = None, root: bytes | None = None
) -> Path:
    folder = tmp_path / ".cursor" / "chats" / md5(b"/src/demo").hexdigest() / name  # noqa: S324, Cursor's own way
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "store.db"
    data = [each if isinstance(each, bytes) else json.dumps(each, ensure_ascii=False).encode() for each in messages]
    if root is None:
        root = b"".join(b"\x0a\x20" + sha256(each).digest() for each in data)
    root_id = sha256(root).hexdigest()
    head = {
        "agentId": name,
        "latestRootBlobId": root_id,
        "name": "Named",
        "createdAt": CREATED,
        "lastUsedModel": "composer-2",
    }
    value = (json.dumps(head).encode() if meta is None else meta).hex()
    path.unlink(missing_ok=True)
    with closing(apsw.Connection(str(path))) as db:
        db.execute(
            "CREATE TABLE blobs(id TEXT PRIMARY KEY, data BLOB); CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT)"
        )
        db.execute("INSERT INTO meta VALUES('0', ?)", (value,))
        db.executemany(
            "INSERT OR IGNORE INTO blobs VALUES(?, ?)", [(sha256(each).hexdigest(), each) for each in [*data, root]]
        )
    os.utime(path, (MTIME, MTIME))
    if facts is not None:
        (folder / "meta.json").write_text(json.dumps(facts))
    return path


def says(role: str, *parts: Any) -> dict[str, Any]:
    return {
        "role": role,
        "content": [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts],
    }


DIALOG = [says("user", "<user_query>\nask\n</user_query>"), says("assistant", "answer"), says("user", "on")]


def test_a_chat_is_what_its_root_lists_in_that_order(tmp_path: Path) -> None:
    call = {"type": "tool-call", "toolName": "Read", "args": {"path": "a"}}
    path = chat(
        tmp_path, {"role": "system", "content": "You are"},
        {"role": "user", "content": "<user_info>\nOS\n</user_info>"}, says("user", "<user_query>\nask\n</user_query>"),
        says("assistant", {"type": "reasoning", "text": "hidden"}, "see", call),
        says("tool", "loose text", {"type": "tool-result", "toolName": "Read", "result": "text of a"}),
        says("assistant", "same"), says("assistant", "same"),
        facts={"cwd": "/src/demo", "title": "Beside", "updatedAtMs": CREATED + 60_000},
    )  # fmt: skip
    result = told(path)
    expected = [("user", "ask"), ("assistant", "see"), ("assistant", "same"), ("assistant", "same")]
    assert turns(result) == {ID: expected}
    session = result.sessions()[ID]
    assert [session[key] for key in ("title", "project", "model", "kind")] == [
        "Named",
        "/src/demo",
        "composer-2",
        "main",
    ]
    assert session["times"] == [CREATED, *[CREATED + 60_000] * 3]
    assert {turn.quality for turn in result.turns} == {"file"}
    assert turns(told(path, adapter=CURSOR.with_tools()))[ID][2:4] == [
        ("tool", 'Read\n{"path": "a"}'), ("tool", "Read\ntext of a"),
    ]  # fmt: skip


def test_the_key_that_a_chat_holds_is_not_even_decoded(tmp_path: Path) -> None:
    secret = "0123" * 8
    head = {"agentId": ID, "latestRootBlobId": "00", "blobEncryptionKey": secret, "name": secret[:0]}
    result = told(chat(tmp_path, meta=json.dumps(head).encode()))
    assert secret not in repr(list(result.records()))
    assert [skip.reason for skip in result.skips] == ["no-root"]


def test_blobs_that_are_missing_or_no_messages_are_counted(tmp_path: Path) -> None:
    data = [json.dumps(each).encode() for each in DIALOG]
    ids = [sha256(each).digest() for each in [*data, b"never written"]]
    root = b"".join(b"\x0a\x20" + each for each in ids) + b"\x10\x05\x1a\x03abc\x0a\x02xy"
    path = chat(tmp_path, *data[:2], b"\x00encrypted", data[2], root=root)
    result = told(path)
    assert turns(result) == {ID: [("user", "ask"), ("assistant", "answer"), ("user", "on")]}
    assert [skip.reason for skip in result.skips] == ["unreadable-blob"]


def test_a_chat_without_a_head_is_unreadable_unless_its_transcript_is_there(tmp_path: Path) -> None:
    path = chat(tmp_path, *DIALOG, meta=b"\xff\xff")
    with pytest.raises(Unreadable, match="no-meta"):
        list(CURSOR.read(path, None))
    transcript(tmp_path, line("user", "<user_query>ask</user_query>"))
    result = told(path)
    assert turns(result) == {ID: [("user", "ask")]}
    assert [skip.reason for skip in result.skips] == ["no-meta"]


def test_a_chat_that_is_being_written_is_waited_for_even_if_its_transcript_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = chat(tmp_path, *DIALOG)
    transcript(tmp_path, line("user", "<user_query>ask</user_query>"))
    monkeypatch.setattr("harkback.adapters.foreign_sqlite.PAUSES", (0,))
    monkeypatch.setattr("harkback.adapters.foreign_connection.BUSY_MILLISECONDS", 1)
    with closing(apsw.Connection(str(path))) as writer:
        writer.execute("BEGIN EXCLUSIVE; INSERT INTO blobs VALUES('x', 'y')")
        with pytest.raises(Unreadable, match="busy"):
            list(CURSOR.read(path, None))


def test_a_chat_and_its_transcript_are_one_thing_and_the_fuller_one_is_read(tmp_path: Path) -> None:
    path = chat(tmp_path, *DIALOG)
    flat = transcript(
        tmp_path,
        line("user", "<user_query>ask</user_query>"),
        line("assistant", "answer, [REDACTED]"),
        name=f"{ID}.jsonl",
    )
    (item,) = CURSOR.find(tmp_path / ".cursor")
    assert isinstance(item, Place)
    assert item.path == path
    assert {flat, path.with_name("meta.json"), path.with_name("store.db-wal")} <= set(item.beside)
    assert turns(found(tmp_path / ".cursor")) == {ID: [("user", "ask"), ("assistant", "answer"), ("user", "on")]}
    transcript(tmp_path, *(line("user", f"prompt {number}") for number in range(3)), name=f"{ID}.jsonl")
    result = found(tmp_path / ".cursor")
    assert [text for _, text in turns(result)[ID]] == ["prompt 0", "prompt 1", "prompt 2"]
    assert result.sessions()[ID]["title"] == "Named"


def test_a_turn_has_the_same_name_in_every_store(tmp_path: Path) -> None:
    """The editor writes transcripts too; what both have stands once."""
    lines = line("user", "<user_query>\nask\n</user_query>"), line("assistant", "answer"), line("user", "on")
    bubbles = bubble("a", 1, "ask"), bubble("b", 2, "answer"), bubble("c", 1, "on")
    composed = composers(tmp_path, composer(("a", 1), ("b", 2), ("c", 1)), *bubbles)
    results = told(chat(tmp_path, *DIALOG)), told(transcript(tmp_path, *lines)), composed
    names = [{turn.text: turn.native_id for turn in result.turns} for result in results]
    assert names[0] == names[1] == names[2]
    assert len(set(names[0].values())) == 3


def test_a_root_is_read_as_protobuf() -> None:
    one, two = b"\x01" * 32, b"\xfe" * 32
    other_fields = b"\x10\xac\x02" + b"\x1a\x20" + b"\x07" * 32 + b"\x21" + b"\0" * 8 + b"\x2d" + b"\0" * 4
    root = b"\x0a\x20" + one + other_fields + b"\x0a\x02no" + b"\x0a\x20" + two
    assert child_ids(root) == [one.hex(), two.hex()]
    assert child_ids(root[:-1]) == [one.hex()]


@given(st.binary(max_size=200))
def test_no_root_is_too_odd(root: bytes) -> None:
    assert all(len(each) == 64 for each in child_ids(root))


@given(st.lists(st.binary(min_size=32, max_size=32), max_size=6), st.binary(max_size=40))
def test_every_child_of_a_root_is_listed_whatever_follows(children: list[bytes], junk: bytes) -> None:
    root = b"".join(b"\x0a\x20" + each for each in children) + junk
    assert child_ids(root)[: len(children)] == [each.hex() for each in children]


# ---- all of it ----


def test_the_roots_are_the_editors_folders_and_the_command_lines() -> None:
    home = Path("/home/kim")
    assert [root.relative_to(home).as_posix() for root in CURSOR.roots(home, {})] == [
        ".config/Cursor/User", "Library/Application Support/Cursor/User", "AppData/Roaming/Cursor/User", ".cursor",
    ]  # fmt: skip
    assert Path("/data/cursor") in CURSOR.roots(home, {"CURSOR_CONFIG_DIR": "/data/cursor"})
    assert CURSOR.resume(ID) == ["cursor-agent", "--resume", ID]


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared fixtures are not here")
def test_every_fixture_gives_its_texts() -> None:
    files = [path for path in FIXTURES.rglob("*") if path.suffix in (".jsonl", ".db")]
    placed = [place.path for place in CURSOR.places(FIXTURES / "own_state.vscdb") if isinstance(place, Place)]
    read = turns(told(*files, *placed, FIXTURES / "own_state.vscdb"))
    shown = {name: [text for _, text in each] for name, each in read.items()}
    shown["as_test-session"][2] = shown["as_test-session"][2].partition("total 0")[0]
    assert shown == {
        "as_small": ["List the files.", "Here are the files.", "Run ls.", "Running ls."],
        "as_large": [
            "What files are here?", "I will list the files.", "There are two files.", "Read file1.txt.",
            "The file contains: hello world.", "Thanks.", "You are welcome.",
        ],
        "as_schema_drift": [
            "Use the repo context and explain the latest build issue.", "The build issue is in Example.swift:42.",
        ],
        "parent": ["Run a subagent.", "Spawning subagent."],
        "child": ["List files", "file1.txt\nfile2.txt"],
        "as_test-session": [
            "run ls command", "Running the ls command for you.",
            "Here are the directory contents:\n\n```\n", "now show me the git status",
            "The repository is clean — no uncommitted changes.",
        ],
        "as_subagent-session": [
            "Run ls -la in the workspace directory and return the output.", "Done. The directory has 12 entries.",
        ],
        "deja_registry-cursor": ["inspect the cursor transcript", "the transcript is readable"],
        "1031d227-0c67-4e17-8954-0b6e2b3322f0": ["Run a quick smoke test", "Smoke test passed."],
        "a1b2c3d4-e5f6-7890-abcd-ef1234567890": ["Why is this cache stale?", "The cache key omits the locale."],
        "c0ffee00-0000-4000-8000-000000000001": ["Why is this cache stale?", "缓存键缺少 locale。"],
        "old": ["inline legacy question", "inline legacy answer"],
    }  # fmt: skip
