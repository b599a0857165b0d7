"""Search over a real index: what is found, in what order, once, and within what filters."""

from __future__ import annotations

import re
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from engine import DAY, NOON, Engine, check, turn
from harkback.core.alike import LOOKED_AT
from harkback.core.chunk import cut
from harkback.core.database import Interrupted
from harkback.core.query import parse
from harkback.core.rank import CANDIDATES
from harkback.core.search import FEW, Search
from harkback.core.store import unpack
from hypothesis import given, settings
from hypothesis import strategies as st


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = Engine(tmp_path / "engine")
    yield engine
    check(engine)


def ms(*parts: int) -> int:
    return int(datetime(*parts, tzinfo=UTC).timestamp() * 1000)  # type: ignore[misc, arg-type]


# ---- words ----


def test_all_words_are_wanted_and_some_of_them_follow(engine: Engine) -> None:
    engine.write("a", turn("a zebra"), turn("an okapi and a zebra"), turn("an okapi"), turn("a wombat"))
    engine.run()
    hits = engine.search("zebra okapi")
    assert (hits[0].number, hits[0].partial) == (2, False)
    assert {(hit.number, hit.partial) for hit in hits[1:]} == {(1, True), (3, True)}


def test_enough_full_matches_are_not_followed_by_partial_ones(engine: Engine) -> None:
    engine.write("a", *(turn(f"an okapi and a zebra {i}") for i in range(FEW)), turn("an okapi"))
    engine.run()
    assert [hit.partial for hit in engine.search("zebra okapi")] == [False] * FEW


def test_a_sentence_finds_any_of_its_words_fuller_matches_first(engine: Engine) -> None:
    engine.write("a", turn("only the zebra"), turn("the zebra met the okapi at the river"), turn("nothing of it"))
    engine.run()
    hits = engine.search("where did the zebra meet the okapi at the river?")
    assert [(hit.number, hit.partial) for hit in hits] == [(2, False), (1, False), (3, False)]


def test_the_turn_beside_the_answer_to_a_question_comes_along(engine: Engine) -> None:
    engine.write("a", turn("where was the zebra seen?"), turn("at the river, by night"), turn("x"), turn("far away"))
    engine.run()
    hits = engine.search("where did you see the zebra?")
    assert [(hit.number, hit.arms) for hit in hits] == [(1, ("lexical",)), (2, ("nearby",)), (3, ("nearby",))]
    assert engine.places("zebra") == [("a", 1)]
    assert engine.places("where did you see the zebra? -night") == [("a", 1)]
    assert engine.places("where did you see the zebra? role:assistant") == []


def test_unwanted_words_and_choices(engine: Engine) -> None:
    engine.write("a", turn("zebra one"), turn("zebra two"), turn("okapi one"))
    engine.run()
    assert engine.places("zebra -two") == [("a", 1)]
    assert {number for _, number in engine.places("zebra OR okapi")} == {1, 2, 3}


def test_a_minus_in_a_pasted_message_takes_nothing_away(engine: Engine) -> None:
    engine.write("a", turn("ld: cannot find -lzebra"), turn("cannot find it"))
    engine.run()
    assert engine.places("cannot find -lzebra") == [("a", 1), ("a", 2)]
    assert engine.places("role:user cannot find -lzebra") == [("a", 1), ("a", 2)]
    assert engine.places("find -lzebra") == [("a", 2)]
    assert engine.places("find cannot -lzebra") == [("a", 2)]
    assert engine.places('cannot find -"lzebra"') == [("a", 2)]
    assert engine.places("cannot find role:user -lzebra") == [("a", 2)]


@pytest.mark.parametrize(
    "typed", ["reducedMotion", "reduced_motion", "reduced-motion", "ReducedMotion", "set.reducedMotion"]
)
def test_an_identifier_is_found_however_its_parts_are_joined(engine: Engine, typed: str) -> None:
    names = ("reducedMotion", "reduced_motion", "reduced-motion", "reduced motion", "ReducedMotion", "motion reduced")
    engine.write("a", *(turn(f"set {name} on") for name in names))
    engine.run()
    hits = engine.search(typed)
    assert {hit.number for hit in hits} == {1, 2, 3, 4, 5}
    assert all(hit.excerpt.spans for hit in hits)


def test_what_is_typed_so_far_matches_as_a_beginning(engine: Engine) -> None:
    engine.write("a", *(turn(word, time=NOON + i) for i, word in enumerate(("zebra", "zeal", "okapi"))))
    engine.run()
    db = engine.store.read()
    for typed, expected in {"ze": [2, 1], "zeb": [1], "zeba": [], "okap": [3]}.items():
        query = parse(typed, datetime(2026, 1, 10), typing=True)  # noqa: DTZ001
        search = Search(db)
        assert [hit.number for hit in search.hits(query, search.best(query).ranked)] == expected
    db.close()
    assert {number for _, number in engine.places("ze*")} == {1, 2}


def test_two_letters_typed_after_a_word_are_looked_for_among_its_best(engine: Engine) -> None:
    with_it = ["a zebra in the team", "zebra TERM", "the zebra of getTeam", "zebra tea"]
    others = ["a zebra", "zebra nte", "an absolute zebra"]
    engine.write("a", *(turn(f"{text} {i}") for i in range(4) for text in (*with_it, *others)))
    engine.run()
    query = parse("zebra te", datetime(2026, 1, 10), typing=True)  # noqa: DTZ001
    with closing(engine.store.read()) as db:
        search = Search(db)
        best = search.best(query)
        assert not best.total_exact
        assert all(re.search("[Tt]e|TE", hit.excerpt.text) for hit in search.hits(query, best.ranked))
        every = search.rest(best)
        assert (every.total, every.total_exact) == (4 * len(with_it), True)
        found = {hit.excerpt.text for hit in search.hits(query, (*every.ranked, *every.others))}
        assert found == {f"{text} {i}" for i in range(4) for text in with_it}


def test_two_letters_that_few_of_the_best_have_are_looked_for_everywhere(engine: Engine) -> None:
    engine.write("a", *(turn(f"zebra {i}") for i in range(FEW)), turn("a zebra and the team"))
    engine.run()
    query = parse("zebra te", datetime(2026, 1, 10), typing=True)  # noqa: DTZ001
    with closing(engine.store.read()) as db:
        search = Search(db)
        best = search.best(query)
        assert [hit.excerpt.text for hit in search.hits(query, best.ranked) if not hit.partial] == [
            "a zebra and the team"
        ]


def test_rows_that_show_no_word_are_looked_up_together(engine: Engine) -> None:
    engine.write("a", *(turn(f"zebra {i}", time=NOON + i) for i in range(9)))
    engine.run()
    query = parse("january", datetime(2026, 1, 10))  # noqa: DTZ001
    with closing(engine.store.read()) as db:
        search, asked = Search(db), list[str]()
        best = search.best(query)
        db._connection.set_profile(lambda sql, _: asked.append(sql))  # pyright: ignore[reportPrivateUsage]
        assert len(search.hits(query, best.ranked)) == 9
        assert sum("MATCH" in sql for sql in asked) == 1


def test_the_newest_come_first_when_that_is_wanted(engine: Engine) -> None:
    times = [NOON + k * 60_000 for k in (5, 3, 8, 1)] + [NOON - DAY, NOON + DAY]
    engine.write("a", *(turn("zebra", time=time) for time in times), turn("zebra"))
    engine.write("b", turn("zebra", time=NOON + 4 * 60_000))
    engine.run()
    found = [hit.time for hit in engine.search("zebra", recent=True)]
    assert found == [*sorted([*times, NOON + 4 * 60_000], reverse=True), None]


def test_many_on_one_day_are_newest_first_to_the_last(engine: Engine) -> None:
    times = [NOON + (k * 7919 % 500) * 1_000 for k in range(500)]
    engine.write("a", *(turn(f"zebra {k}", time=time) for k, time in enumerate(times)))
    engine.write("b", *(turn(f"zebra {k}", time=NOON - DAY) for k in range(50)))
    engine.run()
    found = [hit.time for hit in engine.search("zebra", recent=True)]
    assert found == [*sorted(times, reverse=True), *[NOON - DAY] * 50]


def test_the_rest_completes_the_total_without_repeating(engine: Engine) -> None:
    for name in "abc":
        engine.write(name, *(turn(f"zebra {name}{i}", time=NOON + i * DAY) for i in range(CANDIDATES // 2)))
    engine.write("d", turn("zebra and " * 4_000 + "okapi", role="assistant"))
    engine.run()
    db = engine.store.read()
    search, query = Search(db), parse("zebra", datetime(2026, 1, 10))  # noqa: DTZ001
    best = search.best(query)
    assert not best.total_exact
    found = search.rest(best)
    everything = [(hit.session.key, hit.number) for hit in search.hits(found.query, [*found.ranked, *found.others])]
    assert found.total_exact
    assert found.total == len(everything) == len(set(everything)) == 3 * (CANDIDATES // 2) + 1
    db.close()


def test_the_rest_of_some_of_the_words_is_partial(engine: Engine) -> None:
    engine.write("a", *(turn(f"zebra {i}") for i in range(CANDIDATES + 50)), turn("zebra okapi"))
    engine.run()
    hits = engine.search("zebra okapi")
    assert [hit.partial for hit in hits] == [False, *[True] * (CANDIDATES + 50)]


def test_one_long_answer_does_not_hide_the_others(engine: Engine) -> None:
    engine.write("a", turn("\n\n".join(["zebra " * 130] * 400), role="assistant"), *(turn("zebra") for _ in range(3)))
    engine.run()
    assert {number for _, number in engine.places("zebra")} == {1, 2, 3, 4}


# ---- once ----


def test_copies_by_the_stores_own_id_collapse_to_the_senior(engine: Engine) -> None:
    engine.write("first", turn("a zebra", native_id="n", time=NOON))
    engine.write("resumed", turn("a zebra", native_id="n", time=NOON), turn("zebra again", native_id="m"))
    engine.write("helper", ["facts", {"kind": "subagent"}], turn("a zebra", native_id="n", time=NOON - DAY))
    engine.run()
    hits = {hit.number: hit for hit in engine.search("zebra")}
    assert (hits[1].session.native_id, hits[1].also_in) == ("first", ("lines:helper", "lines:resumed"))
    assert (hits[2].session.native_id, hits[2].also_in) == ("resumed", ())


def test_copies_in_forks_of_forks_collapse_by_their_text(engine: Engine) -> None:
    old = [turn("a zebra", time=NOON), turn("an okapi", time=NOON)]
    engine.write("root", *old)
    engine.write("fork", ["facts", {"parent": "root"}], *old, turn("a wombat", time=NOON))
    engine.write("leaf", ["facts", {"parent": "fork"}], *old, turn("a wombat", time=NOON), turn("a zebra, more"))
    engine.write("other", *old)
    engine.run()
    zebras = {(hit.session.native_id, hit.number): hit.also_in for hit in engine.search("zebra")}
    assert zebras == {("root", 1): ("lines:fork", "lines:leaf"), ("other", 1): (), ("leaf", 4): ()}
    assert engine.places("wombat") == [("fork", 3)]
    assert len(engine.search("source:lines")) == 6


def test_equal_texts_of_one_session_are_several_turns(engine: Engine) -> None:
    engine.write("a", *(turn("go on, zebra", time=NOON + i) for i in range(3)))
    engine.run()
    assert {number for _, number in engine.places("zebra")} == {1, 2, 3}


def test_sessions_that_name_each_other_as_parents_are_one_family(engine: Engine) -> None:
    engine.write("a", ["facts", {"parent": "b"}], turn("zebra"))
    engine.write("b", ["facts", {"parent": "a"}], turn("zebra"))
    engine.run()
    assert len(engine.places("zebra")) == 1


def test_copies_beyond_the_best_collapse_too(engine: Engine) -> None:
    turns = [turn(f"zebra {i}", native_id=f"n{i}", time=NOON + i * 60_000) for i in range(CANDIDATES + 20)]
    engine.write("a", *turns)
    engine.write("b", *turns)
    engine.run()
    places = engine.places("zebra")
    assert len(places) == len({number for _, number in places}) == CANDIDATES + 20


def test_abandoned_branches_are_found_only_when_asked_for(engine: Engine) -> None:
    engine.write(
        "a",
        turn("root", native_id="1"),
        turn("zebra left", native_id="2", parent_id="1"),
        turn("zebra right", native_id="3", parent_id="1"),
        ["facts", {"leaf": "3"}],
    )
    engine.run()
    assert engine.places("zebra") == [("a", 2)]
    assert {number for _, number in engine.places("zebra branch:any")} == {None, 2}


def test_dropped_rows_are_never_found(engine: Engine) -> None:
    engine.write("a", turn("zebra one"))
    engine.write("b", turn("zebra two"))
    engine.run()
    db = engine.store.read()
    search, query = Search(db), parse("zebra", datetime(2026, 1, 10))  # noqa: DTZ001
    found = search.best(query)
    engine.write("a", turn("okapi"), turn("okapi"))
    engine.run()
    assert [hit.session.native_id for hit in search.hits(query, found.ranked)] == ["b"]
    assert engine.places("zebra") == [("b", 1)]
    db.close()


@pytest.mark.parametrize("words", ["alpha beta gamma", "where did the alpha meet the beta and the gamma?"])
def test_of_thousands_of_matches_only_the_best_are_read(
    engine: Engine, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.write("a", *(turn(f"alpha {'beta ' * (n % 7)} gamma {n}") for n in range(3_000)))
    engine.run()
    read: list[int] = []
    for module in ("candidates", "hits"):
        monkeypatch.setattr(f"harkback.core.{module}.unpack", lambda stored: read.append(1) or unpack(stored))
    db = engine.store.read()
    search = Search(db)
    found = search.best(parse(words, datetime(2026, 1, 10)))  # noqa: DTZ001
    search.hits(found.query, found.ranked[:20])
    assert not found.total_exact
    assert len(read) <= LOOKED_AT + 20
    db.close()


# ---- filters ----


@pytest.fixture
def filtered(engine: Engine) -> Engine:
    engine.write(
        "one",
        [
            "facts",
            {"project": "/src/Api_v1", "branch": "main", "model": "opus-4", "title": "Fix 100% of it", "title_rank": 4},
        ],
        turn("zebra", time=ms(2025, 12, 31, 23, 59, 59)),
        turn("zebra\n```\ncode\n```", role="assistant", time=ms(2026, 1, 1)),
    )
    engine.write(
        "two",
        [
            "facts",
            {
                "project": "/src/web",
                "branch": "feature/x",
                "model": "gpt-5",
                "title": "Other",
                "title_rank": 4,
                "kind": "subagent",
            },
        ],
        turn("zebra", time=ms(2026, 1, 1, 23, 59, 59)),
        turn("zebra", role="assistant", time=ms(2026, 1, 2)),
    )
    engine.write("three", turn("zebra"), turn("zebra", time=ms(2015, 3, 1)))
    engine.run()
    return engine


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ("source:lines", "one1 one2 two1 two2 three1 three2"),
        ("source:LINES,codex role:user", "one1 two1 three1 three2"),
        ("-source:lines", ""),
        ("role:assistant", "one2 two2"),
        ("-role:assistant", "one1 two1 three1 three2"),
        ("kind:subagent", "two1 two2"),
        ("-kind:subagent,automated", "one1 one2 three1 three2"),
        ("project:api", "one1 one2"),
        ("project:api,web", "one1 one2 two1 two2"),
        ("-project:api", "two1 two2 three1 three2"),
        ("project:pi_v", "one1 one2"),
        ("project:p_w", ""),
        ("title:100%", "one1 one2"),
        ("title:1%of", ""),
        ('title:"of it"', "one1 one2"),
        ("branch:feature", "two1 two2"),
        ("-branch:main", "two1 two2 three1 three2"),
        ("model:opus,gpt", "one1 one2 two1 two2"),
        ("session:two", "two1 two2"),
        ("session:lines:on", "one1 one2"),
        ("has:code", "one2"),
        ("-has:code role:assistant", "two2"),
        ("on:2026-01-01", "one2 two1"),
        ("-on:2026-01-01", "one1 two2 three1 three2"),
        ("after:2026-01-01", "one2 two1 two2"),
        ("before:2026-01-01", "one1 three2"),
        ("before:2016", "three2"),
        ("before:2015", ""),
        ("on:2015-03", "three2"),
        ("after:2025-12-31 before:2026-01-02", "one1 one2 two1"),
        ("after:2026-01-02 role:user", ""),
    ],
)
@pytest.mark.parametrize("words", ["zebra ", ""])
def test_filters_hide_the_rest(filtered: Engine, words: str, filters: str, expected: str) -> None:
    assert {f"{session}{number}" for session, number in filtered.places(words + filters)} == set(expected.split())


# ---- a brute-force oracle ----

ASCII = ("zebra", "okapi", "wombat", "Quokka", "naïve")
CJK = "数据库迁熊猫"
words = st.sampled_from(ASCII) | st.text(CJK, min_size=1, max_size=5)
gaps = st.sampled_from((" ", "  ", "\n", "\n\n", ", ", "。", "-", " x "))
passages = st.lists(st.tuples(words, gaps), min_size=1, max_size=12).map(lambda parts: "".join(map("".join, parts)))
long = st.tuples(passages, st.integers(1, 60)).map(lambda pair: pair[0] * pair[1])
turns = st.builds(
    lambda text, role, day: turn(text, role=role, time=NOON + day * DAY),
    passages | long,
    st.sampled_from(("user", "assistant")),
    st.integers(0, 3),
)
quoted = st.lists(st.sampled_from(ASCII), min_size=1, max_size=3).map(" ".join) | st.text(CJK, min_size=1, max_size=4)


def holds(text: str, wanted: str) -> bool:
    """Whether a chunk holds a quoted term: word after word, or as a part of a run of ideographs."""
    if wanted[0] in CJK:
        return wanted in text
    fold = str.maketrans("ï", "i")
    plain = re.findall(rf"[a-z]+|[{CJK}]", text.lower().translate(fold))
    terms = wanted.lower().translate(fold).split()
    return any(plain[i : i + len(terms)] == terms for i in range(len(plain)))


@settings(max_examples=40)
@given(
    st.lists(st.lists(turns, min_size=1, max_size=5), min_size=1, max_size=4), st.lists(quoted, min_size=1, max_size=2)
)
def test_quoted_terms_find_what_reading_every_text_finds(sessions: list[list[Any]], terms: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(Path(folder))
        for i, each in enumerate(sessions):
            engine.write(f"s{i}", *each)
        engine.run()
        full: set[tuple[str, int]] = set()
        some: set[tuple[str, int]] = set()
        for i, each in enumerate(sessions):
            for number, (_, fields) in enumerate(each, 1):
                text = fields["text"].strip("\n")
                chunks = [text[start:stop] for start, stop in cut(text, fields["role"])]
                if any(all(holds(chunk, term) for term in terms) for chunk in chunks):
                    full.add((f"s{i}", number))
                elif any(holds(chunk, term) for chunk in chunks for term in terms):
                    some.add((f"s{i}", number))
        hits = engine.search(" ".join(f'"{term}"' for term in terms))
        assert {(hit.session.native_id, hit.number) for hit in hits if not hit.partial} == full
        expected = some if len(full) < FEW else set()
        assert {(hit.session.native_id, hit.number) for hit in hits if hit.partial} == expected
        partial = [hit.partial for hit in hits]
        assert partial == sorted(partial)


@settings(max_examples=60)
@given(text=st.text(max_size=40) | st.text("ab\"*-:()数 '^OR", max_size=30))
def test_nothing_typed_breaks_a_search(text: str) -> None:
    db = _small_index()
    for typing in (False, True):
        query = parse(text, datetime(2026, 1, 10), typing=typing)  # noqa: DTZ001
        for recent in (False, True):
            search = Search(db)
            found = search.rest(search.best(query, recent=recent))
            search.hits(found.query, [*found.ranked, *found.others])


_kept: list[Any] = []


def _small_index() -> Any:
    if not _kept:
        folder = tempfile.TemporaryDirectory()
        engine = Engine(Path(folder.name))
        engine.write("a", turn("a b ab 数据"), turn("OR b", role="assistant"))
        engine.run()
        _kept.extend((folder, engine.store.read()))
    return _kept[1]


# ---- interrupted ----


def test_an_interrupted_search_raises_and_the_next_connection_works(engine: Engine) -> None:
    engine.write("a", *(turn("zebra okapi wombat " * 20, role="assistant") for _ in range(400)))
    engine.run()
    db = engine.store.read()
    outcome: list[str] = []
    started = threading.Event()

    def work() -> None:
        search, query = Search(db), parse("zebra okapi wombat", datetime(2026, 1, 10))  # noqa: DTZ001
        try:
            while True:
                search.rest(search.best(query))
                started.set()
        except Interrupted:
            outcome.append("interrupted")

    thread = threading.Thread(target=work)
    thread.start()
    started.wait(30)
    while thread.is_alive():  # an interrupt between two statements hits neither
        db.interrupt()
        thread.join(0.01)
    assert outcome == ["interrupted"]
    db.close()
    assert len(engine.places("zebra")) == 400
