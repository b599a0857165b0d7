"""The part of a text that shows why it matched: one bounded line that always holds a match."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

import pytest
from harkback.core.excerpt import WIDTH, excerpt
from harkback.core.query import parse
from harkback.core.tokens import find, needle
from hypothesis import example, given
from hypothesis import strategies as st

NOW = datetime(2026, 3, 18, tzinfo=UTC)
FILLER = [
    "word ",
    "filler words. ",
    "重复的文字，",
    "x" * 90 + " ",
    "\n",
    "\n\n",
    "\t",
    "　",
    "é\u0301 ",
    "𠮷",
    "￥ｶﾞ",
    "👩‍👩‍👧",
]
MATCHES = ["needle", "Needles", "重跑", "find needle", "needle" + "s" * 300]
texts = st.lists(st.sampled_from(FILLER + MATCHES), max_size=60).map("".join)
queries = st.sampled_from(
    ["needle", "重跑", "重", "find needle", '"find needle"', "needl*", "needle 重跑", "怎么重跑数据"]
)
widths = st.sampled_from([WIDTH, 1, 10, 40, 100])


@given(texts, queries, widths)
@example("needle " * 400, "needle", WIDTH)
@example("x" * 5_000 + " needle", "needle", WIDTH)
@example("needle " + "x" * 5_000, "needle", 10)
@example("x" * 5_000 + "重跑" + "x" * 5_000, "重", 1)
def test_an_excerpt_is_a_bounded_line_that_shows_the_match(text, typed, width):
    query = parse(typed, NOW)
    needles, loose = query.needles(), query.needles(loose=True)
    made = excerpt(text, needles, loose, width)
    assert len(made.text) <= width + 2
    assert len(made.text.splitlines()) <= 1
    assert "  " not in made.text
    line = " ".join(text.split())
    assert made.text.removeprefix("…").removesuffix("…") in line
    matches = find(line, needles) or find(line, loose)
    assert bool(made.spans) == bool(matches)
    assert all(0 <= start < stop <= len(made.text) for start, stop in made.spans)
    assert all(a[1] < b[0] for a, b in pairwise(made.spans))
    whole = {line[start:stop] for start, stop in matches}
    assert all(any(made.text[start:stop] in match for match in whole) for start, stop in made.spans)
    if matches and all(stop - start <= width // 2 for start, stop in matches):
        assert made.text[slice(*made.spans[0])] in whole


@given(texts, queries, st.data())
def test_what_fts5_found_is_never_shown_bare(words, text, typed, data):
    typing = data.draw(st.booleans())
    query = parse(typed, NOW, typing=typing)
    table = words(text)
    if table.matching(query.all_of_it()) or table.matching(query.any_of_it()):
        assert excerpt(text, query.needles(), query.needles(loose=True)).spans


def shown(text: str, typed: str, width: int = WIDTH) -> str:
    """An excerpt with its spans in brackets."""
    query = parse(typed, NOW)
    made = excerpt(text, query.needles(), query.needles(loose=True), width)
    out, at = "", 0
    for start, stop in made.spans:
        out += made.text[at:start] + "[" + made.text[start:stop] + "]"
        at = stop
    return out + made.text[at:]


def test_a_short_text_is_shown_whole():
    assert shown("a needle\n\n  in\thay", "needle") == "a [needle] in hay"
    assert shown("nothing of it", "needle") == "nothing of it"
    assert shown("", "needle") == ""
    assert shown("请重跑generator测试", "重跑gen") == "请[重跑generator]测试"


def test_a_window_is_cut_between_words_and_says_so():
    text = "before words " * 30 + "needle" + " after words" * 30
    line = shown(text, "needle")
    assert line.startswith("…")
    assert line.endswith("…")
    assert line.strip("…").split()[0] in ("before", "words")
    assert line.strip("…").split()[-1] in ("after", "words")
    assert "[needle]" in line
    assert 40 <= line.index("[needle]") <= 62


def test_the_window_with_most_of_the_match_wins():
    text = "needle " + "hay " * 200 + "needle and needle " + "hay " * 200
    assert shown(text, "needle").count("[needle]") == 2
    early = "needle " + "hay " * 200 + "needle " + "hay " * 200
    assert shown(early, "needle").startswith("[needle] hay")


def test_no_match_in_the_window_is_cut_off_for_the_sake_of_a_word():
    text = "needle " + "x " * 82 + "y needle-" + "hay " * 90
    assert shown(text, "needle", 180).count("[needle]") == 2


def test_a_match_at_the_very_end_is_shown():
    line = shown("hay " * 500 + "needle", "needle")
    assert line.startswith("…")
    assert line.endswith("[needle]")


def test_a_match_at_the_edge_of_the_window_is_shown_whole():
    made = excerpt("needle重复的文字，word filler words. Needles\nword ", parse("needle", NOW).needles(), width=40)
    assert {made.text[start:stop] for start, stop in made.spans} <= {"needle", "Needles"}


def test_a_match_longer_than_the_window_is_shown_in_part():
    made = excerpt("hay " * 50 + "needle" * 100, [needle("needle", prefix=True)], width=40)
    assert len(made.spans) == 1
    assert made.spans[0][1] == len(made.text) - 1


def test_loose_words_are_shown_only_where_the_whole_is_nowhere():
    assert shown("重跑了，数据库", "重跑数据") == "[重跑]了，[数据]库"
    assert shown("重跑数据，数据", "重跑数据") == "[重跑数据]，数据"


@pytest.mark.parametrize("count", [10, 10_000])
def test_choosing_the_window_looks_at_each_match_once(count, monkeypatch: pytest.MonkeyPatch):
    looked = []
    from harkback.core import excerpt as module

    search = module.bisect_right
    monkeypatch.setattr(module, "bisect_right", lambda *given: looked.append(1) or search(*given))
    excerpt("a b " * count, [needle("a")])
    assert len(looked) <= count
