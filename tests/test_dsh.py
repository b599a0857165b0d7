"""DSH logs of every format: whole, packed, in pieces, damaged, forked and superseded."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
import zstandard
from harkback.adapters.dsh import Dsh
from harkback.core.model import (
    TITLE_FIRST_PROMPT,
    TITLE_GENERATED,
    TITLE_GIVEN,
    Adapter,
    Checkpoint,
    Place,
    Record,
    Reread,
    SessionRecord,
    SkipRecord,
    TurnRecord,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import STORES

DSH = Dsh()
SAMPLE = STORES / "dsh" / "home" / ".dsh" / "sessions" / "--home-ada-loom--"
FIXTURES = Path(__file__).parents[1].parent / "shared" / "fixtures"
needs_fixtures = pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared fixtures are not here")
START = 1_788_300_000_000


def header(version: int = 4, **more: object) -> dict[str, object]:
    return {"type": "session", "version": version, "id": "s1", "createdAt": START, "cwd": "/home/ada/loom", **more}


def event(kind: str, data: object, seq: int | None = None, **more: object) -> dict[str, object]:
    numbers = {} if seq is None else {"seq": seq, "time": START + seq * 1000}
    return {"type": kind, **numbers, "data": data, **more}


def asks(text: str, seq: int | None = None, source: str = "user", op: object = "append") -> dict[str, object]:
    content = [{"type": "text", "text": text}]
    return event("user/message", {"content": content, "source": {"kind": source}}, seq, surfaceOp=op)


def says(text: str, seq: int | None = None, model: str = "deepseek-v4-flash") -> dict[str, object]:
    message = {"content": [{"type": "text", "text": text}], "source": {"kind": "model", "model": model}}
    return event("assistant/message", {"message": message}, seq)


def lines(*rows: object) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def framed(*batches: Sequence[object]) -> bytes:
    packer = zstandard.ZstdCompressor(write_checksum=True, write_content_size=False)
    return b"".join(packer.compress(lines(*batch)) for batch in batches)


def put(home: Path, name: str, content: bytes, session: str = "s1") -> Path:
    path = home / "sessions" / "--home-ada-loom--" / session / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def turns(records: Iterable[Record]) -> list[tuple[str, str]]:
    return [(each.role, each.text) for each in records if isinstance(each, TurnRecord)]


def skips(records: Iterable[Record]) -> list[str]:
    return [each.reason for each in records if isinstance(each, SkipRecord)]


def facts(records: Iterable[Record]) -> SessionRecord:
    known: dict[str, Any] = {"session": ""}
    rank = 0
    for each in records:
        if isinstance(each, SessionRecord):
            fields = {name: getattr(each, name) for name in ("session", "project", "model", "parent", "kind")}
            known |= {name: value for name, value in fields.items() if value is not None}
            if each.title and each.title_rank >= rank:
                known["title"], rank = each.title, each.title_rank
    return SessionRecord(**known, title_rank=rank)


def read(path: Path, adapter: Adapter = DSH) -> list[Record]:
    return list(adapter.read(path, None))


# ---- which file ----


NAMES = ["session.jsonl", "session.jsonl.zstd", "session.v2.jsonl", "session.v9.jsonl.zstd", "session.v10.jsonl"]


def test_of_several_formats_the_highest_is_read_by_its_number_not_its_spelling(tmp_path: Path) -> None:
    for number, name in enumerate(NAMES, 1):
        path = put(tmp_path, name, lines(header(int(name[9:-6]) if name == "session.v2.jsonl" else 0), asks(name, 0)))
        assert turns(read(path)) == [("user", name)]
        old = [path.with_name(each) for each in NAMES[: number - 1]]
        assert set(DSH.find(tmp_path)) == {path, *(Place(each, beside=(path,)) for each in old)}
        for each in old:
            assert read(each) == [SkipRecord("superseded", f"{name} is read instead"), Checkpoint(0)]
            with pytest.raises(Reread):
                list(DSH.read(each, Checkpoint(1)))


def test_an_empty_log_takes_no_other_s_place(tmp_path: Path) -> None:
    old = put(tmp_path, "session.jsonl", lines(header(0), asks("Warp?", 0)))
    new = put(tmp_path, "session.v4.jsonl", b"")
    assert set(DSH.find(tmp_path)) == {old, new}
    assert turns(read(old)) == [("user", "Warp?")]


def test_nothing_but_logs_is_found_and_nothing_outside_sessions(tmp_path: Path) -> None:
    put(tmp_path, "session.v4.jsonl.bak", b"")
    put(tmp_path, "events.jsonl", b"")
    (tmp_path / "storages" / "session_projcache").mkdir(parents=True)
    (tmp_path / "storages" / "session_projcache" / "session.jsonl").write_bytes(b"{}")
    assert list(DSH.find(tmp_path)) == []


def test_the_home_is_the_variable_s_or_a_folder_of_the_persons_own(tmp_path: Path) -> None:
    assert DSH.roots(tmp_path, {}) == [tmp_path / ".dsh"]
    assert DSH.roots(tmp_path, {"DSH_HOME": ""}) == [tmp_path / ".dsh"]
    assert DSH.roots(tmp_path, {"DSH_HOME": "/srv/dsh"}) == [Path("/srv/dsh")]


def test_a_version_that_does_not_fit_the_name_is_counted_and_read_all_the_same(tmp_path: Path) -> None:
    records = read(put(tmp_path, "session.v4.jsonl", lines(header(3), asks("Warp?", 0))))
    assert skips(records) == ["version-mismatch"]
    assert turns(records) == [("user", "Warp?")]


@pytest.mark.parametrize("version", range(5))
@pytest.mark.parametrize("ending", ["", ".zstd"])
def test_every_format_is_read_plain_and_packed(tmp_path: Path, version: int, ending: str) -> None:
    name = "session.jsonl" if version == 0 else f"session.v{version}.jsonl"
    rows = [header(version), asks("Which warp?", 0), says("Linen.", 1)]
    content = framed(rows[:1], rows[1:]) if ending else lines(*rows)
    records = read(put(tmp_path, name + ending, content))
    assert skips(records) == []
    assert turns(records) == [("user", "Which warp?"), ("assistant", "Linen.")]
    assert [each.time for each in records if isinstance(each, TurnRecord)] == [START, START + 1000]


def test_the_content_tells_whether_a_log_is_packed_not_its_name(tmp_path: Path) -> None:
    rows = [header(), asks("Which warp?", 0)]
    assert turns(read(put(tmp_path, "session.v4.jsonl.zstd", lines(*rows)))) == [("user", "Which warp?")]
    assert turns(read(put(tmp_path, "session.v4.jsonl", framed(rows), "s2"))) == [("user", "Which warp?")]


def test_without_a_header_the_folder_names_the_session(tmp_path: Path) -> None:
    path = put(tmp_path, "session.v4.jsonl", lines(asks("Warp?", 3)), session="a~002Fb~D83D~DE00")
    assert facts(read(path)).session == ""
    assert [each.session for each in read(path) if isinstance(each, TurnRecord)] == ["a/b\N{GRINNING FACE}"]


# ---- what is said ----


def test_only_the_person_is_a_user(tmp_path: Path) -> None:
    injected = ["plugin", "tool", "agent-instructions", "subagent-settled", "goal", "coordinator", "skill-catalog"]
    injected += ["runtime-context", "agent-message", "compact-checkpoint"]
    rows = [asks(f"never {source}", n, source) for n, source in enumerate(injected)]
    rows += [asks("replaced", 20, op={"op": "replace", "startSeq": 0, "endSeq": 4}), asks("Warp?", 21)]
    rows += [event("user/message", {"content": [{"type": "text", "text": "no source"}]}, 22)]
    assert turns(read(put(tmp_path, "session.v4.jsonl", lines(header(), *rows)))) == [("user", "Warp?")]


def test_what_came_before_a_compaction_stays_and_its_checkpoint_does_not(tmp_path: Path) -> None:
    checkpoint = asks("summary", 2, "plugin", {"op": "replace", "start": 0, "end": 1})
    rows = [asks("Warp?", 0), says("Linen.", 1), checkpoint, asks("Weft?", 3)]
    path = put(tmp_path, "session.v1.jsonl", lines(header(1), *rows))
    assert turns(read(path)) == [("user", "Warp?"), ("assistant", "Linen."), ("user", "Weft?")]


def test_the_first_builds_kept_an_answer_and_its_model_otherwise(tmp_path: Path) -> None:
    data = {"content": [{"type": "text", "text": "Linen."}], "provenance": {"model": "deepseek-v3"}}
    records = read(put(tmp_path, "session.jsonl", lines(header(0), event("assistant/message", data, 0))))
    assert turns(records) == [("assistant", "Linen.")]
    assert facts(records).model == "deepseek-v3"


def test_titles_rank_by_who_gave_them(tmp_path: Path) -> None:
    def title(text: str, source: str, seq: int) -> dict[str, object]:
        return event("session/title", {"title": text, "source": {"kind": source}}, seq)

    rows: list[dict[str, object]] = [title("Which warp", "fallback", 0)]
    path = put(tmp_path, "session.v4.jsonl", lines(header(), *rows))
    assert (facts(read(path)).title, facts(read(path)).title_rank) == ("Which warp", TITLE_FIRST_PROMPT)
    rows += [title("Warps", "provider", 1), title("Which warp", "fallback", 2)]
    path.write_bytes(lines(header(), *rows))
    assert (facts(read(path)).title, facts(read(path)).title_rank) == ("Warps", TITLE_GENERATED)
    rows += [title("My loom", "user", 3), title("Warps again", "provider", 4)]
    path.write_bytes(lines(header(), *rows))
    assert (facts(read(path)).title, facts(read(path)).title_rank) == ("My loom", TITLE_GIVEN)


def test_an_event_without_a_time_has_the_session_s(tmp_path: Path) -> None:
    records = read(put(tmp_path, "session.v4.jsonl", lines(header(), asks("Warp?"))))
    assert [(each.time, each.quality) for each in records if isinstance(each, TurnRecord)] == [(START, "file")]
    records = read(put(tmp_path, "session.v4.jsonl", lines(header(createdAt=0), asks("Warp?"))))
    assert [(each.time, each.quality) for each in records if isinstance(each, TurnRecord)] == [(None, "none")]


def test_unknown_events_are_counted_unless_they_say_that_they_do_not_matter(tmp_path: Path) -> None:
    rows = [event("user/aside", {}, 0), event("user/aside", {}, 1), event("weave/start", {}, 2, ignorable=True)]
    rows += [
        event("weave/start", {}, 3),
        event("tool/progress", {}, 4),
        event("subagent/descriptor", {"version": 9}, 5),
    ]
    found = [
        each for each in read(put(tmp_path, "session.v4.jsonl", lines(header(), *rows))) if isinstance(each, SkipRecord)
    ]
    assert [(each.reason, each.example.split()[0], each.count) for each in found] == [
        ("unknown-type", "user/aside", 2),
        ("unknown-type", "weave/start", 1),
    ]


def test_tools_are_read_on_request_only(tmp_path: Path) -> None:
    path = SAMPLE / "5b7d0c1e-2f3a-4b5c-8d6e-7f8091a2b301" / "session.v4.jsonl"
    assert all(role != "tool" for role, _ in turns(read(path)))
    with_tools = DSH.with_tools()
    assert with_tools.version != DSH.version
    tools = [text for role, text in turns(read(path, with_tools)) if role == "tool"]
    assert tools == ['bash\n{"command":"cat draft.wif"}', "[WIF]\nShafts=4"]
    packed = [{"type": "tool-result", "content": [{"type": "text", "text": "an old result"}]}]
    old = put(tmp_path, "session.jsonl", lines(header(0), event("tool/result", {"message": {"content": packed}}, 0)))
    assert turns(read(old, with_tools)) == [("tool", "an old result")]


# ---- forks and sub-agents ----


def test_a_fork_of_the_first_formats_begins_at_its_seed_s_length(tmp_path: Path) -> None:
    chunks = {"type": "reasoning-chunks", "data": {"texts": ["a", "b", "c"]}}
    calls = {"type": "tool-call-chunks", "data": {"args": ["", "{", "}"], "dt": [1, 1]}}
    rows = [asks("copied"), chunks, says("copied"), calls, asks("own"), says("own too")]
    for length, own in ((0, 4), (8, 2), (9, 1), (99, 0)):
        path = put(tmp_path, "session.v1.jsonl", lines(header(1, parentSession="s0", seedLength=length), *rows))
        assert len(turns(read(path))) == own, length
        assert facts(read(path)).parent == "s0"
        assert facts(read(path)).kind == "main"


def test_packed_rows_with_numbers_of_their_own_are_taken_at_their_word(tmp_path: Path) -> None:
    chunks = {"type": "text-chunks", "seq0": 6, "time0": START, "data": {"texts": ["a", "b"]}}
    path = put(tmp_path, "session.jsonl", lines(header(0, seedLength=8), chunks, asks("own"), says("own too")))
    assert [each.order for each in read(path) if isinstance(each, TurnRecord)] == [8, 9]


def test_a_later_fork_begins_after_its_last_inherited_end_of_seed(tmp_path: Path) -> None:
    def end(seq: int, data: object) -> dict[str, object]:
        return event("session/end-seed", data, seq)

    rows = [asks("grandparent's", 0), end(1, {"inherited": True}), asks("parent's", 2), end(3, {"inherited": True})]
    rows += [asks("own", 4), end(5, {}), end(6, {"inherited": False}), asks("own too", 7)]
    seeded = put(tmp_path, "session.v2.jsonl", lines(header(2, isSeeded=True), *rows))
    assert turns(read(seeded)) == [("user", "own"), ("user", "own too")]
    packed = put(tmp_path, "session.v4.jsonl.zstd", framed([header(4, isSeeded=True)], rows[:3], rows[3:]))
    assert turns(read(packed)) == [("user", "own"), ("user", "own too")]
    lost = bytearray(packed.read_bytes())
    lost[8] ^= 0xFF
    packed.write_bytes(bytes(lost))
    assert turns(read(packed)) == [("user", "own"), ("user", "own too")], "without its header as well"
    whole = put(tmp_path, "session.v3.jsonl", lines(header(3, isSeeded=False), *rows), "s2")
    assert len(turns(read(whole))) == 4


def test_a_fork_that_is_still_being_copied_is_read_again(tmp_path: Path) -> None:
    rows = [
        header(isSeeded=True),
        asks("parent's", 0),
        event("session/end-seed", {"inherited": True}, 1),
        asks("own", 2),
    ]
    path = put(tmp_path, "session.v4.jsonl", lines(*rows[:2]))
    *_, mark = read(path)
    assert isinstance(mark, Checkpoint)
    path.write_bytes(lines(*rows))
    with pytest.raises(Reread):
        list(DSH.read(path, mark))
    assert turns(read(path)) == [("user", "own")]


@pytest.mark.parametrize("seed", [{"seedLength": 1}, {"isSeeded": True}])
def test_a_fork_that_was_empty_when_it_was_first_seen_is_read_as_one(tmp_path: Path, seed: dict[str, object]) -> None:
    path = put(tmp_path, "session.v1.jsonl", b"")
    *_, mark = read(path)
    assert isinstance(mark, Checkpoint)
    end = event("session/end-seed", {"inherited": True}, 1)
    path.write_bytes(lines(header(1, **seed), asks("parent's", 0), end, asks("own", 2)))
    assert turns(DSH.read(path, mark)) == [("user", "own")]


@pytest.mark.parametrize("version", [2, 3])
def test_a_subagent_is_a_child_with_the_task_alone(tmp_path: Path, version: int) -> None:
    task = {
        "content": [{"type": "text", "text": "Count the ends."}, {"type": "text", "text": "Your parent agent id is"}]
    }
    rows = [
        header(parentSession="s0", origin="subagent", isSeeded=False),
        event("subagent/descriptor", {"version": version, "label": "Ends", "effort": {"x": []}}, 0),
        event("user/message", {**task, "source": {"kind": "user"}}, 1),
    ]
    records = read(put(tmp_path, "session.v4.jsonl", lines(*rows)))
    assert turns(records) == [("user", "Count the ends.")]
    known = facts(records)
    assert (known.kind, known.parent, known.title, skips(records)) == ("subagent", "s0", "Ends", [])


# ---- frames ----


def test_a_corrupt_frame_costs_itself_and_is_counted(tmp_path: Path) -> None:
    batches = [[header()], [asks("lost", 0)], [asks("kept", 1)]]
    whole = bytearray(framed(*batches))
    whole[len(framed(batches[0])) + 12] ^= 0x10
    records = read(put(tmp_path, "session.v4.jsonl.zstd", bytes(whole)))
    assert turns(records) == [("user", "kept")]
    assert skips(records) == ["zstd"]


def test_a_shrunk_file_is_read_again(tmp_path: Path) -> None:
    path = put(tmp_path, "session.v4.jsonl.zstd", framed([header()], [asks("one", 0)], [asks("two", 1)]))
    *_, mark = read(path)
    assert isinstance(mark, Checkpoint)
    path.write_bytes(framed([header()], [asks("one", 0)]))
    with pytest.raises(Reread):
        list(DSH.read(path, mark))


def test_a_frame_that_is_no_json_costs_itself(tmp_path: Path) -> None:
    packer = zstandard.ZstdCompressor()
    junk = packer.compress(b"\xff\xfe{\0\n") + packer.compress(b"no json\n" * 60) + packer.compress(b'{"type": "turn')
    path = put(tmp_path, "session.v4.jsonl.zstd", framed([header()]) + junk + framed([asks("kept", 0)]))
    records = read(path)
    assert turns(records) == [("user", "kept")]
    assert {"encoding", "not-json", "unfinished-line"} <= set(skips(records))


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_packed_log_read_in_pieces_is_as_read_whole(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    batches: list[list[object]] = [[header()]]
    for n in range(8):
        batches.append([asks(f"question {n}", 2 * n), says(f"answer {n}", 2 * n + 1, model=f"m{n // 3}")])
    whole = framed(*batches)
    path = put(tmp_path_factory.mktemp("pieces"), "session.v4.jsonl.zstd", whole)
    told: list[Record] = []
    mark: Checkpoint | None = None
    for size in [*sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=5))), len(whole)]:
        path.write_bytes(whole[:size])
        told += DSH.read(path, mark)
        assert isinstance(told[-1], Checkpoint)
        mark = told[-1]
    all_at_once = read(path)
    assert [each for each in told if isinstance(each, TurnRecord)] == [
        each for each in all_at_once if isinstance(each, TurnRecord)
    ]
    assert facts(told) == facts(all_at_once)
    assert mark == all_at_once[-1]


@pytest.mark.parametrize("session", ["-x", "--resume", "a/b", "{{sessionId}}", "x" * 129, ""])
def test_an_odd_id_is_not_resumed(session: str) -> None:
    assert DSH.resume(session) is None
    assert DSH.resume("e128dda9-ed11") == ["dsh", "--profile", "tui", "--resume", "e128dda9-ed11"]


# ---- the sample, packed ----


def test_the_sample_packed_says_what_it_says_plain(tmp_path: Path) -> None:
    for plain in SAMPLE.rglob("*.jsonl"):
        rows = [json.loads(line) for line in plain.read_bytes().splitlines()]
        packed = put(tmp_path, plain.name + ".zstd", framed(rows[:1], *([row] for row in rows[1:])), plain.parent.name)
        assert turns(read(packed)) == turns(read(plain))
        assert facts(read(packed)) == facts(read(plain))


# ---- the shared fixtures ----


@needs_fixtures
def test_every_fixture_says_what_is_expected(tmp_path: Path) -> None:
    expected = json.loads((FIXTURES / "EXPECTED.json").read_text("utf-8"))
    names = [name for name in expected if name.startswith("dsh/")]
    assert len(names) > 25
    for name in names:
        # Each by itself: one of them is superseded by another beside it.
        records = read(put(tmp_path, Path(name).name, (FIXTURES / name).read_bytes(), f"s{names.index(name)}"))
        want = expected[name].get("msgs") or expected[name].get("msgs_if_frame_scanning", [])
        # The second block of a sub-agent's task is DSH's own, on how to answer its parent: no text of the session.
        want = [[role, text.partition("\nYour parent agent id is")[0]] for role, text in want]
        assert [[role, text[:80]] for role, text in turns(records)] == want, name
        if expected[name].get("parent") is not None:
            assert facts(records).parent == expected[name]["parent"]


@needs_fixtures
def test_the_damaged_fixtures_cost_what_is_damaged() -> None:
    derived = FIXTURES / "dsh" / "derived"
    torn = read(derived / "torn-tail" / "session.v4.jsonl.zstd")
    assert skips(torn) == ["unfinished-line"]
    assert isinstance(torn[-1], Checkpoint)
    assert torn[-1].offset < 1884
    assert skips(read(derived / "corrupt-middle" / "session.v4.jsonl.zstd")) == ["zstd"]
    found = list(DSH.find(derived / "dsh-home"))
    assert sorted(path.name for path in found if isinstance(path, Path)) == ["session.v4.jsonl.zstd"] * 3
    assert [path.path.name for path in found if isinstance(path, Place)] == ["session.jsonl.zstd"]
