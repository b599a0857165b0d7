"""pi's sessions of every version: the tree, what was left in it, copies, and Oh My Pi's title."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harkback.adapters.pi import Pi
from harkback.core.model import Reread, SessionRecord, TurnRecord
from samples import Told

FIXTURES = Path(__file__).parents[1].parent / "shared" / "fixtures" / "pi"
needs_fixtures = pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared fixtures are not here")
PI = Pi()
HEADER = {
    "type": "session",
    "version": 3,
    "id": "s1",
    "timestamp": "2026-11-04T08:00:00.000Z",
    "cwd": "/home/ada/hives",
}


def entry(id_: str | None, parent: str | None, role: str, content: Any, **more: Any) -> dict[str, Any]:
    said = {"type": "message", "timestamp": "2026-11-04T08:01:00.000Z", "message": {"role": role, "content": content}}
    return said | ({"id": id_, "parentId": parent} if id_ else {}) | more


def write(folder: Path, *rows: Any, name: str = "2026-11-04T08-00-00-000Z_s1.jsonl") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return folder / name


def told(path: Path, adapter: Any = PI) -> Told:
    read = Told()
    read.read(adapter, path)
    assert read.unreadable == []
    return read


def turns(path: Path, session: str = "s1") -> list[list[str]]:
    return told(path).sessions()[session]["turns"]


def test_where_pi_and_oh_my_pi_keep_sessions(tmp_path: Path) -> None:
    omp = tmp_path / ".omp" / "agent" / "sessions"
    assert PI.roots(tmp_path, {}) == [tmp_path / ".pi" / "agent" / "sessions", omp]
    assert PI.roots(tmp_path, {"PI_CODING_AGENT_DIR": "/srv/pi"}) == [Path("/srv/pi/sessions"), omp]
    assert PI.roots(tmp_path, {"PI_CODING_AGENT_SESSION_DIR": "/srv/s"})[0] == Path("/srv/s")
    (tmp_path / ".pi" / "agent").mkdir(parents=True)
    (tmp_path / ".pi" / "agent" / "settings.json").write_text('{"sessionDir": "~/talks", "theme": 7}')
    assert PI.roots(tmp_path, {})[0] == tmp_path / "talks"


def test_the_first_version_is_a_line_of_messages_without_ids(tmp_path: Path) -> None:
    header = {key: value for key, value in HEADER.items() if key != "version"} | {"modelId": "first-model"}
    path = write(tmp_path, header, entry(None, None, "user", "One?"), entry(None, None, "assistant", "One."))
    session = told(path).sessions()["s1"]
    assert session["turns"] == [["user", "One?"], ["assistant", "One."]]
    assert session["model"] == "first-model"


def test_the_last_entry_ends_the_active_branch(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        HEADER,
        entry("a", None, "user", "First?"),
        entry("b", "a", "assistant", "Left."),
        entry("c", "a", "assistant", "Kept."),
    )
    assert turns(path) == [["user", "First?"], ["assistant", "Kept."]]
    assert len(told(path).turns) == 3


def test_another_first_prompt_leaves_everything_before_it(tmp_path: Path) -> None:
    rows = [
        HEADER,
        {"type": "model_change", "id": "m", "parentId": None, "modelId": "x"},
        entry("a", "m", "user", "First?"),
        entry("b", "a", "assistant", "An answer."),
        entry("c", "m", "user", "First, said better?"),
    ]
    assert turns(write(tmp_path, *rows)) == [["user", "First, said better?"]]
    back = entry("d", "b", "user", "Back on the old branch.")
    path = write(tmp_path, *rows, back)
    assert [text for _, text in turns(path)] == ["First?", "An answer.", "Back on the old branch."]
    whole = path.read_bytes()
    read = Told()
    path.write_bytes(whole[: whole.rindex(b'{"type"')])
    mark = read.read(PI, path)
    path.write_bytes(whole)
    read.read(PI, path, mark)
    assert read.sessions() == told(path).sessions()


def test_a_long_session_keeps_a_small_state_and_a_far_rewind_reads_it_again(tmp_path: Path) -> None:
    rows = [HEADER, *(entry(f"e{n}", f"e{n - 1}" if n else None, "user", f"Prompt {n}.") for n in range(300))]
    read = Told()
    mark = read.read(PI, write(tmp_path, *rows))
    assert mark is not None
    assert len(mark.state) < 6_000
    path = write(tmp_path, *rows, entry("near", "e250", "user", "A near rewind."))
    near = list(PI.read(path, mark))
    assert [record.text for record in near if isinstance(record, TurnRecord)] == ["A near rewind."]
    path = write(tmp_path, *rows, entry("far", "e10", "user", "A far rewind."))
    with pytest.raises(Reread):
        list(PI.read(path, mark))
    assert [text for _, text in turns(path)] == [*(f"Prompt {n}." for n in range(11)), "A far rewind."]


def test_an_entry_with_an_unknown_parent_loses_nothing(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER, entry("a", None, "user", "First?"), entry("b", "gone", "assistant", "Still here."))
    assert [text for _, text in turns(path)] == ["First?", "Still here."]


def test_summaries_thinking_tools_and_custom_messages_are_no_text(tmp_path: Path) -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "Seen."},
        {"type": "toolCall", "name": "bash", "arguments": {"command": "ls"}},
        {"type": "image", "data": "AAAA", "mimeType": "image/png"},
    ]
    path = write(
        tmp_path,
        HEADER,
        entry("a", None, "user", [{"type": "text", "text": "Look."}]),
        entry("b", "a", "assistant", blocks),
        entry("c", "b", "toolResult", [{"type": "text", "text": "hive.txt"}]),
        {
            "type": "message",
            "id": "d",
            "parentId": "c",
            "message": {"role": "bashExecution", "command": "pwd", "output": "/x"},
        },
        {"type": "compaction", "id": "e", "parentId": "d", "summary": "What was said."},
        entry("f", "e", "branchSummary", "What was left."),
        {"type": "custom_message", "id": "g", "parentId": "f", "content": "injected", "display": True},
        entry("h", "g", "custom", "injected too"),
        {"type": "label", "id": "i", "parentId": "h", "label": "here"},
    )
    read = told(path)
    assert read.sessions()["s1"]["turns"] == [["user", "Look."], ["assistant", "Seen."]]
    assert sorted((skip.reason, skip.count) for skip in read.skips) == [("summary", 1)]
    tools = [turn.text for turn in told(path, PI.with_tools()).turns if turn.role == "tool"]
    assert tools == ['bash\n{"command": "ls"}', "hive.txt", "bash\npwd\n/x"]


def test_a_branched_session_repeats_ids_and_names_its_parent(tmp_path: Path) -> None:
    shared = [entry("a", None, "user", "First?"), entry("b", "a", "assistant", "Yes.")]
    parent = write(tmp_path, HEADER, *shared)
    fork = HEADER | {"id": "s2", "timestamp": "2026-11-05T08:00:00.000Z", "branchedFrom": f"C:\\pi\\{parent.name}"}
    child = write(tmp_path, fork, *shared, name="2026-11-05T08-00-00-000Z_s2.jsonl")
    assert [turn.native_id for turn in told(parent).turns] == [turn.native_id for turn in told(child).turns]
    assert told(child).sessions()["s2"]["parent"] == "s1"
    assert told(child).sessions()["s2"]["times"] == told(parent).sessions()["s1"]["times"]


def test_equal_short_ids_of_two_sessions_are_no_copies(tmp_path: Path) -> None:
    one = write(tmp_path / "1", HEADER, entry("a", None, "user", "One."))
    other = entry("a", None, "user", "Other.", timestamp="2026-11-06T08:01:00.000Z")
    two = write(tmp_path / "2", HEADER, other)
    assert told(one).turns[0].native_id != told(two).turns[0].native_id


def test_oh_my_pi_keeps_a_title_before_the_header(tmp_path: Path) -> None:
    slot = {"type": "title", "v": 1, "title": "Varroa count", "pad": "   "}
    path = write(tmp_path, slot, HEADER | {"title": "older"}, entry("a", None, "user", "Hello."))
    assert told(path).sessions()["s1"]["title"] == "Varroa count"
    named = {"type": "session_info", "id": "b", "parentId": "a", "name": "What the person called it"}
    path = write(tmp_path, slot, HEADER, entry("a", None, "user", "Hello."), named)
    assert told(path).sessions()["s1"]["title"] == "What the person called it"


def test_a_file_in_a_sessions_own_folder_is_its_subagents(tmp_path: Path) -> None:
    folder = tmp_path / "2026-11-04T08-00-00-000Z_s1"
    path = write(folder, HEADER | {"id": "sub"}, entry("a", None, "user", "Count."), name="0-Task.jsonl")
    session = told(path).sessions()["sub"]
    assert (session["kind"], session["parent"]) == ("subagent", "s1")


@needs_fixtures
@pytest.mark.parametrize(
    ("name", "session", "users", "assistants", "skips"),
    [
        ("as_small", "019e19b4-eb48-746a-aa6b-8dfcfa37954b", 2, 2, {"summary"}),
        ("av_session", "pi-test-session-uuid", 2, 2, {"summary", "not-json", "unknown-type"}),
        ("deja_session", "reg-pi-001", 1, 1, set()),
        ("deja_omp_session", "reg-omp-001", 1, 1, set()),
        ("pi_before-compaction", "ffae836b-9420-4060-ac13-7745215f90ff", 55, 253, {"summary"}),
        ("pi_large-session", "d703a1a9-1b7b-4fb1-b512-c9738b1fe617", 88, 244, set()),
    ],
)
def test_the_fixtures_are_read(name: str, session: str, users: int, assistants: int, skips: set[str]) -> None:
    path = FIXTURES / f"{name}.jsonl"
    read = told(path)
    have = read.sessions()[session]
    roles = [role for role, _ in have["turns"]]
    assert (roles.count("user"), roles.count("assistant")) == (users, assistants)
    assert {skip.reason for skip in read.skips} == skips
    said = [
        "\n\n".join(each["text"] for each in message["content"] if each["type"] == "text")
        for line in path.read_text("utf-8").splitlines()
        if line.startswith('{"type":"message"')
        for message in [json.loads(line)["message"]]
        if message["role"] in ("user", "assistant")
    ]
    assert [text for _, text in have["turns"]] == [text for text in said if text.strip()]
    assert have["project"]
    facts = [record for record in read.records() if isinstance(record, SessionRecord)]
    assert {record.session for record in facts} == {session}
