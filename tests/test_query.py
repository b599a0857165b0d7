"""What a person types becomes a query: nothing raises, nothing is FTS5 syntax, nothing typed is lost in silence."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from harkback.core.query import FILTERS, MOST_CHARACTERS, MOST_TERMS, Query, Term, parse
from harkback.core.tokens import find
from hypothesis import example, given
from hypothesis import strategies as st

NOW = datetime(2026, 3, 18, 12, tzinfo=UTC)  # a Wednesday
DAY = 86_400_000

SYNTAX = [
    '"', "'", "*", "^", ":", "-", "(", ")", "{", "}", "+", ",", "NEAR(", "NEAR", "AND", "OR", "NOT", "text:", "date :",
    "a", "flaky", "数据库", "重", "か\u3099", "é", "\0", "\ud800", "\u200b", "\x1b[31m", "😀", " ", "  ", "\n",
    "\u3000", "?", "“", "”", "source:", "after:", "-on:", "role：", "7d", "last week", "OR ", "--", "0", "_", "%", "\\",
    "ﷺ",
]  # fmt: skip
typed = st.one_of(
    st.lists(st.sampled_from(SYNTAX), max_size=30).map("".join),
    st.lists(st.sampled_from(SYNTAX), max_size=30).map(" ".join),
    st.text(max_size=60),
    st.text(st.characters(), min_size=400, max_size=600),
)


def words_of(query: Query) -> list[list[str]]:
    return [[term.text for term in group] for group in query.wanted]


# ---- anything at all ----


@given(typed, st.booleans())
@example("(" * 2_000, False)
@example('"' * 511, True)
@example("a OR " * 200, False)
@example("-a " * 200, False)
@example("数" * 600, True)
@example("ﷺ" * 600, False)
@example("数 " * 600, False)
@example("source:a,b,c,d " * 100, False)
@example('text : "a" AND NEAR(b c) *', False)
def test_every_query_runs(words, text, typing):
    query = parse(text, NOW, typing=typing)
    assert sum(map(len, query.wanted)) + len(query.unwanted) <= MOST_TERMS
    for each in (*query.problems, *query.filters, *query.unwanted, *(t for group in query.wanted for t in group)):
        assert 0 <= each.start < each.stop <= len(text)
    if not query.is_empty():
        table = words("flaky 数据库 test", "nothing of it", "é a 重跑 か\u3099")
        full, some = table.matching(query.all_of_it()), table.matching(query.any_of_it())
        assert full <= some
        assert query.needles()
        assert query.needles(loose=True)


@given(st.text(st.sampled_from('ab 重跑数"-*OR:\n'), max_size=30), st.booleans())
def test_what_a_query_finds_it_highlights(words, text, typing):
    query = parse(text, NOW, typing=typing)
    if query.is_empty():
        return
    for line in ("a b ab", "重跑 数", "a重跑b", "ba 数重"):
        table = words(line)
        if table.matching(query.all_of_it()):
            assert find(line, query.needles())
        if table.matching(query.any_of_it()):
            assert find(line, query.needles(loose=True))


@pytest.mark.parametrize("text", ["", "   ", "\u200b", "?!", '""', "()*^", "-", "--", "\0", "OR", "“”", "😀"])
def test_nothing_to_look_for_is_no_error(text):
    query = parse(text, NOW)
    assert not query.filters
    assert not query.problems
    assert query.is_empty() or words_of(query) == [["OR"]]


def test_a_long_query_is_cut_and_says_so():
    text = "word " * 200
    query = parse(text, NOW)
    assert query.problems[0].start == MOST_CHARACTERS
    assert query.problems[0].stop == len(text)
    assert "512" in query.problems[0].message
    assert len(query.wanted) == MOST_TERMS
    assert "32" in query.problems[1].message


@pytest.mark.parametrize("text", ["a OR " * 90 + "b", "-a " * 90, "a " * 90])
def test_the_number_of_words_is_bounded_however_they_are_joined(text):
    query = parse(text, NOW)
    assert sum(map(len, query.wanted)) + len(query.unwanted) == MOST_TERMS
    assert "32 words" in query.problems[-1].message


def test_a_huge_paste_costs_what_its_beginning_costs():
    query = parse("paste " * 1_000_000, NOW)
    assert query == parse("paste " * 1_000_000, NOW, typing=True)
    assert len(query.text) == MOST_CHARACTERS
    assert len(query.all_of_it()) < 2_000


# ---- words, phrases, alternatives, exclusions ----


def test_words_are_all_wanted(words):
    table = words("flaky test", "flaky", "a test that is flaky", "neither")
    query = parse("flaky test", NOW)
    assert table.matching(query.all_of_it()) == {1, 3}
    assert table.matching(query.any_of_it()) == {1, 2, 3}
    assert not query.sentence


@pytest.mark.parametrize("text", ['"flaky test"', "“flaky test”", '"flaky test', 'flaky-test "'])
def test_a_phrase_keeps_its_order(words, text):
    assert words("a flaky test", "test flaky", "flaky and test").matching(parse(text, NOW).all_of_it()) == {1}


def test_an_unwanted_word_takes_away(words):
    table = words("flaky test", "flaky docs", "flaky doc in docs", "test")
    query = parse("flaky -docs", NOW)
    assert table.matching(query.all_of_it()) == {1}
    assert table.matching(query.any_of_it()) == {1}
    assert [term.text for term in query.unwanted] == ["docs"]
    assert table.matching(parse('flaky -"in docs"', NOW).all_of_it()) == {1, 2}


@pytest.mark.parametrize("text", ["commit --amend", "commit --amend --no-verify", "a-b c-d"])
def test_a_command_line_flag_is_a_word(text):
    assert words_of(parse(text, NOW)) == [[word] for word in text.split()]
    assert not parse(text, NOW).unwanted


def test_either_of_two_words_will_do(words):
    table = words("red apple", "green apple", "blue apple", "red")
    query = parse("red OR green apple", NOW)
    assert words_of(query) == [["red", "green"], ["apple"]]
    assert table.matching(query.all_of_it()) == {1, 2}
    assert words_of(parse("a1 OR b1 OR c1", NOW)) == [["a1", "b1", "c1"]]
    assert words_of(parse("a1 OR", NOW)) == words_of(parse("a1", NOW)) == [["a1"]]
    assert words_of(parse("a1 OR OR b1", NOW)) == [["a1", "b1"]]
    assert words_of(parse("a1 OR source:codex b1", NOW)) == [["a1"], ["b1"]]
    assert words_of(parse("a1 or b1", NOW)) == [["a1"], ["b1"]]


def test_a_star_asks_for_a_beginning(words):
    table = words("migration", "test_migrate", "immigrant", "migrain", "grating")
    assert table.matching(parse("migrat*", NOW).all_of_it()) == {1, 2}
    assert table.matching(parse("migra*", NOW).all_of_it()) == {1, 2, 4}
    assert parse("*", NOW).is_empty()
    assert not parse('"flak*"', NOW).wanted[0][0].prefix


@pytest.mark.parametrize(
    ("begun", "whole"),
    [
        ("generatio", "generation"),
        ("migrati", "migrations"),
        ("runn", "running"),
        ("data", "databases"),
        ("重", "重跑"),
    ],
)
def test_while_typing_an_unfinished_word_finds_the_finished_one(words, begun, whole):
    table = words(f"the {whole} here")
    assert table.matching(parse(begun, NOW, typing=True).all_of_it()) == {1}
    assert table.matching(parse(f"here {begun}", NOW, typing=True).all_of_it()) == {1}
    assert find(f"the {whole} here", parse(begun, NOW, typing=True).needles())


def test_what_is_to_be_left_out_is_taken_as_it_is_typed(words):
    query = parse("here -do", NOW, typing=True)
    assert not query.unwanted[0].prefix
    assert words("here is a document").matching(query.all_of_it()) == {1}
    assert words("here we do").matching(query.all_of_it()) == set()
    assert parse("here -do*", NOW, typing=True).unwanted[0].prefix


def test_only_the_last_word_is_unfinished(words):
    assert [group[0].prefix for group in parse("gen mig", NOW, typing=True).wanted] == [False, True]
    assert not parse("gen mig ", NOW, typing=True).wanted[-1][0].prefix
    assert not parse('gen "mig', NOW, typing=True).wanted[-1][0].prefix


def test_one_letter_is_no_word_before_it_is_followed_by_a_space():
    assert parse("m", NOW, typing=True).is_empty()
    assert [group[0].text for group in parse("gen m", NOW, typing=True).wanted] == ["gen"]
    assert not parse("gen -m", NOW, typing=True).unwanted
    assert [group[0].text for group in parse("gen m ", NOW, typing=True).wanted] == ["gen", "m"]
    assert [group[0].text for group in parse("gen m", NOW).wanted] == ["gen", "m"]
    assert parse("猫", NOW, typing=True).wanted


def test_stop_words_stay_only_where_nothing_else_is(words):
    assert words_of(parse("how to fix the lock", NOW)) == [["fix"], ["lock"]]
    assert words_of(parse("the of", NOW)) == [["the"], ["of"]]
    assert words_of(parse('"the" lock', NOW)) == [["the"], ["lock"]]
    assert words_of(parse("what's the lock, isn't it?", NOW)) == [["lock,"]]
    assert words("the lock").matching(parse("the lock?", NOW).all_of_it()) == {1}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("how do we fix the flaky test", True),
        ("why does it fail?", True),
        ("What's the reason it fails", True),
        ("flaky test timeout ci runner linux", True),
        ("flaky test", False),
        ("flaky test timeout", False),
        ('why does "it" fail?', False),
        ("why OR how does it fail?", False),
        ("repo?", False),
    ],
)
def test_sentences_are_told_from_key_words(text, sentence):
    assert parse(text, NOW).sentence == sentence


def test_any_part_of_a_run_of_ideographs_will_do(words):
    table = words("测试失败了", "重跑测试", "无关")
    query = parse("怎么重跑失败的测试", NOW)
    assert table.matching(query.all_of_it()) == set()
    assert table.matching(query.any_of_it()) == {1, 2}


def test_invisible_characters_and_escapes_are_not_searched_for():
    assert words_of(parse("pass\u200bword \x1b[31mred\x1b[0m", NOW)) == [["password"], ["red"]]


# ---- filters ----


def test_filters_are_read():
    text = 'flaky source:codex,claude -project:"my app, old" Role:USER has:code'
    query = parse(text, NOW)
    assert words_of(query) == [["flaky"]]
    assert [(each.key, each.values, each.negated) for each in query.filters] == [
        ("source", ("codex", "claude"), False),
        ("project", ("my app, old",), True),
        ("role", ("USER",), False),
        ("has", ("code",), False),
    ]
    assert [text[each.start : each.stop] for each in query.filters] == [
        "source:codex,claude",
        '-project:"my app, old"',
        "Role:USER",
        "has:code",
    ]
    assert parse("source：codex", NOW).filters[0].values == ("codex",)


@pytest.mark.parametrize("text", ["resource:x", "http://x", "a.source:b", "C:\\x", "std::vector", "foo:bar"])
def test_a_colon_alone_makes_no_filter(text):
    assert not parse(text, NOW).filters
    assert words_of(parse(text, NOW)) == [[text]]


@pytest.mark.parametrize("key", FILTERS)
@pytest.mark.parametrize("form", ["{}:", "-{}:", '{}:""', "{}:,", "lock {}: x", "{}: "])
def test_a_filter_without_a_value_is_underlined(key, form):
    text = form.format(key)
    query = parse(text, NOW)
    assert not query.filters
    (problem,) = query.problems
    assert text[problem.start : problem.stop].strip("-").startswith(key)
    assert "wants a value" in problem.message
    assert words_of(query) == ([["lock"], ["x"]] if "lock" in form else [])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("lock role:owner", "user, assistant"),
        ("lock kind:big", "main, subagent, automated"),
        ("lock has:image", "code"),
        ("lock after:9999-99-99", "9999-99-99"),
        ("lock before:soon", "7d"),
        ("lock on:1d,2d", "1d,2d"),
        ("lock role:user,owner", "owner"),
    ],
)
def test_a_filter_that_makes_no_sense_is_ignored_with_its_reason(text, said):
    query = parse(text, NOW)
    assert not query.filters
    (problem,) = query.problems
    assert text[problem.start : problem.stop] == text.split()[1]
    assert said in problem.message
    assert words_of(query) == [["lock"]]


def test_times_become_ranges():
    today = int(datetime(2026, 3, 18, tzinfo=UTC).timestamp() * 1000)
    week = today - 2 * DAY - 7 * DAY
    query = parse('after:7d before:yesterday -on:"last week" on:上周', NOW)
    assert [(each.since, each.until, each.negated) for each in query.filters] == [
        (today - 7 * DAY, None, False),
        (None, today - DAY, False),
        (week, week + 7 * DAY, True),
        (week, week + 7 * DAY, False),
    ]


def test_a_query_knows_where_its_words_stand():
    text = '  flaky "a b" -c d'
    query = parse(text, NOW)
    terms = [*(term for group in query.wanted for term in group), *query.unwanted]
    assert sorted(text[term.start : term.stop] for term in terms) == sorted(["flaky", '"a b"', "-c", "d"])


def test_expressions_are_quoted():
    assert Term('a"b', 0, 3).expression() == '({text date} : "a""b")'
    assert parse("NEAR(a b)", NOW).all_of_it() == '({text date} : "NEAR(a") AND ({text date} : "b)")'
    assert parse("AND", NOW).all_of_it() == '({text date} : "AND")'


@pytest.mark.parametrize(
    "part",
    ["getUserName", "getusername", "user", "name", "get", "user name", '"user name"', "HTTP", "server", "httpserver"],
)
def test_an_identifier_is_found_whole_and_by_its_parts(words, part):
    table = words("call getUserName on HTTPServer", "nothing")
    query = parse(part, NOW)
    assert table.matching(query.all_of_it()) == {1}
    assert find("call getUserName on HTTPServer", query.needles())


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("set snake_case_name here", "case"), ("a kebab-case-name", "kebab"), ("in path/to/file.py", "file.py"),
        ("in path/to/file.py", "path/to"), ("release v1.2.3 is out", "v1.2.3"), ("see #4811 there", "#4811"),
        ("see #4811", "4811"), ("std::vector<int>", "vector"), ("naïve ＡＢＣ", "abc"),
        ("call foo() now", "foo()"), ("TypeError: 'NoneType' object is not subscriptable", "'NoneType' object"),
        ("mail ada.l@example.org", "example.org"),
        ("at https://example.org/a/b?c=d", "example.org/a/b"),
        ("ﾊﾝｶｸ カナ", "ハンカク"), ("E0277 the trait bound", "e0277"),
        ("x86_64-unknown-linux", "x86_64"),
    ],
)  # fmt: skip
def test_names_numbers_and_messages_are_found_as_they_are_typed(words, text, typed):
    query = parse(typed, NOW)
    assert words(text, "nothing").matching(query.all_of_it()) == {1}
    assert find(text, query.needles())


def test_a_number_is_not_found_by_the_day_of_its_turn():
    assert parse("error 5", NOW).all_of_it() == '({text date} : "error") AND (text : "5")'
    assert parse("may 5", NOW).any_of_it() == '(({text date} : "may") OR ({text date} : "5"))'


# ---- times among the words ----


@pytest.mark.parametrize(
    ("text", "wanted", "timed"),
    [
        ("clipboard last week", ["clipboard"], ["last", "week"]),
        ("昨天下午的数据库迁移", ["数据库迁移"], ["昨天下午"]),
        ("先週の sqlite エラー", ["sqlite", "エラー"], ["先週"]),
        ("yesterday", ["yesterday"], []),
        ('"last week" clipboard', ["last week", "clipboard"], []),
        ("clipboard after:7d", ["clipboard"], []),
        ("march OR april notes", ["march", "april", "notes"], []),
    ],
)
def test_a_time_among_the_words_is_good_to_find_but_not_wanted(text, wanted, timed):
    query = parse(text, NOW)
    assert [word for group in words_of(query) for word in group] == wanted
    assert [term.text for term in query.timed] == timed
    assert bool(query.times) == (bool(timed) or text == "yesterday")


def test_a_named_time_reaches_from_a_day_before_to_a_week_after():
    (times,) = parse("clipboard yesterday", NOW).times
    midnight = datetime(2026, 3, 17, tzinfo=UTC).timestamp() * 1000
    assert times == (midnight - DAY, midnight + 8 * DAY)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("clipboard last tuseday", "clipboard last tuesday"),
        ("yesteday the clipboard", "yesterday the clipboard"),
        ("clipboard in febuary and on mondday?", "clipboard in february and on monday?"),
        ("clipboard sundae", "clipboard"),
        ("clipboard onday", "clipboard"),
        ('clipboard "last tuseday"', "clipboard"),
    ],
)
def test_a_time_with_a_slip_of_the_fingers_is_the_time_that_was_meant(typed, meant):
    query = parse(typed, NOW)
    assert query.times == parse(meant, NOW).times
    assert len(query.timed) == len(parse(meant, NOW).timed)
    assert all(typed[term.start : term.stop] == term.text for term in query.timed)


def test_a_turn_is_found_by_its_day_with_a_slip_of_the_fingers(words):
    (timed,) = parse("clipboard tuseday", NOW).timed
    assert words("tuesday", "monday").matching(timed.expression()) == {1}
