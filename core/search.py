"""Lexical search: a Query → ranked turns, and the rest of what matches, newest first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from .chunk import first_id
from .database import Database
from .excerpt import excerpt
from .history import SESSION_COLUMNS, SESSION_WIDTH, session_from
from .model import Hit
from .query import Filter, Query
from .rank import CANDIDATES, Candidate, Ranked, rank
from .store import unpack
from .tokens import spans_in, tokenize

FEW = 10
"""With fewer turns that hold every word, those that hold some follow."""
SHORT_PREFIX = 3
"""A beginning shorter than this matches too much to be ranked by words: newest first instead."""


@dataclass(frozen=True, slots=True)
class Found:
    """What matches: `ranked` best first, then `others` (chunk ids, one a turn), newest first."""

    ranked: tuple[Ranked, ...] = ()
    others: tuple[int, ...] = ()
    total: int = 0
    total_exact: bool = True


@dataclass(frozen=True, slots=True)
class _Where:
    sql: str = ""
    values: tuple[object, ...] = ()


class Search:
    """Searches on one connection; interrupt that to cancel."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def best(self, query: Query, *, recent: bool = False) -> Found:
        """The best matches alone, soon; with `recent` simply the newest. The total is exact if there are few."""
        where = _where(query.filters)
        if query.is_empty():
            return self._newest(where) if query.filters else Found()
        short = any(term.prefix and len(term.text) < SHORT_PREFIX for group in query.wanted for term in group)
        by_rank = not (recent or short)
        full = [] if query.sentence else self._candidates(query.all_of_it(), where, by_rank)
        ranked = _order(full, by_rank)
        exact = len(full) < CANDIDATES
        if len(ranked) < FEW and (query.sentence or len(query.wanted) > 1 or not full):
            loose = self._covered(query, self._candidates(query.any_of_it(), where, by_rank))
            have = {each.turn for each in ranked}
            partly = [each for each in _order(loose, by_rank) if each.turn not in have]
            if not query.sentence:
                partly = [replace(each, coverage=min(each.coverage, 0.99)) for each in partly]
            ranked, exact = [*ranked, *partly], len(loose) < CANDIDATES
        ranked = self._without_copies(ranked)
        return Found(tuple(ranked), (), len(ranked), exact)

    def rest(self, query: Query, best: Found) -> Found:
        """`best` with everything else that matches, newest first, and so with its exact total."""
        if best.total_exact:
            return best
        shown = {each.turn for each in best.ranked}
        where = _where(query.filters)
        expression = query.any_of_it() if query.sentence else query.all_of_it()
        seen: set[object] = set()
        others: list[int] = []
        rows = self._db.rows(
            f"""SELECT chunks.id, turns.id, turns.native_id, turns.hash, coalesce(sessions.parent, sessions.id)
                FROM words CROSS JOIN chunks ON chunks.id = words.rowid JOIN turns ON turns.id = chunks.turn
                JOIN sessions ON sessions.id = turns.session
                WHERE words MATCH ? AND turns.number IS NOT NULL {where.sql} ORDER BY words.rowid DESC""",  # noqa: S608
            expression, *where.values,
        )  # fmt: skip
        seen |= {self._identity(turn)[0] for turn in shown}
        for chunk, turn, native_id, text_hash, family in rows:
            key = native_id or (family, text_hash)
            if turn not in shown and key not in seen:
                seen.add(key)
                others.append(chunk)
        return Found(best.ranked, tuple(others), len(best.ranked) + len(others), True)

    def hits(self, query: Query, matches: Iterable[Ranked | int]) -> list[Hit]:
        """What to show of matches, `Ranked` ones or chunk ids; those dropped since they were found are left out."""
        return [hit for hit in self.hits_or_gone(query, matches) if hit]

    def hits_or_gone(self, query: Query, matches: Iterable[Ranked | int]) -> list[Hit | None]:
        """Like `hits`, with None in the place of a match that was dropped since."""
        needles, loose = query.needles(), query.needles(loose=True)
        hits: list[Hit | None] = []
        for match in matches:
            chunk = match.chunk if isinstance(match, Ranked) else match
            row = self._db.row(
                f"""SELECT {SESSION_COLUMNS}, turns.id, turns.number, turns.role, turns.time, turns.text,
                      turns.native_id, turns.hash, turns.session, chunks.start, chunks.stop
                    FROM chunks JOIN turns ON turns.id = chunks.turn JOIN sessions ON sessions.id = turns.session
                    WHERE chunks.id = ?""",  # noqa: S608
                chunk,
            )
            if row is None:
                hits.append(None)
                continue
            turn, number, role, time, text, native_id, text_hash, session, start, stop = row[SESSION_WIDTH:]
            hits.append(
                Hit(
                    session=session_from(row),
                    turn_id=turn,
                    number=number,
                    role=role,
                    time=time,
                    excerpt=excerpt(unpack(text)[start:stop], needles, loose),
                    score=match.score if isinstance(match, Ranked) else 0.0,
                    also_in=self._also_in(turn, session, native_id, text_hash),
                    partial=isinstance(match, Ranked) and match.coverage < 1 and not query.sentence,
                )
            )
        return hits

    # ---- matching ----

    def _candidates(self, expression: str, where: _Where, by_rank: bool) -> list[Candidate]:
        order, score = ("words.rank", "-words.rank") if by_rank else ("words.rowid DESC", "1.0")
        return [
            Candidate(*row)
            for row in self._db.rows(
                f"""SELECT chunks.id, turns.id, turns.session, turns.number, turns.role, turns.time, turns.size, {score}
                    FROM words CROSS JOIN chunks ON chunks.id = words.rowid JOIN turns ON turns.id = chunks.turn
                    JOIN sessions ON sessions.id = turns.session
                    WHERE words MATCH ? AND turns.number IS NOT NULL {where.sql}
                    ORDER BY {order} LIMIT {CANDIDATES}""",  # noqa: S608
                expression, *where.values,
            )
        ]  # fmt: skip

    def _newest(self, where: _Where) -> Found:
        """Everything that the filters let through, newest first."""
        rows = self._db.rows(
            f"""SELECT max(chunks.id) FROM chunks JOIN turns ON turns.id = chunks.turn
                JOIN sessions ON sessions.id = turns.session
                WHERE turns.number IS NOT NULL {where.sql} GROUP BY turns.id ORDER BY 1 DESC""",  # noqa: S608
            *where.values,
        )
        others = tuple(row[0] for row in rows)
        return Found((), others, len(others))

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

    # ---- copies ----

    def _without_copies(self, ranked: Sequence[Ranked]) -> list[Ranked]:
        """One of each turn and its copies, the senior one, in the place of the best."""
        copies: dict[object, list[tuple[tuple[bool, int, int], Ranked]]] = {}
        for each in ranked:
            key, seniority = self._identity(each.turn)
            copies.setdefault(key, []).append((seniority, each))
        return [
            replace(min(same, key=lambda pair: pair[0])[1], score=same[0][1].score) for same in copies.values()
        ]  # fmt: skip

    def _identity(self, turn: int) -> tuple[object, tuple[bool, int, int]]:
        """What a turn and its copies share, and its place among them: main sessions first, then the older."""
        row = self._db.row(
            """SELECT turns.native_id, turns.hash, coalesce(sessions.parent, sessions.id), turns.time,
                      sessions.kind != 'main' OR sessions.parent IS NOT NULL
               FROM turns JOIN sessions ON sessions.id = turns.session WHERE turns.id = ?""",
            turn,
        )
        if row is None:
            return turn, (True, 0, turn)
        native_id, text_hash, family, time, minor = row
        return native_id or (family, text_hash), (bool(minor), time or 0, turn)

    def _also_in(self, turn: int, session: int, native_id: str | None, text_hash: int) -> tuple[str, ...]:
        """Sessions with a copy of a turn: by the store's own id, else by the text within one family of forks."""
        rows = self._db.rows(
            """SELECT DISTINCT s.source || ':' || s.native_id FROM turns t JOIN sessions s ON s.id = t.session,
                 sessions own WHERE own.id = ?1 AND t.hash = ?2 AND t.id != ?3 AND s.id != ?1 AND s.source = own.source
               AND (CASE WHEN ?4 IS NOT NULL THEN t.native_id = ?4
                    ELSE coalesce(s.parent, s.id) = coalesce(own.parent, own.id) END)
               ORDER BY 1 LIMIT 20""",
            session, text_hash, turn, native_id,
        )  # fmt: skip
        return tuple(row[0] for row in rows)


def _order(candidates: Sequence[Candidate], by_rank: bool) -> list[Ranked]:
    if by_rank:
        return rank(candidates)
    first: dict[int, Ranked] = {}
    for each in candidates:
        first.setdefault(each.turn, Ranked(each.turn, each.chunk, 0.0, each.coverage))
    return list(first.values())


# ---- filters ----


def _where(filters: Sequence[Filter]) -> _Where:
    """The SQL of all filters, each ANDed, its values any-of."""
    parts: list[str] = []
    values: list[object] = []
    for each in filters:
        sql, given = _condition(each)
        parts.append(f" AND {'NOT ' if each.negated else ''}({sql})")
        values += given
    return _Where("".join(parts), tuple(values))


def _condition(each: Filter) -> tuple[str, list[object]]:
    if each.key in ("before", "after", "on"):
        return _time_condition(each)
    column, pattern = {
        "source": ("sessions.source", "{}"),
        "role": ("turns.role", "{}"),
        "kind": ("sessions.kind", "{}"),
        "session": ("sessions.source || ':' || sessions.native_id", "%{}%"),
        "project": ("coalesce(sessions.project, '')", "%{}%"),
        "model": ("coalesce(sessions.model, '')", "%{}%"),
        "branch": ("coalesce(sessions.branch, '')", "%{}%"),
        "title": ("sessions.title", "%{}%"),
        "has": ("CASE WHEN turns.code THEN 'code' END", "{}"),
    }[each.key]
    likes = [f"{column} LIKE ? ESCAPE '\\'" for _ in each.values]
    return " OR ".join(likes), [pattern.format(_like(value)) for value in each.values]


def _time_condition(each: Filter) -> tuple[str, list[object]]:
    """Exact on the turn's time, and as a range of chunk ids, which is what makes it fast."""
    parts, values = ["turns.time IS NOT NULL"], list[object]()
    if each.since is not None:
        parts += ["chunks.id >= ?", "turns.time >= ?"]
        values += [first_id(each.since), each.since]
    if each.until is not None:
        parts += ["chunks.id < ?", "turns.time < ?"]
        values += [first_id(each.until + 86_400_000), each.until]
    return " AND ".join(parts), values


def _like(value: str) -> str:
    return value.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
