"""Crush's SQLite store of one project; its times are seconds, although its schema says milliseconds."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from ..core.model import TITLE_GENERATED, Place, Record, Role, SessionRecord, SkipRecord
from .base import parse_time
from .content import field, label, tool_text
from .foreign_sqlite import ForeignStore, fitting, open_foreign, within
from .foreign_tables import Tables, cell_skip, decode_cell, name_of, newest, row_token
from .json_lines import ANY, NULL, decode
from .message_turns import Piece, turns_of
from .unknown_types import unknown_type

FOLDER = ".crush"
TITLE_JOB = "title-"
"""How the ids of sessions begin in which a model only names another one."""
NO_TITLE = re.compile(r"(?:new|untitled) (?:agent )?session", re.IGNORECASE)
SILENT = frozenset("reasoning finish binary image_url shell_command".split())
"""Parts that are no conversation."""
SPEAKERS: dict[object, Role] = {"user": "user", "assistant": "assistant", "tool": "tool"}


class Part(msgspec.Struct):
    """A piece of a message."""

    type: object = None
    data: msgspec.Raw = NULL


PARTS = msgspec.json.Decoder(list[msgspec.Raw])
PART = msgspec.json.Decoder(Part)


def places(path: Path) -> Iterator[Place | SkipRecord]:
    """All sessions of a database, the newest first, without those that only made a title."""
    with open_foreign(path) as store:
        tables = _tables(store)
        wanted = ("updated_at", "title", "message_count", "parent_session_id")
        own = ", ".join(tables.column("sessions", name, "s") for name in wanted)
        rows = store.rows(
            f"""SELECT s.id, m.n, m.last, l.created_at, {tables.column("messages", "updated_at", "l")},
                       octet_length(l.parts), {own}
                FROM sessions AS s
                LEFT JOIN (SELECT session_id, count(*) AS n, max(rowid) AS last FROM messages GROUP BY session_id) AS m
                  ON m.session_id = s.id
                LEFT JOIN messages AS l ON l.rowid = m.last
                GROUP BY s.id"""  # noqa: S608, made of names that the database has
        )
    found: list[tuple[int, str, bytes]] = []
    for row in rows:
        name = name_of(row[0])
        if name is None:
            yield SkipRecord("unexpected-shape", "a session without an id")
        elif not name.startswith(TITLE_JOB):
            found.append((newest(row[3], row[4], row[6]), name, row_token(row)))
    for changed, name, token in sorted(found, reverse=True):
        yield Place(within(path, name), changed=changed, token=token)


def read(path: Path, session: str, tools: bool) -> Iterator[Record]:
    """The records of one session, without a checkpoint. Raises FileNotFoundError where it is no longer there."""
    with open_foreign(path) as store:
        tables = _tables(store)
        yield _facts(store, tables, session, path)
        numbered = "SELECT rowid FROM messages WHERE session_id = ? ORDER BY created_at, rowid"
        order = {row[0]: number for number, row in enumerate(store.rows(numbered, session))}
        is_summary, model = (tables.column("messages", name) for name in ("is_summary_message", "model"))
        sql = f"""SELECT session_id, rowid, role, created_at, {is_summary}, {model}, {fitting("parts")} FROM messages
                  WHERE session_id = ?1 AND rowid > ?2 ORDER BY rowid"""  # noqa: S608
        used: str | None = None
        for row in store.scan(sql, session, -1 << 62):
            if row[1] in order and not row[4]:
                used = label(row[5]) or used
                yield from _message(session, order[row[1]], row, tools)
        if used:
            yield SessionRecord(session, model=used)


def _tables(store: ForeignStore) -> Tables:
    tables = Tables(store, "sessions", "messages")
    tables.need("sessions", "id")
    tables.need("messages", "session_id", "role", "parts", "created_at")
    return tables


def _facts(store: ForeignStore, tables: Tables, session: str, path: Path) -> SessionRecord:
    columns = ", ".join(fitting(tables.column("sessions", name), 1 << 16) for name in ("title", "parent_session_id"))
    for title, parent in store.rows(f"SELECT {columns} FROM sessions WHERE id = ?", session):  # noqa: S608
        own = label(title)
        own = None if own is None or NO_TITLE.fullmatch(own.strip()) else own
        parent_id = name_of(parent) or None
        return SessionRecord(
            session,
            title=own,
            title_rank=TITLE_GENERATED if own else 0,
            project=label(str(path.parents[1])) if path.parent.name == FOLDER else None,
            parent=parent_id,
            kind="subagent" if parent_id else None,
        )
    raise FileNotFoundError(errno.ENOENT, "no such session", session)


def _message(session: str, number: int, row: tuple[Any, ...], tools: bool) -> Iterator[Record]:
    _, rowid, role, created, _, _, cell = row
    place = f"message {rowid}"
    if role not in SPEAKERS:
        if role != "system":
            yield unknown_type(role, place)
        return
    pieces: list[Piece] = []
    try:
        for raw in decode_cell(cell, PARTS):
            for piece in _pieces(decode(raw, PART), place, tools):
                if isinstance(piece, SkipRecord):
                    yield piece
                elif piece[0] == "tool" or role != "tool":
                    pieces.append(piece)
    except ValueError as error:
        yield cell_skip(cell, error, place)
    yield from turns_of(session, SPEAKERS[role], pieces, number, parse_time(created), str(rowid))


def _pieces(part: Part, place: str, tools: bool) -> Iterator[Piece | SkipRecord]:
    if part.type == "text":
        if isinstance(text := field(decode(part.data, ANY), "text"), str):
            yield "text", text
    elif part.type == "tool_call":
        if tools:
            call = decode(part.data, ANY)
            yield "tool", tool_text(field(call, "name"), field(call, "input"))
    elif part.type == "tool_result":
        if tools:
            result = decode(part.data, ANY)
            yield "tool", tool_text(field(result, "name"), field(result, "content"))
    elif not isinstance(part.type, str) or part.type not in SILENT:
        yield unknown_type(part.type, place)
