"""Goose's `sessions.db` since 1.10, whose columns grew from version to version of its schema."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..core.model import TITLE_GENERATED, TITLE_GIVEN, Kind, Place, Record, Role, SessionRecord, SkipRecord
from .base import parse_time
from .content import field, label
from .foreign_sqlite import ForeignStore, fitting, open_foreign, within
from .foreign_tables import Tables, decode_cell, name_of, newest, row_token
from .goose_shapes import is_hidden, pieces_of
from .json_lines import ANY
from .message_turns import Piece, turns_of
from .unknown_types import unknown_type

KINDS: Mapping[object, Kind] = {"scheduled": "automated", "hidden": "automated", "sub_agent": "subagent"}
ZONE = re.compile(r"(?:Z|[+-]\d\d:?\d\d)$")
NO_TITLE = re.compile(r"(?:cli session|acp session|new (?:session|chat)(?: \d+)?)", re.IGNORECASE)


def places(path: Path) -> Iterator[Place | SkipRecord]:
    """All sessions of a database, the newest first; a compaction puts new rows in place of all of a session's."""
    with open_foreign(path) as store:
        tables = _tables(store)
        wanted = ("updated_at", "name", "description", "session_type", "working_dir")
        own = ", ".join(tables.column("sessions", name, "s") for name in wanted)
        rows = store.rows(
            f"""SELECT s.id, m.n, m.last, (SELECT created_timestamp FROM messages WHERE id = m.last),
                       (SELECT octet_length(content_json) FROM messages WHERE id = m.last),
                       (SELECT octet_length({tables.column("messages", "metadata_json")}) FROM messages
                        WHERE id = m.last), {own}
                FROM sessions AS s
                LEFT JOIN (SELECT session_id, count(*) AS n, max(id) AS last FROM messages GROUP BY session_id) AS m
                  ON m.session_id = s.id
                GROUP BY s.id"""  # noqa: S608, made of names that the database has
        )
    found: list[tuple[int, str, bytes]] = []
    for row in rows:
        name = name_of(row[0])
        if name is None:
            yield SkipRecord("unexpected-shape", "a session without an id")
        else:
            found.append((newest(row[3], in_utc(row[6])), name, row_token(row)))
    for changed, name, token in sorted(found, reverse=True):
        yield Place(within(path, name), changed=changed, token=token)


def read(path: Path, session: str, tools: bool) -> Iterator[Record]:
    """The records of one session, without a checkpoint. Raises FileNotFoundError where it is no longer there."""
    with open_foreign(path) as store:
        tables = _tables(store)
        yield _facts(store, tables, session)
        numbered = "SELECT id FROM messages WHERE session_id = ? ORDER BY created_timestamp, id"
        order = {row[0]: number for number, row in enumerate(store.rows(numbered, session))}
        metadata = fitting(tables.column("messages", "metadata_json"))
        sql = f"""SELECT session_id, id, role, created_timestamp, {fitting("content_json")}, {metadata} FROM messages
                  WHERE session_id = ?1 AND id > ?2 ORDER BY id"""  # noqa: S608
        for row in store.scan(sql, session, -1):
            if row[1] in order:
                yield from _message(session, order[row[1]], row[1:], tools)


def has_session(path: Path, session: str) -> bool:
    """Whether a database has a session. Raises OSError and `Unreadable`."""
    with open_foreign(path) as store:
        _tables(store)
        return bool(store.rows("SELECT 1 FROM sessions WHERE id = ?", session))


def _tables(store: ForeignStore) -> Tables:
    tables = Tables(store, "sessions", "messages")
    tables.need("sessions", "id")
    tables.need("messages", "id", "session_id", "role", "content_json", "created_timestamp")
    return tables


def _facts(store: ForeignStore, tables: Tables, session: str) -> SessionRecord:
    wanted = (
        "name", "description", "user_set_name", "session_type", "working_dir", "parent_session_id",
        "model_config_json", "schedule_id",
    )  # fmt: skip
    columns = ", ".join(fitting(tables.column("sessions", name), 1 << 16) for name in wanted)
    for row in store.rows(f"SELECT {columns} FROM sessions WHERE id = ?", session):  # noqa: S608
        name, description, is_given, kind, folder, parent, model, schedule = row
        title = title_of(name) or title_of(description)
        return SessionRecord(
            session,
            title=title,
            title_rank=TITLE_GIVEN if title and is_given in (1, "true") else TITLE_GENERATED if title else 0,
            project=label(folder),
            model=_model(model),
            parent=name_of(parent),
            kind=KINDS.get(kind) or ("automated" if label(schedule) else None),
        )
    raise FileNotFoundError(errno.ENOENT, "no such session", session)


def _message(session: str, number: int, row: tuple[Any, ...], tools: bool) -> Iterator[Record]:
    rowid, role, created, content, metadata = row
    place = f"message {rowid}"
    try:
        if metadata is not None and is_hidden(decode_cell(metadata, ANY)):
            return
    except ValueError:
        yield SkipRecord("unexpected-shape", place)
    if not isinstance(content, str | bytes):
        yield SkipRecord("too-large" if content is None else "unexpected-shape", place)
        return
    pieces: list[Piece] = []
    for piece in pieces_of(content.encode() if isinstance(content, str) else content, place, tools):
        if isinstance(piece, SkipRecord):
            yield piece
        else:
            pieces.append(piece)
    speaker: Role = "assistant" if role == "assistant" else "user"
    if role in ("user", "assistant"):
        yield from turns_of(session, speaker, pieces, number, parse_time(created), str(rowid))
    else:
        yield unknown_type(role, place)


def title_of(name: object) -> str | None:
    """A session's name, unless it is what Goose calls all of them."""
    own = label(name)
    return None if own is None or NO_TITLE.fullmatch(own.strip()) else own


def in_utc(text: object) -> object:
    """A time of the database, whose texts are UTC without saying so."""
    return f"{text.strip()}Z" if isinstance(text, str) and not ZONE.search(text.strip()) else text


def _model(config: object) -> str | None:
    try:
        return label(field(decode_cell(config, ANY), "model_name"))
    except ValueError:
        return None
