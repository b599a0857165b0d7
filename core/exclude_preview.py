"""What one more rule would hide, counted before it is saved; nothing is opened and nothing is changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from pathlib import Path

from .config import Config
from .database import Database
from .discover import Source, files_of_others, roots_of
from .exclude import Rules
from .gate import Gate
from .hiding import hidden_by
from .keeping_out import refused_in
from .model import Adapter

MOST_TITLES = 5


@dataclass(frozen=True, slots=True)
class Preview:
    """What a rule would hide besides what is hidden already."""

    files: int
    """On the disk: those that would not be opened, or that hold something of the sessions."""
    sessions: int
    """Of those that are in the index now."""
    titles: tuple[str, ...]
    """Of a few of those sessions, the newest first."""


def preview(
    db: Database | None,
    adapters: Iterable[Adapter],
    config: Config,
    home: Path,
    environ: Mapping[str, str],
    pattern: str,
) -> Preview:
    """Try a rule on the ticked sources and on the index; `db` is None while nothing is indexed. Raises BadRule."""
    adapters, rule = list(adapters), Rules([pattern], home)
    rules = Rules(dict.fromkeys([*config.exclude.patterns, pattern]), home)
    others = files_of_others(adapters, config, home, environ)
    now, then = Gate(Rules(config.exclude.patterns, home), others), Gate(rules, others)
    files: set[bytes] = set()
    for adapter in adapters:
        if config.source(adapter.name).enabled:
            roots, before, after = roots_of(adapter, config, home, environ), Source(adapter, {}), Source(adapter, {})
            before.look(roots, now)
            after.look(roots, then)
            files |= before.paths() - after.paths()
    if db is None:
        return Preview(len(files), 0, ())
    with db.snapshot():
        refused = refused_in(db, then).keys() - refused_in(db, now).keys()
        by_rule = hidden_by(db, rule, (row for (row,) in db.rows("SELECT id FROM sessions WHERE turns > 0"))).keys()
        files |= _files_of(db, by_rule)
        sessions = by_rule | _only_in(db, refused)
        return Preview(len(files), len(sessions), _titles(db, sessions))


def _files_of(db: Database, sessions: Iterable[int]) -> set[bytes]:
    """The files on the disk that hold something of some sessions."""
    sql = """SELECT path FROM files WHERE state != 'gone' AND id IN (SELECT file FROM turns WHERE session = ?1
               UNION SELECT file FROM facts WHERE session = ?1 UNION SELECT file FROM cuts WHERE session = ?1)"""
    return {path for session in sessions for (path,) in db.rows(sql, session)}


def _only_in(db: Database, files: Set[int]) -> set[int]:
    """The sessions of which no turn stands in another file."""
    mentioned = {row[0] for file in files for row in db.rows("SELECT session FROM turns WHERE file = ?", file)}
    return {
        session
        for session in mentioned
        if all(row[0] in files for row in db.rows("SELECT DISTINCT file FROM turns WHERE session = ?", session))
        and db.value("SELECT turns FROM sessions WHERE id = ?", session)
    }


def _titles(db: Database, sessions: Iterable[int]) -> tuple[str, ...]:
    rows = [db.row("SELECT updated, title FROM sessions WHERE id = ?", session) or (0, "") for session in sessions]
    rows.sort(key=lambda row: row[0] or 0, reverse=True)
    return tuple(title for _, title in rows[:MOST_TITLES])
