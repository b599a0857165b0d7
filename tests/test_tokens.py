"""What is a word: the same for FTS5, for queries and for highlighting."""

from __future__ import annotations

import random
import re
import unicodedata
from itertools import pairwise

import pytest
from harkback.core.term import Term, any_of
from harkback.core.tokens import (
    CJK,
    Needle,
    bag,
    find,
    finished,
    has_cjk,
    join,
    needle,
    phrase,
    segment,
    tokenize,
)
from hypothesis import example, given, settings
from hypothesis import strategies as st

IDEOGRAPHS = "重跑测试数据库修复锁定错误のデータベースを直すカガぱパ々ー한글데이터베이스ㅋㅎㅏ〇𠮷𪚥"
WIDE = "ｆｕｌｌＡ１２ｶﾞﾊﾟｿﾞﾝﾞｱﾡￂ㍿㈱①Ⅷ㎏ﬁ½²㋿⺀⼀豈️"
LATIN = "aegnruxzßøđłÉéüñİıſK"
MARKS = "\u0301\u0308\u0323\u3099\u309a\u1161\u11a8\u0334"
OTHER = " \n\t-_.,:;!?'\"()[]{}*^/\\#@0123789，。、「」・😀👩‍👩‍👧אבهлжไท"
CHARACTERS = IDEOGRAPHS + WIDE + LATIN + MARKS + OTHER

mixed = st.text(st.sampled_from(CHARACTERS), max_size=40)
anything = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
texts = st.one_of(mixed, anything)
runs = st.text(st.sampled_from(IDEOGRAPHS), min_size=1, max_size=20)


def term(text: str, *, quoted: bool = False, prefix: bool = False) -> Term:
    return Term(text, 0, len(text), quoted, prefix)


def in_part(term: Term) -> str:
    """The FTS5 expression for any part of a term."""
    return any_of([unit.expression() for unit in term.units()])


# ---- what is found ----


@given(mixed, runs, mixed, st.data())
def test_every_piece_of_a_run_of_ideographs_is_found_and_no_other(words, before, run, after, data):
    text = before + run + after
    folded = unicodedata.normalize("NFKC", text)
    table = words(text)
    found = max(re.findall(f"[{CJK}]+", folded), key=len)
    size = data.draw(st.integers(1, min(9, len(found))))
    at = data.draw(st.integers(0, len(found) - size))
    piece = found[at : at + size]
    assert table.matching(term(piece).expression()) == {1}
    assert table.matching(term(piece, quoted=True).expression()) == {1}
    absent = data.draw(st.text(st.sampled_from(IDEOGRAPHS), min_size=1, max_size=9))
    there = unicodedata.normalize("NFKC", absent) in folded
    assert (table.matching(term(absent).expression()) == {1}) == there


@given(runs, runs, st.sampled_from(["gen", "Run", "x1"]), st.sampled_from(["", "erator", "_x", "。", " ok"]), st.data())
def test_ideographs_beside_letters_are_found_together_from_any_place_in_their_run(words, run, other, latin, more, data):
    first, second = unicodedata.normalize("NFKC", run), unicodedata.normalize("NFKC", other)
    tail = first[data.draw(st.integers(0, len(first) - 1)) :]
    head = second[: data.draw(st.integers(1, len(second)))]
    assert words(run + latin + more).matching(term(tail + latin).expression()) == {1}
    assert words(run + latin + other).matching(term(tail + latin + head).expression()) == {1}
    assert words(latin + other).matching(term(latin + head).expression()) == {1}


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("重跑gen", "请重跑generator"),
        ("重跑gen", "先重跑gen_x再说"),
        ("gen重", "gen重跑"),
        ("重跑。", "重跑了一次"),
        ("库？", "数据库存"),
        ("「数据」", "大数据库"),
        ("数据库", "SQLite数据库"),
        ("SQLite", "SQLite数据库"),
        ("ガギ", "ｶﾞｷﾞｸﾞ"),
        ("ﾃﾞｰﾀ", "データベース"),
        ("株式", "㍿の話"),
        ("令和", "㋿六年"),
        ("ㅋㅋ", "ㅋㅋㅋㅋ"),
        (unicodedata.normalize("NFD", "이터"), "데이터베이스"),
        ("이터", unicodedata.normalize("NFD", "데이터베이스")),
        ("か\u3099", "がき"),
        ("ABC", "ａｂｃ"),
        ("cafe", "Café"),
        ("cafe\u0301", "cafe"),
        ("running", "it runs"),
        ("naïve", "NAIVE"),
    ],
)
def test_what_is_typed_is_found_in(words, query, text):
    assert words(text).matching(term(query).expression()) == {1}
    assert find(text, term(query).needles())


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("数据", "数 据"),
        ("据数", "数据"),
        ("重跑gen", "重跑 regen"),
        ("库存", "数据库"),
        ("カ", "ガ"),
        ("ten重", "gen重跑"),
    ],
)
def test_what_is_typed_is_not_found_in(words, query, text):
    assert words(text).matching(term(query).expression()) == set()
    assert not find(text, term(query).needles())


# ---- the same words everywhere ----


@given(texts)
@example("ｶﾞｷﾞ か\u3099き \u1112\u1161\u11ab글 각\u11a8 가\u11a8")
@example("a\u0334\u0301x\u0301\u0323 ㋿年 ｱﾞ ⺀x é\u3099 か\u0334\u3099き か\u0323\u3099き")
@example("\u0301重\u0301跑\u0301 İ ﷺ ½ ﾡￂ")
def test_tokens_are_those_that_fts5_makes(words, text):
    tokens = tokenize(text)
    assert [token.text for token in tokens] == words(text).tokens()
    assert all(0 <= token.start < token.stop <= len(text) for token in tokens)
    assert all(a.start <= b.start and a.stop <= b.stop for a, b in pairwise(tokens))


@given(mixed)
def test_each_token_stands_where_it_says(text):
    for token in tokenize(text):
        assert token.text in [other.text for other in tokenize(text[token.start : token.stop])]


@given(texts)
def test_segmenting_keeps_the_text_between_the_runs(text):
    if not has_cjk(text):
        assert segment(text) == (text if text.isascii() else unicodedata.normalize("NFKC", text))
    assert not re.search(f"[{CJK}]{{3}}", segment(text))


def test_every_ideograph_is_a_word_to_fts5_too(words):
    numbers = [n for a, b in re.findall("(.)-(.)", CJK) for n in range(ord(a), ord(b) + 1)]
    numbers += map(ord, re.sub(".-.", "", CJK))
    letters = [c for c in map(chr, numbers) if unicodedata.normalize("NFKC", c) == c]
    letters = [c for c in letters if not unicodedata.name(c, "").endswith("FILLER")]
    made = words("\n".join(letters)).tokens()
    assert made == letters
    assert len(letters) > 90_000


# ---- what is highlighted ----


@given(texts, st.data())
def test_whatever_fts5_finds_is_highlighted(words, text, data):
    size = data.draw(st.integers(1, 12))
    at = data.draw(st.integers(0, max(0, len(text) - 1)))
    typed = data.draw(st.one_of(st.just(text[at : at + size]), st.text(st.sampled_from(CHARACTERS), max_size=8)))
    query = term(typed, quoted=data.draw(st.booleans()), prefix=data.draw(st.booleans()))
    table = words(text)
    for loose, expression in ((False, query.expression()), (True, in_part(query))):
        spans = find(text, query.needles(loose=loose))
        assert bool(table.matching(expression)) == bool(spans)
        assert all(0 <= start < stop <= len(text) for start, stop in spans)
        assert all(a[1] < b[0] for a, b in pairwise(spans))


@given(texts, st.integers(0, 30), st.integers(1, 8), st.booleans())
def test_what_matches_as_a_whole_matches_in_part(words, text, at, size, prefix):
    query = term(text[at : at + size], prefix=prefix)
    assert words(text).matching(query.expression()) <= words(text).matching(in_part(query))


@pytest.mark.parametrize(
    ("text", "query", "shown"),
    [
        ("大数据库存", "数据", ["数据"]),
        ("大数据库存", "据", ["据"]),
        ("据", "据", ["据"]),
        ("gen重跑", "gen重", ["gen重"]),
        ("ｶﾞｷﾞ", "ガ", ["ｶﾞ"]),
        ("ｶﾞｷﾞ", "ガギ", ["ｶﾞｷﾞ"]),
        ("か\u3099き", "が", ["か\u3099"]),
        ("㍿の", "式", ["㍿"]),
        ("Cafe\u0301s here", "café", ["Cafe\u0301s"]),
        ("a running man runs", "run", ["running", "runs"]),
        ("请重跑generator", "重跑gen", ["重跑generator"]),
        ("x_y x-y", "x y", ["x_y", "x-y"]),
    ],
)
def test_a_match_is_shown_exactly(text, query, shown):
    assert [text[start:stop] for start, stop in find(text, term(query).needles())] == shown


def test_spans_that_overlap_or_touch_become_one():
    assert join([(5, 7), (0, 2), (2, 3), (6, 6), (9, 10)]) == [(0, 3), (5, 7), (9, 10)]
    assert join([]) == []


def test_a_needle_needs_a_word():
    assert needle("") is None
    assert needle("?!，。😀") is None
    assert needle("Running") == Needle(("run",))
    assert needle("重") == Needle(("重",), prefix=True)
    assert phrase("…") == ("", False)


@given(texts)
def test_the_bag_holds_only_what_is_in_the_word(text):
    folded = unicodedata.normalize("NFKC", text)
    assert all(part in folded for part in bag(text))
    assert len(bag(text)) == len(set(bag(text)))


# ---- unfinished words ----

ENDINGS = "ing tion ation ization ational ment ness fulness ousness ability ive ously ally ies ed er est s".split()
STEMS = "migrat gener organ config optim valid compat form use help care run stop plan cach deploy relat".split()
WHOLE = """generation migrations running generator organization relational configuration hopefully usefulness
    ambiguous compatibility assignment replacement environment initialization notifications automatically
    stopped planning caching deployed databases indices queries specification repeatability mechanism""".split()


@pytest.mark.parametrize("whole", WHOLE)
def test_an_unfinished_word_finds_what_the_finished_one_finds(words, whole):
    table = words(f"about {whole} today")
    for size in range(4, len(whole)):
        begun = term(whole[:size], prefix=True)
        assert table.matching(begun.expression()) == {1}, whole[:size]
        assert find(f"about {whole} today", begun.needles()), whole[:size]


@given(st.sampled_from(STEMS), st.sampled_from(ENDINGS), st.integers(4, 12))
@settings(max_examples=50)
def test_unfinished_words_add_whole_words_only(stem, ending, size):
    begun = (stem + ending)[:size]
    made = finished(begun)
    assert all(word.startswith(begun) for word in made)
    assert len({needle(word) for word in made}) == len(made)


def test_only_english_words_have_endings(words):
    assert finished("") == finished("run") == finished("数据库") == finished("12345") == ()
    assert words("请重跑generation").matching(term("重跑generatio").expression()) == {1}


def test_highlighting_costs_what_the_text_is_long():
    """A phrase of n words over a text of its repeats looks at no more than their product."""
    letters = random.Random(1)
    text = " ".join(letters.choice("ab") for _ in range(20_000))
    assert len(tokenize(text)) == 20_000
    assert find(text, [Needle(("a",) * 40)]) == []
