"""A turn cut into chunks: nothing that was said is left out, nothing is in two of them."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

import pytest
from harkback.core.chunk import (
    DAY,
    FIRST_DAY,
    ID_BITS,
    LONGEST,
    LONGEST_PROMPT,
    TARGET,
    cut,
    date_words,
    day_of,
    first_id,
)
from hypothesis import example, given
from hypothesis import strategies as st

PIECES = [
    "\n\n",
    "\n \t\n",
    "\n",
    " ",
    "word ",
    "a. ",
    "句子。",
    "，",
    "x" * 50,
    "段落" * 300,
    "long " * 260,
    "\t",
    "\u3000",
]
texts = st.one_of(st.text(max_size=80), st.lists(st.sampled_from(PIECES), max_size=80).map("".join))
roles = st.sampled_from(["user", "assistant", "tool", "memory"])


def ms(*when: int) -> int:
    return int(datetime(*when, tzinfo=UTC).timestamp() * 1000)  # type: ignore[misc]


@given(texts, roles)
@example("x" * 50_000, "user")
@example("x" * 5_000, "assistant")
@example("\n\n" * 3_000 + "x", "assistant")
@example(("x" * 700 + "\n\n") * 9, "assistant")
def test_chunks_hold_all_that_was_said_once_and_in_order(text, role):
    chunks = cut(text, role)
    assert all(a[1] <= b[0] for a, b in pairwise(chunks))
    edges = [0, *(edge for chunk in chunks for edge in chunk), len(text)]
    assert all(not text[edges[i] : edges[i + 1]].strip() for i in range(0, len(edges), 2))
    for start, stop in chunks:
        assert text[start:stop] == text[start:stop].strip() != ""
        assert stop - start <= (LONGEST_PROMPT if role in ("user", "memory") else LONGEST)


@given(texts)
def test_what_a_person_said_is_one_chunk_and_so_is_a_part_of_a_memory_file(text):
    assert len(cut(text, "user")) == len(cut(text, "memory")) == (1 if text.strip() else 0)


def test_only_a_bulk_paste_of_a_person_is_cut():
    assert len(cut("word " * 3_999, "user")) == 1
    assert len(cut("paragraph\n\n" * 1_800, "user")) == 1
    assert len(cut("word " * 10_000, "user")) == 3
    assert len(cut("paragraph\n\n" * 3_000, "user")) == 2


@given(st.lists(st.integers(1, 1_200), min_size=1, max_size=30))
def test_paragraphs_stay_whole_and_short_ones_stay_together(sizes):
    text = "\n\n".join("x" * size for size in sizes)
    chunks = cut(text, "assistant")
    borders = {0}
    for size in sizes:
        borders |= {max(borders) + size + 2}
    assert all(start in borders for start, _ in chunks)
    for (start, stop), (_, after) in pairwise(chunks):
        assert stop - start >= TARGET - 2 or after - start > LONGEST - 2


@pytest.mark.parametrize(
    ("unit", "ends"),
    [
        ("line of words\n", "words"),
        ("这是一个句子。", "。"),
        ("A sentence. ", "."),
        ("半句，", "，"),
        ("word ", "word"),
    ],
)
def test_a_long_paragraph_is_cut_where_it_pauses(unit, ends):
    text = unit * 500
    for start, stop in cut(text, "assistant"):
        assert text[start:stop].endswith(ends)
        assert text[start:].startswith(unit[0])


def test_an_empty_turn_has_no_chunk():
    assert cut("", "user") == cut(" \n\n\t\n", "assistant") == []


def test_a_day_is_told_in_words():
    assert date_words(ms(2026, 11, 30, 23, 59, 59)) == "Monday 30 November 2026"
    assert date_words(ms(2024, 2, 29)) == "Thursday 29 February 2024"
    assert date_words(ms(1970, 1, 1)) == "Thursday 1 January 1970"
    assert date_words(None) == ""


def test_ids_count_the_days():
    assert day_of(None) == day_of(0) == day_of(-1) == day_of(ms(2019, 12, 31, 23)) == day_of(ms(2020, 1, 1)) == 0
    assert day_of(ms(2020, 1, 2)) == day_of(ms(2020, 1, 2, 23, 59, 59)) == 1
    assert day_of(ms(2026, 3, 18)) == (ms(2026, 3, 18) - FIRST_DAY * DAY) // DAY


@given(st.integers(ms(2020, 1, 1), ms(2099, 1, 1)), st.integers(ms(2020, 1, 1), ms(2099, 1, 1)))
def test_ids_are_in_the_order_of_days(one, other):
    assert (first_id(one) < first_id(other)) == (one // DAY < other // DAY)
    assert first_id(one) % (1 << ID_BITS) == 0
    assert first_id(one) < 1 << 62
