"""A minus within a pasted command or message is no "without": `ld: cannot find -lgcc_s`, `git push -f`."""

from __future__ import annotations

from dataclasses import replace

from .database import Database
from .query import Query
from .term import TEXT_ALONE, Term, quoted
from .tokens import phrase

BEFORE = 2
"""So many words must stand before it in some text as they do in the query; of one word that would be chance."""


def as_pasted(db: Database, query: Query) -> Query:
    """The query with those of its unwanted words wanted that some text has right behind the words before them."""
    pasted = [term for term in query.unwanted if not term.quoted and _is_in_a_text(db, query, term)]
    if not pasted:
        return query
    wanted = sorted([*query.wanted, *((term,) for term in pasted)], key=lambda group: group[0].start)
    return replace(query, wanted=tuple(wanted), unwanted=tuple(term for term in query.unwanted if term not in pasted))


def _is_in_a_text(db: Database, query: Query, term: Term) -> bool:
    begin = max((each.stop for each in query.filters if each.stop <= term.start), default=0)
    before = query.text[begin : term.start].split()[-BEFORE:]
    if len(before) < BEFORE or any(word.startswith("-") for word in before):
        return False
    words = " ".join(phrase(word)[0] for word in [*before, term.text])
    match = f"{TEXT_ALONE} : {quoted(words, open_end=term.prefix)}"
    return db.row("SELECT 1 FROM words WHERE words MATCH ? LIMIT 1", match) is not None
