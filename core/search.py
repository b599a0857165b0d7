"""Lexical search: a Query → ranked turns, and the rest of what matches, newest first."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from .chunk import ID_BITS
from .copies import Copies, once
from .database import Database
from .excerpt import excerpt
from .filters import Where, where
from .history import SESSION_COLUMNS, SESSION_WIDTH, session_from
from .model import Hit
from .query import Query
from .rank import CANDIDATES, Candidate, Ranked, rank
from .store import unpack
from .tokens import Needle, has_cjk, spans_in, tokenize

FEW = 10
"""With fewer turns that hold every word, those that hold some follow."""
SHORT_PREFIX = 3
"""A beginning shorter than this matches too much to be ranked by words: newest first instead."""
MOST_OF_A_DAY = 5_000
"""So many chunks of one day are put in order of time; ids alone are only in order of days."""


@dataclass(frozen=True, slots=True)
class Found:
    """What matches: `ranked` best first, then `others` (chunk ids, one a turn), newest first."""

    ranked: tuple[Ranked, ...] = ()
    others: tuple[int, ...] = ()
    total: int = 0
    total_exact: bool = True


_HAS_COPY = """
  CASE WHEN turns.native_id IS NULL
    THEN EXISTS (SELECT 1 FROM turns t WHERE t.hash = turns.hash AND t.session != turns.session)
    ELSE EXISTS (SELECT 1 FROM turns t WHERE t.native_id = turns.native_id AND t.session != turns.session)
  END
"""
"""Whether a turn may have copies elsewhere; only those few are compared one by one."""


class Search:
    """Searches on one connection; interrupt that to cancel."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._copies = Copies(db)

    def best(self, query: Query, *, recent: bool = False) -> Found:
        """The best matches alone, soon; with `recent` simply the newest. The total is exact if there are few."""
        with self._db.snapshot():  # rows that are written anew meanwhile are neither lost nor found twice
            return self._best(query, recent)

    def _best(self, query: Query, recent: bool) -> Found:
        condition = where(query.filters)
        if query.is_empty():
            return self._newest(condition) if query.filters else Found()
        by_rank = not (recent or _is_short(query))
        full, exact = ([], True) if query.sentence else self._candidates(query.all_of_it(), condition, by_rank)
        ranked = _order(full, by_rank)
        if exact and len(ranked) < FEW and (query.sentence or len(query.wanted) > 1 or not full):
            some, exact = self._candidates(query.any_of_it(), condition, by_rank)
            have = {each.turn for each in ranked}
            partly = [each for each in _order(self._covered(query, some), by_rank) if each.turn not in have]
            if not query.sentence:
                partly = [replace(each, coverage=min(each.coverage, 0.99)) for each in partly]
            ranked = [*ranked, *partly]
        ranked = self._without_copies(ranked)
        return Found(tuple(ranked), (), len(ranked), exact)

    def rest(self, query: Query, best: Found) -> Found:
        """`best` with everything else that matches, newest first, and so with its exact total."""
        if best.total_exact:
            return best
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
        return Found(best.ranked, others, len(best.ranked) + len(others), True)

    def hits(self, query: Query, matches: Iterable[Ranked | int]) -> list[Hit]:
        """What to show of matches, `Ranked` ones or chunk ids; those dropped since they were found are left out."""
        return [hit for hit in self.hits_or_gone(query, matches) if hit]

    def hits_or_gone(self, query: Query, matches: Iterable[Ranked | int]) -> list[Hit | None]:
        """Like `hits`, with None in the place of a match that was dropped since."""
        needles, loose = query.needles(), query.needles(loose=True)
        return [self._hit(query, match, needles, loose) for match in matches]

    def _hit(self, query: Query, match: Ranked | int, needles: Sequence[Needle], loose: Sequence[Needle]) -> Hit | None:
        chunk = match.chunk if isinstance(match, Ranked) else match
        row = self._db.row(
            f"""SELECT {SESSION_COLUMNS}, turns.id, turns.number, turns.role, turns.time, turns.text,
                  turns.native_id, turns.hash, turns.session, turns.cite, chunks.start, chunks.stop
                FROM chunks JOIN turns ON turns.id = chunks.turn JOIN sessions ON sessions.id = turns.session
                WHERE chunks.id = ?""",  # noqa: S608
            chunk,
        )
        if row is None:
            return None
        turn, number, role, time, text, native_id, text_hash, session, cite, start, stop = row[SESSION_WIDTH:]
        shown = excerpt(unpack(text)[start:stop], needles, loose)
        if not (shown.spans or query.is_empty() or self._matches(chunk, query.any_of_it())):
            return None  # another chunk has got the number of one that was dropped
        if isinstance(match, Ranked):
            score, partial = match.score, match.coverage < 1
        else:
            score, partial = 0.0, not (query.is_empty() or self._matches(chunk, query.all_of_it()))
        return Hit(
            session=session_from(row),
            turn_id=turn,
            number=number,
            role=role,
            time=time,
            excerpt=shown,
            score=score,
            also_in=self._copies.others(turn, session, native_id, text_hash),
            partial=partial and not query.sentence,
            cite=cite,
        )

    # ---- matching ----

    def _candidates(self, expression: str, condition: Where, by_rank: bool) -> tuple[list[Candidate], bool]:
        """The best or the newest chunks, and whether these are all."""
        order, score = ("words.rank", "-words.rank") if by_rank else ("words.rowid DESC", "1.0")
        limit = f"LIMIT {CANDIDATES + 1}" if by_rank else ""
        found: list[Candidate] = []
        for row in self._db.rows(
            f"""SELECT chunks.id, turns.id, turns.session, coalesce(turns.number, -10 * turns.id), turns.role,
                  turns.time, turns.size, {score}
                FROM words CROSS JOIN chunks ON chunks.id = words.rowid JOIN turns ON turns.id = chunks.turn
                JOIN sessions ON sessions.id = turns.session
                WHERE words MATCH ? {condition.sql} ORDER BY {order} {limit}""",  # noqa: S608
            expression, *condition.values,
        ):  # fmt: skip
            if len(found) >= CANDIDATES:
                same_day = row[0] >> ID_BITS == found[-1].chunk >> ID_BITS
                if by_rank or not same_day or len(found) >= MOST_OF_A_DAY:
                    return found, False
            found.append(Candidate(*row))
        return found, True

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
                f"""SELECT min(chunks.id), turns.id, {_HAS_COPY}
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

    def _covered(self, query: Query, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The candidates with the share of the query's words that each has."""
        groups = [[n for term in group for n in term.needles(loose=True)] for group in query.wanted]
        if len(groups) == 1 and len(groups[0]) > 1:  # one run of ideographs: its parts are the words
            groups = [[needle] for needle in groups[0]]
        covered: list[Candidate] = []
        for candidate in candidates:
            row = self._db.row(
                "SELECT text, start, stop FROM chunks JOIN turns ON turns.id = turn WHERE chunks.id = ?",
                candidate.chunk,
            )
            if row is None:
                continue
            tokens = tokenize(unpack(row[0])[row[1] : row[2]])
            matched = sum(bool(spans_in(tokens, group)) for group in groups)
            covered.append(replace(candidate, coverage=matched / len(groups)))
        return covered

    def _without_copies(self, ranked: Sequence[Ranked]) -> list[Ranked]:
        """One of each turn and its copies, the senior one, in the place of the best."""
        items = [(each, copy) for each in ranked if (copy := self._copies.of(each.turn))]
        return [replace(senior, score=best.score) for senior, best in once(items)]

    def _matches(self, chunk: int, expression: str) -> bool:
        return bool(self._db.value("SELECT 1 FROM words WHERE rowid = ? AND words MATCH ?", chunk, expression))


def _is_short(query: Query) -> bool:
    """Whether a word is so far from finished that nearly everything has it."""
    return any(
        term.prefix and len(term.text) < SHORT_PREFIX and not has_cjk(term.text)
        for group in query.wanted
        for term in group
    )


def _order(candidates: Sequence[Candidate], by_rank: bool) -> list[Ranked]:
    if by_rank:
        return rank(candidates)
    first: dict[int, Ranked] = {}
    for each in sorted(candidates, key=lambda each: (each.time or 0, -each.chunk), reverse=True):
        first.setdefault(each.turn, Ranked(each.turn, each.chunk, 0.0, each.coverage))
    return list(first.values())
