"""The SQL of a search by words: the best chunks and what they matched, the newest, and the turns beside the best."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from .chunk import ID_BITS
from .database import Database
from .filters import Where
from .fusion import Place
from .packing import unpack
from .query import Query
from .rank import CANDIDATES, STEPS, Candidate
from .term import Unit, any_of
from .tokens import needle

NEWEST = 100
"""So many are a first look at what is in order of time."""
MOST_OF_A_DAY = 5_000
"""So many chunks of one day are put in order of time; ids alone are only in order of days."""
NEIGHBOURED = 5
"""So many of the best bring the turns beside them along: an answer may have none of the words of its question."""

HAS_COPY = """
  CASE WHEN turns.native_id IS NULL
    THEN EXISTS (SELECT 1 FROM turns t WHERE t.hash = turns.hash AND t.session != turns.session)
    ELSE EXISTS (SELECT 1 FROM turns t WHERE t.native_id = turns.native_id AND t.session != turns.session)
  END
"""
"""Whether a turn may have copies elsewhere; only those few are compared one by one."""

COMMON, LEAST_TELLING = 10_000, 2
"""A word in more chunks than that is not looked for among others, if so many rarer ones are left."""

_COLUMNS = """chunks.id, turns.id, turns.session, coalesce(turns.number, -10 * turns.id), turns.role,
  turns.time, turns.size"""


def prepare(db: Database) -> None:
    """Must be called once on a connection."""
    db.phrase_function("matched", lambda phrases: " ".join(map(str, phrases)))


def best(db: Database, query: Query, condition: Where, *, loose: bool) -> tuple[list[Candidate], bool]:
    """The best chunks by BM25 with every word, or `loose` with any of them; and whether these are all."""
    name = (best, query.any_of_it() if loose else query.all_of_it(), condition, loose)
    return db.remembered(name, lambda: _best(db, query, condition, loose=loose))


def _best(db: Database, query: Query, condition: Where, *, loose: bool) -> tuple[list[Candidate], bool]:
    units = _telling(db, query.units()) if loose else query.units()
    expression = query.any_of(units) if loose else query.all_of_it()
    owner = [number for number, unit in enumerate(units) for _ in unit.phrases]
    whole = sum(unit.weight for unit in units)
    everything = tuple(term.text for group in query.wanted for term in group)
    found: list[Candidate] = []
    for *columns, phrases in db.rows(
        f"""SELECT {_COLUMNS}, -words.rank, 1.0, {HAS_COPY}, {"matched(words)" if loose else "NULL"}
            FROM words CROSS JOIN chunks ON chunks.id = words.rowid JOIN turns ON turns.id = chunks.turn
            JOIN sessions ON sessions.id = turns.session
            WHERE words MATCH ? {condition.sql} ORDER BY words.rank LIMIT {CANDIDATES + 1}""",  # noqa: S608
        expression, *condition.values,
    ):  # fmt: skip
        if len(found) >= CANDIDATES:
            return found, False
        coverage, matched = 1.0, everything
        if loose:
            numbers = sorted({owner[at] for each in phrases.split() if (at := int(each)) < len(owner)})
            coverage = sum(units[number].weight for number in numbers) / whole
            matched = tuple(units[number].text for number in numbers)
        found.append(Candidate(*columns)._replace(coverage=coverage, matched=matched))
    return found, True


def _telling(db: Database, units: Sequence[Unit]) -> Sequence[Unit]:
    """The units without those that a great many chunks have: they cost most of the time and tell the least."""
    if len(units) <= LEAST_TELLING:
        return units
    db.vocabulary("words", "vocabulary")
    rare = [unit for unit in units if _count(db, unit) <= COMMON]
    return rare if len(rare) >= LEAST_TELLING else units


def _count(db: Database, unit: Unit) -> int:
    """In how many chunks a single word is; 0 for what is more than one."""
    found = needle(unit.text)
    if len(unit.phrases) > 1 or found is None or found.prefix or len(found.tokens) != 1:
        return 0
    (token,) = found.tokens
    return db.value("SELECT doc FROM temp.vocabulary WHERE term = ?", token) or 0


def newest(db: Database, expression: str, condition: Where) -> tuple[list[Candidate], bool]:
    """The newest chunks that match, and whether these are all."""
    chunks, every = newest_chunks(db, expression, condition, NEWEST)
    return of_chunks(db, chunks), every


def newest_chunks(db: Database, expression: str | None, condition: Where, most: int) -> tuple[list[int], bool]:
    """The newest chunks that match, or without `expression` of all; and whether these are all."""
    tables, match, newest_first = (
        ("words CROSS JOIN chunks ON chunks.id = words.rowid", "words MATCH ?", "words.rowid DESC")
        if expression
        else ("chunks CROSS", "true", "chunks.id DESC")
    )
    times: list[tuple[int, int]] = []
    for chunk, time in db.rows(
        f"""SELECT chunks.id, coalesce(turns.time, 0)
            FROM {tables} JOIN turns ON turns.id = chunks.turn JOIN sessions ON sessions.id = turns.session
            WHERE {match} {condition.sql} ORDER BY {newest_first}""",  # noqa: S608
        *((expression,) if expression else ()), *condition.values,
    ):  # fmt: skip
        same_day = times and chunk >> ID_BITS == times[-1][1] >> ID_BITS
        times.append((time, chunk))
        if len(times) > most and (not same_day or len(times) > MOST_OF_A_DAY):
            break
    ordered = sorted(times[:MOST_OF_A_DAY], key=lambda pair: (-pair[0], pair[1]))
    return [chunk for _, chunk in ordered[:most]], len(times) <= most


def of_chunks(db: Database, chunks: Sequence[int]) -> list[Candidate]:
    """Some chunks as candidates that have everything, in their order."""
    rows = db.rows(
        f"""SELECT {_COLUMNS}, 1.0, 1.0, {HAS_COPY}
            FROM json_each(?) wanted CROSS JOIN chunks ON chunks.id = wanted.value
            JOIN turns ON turns.id = chunks.turn JOIN sessions ON sessions.id = turns.session""",  # noqa: S608
        json.dumps(chunks),
    )
    return [Candidate(*row) for row in rows]


def matching(db: Database, expression: str, chunks: Iterable[int]) -> set[int]:
    """Those of `chunks` that match."""
    # Without the sign FTS5 would look for each of them anew.
    rows = db.rows(
        "SELECT rowid FROM words WHERE words MATCH ? AND +rowid IN (SELECT value FROM json_each(?))",
        expression, json.dumps(list(chunks)),
    )  # fmt: skip
    return {row[0] for row in rows}


def texts_of(db: Database, chunks: Sequence[int]) -> dict[int, str]:
    """What each of some chunks says; nothing of one that was dropped."""
    rows = db.rows(
        """SELECT chunks.id, text, start, stop
           FROM json_each(?) wanted CROSS JOIN chunks ON chunks.id = wanted.value JOIN turns ON turns.id = turn""",
        json.dumps(chunks),
    )
    return dict.fromkeys(chunks, "") | {chunk: unpack(text)[start:stop] for chunk, text, start, stop in rows}


def beside(db: Database, found: Sequence[Candidate], condition: Where) -> list[Candidate]:
    """The turns next to the best of `found`, each by its first chunk, that match nothing themselves."""
    have = {(each.session, each.number) for each in found}
    leading = sorted(found, key=lambda each: -each.bm25)[:NEIGHBOURED]
    places = {(each.session, each.number + step) for each in leading if each.number > 0 for step, _ in STEPS} - have
    if not places:
        return []
    rows = db.rows(
        f"""WITH wanted (session, number) AS (VALUES {", ".join(["(?, ?)"] * len(places))})
            SELECT {_COLUMNS}, 0.0, 0.0, {HAS_COPY}
            FROM wanted CROSS JOIN turns ON turns.session = wanted.session AND turns.number = wanted.number
            JOIN chunks ON chunks.id = (SELECT min(id) FROM chunks WHERE turn = turns.id)
            JOIN sessions ON sessions.id = turns.session WHERE true {condition.sql}""",  # noqa: S608
        *(value for place in sorted(places) for value in place), *condition.values,
    )  # fmt: skip
    return [Candidate(*row) for row in rows]


# ---- by meaning ----


def meant(db: Database, vectors: Sequence[int], query: Query, condition: Where) -> list[Candidate]:
    """The chunks of some vectors, in their order, a turn once; without those that a filter or `-word` keeps out."""
    if not vectors:
        return []
    unwanted, values = _unwanted(query)
    rows = db.rows(
        f"""WITH near (id) AS (VALUES {", ".join(["(?)"] * len(vectors))})
            SELECT near.id, {_COLUMNS}, 0.0, 0.0, {HAS_COPY}
            FROM near CROSS JOIN vectors ON vectors.id = near.id JOIN chunks ON chunks.id = vectors.chunk
            JOIN turns ON turns.id = chunks.turn JOIN sessions ON sessions.id = turns.session
            WHERE true {condition.sql} {unwanted}""",  # noqa: S608
        *vectors, *condition.values, *values,
    )  # fmt: skip
    found = {number: Candidate(*columns) for number, *columns in rows}
    once: dict[int, Candidate] = {}
    for number in vectors:
        if number in found:
            once.setdefault(found[number].turn, found[number])
    return list(once.values())


def allowed(db: Database, query: Query, condition: Where) -> list[int]:
    """Every chunk that neither a filter nor `-word` keeps out."""
    unwanted, values = _unwanted(query)
    rows = db.rows(
        f"""SELECT chunks.id FROM chunks JOIN turns ON turns.id = chunks.turn
            JOIN sessions ON sessions.id = turns.session WHERE true {condition.sql} {unwanted}""",  # noqa: S608
        *condition.values, *values,
    )  # fmt: skip
    return [row[0] for row in rows]


def chunks_at(db: Database, places: Iterable[Place]) -> list[tuple[Place, int]]:
    """The chunks of the turns at some places, each with its place."""
    wanted = sorted(places)
    if not wanted:
        return []
    rows = db.rows(
        f"""WITH wanted (session, number) AS (VALUES {", ".join(["(?, ?)"] * len(wanted))})
            SELECT turns.session, turns.number, chunks.id
            FROM wanted CROSS JOIN turns ON turns.session = wanted.session AND turns.number = wanted.number
            JOIN chunks ON chunks.turn = turns.id""",  # noqa: S608
        *(value for place in wanted for value in place),
    )
    return [((session, number), chunk) for session, number, chunk in rows]


def _unwanted(query: Query) -> tuple[str, tuple[str, ...]]:
    if not query.unwanted:
        return "", ()
    expression = f"text : {any_of([term.expression() for term in query.unwanted])}"
    return "AND chunks.id NOT IN (SELECT rowid FROM words WHERE words MATCH ?)", (expression,)
