"""Parts of one file that are cited by their lines: as many lines as before, and no secret in any of them."""

from __future__ import annotations

import pytest
from harkback.core.cited import Part, lines_cited, redacted_parts, redacted_together
from harkback.core.clean import clean
from harkback.core.redact import redact
from hypothesis import given
from hypothesis import strategies as st

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
KEY = ["-----BEGIN RSA PRIVATE" + " KEY-----", *("MIIEow" + f"{n:04}" * 14 for n in range(9)), "and after it"]
LINES = ["a kiln", "", "   ", "\x1b[31mred", "a\u2028b", "\u200b", "a\rb", f"token: {TOKEN}", "password =", *KEY]
files = st.lists(st.sampled_from(LINES) | st.text(st.characters(exclude_characters="\n"), max_size=12), max_size=24)


@given(files, st.lists(st.tuples(st.integers(0, 23), st.integers(0, 23)), max_size=5), st.integers(1, 10**8))
def test_every_line_stays_in_its_place(lines: list[str], ranges: list[tuple[int, int]], start: int) -> None:
    cut = [(min(a, b), max(a, b) + 1) for a, b in ranges if max(a, b) < len(lines)]
    parts = [(range(start + a, start + b), "\n".join(lines[a:b])) for a, b in cut]
    texts, counts = redacted_parts(parts)
    for (a, b), text in zip(cut, texts, strict=True):
        assert text.count("\n") + 1 == b - a
        assert TOKEN not in text
        for line in text.split("\n"):
            assert clean(line) == line
        if not counts:
            assert text.split("\n") == [clean(line).replace("\n", " ") for line in lines[a:b]]


def test_a_secret_across_a_border_is_masked_on_both_sides() -> None:
    lines = ["before", *KEY]
    parts = [(range(1, 5), "\n".join(lines[:4])), (range(4, 13), "\n".join(lines[3:]))]
    assert "MIIEow" in redact(parts[1][1]).text, "alone the second would not look like one"
    (first, second), counts = redacted_parts(parts)
    assert first.split("\n") == ["before", f"[redacted:{next(iter(counts))}]", "", ""]
    assert second == "\n" * 8 + "and after it"


def test_lines_that_are_far_apart_cost_no_more_than_their_text() -> None:
    parts = [(range(900_000_000, 900_000_002), "kiln\nand glaze"), (range(1, 2), "clay")]
    assert redacted_parts(parts) == (["kiln\nand glaze", "clay"], {})


def test_only_what_fits_its_citation_is_a_part() -> None:
    found, _ = redacted_together(
        [
            ("a", Part("f", "L1-L2", ["one\ntwo"])),
            ("b", Part("f", "L1-L3", ["one\ntwo"])),
            ("c", Part("f", "L3-L3", ["three", "more"])),
            ("d", Part("f", None, ["x"])),
            ("e", Part("f", "page 3", ["x"])),
            ("f", Part("g", "L1-L1", ["of another file"])),
        ]
    )
    assert found == {"a": "one\ntwo", "f": "of another file"}


@pytest.mark.parametrize("cite", [None, "", "L0-L3", "L1", "L1-", "l1-l2", "L1-L2x", "L٣-L٤", "L1-L99999999999"])
def test_what_is_no_range_of_lines_is_none(cite: str | None) -> None:
    assert lines_cited(cite) is None


def test_lines_are_counted_from_one_and_the_last_is_one_of_them() -> None:
    assert lines_cited("L12-L30") == range(12, 31)
    assert lines_cited("L7-L7") == range(7, 8)


@given(st.lists(st.sampled_from(LINES), max_size=20).map("\n".join))
def test_redacting_with_lines_kept_keeps_them(text: str) -> None:
    kept = redact(text, keep_lines=True)
    assert kept.text.count("\n") == text.count("\n")
    assert kept.counts == redact(text).counts
    assert redact(kept.text, keep_lines=True).text == kept.text
