"""claude-mem: the observations and summaries that it made of other agents' sessions, one session for each of theirs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from ..core.model import (
    TITLE_GIVEN,
    TITLE_SUMMARY,
    Checkpoint,
    Place,
    Record,
    SessionRecord,
    SkipRecord,
    TurnRecord,
    Unreadable,
)
from .base import parse_time
from .claude_mem_note import OBSERVATION, SUMMARY, observation_text, summary_text
from .content import identifier, label
from .environment import named_folder
from .foreign_sqlite import ForeignStore, SchemaMismatch, change_token, fitting, open_foreign, split, within
from .foreign_tables import Tables, name_of, newest, row_token
from .json_file import read_json

DATABASE, SETTINGS = "claude-mem.db", "settings.json"
VARIABLE = "CLAUDE_MEM_DATA_DIR"
"""In the environment, or in the settings in the usual folder."""
OWN_PROJECT = "observer-sessions"
"""Where its own summariser talks."""
SESSIONS, OBSERVATIONS, SUMMARIES = "sdk_sessions", "observations", "session_summaries"
SOURCES = {"claude-code": "claude", "gemini-cli": "gemini", "copilot-cli": "copilot"}
"""What it calls a platform by another name than ours."""
CELL = 256 << 10
MEASURED = ("title", "narrative", "facts", "text", "learned", "completed", "request")
"""Columns whose length tells of most changes to rows that are there already."""


class _Settings(msgspec.Struct):
    """One of its settings; others are keys to services."""

    folder: object = msgspec.field(default=None, name=VARIABLE)


SETTINGS_FILE = msgspec.json.Decoder(_Settings)


@dataclass(frozen=True, slots=True)
class ClaudeMem:
    """What claude-mem keeps; what the person typed stands in the raw session, and is not repeated here."""

    name: str = "claude-mem"
    title: str = "claude-mem"
    version: int = 1

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        usual = home / ".claude-mem"
        named = named_folder(home, environ, VARIABLE)
        if named is None:
            named = named_folder(home, {VARIABLE: _setting(usual / SETTINGS) or ""}, VARIABLE)
        return [named or usual]

    def find(self, root: Path) -> Iterator[Path | SkipRecord]:
        database = root / DATABASE
        if database.is_file() and not database.is_symlink():
            yield database

    def is_divided(self, path: Path) -> bool:
        return path.name == DATABASE

    def token(self, path: Path) -> bytes:
        return change_token(path)

    def places(self, path: Path) -> Iterator[Place | SkipRecord]:
        with open_foreign(path) as store:
            tables = _tables(store)
            known = {row[0]: row for row in _sessions(store, tables)}
            notes: dict[str, list[object]] = {}
            changed: dict[str, int] = {}
            for table in (OBSERVATIONS, SUMMARIES):
                for cell, latest, *counts in _counts(store, tables, table):
                    if (name := name_of(cell)) is not None:
                        notes.setdefault(name, []).append((table, latest, *counts))
                        changed[name] = max(changed.get(name, 0), newest(latest))
        for name in sorted(notes, key=lambda name: changed[name], reverse=True):
            row = known.get(name)
            if row is None or row[2] != OWN_PROJECT:
                yield Place(within(path, name), changed=changed[name], token=row_token((row, notes[name])))

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        database, session = split(path)
        with open_foreign(database) as store:
            tables = _tables(store)
            [row, *_] = [*_sessions(store, tables, session), (session, None, None, None, None, None)]
            notes = [*_notes(store, tables, OBSERVATIONS, session), *_notes(store, tables, SUMMARIES, session)]
        if notes and row[2] != OWN_PROJECT:
            notes.sort(key=lambda note: (note.time or 0, note.table, note.row))
            yield _facts(session, row, notes)
            for order, note in enumerate(notes):
                quality = "exact" if note.time else "none"
                yield TurnRecord(session, "memory", note.text, note.time, order, quality=quality)
        yield Checkpoint(0)

    def resume(self, native_id: str) -> list[str] | None:
        """There is nothing to go on with but the raw session."""
        return None


@dataclass(frozen=True, slots=True)
class _Note:
    table: str
    row: int
    time: int | None
    text: str
    project: str | None
    request: str | None


def _setting(path: Path) -> str | None:
    try:
        return label(read_json(path, SETTINGS_FILE, 1 << 20)[0].folder)
    except (OSError, Unreadable):
        return None


# ---- the database; it has had many versions ----


def _tables(store: ForeignStore) -> Tables:
    tables = Tables(store, SESSIONS, OBSERVATIONS, SUMMARIES)
    if not any(tables.has(table, "memory_session_id") for table in (OBSERVATIONS, SUMMARIES)):
        raise SchemaMismatch(f"{OBSERVATIONS}.memory_session_id")
    return tables


def _sessions(store: ForeignStore, tables: Tables, session: str | None = None) -> list[tuple[object, ...]]:
    """(memory session, raw session, project, platform, given title, first prompt) of one, or of all."""
    if not tables.has(SESSIONS, "memory_session_id"):
        return []
    names = ("content_session_id", "project", "platform_source", "custom_title", "user_prompt")
    columns = [fitting(tables.column(SESSIONS, name), 64 << 10) for name in ("memory_session_id", *names)]
    sql = f"SELECT {', '.join(columns)} FROM {SESSIONS}"  # noqa: S608
    if session is not None:
        return store.rows(f"{sql} WHERE memory_session_id = ?1", session)
    return list(store.rows(f"{sql} WHERE memory_session_id IS NOT NULL"))


def _counts(store: ForeignStore, tables: Tables, table: str) -> list[tuple[object, ...]]:
    """For each memory session the time of its latest note, and what else changes when one of them does."""
    if not tables.has(table, "memory_session_id"):
        return []
    epoch, merged = tables.column(table, "created_at_epoch"), tables.column(table, "merged_into_project")
    lengths = [f"sum(octet_length({table}.{name}))" for name in MEASURED if tables.has(table, name)]
    columns = ["memory_session_id", f"max({epoch})", "count(*)", "max(rowid)", f"count({merged})", *lengths]
    return store.rows(f"SELECT {', '.join(columns)} FROM {table} WHERE {_others(tables, table)} GROUP BY 1")  # noqa: S608


def _notes(store: ForeignStore, tables: Tables, table: str, session: str) -> Iterator[_Note]:
    if not tables.has(table, "memory_session_id"):
        return
    names = OBSERVATION if table == OBSERVATIONS else SUMMARY
    told = ("created_at_epoch", "created_at", "project", "merged_into_project")
    columns = [fitting(tables.column(table, name), CELL) for name in (*told, *names)]
    sql = f"""SELECT ?1, rowid, {", ".join(columns)} FROM {table}
              WHERE memory_session_id = ?1 AND rowid > ?2 AND {_others(tables, table)} ORDER BY rowid"""  # noqa: S608
    for _, row, epoch, created, project, merged, *cells in store.scan(sql, session, -(1 << 63)):
        values = dict(zip(names, cells, strict=True))
        text = (observation_text if table == OBSERVATIONS else summary_text)(values)
        if text:
            time = parse_time(epoch) or parse_time(created)
            yield _Note(table, row, time, text, label(merged) or label(project), label(values.get("request")))


def _others(tables: Tables, table: str) -> str:
    """SQL for the rows that are not of its own summariser."""
    return f"{table}.project IS NOT '{OWN_PROJECT}'" if tables.has(table, "project") else "1"


def _facts(session: str, row: tuple[object, ...], notes: list[_Note]) -> SessionRecord:
    _, raw, project, platform, given, prompt = row
    source = identifier(platform) or "claude"
    about = identifier(raw)
    asked = label(prompt) or next((note.request for note in notes if note.request), None)
    title = label(given) or asked
    return SessionRecord(
        session,
        title=title,
        title_rank=(TITLE_GIVEN if label(given) else TITLE_SUMMARY) if title else 0,
        project=next((note.project for note in reversed(notes) if note.project), None) or label(project),
        kind="memory",
        about=f"{SOURCES.get(source, source)}:{about}" if about else None,
    )
