"""Turns as prompt text: where each is from, nothing lost, and a count of tokens that follows one rule."""

from __future__ import annotations

import json
from datetime import UTC
from typing import Any, get_args

import pytest
from harkback.core.model import Role
from harkback.core.pack import SPEAKERS, STYLES, Piece, Style, estimated_tokens, pack
from harkback.core.results import Session, Turn
from hypothesis import given, settings
from hypothesis import strategies as st

TITLES = {"claude": "Claude Code"}
NOON = 1_794_484_800_000 + 2 * 3_600_000  # 2026-11-12 14:00 UTC


def session(**facts: Any) -> Session:
    values: dict[str, Any] = {
        "key": "claude:a1", "source": "claude", "native_id": "a1", "title": "Copy over ssh", "project": "/home/me/web",
        "branch": None, "model": None, "started": NOON, "updated": NOON, "parent": None, "kind": "main", "turns": 9,
        "gone_at_source": False,
    }  # fmt: skip
    return Session(**(values | facts))


def turn(text: str, number: int | None = 3, **facts: Any) -> Turn:
    return Turn(**({"id": 1, "number": number, "role": "user", "time": NOON, "quality": "exact", "text": text} | facts))


def packed(style: Style, *pieces: Piece) -> str:
    return pack(pieces, style, TITLES, UTC).text


QUESTION, ANSWER = turn("Why is it empty?"), turn("tmux drops it:\n\n1. look", 4, role="assistant", id=2)
ROUND = Piece(session(), (QUESTION, ANSWER))


def test_quoted_markdown_says_where_the_first_turn_is_from_and_who_speaks_next() -> None:
    assert packed("quoted", ROUND) == (
        "> **user**, web (Claude Code), 2026-11-12 14:00, claude:a1 turn 3\n>\n> Why is it empty?\n>\n"
        "> **assistant**, 2026-11-12 14:00, turn 4\n>\n> tmux drops it:\n>\n> 1. look\n"
    )


def test_plain_text_has_the_words_alone_under_their_line() -> None:
    assert packed("plain", ROUND).startswith(
        "user, web (Claude Code), 2026-11-12 14:00, claude:a1 turn 3:\nWhy is it empty?\n\nassistant, "
    )


def test_a_fence_is_longer_than_any_in_the_text() -> None:
    text = packed("fenced", Piece(session(), (turn("see\n````sh\nls\n````"),)))
    assert text.count("`````\n") == 2
    assert "```\nWhy is it empty?\n```\n" in packed("fenced", ROUND)


def test_json_holds_every_turn_with_its_zone() -> None:
    found = json.loads(packed("json", ROUND, Piece(session(), (turn("剪贴板"),))))
    assert found["schema"] == 1
    assert [each["text"] for item in found["items"] for each in item["turns"]] == [QUESTION.text, ANSWER.text, "剪贴板"]
    assert found["items"][0]["turns"][0]["time"] == "2026-11-12T14:00:00+00:00"
    assert "剪贴板" in packed("json", Piece(session(), (turn("剪贴板"),)))


def test_json_says_where_a_memory_file_has_it() -> None:
    found = json.loads(packed("json", Piece(session(), (turn("a rule", cite="L12-L30"), turn("another", 4)))))
    assert [each.get("cite") for each in found["items"][0]["turns"]] == ["L12-L30", None]


def test_a_part_is_only_that_stretch() -> None:
    assert packed("plain", Piece(session(), (QUESTION,), (4, 6))).endswith(":\nis\n")


@pytest.mark.parametrize(
    ("facts", "of_session", "expected"),
    [
        ({"quality": "none"}, {}, "user, web (Claude Code), claude:a1 turn 3:"),
        ({"quality": "file"}, {}, "user, web (Claude Code), about 2026-11-12, claude:a1 turn 3:"),
        ({"time": 10**18}, {}, "user, web (Claude Code), claude:a1 turn 3:"),
        ({"number": None}, {}, "user, web (Claude Code), 2026-11-12 14:00, claude:a1:"),
        ({}, {"project": None, "source": "odd"}, "user, odd, 2026-11-12 14:00, claude:a1 turn 3:"),
        ({"cite": "L12-L30"}, {"native_id": "/w/MEMORY.md"}, "user, web (Claude Code), 2026-11-12 14:00, "
         "/w/MEMORY.md#L12-L30:"),
    ],
)  # fmt: skip
def test_a_source_line_says_what_is_known_and_no_more(
    facts: dict[str, Any], of_session: dict[str, Any], expected: str
) -> None:
    text = packed("plain", Piece(session(**of_session), (turn("hi", **facts),)))
    assert text.split("\n")[0] == expected


def test_nothing_packed_is_nothing() -> None:
    assert [packed(style) for style in ("quoted", "plain", "fenced")] == ["", "", ""]
    assert json.loads(packed("json")) == {"schema": 1, "items": []}


def test_every_role_has_a_name() -> None:
    assert set(SPEAKERS) == set(get_args(Role))


def test_tokens_are_counted_by_the_rule() -> None:
    assert [estimated_tokens(text) for text in ("", "a", "abcd", "abcde", "剪贴板", "剪贴板abcd", "，")] == [
        0, 1, 1, 2, 2, 3, 1,
    ]  # fmt: skip


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@settings(max_examples=60)
@given(st.lists(TEXTS, max_size=4), st.sampled_from(STYLES))
def test_every_word_is_in_the_pack_and_each_piece_begins_where_it_is_said_to(texts: list[str], style: Style) -> None:
    pieces = [Piece(session(), (turn(text),)) for text in texts]
    found = pack(pieces, style, TITLES, UTC)
    assert len(found.starts) == len(texts)
    for start, text in zip(found.starts, texts, strict=True):
        rest = found.text[start:]
        assert rest.startswith({"quoted": "> **user**", "json": "{"}.get(style, "user, "))
        if style == "plain":
            assert text.strip("\n") in rest
    if style == "json":
        assert [each["turns"][0]["text"] for each in json.loads(found.text)["items"]] == texts


@settings(max_examples=60)
@given(TEXTS, TEXTS)
def test_more_text_never_costs_less(one: str, other: str) -> None:
    assert estimated_tokens(one + other) >= max(estimated_tokens(one), estimated_tokens(other))
    assert estimated_tokens(one + other) <= estimated_tokens(one) + estimated_tokens(other)
