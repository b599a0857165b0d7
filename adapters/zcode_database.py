"""ZCode's database: sessions, their messages, and the parts of these with the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from ..core.model import (
    TITLE_GENERATED,
    Checkpoint,
    CutRecord,
    Kind,
    Place,
    Record,
    SessionRecord,
    SkipRecord,
    Unreadable,
)
from .base import LATEST, parse_epoch
from .content import field as value_at
from .content import label, tool_text
from .foreign_sqlite import ForeignStore, change_token, fitting, open_foreign, within
from .foreign_tables import Tables, cell_skip, decode_cell, name_of, row_token
from .message_turns import Piece, turns_of
from .unknown_types import UnknownTypes
from .zcode_text import answer, prompt

DATABASE = "db.sqlite"
TABLES = ("session", "message", "part", "model_usage")
NEWEST = 4
"""So many sessions, the last to be touched, are read again at any change: parts may be written unannounced."""
MOST_TEXT = 64 << 20
"""Characters of one session that are held while its messages are put in order."""
TOOL_TYPES = frozenset({"tool", "tool_use", "tool_result"})
SILENT = TOOL_TYPES | frozenset(
    "thinking reasoning step-start step-finish snapshot patch file image agent subtask retry compaction summary".split()
)


class _Message(msgspec.Struct):
    role: object = None
    model: object = None
    modelID: object = None  # noqa: N815, the store's own name
    time: object = None


class _Part(msgspec.Struct):
    text: object = None
    synthetic: object = None
    ignored: object = None
    name: object = None
    tool: object = None
    input: object = None
    state: object = None
    content: object = None
    output: object = None


MESSAGE, PART = msgspec.json.Decoder(_Message), msgspec.json.Decoder(_Part)


@dataclass(slots=True)
class _Held:
    """A message whose parts are still coming."""

    row: int
    role: object
    time: int | None
    pieces: list[tuple[int, int, Piece]] = field(default_factory=list[tuple[int, int, Piece]])
    """(time, row, piece)"""


# ---- Which sessions there are ----


def session_places(path: Path) -> Iterator[Place | SkipRecord]:
    """Every session of the database, the newest first. Raises OSError and `Unreadable`."""
    whole = change_token(path)
    with open_foreign(path) as store:
        tables = Tables(store, *TABLES)
        tables.need("session", "id")
        columns = (tables.column("session", name) for name in ("time_updated", "time_created", "parent_id"))
        texts = (fitting(tables.column("session", name), 4096) for name in ("id", "title", "directory"))
        rows = store.rows(f"SELECT {', '.join([*texts, *columns])} FROM session")  # noqa: S608
    rows.sort(key=lambda row: parse_epoch(row[3]) or parse_epoch(row[4]) or 0, reverse=True)
    for number, row in enumerate(rows):
        if (name := name_of(row[0])) is None:
            yield SkipRecord("unexpected-shape", f"session {number}")
        else:
            changed = parse_epoch(row[3]) or parse_epoch(row[4]) or 0
            token = row_token((row, whole if number < NEWEST else b""))
            yield Place(within(path, name), changed=changed, token=token)


def holds(path: Path, session: str) -> bool:
    """Whether the database at `path` has messages of a session; False where it can't be read."""
    try:
        with open_foreign(path) as store:
            said = "EXISTS (SELECT 1 FROM message WHERE session_id = ?1)"
            return bool(store.rows(f"SELECT 1 FROM session WHERE id = ?1 AND {said}", session))  # noqa: S608
    except (OSError, Unreadable):
        return False


# ---- What one says ----


def session_records(path: Path, session: str, *, tools: bool) -> Iterator[Record]:
    """The records of one session. Raises OSError and `Unreadable`."""
    unknown = UnknownTypes()
    with open_foreign(path) as store:
        tables = Tables(store, *TABLES)
        tables.need("session", "id")
        tables.need("message", "id", "session_id", "data")
        tables.need("part", "message_id", "session_id", "data")
        model = _last_model(store, tables, session)
        held: dict[object, _Held] = {}
        for found in _messages(store, tables, session, held):
            if isinstance(found, str):
                model = found
            else:
                yield found
        yield from _facts(store, tables, session, model)
        yield from _parts(store, tables, session, held, unknown, tools=tools)
    if held:  # the request logs hold the same session, perhaps only in part
        yield CutRecord(session, since=0, time=LATEST)
    for place, message in enumerate(sorted(held.values(), key=lambda each: (each.time or 0, each.row))):
        pieces = [piece for _, _, piece in sorted(message.pieces, key=lambda each: each[:2])]
        role = "assistant" if message.role == "assistant" else "user"
        quality = "exact" if message.time else "none"
        yield from turns_of(session, role, pieces, place, message.time, quality=quality)
    yield from unknown.told()
    yield Checkpoint(0)


def _facts(store: ForeignStore, tables: Tables, session: str, model: str | None) -> Iterator[Record]:
    columns = (fitting(tables.column("session", name), 64 << 10) for name in ("title", "directory", "parent_id"))
    for title, directory, parent in store.rows(f"SELECT {', '.join(columns)} FROM session WHERE id = ?1", session):  # noqa: S608
        above = name_of(parent)
        serves = session.startswith("sess_subagent_") or above is not None
        yield SessionRecord(
            session, title=label(title), title_rank=TITLE_GENERATED if label(title) else 0, project=label(directory),
            model=model, parent=above, kind="subagent" if serves else kind_of(session),
        )  # fmt: skip


def kind_of(session: str) -> Kind | None:
    """What a session's id tells of its kind: sub-agents and workflows have ids of their own."""
    if session.startswith("sess_subagent_"):
        return "subagent"
    return "automated" if session.startswith("sess_dwf") else None


def _last_model(store: ForeignStore, tables: Tables, session: str) -> str | None:
    if not tables.has("model_usage", "session_id", "model_id"):
        return None
    latest = tables.column("model_usage", "started_at")
    sql = f"SELECT {fitting('model_id', 4096)} FROM model_usage WHERE session_id = ?1 ORDER BY {latest} DESC LIMIT 1"  # noqa: S608
    rows = store.rows(sql, session)
    return label(rows[0][0]) if rows else None


def _messages(
    store: ForeignStore, tables: Tables, session: str, held: dict[object, _Held]
) -> Iterator[SkipRecord | str]:
    """Puts the session's messages into `held`; gives their models, and what of them is no message."""
    created = tables.column("message", "time_created")
    sql = f"""SELECT ?1, rowid, id, {created}, {fitting("data", 1 << 20)} FROM message
              WHERE session_id = ?1 AND rowid > ?2 ORDER BY rowid"""  # noqa: S608
    last: int | None = None
    for _, row, name, time, data in store.scan(sql, session, -(1 << 63)):
        try:
            message = decode_cell(data, MESSAGE)
        except ValueError as error:
            yield cell_skip(data, error, f"message {row}")
            continue
        last = parse_epoch(time) or parse_epoch(value_at(message.time, "created")) or last
        if message.role in ("user", "assistant"):
            held[name] = _Held(row, message.role, last)
        model = value_at(message.model, "modelID") or message.model or message.modelID
        if message.role == "assistant" and (text := label(model)):
            yield text


def _parts(
    store: ForeignStore, tables: Tables, session: str, held: dict[object, _Held], unknown: UnknownTypes, *, tools: bool
) -> Iterator[SkipRecord]:
    """Puts the parts with text into their messages. Their ids say nothing of their order."""
    data = fitting("data")
    kind = f"CASE WHEN json_valid({data}) THEN json_extract({data}, '$.type') END"
    wanted = ", ".join(f"'{each}'" for each in ("text", *(sorted(TOOL_TYPES) if tools else ())))
    sql = f"""SELECT ?1, rowid, message_id, {tables.column("part", "time_created")}, {kind}, octet_length(data),
                CASE WHEN {kind} IN ({wanted}) THEN {data} END
              FROM part WHERE session_id = ?1 AND rowid > ?2 ORDER BY rowid"""  # noqa: S608
    size = 0
    for _, row, name, time, found, length, cell in store.scan(sql, session, -(1 << 63)):
        message = held.get(name)
        if cell is None or message is None:
            if found is None and length:
                yield SkipRecord("not-json" if length < 1 << 20 else "too-large", f"part {row}")
            elif found is not None and found not in SILENT and found != "text":
                unknown.count(found, f"part {row}")
            continue
        try:
            part = decode_cell(cell, PART)
        except ValueError as error:
            yield cell_skip(cell, error, f"part {row}")
            continue
        piece = _piece(message, part) if found == "text" else ("tool", _tool(part))
        if piece is None or not piece[1]:
            continue
        size += len(piece[1])
        if size > MOST_TEXT:
            yield SkipRecord("too-large", f"part {row}")
        else:
            message.pieces.append((parse_epoch(time) or message.time or 0, row, piece))


def _piece(message: _Held, part: _Part) -> Piece | None:
    if message.role == "assistant":
        return "text", answer(part.text)
    return None if part.synthetic is True or part.ignored is True else ("text", prompt(part.text))


def _tool(part: _Part) -> str:
    given = part.input if part.input is not None else value_at(part.state, "input")
    backs = (part.content, part.output, value_at(part.state, "output"))
    back = next((each for each in backs if each is not None), None)
    payload = given if back is None else back if given is None else {"input": given, "output": back}
    return tool_text(part.name if isinstance(part.name, str) else part.tool, payload)
