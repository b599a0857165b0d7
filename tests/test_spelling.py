"""Words that no text has: one edit away they match, two away they are asked about; what is no plain word stays."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from engine import Engine, turn
from harkback.core.query import parse
from harkback.core.search import Search
from hypothesis import given
from hypothesis import strategies as st

NOW = datetime(2026, 3, 18, tzinfo=UTC)
TEXT = "the migration of the repository failed: certificate verification, getUserName, Zugriff, 数据库 x4711 v1.2.3"


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    place = Engine(tmp_path / "engine")
    place.write("a", turn(TEXT), turn("the migration went well"))
    place.run()
    return place


def best(engine: Engine, text: str, **options):
    db = engine.store.read()
    try:
        return Search(db).best(parse(text, NOW, **options))
    finally:
        db.close()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("migartion", "migration"),  # two letters changed places
        ("repostory", "repository"),  # one is missing
        ("certifficate", "certificate"),  # one is doubled
        ("verifikation", "verification"),  # one is another
        ("Migartion?", "migration?"),
        ("erpository", "repository"),
    ],
)
def test_one_edit_away_a_word_matches(engine: Engine, typed: str, meant: str) -> None:
    found = best(engine, typed)
    assert found.ranked
    assert found.suggestion == meant
    assert found.query.wanted[0][0].similar == (meant.rstrip("?"),)
    assert best(engine, f"the {typed} failed").ranked[0].coverage == 1


def test_two_edits_away_a_word_is_only_asked_about(engine: Engine) -> None:
    found = best(engine, "certifikatt")
    assert not found.ranked
    assert found.suggestion == "certificate"


@pytest.mark.parametrize(
    "typed",
    [
        "migration", "migrat*", '"migartion"', "getUserNaem", "x4712", "v1.2.4", "数居库", "REPOSTORY", "abc", "zebra",
        "user_naem", "source:migartion", "-migartion", "Zugrfif_",
    ],
)  # fmt: skip
def test_what_is_known_quoted_or_no_plain_word_is_left_alone(engine: Engine, typed: str) -> None:
    found = best(engine, typed)
    assert found.suggestion is None
    assert not any(term.similar for group in found.query.wanted for term in group)


def test_only_the_unknown_word_is_changed_in_what_may_have_been_meant(engine: Engine) -> None:
    assert best(engine, "the  migartion FAILED source:lines").suggestion == "the  migration FAILED source:lines"
    assert best(engine, "migartion OR repostory").suggestion == "migration OR repository"


def test_a_word_that_is_still_being_typed_is_not_corrected_as_long_as_some_word_begins_so(engine: Engine) -> None:
    assert best(engine, "migra", typing=True).suggestion is None
    assert best(engine, "migrati", typing=True).suggestion is None
    assert not best(engine, "migrati", typing=True).query.wanted[0][0].similar
    assert best(engine, "migartion", typing=True).suggestion == "migration"


def test_what_is_found_by_another_spelling_is_highlighted(engine: Engine) -> None:
    (first, *_) = engine.search("repostory")
    assert [first.excerpt.text[start:stop] for start, stop in first.excerpt.spans] == ["repository"]


def test_one_search_after_the_other_is_mended(engine: Engine) -> None:
    db = engine.store.read()
    search = Search(db)
    for typed in ("migartion", "repostory", "certifficate"):
        assert search.best(parse(typed, NOW)).suggestion
    db.close()


@given(st.text(max_size=40))
def test_nothing_typed_breaks_the_spelling(shared: Engine, text: str) -> None:
    found = best(shared, text)
    assert found.suggestion is None or found.suggestion != text


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    place = Engine(tmp_path_factory.mktemp("spelling") / "engine")
    place.write("a", turn(TEXT))
    place.run()
    return place


@pytest.mark.parametrize(
    ("text", "typed", "meant"),
    [
        ("a letter to all", "leters", "letter"),  # in another form
        ("our backups are small", "bakup", "backups"),
        ("the save game is broken", "savegame", "save game"),  # two words in one
        ("eight of them", "weight", None),  # the first letter is seldom wrong
        ("it was never so", "newer", None),  # another letter in a short word is another word
        ("make it so", "mates", None),
    ],
)
def test_what_is_likely_a_slip_and_what_another_word(tmp_path: Path, text: str, typed: str, meant: str | None) -> None:
    place = Engine(tmp_path / "engine")
    place.write("a", turn(text))
    place.run()
    found = best(place, typed)
    assert found.suggestion == meant
    assert bool(found.ranked) == bool(meant)


def test_a_word_whose_stem_has_a_stem_of_its_own_is_known(tmp_path: Path) -> None:
    place = Engine(tmp_path / "engine")
    place.write("a", turn("a database of databases"))
    place.run()
    assert best(place, "database").suggestion is None
