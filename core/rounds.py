"""The round that a turn belongs to: what a person said, and everything up to what they said next."""

from __future__ import annotations

from .database import Database
from .history import around
from .results import Conversation


def round_of(db: Database, key: str, number: int) -> Conversation:
    """The active turns of the round of a session's turn `number`. Raises history.NotFound.

    What precedes the first turn of the person is a round as well.
    """
    source, _, native_id = key.partition(":")
    mine = "FROM turns JOIN sessions ON sessions.id = turns.session WHERE source = ? AND sessions.native_id = ?"
    asked = f"SELECT %s(number) {mine} AND role = 'user' AND number %s ?"
    with db.snapshot():
        first = db.value(asked % ("max", "<="), source, native_id, number) or 1
        following = db.value(asked % ("min", ">"), source, native_id, number)
        if following is None:
            return around(db, key, first, 0, number_of_turns(db, key))
        return around(db, key, first, 0, following - 1 - first)


def number_of_turns(db: Database, key: str) -> int:
    """How many active turns a session has; 0 for one that is not there."""
    source, _, native_id = key.partition(":")
    return db.value("SELECT turns FROM sessions WHERE source = ? AND native_id = ?", source, native_id) or 0
