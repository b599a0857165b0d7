"""A word that is still being typed, beside finished ones: looked for in the texts of the best matches of the others.

FTS5 would join the lists of every word that begins so before it gives the first row: 0.1 s for two letters in 300,000
chunks, each time anew.
"""

from __future__ import annotations

import re
from dataclasses import replace

from . import candidates
from .database import Database
from .filters import Where
from .query import Query
from .rank import Candidate
from .term import Term

LONGEST = 3
"""Letters; of what begins with more FTS5 has the lists joined soon enough."""
ENOUGH = 10
"""With fewer of the best that have such a word, all that match are looked at after all."""


def begun(db: Database, query: Query, condition: Where) -> list[Candidate] | None:
    """The best chunks with every finished word that also have a word with this beginning; None if these are few.

    There may be more: what is counted later knows of them.
    """
    term = _beginning(query)
    if term is None:
        return None
    found, _ = candidates.best(db, replace(query, wanted=query.wanted[:-1]), condition, loose=False)
    has = re.compile(rf"(?<![^\W_])(?i:{term.text})|(?<=[a-z0-9]){term.text.capitalize()}")
    kept = [each for each in found if has.search(candidates.text_of(db, each.chunk))]
    return kept if len(kept) >= ENOUGH else None


def _beginning(query: Query) -> Term | None:
    """The unfinished word at the end of a few that are all wanted, if it is so short that a great many begin so."""
    if query.sentence or len(query.wanted) < 2 or len(query.wanted[-1]) != 1:
        return None
    term = query.wanted[-1][0]
    short = term.prefix and not term.quoted and len(term.text) <= LONGEST and term.text.isascii()
    return term if short and term.text.isalpha() and term.stop == len(query.text) else None
