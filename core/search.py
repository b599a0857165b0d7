"""Search: a Query → ranked turns, by their words and if there are vectors by meaning; and the rest, newest first."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from . import candidates
from .alike import LOOKED_AT, spread
from .begun import SHORTEST_RANKED, begun
from .copies import Copies, once
from .database import Database
from .filters import Where, where
from .hits import Hits
from .meaning import Asked, Meaning
from .meant import by_both, by_meaning_alone, nearest_turns
from .pasted import as_pasted
from .query import Query
from .rank import Candidate, Ranked, rank
from .results import Hit
from .spelling import Spelling
from .tokens import has_cjk
from .unfinished import as_far_as_known, unfinished

FEW = 10
"""With fewer turns that hold every word, those that hold some follow."""

Mode = Literal["lexical", "hybrid", "semantic"]


@dataclass(frozen=True, slots=True)
class Found:
    """What matches: `ranked` best first, then `others` (chunk ids, one a turn), newest first."""

    ranked: tuple[Ranked, ...] = ()
    others: tuple[int, ...] = ()
    total: int = 0
    total_exact: bool = True
    query: Query = field(default_factory=lambda: Query(""))
    """What was really looked for: a word that the index lacks has its likely spellings beside it."""
    suggestion: str | None = None
    """The query as it may have been meant."""
    mode: Mode = "lexical"
    """What it was really found by: words, meaning (`semantic`), or both (`hybrid`)."""
    hasty: bool = False
    """Something was left out that may have been found."""


@dataclass(frozen=True, slots=True)
class _Task:
    """One search by words, and what is known before it begins."""

    query: Query
    condition: Where
    by_rank: bool
    """Best first, otherwise newest first."""
    typing: bool
    """The last word is unfinished, and nothing is done for it that takes long."""
    quick: list[Candidate] | None
    """What has every word, if that was found in a quicker way."""
    near: Sequence[Candidate]
    asked: Asked | None
    """With `near`: what was found by meaning."""

    def name(self) -> Hashable:
        """Two tasks without `quick` and `asked` that have the same find the same."""
        query = self.query
        expressions = query.all_of_it(), query.any_of_it()
        return *expressions, query.sentence, query.times, self.condition, self.by_rank, self.typing


class Search:
    """Searches on one connection; interrupt that to cancel."""

    def __init__(self, db: Database, meaning: Meaning | None = None) -> None:
        """Without `meaning` it goes by words alone."""
        self._db, self._meaning = db, meaning
        candidates.prepare(db)
        self._copies = Copies(db)
        self._spelling = Spelling(db)

    def best(self, query: Query, *, recent: bool = False, semantic: bool = False, hasty: bool = False) -> Found:
        """The best matches alone, soon; with `recent` simply the newest. The total is exact if there are few.

        With `semantic` by meaning alone, where that is possible. `hasty`, for who is still typing, leaves out
        what takes long and may be in vain: what else an unfinished word may mean that few texts have.
        """
        with self._db.snapshot():  # rows that are written anew meanwhile are neither lost nor found twice
            return self._best(query, recent, semantic, hasty)

    def _best(self, query: Query, recent: bool, semantic: bool, hasty: bool) -> Found:
        condition = where(query.filters)
        if query.is_empty():
            return replace(self._newest(condition) if query.filters else Found(), query=query)
        query = as_pasted(self._db, query)
        typed = unfinished(query) if hasty and len(query.wanted) > 1 and not query.sentence else None
        quick = None if recent else begun(self._db, query, condition)
        by_rank = not (recent or _is_short(query)) or (quick is not None and len(query.wanted) > 1)
        asked = self._meaning.ask(self._db, query) if self._meaning and by_rank else None
        near = nearest_turns(self._db, asked, query, condition) if asked else []
        if asked and semantic:
            ranked = self._spread(self._without_copies(by_meaning_alone(self._db, asked, near, query)))
            return Found(tuple(ranked), (), len(ranked), True, query, mode="semantic")
        query, suggestion = self._spelling.mended(query, but_for=typed)
        query = as_far_as_known(self._db, query)
        task = _Task(query, condition, by_rank, typed is not None, quick, near, asked)
        if asked or quick is not None:
            ranked, exact = self._by_words(task)
        else:
            ranked, exact = self._db.remembered(task.name(), lambda: self._by_words(task))
        left_out = typed is not None and quick is None and sum(each.coverage == 1 for each in ranked) < FEW
        mode: Mode = "hybrid" if asked else "lexical"
        return Found(tuple(ranked), (), len(ranked), exact, query, suggestion, mode, left_out)

    def _by_words(self, task: _Task) -> tuple[list[Ranked], bool]:
        """What has all the words, then what has some, and whether that is everything."""
        query = task.query
        if task.quick is not None:
            full, exact = task.quick, False
        else:
            full, exact = ([], True) if query.sentence else self._matching(task, loose=False)
        ranked = self._ordered(full, task, joined=False)
        if exact and len(ranked) < FEW and (query.sentence or len(query.wanted) > 1 or task.near or not full):
            some, exact = self._some(task)
            have = {each.turn for each in ranked}
            partly = [each for each in self._ordered(some, task, joined=True) if each.turn not in have]
            if not query.sentence:
                partly = [each._replace(coverage=min(each.coverage, 0.99)) for each in partly]
            ranked = [*ranked, *partly]
        ranked = self._without_copies(ranked)
        if task.by_rank:
            whole = sum(each.coverage == 1 for each in ranked) if not query.sentence else len(ranked)
            ranked = [*self._spread(ranked[:whole]), *self._spread(ranked[whole:])]
        return ranked, exact

    def _some(self, task: _Task) -> tuple[list[Candidate], bool]:
        """What has some of the words; while the last is unfinished what has the others will do, if anything does."""
        if task.typing:
            others = replace(task, query=replace(task.query, wanted=task.query.wanted[:-1]))
            for loose in (False, True):
                found, _ = self._matching(others, loose=loose)
                if found:
                    return found, False
        return self._matching(task, loose=True)

    def _ordered(self, found: Sequence[Candidate], task: _Task, *, joined: bool) -> list[Ranked]:
        if not task.by_rank:
            return _newest_first(found)
        if task.asked is None:
            return rank(found, task.query.times)
        return by_both(self._db, task.asked, found, task.near, task.query, joined=joined)

    def _matching(self, task: _Task, *, loose: bool) -> tuple[list[Candidate], bool]:
        query, condition = task.query, task.condition
        if not task.by_rank:
            return candidates.newest(self._db, query.any_of_it() if loose else query.all_of_it(), condition)
        found, exact = candidates.best(self._db, query, condition, loose=loose)
        if query.sentence and not query.unwanted:
            found = [*found, *candidates.beside(self._db, found, condition)]
        return found, exact

    def rest(self, best: Found) -> Found:
        """`best` with everything else that matches, newest first, and so with its exact total."""
        if best.total_exact:
            return best
        query = best.query
        condition = where(query.filters)
        shown = {each.turn for each in best.ranked}
        taken = {copy.identity: copy.session for turn in shown if (copy := self._copies.of(turn))}
        # Where some of the words will do, what has them all is among the best already.
        some = query.sentence or any(each.coverage < 1 for each in best.ranked)
        others = self._newest_first(
            "words CROSS JOIN chunks ON chunks.id = words.rowid JOIN turns ON turns.id = chunks.turn",
            Where(
                f"words MATCH ? {condition.sql}", (query.any_of_it() if some else query.all_of_it(), *condition.values)
            ),
            shown,
            taken,
        )
        return replace(best, others=others, total=len(best.ranked) + len(others), total_exact=True)

    def hits(self, query: Query, matches: Iterable[Ranked | int]) -> list[Hit]:
        """What to show of matches, `Ranked` ones or chunk ids, of `Found.query`; those dropped since are left out."""
        return [hit for hit in self.hits_or_gone(query, matches) if hit]

    def hits_or_gone(self, query: Query, matches: Iterable[Ranked | int]) -> list[Hit | None]:
        """Like `hits`, with None in the place of a match that was dropped since."""
        return Hits(self._db, self._copies, query, list(matches)).all()

    # ---- matching ----

    def _newest(self, condition: Where) -> Found:
        """Everything that the filters let through, newest first."""
        wanted = Where(f"true {condition.sql}", condition.values)
        others = self._newest_first("chunks JOIN turns ON turns.id = chunks.turn", wanted, set(), {})
        return Found((), others, len(others))

    def _newest_first(
        self, tables: str, wanted: Where, shown: set[int], taken: Mapping[Hashable, int]
    ) -> tuple[int, ...]:
        """The first chunk of each turn that is not shown yet, without copies; SQLite does all but the comparing."""
        rows = [
            row
            for row in self._db.rows(
                f"""SELECT min(chunks.id), turns.id, {candidates.HAS_COPY}
                    FROM {tables} JOIN sessions ON sessions.id = turns.session
                    WHERE {wanted.sql} GROUP BY turns.id
                    ORDER BY turns.time IS NULL, turns.time DESC, 1 DESC""",  # noqa: S608
                *wanted.values,
            )
            if row[1] not in shown
        ]
        copied = [(turn, copy) for _, turn, has_copy in rows if has_copy and (copy := self._copies.of(turn))]
        kept = {turn for turn, _ in once(copied, taken)}
        return tuple(chunk for chunk, turn, has_copy in rows if not has_copy or turn in kept)

    def _without_copies(self, ranked: Sequence[Ranked]) -> list[Ranked]:
        """One of each turn and its copies, the senior one, in the place of the best."""
        items = [(each, copy) for each in ranked if each.has_copy and (copy := self._copies.of(each.turn))]
        if not items:
            return list(ranked)
        shown = {best.turn: senior._replace(score=best.score) for senior, best in once(items)}
        return [shown.get(each.turn, each) for each in ranked if not each.has_copy or each.turn in shown]

    def _spread(self, ranked: Sequence[Ranked]) -> list[Ranked]:
        """The best with those that say nearly the same set behind the others."""
        leading = ranked[:LOOKED_AT]
        texts = candidates.texts_of(self._db, [each.chunk for each in leading])
        order = spread([texts[each.chunk] for each in leading])
        return [*(leading[number] for number in order), *ranked[LOOKED_AT:]]


def by_meaning(query: Query, mode: str) -> bool:
    """Whether meaning is to be asked as well: always if that is wanted, else unless a quote says that words count."""
    quoted = any(term.quoted for group in query.wanted for term in group)
    return mode in ("hybrid", "semantic") or (mode == "auto" and not quoted)


def _is_short(query: Query) -> bool:
    """Whether a word is so far from finished that nearly everything has it."""
    return any(
        term.prefix and len(term.text) < SHORTEST_RANKED and not has_cjk(term.text)
        for group in query.wanted
        for term in group
    )


def _newest_first(found: Sequence[Candidate]) -> list[Ranked]:
    first: dict[int, Ranked] = {}
    for each in sorted(found, key=lambda each: (each.time or 0, -each.chunk), reverse=True):
        first.setdefault(each.turn, Ranked(each.turn, each.chunk, 0.0, each.coverage))
    return list(first.values())
