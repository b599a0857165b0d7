"""One thing once: which turns are copies of each other, and which of them is shown."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from .database import Database

T = TypeVar("T")

MOST_NAMED = 20
"""So many other sessions are named with a hit."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A turn as one of several that are the same."""

    session: int
    identity: Hashable
    """The store's own id, else the text within one family of forks."""
    place: int | None
    """Sets equal texts of one session apart; None where the store's id does."""
    seniority: tuple[object, ...]
    """Smaller is shown first: the person's own sessions, then what was forked least, then the older."""


@dataclass(frozen=True, slots=True)
class _Kin:
    source: str
    family: int
    seniority: tuple[bool, int]
    updated: int
    native_id: str


class Copies:
    """Knows the families of sessions as one search needs them."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._kin: dict[int, _Kin] = {}

    def of(self, turn: int) -> Copy | None:
        """A turn of the index; None when it was dropped."""
        row = self._db.row("SELECT id, session, native_id, hash, seq, time FROM turns WHERE id = ?", turn)
        return self.made(*row) if row else None

    def made(self, turn: int, session: int, native_id: str | None, text: int, seq: int, time: int | None) -> Copy:
        """A turn from its columns."""
        kin = self._kin_of(session)
        seniority = (*kin.seniority, time or 0, kin.updated, kin.native_id, turn)
        if native_id is not None:
            return Copy(session, (kin.source, native_id), None, seniority)
        return Copy(session, (kin.family, text), seq, seniority)

    def others(self, turn: int, session: int, native_id: str | None, text: int) -> tuple[str, ...]:
        """Keys of the other sessions that have a copy of a turn on their active branch."""
        kin = self._kin_of(session)
        if native_id is not None:
            found = self._db.rows(
                "SELECT session FROM turns WHERE native_id = ? AND session != ? AND number IS NOT NULL",
                native_id, session,
            )  # fmt: skip
            sessions = {row[0] for row in found if self._kin_of(row[0]).source == kin.source}
        elif kin.family == session and not self._db.value("SELECT 1 FROM sessions WHERE parent = ?", session):
            return ()
        else:
            found = self._db.rows(
                "SELECT session FROM turns WHERE hash = ? AND session != ? AND number IS NOT NULL", text, session
            )
            sessions = {row[0] for row in found if self._kin_of(row[0]).family == kin.family}
        keys = [
            self._db.value("SELECT source || ':' || native_id FROM sessions WHERE id = ?", each) for each in sessions
        ]
        return tuple(sorted(keys)[:MOST_NAMED])

    def _kin_of(self, session: int) -> _Kin:
        if session not in self._kin:
            source, native_id, aside, parent, updated = self._db.row(
                "SELECT source, native_id, kind != 'main', parent, updated FROM sessions WHERE id = ?", session
            ) or ("", "", 0, None, 0)
            family, forks = self._eldest(session, parent)
            self._kin[session] = _Kin(source, family, (bool(aside), forks), updated or 0, native_id)
        return self._kin[session]

    def _eldest(self, session: int, parent: int | None) -> tuple[int, int]:
        """The first of the line of parents, and the length of that; of a circle, the one with the lowest row."""
        line = [session]
        while parent is not None:
            if parent in line:
                return min(line[line.index(parent) :]), len(line) - 1
            line.append(parent)
            parent = self._db.value("SELECT parent FROM sessions WHERE id = ?", parent)
        return line[-1], len(line) - 1


def once(items: Sequence[tuple[T, Copy]], taken: Mapping[Hashable, int] | None = None) -> list[tuple[T, T]]:
    """What to show of `items`: the senior of each and its copies, with the one in whose place it stands.

    Equal texts within one session are no copies. `taken` says which session already stands for an identity.
    """
    senior: dict[Hashable, Copy] = {}
    for _, copy in items:
        if copy.identity not in senior or copy.seniority < senior[copy.identity].seniority:
            senior[copy.identity] = copy
    sessions = {identity: copy.session for identity, copy in senior.items()} | dict(taken or {})
    left: dict[Hashable, dict[int | None, T]] = {}
    for item, copy in items:
        if copy.session == sessions[copy.identity]:
            left.setdefault(copy.identity, {}).setdefault(copy.place, item)
    begun = set(taken or ())
    shown: list[tuple[T, T]] = []
    for item, copy in items:
        mine = left.get(copy.identity, {})
        place = copy.place
        if copy.identity not in begun:  # the first of the senior session's takes the best place
            begun.add(copy.identity)
            place = next(iter(mine))
        elif copy.session != sessions[copy.identity]:
            continue
        if place in mine:
            shown.append((mine.pop(place), item))
    return shown
