"""The words inside identifiers, found in time linear in the text."""

from __future__ import annotations

import re

import pytest
from harkback.core.identifiers import LONGEST, parts, spelled_out
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("call getUserName now", "get User Name"),
        ("HTTPServer", "HTTP Server"),
        ("parseHTTPResponse2xx", "parse HTTP Response2 xx"),
        ("utf8Decoder and Utf8Decoder", "utf8 Decoder Utf8 Decoder"),
        ("iPhone", "i Phone"),
        ("README.md, a Word, snake_case, ALLCAPS, x86", ""),
        ("get_userName", "user Name"),
        ("读getUserName的", "get User Name"),
        ("twice getX twice getX", "get X"),
        ("aB" * LONGEST, ""),
    ],
)
def test_identifiers_are_spelled_out(text: str, spelled: str) -> None:
    assert spelled_out(text) == spelled


@given(st.text(st.sampled_from("abAB12_ .é数"), max_size=60))
def test_parts_lie_in_order_within_words(text: str) -> None:
    end = 0
    for name in parts(text):
        assert end <= name[0][0]
        assert len(name) > 1
        for start, stop in name:
            assert end <= start < stop
            assert re.fullmatch("[A-Za-z0-9]+", text[start:stop])
            end = stop


def test_every_name_with_a_border_is_looked_at_once() -> None:
    text = "getUserName " * 2_000 + "aB" * 20_000 + " " + "x" * 50_000
    assert sum(1 for _ in parts(text)) == 2_000
