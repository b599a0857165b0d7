"""A word that is being typed: by as many letters as the index knows it asks the same, and the answer is the same."""

from __future__ import annotations

import tempfile
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from engine import NOON, Engine, turn
from harkback.core.database import Database
from harkback.core.query import Query, parse
from harkback.core.search import Search
from harkback.core.unfinished import as_far_as_known, beginning, is_known, unfinished
from hypothesis import given
from hypothesis import strategies as st

WORDS = """migrate migration migrations migrant happy happily clipboard Clipboards flaky flake abilities ability
    abilitary fulnessation full nesspfullyize""".split()
"""Some keep an ending without which they would no longer begin as they do."""
_kept: list[Any] = []


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return Engine(tmp_path)


def typed(text: str) -> Query:
    return parse(text, datetime(2026, 1, 10), typing=True)  # noqa: DTZ001


def index() -> Database:
    if not _kept:
        folder = tempfile.TemporaryDirectory()
        engine = Engine(Path(folder.name))
        engine.write("a", *(turn(f"{word} 数据库") for word in WORDS))
        engine.run()
        _kept.extend((folder, engine.store.read()))
    return _kept[1]


def matching(query: Query) -> list[Any]:
    return list(index().rows("SELECT rowid FROM words WHERE words MATCH ? ORDER BY 1", query.all_of_it()))


@pytest.mark.parametrize("word", WORDS)
def test_a_beginning_finds_the_same_however_far_it_is_known(word: str) -> None:
    for size in range(2, len(word) + 1):
        for before in ("", "happy ", "-flake ", "数据 "):
            query = typed(before + word[:size])
            assert matching(as_far_as_known(index(), query)) == matching(query), query.text


@given(st.text(st.sampled_from("abhmp ilty-\"*'数据"), max_size=8))
def test_whatever_is_typed_finds_the_same_as_far_as_it_is_known(text: str) -> None:
    query = typed(text)
    if not query.is_empty():
        known = as_far_as_known(index(), query)
        assert matching(known) == matching(query)
        assert known.needles() == query.needles()


def test_further_letters_of_the_only_such_word_ask_the_same() -> None:
    asked = {as_far_as_known(index(), typed("clipboard"[:size])).all_of_it() for size in range(3, 10)}
    assert len(asked) == 1
    assert as_far_as_known(index(), typed("fla")).all_of_it() != as_far_as_known(index(), typed("flaky")).all_of_it()


def test_what_is_asked_again_is_not_looked_for_again(engine: Engine) -> None:
    engine.write("a", *(turn(f"clipboard number {i}") for i in range(20)))
    engine.run()
    asked: list[str] = []
    with closing(engine.store.read()) as db:
        db._connection.set_profile(lambda sql, _: asked.append(sql))  # pyright: ignore[reportPrivateUsage]
        found = [Search(db).best(typed("clipboard"[:size])) for size in range(3, 10)]
        assert sum("ORDER BY words.rank" in sql for sql in asked) == 1
    assert all(each.ranked == found[0].ranked for each in found)
    assert found[-1].query.text == "clipboard"


def test_a_word_is_unfinished_at_the_very_end_alone() -> None:
    assert unfinished(typed("clipb")) is not None
    assert [unfinished(typed(text)) for text in ("clipb ", '"clipb', "-clipb", "", "a OR clipb")] == [None] * 5


def test_the_index_tells_its_words() -> None:
    assert [stem for stem, _ in beginning(index(), "migr")] == ["migrant", "migrat"]
    assert is_known(index(), "migrating")
    assert not is_known(index(), "migr")


# ---- while one types ----


@pytest.fixture
def zoo(engine: Engine) -> Engine:
    engine.write("a", *(turn(f"zebra {i} in the stable") for i in range(12)), turn("a lonely wombat"))
    engine.run()
    return engine


def test_while_typing_what_has_the_finished_words_is_shown_for_one_that_few_texts_have(zoo: Engine) -> None:
    with closing(zoo.store.read()) as db:
        hasty = Search(db).best(typed("zebra womb"), hasty=True)
        assert (len(hasty.ranked), hasty.hasty, hasty.total_exact) == (12, True, False)
        assert all(each.coverage < 1 for each in hasty.ranked)
        after = Search(db).best(typed("zebra womb"))
        assert (len(after.ranked), after.hasty) == (13, False)


def test_while_typing_an_unfinished_word_is_not_taken_for_a_slip(zoo: Engine) -> None:
    with closing(zoo.store.read()) as db:
        assert Search(db).best(typed("zebra stabel"), hasty=True).suggestion is None
        assert Search(db).best(typed("zebra stabel")).suggestion == "zebra stable"
        assert Search(db).best(typed("stabel"), hasty=True).suggestion == "stable"  # there is nothing else to show


def test_where_enough_is_found_there_is_nothing_more_to_look_for(zoo: Engine) -> None:
    with closing(zoo.store.read()) as db:
        found = Search(db).best(typed("zebra stab"), hasty=True)
        assert (len(found.ranked), found.hasty, found.total_exact) == (12, False, True)


def test_two_letters_alone_are_looked_for_among_the_newest(engine: Engine) -> None:
    engine.write("a", *(turn(f"{'zebra' if i % 3 else 'okapi'} {i}", time=NOON + i) for i in range(90)))
    engine.run()
    asked: list[str] = []
    with closing(engine.store.read()) as db:
        db._connection.set_profile(lambda sql, _: asked.append(sql))  # pyright: ignore[reportPrivateUsage]
        search = Search(db)
        best = search.best(typed("ze"))
        assert not any("MATCH" in sql for sql in asked)
        assert [hit.number for hit in search.hits(best.query, best.ranked)] == [
            i + 1 for i in range(89, -1, -1) if i % 3
        ]
        assert search.rest(best).total == 60


def test_two_letters_that_few_of_the_newest_have_are_looked_for_everywhere(engine: Engine) -> None:
    rare = [5, 40, *range(150, 170)]
    engine.write("a", *(turn(f"{'zebra' if i in rare else 'okapi'} {i}", time=NOON + i) for i in range(400)))
    engine.run()
    with closing(engine.store.read()) as db:
        search = Search(db)
        best = search.best(typed("ze"))
        assert (best.total, best.total_exact) == (len(rare), True)
        assert [hit.number for hit in search.hits(best.query, best.ranked)] == [i + 1 for i in reversed(rare)]


def test_two_letters_alone_find_nothing_unwanted_and_all_of_a_few(engine: Engine) -> None:
    engine.write(
        "a", *(turn(f"zebra {'okapi' if i % 2 else 'wombat'} {i}") for i in range(40)), *map(turn, ["yak"] * 5)
    )
    engine.run()
    with closing(engine.store.read()) as db:
        search = Search(db)
        unwanted = search.best(typed("-okapi ze"))
        assert (unwanted.total, unwanted.total_exact) == (20, True)
        few = search.best(typed("ya"))
        assert (few.total, few.total_exact) == (5, True)
