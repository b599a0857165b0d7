"""Sessions and the turns around a hit, read from a real index."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from engine import DAY, NOON, Engine, turn
from harkback.core.database import Database
from harkback.core.history import NotFound, around, find_session, recent_rows, session_at, whole
from hypothesis import given
from hypothesis import strategies as st


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return Engine(tmp_path / "engine")


@pytest.fixture
def db(engine: Engine) -> Iterator[Database]:
    """Ten turns in `ten`, and sessions whose names begin alike."""
    engine.write("ten", *(turn(f"number {i}", time=NOON + i * DAY) for i in range(1, 11)))
    engine.write("names", *(turn("here", session=name) for name in ("abc-1", "abc-2", "abd", "agent:main:7", "st*r")))
    engine.run()
    db = engine.store.read()
    yield db
    db.close()


@pytest.mark.parametrize(
    ("number", "before", "after", "expected"),
    [
        (5, 2, 2, (2, [3, 4, 5, 6, 7], 3)),
        (1, 2, 1, (0, [1, 2], 8)),
        (10, 1, 5, (8, [9, 10], 0)),
        (5, 0, 0, (4, [5], 5)),
        (99, 2, 2, (10, [], 0)),
        (-9, 2, 2, (0, [], 10)),
    ],
)
def test_the_turns_around_a_hit(
    db: Database, number: int, before: int, after: int, expected: tuple[int, list[int], int]
) -> None:
    found = around(db, "lines:ten", number, before, after)
    assert (found.before, [each.number for each in found.turns], found.after) == expected
    assert [each.text for each in found.turns] == [f"number {each}" for each in expected[1]]


def test_a_whole_session(db: Database) -> None:
    found = whole(db, "lines:ten")
    assert (found.before, len(found.turns), found.after) == (0, 10, 0)
    assert found.session.title == "number 1"
    assert (found.session.started, found.session.updated) == (NOON + DAY, NOON + 10 * DAY)
    with pytest.raises(NotFound):
        whole(db, "lines:eleven")
    with pytest.raises(NotFound):
        around(db, "other:ten", 1, 0, 0)


@pytest.mark.parametrize(
    ("wanted", "key"),
    [
        ("lines:ten", "lines:ten"),
        ("ten", "lines:ten"),
        ("te", "lines:ten"),
        ("lines:te", "lines:ten"),
        ("abc-1", "lines:abc-1"),
        ("abd", "lines:abd"),
        ("agent:main:7", "lines:agent:main:7"),
        ("lines:agent:main:7", "lines:agent:main:7"),
        ("agent:m", "lines:agent:main:7"),
        ("st*", "lines:st*r"),
    ],
)
def test_a_session_is_found_by_key_id_or_beginning(db: Database, wanted: str, key: str) -> None:
    assert find_session(db, wanted).key == key


@pytest.mark.parametrize(
    ("wanted", "near"),
    [
        ("abc", {"lines:abc-1", "lines:abc-2"}),
        ("ab", {"lines:abc-1", "lines:abc-2", "lines:abd"}),
        ("nothing", set()),
        ("", set()),
        ("*", set()),
        ("s*r", set()),
        ("other:ten", set()),
        ("lines:", set()),
    ],
)
def test_an_unclear_name_says_what_may_have_been_meant(db: Database, wanted: str, near: set[str]) -> None:
    with pytest.raises(NotFound) as caught:
        find_session(db, wanted)
    assert set(caught.value.near) == near


def test_one_native_id_in_two_sources_is_unclear(db: Database, engine: Engine) -> None:
    with engine.store.write() as writing:
        writing.run("INSERT INTO sessions (source, native_id, turns) VALUES ('other', 'ten', 1)")
    with pytest.raises(NotFound) as caught:
        find_session(db, "ten")
    assert set(caught.value.near) == {"lines:ten", "other:ten"}
    assert find_session(db, "other:ten").source == "other"


def test_recent_sessions_are_the_persons_own_newest_first(engine: Engine) -> None:
    engine.write("old", ["facts", {"project": "/src/api"}], turn("one", time=NOON))
    engine.write("new", ["facts", {"project": "/src/web"}], turn("two", time=NOON + DAY))
    engine.write("helper", ["facts", {"kind": "subagent", "parent": "new"}], turn("three", time=NOON + 2 * DAY))
    engine.write("timeless", turn("four"))
    engine.run()
    db = engine.store.read()
    names = [session.native_id for row in recent_rows(db) if (session := session_at(db, row))]
    assert names == ["new", "old", "timeless"]
    (web,) = recent_rows(db, "src/web")
    assert session_at(db, web) == find_session(db, "new")
    assert find_session(db, "helper").parent == "lines:new"
    assert session_at(db, 999) is None
    db.close()


@given(st.text(max_size=20))
def test_no_name_breaks_the_lookup(name: str) -> None:
    db = Database(None)
    db.run_script(
        """CREATE TABLE sessions (id, source, native_id, title, project, branch, model, started, updated, parent, kind,
             turns, gone, agent, about, handle)"""
    )
    with pytest.raises(NotFound):
        find_session(db, name)
    db.close()
