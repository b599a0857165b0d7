"""Everything that adapters report is cleaned and redacted on its way in, as whole messages, and what is left out is
counted."""

from __future__ import annotations

import random
import string
from dataclasses import fields, replace

import pytest
from harkback.core import intake
from harkback.core.clean import clean
from harkback.core.intake import JOINT, LONGEST_TURN, Batch, Intake, NewTurn, oldest_allowed, rejoined
from harkback.core.model import (
    Checkpoint,
    CutRecord,
    Record,
    SessionRecord,
    SkipRecord,
    TitleRecord,
    TurnRecord,
    UndoRecord,
)
from harkback.core.packing import text_hash
from hypothesis import given
from hypothesis import strategies as st

DAY = 86_400_000
NOISE = "\x1b[31mred\x1b[0m \x1b]0;title\x07\u202e\u200b\0\ud800"


def secret(seed: int = 1) -> str:
    """A token of a code host, made here so that none stands in this file."""
    letters = random.Random(seed)
    return "gh" + "p_" + "".join(letters.choice(string.ascii_letters + string.digits) for _ in range(36))


def private_key() -> list[str]:
    letters = random.Random(2)
    lines = ["".join(letters.choice(string.ascii_letters + string.digits) for _ in range(64)) for _ in range(12)]
    kind = "RSA PRIVATE" + " KEY-----"
    return ["-----BEGIN " + kind, *lines, "-----END " + kind]


def turn(text: str = "words", **facts) -> TurnRecord:
    defaults = {"session": "s", "role": "user", "time": 5 * DAY, "order": 0}
    return TurnRecord(text=text, **{**defaults, **facts})


def taken(*records: Record, oldest: int | None = None) -> Batch:
    """One batch of these records."""
    collector = Intake(oldest)
    for record in records:
        assert collector.take(record) is None
    batch = collector.take(Checkpoint(9, b"state"))
    assert batch
    assert batch.checkpoint == Checkpoint(9, b"state")
    return batch


def strings(thing: object) -> list[str]:
    """Every string anywhere in a batch."""
    if isinstance(thing, str):
        return [thing]
    if isinstance(thing, dict):
        return [text for pair in thing.items() for each in pair for text in strings(each)]
    if isinstance(thing, list | tuple | set | frozenset):
        return [text for each in thing for text in strings(each)]
    if hasattr(thing, "__dataclass_fields__"):
        return [text for each in fields(thing) for text in strings(getattr(thing, each.name))]
    return []


# ---- clean and redacted, every string ----

IDS = {"session", "native_id", "parent_id", "parent", "leaf", "turn_id"}


def everything(text: str) -> list[Record]:
    """Each kind of record with `text` in every string it has."""
    return [
        SessionRecord(text, text, 4, text, text, text, text, "main", text),
        TurnRecord(text, "assistant", text, 1, 1, text, text),
        TurnRecord(text, "assistant", text, 1, 2, text, text, more=True),
        TitleRecord(text, text, 4),
        UndoRecord(text, 0, 1),
        CutRecord(text, 0, 1),
        SkipRecord(text, text, 2),
    ]


@given(
    st.one_of(
        st.text(max_size=60), st.lists(st.sampled_from([NOISE, "a", " ", "\n", "重", "\ufe0f", "\u0301"])).map("".join)
    )
)
def test_no_string_comes_in_unclean(text):
    for each in strings(taken(*everything(text))):
        assert each == clean(each)
        each.encode()


def test_no_string_comes_in_with_a_secret_in_it():
    batch = taken(
        SessionRecord(
            "s", title=f"use {secret()}", title_rank=1, project=f"/x/{secret()}", branch=secret(), model=secret()
        ),
        turn(f"the token is {secret()}"),
        turn(f"密钥是{secret()}。", order=1),
        turn(f"\x1b[1m{secret()[:9]}\u200b{secret()[9:]}", order=2),
        TitleRecord("t", secret(), 4),
        SkipRecord("not-json", f"line with {secret()}"),
        SkipRecord(secret(), ""),
    )
    assert not [each for each in strings(batch) if secret()[4:12] in each]
    assert batch.redacted == {"github-token": 10}
    assert [each.text for each in batch.turns[:2]] == [
        "the token is [redacted:github-token]",
        "密钥是[redacted:github-token]。",
    ]
    assert batch.sessions["s"].project == "/x/[redacted:github-token]"


@pytest.mark.parametrize("before", [150, 170, 180, 190, 199, 200, 210])
def test_a_secret_at_the_end_of_a_title_is_redacted_before_the_title_is_cut(before):
    long = "word " * (before // 5) + secret() + " and more"
    batch = taken(
        SessionRecord("s", title=long, title_rank=1, branch=long),
        TitleRecord("t", long, 1),
        SkipRecord("x", long),
    )
    assert not [each for each in strings(batch) if secret()[:6] in each]
    assert len(batch.sessions["s"].title or "") <= 200
    assert len(batch.titles[0].title) <= 200


def test_facts_are_one_bounded_line():
    facts = taken(
        SessionRecord("s", title="a\n\n b" * 200, title_rank=1, project="/p" * 9_000, branch="\n", model="")
    ).sessions["s"]
    assert facts.title
    assert "\n" not in facts.title
    assert len(facts.title) == 200
    assert len(facts.project or "") == 4_096
    assert facts.branch is None
    assert facts.model is None


@pytest.mark.parametrize("plain", ["0199-aaaa", "agent:main:main", "a  b", "会话", "x" * 300])
def test_ordinary_ids_stay_as_they_are(plain):
    batch = taken(SessionRecord(plain, leaf=plain), turn(session=plain, native_id=plain, parent_id=plain))
    assert batch.turns[0].session == batch.turns[0].native_id == batch.turns[0].parent_id == plain
    assert batch.sessions[plain].leaf == plain


def test_one_id_is_the_same_id_in_every_record():
    batch = taken(*everything("s\x1b[2J\u200b1\n"))
    assert set(batch.sessions) == {each.session for each in (*batch.turns, *batch.undos, *batch.cuts)} == {"s1"}
    assert batch.sessions["s1"].leaf == batch.turns[0].native_id == batch.titles[0].turn_id == "s1"


# ---- whole messages ----


def test_the_parts_of_a_turn_become_one_message():
    batch = taken(
        turn("one", native_id="a", order=1),
        turn("other", native_id="b", order=2, role="assistant"),
        turn("two\n", native_id="a", order=3, more=True),
        turn("\n \n", native_id="a", order=4, more=True),
        turn("three", native_id="a", order=5, more=True),
    )
    assert [(each.native_id, each.text, each.seq) for each in batch.turns] == [
        ("a", "one\n\ntwo\n\nthree", 1),
        ("b", "other", 2),
    ]


def test_a_secret_over_two_parts_is_redacted_as_one():
    lines = private_key()
    first, second = "\n".join(["here:", *lines[:7]]), "\n".join([*lines[7:], "done"])
    batch = taken(turn(first, native_id="a"), turn(second, native_id="a", more=True))
    (only,) = batch.turns
    assert only.text == "here:\n[redacted:private-key]\ndone"
    assert batch.redacted == {"private-key": 1}


def test_a_secret_over_two_batches_is_redacted_as_one():
    lines = private_key()
    collector = Intake()
    texts: list[str] = []
    for record in (
        turn("\n".join(["here:", *lines[:1]]), native_id="a"),
        turn("\n".join([*lines[1:], "done"]), native_id="a", more=True),
    ):
        collector.take(record)
        batch = collector.take(Checkpoint(1))
        assert batch
        (only,) = batch.turns
        texts.append(only.text)
    assert batch.turns[0].more
    whole = rejoined(*texts)
    assert whole == "here:\n[redacted:private-key]\ndone"


@given(
    st.lists(
        st.sampled_from(["a", "b\n", "\nc", "\n\n", " ", "d\r", "\r\ne", "重\x1b[1m跑", "x\ufe0f", "\u0301y"]),
        min_size=1,
        max_size=6,
    )
)
def test_a_turn_is_the_same_whether_its_parts_come_at_once_or_one_by_one(parts):
    records = [turn(part, native_id="a", order=n, more=n > 0) for n, part in enumerate(parts)]
    at_once = [each.text for each in taken(*records).turns]
    stored: str | None = None
    collector = Intake()
    for record in records:
        collector.take(record)
        batch = collector.take(Checkpoint(record.order))
        assert batch
        for each in batch.turns:
            stored = each.text if stored is None else rejoined(stored, each.text)
    assert at_once == ([] if stored is None else [stored])


def test_a_continuation_joins_only_its_own_sessions_turn():
    batch = taken(
        turn("one", session="s", native_id="a"),
        turn("uno", session="t", native_id="a"),
        turn("two", session="t", native_id="a", more=True),
        turn("again", session="s", native_id="a"),
        turn("loose"),
        turn("loose"),
    )
    assert [(each.session, each.text) for each in batch.turns] == [
        ("s", "one"), ("t", "uno\n\ntwo"), ("s", "again"), ("s", "loose"), ("s", "loose"),
    ]  # fmt: skip


def test_a_turn_without_words_is_none():
    assert taken(turn(""), turn(" \n\t"), turn("\u200b\x1b[0m"), turn("\n", native_id="a", more=True)).turns == []


def test_a_turn_keeps_its_facts():
    (only,) = taken(
        TurnRecord("s", "assistant", "\n  indented\n\n", 7 * DAY, 3, "id", "before", more=True, quality="file")
    ).turns
    assert only == NewTurn("s", "assistant", "  indented", 7 * DAY, "file", 3, "id", "before", True)


# ---- bounds ----


@pytest.mark.parametrize("time", [-1, 10**15, 10**30, -(10**30)])
def test_a_time_beyond_the_calendar_is_none(time):
    (only,) = taken(turn(time=time), oldest=DAY).turns
    assert (only.time, only.quality) == (None, "none")


def test_turns_from_before_the_window_are_left_out_and_counted():
    batch = taken(
        turn("old", session="a", time=DAY - 1),
        turn("older", session="a", time=1),
        turn("new", session="b", time=DAY),
        turn("undated", session="c", time=None),
        oldest=DAY,
    )
    assert [each.text for each in batch.turns] == ["new", "undated"]
    assert batch.left_out == {("a", "window")}
    assert not taken(turn(time=0)).left_out


def test_the_window_is_counted_back_from_now():
    assert oldest_allowed(90, lambda: 1_000_000_000.5) == 1_000_000_000_500 - 90 * DAY
    assert oldest_allowed(0) is None


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(intake, "LONGEST_TURN", 10_000)
    return 10_000


def test_a_huge_turn_is_cut_and_counted(small):
    batch = taken(turn("word " * 3_000), turn("short", order=1))
    long, short = batch.turns
    assert small / 2 < len(long.text) <= small
    assert short.text == "short"
    assert batch.skips["turn-cut"].count == 1
    assert "15,000 characters" in batch.skips["turn-cut"].example
    assert LONGEST_TURN == 2_000_000


def test_a_turn_that_just_fits_is_whole(small):
    batch = taken(turn("x" * small))
    assert batch.turns[0].text == "x" * small
    assert not batch.skips


@pytest.mark.parametrize("filler", ["word ", "x", '","k":"', "\n"])
@pytest.mark.parametrize("shift", range(0, 44, 4))
def test_no_half_of_a_secret_is_left_where_a_turn_is_cut(small, filler, shift):
    before = (filler * small)[: small - shift - 1] + " "
    text = before + secret() + (" " + filler) * 3_000
    (only,) = taken(turn(text)).turns
    assert secret()[:7] not in only.text
    stored = before[: small // 2]
    assert secret()[:7] not in rejoined(stored, text[small // 2 + len(JOINT) :])
    assert len(rejoined(stored, text)) <= small


# ---- gathering ----


def test_each_batch_begins_empty():
    collector = Intake()
    for record in everything("x"):
        collector.take(record)
    first = collector.take(Checkpoint(1))
    second = collector.take(Checkpoint(2))
    assert first
    assert first.turns
    assert first.text_size == sum(len(each.text) for each in first.turns)
    assert second == replace_checkpoint(Batch(), Checkpoint(2))


def replace_checkpoint(batch: Batch, checkpoint: Checkpoint) -> Batch:
    batch.checkpoint = checkpoint
    return batch


def test_skips_of_one_reason_are_added_up():
    batch = taken(SkipRecord("not-json", "line 3"), SkipRecord("not-json", "line 9", 4), SkipRecord("big", "x"))
    assert batch.skips["not-json"] == SkipRecord("not-json", "line 3", 5)
    assert batch.skips["big"].count == 1


def test_later_facts_win_but_a_title_only_over_a_lesser_one():
    batch = taken(
        SessionRecord("s", title="given", title_rank=4, project="/a", leaf="l1", kind="main"),
        SessionRecord("s", title="first prompt", title_rank=1, branch="main", leaf="l2"),
        SessionRecord("s", title="\u200b", title_rank=4, model="m", kind="subagent"),
    )
    assert batch.sessions["s"] == SessionRecord(
        "s", "given", 4, project="/a", branch="main", model="m", kind="subagent", leaf="l2"
    )
    again = taken(SessionRecord("s", title="one", title_rank=2), SessionRecord("s", title="two", title_rank=2))
    assert again.sessions["s"].title == "two"


def test_equal_texts_have_equal_hashes_and_roles_tell_them_apart():
    assert text_hash("user", "重跑") == text_hash("user", "重跑")
    assert text_hash("user", "a") != text_hash("assistant", "a")
    assert -(2**63) <= text_hash("user", "") < 2**63


def test_what_is_kept_is_a_copy():
    record = turn("x", native_id="a")
    taken(record, replace(record, text="y", more=True))
    assert record.text == "x"
