"""Search by meaning over a real index, with a tiny model of our own: what it adds to words, and what it never costs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from engine import Engine, check, turn
from harkback.core.config import Semantic
from harkback.core.embedding import Embedding
from harkback.core.forget import forget
from harkback.core.forget_plan import Request
from harkback.core.meaning import Meaning, meaning_for, spoken
from harkback.core.meant import WORDLESS
from harkback.core.no_model import NoModel
from harkback.core.query import parse
from harkback.core.results import Hit
from harkback.core.search import Found, Search
from hashed_words import HashedWords
from hypothesis import given
from hypothesis import strategies as st

NOW = datetime(2026, 1, 10)  # noqa: DTZ001


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = Engine(tmp_path / "engine")
    engine.write("a", turn("we bought an automobile"), turn("it is red", role="assistant"))
    engine.write("b", turn("the puppy sleeps all day"), turn("how nice", role="assistant"))
    engine.write("c", turn("pasta with basil"), turn("and oil", role="assistant"))
    engine.run()
    yield engine
    check(engine)


def embed(engine: Engine, embedder: HashedWords | None = None) -> Meaning:
    embedder = embedder or HashedWords()
    work = Embedding(engine.store, embedder)
    work.begin()
    while work.step():
        pass
    return Meaning(Semantic(enabled=True), engine.store.home, lambda *_: embedder)


def ask(engine: Engine, text: str, meaning: Meaning | None, **options: Any) -> tuple[Found, list[Hit]]:
    db = engine.store.read()
    try:
        search = Search(db, meaning)
        found = search.rest(search.best(parse(text, NOW), **options))
        hits = search.hits(found.query, [*found.ranked, *found.others])
        assert len(hits) == found.total
        return found, hits
    finally:
        db.close()


def places(hits: list[Hit]) -> list[tuple[str, int | None]]:
    return [(hit.session.native_id, hit.number) for hit in hits]


def test_another_word_for_the_same_is_found(engine: Engine) -> None:
    meaning = embed(engine)
    found, hits = ask(engine, "which car did we buy?", meaning)
    assert found.mode == "hybrid"
    assert places(hits)[0] == ("a", 1)
    assert hits[0].arms == ("semantic",)
    assert hits[0].excerpt.spans == ()
    assert hits[0].excerpt.text == "we bought an automobile"
    assert not hits[0].partial
    assert ask(engine, "which car did we buy?", None)[1] == []


def test_what_both_arms_find_says_so_and_comes_first(engine: Engine) -> None:
    meaning = embed(engine)
    _, hits = ask(engine, "puppy canine", meaning)
    assert places(hits)[0] == ("b", 1)
    assert hits[0].arms == ("lexical", "semantic")
    assert hits[0].excerpt.spans


def test_by_meaning_alone(engine: Engine) -> None:
    meaning = embed(engine)
    found, hits = ask(engine, "canine", meaning, semantic=True)
    assert (found.mode, found.total_exact) == ("semantic", True)
    assert places(hits)[0] == ("b", 1)
    assert {hit.arms for hit in hits} <= {("semantic",)}


def test_filters_and_unwanted_words_hold_for_meaning_too(engine: Engine) -> None:
    meaning = embed(engine)
    assert ("a", 1) in places(ask(engine, "car", meaning)[1])
    for text in ("car session:b", "car role:assistant", "car -automobile", "car before:2001-01-01", "car -session:a"):
        assert ("a", 1) not in places(ask(engine, text, meaning)[1]), text
    assert places(ask(engine, "car session:lines:a role:user", meaning)[1]) == [("a", 1)]


def test_a_narrow_filter_is_answered_from_all_vectors(engine: Engine) -> None:
    engine.write("many", *(turn(f"car number {n}") for n in range(300)))
    engine.write("one", turn("vehicle of the mayor"))
    engine.run()
    meaning = embed(engine)
    assert places(ask(engine, "which automobile? session:one", meaning)[1]) == [("one", 1)]


def test_no_more_than_so_many_come_without_any_word(engine: Engine) -> None:
    engine.write("many", *(turn(f"vehicle {n}") for n in range(3 * WORDLESS)))
    engine.run()
    _, hits = ask(engine, "car", embed(engine))
    assert len(hits) == WORDLESS


def test_what_is_added_and_forgotten_meanwhile_is_known(engine: Engine) -> None:
    embedder = HashedWords()
    meaning = embed(engine, embedder)
    assert places(ask(engine, "canine", meaning, semantic=True)[1])[0] == ("b", 1)
    forget(engine.store, Request(session="lines:b"))
    assert ("b", 1) not in places(ask(engine, "canine", meaning, semantic=True)[1])
    engine.write("d", turn("a canine of its own kind"))
    engine.run()
    embed(engine, embedder)
    assert places(ask(engine, "puppy", meaning, semantic=True)[1])[0] == ("d", 1)


def test_an_index_that_was_built_anew_is_not_taken_for_the_old_one(engine: Engine) -> None:
    embedder = HashedWords()
    meaning = embed(engine, embedder)
    ask(engine, "canine", meaning)
    forget(engine.store, Request(everything=True))
    engine.write("e", turn("a puppy again"))
    engine.run()
    embed(engine, embedder)
    assert places(ask(engine, "canine", meaning, semantic=True)[1]) == [("e", 1)]


def test_vectors_of_another_model_are_never_compared(engine: Engine) -> None:
    embed(engine, HashedWords("1"))
    other = Meaning(Semantic(enabled=True), engine.store.home, lambda *_: HashedWords("2"))
    found, hits = ask(engine, "automobile", other)
    assert found.mode == "lexical"
    assert places(hits) == [("a", 1)]
    assert "another model" in other.trouble
    embed(engine, HashedWords("2"))
    assert ask(engine, "automobile", other)[0].mode == "hybrid"
    assert other.trouble == ""


def test_without_vectors_words_answer(engine: Engine) -> None:
    meaning = Meaning(Semantic(enabled=True), engine.store.home, lambda *_: HashedWords())
    found, hits = ask(engine, "automobile", meaning)
    assert (found.mode, places(hits)) == ("lexical", [("a", 1)])
    assert "nothing is embedded yet" in meaning.trouble


class Broken(HashedWords):
    """A model that fails as it is used."""

    def query(self, text: str) -> Any:
        raise RuntimeError("no more memory")


def test_a_model_that_fails_costs_no_search_by_words(engine: Engine) -> None:
    embed(engine)
    meaning = Meaning(Semantic(enabled=True), engine.store.home, lambda *_: Broken())
    found, hits = ask(engine, "automobile", meaning)
    assert (found.mode, places(hits)) == ("lexical", [("a", 1)])
    assert "failed" in meaning.trouble


def test_a_model_that_can_not_be_loaded_is_not_tried_at_every_key(engine: Engine) -> None:
    tried: list[int] = []

    def refuse(*_: Any) -> Any:
        tried.append(1)
        raise NoModel("its folder is empty")

    meaning = Meaning(Semantic(enabled=True), engine.store.home, refuse)
    for _ in range(3):
        assert places(ask(engine, "automobile", meaning)[1]) == [("a", 1)]
    assert (len(tried), meaning.trouble) == (1, "its folder is empty")


def test_newest_first_and_short_beginnings_ask_no_model(engine: Engine) -> None:
    meaning = Meaning(Semantic(enabled=True), engine.store.home, lambda *_: pytest.fail("it was asked"))
    assert ask(engine, "automobile", meaning, recent=True)[0].mode == "lexical"
    assert ask(engine, "pa*", meaning)[0].mode == "lexical"
    assert ask(engine, "session:a", meaning)[0].mode == "lexical"


def test_one_for_a_process_until_the_configuration_changes(tmp_path: Path) -> None:
    opener: Any = lambda *_: HashedWords()  # noqa: E731
    assert meaning_for(Semantic(), tmp_path, opener) is None
    first = meaning_for(Semantic(enabled=True), tmp_path, opener)
    assert first is meaning_for(Semantic(enabled=True), tmp_path, opener)
    assert first is not meaning_for(Semantic(enabled=True, model="multilingual-small"), tmp_path, opener)
    assert meaning_for(Semantic(), tmp_path, opener) is None


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("how did we fix it? source:codex after:7d", "how did we fix it?"),
        ('"exact words" -docs flak*', "exact words flak"),
        ("zebra OR okapi", "zebra okapi"),
        ("role:nobody zebra", "zebra"),
        ("source:codex", ""),
    ],
)
def test_what_of_a_query_has_a_meaning(text: str, meant: str) -> None:
    assert spoken(parse(text, NOW)) == meant


@given(st.text(max_size=60))
def test_nothing_typed_breaks_it(text: str) -> None:
    spoken(parse(text, NOW, typing=True))
