"""Words of a query that the index does not have, and those of its own that may have been meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from .database import Database
from .query import Query
from .store import unpack
from .term import Term, quoted
from .tokens import finished, needle, tokenize
from .unfinished import beginning, is_known

SHORTEST = 4
"""Letters; shorter words have too many neighbours."""
TWO_EDITS = 8
"""From so many letters on, two edits are worth a question, never a match of their own accord."""
LOOKED_AT = 12
"""So many stems of the vocabulary are looked at closely."""
SHORTEST_CHANGED = 6
"""Letters of a word in which one may be another; in shorter ones one too many or too few, or two in the wrong order."""
SHORTEST_PART = 3
"""Letters of either word where two were written together."""
MOST = 3
"""So many spellings of one word are looked for."""
_WORD = re.compile(r"[^\W\d_]+")
_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")


class Spelling:
    """Knows the vocabulary of one index."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def mended(self, query: Query, but_for: Term | None = None) -> tuple[Query, str | None]:
        """The query with each unknown word's likely spellings beside it, and the text that may have been meant.

        Left as they are: what was quoted, what is no plain word, whatever the index has, and the term `but_for`.
        """
        better = query.text
        groups: list[tuple[Term, ...]] = []
        for group in reversed(query.wanted):  # from the end, so that places in the text stay true
            terms: list[Term] = []
            for term in reversed(group):
                close, guess = self._spellings(term) if _is_plain(term) and term is not but_for else ((), None)
                if guess:
                    better = better[: term.start] + guess + better[term.start + len(_bare(term.text)) :]
                terms.append(replace(term, similar=close))
            groups.append(tuple(reversed(terms)))
        if better == query.text:
            return query, None
        return replace(query, wanted=tuple(reversed(groups))), better

    def _spellings(self, term: Term) -> tuple[tuple[str, ...], str | None]:
        """Words one edit away from an unknown one, the most frequent first; and the best guess, at most two away."""
        word = _bare(term.text).lower()
        return self._db.remembered(("spelled", word, term.prefix), lambda: self._look_up(word, term.prefix))

    def _look_up(self, word: str, prefix: bool) -> tuple[tuple[str, ...], str | None]:
        found = needle(word)
        if found is None or len(found.tokens) != 1 or self._is_known(word, prefix):
            return (), None
        if prefix and any(self._is_known(whole, prefix=False) for whole in finished(word)):
            return (), None
        from rapidfuzz.distance import OSA  # only those who mistype pay for it

        most = 2 if len(word) >= TWO_EDITS else 1
        near: list[tuple[int, int, str]] = []
        for stem, count in self._vocabulary(word):
            if 2 * len(word) <= 5 * len(stem) <= 5 * (len(word) + most) and _WORD.fullmatch(stem):
                edits = OSA.distance(word[: len(stem)], stem, score_cutoff=most + 1)  # what follows is its ending
                if edits <= most + 1:
                    near.append((edits, -count, stem))
        near.sort()
        spellings: list[tuple[int, int, int, str]] = []
        for _, count, stem in near[:LOOKED_AT]:
            # The texts may have it with another ending only: `leters` is near to their `letter`.
            same_but_ending = _misses_one(found.tokens[0], stem) and OSA.distance(found.tokens[0], stem) == 1
            for whole in self._whole_words(stem):
                edits = OSA.distance(word, whole, score_cutoff=most)
                if (0 < edits <= most or (edits and same_but_ending)) and _is_likely(word, whole):
                    spellings.append((1 if same_but_ending else edits, edits, count, whole))
        spellings.sort()
        one_edit = [whole for edits, _, _, whole in spellings if edits == 1]
        if not spellings and (apart := self._apart(word)):
            return (apart,), apart
        return tuple(dict.fromkeys(one_edit))[:MOST], spellings[0][3] if spellings else None

    def _apart(self, word: str) -> str | None:
        """The two words that some text has in the place of this one: `savegame` for its `save game`."""
        for at in range(SHORTEST_PART, len(word) - SHORTEST_PART + 1):
            apart = f"{word[:at]} {word[at:]}"
            if self._is_known(apart, prefix=False):
                return apart
        return None

    def _is_known(self, words: str, prefix: bool) -> bool:
        """Whether some text has the words next to each other; with `prefix` a word that begins like the only one."""
        if is_known(self._db, words):
            return True
        found = needle(words) if prefix else None
        return found is not None and next(beginning(self._db, found.tokens[0]), None) is not None

    def _vocabulary(self, word: str) -> Iterator[tuple[str, int]]:
        """(stem, in how many chunks) of the index's words that begin with the first or the second letter of `word`."""
        for first in dict.fromkeys(word[:2]):
            yield from beginning(self._db, first)

    def _whole_words(self, stem: str) -> set[str]:
        """Words with this stem, as some texts have them."""
        # Nearly every stem is its own stem; to ask for what begins so is slow where much does.
        return self._with_stem(stem, quoted(stem)) or self._with_stem(stem, quoted(stem, open_end=True))

    def _with_stem(self, stem: str, match: str) -> set[str]:
        found: set[str] = set()
        for text, start, stop in self._db.rows(
            """SELECT turns.text, start, stop FROM words JOIN chunks ON chunks.id = words.rowid
               JOIN turns ON turns.id = chunks.turn WHERE words MATCH ? LIMIT 3""",
            match,
        ):
            piece = unpack(text)[start:stop]
            found |= {piece[each.start : each.stop].lower() for each in tokenize(piece) if each.text == stem}
        return found


def _is_likely(word: str, meant: str) -> bool:
    """Whether somebody may have mistyped so: the first letter is seldom wrong, and in short words another is a word."""
    if word[0] != meant[0] and word[:2] != meant[1::-1]:
        return False
    return len(word) >= SHORTEST_CHANGED or _misses_one(word, meant)


def _misses_one(word: str, meant: str) -> bool:
    """Whether none of its letters is another: one is missing, one is too much, or they changed places."""
    return len(word) != len(meant) or sorted(word) == sorted(meant)


def _is_plain(term: Term) -> bool:
    """Whether it is a word of a language: no phrase, no number, no identifier, no ideographs."""
    text = _bare(term.text)
    return (
        not term.quoted
        and len(text) >= SHORTEST
        and _WORD.fullmatch(text) is not None
        and not _INNER_CAPITAL.search(text)
        and not text.isupper()
        and text.isascii()
    )


def _bare(text: str) -> str:
    """A word without the punctuation after it."""
    return text.rstrip("?!.,;:")
