"""One query on one connection → what a command line or an agent is told: hits, counts and notes."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

from ..core import ledger, renewal
from ..core.clean import clean_line
from ..core.database import Database
from ..core.meaning import Meaning
from ..core.memory import only_memory
from ..core.query import Filter, Query, parse
from ..core.rank import Ranked, Why
from ..core.results import Hit
from ..core.search import Found, Search, by_meaning
from ..core.when import Clock
from .output import hit_json
from .wording import counted

MOST_TYPED = 10_000
"""Characters of a query that are looked at at all; the parser says which of them count."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is wanted of an answer."""

    limit: int = 20
    mode: str = "auto"
    recent: bool = False
    by_session: bool = False
    """The best hit of each session only."""
    explain: bool = False
    only_memory: bool = False
    """Memory files and observations, no conversations."""
    within: tuple[Filter, ...] = ()
    """Filters besides those that are typed."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What was found."""

    text: str
    """The query as it was typed, on one line."""
    found: Found
    hits: list[Hit]
    left_out: dict[str, int]
    notes: list[str]
    elapsed_ms: float
    why: dict[int, Why]
    """By turn, if it was asked for: what made its score."""

    @property
    def query(self) -> Query:
        return self.found.query

    def as_json(self, *, indexing: bool) -> dict[str, Any]:
        """`search --json`, but for the schema."""
        return {
            "query": self.text,
            "mode": self.found.mode,
            "indexing": indexing,
            "total": self.found.total,
            "total_exact": self.found.total_exact,
            "elapsed_ms": self.elapsed_ms,
            "left_out": self.left_out,
            "notes": self.notes,
            "suggestion": self.found.suggestion,
            "hits": [hit_json(hit) | self._explanation(hit) for hit in self.hits],
        }

    def _explanation(self, hit: Hit) -> dict[str, Any]:
        why = self.why.get(hit.turn_id)
        return {"explain": {**why._asdict(), "matched": list(why.matched)}} if why else {}


def reply(db: Database | None, typed: str, now: Clock, wish: Wish, meaning: Meaning | None = None) -> Reply:
    """Answer what was typed; without an index with nothing, and a note that says so.

    Without `meaning` it is by words alone, which is noted where the wish was another.
    """
    began = time.perf_counter()
    text = clean_line(typed, MOST_TYPED)
    query = only_memory(parse(text, now())) if wish.only_memory else parse(text, now())
    query = replace(query, filters=(*query.filters, *wish.within))
    notes = [f"{query.text[problem.start : problem.stop]}: {problem.message}" for problem in query.problems]
    if db is None:
        return Reply(text, Found(query=query), [], {}, [*notes, "nothing is indexed yet"], _since(began), {})
    with db.snapshot():
        found, hits = _search(db, query, wish, meaning)
        left_out = ledger.left_out_counts(db)
        hidden = renewal.waiting(db)
    if words_alone := _words_note(found, wish, meaning):
        notes.insert(0, words_alone)
    if meant := _spelling_note(found.query):
        notes.append(meant)
    if hidden:
        notes.append(f"{counted(hidden, 'file')} hidden until newer rules for secrets have been over what they said")
    why = {each.turn: each.why for each in found.ranked if each.why} if wish.explain else {}
    return Reply(text, found, hits, left_out, notes, _since(began), why)


def why_line(why: Why) -> str:
    """What made a score, for people."""
    if why.words is None or why.meaning is None:
        return _words_line(why)
    near = "" if why.cosine is None else f", cosine {why.cosine:.2f}"
    return f"{why.words:.2f} by words + {why.meaning:.2f} by meaning{near}; words: {_words_line(why)}"


def _words_line(why: Why) -> str:
    if why.bm25 == 0 and why.neighbours == 0 and why.session == 0:
        return "none of them"
    if why.bm25 == 0:
        return f"stands beside a match: {why.neighbours:.2f} from it, {why.session:.2f} from its session"
    parts = [
        f"bm25 {why.bm25:.2f} × (1 + {why.coverage:.2f} for {', '.join(why.matched)})",
        f"× {why.role:.2f} by role",
    ]
    parts += [f"+ {why.neighbours:.2f} from neighbours"] if why.neighbours else []
    parts += [f"+ {why.session:.2f} from its session"] if why.session else []
    parts += [f"× {why.time:.0f} for the time that is named"] if why.time != 1 else []
    return " ".join(parts)


def _words_note(found: Found, wish: Wish, meaning: Meaning | None) -> str | None:
    """Why words alone were searched, where something else was wanted; None where there is nothing to say."""
    if found.mode != "lexical" or wish.mode == "lexical" or found.query.is_empty():
        return None
    if meaning and meaning.trouble:
        return f"by words alone: {meaning.trouble}"
    if wish.mode == "auto":
        return None
    off = "search by meaning is off; `harkback config set semantic.enabled true` turns it on"
    return f"by words alone: {off if meaning is None else 'newest first, or too short, nothing is ranked by meaning'}"


def _search(db: Database, query: Query, wish: Wish, meaning: Meaning | None) -> tuple[Found, list[Hit]]:
    engine = Search(db, meaning if by_meaning(query, wish.mode) else None)
    found = engine.rest(engine.best(query, recent=wish.recent, semantic=wish.mode == "semantic"))
    matches: list[Ranked | int] = [*found.ranked, *found.others]
    if not wish.by_session:
        return found, engine.hits(found.query, matches[: wish.limit])
    hits: dict[str, Hit] = {}
    for start in range(0, len(matches), 100):
        for hit in engine.hits(found.query, matches[start : start + 100]):
            hits.setdefault(hit.session.key, hit)
        if len(hits) >= wish.limit:
            break
    return found, list(hits.values())[: wish.limit]


def _spelling_note(query: Query) -> str | None:
    """What was looked for in place of words that no text has; None where there are none."""
    instead = [
        f"{term.text}: no text has it, so {' or '.join(term.similar)} will do"
        for group in query.wanted
        for term in group
        if term.similar
    ]
    return "; ".join(instead) or None


def _since(began: float) -> float:
    return round((time.perf_counter() - began) * 1000, 1)
