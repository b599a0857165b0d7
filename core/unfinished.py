"""The word that is still being typed, and what the index has that begins so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, takewhile

from .database import Database
from .query import Query
from .term import Term, quoted
from .tokens import finished, has_cjk, needle

SHORTEST = 3
"""Letters; of what begins with fewer there is too much to look through."""
MOST_WORDS = 200
"""With more words that begin so the next letter will make a difference."""


def unfinished(query: Query) -> Term | None:
    """The word at the end of the text, where it may become a longer one."""
    if not query.wanted or len(query.wanted[-1]) != 1:
        return None
    term = query.wanted[-1][0]
    return term if term.prefix and not term.quoted and term.stop == len(query.text) else None


def as_far_as_known(db: Database, query: Query) -> Query:
    """The query with beginnings made as long as all that the index has of them agrees.

    It finds the same. With one more letter it is often the same query, and its answer is known already.
    """
    wanted = tuple(tuple(_as_far_as_known(db, term) for term in group) for group in query.wanted)
    return query if wanted == query.wanted else replace(query, wanted=wanted)


def _as_far_as_known(db: Database, term: Term) -> Term:
    found = None if not term.prefix or term.quoted or has_cjk(term.text) else needle(term.text)
    if found is None or len(found.tokens) != 1 or len(found.tokens[0]) < SHORTEST:
        return term
    words = list(islice(beginning(db, found.tokens[0]), MOST_WORDS + 1))
    if not 0 < len(words) <= MOST_WORDS:
        return term
    first, last = words[0][0], words[-1][0]  # in order, so what these two have in common all have
    longest = first[: sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False)))]
    again = needle(longest)  # FTS5 takes its ending off, which must not be more than was typed
    if again is None or len(again.tokens) != 1 or not longest.startswith(again.tokens[0]):
        return term
    if not again.tokens[0].startswith(found.tokens[0]):
        return term
    return replace(term, begins=longest, endings=tuple(each for each in finished(term.text) if is_known(db, each)))


def is_known(db: Database, words: str) -> bool:
    """Whether some text has the words next to each other, with whatever endings."""
    return db.row("SELECT 1 FROM words WHERE words MATCH ? LIMIT 1", quoted(words)) is not None


def beginning(db: Database, begin: str) -> Iterator[tuple[str, int]]:
    """(word without its ending, in how many chunks) of the index's words that begin so, in order."""
    db.vocabulary("words", "vocabulary")
    stop = begin[:-1] + chr(ord(begin[-1]) + 1)
    yield from db.rows("SELECT term, doc FROM temp.vocabulary WHERE term >= ? AND term < ?", begin, stop)
