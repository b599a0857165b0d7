"""OpenCode's SQLite store: session, message and part of 1.x, session_v2 and session_message of 2.x, or both."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from ..core.model import Place, Record, SessionRecord, SkipRecord, UndoRecord
from .content import field, label
from .foreign_sqlite import ForeignStore, SchemaMismatch, fitting, open_foreign, within
from .foreign_tables import Tables, cell_skip, decode_cell, name_of, newest, row_token
from .message_turns import Piece, order_of, turns_of
from .opencode_events import events_of
from .opencode_shapes import ANY, MESSAGE, PART, Message, facts, model_name, pieces_of

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
        for table in _tables_of(store, tables, session):
            if table == "session_v2":
                yield from _facts(store, tables, table, session)
                yield from events_of(store, session, _revert(store, tables, table, session), tools)
            else:
                yield from _facts(store, tables, table, session)
                yield from _messages(store, tables, session, tools)
            return
    raise FileNotFoundError(errno.ENOENT, "no such session", os.fspath(within(path, session)))


def has_messages_of(path: Path, session: str) -> bool:
    """Whether a database holds a session's conversation. Raises OSError and `Unreadable`."""
    with open_foreign(path) as store:
        return bool(_tables_of(store, Tables(store, *KNOWN), session, only_with_messages=True))


# ---- Which generation ----


def _has_first(tables: Tables) -> bool:
    return (
        tables.has("session", "id")
        and tables.has("message", "id", "session_id", "data")
        and tables.has("part", "id", "message_id", "data")
    )


def _has_second(tables: Tables) -> bool:
    return tables.has("session_v2", "id") and tables.has("session_message", "id", "session_id", "type", "seq", "data")


def _tables_of(store: ForeignStore, tables: Tables, session: str, *, only_with_messages: bool = False) -> list[str]:
    """The tables in which a session is, the one to read it from first: a twin without messages comes last."""
    queries = [
        f"SELECT {rank}, '{table}', EXISTS (SELECT 1 FROM {messages} WHERE session_id = ?1) AS n"  # noqa: S608
        f" FROM {table} WHERE id = ?1"
        for rank, table, messages, there in (
            (0, "session_v2", "session_message", _has_second(tables)),
            (1, "session", "message", _has_first(tables)),
        )
        if there
    ]
    if not queries:
        raise SchemaMismatch("session")
    rows = store.rows(" UNION ALL ".join(queries) + " ORDER BY 3 DESC, 1", session)
    return [row[1] for row in rows if row[2] or not only_with_messages]


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


def _facts(store: ForeignStore, tables: Tables, table: str, session: str) -> Iterator[Record]:
    wanted = ("title", "directory", "parent_id", "fork_session_id", "model")
    columns = ", ".join(fitting(tables.column(table, name), 1 << 16) for name in wanted)
    for title, directory, parent, fork, model in store.rows(f"SELECT {columns} FROM {table} WHERE id = ?", session):  # noqa: S608
        yield facts(session, title, directory, name_of(parent or fork), fork=not parent)
        if isinstance(model, str) and model.startswith("{"):
            try:
                model = model_name(decode_cell(model, ANY))
            except ValueError:
                model = None
        if name := label(model):
            yield SessionRecord(session, model=name)


def _revert(store: ForeignStore, tables: Tables, table: str, session: str) -> tuple[object, object]:
    """The message and the part from which on everything was taken back."""
    column = fitting(tables.column(table, "revert"))
    for (revert,) in store.rows(f"SELECT {column} FROM {table} WHERE id = ?", session):  # noqa: S608
        try:
            told = decode_cell(revert, ANY)
        except ValueError:
            return None, None
        return field(told, "messageID"), field(told, "partID")
    return None, None


def _messages(store: ForeignStore, tables: Tables, session: str, tools: bool) -> Iterator[Record]:
    clock = _clock(store, tables, session)
    from_message, from_part = _revert(store, tables, "session", session)
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


def _clock(store: ForeignStore, tables: Tables, session: str) -> str:
    """The column that orders messages: ids, which ascend as well, where one has no time."""
    if not tables.has("message", "time_created"):
        return "id"
    missing = "SELECT 1 FROM message WHERE session_id = ? AND time_created IS NULL LIMIT 1"
    return "id" if store.rows(missing, session) else "time_created"
