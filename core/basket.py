"""The basket: what a person has collected for a prompt. It holds references alone: what leaves the index leaves it too.

It is kept in a file of harkback's own until it is emptied.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from .database import Database
from .history import SESSION_COLUMNS, SESSION_WIDTH, session_from
from .pack import STYLES, Piece, Style
from .private import Unwritten, write_private
from .results import Session, Turn
from .rounds import round_of
from .store import unpack

MOST = 500
"""Marks that a basket holds at most."""
FILE = "basket.json"
_BIGGEST = 4 << 20
_BATCH = 500

T = TypeVar("T")


class Part(msgspec.Struct, frozen=True):
    """A stretch of a turn's text, in code points; it counts only so long as the text is `size` long."""

    start: int
    stop: int
    size: int


class Mark(msgspec.Struct, frozen=True):
    """A turn by its place in its session, with no word of it; or with `whole_round` the round around it."""

    session: str
    """The session's key."""
    native_id: str | None
    """The turn's own id in its store; where it has none, `order` and `time` tell which it is."""
    order: int
    time: int | None
    whole_round: bool = False
    part: Part | None = None


class Basket(msgspec.Struct, frozen=True):
    """Marks in the order in which they are to be read; changes give another basket."""

    marks: tuple[Mark, ...] = ()
    style: Style = "quoted"

    def with_marks(self, new: Iterable[Mark], at: int | None = None) -> Basket:
        """Further marks at the end or before the one at index `at`; those that are there already stay as they are."""
        have = set(self.marks)
        fresh = [mark for mark in dict.fromkeys(new) if mark not in have][: max(0, MOST - len(self.marks))]
        at = len(self.marks) if at is None else at
        return msgspec.structs.replace(self, marks=(*self.marks[:at], *fresh, *self.marks[at:]))

    def without(self, gone: Collection[Mark]) -> Basket:
        """The others."""
        return msgspec.structs.replace(self, marks=tuple(mark for mark in self.marks if mark not in gone))

    def moved(self, mark: Mark, by: int) -> Basket:
        """With a mark so many places further down; at the ends it stays."""
        if mark not in self.marks:
            return self
        rest = self.without({mark}).marks
        at = max(0, min(len(rest), self.marks.index(mark) + by))
        return msgspec.structs.replace(self, marks=(*rest[:at], mark, *rest[at:]))

    def replaced(self, mark: Mark, other: Mark) -> Basket:
        """With `other` in the place of a mark, and in no other place."""
        if mark not in self.marks:
            return self
        marks = dict.fromkeys(other if each == mark else each for each in self.marks)
        return msgspec.structs.replace(self, marks=tuple(marks))

    def in_next_style(self) -> Basket:
        return msgspec.structs.replace(self, style=STYLES[(STYLES.index(self.style) + 1) % len(STYLES)])


@dataclass(frozen=True, slots=True)
class Collected:
    """What the index has now of a mark; without turns it is gone."""

    mark: Mark
    session: Session | None = None
    turns: tuple[Turn, ...] = ()

    @property
    def piece(self) -> Piece | None:
        """What goes into the prompt; None where the index no longer has it."""
        if self.session is None or not self.turns:
            return None
        part = None if self.mark.whole_round else self.mark.part
        if part is not None and [len(turn.text) for turn in self.turns] == [part.size]:
            return Piece(self.session, self.turns, (part.start, part.stop))
        return Piece(self.session, self.turns)

    @property
    def ids(self) -> frozenset[int]:
        """The index's rows of its turns."""
        return frozenset(turn.id for turn in self.turns)


# ---- marks and the index ----


def marks_of(db: Database, turns: Sequence[int]) -> list[Mark]:
    """Marks of turns by their rows in the index, in this order; rows that are gone are left out."""
    found: dict[int, Mark] = {}
    for some in _batches(turns):
        rows = db.rows(
            f"""SELECT turns.id, source || ':' || sessions.native_id, turns.native_id, seq, time
                FROM turns JOIN sessions ON sessions.id = session WHERE turns.id IN ({",".join("?" * len(some))})""",  # noqa: S608
            *some,
        )
        found |= {row[0]: Mark(*row[1:]) for row in rows}
    return [found[turn] for turn in turns if turn in found]


def collected(db: Database | None, basket: Basket) -> list[Collected]:
    """What the index has of each mark; without an index nothing."""
    if db is None:
        return [Collected(mark) for mark in basket.marks]
    with db.snapshot():
        return [_look_up(db, mark) for mark in basket.marks]


def _look_up(db: Database, mark: Mark) -> Collected:
    source, _, native_id = mark.session.partition(":")
    if mark.native_id is not None:
        place, values = "turns.native_id = ?", [mark.native_id]
    else:
        place, values = "seq = ? AND (time IS ? OR quality != 'exact')", [mark.order, mark.time]
    row = db.row(
        f"""SELECT {SESSION_COLUMNS}, turns.id, number, role, time, quality, text, cite
            FROM turns JOIN sessions ON sessions.id = turns.session
            WHERE sessions.source = ? AND sessions.native_id = ? AND {place}
            ORDER BY number IS NULL, number, turns.id LIMIT 1""",  # noqa: S608
        source, native_id, *values,
    )  # fmt: skip
    if row is None:
        return Collected(mark)
    session = session_from(row)
    id_, number, role, time, quality, text, cite = row[SESSION_WIDTH:]
    if mark.whole_round and number is not None:
        return Collected(mark, session, round_of(db, session.key, number).turns)
    return Collected(mark, session, (Turn(id_, number, role, time, quality, unpack(text), cite),))


def toggled(db: Database, basket: Basket, turns: Sequence[int]) -> Basket:
    """With turns (rows of the index) that are not yet in the basket; when all are, without what holds them."""
    have = collected(db, basket)
    held = frozenset[int]().union(*(each.ids for each in have))
    if held.issuperset(turns):
        return basket.without({each.mark for each in have if each.ids.intersection(turns)})
    return basket.with_marks(marks_of(db, [turn for turn in turns if turn not in held]))


def round_toggled(db: Database, basket: Basket, turn: int) -> Basket:
    """With the round of a turn in place of its single turns; without it if it is there."""
    have = collected(db, basket)
    if whole := {each.mark for each in have if each.mark.whole_round and turn in each.ids}:
        return basket.without(whole)
    if not (marks := marks_of(db, [turn])):
        return basket
    mark = msgspec.structs.replace(marks[0], whole_round=True)
    ids = _look_up(db, mark).ids
    within = [index for index, each in enumerate(have) if each.ids and each.ids <= ids]
    outer = [mark for index, mark in enumerate(basket.marks) if index not in within]
    at = sum(1 for index in range(within[0]) if index not in within) if within else None
    return msgspec.structs.replace(basket, marks=tuple(outer)).with_marks([mark], at)


def stretches_added(db: Database, basket: Basket, stretches: Sequence[tuple[int, Part]]) -> Basket:
    """With stretches of turns (rows of the index), each in the place of its turn if that is in the basket."""
    have = {each.mark: each.ids for each in collected(db, basket)}
    for turn, part in stretches:
        for mark in marks_of(db, [turn]):
            whole = part.start <= 0 and part.stop >= part.size
            new = mark if whole else msgspec.structs.replace(mark, part=part)
            old = [each for each, ids in have.items() if ids == frozenset((turn,)) and not each.whole_round]
            basket = basket.replaced(old[0], new) if old else basket.with_marks([new])
    return basket


def as_it_was_said(db: Database, basket: Basket) -> Basket:
    """In the order of time, session by session; what has no time comes late, what is gone last."""
    have = [each for each in collected(db, basket) if each.turns]
    begin: dict[str, float] = {}
    for each in have:
        begin[each.mark.session] = min(_said_at(each), begin.get(each.mark.session, math.inf))
    have.sort(key=lambda each: (begin[each.mark.session], each.mark.session, each.mark.order, _start(each)))
    marks = dict.fromkeys([*(each.mark for each in have), *basket.marks])
    return msgspec.structs.replace(basket, marks=tuple(marks))


def _said_at(item: Collected) -> float:
    return next((turn.time for turn in item.turns if turn.time is not None), math.inf)


def _start(item: Collected) -> int:
    """Where in its turn a mark begins."""
    return item.mark.part.start if item.mark.part and not item.mark.whole_round else 0


def without_lost(db: Database, basket: Basket) -> Basket:
    """Without marks of sessions that the index does not have: not even their ids stay once they are forgotten."""
    known = {f"{source}:{native_id}" for source, native_id in db.rows("SELECT source, native_id FROM sessions")}
    return basket.without({mark for mark in basket.marks if mark.session not in known})


def _batches(turns: Sequence[T]) -> Iterator[Sequence[T]]:
    return (turns[start : start + _BATCH] for start in range(0, len(turns), _BATCH))


# ---- the file ----

PROMPTS = "prompts"
"""The folder of ours for prompts made of a basket: the one place where its text is written."""


class BasketFile:
    """Where the basket is kept; changes from any thread come one after the other."""

    def __init__(self, folder: Path) -> None:
        """`folder` is harkback's own."""
        self.path = folder / FILE
        self._turn = threading.Lock()

    def read(self) -> Basket:
        """The basket as it was left; an empty one where there is none, or none that can be understood."""
        try:
            with self.path.open("rb") as file:
                return msgspec.json.decode(file.read(_BIGGEST), type=Basket)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return Basket()

    def change(self, change: Callable[[Basket], Basket]) -> Basket:
        """Read it, change it, write it if it differs; an empty one has no file. Raises Unwritten: nothing changed."""
        with self._turn:
            before = self.read()
            after = change(before)
            if after != before:
                self._write(after)
            return after

    def forget(self, db: Database | None) -> None:
        """Drop the marks of sessions that the index `db` does not have, all without one; and every prompt."""
        try:
            self.change(lambda basket: without_lost(db, basket) if db else Basket())
        except Unwritten:  # without room even for less than there was, all of it goes
            self.path.unlink(missing_ok=True)
        for prompt in self.path.with_name(PROMPTS).glob("*"):
            prompt.unlink(missing_ok=True)

    def _write(self, basket: Basket) -> None:
        if basket.marks:
            write_private(self.path, msgspec.json.encode(basket).decode())
            return
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise Unwritten(f"{self.path} can't be removed: {error.strerror}; nothing was changed") from error
