"""One chat of Gemini CLI as its operations leave it: messages replaced, taken back, and set anew as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from ..core.model import TITLE_SUMMARY, Record, Role, SessionRecord, SkipRecord, TurnRecord, UndoRecord
from .base import parse_time
from .content import identifier, label, tool_text
from .genai_parts import said, tools
from .json_lines import decode
from .tags import stripped
from .turn_ids import turn_id
from .unknown_types import UnknownTypes

NO_RAW = msgspec.Raw()
INJECTED = ("session_context", "hook_context")
ROLES: dict[object, Role] = {"user": "user", "gemini": "assistant", "model": "assistant"}
NOTICES = ("info", "warning", "error")


class Line(msgspec.Struct):
    """A document, the head of a log, a message or an operation: whatever one JSON object may be."""

    session_id: object = msgspec.field(default=None, name="sessionId")
    kind: object = None
    start_time: object = msgspec.field(default=None, name="startTime")
    summary: object = None
    messages: msgspec.Raw = NO_RAW
    history: msgspec.Raw = NO_RAW
    id: object = None
    type: object = None
    role: object = None
    timestamp: object = None
    ts: object = None
    content: object = None
    display_content: object = msgspec.field(default=None, name="displayContent")
    parts: object = None
    model: object = None
    tool_calls: msgspec.Raw = msgspec.field(default=NO_RAW, name="toolCalls")
    change: msgspec.Raw = msgspec.field(default=NO_RAW, name="$set")
    rewind_to: object = msgspec.field(default=None, name="$rewindTo")


class _ToolCall(msgspec.Struct):
    name: object = None
    args: object = None
    result: object = None


LINES = msgspec.json.Decoder(Line)
_LISTS = msgspec.json.Decoder(list[msgspec.Raw])
_TOOL_CALLS = msgspec.json.Decoder(_ToolCall)


@dataclass(slots=True)
class _Message:
    place: int
    id: object
    role: Role | None
    text: str
    time: int | None
    tools: list[str]


class Chat:
    """Takes a document, or the lines of a log, and gives the records of what they come to."""

    def __init__(self, name: str, parent: str | None, *, with_tools: bool) -> None:
        """`name` is the session's id where the file says none, `parent` the session that a sub-agent served."""
        self._name, self._parent, self._with_tools = name, parent, with_tools
        self._live: dict[object, _Message] = {}
        self._gone: dict[object, _Message] = {}
        self._places = 0
        self._session: str | None = None
        self._is_subagent = parent is not None
        self._start: int | None = None
        self._summary: str | None = None
        self._model: str | None = None
        self._unknown = UnknownTypes()
        self._skips: list[SkipRecord] = []

    def take(self, place: str, line: Line) -> None:
        """One line, or the whole document; `place` says where it stands."""
        if line.rewind_to is not None:
            self._rewind(line.rewind_to)
        elif line.change != NO_RAW:
            self._change(place, line.change)
        elif line.type is not None or line.role is not None:
            self._put(place, line)
        elif line.session_id is not None or line.messages != NO_RAW or line.history != NO_RAW:
            self._head(place, line)
        else:
            self._unknown.count(None, place)

    def records(self, project: str | None) -> Iterator[Record]:
        """Everything, once all was taken."""
        session = self._session or self._name
        kind = "subagent" if self._is_subagent else "main"
        yield SessionRecord(
            session, title=self._summary, title_rank=TITLE_SUMMARY if self._summary else 0,
            project=project, model=self._model, parent=self._parent, kind=kind,
        )  # fmt: skip
        gone = {message.place for message in self._gone.values()}
        order = 0
        for message in sorted([*self._gone.values(), *self._live.values()], key=lambda message: message.place):
            first, native_id = order, turn_id(session, message.id)
            turns: list[tuple[Role, str]] = [("tool", text) for text in message.tools]
            if message.role and message.text:
                turns.insert(0, (message.role, message.text))
            for role, text in turns:
                name = f"{native_id}:{order - first}" if native_id and order > first else native_id
                time = message.time or self._start
                quality = "exact" if message.time else "file" if time else "none"
                yield TurnRecord(session, role, text, time, order, name, quality=quality)
                order += 1
            if message.place in gone and order > first:
                yield UndoRecord(session, first, order)
        yield from self._skips
        yield from self._unknown.told()

    # ---- operations ----

    def _head(self, place: str, line: Line) -> None:
        session = identifier(line.session_id)
        if self._session is None and session != self._parent:
            self._session = session
        self._is_subagent = self._is_subagent or line.kind == "subagent"
        self._start = self._start or parse_time(line.start_time)
        self._summary = label(line.summary) or self._summary
        for number, message in enumerate(self._list(line.messages, place) or self._list(line.history, place)):
            self._decode(message, f"message {number} of {place}")

    def _change(self, place: str, change: msgspec.Raw) -> None:
        try:
            line = decode(change, LINES)
        except ValueError:
            self._skips.append(SkipRecord("unexpected-shape", place))
            return
        self._summary = label(line.summary) or self._summary
        if line.messages != NO_RAW:
            before, self._live = self._live, {}
            for number, message in enumerate(self._list(line.messages, place)):
                self._decode(message, f"message {number} of {place}")
            self._gone |= {key: message for key, message in before.items() if key not in self._live}

    def _decode(self, message: msgspec.Raw, place: str) -> None:
        try:
            self._put(place, decode(message, LINES))
        except ValueError:
            self._skips.append(SkipRecord("unexpected-shape", place))

    def _rewind(self, target: object) -> None:
        keys = list(self._live)
        taken = keys[keys.index(target) :] if isinstance(target, str) and target in self._live else keys
        self._gone |= {key: self._live.pop(key) for key in taken}

    def _put(self, place: str, line: Line) -> None:
        kind = line.type if line.type is not None else line.role
        role = ROLES.get(kind) if isinstance(kind, str) else None
        if role is None and kind not in NOTICES:
            self._unknown.count(kind, place)
        self._places += 1
        key = line.id if isinstance(line.id, str) else self._places
        known = self._live.get(key)
        content = line.content if line.content is not None else line.parts
        text = "\n\n".join(said(content))
        if role == "user":
            text = self._prompt(place, line.display_content, content)
        elif role == "assistant":
            self._model = label(line.model) or self._model
        time = parse_time(line.timestamp if line.timestamp is not None else line.ts)
        called = self._tools(line.tool_calls, place) if self._with_tools and role == "assistant" else []
        self._live[key] = _Message(known.place if known else self._places, line.id, role, text, time, called)
        self._gone.pop(key, None)

    def _prompt(self, place: str, shown: object, content: object) -> str:
        pieces = (stripped(piece, *INJECTED) for piece in said(shown) or said(content))
        text = "\n\n".join(piece for piece in pieces if piece)
        if text.startswith(("/", "?")):  # for the interface, not for the model
            self._skips.append(SkipRecord("command", place))
            return ""
        return text

    # ---- parts ----

    def _list(self, raw: msgspec.Raw, place: str) -> list[msgspec.Raw]:
        if raw == NO_RAW:
            return []
        try:
            return decode(raw, _LISTS)
        except ValueError:
            self._skips.append(SkipRecord("unexpected-shape", place))
            return []

    def _tools(self, raw: msgspec.Raw, place: str) -> list[str]:
        found: list[str] = []
        for item in self._list(raw, place):
            try:
                call = decode(item, _TOOL_CALLS)
            except ValueError:
                continue
            found.append(tool_text(call.name, call.args))
            found += (tool_text(name, payload) for name, payload in tools(call.result))
        return [text for text in found if text]
