"""Which sessions may be seen: what today's configuration allows, narrowed to what belongs to whoever asks.

The index follows the configuration at the next pass. Until then a rule or a source that was unticked counts here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from .config import Config
from .database import Database
from .exclude import Rules
from .filters import Where
from .gate import Gate
from .hiding import hidden_by
from .keeping_out import is_applied, refused_in
from .query import Filter

Visibility = Literal["self", "tree", "agent", "all"]


@dataclass(frozen=True, slots=True)
class Scope:
    """Sessions by row: only those in `allowed`, if it is not None, and none of `hidden`."""

    allowed: frozenset[int] | None = None
    hidden: frozenset[int] = frozenset()

    def filters(self) -> tuple[Filter, ...]:
        """The same for a query."""
        parts = [(self.allowed, False)] if self.allowed is not None else []
        parts += [(self.hidden, True)] if self.hidden else []
        return tuple(Filter("rows", (json.dumps(sorted(rows)),), negated, 0, 0) for rows, negated in parts)

    def where(self) -> Where:
        """The same for SQL about `sessions`."""
        filters = self.filters()
        rows = "sessions.id IN (SELECT value FROM json_each(?))"
        sql = "".join(f" AND NOT {rows}" if each.negated else f" AND {rows}" for each in filters)
        return Where(sql, tuple(value for each in filters for value in each.values))


def allowed_now(db: Database, config: Config, home: Path) -> Scope:
    """What today's configuration allows; within a snapshot, if it is to fit what is read next."""
    hidden: set[int] = set()
    for (source,) in list(db.rows("SELECT DISTINCT source FROM sessions WHERE turns > 0")):
        if not config.source(source).enabled:
            hidden.update(row for (row,) in db.rows("SELECT id FROM sessions WHERE source = ?", source))
    rules = Rules(config.exclude.patterns, home)
    if not is_applied(db, rules):
        hidden |= hidden_by(db, rules, [row for (row,) in db.rows("SELECT id FROM sessions WHERE turns > 0")]).keys()
        for file in refused_in(db, Gate(rules)):
            hidden.update(row for (row,) in db.rows("SELECT DISTINCT session FROM turns WHERE file = ?", file))
    return Scope(hidden=frozenset(hidden))


def seen_by(db: Database, scope: Scope, visibility: Visibility, asking: str | None) -> Scope:
    """`scope` narrowed to the session `asking` itself, those spawned by it too, or all that its agent held.

    While that session is not known, nothing is seen of any; memory files are no session's and stay.
    """
    if visibility == "all":
        return scope
    source, _, native_id = (asking or "").partition(":")
    me = db.value("SELECT id FROM sessions WHERE source = ? AND native_id = ?", source, native_id)
    sql = {
        "self": "SELECT ?1",
        "tree": """WITH RECURSIVE mine (id) AS (
                     SELECT ?1 UNION SELECT sessions.id FROM mine JOIN sessions ON sessions.parent = mine.id)
                   SELECT id FROM mine""",
        "agent": """SELECT other.id FROM sessions me JOIN sessions other
                      ON other.source = me.source AND coalesce(other.agent, '') = coalesce(me.agent, '')
                    WHERE me.id = ?1""",
    }[visibility]
    own = {row for (row,) in db.rows(sql, me)} if me is not None else set[int]()
    own.update(row for (row,) in db.rows("SELECT id FROM sessions WHERE source = 'memory'"))
    return replace(scope, allowed=frozenset(own))
