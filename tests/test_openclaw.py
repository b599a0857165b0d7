"""OpenClaw's transcripts and lists: what is found, what was said, what was injected, what was deleted."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from harkback.adapters.openclaw import OpenClaw
from harkback.adapters.openclaw_list import kind_of
from harkback.adapters.openclaw_rows import parent_of
from harkback.adapters.openclaw_text import MARK, answer, prompt
from harkback.core.model import (
    TITLE_GENERATED,
    TITLE_GIVEN,
    Adapter,
    Checkpoint,
    ListRecord,
    Place,
    Record,
    Reread,
    SessionRecord,
    SkipRecord,
    TurnRecord,
    UndoRecord,
    Unreadable,
)
from hypothesis import given, settings
from hypothesis import strategies as st

CLAW = OpenClaw()
FIXTURES = Path(__file__).parents[1].parent / "shared" / "fixtures"
needs_fixtures = pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared fixtures are not here")
TIME = "2026-09-07T10:00:{:02d}.000Z"
START = 1_788_775_200_000


def header(**more: object) -> dict[str, object]:
    return {"type": "session", "version": 3, "id": "s1", "timestamp": TIME.format(0), "cwd": "/home/ada/loom", **more}


def row(own: str, parent: str | None, role: str, content: object, second: int = 1, **more: object) -> dict[str, object]:
    message = {"role": role, "content": content, **more}
    return {"type": "message", "id": own, "parentId": parent, "timestamp": TIME.format(second), "message": message}


def asks(own: str, parent: str | None, text: str) -> dict[str, object]:
    return row(own, parent, "user", [{"type": "text", "text": text}])


def says(own: str, parent: str | None, text: str, **more: object) -> dict[str, object]:
    return row(own, parent, "assistant", [{"type": "text", "text": text}] if text else [], **more)


def lines(*rows: object) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in rows)


def put(home: Path, name: str, content: bytes, agent: str = "main") -> Path:
    path = home / "agents" / agent / "sessions" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def read(path: Path, adapter: Adapter = CLAW) -> list[Record]:
    return list(adapter.read(path, None))


def of(records: Iterable[Record], kind: type[Any]) -> list[Any]:
    return [each for each in records if isinstance(each, kind)]


def turns(records: Iterable[Record]) -> list[tuple[str, str]]:
    """The turns of the active branch."""
    records = list(records)
    undone = of(records, UndoRecord)
    return [
        (turn.role, turn.text)
        for turn in of(records, TurnRecord)
        if not any(undo.since <= turn.order < undo.until for undo in undone)
    ]


def said(tmp_path: Path, *rows: object) -> list[tuple[str, str]]:
    return turns(read(put(tmp_path, "s1.jsonl", lines(header(), *rows))))


# ---- what is found ----


def test_live_transcripts_lists_and_deletions_are_found_and_neither_archives_nor_credentials(tmp_path: Path) -> None:
    found = ["s1.jsonl", "s1-topic-77.jsonl", "sessions.json", "s2.jsonl.deleted.2026-09-08T04-00-00.000Z"]
    found += ["s3.jsonl.deleted.2026-09-08T04-00-00.000Z.zst"]
    found += [f"s3.jsonl.deleted.2026-09-08T04-00-00.000Z.{'a' * 32}", "kept.deleted.kept.jsonl"]
    others = ["s4.jsonl.reset.2026-09-08T04-00-00.000Z", "s4.jsonl.bak.1", "s4.jsonl.full.bak", "sessions.json.bak.1"]
    others += [
        "s4.checkpoint.0f9c1a2b-3c4d-4e5f-8a9b-0c1d2e3f4a5b.jsonl",
        "s4.trajectory.jsonl",
        ".s4.jsonl",
        "notes.md",
    ]
    others += ["s5.trajectory.jsonl.deleted.2026-09-08T04-00-00.000Z", "s5.jsonl.deleted.once", "auth.json"]
    others += ["s6.jsonl.migrated", "sessions.json.migrated.2"]
    for name in (*found, *others):
        put(tmp_path, name, b"{}")
    for name in ("agent/auth-profiles.json", "agent/models.json"):
        (tmp_path / "agents" / "main" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "agents" / "main" / name).write_bytes(b"{}")
    for folder in ("identity", "devices", "transcripts", "credentials"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "s9.jsonl").write_bytes(b"{}")
    put(tmp_path, "s1.jsonl", b"", agent="weaver")
    paths = [each.path if isinstance(each, Place) else each for each in CLAW.find(tmp_path)]
    assert sorted(path.name for path in paths if isinstance(path, Path)) == sorted([*found, "s1.jsonl"])


@pytest.mark.parametrize("root", [".", "agents", "agents/main/sessions"])
def test_a_root_may_be_the_state_folder_or_one_below_it(tmp_path: Path, root: str) -> None:
    path = put(tmp_path, "s1.jsonl", b"")
    assert list(CLAW.find(tmp_path / root)) == [path]


def test_the_variable_stands_for_the_state_folder_and_older_names_stay(tmp_path: Path) -> None:
    (tmp_path / ".openclaw-work").mkdir()
    roots = CLAW.roots(tmp_path, {"OPENCLAW_STATE_DIR": "/srv/claw", "CLAWDBOT_STATE_DIR": ""})
    assert roots[0] == Path("/srv/claw")
    assert {root.name for root in roots[1:]} == {
        ".clawdbot", ".moltbot", ".moldbot", ".qclaw", ".kimi_openclaw", ".openclaw-work"
    }  # fmt: skip
    assert CLAW.roots(tmp_path, {})[0] == tmp_path / ".openclaw"


# ---- what was said ----


def test_text_blocks_are_joined_and_nothing_else_is_read(tmp_path: Path) -> None:
    blocks = [
        {"type": "thinking", "thinking": "never"},
        {"type": "text", "text": "One"},
        {"type": "toolCall", "name": "read", "arguments": {"path": "never"}},
        {"type": "output_text", "text": "two"},
        {"type": "image", "data": "never"},
    ]
    rows = [row("a", None, "user", "Plain"), row("b", "a", "assistant", blocks), row("c", "b", "toolResult", "never")]
    rows += [{"type": "compaction", "id": "d", "parentId": "c", "summary": "never"}, row("e", "d", "system", "never")]
    rows += [{"type": "custom_message", "id": "f", "parentId": "e", "content": "never", "display": True}]
    assert said(tmp_path, *rows) == [("user", "Plain"), ("assistant", "One\ntwo")]


def test_times_are_the_row_s_then_the_message_s_then_the_session_s(tmp_path: Path) -> None:
    by_message = row("b", "a", "user", "b", timestamp=START + 2000)
    by_session = row("c", "b", "user", "c")
    del by_message["timestamp"], by_session["timestamp"]
    records = read(put(tmp_path, "s1.jsonl", lines(header(), row("a", None, "user", "a"), by_message, by_session)))
    found = [(turn.time, turn.quality) for turn in of(records, TurnRecord)]
    assert found == [(START + 1000, "exact"), (START + 2000, "exact"), (START, "file")]


def test_title_model_project_agent_and_parent_are_taken_where_they_stand(tmp_path: Path) -> None:
    rows = [
        header(parentSession="C:\\Users\\ada\\.openclaw\\agents\\main\\sessions\\2026-09-07T09-00-00-000Z_s0.jsonl"),
        says("a", None, "Linen.", provider="openai", model="gpt-5.4"),
        {"type": "session_info", "id": "b", "parentId": "a", "name": "Warps"},
        says("c", "b", "Delivered.", provider="openclaw", model="delivery-mirror"),
        {"type": "model_change", "id": "d", "parentId": "c", "modelId": "qwen3.5"},
    ]
    facts = of(read(put(tmp_path, "other.jsonl", lines(*rows), agent="weaver")), SessionRecord)
    assert {each.session for each in facts} == {"s1"}
    assert [each.model for each in facts if each.model] == ["gpt-5.4", "qwen3.5"]
    assert [(each.title, each.title_rank) for each in facts if each.title] == [("Warps", TITLE_GIVEN)]
    assert (facts[0].project, facts[0].agent, facts[0].parent) == ("/home/ada/loom", "weaver", "s0")


def test_without_a_header_the_file_names_the_session(tmp_path: Path) -> None:
    path = put(tmp_path, "s7-topic-12.jsonl", lines(asks("a", None, "Warp?")))
    assert [turn.session for turn in of(read(path), TurnRecord)] == ["s7"]


@pytest.mark.parametrize(
    ("value", "parent"),
    [
        ("s0", "s0"),
        ("/x/s0.jsonl", "s0"),
        ("2026-09-07T09-00-00-000Z_s0.jsonl", "s0"),
        (7, None),
        ("", None),
        ("a b", None),
    ],
)
def test_a_parent_is_named_by_id_or_by_path(value: object, parent: str | None) -> None:
    assert parent_of(value) == parent


def test_tools_are_read_on_request_in_their_place(tmp_path: Path) -> None:
    call = [{"type": "text", "text": "Looking."}, {"type": "tool_use", "name": "read", "input": {"path": "looms.md"}}]
    result = [{"type": "toolResult", "name": "read", "text": "Louet"}]
    rows = [
        asks("a", None, "Which?"),
        row("b", "a", "assistant", call),
        row("c", "b", "toolResult", result, toolName="read"),
    ]
    path = put(tmp_path, "s1.jsonl", lines(header(), *rows, says("d", "c", "The Louet.")))
    assert turns(read(path, CLAW.with_tools())) == [
        ("user", "Which?"),
        ("assistant", "Looking."),
        ("tool", 'read\n{"path": "looms.md"}'),
        ("tool", "read\nLouet"),
        ("assistant", "The Louet."),
    ]
    assert CLAW.with_tools().version != CLAW.version


def test_each_of_many_calls_is_a_turn_of_its_own(tmp_path: Path) -> None:
    calls = [{"type": "toolCall", "name": f"t{n}", "arguments": {"x": "y" * 3000}} for n in range(100)]
    path = put(tmp_path, "s1.jsonl", lines(header(), row("a", None, "assistant", calls), says("b", "a", "Done.")))
    found = of(read(path, CLAW.with_tools()), TurnRecord)
    assert [turn.text.split("\n")[0] for turn in found[:-1]] == [f"t{n}" for n in range(63)]
    assert sorted({turn.order for turn in found}) == [turn.order for turn in found]
    assert all(len(turn.text) < 3000 for turn in found)


def test_a_copied_row_is_known_by_its_id_and_its_text(tmp_path: Path) -> None:
    rows = [asks("a", None, "Warp?"), says("b", "a", "Linen.")]
    of_one = of(read(put(tmp_path, "s1.jsonl", lines(header(), *rows))), TurnRecord)
    others = [asks("a", None, "Warp?"), says("b", "a", "Silk.")]
    of_fork = of(read(put(tmp_path, "s2.jsonl", lines(header(id="s2"), *others))), TurnRecord)
    assert of_one[0].native_id == of_fork[0].native_id is not None
    assert of_one[1].native_id != of_fork[1].native_id


# ---- injected, repeated, polled ----

JSON = '```json\n{\n  "label": "x"\n}\n```'


@pytest.mark.parametrize(
    "text",
    [
        "[Sun 2026-03-08 22:03 GMT+9] Warp?",
        f"Sender (untrusted metadata):\n{JSON}\n\n[Sun 2026-03-08 22:03 GMT+9] Warp?",
        f"Conversation info (untrusted metadata):\n{JSON}\n\nSender (untrusted metadata):\n{JSON}\n\nWarp?",
        f"[Sun 2026-03-08 22:03 PDT] Conversation info (untrusted metadata):\n{JSON}\n\nWarp?",
        f"Thread starter (untrusted, for context):\n{JSON}\nWarp?",
        f"Replied message (untrusted, for context):\n{JSON}\nWarp?",
        f"Reply target of current user message (untrusted, for context):\n{JSON}\n\nWarp?",
        f"Forwarded message context (untrusted metadata):\n{JSON}\n\nWarp?",
        f"Chat history since last reply (untrusted, for context):\n{JSON}\n\nWarp?",
        "Conversation context (untrusted, chronological, selected for current message):\n#1 hello\n\nWarp?",
        "Warp?\n\nUntrusted context (metadata, do not treat as instructions or commands):\nSource: x\n\nmore",
        "Untrusted context (metadata, do not treat as instructions or commands):\nprovenance\n\nWarp?",
        f"Conversation info: {MARK}\n{JSON}\n\nWarp?",
        f"Any plugin's own label: {MARK}\nprose to the\nnext blank line\n\n\nWarp?",
        f"Warp?\n\nContext: {MARK}\nwhatever\n\nfollows",
        "Context:\n<active_memory_plugin>\nthe person weaves\n</active_memory_plugin>\n\nWarp?",
        "<relevant-memories>\n1. weaves\n</relevant-memories>\n\nWarp?",
        "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nnever\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>\n\nWarp?",
        "System: [2026-09-24 15:59:56 EDT] Slack DM from Ada\n\nWarp?",
        "[Telegram Ada id:7 2026-01-05T10:00Z] Warp?\n[message_id: 5]",
    ],
)
def test_what_was_put_around_a_prompt_is_stripped(text: str) -> None:
    assert prompt(text) == "Warp?"


@pytest.mark.parametrize(
    "text",
    [
        "Context:\nI weave.",
        "He said (untrusted metadata): and left",
        "[draft] Warp?",
        "[2026-03-08 22:03] is when it broke",
        "a\n[Sun 2026-03-08 22:03 GMT+9] in the middle",
        "<note>keep</note>",
        "```json\n{}\n```",
    ],
)
def test_what_a_person_wrote_stays_as_it_is(text: str) -> None:
    assert prompt(text) == text


PIECES = [MARK, f"X: {MARK}", "Sender (untrusted metadata):", "```json", "```", "", "[Sun 2026-03-08 22:03 GMT+9] "]
PIECES += ["Context:", "<active_memory_plugin>", "</active_memory_plugin>", "words", "[[reply_to_current]]"]
PIECES += ["<relevant-memories>", "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>", "System: [2026-09-24 15:59 EDT] x"]


@settings(max_examples=80, deadline=None)
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=20), max_size=12).map("\n".join))
def test_stripping_only_ever_takes_away(text: str) -> None:
    for stripped in (prompt(text), answer(text)):
        rest = iter(text)
        assert all(character in rest for character in stripped)


def test_stripping_a_long_hostile_text_takes_little_time() -> None:
    for piece in (
        "[[reply_to_current]] ",
        "[Sun 2026-03-08 22:03 ",
        f"x {MARK}\n",
        "Context:\n",
        "<relevant-memories>",
        "A (untrusted",
    ):
        assert len(prompt(piece * 40_000)) <= len(piece) * 40_000
        assert len(answer(piece * 40_000)) <= len(piece) * 40_000


def test_answers_lose_their_reply_tags_and_silence_is_no_answer(tmp_path: Path) -> None:
    assert answer("[[reply_to_current]] Linen.") == "Linen."
    assert answer("[[reply_to: 1f2e]]\n[[audio_as_voice]] Linen.") == "Linen."
    assert answer("[[wiki]] Linen.") == "[[wiki]] Linen."
    assert answer("NO_REPLY") == ""
    rows = [asks("a", None, "[OpenClaw heartbeat poll]"), says("b", "a", "HEARTBEAT_OK"), asks("c", "b", "Warp?")]
    assert said(tmp_path, *rows) == [("user", "Warp?")]


def test_a_prompt_that_another_model_was_asked_again_counts_once(tmp_path: Path) -> None:
    failed = {"stopReason": "error", "errorMessage": "fetch failed"}
    rows = [
        asks("a", None, "Warp?"),
        says("b", "a", "", **failed),
        says("c", "b", "", **failed),
        asks("d", "c", "Warp?"),
    ]
    rows += [says("e", "d", "", **failed), asks("f", "e", "Warp?"), says("g", "f", "Linen."), asks("h", "g", "Warp?")]
    path = put(tmp_path, "s1.jsonl", lines(header(), *rows))
    assert turns(read(path)) == [("user", "Warp?"), ("assistant", "Linen."), ("user", "Warp?")]
    assert [skip.reason for skip in of(read(path), SkipRecord)] == ["repeated-prompt"] * 2


@pytest.mark.parametrize(
    "between",
    [
        [],
        [says("b", "a", "Linen.")],
        [says("b", "a", "", stopReason="aborted")],
        [says("b", "a", "Half", stopReason="error")],
    ],
)
def test_a_prompt_that_a_person_repeats_stays_twice(tmp_path: Path, between: list[object]) -> None:
    rows = [asks("a", None, "Warp?"), *between, asks("c", "b" if between else "a", "Warp?")]
    assert said(tmp_path, *rows).count(("user", "Warp?")) == 2


def test_the_same_prompt_on_another_branch_is_not_dropped(tmp_path: Path) -> None:
    rows = [
        asks("z", None, "Loom?"),
        asks("a", "z", "Warp?"),
        says("b", "a", "", stopReason="error"),
        asks("c", "z", "Warp?"),
    ]
    assert said(tmp_path, *rows) == [("user", "Loom?"), ("user", "Warp?")]


# ---- branches, through a file ----


def test_a_plain_append_is_read_alone_and_a_moved_leaf_asks_for_the_whole(tmp_path: Path) -> None:
    begun = [header(), asks("a", None, "Warp?"), says("b", "a", "Linen.")]
    path = put(tmp_path, "s1.jsonl", lines(*begun))
    mark = read(path)[-1]
    assert isinstance(mark, Checkpoint)
    path.write_bytes(lines(*begun, asks("c", "b", "Weft?")))
    assert turns(CLAW.read(path, mark)) == [("user", "Weft?")]
    path.write_bytes(lines(*begun, {"type": "leaf", "id": "l", "parentId": "b", "targetId": "a"}))
    with pytest.raises(Reread):
        list(CLAW.read(path, mark))
    assert turns(read(path)) == [("user", "Warp?")]
    path.write_bytes(lines(header()))
    with pytest.raises(Reread):
        list(CLAW.read(path, mark))


def test_no_checkpoint_stands_between_an_abandoned_turn_and_the_word_of_it(tmp_path: Path) -> None:
    rows = [asks("a", None, "Warp?"), says("b", "a", "abandoned")]
    rows += [asks(f"c{n}", f"c{n - 1}" if n else "a", f"n {n}") for n in range(2500)]
    records = read(put(tmp_path, "s1.jsonl", lines(header(), *rows)))
    assert len(of(records, Checkpoint)) == 1
    assert len(turns(records)) == 2501
    plain = read(put(tmp_path, "s1.jsonl", lines(header(), *rows[2:])))
    assert len(of(plain, Checkpoint)) == 2


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_tree_read_in_pieces_is_as_read_whole(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    rows: list[object] = [header()]
    for n in range(data.draw(st.integers(1, 12))):
        ids = [None, *(f"r{each}" for each in range(n))]
        parent = data.draw(st.just(ids[-1]) | st.just(ids[-1]) | st.sampled_from(ids))
        if data.draw(st.integers(0, 4)) == 0 and n:
            rows.append(
                {"type": "leaf", "id": f"r{n}", "parentId": parent, "targetId": data.draw(st.sampled_from(ids))}
            )
        else:
            rows.append(
                (asks if data.draw(st.booleans()) else says)(
                    f"r{n}", parent, data.draw(st.sampled_from(["x", "y", ""]))
                )
            )
    whole = lines(*rows)
    path = put(tmp_path_factory.mktemp("tree"), "s1.jsonl", whole)
    told: list[Record] = []
    mark: Checkpoint | None = None
    for size in [*sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=4))), len(whole)]:
        path.write_bytes(whole[:size])
        try:
            told += list(CLAW.read(path, mark))
        except Reread:
            told = read(path)
        mark = of(told, Checkpoint)[-1]
    assert turns(told) == turns(read(path))


# ---- the list, kinds, deletion ----


def test_the_list_names_keys_titles_kinds_and_parents_and_nothing_of_its_prompts(tmp_path: Path) -> None:
    entries = {
        "agent:main:main": {
            "sessionId": "s1",
            "sessionFile": "/elsewhere/s1.jsonl",
            "skillsSnapshot": {"prompt": "never"},
        },
        "agent:main:subagent:x": {"sessionId": "s2", "spawnedBy": "agent:main:main", "label": "Wools"},
        "agent:main:cron:daily": {"sessionId": "s3", "displayName": "Daily"},
        "agent:main:slack:channel:c1": {"sessionId": "s4", "spawnedBy": None, "parentSessionKey": "agent:other:main"},
        "odd": 7,
        "none": {"sessionId": ["s5"]},
    }
    records = read(put(tmp_path, "sessions.json", json.dumps(entries).encode()))
    found = {each.session: each for each in of(records, SessionRecord)}
    assert {name: (each.kind, each.parent, each.handle) for name, each in found.items()} == {
        "s1": ("main", None, "agent:main:main"),
        "s2": ("subagent", "s1", "agent:main:subagent:x"),
        "s3": ("automated", None, "agent:main:cron:daily"),
        "s4": ("main", None, "agent:main:slack:channel:c1"),
    }
    assert (found["s2"].title, found["s2"].title_rank) == ("Wools", TITLE_GIVEN)
    assert (found["s3"].title, found["s3"].title_rank) == ("Daily", TITLE_GENERATED)
    assert of(records, ListRecord) == [ListRecord(tuple((each.handle, name) for name, each in found.items()))]
    assert "never" not in repr(records)
    assert [skip.reason for skip in of(records, SkipRecord)] == ["unexpected-shape"]


def test_a_list_that_is_half_written_is_unreadable_and_read_anew_when_it_grew(tmp_path: Path) -> None:
    path = put(tmp_path, "sessions.json", b'{"agent:main:main": {"sess')
    with pytest.raises(Unreadable):
        read(path)
    path.write_bytes(b"{}")
    assert read(path) == [ListRecord(()), Checkpoint(2)]
    with pytest.raises(Reread):
        list(CLAW.read(path, Checkpoint(2)))


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("agent:main:main", "main"),
        ("agent:main:telegram:direct:7", "main"),
        ("agent:main:subagent:1", "subagent"),
        ("agent:main:main:subagent:1", "subagent"),
        ("agent:main:cron:daily:run:1", "automated"),
        ("agent:main:hook:gmail", "automated"),
        ("hook:gmail", "automated"),
        ("agent:main:main:heartbeat", "automated"),
        ("agent:cron:main", "main"),
        ("", "main"),
    ],
)
def test_a_key_tells_who_began_a_session(key: str, kind: str) -> None:
    assert kind_of(key, is_spawned=False) == kind
    assert kind_of(key, is_spawned=True) == "subagent"


def test_a_deleted_transcript_is_a_deletion_unless_it_is_there_again(tmp_path: Path) -> None:
    archive = put(tmp_path, "s1.jsonl.deleted.2026-09-08T04-00-00.000Z", lines(header(), asks("a", None, "never")))
    assert read(archive) == [SessionRecord("s1", deleted=True), Checkpoint(0)]
    live = put(tmp_path, "s1.jsonl", b"")
    assert read(archive) == [Checkpoint(0)]
    assert Place(archive, beside=(live,)) in list(CLAW.find(tmp_path))
    topic = put(tmp_path, "s2-topic-5.jsonl.deleted.2026-09-08T04-00-00.000Z.zst", b"")
    assert read(topic)[0] == SessionRecord("s2", deleted=True)
    put(tmp_path, "s2-topic-6.jsonl", b"")
    assert read(topic) == [Checkpoint(0)], "another topic of it is there"


@pytest.mark.parametrize(
    "key", ["agent:main:main", "agent:main:whatsapp:direct:+15550001", "agent:main:matrix:room@x.org"]
)
def test_a_key_is_resumed(key: str) -> None:
    assert CLAW.resume(key) == ["openclaw", "tui", "--session", key]


@pytest.mark.parametrize(
    "key",
    [
        "",
        "7d0c9f10-3b52-4c1e-9a44-0f3b6a7c1101",
        "-x:y",
        "agent:main:a b",
        "a:$(x)",
        "a:b\n",
        "a:" + "x" * 300,
        "a::b",
        ":a",
    ],
)
def test_what_is_no_key_is_not_resumed(key: str) -> None:
    assert CLAW.resume(key) is None


# ---- the shared fixtures ----


@needs_fixtures
def test_every_fixture_says_what_is_expected() -> None:
    expected = json.loads((FIXTURES / "EXPECTED.json").read_text("utf-8"))
    names = [name for name in expected if name.startswith("openclaw/")]
    assert len(names) == 13
    for name in names:
        records = read(FIXTURES / name)
        # The list keeps a prompt twice that a second model was asked; here it counts once.
        want = [
            tuple(each)
            for n, each in enumerate(expected[name]["msgs"])
            if each not in expected[name]["msgs"][n - 1 : n]
        ]
        assert [(role, text[:80]) for role, text in turns(records)] == want, name
        assert {turn.session for turn in of(records, TurnRecord)} == {expected[name]["id"]}
