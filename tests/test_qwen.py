"""Qwen Code's trees: fragments, rewinds, what is no end of a branch, and reading on where an earlier pass stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harkback.adapters.qwen import Qwen
from harkback.adapters.qwen_tree import KEPT
from harkback.core.model import Checkpoint, Reread, SessionRecord
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import Told

QWEN = Qwen()
FIXTURES = Path(__file__).parents[1].parent / "shared" / "fixtures" / "qwen"
SESSION = "2f9c5e81-7d34-4a60-b1f8-c05e6a7d9e55"


def uuid(number: int) -> str:
    return f"6e0d3b50-9a7c-4f21-8e46-{number:012x}"


def row(number: int, parent: int | None, kind: str, text: str | None = None, **more: Any) -> dict[str, Any]:
    parts = [] if text is None else [{"text": text}]
    return {
        "uuid": uuid(number), "parentUuid": None if parent is None else uuid(parent), "sessionId": SESSION,
        "timestamp": f"2026-07-11T07:{number // 60 % 60:02d}:{number % 60:02d}.000Z", "type": kind, "cwd": "/src/demo",
        "message": {"role": "user" if kind == "user" else "model", "parts": parts}, **more,
    }  # fmt: skip


def written(tmp_path: Path, *rows: Any, folder: str = "chats", name: str = SESSION) -> Path:
    path = tmp_path / "projects" / "-src-demo" / folder / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in rows), encoding="utf-8")
    return path


def told(path: Path, adapter: Qwen = QWEN) -> Told:
    result = Told()
    result.read(adapter, path)
    return result


def session(path: Path, adapter: Qwen = QWEN) -> dict[str, Any]:
    (found,) = told(path, adapter).sessions().values()
    return found


def texts(path: Path, adapter: Qwen = QWEN) -> list[str]:
    return [text for each in told(path, adapter).sessions().values() for _, text in each["turns"]]


def test_only_the_branch_of_the_last_record_stands(tmp_path: Path) -> None:
    path = written(
        tmp_path, row(1, None, "user", "ask"), row(2, 1, "assistant", "dead end"),
        row(3, 1, "system", subtype="rewind"), row(4, 3, "user", "ask otherwise"), row(5, 4, "assistant", "answer"),
    )  # fmt: skip
    assert texts(path) == ["ask", "ask otherwise", "answer"]
    assert "dead end" in {turn.text for turn in told(path).turns}


def test_an_artifact_is_never_the_end_of_the_branch_nor_says_where_one_works(tmp_path: Path) -> None:
    artifact = row(3, 1, "system", subtype="session_artifact_event", cwd="/elsewhere")
    path = written(tmp_path, row(1, None, "user", "ask"), row(2, 1, "assistant", "answer"), artifact)
    assert texts(path) == ["ask", "answer"]
    assert session(path)["project"] == "/src/demo"


def test_fragments_of_one_message_are_one_turn_and_a_repeated_one_adds_nothing(tmp_path: Path) -> None:
    rows = [
        row(1, None, "user", "ask"),
        row(2, 1, "assistant", "a"),
        row(2, 1, "assistant", "b"),
        row(2, 1, "assistant", "b"),
    ]
    assert texts(written(tmp_path, *rows)) == ["ask", "a\n\nb"]


def test_what_was_shown_is_preferred_and_hook_context_is_left_out(tmp_path: Path) -> None:
    hook = "<qwen:user-prompt-submit-context>\nhook\n</qwen:user-prompt-submit-context>"
    path = written(
        tmp_path, row(1, None, "user", f"expanded @file {hook}", systemPayload={"displayText": "look at @file"}),
        row(2, 1, "user", f"no payload {hook}"), row(3, 2, "user", hook),
    )  # fmt: skip
    assert texts(path) == ["look at @file", "no payload"]


@pytest.mark.parametrize("subtype", ["notification", "cron", "goal_runtime"])
def test_what_nobody_typed_is_left_out_and_counted(tmp_path: Path, subtype: str) -> None:
    path = written(tmp_path, row(1, None, "user", "ask"), row(2, 1, "user", "machine", subtype=subtype))
    assert texts(path) == ["ask"]
    assert [skip.reason for skip in told(path).skips] == ["not-typed"]


def test_what_is_typed_into_a_running_turn_is_the_persons(tmp_path: Path) -> None:
    path = written(tmp_path, row(1, None, "user", "stop", subtype="mid_turn_user_message"))
    assert session(path)["turns"] == [["user", "stop"]]


def test_an_unknown_kind_of_user_record_is_counted(tmp_path: Path) -> None:
    for odd in ("from-the-future", 7, ["x"], {}):
        path = written(tmp_path, row(1, None, "user", "ask"), row(2, 1, "user", "?", subtype=odd))
        assert texts(path) == ["ask"]
        assert [skip.reason for skip in told(path).skips] == ["unknown-type"]


def test_a_sub_agents_records_are_no_part_of_the_thread(tmp_path: Path) -> None:
    path = written(tmp_path, row(1, None, "user", "ask"), row(2, 1, "assistant", "mine", isSidechain=True))
    assert texts(path) == ["ask"]


def test_the_file_names_the_session_and_the_last_title_wins(tmp_path: Path) -> None:
    path = written(
        tmp_path, row(1, None, "user", "ask", sessionId="another"),
        row(2, 1, "system", subtype="custom_title", systemPayload={"customTitle": "By hand", "titleSource": "manual"}),
        row(3, 2, "system", subtype="custom_title", systemPayload={"customTitle": "Later", "titleSource": "auto"}),
    )  # fmt: skip
    assert list(told(path).sessions()) == [SESSION]
    assert session(path)["title"] == "Later"


def test_two_records_on_one_line_are_both_read(tmp_path: Path) -> None:
    path = written(tmp_path)
    glued = json.dumps(row(1, None, "user", 'see {"a": "}{"}')) + json.dumps(row(2, 1, "assistant", "seen"))
    path.write_text(glued + "\n")
    assert texts(path) == ['see {"a": "}{"}', "seen"]


def test_a_fork_names_its_parent_and_shares_its_turns_ids(tmp_path: Path) -> None:
    old = written(tmp_path, row(1, None, "user", "ask"))
    fork = written(
        tmp_path, row(1, None, "user", "ask", forkedFrom={"sessionId": SESSION, "messageUuid": uuid(1)}),
        row(2, 1, "system", subtype="parent_session", systemPayload={"parentSessionId": SESSION}), name="fork",
    )  # fmt: skip
    assert session(fork)["parent"] == SESSION
    assert [turn.native_id for turn in told(fork).turns] == [turn.native_id for turn in told(old).turns]


def test_an_archived_session_is_found_but_cannot_be_resumed(tmp_path: Path) -> None:
    path = written(tmp_path, row(1, None, "user", "ask"), folder="chats/archive")
    written(tmp_path, row(1, None, "user", "no session"), folder="elsewhere")
    (path.parent.parent / "x.runtime.json").write_text("{}")
    assert list(QWEN.find(tmp_path / "projects")) == [path]
    assert QWEN.resume(session(path)["handle"]) is None
    assert QWEN.resume(SESSION) == ["qwen", "--resume", SESSION]


def test_both_folders_that_the_environment_names_are_read() -> None:
    home = Path("/home/kim")
    assert QWEN.roots(home, {}) == [home / ".qwen" / "projects"]
    named = {"QWEN_RUNTIME_DIR": "/run/qwen", "QWEN_HOME": "/data/qwen"}
    assert QWEN.roots(home, named) == [Path("/run/qwen/projects"), Path("/data/qwen/projects")]


def test_tools_stand_in_the_thread(tmp_path: Path) -> None:
    call = {"role": "model", "parts": [{"text": "Let me see"}, {"functionCall": {"name": "ls", "args": {"dir": "."}}}]}
    result = {"role": "user", "parts": [{"functionResponse": {"name": "ls", "response": {"output": "a.txt"}}}]}
    path = written(
        tmp_path, row(1, None, "user", "list"), row(2, 1, "assistant", message=call),
        row(3, 2, "tool_result", message=result),
        row(4, 3, "assistant", "One file."), row(5, 1, "system", subtype="rewind"), row(6, 5, "user", "again"),
        row(7, 6, "assistant", message=call),
    )  # fmt: skip
    assert texts(path, QWEN.with_tools()) == ["list", "again", "Let me see", 'ls\n{"dir": "."}']
    assert texts(path) == ["list", "again", "Let me see"]


def test_going_back_behind_what_is_remembered_reads_the_file_again(tmp_path: Path) -> None:
    rows = [row(1, None, "user", "first")] + [row(n, n - 1, "assistant", f"t{n}") for n in range(2, KEPT + 20)]
    path = written(tmp_path, *rows)
    mark = list(QWEN.read(path, None))[-1]
    assert isinstance(mark, Checkpoint)
    written(tmp_path, *rows, row(900, KEPT + 19, "user", "on"))
    assert [each.text for each in QWEN.read(path, mark) if hasattr(each, "text")] == ["on"]
    written(tmp_path, *rows, row(900, 1, "user", "back to the first"))
    with pytest.raises(Reread):
        list(QWEN.read(path, mark))
    assert texts(path) == ["first", "back to the first"]


def test_a_state_that_makes_no_sense_reads_the_file_again(tmp_path: Path) -> None:
    path = written(tmp_path, row(1, None, "user", "ask"))
    for state in (b"\xff", b"[]", b"\xc0"):
        with pytest.raises(Reread):
            list(QWEN.read(path, Checkpoint(10, state)))


# ---- any tree ----


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("trees")


TREES = st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from(["user", "assistant", "system", "thought"]), st.booleans()),
    min_size=1, max_size=14,
)  # fmt: skip


def tree(shape: list[tuple[int, str, bool]]) -> list[dict[str, Any]]:
    """Records each of which follows the one before it, or goes back by so many on its branch."""
    rows: list[dict[str, Any]] = []
    branch: list[int] = []
    for number, (back, kind, fragment) in enumerate(shape):
        branch = branch[: max(0, len(branch) - max(0, back - 1))]
        parent = branch[-1] if branch else None
        branch.append(number)
        if kind == "thought":
            parts = {"role": "model", "parts": [{"text": "hidden", "thought": True}]}
            rows.append(row(number, parent, "assistant", message=parts))
        else:
            rows.append(row(number, parent, kind, f"turn {number}"))
        if fragment and kind in ("assistant", "thought"):
            rows.append(row(number, parent, "assistant", f"more {number}"))
    return rows


def test_beginning_anew_leaves_nothing_of_before_on_the_branch(tmp_path: Path) -> None:
    rows = [row(1, None, "user", "first"), row(2, 1, "assistant", "reply"), row(3, None, "user", "other beginning")]
    assert texts(written(tmp_path, *rows)) == ["other beginning"]


def test_a_missing_parent_loses_nothing(tmp_path: Path) -> None:
    rows = [row(1, None, "user", "first"), row(2, 1, "assistant", "reply"), row(3, 77, "user", "its parent is missing")]
    assert texts(written(tmp_path, *rows)) == ["first", "reply", "its parent is missing"]


@settings(max_examples=80)
@given(TREES, st.lists(st.integers(0, 5_000), max_size=3))
def test_any_tree_in_any_pieces_leaves_the_chain_of_its_last_record(
    folder: Path, shape: list[tuple[int, str, bool]], cuts: list[int]
) -> None:
    rows = tree(shape)
    path = written(folder, *rows)
    data = path.read_bytes()
    so_far, mark = Told(), None
    for end in [*sorted(min(cut, len(data)) for cut in cuts), len(data)]:
        path.write_bytes(data[:end])
        mark = so_far.read(QWEN, path, mark)

    parents = {each["uuid"]: each["parentUuid"] for each in rows}
    chain, here = set(), rows[-1]["uuid"]
    while here:
        chain.add(here)
        here = parents[here]
    said: dict[str, list[str]] = {}
    for each in rows:
        if each["uuid"] in chain and each["type"] in ("user", "assistant"):
            pieces = [part["text"] for part in each["message"]["parts"] if "thought" not in part]
            said.setdefault(each["uuid"], []).extend(pieces)
    expected = ["\n\n".join(pieces) for pieces in said.values() if pieces]
    found = [text for one in so_far.sessions().values() for _, text in one["turns"]]
    if expected:  # without any turn on the branch, what there is stands as it was
        assert found == expected


# ---- the shared fixtures ----


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared fixtures are not here")
def test_every_fixture_gives_its_texts() -> None:
    assert {path.stem[-5:]: texts(path) for path in FIXTURES.iterdir()} == {
        "00001": ["Inspect the synthetic fixture.", "The synthetic fixture is valid."],
        "00002": ["This record deliberately carries the wrong session ID."],
        "00003": ["Inspect a compact-ID synthetic fixture."],
        "00004": ["Begin the active-chain fixture.", "Continue from the rewound branch.", "Active branch answer."],
        "00005": ['Inspect {"glued": "objects"} safely.', "Recovered both synthetic objects."],
        "metry": ["[trimmed for fixture]\n\n[trimmed for fixture]"],
        "-qwen": ["Inspect the sample parser.", "I found the parser fixture."],
    }
    rewound = session(FIXTURES / "as_019f0000-0000-7000-8000-000000000004.jsonl")
    facts = [rewound[key] for key in ("title", "project", "model")]
    assert facts == ["Active branch title", "/tmp/as-qwen-fixture/new-project", "synthetic-active-model"]  # noqa: S108


def test_a_session_is_described_before_each_checkpoint(tmp_path: Path) -> None:
    records = list(QWEN.read(written(tmp_path, row(1, None, "user", "ask", gitBranch="main")), None))
    facts = [each for each in records if isinstance(each, SessionRecord)]
    assert (facts[-1].project, facts[-1].branch, facts[-1].leaf) == ("/src/demo", "main", uuid(1))
