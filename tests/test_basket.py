"""The basket: references alone, which follow the index through everything and vanish with what they stand for."""

from __future__ import annotations

import stat
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from engine import DAY, NOON, Engine, turn
from harkback.core.basket import (
    MOST,
    Basket,
    BasketFile,
    Mark,
    Part,
    as_it_was_said,
    collected,
    marks_of,
    round_toggled,
    stretches_added,
    toggled,
)
from harkback.core.database import Database
from harkback.core.forget import forget
from harkback.core.forget_plan import Request
from harkback.core.private import Unwritten
from harkback.core.rounds import round_of
from hypothesis import given, settings
from hypothesis import strategies as st

ROLES = ("user", "assistant", "assistant", "user", "assistant")


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """Two sessions of two rounds; the turns of one have ids of their own."""
    engine = Engine(tmp_path / "engine")
    for name in ("with", "without"):
        turns = [
            turn(f"{name} says {n}", role=role, time=NOON + n * DAY, native_id=f"id-{n}" if name == "with" else None)
            for n, role in enumerate(ROLES, 1)
        ]
        engine.write(name, *turns)
    engine.run()
    return engine


@pytest.fixture
def db(engine: Engine) -> Iterator[Database]:
    with closing(engine.store.read()) as db:
        yield db


def row(db: Database, text: str) -> int:
    (found,) = [each[0] for each in db.rows("SELECT id, text FROM turns") if each[1] == text]
    return found


def texts(db: Database, basket: Basket) -> list[list[str]]:
    return [[turn.text for turn in each.turns] for each in collected(db, basket)]


# ---- what is put in ----


def test_turns_go_in_and_out_again(db: Database) -> None:
    one, two = row(db, "with says 2"), row(db, "without says 1")
    basket = toggled(db, toggled(db, Basket(), [one]), [two])
    assert texts(db, basket) == [["with says 2"], ["without says 1"]]
    assert texts(db, toggled(db, basket, [one])) == [["without says 1"]]


def test_of_several_turns_those_that_are_missing_go_in(db: Database) -> None:
    one, two = row(db, "with says 1"), row(db, "with says 2")
    basket = toggled(db, toggled(db, Basket(), [two]), [one, two])
    assert texts(db, basket) == [["with says 2"], ["with says 1"]]
    assert toggled(db, basket, [one, two]).marks == ()


def test_a_round_takes_the_place_of_its_turns(db: Database) -> None:
    basket = toggled(db, Basket(), [row(db, "without says 4")])
    for number in (1, 3):
        basket = toggled(db, basket, [row(db, f"with says {number}")])
    basket = toggled(db, basket, [row(db, "without says 5")])
    basket = round_toggled(db, basket, row(db, "with says 2"))
    assert texts(db, basket) == [["without says 4"], [f"with says {n}" for n in (1, 2, 3)], ["without says 5"]]
    assert texts(db, round_toggled(db, basket, row(db, "with says 3"))) == [["without says 4"], ["without says 5"]]


def test_a_turn_within_a_round_that_is_there_takes_the_round_out(db: Database) -> None:
    basket = round_toggled(db, Basket(), row(db, "with says 2"))
    assert toggled(db, basket, [row(db, "with says 3")]).marks == ()


def test_of_turns_that_a_round_holds_only_the_others_go_in(db: Database) -> None:
    basket = round_toggled(db, Basket(), row(db, "with says 2"))
    basket = toggled(db, basket, [row(db, "with says 2"), row(db, "with says 4")])
    assert texts(db, basket) == [["with says 1", "with says 2", "with says 3"], ["with says 4"]]


def test_a_round_is_whole_though_its_only_turn_was_marked_in_part(engine: Engine) -> None:
    engine.write("short", turn("only this", time=NOON, native_id="id-1"))
    engine.run()
    with closing(engine.store.read()) as db:
        part = Mark("lines:short", "id-1", 0, None, False, Part(5, 9, 9))
        whole = Mark("lines:short", "id-1", 0, None, True, Part(5, 9, 9))
        pieces = [each.piece for each in collected(db, Basket((part, whole)))]
    assert [piece.texts() for piece in pieces if piece] == [["this"], ["only this"]]


def test_a_stretch_takes_the_place_of_its_turn_and_a_whole_one_is_the_turn(db: Database) -> None:
    one = row(db, "with says 1")
    basket = toggled(db, Basket(), [one])
    basket = stretches_added(db, basket, [(one, Part(5, 9, 11)), (row(db, "with says 2"), Part(0, 11, 11))])
    pieces = [each.piece for each in collected(db, basket)]
    assert [piece.texts() for piece in pieces if piece] == [["says"], ["with says 2"]]
    assert basket.marks[1].part is None


def test_a_stretch_of_a_text_that_has_changed_is_the_whole_turn(engine: Engine) -> None:
    with closing(engine.store.read()) as db:
        basket = stretches_added(db, Basket(), [(row(db, "with says 1"), Part(5, 9, 11))])
    engine.write("with", turn("another text", native_id="id-1"))
    engine.run()
    with closing(engine.store.read()) as db:
        (found,) = collected(db, basket)
        assert found.piece is not None
        assert found.piece.texts() == ["another text"]


def test_there_is_a_most(db: Database) -> None:
    marks = [Mark("lines:with", None, number, None) for number in range(MOST + 5)]
    assert len(Basket().with_marks(marks).marks) == MOST


@pytest.mark.parametrize(("number", "expected"), [(1, [1, 2, 3]), (3, [1, 2, 3]), (4, [4, 5]), (5, [4, 5])])
def test_a_round_is_a_question_and_all_up_to_the_next(db: Database, number: int, expected: list[int]) -> None:
    assert [each.number for each in round_of(db, "lines:with", number).turns] == expected


def test_what_comes_before_the_first_question_is_a_round(engine: Engine) -> None:
    engine.write("late", turn("hello", role="assistant"), turn("what?"), turn("this", role="assistant"))
    engine.run()
    with closing(engine.store.read()) as db:
        assert [each.text for each in round_of(db, "lines:late", 1).turns] == ["hello"]
        assert [each.text for each in round_of(db, "lines:late", 3).turns] == ["what?", "this"]


# ---- what happens to it ----


@pytest.mark.parametrize("name", ["with", "without"])
def test_marks_find_their_turns_after_a_rebuild_and_after_more_was_said(engine: Engine, name: str) -> None:
    with closing(engine.store.read()) as db:
        basket = toggled(db, Basket(), [row(db, f"{name} says {number}") for number in (2, 5)])
    engine.append(name, turn("and more", time=NOON + 9 * DAY))
    engine.write("aaa", turn("a session that comes first"))
    engine.run(rebuild=True)
    with closing(engine.store.read()) as db:
        assert texts(db, basket) == [[f"{name} says 2"], [f"{name} says 5"]]


def test_another_turn_in_the_same_place_is_not_taken_for_the_one_that_was_marked(engine: Engine) -> None:
    with closing(engine.store.read()) as db:
        basket = toggled(db, Basket(), [row(db, "without says 1")])
    engine.write("without", turn("quite another session", time=NOON + 99 * DAY))
    engine.run()
    with closing(engine.store.read()) as db:
        assert texts(db, basket) == [[]]


def test_no_word_of_a_turn_is_in_the_file(engine: Engine, db: Database) -> None:
    file = BasketFile(engine.store.home)
    file.change(lambda basket: toggled(db, basket, [row(db, "with says 1"), row(db, "without says 4")]))
    assert b"says" not in file.path.read_bytes()
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600


def test_what_is_forgotten_leaves_the_basket_and_prompts_made_of_it_go(engine: Engine) -> None:
    file = BasketFile(engine.store.home)
    with closing(engine.store.read()) as db:
        file.change(lambda basket: toggled(db, basket, [row(db, "with says 1"), row(db, "without says 4")]))
    prompt = engine.store.home / "prompts" / "a.md"
    prompt.parent.mkdir()
    prompt.write_text("with says 1")
    forget(engine.store, Request(session="lines:with"))
    assert [mark.session for mark in file.read().marks] == ["lines:without"]
    assert b"with" not in file.path.read_bytes().replace(b"without", b"")
    assert not prompt.exists()
    forget(engine.store, Request(everything=True))
    assert not file.path.exists()


def test_without_an_index_everything_is_gone_and_stays_in_the_basket() -> None:
    basket = Basket((Mark("lines:with", "id-1", 0, None),))
    (found,) = collected(None, basket)
    assert found.piece is None
    assert found.mark in basket.marks


def test_the_order_in_which_it_was_said_goes_session_by_session_and_keeps_what_is_gone_last(db: Database) -> None:
    rows = [row(db, text) for text in ("without says 3", "with says 4", "without says 2", "with says 1")]
    gone = Mark("lines:gone", "id-1", 0, None)
    basket = toggled(db, Basket((gone,)), rows)
    parts = [Mark("lines:with", "id-2", 1, NOON, part=Part(start, start + 1, 11)) for start in (5, 2)]
    ordered = as_it_was_said(db, basket.with_marks(parts, 0))
    assert texts(db, ordered) == [
        ["with says 1"], ["with says 2"], ["with says 2"], ["with says 4"], ["without says 2"], ["without says 3"], [],
    ]  # fmt: skip
    assert [mark.part.start for mark in ordered.marks if mark.part] == [2, 5]
    assert ordered.marks[-1] == gone


# ---- the file ----


def test_it_survives_until_it_is_emptied(tmp_path: Path) -> None:
    mark = Mark("lines:a", None, 7, NOON, True, Part(1, 2, 3))
    BasketFile(tmp_path).change(lambda basket: basket.with_marks([mark]).in_next_style())
    again = BasketFile(tmp_path)
    assert again.read() == Basket((mark,), "plain")
    again.change(lambda basket: basket.without({mark}))
    assert not again.path.exists()
    assert again.read() == Basket()


@settings(max_examples=40)
@given(st.binary(max_size=60) | st.sampled_from([b'{"marks":[{"session":1}]}', b'{"style":"odd"}', b"[]", b"{}"]))
def test_a_file_that_cannot_be_understood_is_an_empty_basket(tmp_path: Path, content: bytes) -> None:
    file = BasketFile(tmp_path)
    file.path.write_bytes(content)
    assert file.read().marks == ()
    mark = Mark("lines:a", None, 7, None)
    assert file.change(lambda basket: basket.with_marks([mark])).marks == (mark,)


def test_changes_from_many_threads_are_all_kept(tmp_path: Path) -> None:
    file = BasketFile(tmp_path)

    def add(number: int) -> None:
        file.change(lambda basket: basket.with_marks([Mark("lines:a", None, number, None)]))

    threads = [threading.Thread(target=add, args=(number,)) for number in range(20)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert {mark.order for mark in file.read().marks} == set(range(20))


def test_a_basket_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "blocked").write_text("in the way")
    with pytest.raises(Unwritten, match="nothing was changed"):
        BasketFile(tmp_path / "blocked").change(lambda basket: basket.with_marks([Mark("lines:a", None, 7, None)]))


# ---- order ----

MARKS = st.lists(st.integers(0, 9), unique=True, max_size=6).map(
    lambda orders: tuple(Mark("lines:a", None, order, None) for order in orders)
)


@settings(max_examples=80)
@given(MARKS, st.integers(0, 9), st.integers(-8, 8))
def test_moving_changes_the_order_and_nothing_else(marks: tuple[Mark, ...], which: int, by: int) -> None:
    mark = Mark("lines:a", None, which, None)
    moved = Basket(marks).moved(mark, by)
    assert sorted(moved.marks, key=lambda each: each.order) == sorted(marks, key=lambda each: each.order)
    if mark in marks:
        place = marks.index(mark) + by
        assert moved.marks.index(mark) == max(0, min(len(marks) - 1, place))
        others = [each for each in marks if each != mark]
        assert [each for each in moved.marks if each != mark] == others


@settings(max_examples=80)
@given(MARKS, MARKS)
def test_nothing_is_in_it_twice(marks: tuple[Mark, ...], more: tuple[Mark, ...]) -> None:
    basket = Basket().with_marks(marks).with_marks(more)
    assert len(set(basket.marks)) == len(basket.marks)
    assert set(basket.marks) == {*marks, *more}
    for mark in marks:
        for other in more:
            changed = basket.replaced(mark, other)
            assert len(set(changed.marks)) == len(changed.marks)
            assert other in changed.marks


def test_rows_that_are_gone_have_no_marks(db: Database) -> None:
    assert marks_of(db, [10**9]) == []
    assert round_toggled(db, Basket(), 10**9) == Basket()
