"""A word that is still being typed, looked for in the texts of what is shown without it.

FTS5 would join the lists of every word that begins so before it gives the first row: 0.1 s for two letters in 300,000
chunks, each time anew.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from . import candidates
from .database import Database
from .filters import Where
from .query import Query
from .rank import Candidate
from .unfinished import unfinished

SHORTEST_RANKED = 3
"""Letters; what begins with fewer is in order of time, since nearly everything has it."""
LONGEST = 3
"""Letters; of what begins with more FTS5 has the lists joined soon enough."""
ENOUGH = 10
"""With fewer that have such a word, all that match are looked at after all."""
PAGE, NEWEST, STEP = 24, 300, 100
"""Of the newest chunks so many fill a page, and so many are looked at for them, so many at a time."""


def begun(db: Database, query: Query, condition: Where) -> list[Candidate] | None:
    """The best chunks with every finished word, or without one the newest, that have a word with this beginning.

    None if these are few. There may be more: what is counted later knows of them.
    """
    term = unfinished(query)
    if query.sentence or term is None or not _is_short(term.text):
        return None
    if len(query.wanted) > 1:
        found, _ = candidates.best(db, replace(query, wanted=query.wanted[:-1]), condition, loose=False)
        have = _with_a_word(db, [each.chunk for each in found], term.text)
        return [each for each in found if each.chunk in have] if len(have) >= ENOUGH else None
    if len(term.text) >= SHORTEST_RANKED or query.unwanted:
        return None
    # The newest are the same for every beginning.
    newest, _ = db.remembered((begun, condition), lambda: candidates.newest_chunks(db, None, condition, NEWEST))
    have: set[int] = set()
    for at in range(0, len(newest), STEP):
        have |= _with_a_word(db, newest[at : at + STEP], term.text)
        if len(have) >= PAGE:
            break
        if len(have) * NEWEST < ENOUGH * (at + STEP):  # it is rare, and so is quickly found by FTS5
            return None
    return candidates.of_chunks(db, [chunk for chunk in newest if chunk in have]) if len(have) >= ENOUGH else None


def _with_a_word(db: Database, chunks: Sequence[int], begin: str) -> set[int]:
    has = re.compile(rf"(?<![^\W_])(?i:{begin})|(?<=[a-z0-9]){begin.capitalize()}")
    return {chunk for chunk, text in candidates.texts_of(db, chunks).items() if has.search(text)}


def _is_short(begin: str) -> bool:
    """Whether a great many words begin so."""
    return len(begin) <= LONGEST and begin.isascii() and begin.isalpha()
