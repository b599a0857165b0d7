"""What of the past an agent is told unasked: the last sessions of its project, and turns that its prompt is about.

Little is better than much: what is told costs tokens each time, and distracts where it is not about the matter.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from itertools import islice
from pathlib import Path

from .clean import clean_line
from .config import Config
from .context import Entry, markdown
from .database import Database
from .history import SESSION_COLUMNS, session_from
from .pack import source_line
from .query import Filter, Query, parse
from .rank import Ranked
from .results import Hit, Session, Turn
from .scope import Scope, allowed_now
from .search import Search

LAST_SESSIONS, BEST_TURNS = 5, 3
LEAST_SHARE, LEAST_WORDS = 0.5, 3
"""What a turn must have of a prompt's telling words to be about it: this share of them, and so many at least.

Chosen on questions about sessions of several projects, asked in their own and in others (tests/bench/recall.py): the
loosest rule by which at most one question in twenty is told something in a project that knows nothing of it, and one
in forty prompts such as "run the tests again". In its own project a third to four fifths are told something.
"""
LOOKED_AT = 10
"""So many of the best matches are looked at closely."""
LONGEST_TITLE = 100
_SIGNS, _MINUS = re.compile(r'["“”:：*]'), re.compile(r"(?<!\S)-+")


@dataclass(frozen=True, slots=True)
class Asking:
    """The session that is told something."""

    id: str = ""
    """As its agent names it."""
    source: str = ""
    folder: str = ""
    """Its working directory."""


def in_sight(db: Database, config: Config, home: Path, asking: Asking) -> Scope:
    """The sessions that may be told of: the person's own, of this project unless config.toml has it otherwise.

    The asking session itself is in its agent's context already. Where `tools.visibility` lets an agent see no sessions
    but its own, it is told of none.
    """
    hidden = allowed_now(db, config, home).hidden
    sql, values = "kind = 'main' AND turns > 0 AND ?1 NOT IN (native_id, coalesce(handle, native_id))", [asking.id]
    if config.tools.visibility != "all":
        sql, values = f"{sql} AND source = ?", [*values, asking.source if config.tools.visibility == "agent" else ""]
    if config.hook.scope == "project":
        of_project, places = _of_project(asking.folder, home)
        sql, values = f"{sql} AND ({of_project})", [*values, *places]
    rows = db.rows(f"SELECT id FROM sessions WHERE {sql}", *values)  # noqa: S608, the texts above
    return Scope(frozenset(row for (row,) in rows), hidden)


def last_sessions(db: Database, scope: Scope) -> list[Session]:
    """Those that were active last, the newest first."""
    wanted = scope.where()
    rows = db.rows(
        f"""SELECT {SESSION_COLUMNS} FROM sessions WHERE true {wanted.sql}
            ORDER BY updated DESC, id DESC LIMIT {LAST_SESSIONS}""",  # noqa: S608, the texts above
        *wanted.values,
    )
    return [session_from(row) for row in rows]


def about(db: Database, prompt: str, scope: Scope, now: datetime, asking: Asking) -> list[Hit]:
    """The best turns that a prompt is about, best first; mostly there are none. Looks for its words alone."""
    query = as_words(prompt, now)
    if scope.allowed == frozenset() or sum(unit.weight for unit in query.units()) < LEAST_WORDS:
        return []
    engine = Search(db)
    found = engine.best(replace(query, filters=(*scope.filters(), Filter("role", ("tool",), True, 0, 0))))
    good = islice((match for match in found.ranked if is_about(match, found.query)), LOOKED_AT)
    hits = engine.hits(found.query, good)
    here = f"{asking.source}:{asking.id}"
    return [hit for hit in hits if here not in hit.also_in][:BEST_TURNS]


def session_line(session: Session, titles: Mapping[str, str], zone: tzinfo | None = None) -> str:
    """A session as one line: where and when it was held, its key, how long it is, its title."""
    last = Turn(0, None, "user", session.updated, "exact", "")
    turns = f"{session.turns} turn{'s' if session.turns != 1 else ''}"
    title = clean_line(session.title, LONGEST_TITLE) or "untitled"
    return f"{source_line(session, last, titles, zone)}, {turns}: “{title}”"


def hit_line(hit: Hit, titles: Mapping[str, str], zone: tzinfo | None = None) -> str:
    """A turn as one line: who spoke, where and when, its session's key and its number, the part that matches."""
    return markdown(Entry(hit), "index", titles, zone).removeprefix("- ")


def as_words(prompt: str, now: datetime) -> Query:
    """A prompt as a query for any of its words: nothing in it is a filter, an exclusion or a quotation."""
    plain = _MINUS.sub(" ", _SIGNS.sub(" ", prompt))
    return replace(parse(re.sub(r"\bOR\b", "or", plain), now), sentence=True)


def is_about(match: Ranked, query: Query) -> bool:
    """Whether a turn has enough of what was looked for."""
    matched = set(match.why.matched) if match.why else set[str]()
    words = sum(unit.weight for unit in query.units() if unit.text in matched)
    return match.coverage >= LEAST_SHARE and words >= LEAST_WORDS


def _of_project(folder: str, home: Path) -> tuple[str, list[object]]:
    """SQL for the sessions of the repository that a working directory is in, else of that directory; and its values."""
    if not os.path.isabs(folder) or "\0" in folder:  # noqa: PTH117, a Path refuses some names
        return "false", []
    conditions: list[str] = []
    values: list[object] = []
    for name in dict.fromkeys((os.path.normpath(folder), os.path.realpath(folder))):
        place = next(_repositories(name, home), None)
        conditions.append("project = ?")
        values.append(place or name)
        if place:
            conditions.append("substr(project, 1, ?) = ?")
            values += [len(place) + 1, place + os.sep]
    return " OR ".join(conditions), values


def _repositories(folder: str, home: Path) -> Iterator[str]:
    """Those around a folder, the nearest first; the home folder is no project, even if it is one."""
    above = (Path(folder), *Path(folder).parents)
    return (str(place) for place in above if os.path.exists(place / ".git") and place != home)  # noqa: PTH110, it raises
