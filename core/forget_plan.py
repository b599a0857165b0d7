"""Which sessions a wish to forget means, and which others hold copies of them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

from .database import Database
from .history import find_session


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be forgotten; exactly one of the four is given."""

    session: str | None = None
    """A key, a native id, or the beginning of one."""
    project: str | None = None
    """A folder: the sessions that worked there or below."""
    source: str | None = None
    everything: bool = False
    copies: bool = False
    """Also the sessions that hold copies of their turns: forks and resumes."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a request comes to."""

    rows: tuple[int, ...]
    sessions: int
    turns: int
    copies: tuple[str, ...]
    """Keys of the sessions that hold copies of turns among them and would stay."""


def plan(db: Database, request: Request) -> Plan:
    """What a request would remove. Raises history.NotFound for an unknown session."""
    chosen = _with_sub_agents(db, _named(db, request))
    copies = _copies(db, chosen)
    if request.copies:
        while copies:
            chosen = _with_sub_agents(db, chosen | copies)
            copies = _copies(db, chosen)
    counts = [db.row("SELECT turns > 0, turns FROM sessions WHERE id = ?", row) or (0, 0) for row in chosen]
    return Plan(
        tuple(sorted(chosen)), sum(count[0] for count in counts), sum(count[1] for count in counts), _keys(db, copies)
    )


def _named(db: Database, request: Request) -> set[int]:
    if request.session is not None:
        session = find_session(db, request.session)
        return _rows(
            db, "SELECT id FROM sessions WHERE source = ? AND native_id = ?", session.source, session.native_id
        )
    if request.source is not None:
        return _rows(db, "SELECT id FROM sessions WHERE source = ?", request.source)
    if request.project is not None:
        rows = db.rows("SELECT id, project FROM sessions WHERE project > ''")
        return {row for row, project in rows if is_within(project, request.project)}
    return _rows(db, "SELECT id FROM sessions")


def is_within(project: str, folder: str) -> bool:
    """Whether a session's working folder is `folder` or lies below it; both as written, and `folder` as it resolves."""
    for place in {folder, os.path.abspath(folder), os.path.realpath(folder)}:  # noqa: PTH100, no link is followed
        begin = place.rstrip("/\\")
        if project.rstrip("/\\") == begin or project.startswith((begin + "/", begin + "\\")):
            return True
    return False


def _with_sub_agents(db: Database, chosen: set[int]) -> set[int]:
    found, waiting = set(chosen), list(chosen)
    while waiting:
        children = _rows(db, "SELECT id FROM sessions WHERE parent = ? AND kind = 'subagent'", waiting.pop()) - found
        found |= children
        waiting += children
    return found


def _copies(db: Database, chosen: set[int]) -> set[int]:
    """The other sessions that hold turns with the store's same id, or within a family of forks with the same text."""
    family = _family(db, chosen)
    found: set[int] = set()
    for session in chosen:
        found |= _rows(
            db,
            """SELECT DISTINCT o.session FROM turns t JOIN turns o ON o.native_id = t.native_id
               JOIN sessions mine ON mine.id = t.session JOIN sessions theirs ON theirs.id = o.session
               WHERE t.session = ? AND o.session != t.session AND theirs.source = mine.source""",
            session,
        )
        if len(family) > len(chosen):
            same = "SELECT DISTINCT o.session FROM turns t JOIN turns o ON o.hash = t.hash WHERE t.native_id IS NULL"
            found |= _rows(db, f"{same} AND t.session = ?", session) & family
    return found - chosen


def _family(db: Database, chosen: set[int]) -> set[int]:
    """Some sessions with all that they were forked from or spawned by, and all that was of those."""
    found, waiting = set(chosen), list(chosen)
    while waiting:
        up = "SELECT parent FROM sessions WHERE id = ?1 AND parent IS NOT NULL"
        down = "SELECT id FROM sessions WHERE parent = ?1"
        more = _rows(db, f"{up} UNION {down}", waiting.pop()) - found
        found |= more
        waiting += more
    return found


def _keys(db: Database, rows: Iterable[int]) -> tuple[str, ...]:
    find = "SELECT source || ':' || native_id FROM sessions WHERE id = ?"
    return tuple(sorted(db.value(find, row) for row in rows))


def _rows(db: Database, sql: str, *values: object) -> set[int]:
    return {row[0] for row in db.rows(sql, *values)}
