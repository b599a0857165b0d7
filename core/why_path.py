"""Why a file, or the files of a folder, are or are not in the index. Nothing is opened: names are enough."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from .config import Config
from .database import Database, Row
from .discover import discover, roots_of
from .exclude import Rules
from .gate import Gate, is_below
from .model import Adapter
from .projects import project_roots_of, projects_of
from .why import MOST_NAMED, Answer, Part, merged, parts_of, shown

Place = tuple[Adapter, Path]
"""Where a source is read."""


class WhyPath:
    """Knows where each source is read."""

    def __init__(self, adapters: Iterable[Adapter], config: Config, home: Path, environ: Mapping[str, str]) -> None:
        self._config, self._home, self._adapters = config, home, list(adapters)
        self._places: list[Place] = []
        for adapter in self._adapters:
            with suppress(Exception):  # an adapter's fault costs its source, not the answer
                self._places += [
                    (adapter, Path(os.path.realpath(root))) for root in roots_of(adapter, config, home, environ)
                ]

    def answer(self, db: Database | None, asked: str) -> Answer:
        """Answer for a path, absolute or from the working folder; `db` is None while nothing is indexed."""
        places = [*self._places, *self._in_projects(db)] if db else self._places
        given = Path(asked).expanduser().absolute()
        path = Path(os.path.realpath(given.parent)) / given.name if given.name else given
        if db:
            for each in dict.fromkeys((given, path)):
                if row := db.row(
                    "SELECT id, path, state, reason, source, offset FROM files WHERE path = ?", os.fsencode(each)
                ):
                    return self._folder(db, each, places) if _is_divided(db, row[1]) else self._known(db, row)
        if path.is_dir():
            return self._folder(db, path, places)
        return self._unknown(path, places)

    def _in_projects(self, db: Database) -> list[Place]:
        ticked = [adapter for adapter in self._adapters if self._config.source(adapter.name).enabled]
        projects = projects_of(db)
        return [
            (adapter, Path(os.path.realpath(root)))
            for adapter in ticked
            for root in project_roots_of(adapter, projects)
        ]

    def _known(self, db: Database, row: Row) -> Answer:
        file, path, state, _, source, offset = row
        turns = db.value("SELECT count(*) FROM turns WHERE file = ?", file)
        parts = merged(parts_of(db, [row[:4]]))
        sessions = db.rows(
            """SELECT DISTINCT sessions.source || ':' || sessions.native_id
               FROM turns JOIN sessions ON sessions.id = turns.session WHERE turns.file = ? LIMIT ?""",
            file, MOST_NAMED,
        )  # fmt: skip
        names = tuple(sorted(each[0] for each in sessions))
        if not self._config.source(source).enabled:
            return Answer(shown(path), "unticked", source)
        return Answer(shown(path), _state(state, turns, parts, offset), source, turns, parts, names)

    def _unknown(self, path: Path, places: Sequence[Place]) -> Answer:
        name, raw = shown(os.fsencode(path)), os.fsencode(path)
        below = [(adapter, root) for adapter, root in places if is_below(raw, os.fsencode(root))]
        if not path.exists() and not path.is_symlink():
            return Answer(name, "absent")
        if not below:
            return Answer(name, "outside")
        ticked = [pair for pair in below if self._config.source(pair[0].name).enabled]
        if not ticked:
            return Answer(name, "unticked", below[0][0].name)
        gate = Gate(Rules(self._config.exclude.patterns, self._home))
        for adapter, root in ticked:
            if refusal := gate.refusal(adapter.name, raw, [os.fsencode(root)]):
                return Answer(name, "excluded", adapter.name, parts=(Part(refusal, 1, ""),))
        if path.is_symlink():
            return Answer(name, "symbolic-link", ticked[0][0].name)
        for adapter, root in ticked:
            with suppress(Exception):
                if raw in discover(adapter, [root])[0]:
                    return Answer(name, "not-yet", adapter.name)
        return Answer(name, "no-session-file", ticked[0][0].name)

    def _folder(self, db: Database | None, path: Path, places: Sequence[Place]) -> Answer:
        raw, name = os.fsencode(path), shown(os.fsencode(path))
        below = [row for row in _files(db) if is_below(row[1], raw)] if db else []
        if db and below:
            states = Counter[str](row[2] for row in below)
            turns = sum(db.value("SELECT count(*) FROM turns WHERE file = ?", row[0]) for row in below)
            counts = tuple(f"{count:,} {_FILE_STATES.get(state, state)}" for state, count in sorted(states.items()))
            return Answer(name, "folder", below[0][4], turns, merged(parts_of(db, (row[:4] for row in below))), counts)
        near = [
            adapter for adapter, root in places if is_below(raw, os.fsencode(root)) or is_below(os.fsencode(root), raw)
        ]
        if not near:
            return Answer(name, "outside")
        if not any(self._config.source(adapter.name).enabled for adapter in near):
            return Answer(name, "unticked", near[0].name)
        return Answer(name, "folder", near[0].name)


def _is_divided(db: Database, path: bytes) -> bool:
    """Whether a file is a database of sessions that are known one by one."""
    return db.row("SELECT 1 FROM files WHERE path > ? AND path < ? LIMIT 1", path + b"/", path + b"0") is not None


_FILE_STATES = {
    "ok": "read", "quarantined": "unreadable", "gone": "no longer there", "left-out": "left out by a limit",
    "excluded": "excluded",
}  # fmt: skip


def _files(db: Database) -> Iterable[Row]:
    return db.rows("SELECT id, path, state, reason, source FROM files ORDER BY path")


def _state(state: str, turns: int, parts: tuple[Part, ...], offset: int) -> str:
    """What a file's row says, in terms of why.STATES."""
    slugs = {part.slug for part in parts}
    if state == "quarantined":
        return "indexed-before" if turns else "unreadable"
    if state in ("gone", "left-out", "excluded"):
        return state
    if not turns:
        whys = (("forgotten", "forgotten"), ("excluded", "excluded"), ("window", "left-out"), ("total", "left-out"))
        return next((to for slug, to in whys if slug in slugs), "empty" if offset or not parts else "unreadable")
    return "indexed-in-part" if slugs - {"summary"} else "indexed"
