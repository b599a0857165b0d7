"""The conversation in OpenCode 2.x's `session_message`: one row an event, in the order of `seq`."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ..core.model import Record, Role, SessionRecord, SkipRecord, UndoRecord
from .base import parse_time
from .content import field, tool_text
from .foreign_sqlite import ForeignStore, fitting
from .foreign_tables import cell_skip, decode_cell
from .json_lines import NULL, decode
from .message_turns import Piece, order_of, turns_of
from .opencode_shapes import PART, PARTS, model_name, pieces_of
from .unknown_types import unknown_type

SILENT = frozenset(
    "system synthetic compaction model-switched agent-switched location-switched skill snapshot revert".split()
)
"""Events that are no conversation."""
END = 1 << 62


class Event(msgspec.Struct):
    """What a row says; `content` is an assistant's text, reasoning and tool calls."""

    time: object = None
    text: object = None
    content: msgspec.Raw = NULL
    model: object = None
    command: object = None
    output: object = None


EVENT = msgspec.json.Decoder(Event)


def events_of(store: ForeignStore, session: str, revert: tuple[object, object], tools: bool) -> Iterator[Record]:
    """The turns of a session; those from the event `revert` names are taken back."""
    sql = f"""SELECT session_id, seq, id, type, {fitting("data")} FROM session_message
              WHERE session_id = ?1 AND seq > ?2 ORDER BY seq"""  # noqa: S608, no value in it
    model: str | None = None
    undone: int | None = None
    for place, (_, seq, event_id, kind, data) in enumerate(store.scan(sql, session, -1 << 62)):
        where = f"event {seq}"
        if event_id == revert[0]:
            undone = order_of(place)
        if kind in SILENT:
            continue
        if kind not in ("user", "assistant", "shell"):
            yield unknown_type(kind, where)
            continue
        try:
            event = decode_cell(data, EVENT)
        except ValueError as error:
            yield cell_skip(data, error, where)
            continue
        model = model_name(event.model) or model
        pieces: list[Piece] = []
        for piece in _pieces(event, kind, where, tools):
            if isinstance(piece, SkipRecord):
                yield piece
            else:
                pieces.append(piece)
        role: Role = "user" if kind == "user" else "assistant"
        yield from turns_of(session, role, pieces, place, parse_time(field(event.time, "created")), str(event_id))
    if model:
        yield SessionRecord(session, model=model)
    if undone is not None:
        yield UndoRecord(session, undone, END)


def _pieces(event: Event, kind: str, where: str, tools: bool) -> Iterator[Piece | SkipRecord]:
    if kind == "shell":
        if tools:
            yield "tool", tool_text("shell", event.command)
            yield "tool", tool_text("shell", event.output)
        return
    if isinstance(event.text, str):
        yield "text", event.text
    try:
        for item in decode(event.content, PARTS) or ():
            yield from pieces_of(decode(item, PART), where, tools)
    except ValueError:
        yield SkipRecord("unexpected-shape", where)
