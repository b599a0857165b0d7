"""So much of a source gone at once that it may be a mistake: nothing is marked or dropped before the person agrees.

The question waits in `meta`, by source and place. It is withdrawn when enough of what was missed is there again.
"""

from __future__ import annotations

import json
import os
import time as clock
from dataclasses import dataclass, replace

from .database import Database
from .ledger import UNKNOWN

LEAST_KNOWN = 4
"""Of less than this, half is no great loss, and nobody is asked."""
_PREFIX = "held:"


@dataclass(frozen=True, slots=True)
class Held:
    """A question: was it meant that this is gone?"""

    source: str
    place: str
    """The path of the list or database that lost its sessions; empty where it is files that are gone."""
    known: int
    """How many files, or sessions of the place, there were ..."""
    missing: int
    """... and how many of them are no longer there."""
    since: int
    """UTC ms."""
    example: str
    """One that is missing."""
    confirmed: bool = False
    """The person has agreed, and the next pass goes by that."""


def too_many_gone(known: int, missing: int) -> bool:
    """Whether so many going at once may be a mistake: a disk not mounted, a folder moved, a store reset."""
    return known >= LEAST_KNOWN and missing * 2 > known


def has_to_wait(db: Database, source: str, known: int, missing: int, example: str, *, place: bytes = b"") -> bool:
    """Whether what is missing has to stay until the person agrees; the question is noted, or withdrawn, accordingly.

    To be called in every pass, with all that is still kept (`known`) and all of that which is no longer there
    (`missing`); sessions or files that are new meanwhile don't answer the question. Within a transaction or not.
    """
    key = f"{_PREFIX}{source}:{place.hex()}"
    before = _question(key, db.value("SELECT value FROM meta WHERE key = ?", key))
    if before:
        known = before.known
    agreed = before is not None and before.confirmed and missing <= before.missing
    if agreed or not too_many_gone(known, missing):
        if before:
            db.run("DELETE FROM meta WHERE key = ?", key)
        return False
    since = before.since if before else int(clock.time() * 1000)
    question = Held(source, os.fsdecode(place), known, missing, since, example)
    if question != before:
        _save(db, key, question)
    return True


def questions(db: Database, source: str | None = None) -> list[Held]:
    """All that wait for an answer, of one source or of all."""
    rows = db.rows("SELECT key, value FROM meta WHERE key GLOB ? ORDER BY key", f"{_PREFIX}{source or '*'}:*")
    return [each for row in rows if (each := _question(*row)) and not each.confirmed]


def confirm(db: Database, source: str) -> list[Held]:
    """The person agrees that what is missing of a source is gone; gives what was asked. The next pass goes by it.

    A list or database is read again for it.
    """
    asked = questions(db, source)
    with db.transaction():
        for each in asked:
            place = os.fsencode(each.place)
            _save(db, f"{_PREFIX}{source}:{place.hex()}", replace(each, confirmed=True))
            db.run("UPDATE files SET adapter_version = ? WHERE source = ? AND path = ?", UNKNOWN, source, place)
    return asked


def withdraw(db: Database, source: str) -> None:
    """Nothing of a source is kept any more, so there is nothing to ask."""
    db.run("DELETE FROM meta WHERE key GLOB ?", f"{_PREFIX}{source}:*")


def _save(db: Database, key: str, held: Held) -> None:
    value = json.dumps([held.known, held.missing, held.since, held.example, held.confirmed])
    db.run("REPLACE INTO meta VALUES (?, ?)", key, value)


def _question(key: str, value: object) -> Held | None:
    if value is None:
        return None
    _, source, place = key.split(":")
    known, missing, since, example, confirmed = json.loads(str(value))
    return Held(source, os.fsdecode(bytes.fromhex(place)), known, missing, since, example, confirmed)
