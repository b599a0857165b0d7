"""What is read again from its beginning: what is the same keeps its rows, only the rest is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from engine import DAY, NOON, Engine, Library, Lines, Shelf, check, turn
from harkback.core import lots, turn_rows
from harkback.core.config import Limits
from hypothesis import given, settings
from hypothesis import strategies as st

TURNS = 2_000


class Whole(Lines):
    """A store whose files are never read on."""

    def read(self, path: Path, since: object) -> Iterator[Any]:  # type: ignore[override]
        from harkback.core.model import Reread

        if since is not None:
            raise Reread
        yield from super().read(path, None)


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return Engine(tmp_path / "engine", (Whole(),))


def same_as_fresh(engine: Engine) -> None:
    check(engine)
    assert engine.contents() == engine.fresh().contents()


def writes(engine: Engine) -> tuple[int, int, int]:
    """Run; gives how many rows of turns, of chunks and of the full text were put in or taken out."""
    counts = dict.fromkeys(("turns", "chunks", "words_docsize"), 0)

    def hook(connection: apsw.Connection) -> None:
        def changed(kind: int, database: str, table: str, row: int) -> None:
            if table in counts and kind != apsw.SQLITE_UPDATE:
                counts[table] += 1

        connection.set_update_hook(changed)

    apsw.connection_hooks.append(hook)
    try:
        engine.run()
    finally:
        apsw.connection_hooks.remove(hook)
    return counts["turns"], counts["chunks"], counts["words_docsize"]


def conversation(count: int) -> list[Any]:
    roles = ("user", "assistant")
    return [turn(f"message {n} of many", role=roles[n % 2], time=NOON + n * 60_000) for n in range(count)]


def test_a_message_more_in_a_file_of_2000_is_one_turn_written(engine: Engine) -> None:
    engine.write("a", *conversation(TURNS))
    assert writes(engine)[0] == TURNS
    engine.write("a", *conversation(TURNS + 1))
    assert writes(engine) == (1, 1, 1)
    same_as_fresh(engine)


def test_a_message_more_in_a_session_of_2000_in_a_database_is_one_turn_written(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "engine", (Shelf(every=500),))
    library = Library(engine.home / ".shelf" / "store.db")
    library.say("a", *conversation(TURNS))
    assert writes(engine)[0] == TURNS
    library.say("a", conversation(TURNS + 1)[-1])
    assert writes(engine) == (1, 1, 1)
    same_as_fresh(engine)


def test_a_message_changed_in_the_middle_is_one_turn_out_and_one_in(engine: Engine) -> None:
    said = conversation(50)
    engine.write("a", *said)
    engine.run()
    said[25] = turn("another", time=NOON)
    engine.write("a", *said)
    assert writes(engine)[0] == 2
    same_as_fresh(engine)


def test_other_ids_places_and_times_alone_are_taken_over(engine: Engine) -> None:
    engine.write("a", turn("one", native_id="x"), turn("two", native_id="y", parent_id="x", time=NOON))
    engine.run()
    engine.write("a", turn("before"), turn("one", native_id="z"), turn("two", native_id="y", parent_id="z", time=NOON))
    assert writes(engine)[0] == 1
    same_as_fresh(engine)
    engine.write("a", turn("one", native_id="z"), turn("two", native_id="y", parent_id="z", time=NOON + DAY))
    assert writes(engine)[0] == 3
    same_as_fresh(engine)


def test_by_other_rules_nothing_is_kept(engine: Engine) -> None:
    engine.write("a", *conversation(20))
    engine.run()
    with engine.store.write() as db:
        db.run("UPDATE meta SET value = 0 WHERE key = 'tokenizer'")
    assert writes(engine)[0] == 40
    same_as_fresh(engine)


@pytest.mark.parametrize("limits", [Limits("everything", turns_per_source=30), Limits("everything", turns_total=7)])
def test_limits_hold_while_it_is_read_again(engine: Engine, limits: Limits) -> None:
    engine.limits = limits
    engine.write("a", *conversation(50))
    engine.run()
    engine.write("a", *conversation(55))
    engine.run()
    assert engine.texts("a")[-1] == "message 54 of many"
    same_as_fresh(engine)


def test_limits_count_what_it_says_now_alone(engine: Engine) -> None:
    engine.limits = Limits("everything", turns_per_source=30)
    engine.write("a", *conversation(10))
    engine.run()
    engine.write("a", *(turn(f"zebra {n}") for n in range(50)))
    engine.run()
    assert len(engine.texts("a")) == 30
    same_as_fresh(engine)


def test_a_turn_goes_on_as_it_is_now_not_as_it_was(engine: Engine) -> None:
    more = [turn(f"filler {n}") for n in range(5)]
    engine.write("a", turn("zebra", native_id="x"), *more)
    engine.run()
    engine.write("a", turn("okapi", native_id="x"), *more, turn("and more", native_id="x", more=True))
    engine.run()
    assert engine.texts("a")[0] == "okapi\n\nand more"
    same_as_fresh(engine)


def test_a_file_too_long_to_wait_in_memory_is_replaced_at_once(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lots, "FLUSH_TURNS", 10)
    monkeypatch.setattr(turn_rows, "MOST_WAITING", 500)
    engine.write("a", *conversation(100))
    engine.run()
    engine.write("a", *(turn(f"zebra {n}") for n in range(100)))
    answers: list[int] = []
    plain = turn_rows.TurnRows.save

    def save(self: Any, *values: Any, **more: Any) -> None:
        answers.append(len(engine.places("zebra")))
        plain(self, *values, **more)

    monkeypatch.setattr(turn_rows.TurnRows, "save", save)
    engine.run()
    assert set(answers) == {0}
    assert len(engine.places("zebra")) == 100
    same_as_fresh(engine)
    engine.write("a", *(turn(f"okapi {n}") for n in range(100)), ["fail", "broken"])
    assert engine.run().quarantined == 1
    assert (len(engine.places("zebra")), engine.places("okapi")) == (100, [])


WORDS = st.sampled_from(("zebra", "okapi", "zebra okapi", "熊猫", "wombat\n\n```\ncode\n```"))
TURN = st.builds(
    lambda text, role, time, native_id, more: turn(
        text, role=role, time=time, native_id=native_id, more=more and native_id is not None
    ),
    WORDS,
    st.sampled_from(("user", "assistant", "tool")),
    st.sampled_from((None, NOON, NOON + DAY)),
    st.sampled_from((None, "x", "y")),
    st.booleans(),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(TURN, max_size=9), min_size=2, max_size=4), st.sampled_from((0, 3)), st.booleans())
def test_whatever_it_said_before_the_index_is_as_a_fresh_one(
    tmp_path_factory: pytest.TempPathFactory, states: list[list[Any]], most: int, long: bool
) -> None:
    engine = Engine(tmp_path_factory.mktemp("engine"), (Whole(every=2),))
    engine.limits = Limits("everything", turns_per_source=most)
    before: Callable[[], int] = lambda: lots.FLUSH_TURNS  # noqa: E731
    old = before()
    try:
        lots.FLUSH_TURNS = 3 if long else old
        for state in states:
            engine.write("a", *state)
            engine.run()
            check(engine)
    finally:
        lots.FLUSH_TURNS = old
    same_as_fresh(engine)
