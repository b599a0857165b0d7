"""What an adapter tells of everything below a root, session by session, as a person would list it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw
from harkback.core.model import (
    Adapter,
    Checkpoint,
    Dividing,
    Place,
    SessionRecord,
    SkipRecord,
    ToolReading,
    TurnRecord,
    UndoRecord,
)

WRITTEN = 1_794_000_000 * 10**9
"""In November 2026."""


@dataclass
class Told:
    """One session."""

    title: str | None = None
    project: str | None = None
    model: str | None = None
    parent: str | None = None
    kind: str = "main"
    turns: list[TurnRecord] = field(default_factory=list)
    undone: list[TurnRecord] = field(default_factory=list)

    @property
    def dialog(self) -> list[tuple[str, str]]:
        return [(turn.role, turn.text) for turn in self.turns]


@dataclass
class Read:
    """Everything below a root."""

    sessions: dict[str, Told]
    skips: Counter[str]
    examples: list[str]

    def __getitem__(self, session: str) -> Told:
        return self.sessions[session]


def found(adapter: Adapter, root: Path) -> list[Path | Place | SkipRecord]:
    """What the engine would go through: of a database of many sessions, these."""

    def each() -> Iterator[Path | Place | SkipRecord]:
        for item in adapter.find(root):
            if isinstance(item, Path) and isinstance(adapter, Dividing) and adapter.is_divided(item):
                adapter.token(item)
                yield from adapter.places(item)
            else:
                yield item

    return list(each())


def read(adapter: Adapter, *roots: Path, tools: bool = False) -> Read:
    """All sessions with at least one turn or fact."""
    if tools:
        assert isinstance(adapter, ToolReading)
        adapter = adapter.with_tools()
    told = Read({}, Counter(), [])
    for root in roots:
        for item in found(adapter, root):
            if isinstance(item, SkipRecord):
                _count(told, item)
            else:
                _take(told, list(adapter.read(item.path if isinstance(item, Place) else item, None)))
    return told


def _take(told: Read, records: list[Any]) -> None:
    assert isinstance(records[-1], Checkpoint)
    turns = sorted((record for record in records if isinstance(record, TurnRecord)), key=lambda turn: turn.order)
    assert len({turn.order for turn in turns}) == len(turns)
    undos = [record for record in records if isinstance(record, UndoRecord)]
    for turn in turns:
        session = told.sessions.setdefault(turn.session, Told())
        gone = any(undo.session == turn.session and undo.since <= turn.order < undo.until for undo in undos)
        (session.undone if gone else session.turns).append(turn)
    for record in records:
        if isinstance(record, SkipRecord):
            _count(told, record)
        elif isinstance(record, SessionRecord):
            session = told.sessions.setdefault(record.session, Told())
            for name in ("title", "project", "model", "parent", "kind"):
                if value := getattr(record, name):
                    setattr(session, name, value)


def _count(told: Read, skip: SkipRecord) -> None:
    told.skips[skip.reason] += skip.count
    told.examples.append(skip.example)


def database(path: Path, *scripts: str) -> Path:
    """A database made by SQL."""
    path.parent.mkdir(parents=True, exist_ok=True)
    db = apsw.Connection(str(path))
    for script in scripts:
        db.execute(script)
    db.close()
    settle(path)
    return path


def run(path: Path, sql: str, *values: Any) -> None:
    """Change a database."""
    db = apsw.Connection(str(path))
    db.execute(sql, values)
    db.close()
    settle(path)


def settle(path: Path) -> None:
    """Make a file look as if nobody had written it just now, for a reader would wait to see what comes next."""
    os.utime(path, ns=(WRITTEN, WRITTEN))
