"""What one more rule would hide, counted before it is saved; nothing is opened and nothing is changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from pathlib import Path

from .config import Config
from .database import Database
from .discover import Source, files_of_others, roots_of
from .exclude import Rules, parts
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


class Trials:
    """Tries rules on the ticked sources and on the index; the disk is looked through once, and only for a path."""

    def __init__(self, adapters: Iterable[Adapter], config: Config, home: Path, environ: Mapping[str, str]) -> None:
        self._adapters, self._config, self._home, self._environ = list(adapters), config, home, environ
        self._now: Gate | None = None
        self._open: dict[str, set[bytes]] = {}
        """The files on the disk that may be opened now, by source."""

    def preview(self, db: Database | None, pattern: str) -> Preview:
        """What a rule would do; `db` is None while nothing is indexed. Raises BadRule. Blocks on the disk."""
        rule = Rules([pattern], self._home)
        alone, by_name = Gate(rule), parts(pattern)[0] in ("", "source")  # the other kinds go by what is in a file
        now = self._look() if by_name else None
        files = {path for name, paths in self._open.items() for path in paths if now and alone.refusal(name, path)}
        if db is None:
            return Preview(len(files), 0, ())
        with db.snapshot():
            refused = refused_in(db, alone).keys() - refused_in(db, now).keys() if now else set[int]()
            every = (row for (row,) in db.rows("SELECT id FROM sessions WHERE turns > 0"))
            by_rule = hidden_by(db, rule, every).keys()
            files |= _files_of(db, by_rule)
            sessions = by_rule | _only_in(db, refused)
            return Preview(len(files), len(sessions), _titles(db, sessions))

    def _look(self) -> Gate:
        """Look through the disk, the first time; gives what decides now what may be opened."""
        if self._now is None:
            others = files_of_others(self._adapters, self._config, self._home, self._environ)
            now = Gate(Rules(self._config.exclude.patterns, self._home), others)
            for adapter in self._adapters:
                if self._config.source(adapter.name).enabled:
                    source = Source(adapter, {})
                    source.look(roots_of(adapter, self._config, self._home, self._environ), now)
                    self._open[adapter.name] = source.paths()
            self._now = now
        return self._now


def preview(
    db: Database | None,
    adapters: Iterable[Adapter],
    config: Config,
    home: Path,
    environ: Mapping[str, str],
    pattern: str,
) -> Preview:
    """Try one rule, as `Trials` does."""
    return Trials(adapters, config, home, environ).preview(db, pattern)


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
