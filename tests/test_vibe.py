"""Mistral Vibe's folders, its older documents, compaction, sub-agents and what is missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harkback.adapters.vibe import Vibe
from harkback.core.model import TITLE_GENERATED, TITLE_GIVEN, SessionRecord
from samples import Told

FIXTURES = Path(__file__).parents[1].parent / "shared" / "fixtures" / "vibe" / "av"
needs_fixtures = pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared fixtures are not here")
VIBE = Vibe()
META = {"session_id": "s1", "start_time": "2026-11-05T07:00:00Z", "title": "Varnish", "title_source": "auto"}


def write(folder: Path, *messages: Any, meta: Any = META) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    if meta is not None:
        (folder / "meta.json").write_text(json.dumps(meta))
    path = folder / "messages.jsonl"
    path.write_text("".join(json.dumps(message) + "\n" for message in messages), "utf-8")
    return path


def told(folder: Path, adapter: Any = VIBE) -> Told:
    read = Told()
    for item in adapter.find(folder):
        assert isinstance(item, Path)
        read.read(adapter, item)
    return read


def user(text: Any, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text} | more


def test_where_vibe_logs_its_sessions(tmp_path: Path) -> None:
    assert VIBE.roots(tmp_path, {}) == [tmp_path / ".vibe" / "logs" / "session"]
    assert VIBE.roots(tmp_path, {"VIBE_HOME": "/srv/vibe"}) == [Path("/srv/vibe/logs/session")]


def test_messages_have_the_time_of_the_sessions_start(tmp_path: Path) -> None:
    write(tmp_path / "session_20261105_070000_aaaaaaaa", user("When?"))
    (turn,) = told(tmp_path).turns
    assert (turn.time, turn.quality) == (1793862000000, "file")


def test_without_meta_data_the_folder_says_who_and_when(tmp_path: Path) -> None:
    write(tmp_path / "session_20261105_070000_aaaaaaaa", user("Who?"), meta=None)
    (turn,) = told(tmp_path).turns
    assert (turn.session, turn.time) == ("session_20261105_070000_aaaaaaaa", 1793862000000)


def test_meta_data_that_comes_later_gives_its_name_to_what_was_read(tmp_path: Path) -> None:
    path = write(tmp_path / "session_20261105_070000_aaaaaaaa", user("One."), meta=None)
    read = Told()
    mark = read.read(VIBE, path)
    write(path.parent, user("One."), user("Two."))
    read.read(VIBE, path, mark)
    assert [(turn.session, turn.text) for turn in read.turns] == [("s1", "One."), ("s1", "Two.")]


def test_injected_messages_reasoning_and_tools_are_no_text(tmp_path: Path) -> None:
    call = {"id": "c", "function": {"name": "grep", "arguments": '{"pattern": "coat"}'}}
    write(
        tmp_path / "session_x",
        user("injected", injected=True),
        user([{"type": "text", "text": "Asked."}, {"type": "image_url", "image_url": {"url": "data:..."}}]),
        {"role": "assistant", "content": "Looking.", "reasoning_content": "hm", "tool_calls": [call]},
        {"role": "tool", "name": "grep", "content": "third coat"},
        {"role": "narrator", "content": "?"},
    )
    read = told(tmp_path)
    assert read.sessions()["s1"]["turns"] == [["user", "Asked."], ["assistant", "Looking."]]
    assert [(skip.reason, skip.example.split()[0]) for skip in read.skips] == [("unknown-type", "narrator")]
    tools = [turn.text for turn in told(tmp_path, VIBE.with_tools()).turns if turn.role == "tool"]
    assert tools == ['grep\n{"pattern": "coat"}', "grep\nthird coat"]


def test_a_fork_repeats_ids_that_are_unique_and_others_are_not_taken_for_copies(tmp_path: Path) -> None:
    uuid = "11111111-0000-4000-8000-000000000001"
    for name in ("a", "b"):
        write(tmp_path / name, user("x", message_id=uuid), user("y", message_id="msg_1"), meta={"session_id": name})
    first, second = (told(tmp_path / name).turns for name in ("a", "b"))
    assert first[0].native_id == second[0].native_id == uuid
    assert first[1].native_id != second[1].native_id


def test_a_title_that_a_person_gave_is_better_than_a_generated_one(tmp_path: Path) -> None:
    ranks = {}
    for source in ("auto", "manual"):
        write(tmp_path / source, meta=META | {"title_source": source})
        records = told(tmp_path / source).records()
        ranks[source] = next(record.title_rank for record in records if isinstance(record, SessionRecord))
    assert ranks == {"auto": TITLE_GENERATED, "manual": TITLE_GIVEN}


def test_an_older_session_is_one_document(tmp_path: Path) -> None:
    document = {"metadata": META | {"git_branch": "main"}, "messages": [user("Old."), 7, user("No.", injected=True)]}
    (tmp_path / "session_20250905_070000_aaaaaaaa.json").write_text(json.dumps(document))
    read = told(tmp_path)
    session = read.sessions()["s1"]
    assert (session["turns"], session["title"], session["branch"]) == ([["user", "Old."]], "Varnish", "main")
    assert [skip.reason for skip in read.skips] == ["unexpected-shape"]


@needs_fixtures
def test_the_fixtures_are_read() -> None:
    read = told(FIXTURES)
    assert not read.is_counted
    basic = read.sessions()["abc123def-0000-0000-0000-000000000000"]
    assert [role for role, _ in basic["turns"]] == ["user", "assistant", "assistant", "user", "assistant"]
    assert basic["turns"][3] == ["user", "Can you add type hints?"]
    assert (basic["title"], basic["project"]) == (
        "Create a Python function to sort a list",
        "/home/user/projects/myapp",
    )
    assert (basic["model"], basic["branch"], basic["parent"]) == ("mistral-medium-3.5", "main", None)
    tools = read.sessions()["def456ghi-0000-0000-0000-000000000000"]
    assert [role for role, _ in tools["turns"]] == ["user", "assistant", "assistant"]
    assert len([turn for turn in told(FIXTURES, VIBE.with_tools()).turns if turn.role == "tool"]) == 2
