"""OpenCode's SQLite store: session, message and part of 1.x, session_v2 and session_message of 2.x, or both."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from ..core.model import Place, Record, SessionRecord, SkipRecord, UndoRecord
from .content import field, label
from .foreign_sqlite import ForeignStore, SchemaMismatch, fitting, open_foreign, within
from .foreign_tables import Tables, cell_skip, decode_cell, name_of, newest, row_token
from .json_lines import ANY
from .message_turns import Piece, order_of, turns_of
from .opencode_events import events_of
from .opencode_shapes import MESSAGE, PART, Message, facts, model_name, pieces_of

KNOWN = ("session", "message", "part", "session_v2", "session_message")
END = 1 << 62
"""After every turn."""


def places(path: Path) -> Iterator[Place | SkipRecord]:
    """All sessions of a database, the newest first; what both generations have is read from the second."""
    with open_foreign(path) as store:
        tables = Tables(store, *KNOWN)
        if not _has_first(tables) and not _has_second(tables):
            raise SchemaMismatch("session")
        rows = _list_first(store, tables) if _has_first(tables) else []
        if _has_second(tables):
            rows += [row for row in _list_second(store, tables) if row[1] or not _has_first(tables)]
        found: dict[str, tuple[int, bytes]] = {}
        for row in rows:
            name = name_of(row[0])
            if name is None:
                yield SkipRecord("unexpected-shape", "a session without an id")
            else:
                found[name] = newest(*row[2:6]), row_token(row)
    for name, (changed, token) in sorted(found.items(), key=lambda item: -item[1][0]):
        yield Place(within(path, name), changed=changed, token=token)


def read(path: Path, session: str, tools: bool) -> Iterator[Record]:
    """The records of one session, without a checkpoint. Raises FileNotFoundError where it is no longer there."""
    with open_foreign(path) as store:
        tables = Tables(store, *KNOWN)
        row = _row_of(store, tables, session)
        if row is None:
            raise FileNotFoundError(errno.ENOENT, "no such session", os.fspath(within(path, session)))
        yield from _facts(session, row)
        if row.table == "session_v2":
            yield from events_of(store, session, _taken_back(row), tools)
        else:
            yield from _messages(store, tables, session, row, tools)


def has_messages_of(path: Path, session: str) -> bool:
    """Whether a database holds a session's conversation. Raises OSError and `Unreadable`."""
    with open_foreign(path) as store:
        row = _row_of(store, Tables(store, *KNOWN), session)
        return row is not None and bool(row.is_told)


# ---- Which generation ----


def _has_first(tables: Tables) -> bool:
    return (
        tables.has("session", "id")
        and tables.has("message", "id", "session_id", "data")
        and tables.has("part", "id", "message_id", "data")
    )


def _has_second(tables: Tables) -> bool:
    return tables.has("session_v2", "id") and tables.has("session_message", "id", "session_id", "type", "seq", "data")


class _Row(NamedTuple):
    """A session as one of the two generations has it."""

    table: str
    is_told: int
    """Whether it has messages."""
    lacks_times: int
    """Whether one of them has no time."""
    title: object
    directory: object
    parent_id: object
    fork_session_id: object
    model: object
    revert: object


def _row_of(store: ForeignStore, tables: Tables, session: str) -> _Row | None:
    """Where a session is to be read: the second generation wins, but a twin without messages never does."""
    queries: list[str] = []
    for table, messages, is_there in (
        ("session_v2", "session_message", _has_second(tables)),
        ("session", "message", _has_first(tables)),
    ):
        if is_there:
            own = f"SELECT 1 FROM {messages} WHERE session_id = ?1"  # noqa: S608
            untimed = f"EXISTS ({own} AND {tables.column(messages, 'time_created')} IS NULL)"
            columns = ", ".join(fitting(tables.column(table, name)) for name in _Row._fields[3:])
            queries.append(f"SELECT '{table}', EXISTS ({own}), {untimed}, {columns} FROM {table} WHERE id = ?1")  # noqa: S608
    if not queries:
        raise SchemaMismatch("session")
    rows = [_Row(*row) for row in store.rows(" UNION ALL ".join(queries), session)]
    return next((row for row in rows if row.is_told), rows[0] if rows else None)


# ---- Listing: what changes when a session does, from indexes and the newest message alone ----


def _list_first(store: ForeignStore, tables: Tables) -> list[tuple[Any, ...]]:
    s, last, p = (
        {name: tables.column(table, name, alias) for name in ("time_updated", "time_created", "revert", "title")}
        for table, alias in (("session", "s"), ("message", "l"), ("part", "p"))
    )
    clock = tables.column("message", "time_created") if tables.has("message", "time_created") else "id"
    parts = "(SELECT NULL AS session_id, NULL AS n)"
    if tables.has("part", "session_id"):
        parts = "(SELECT session_id, count(*) AS n FROM part GROUP BY session_id)"
    return store.rows(
        f"""SELECT s.id, m.n, {s["time_updated"]}, {last["time_created"]}, {last["time_updated"]},
                   max({p["time_updated"]}), sum(octet_length(p.data)), count(p.id), k.n,
                   octet_length({s["revert"]}), substr({s["revert"]}, 1, 300), substr({s["title"]}, 1, 300)
            FROM session AS s
            LEFT JOIN (SELECT session_id, count(*) AS n, max({clock}), id FROM message GROUP BY session_id) AS m
              ON m.session_id = s.id
            LEFT JOIN message AS l ON l.id = m.id
            LEFT JOIN part AS p ON p.message_id = m.id
            LEFT JOIN {parts} AS k ON k.session_id = s.id
            GROUP BY s.id"""  # noqa: S608, made of names that the database has
    )


def _list_second(store: ForeignStore, tables: Tables) -> list[tuple[Any, ...]]:
    s = {name: tables.column("session_v2", name, "s") for name in ("time_updated", "revert", "title")}
    created, updated = (tables.column("session_message", name, "l") for name in ("time_created", "time_updated"))
    return store.rows(
        f"""SELECT s.id, m.n, {s["time_updated"]}, {created}, {updated}, m.last, octet_length(l.data),
                   octet_length({s["revert"]}), substr({s["revert"]}, 1, 300), substr({s["title"]}, 1, 300)
            FROM session_v2 AS s
            LEFT JOIN (SELECT session_id, count(*) AS n, max(seq) AS last FROM session_message GROUP BY session_id) AS m
              ON m.session_id = s.id
            LEFT JOIN session_message AS l ON l.session_id = s.id AND l.seq = m.last
            GROUP BY s.id"""  # noqa: S608, made of names that the database has
    )


# ---- Reading ----


def _facts(session: str, row: _Row) -> Iterator[Record]:
    parent = name_of(row.parent_id or row.fork_session_id)
    yield facts(session, row.title, row.directory, parent, fork=not row.parent_id)
    model = row.model
    if isinstance(model, str) and model.startswith("{"):
        try:
            model = model_name(decode_cell(model, ANY))
        except ValueError:
            model = None
    if name := label(model):
        yield SessionRecord(session, model=name)


def _taken_back(row: _Row) -> tuple[object, object]:
    """The message and the part from which on everything was taken back."""
    try:
        told = decode_cell(row.revert, ANY)
    except ValueError:
        return None, None
    return field(told, "messageID"), field(told, "partID")


def _messages(store: ForeignStore, tables: Tables, session: str, row: _Row, tools: bool) -> Iterator[Record]:
    """Ordered by time, or where a message has none by id, which ascends as well."""
    clock = "id" if row.lacks_times else "time_created"
    from_message, from_part = _taken_back(row)
    undone: int | None = None
    known: dict[object, tuple[int, int | None, Message]] = {}
    sql = f"""SELECT session_id, {clock}, id, {fitting("data")}, {tables.column("message", "time_created")} FROM message
              WHERE session_id = ?1 AND {clock} >= ?2 AND ({clock}, id) > (?2, ?3) ORDER BY {clock}, id"""  # noqa: S608
    model: str | None = None
    for place, (_, _, message_id, data, created) in enumerate(store.scan(sql, session, -1, "")):
        if message_id == from_message:
            undone = order_of(place)
        try:
            message = decode_cell(data, MESSAGE)
        except ValueError as error:
            yield cell_skip(data, error, f"message {message_id}")
            continue
        known[message_id] = place, message.created or newest(created) or None, message
        if message.role == "assistant":
            model = message.model_name or model
    if model:
        yield SessionRecord(session, model=model)
    sql = f"""SELECT m.session_id, m.{clock}, m.id, p.id, {fitting("p.data")}
              FROM message AS m CROSS JOIN part AS p ON p.message_id = m.id
              WHERE m.session_id = ?1 AND m.{clock} >= ?2 AND (m.{clock}, m.id, p.id) > (?2, ?3, ?4)
              ORDER BY m.{clock}, m.id, p.id"""  # noqa: S608, made of names that the database has
    for message_id, rows in groupby(store.scan(sql, session, -1, "", ""), key=lambda row: row[2]):
        if message_id not in known:
            continue
        place, time, message = known[message_id]
        kept: list[Piece] = []
        taken_back: list[Piece] = []
        pieces = kept
        for part_id, piece in _pieces(rows, tools):
            if message_id == from_message and part_id == from_part:
                undone, pieces = order_of(place, len(kept)), taken_back
            if isinstance(piece, SkipRecord):
                yield piece
            elif piece is not None:
                pieces.append(piece)
        if message.is_said or tools:
            role = "assistant" if message.role == "assistant" else "user"
            own = str(message_id)
            for number, part in ((0, kept), (len(kept), taken_back)):
                said = part if message.is_said else [piece for piece in part if piece[0] == "tool"]
                yield from turns_of(session, role, said, place, time, own, first=number)
    if undone is not None:
        yield UndoRecord(session, undone, END)


def _pieces(rows: Iterator[Any], tools: bool) -> Iterator[tuple[object, Piece | SkipRecord | None]]:
    """The pieces of a message, each with the id of its part; None for a part that says nothing."""
    for *_, part_id, data in rows:
        place = f"part {part_id}"
        yield part_id, None
        try:
            for piece in pieces_of(decode_cell(data, PART), place, tools):
                yield part_id, piece
        except ValueError as error:
            yield part_id, cell_skip(data, error, place)
