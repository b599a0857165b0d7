"""The lines of a Droid session as records: the session store's dialect, and that of its stream of JSON."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ..core.model import TITLE_GENERATED, Kind, Record, Role, SessionRecord, SkipRecord, TurnRecord
from .base import parse_time
from .content import as_list, field, identifier, label, text_of, texts, tool_text
from .json_lines import ANY, NULL, decode
from .line_pass import Taker, restored
from .tags import stripped
from .turn_ids import digest

SILENT = frozenset({"todo_state", "session_end", "error"})
TASK = "# Task Tool Invocation"
"""How the title of a sub-agent's session begins."""


class Line(msgspec.Struct, rename="camel", gc=False):
    """What counts of a line in either dialect; any value may have any type."""

    type: object = None
    id: object = None
    timestamp: object = None
    message: msgspec.Raw = NULL
    # The session store's first line.
    title: object = None
    session_title: object = None
    cwd: object = None
    # The stream of JSON.
    session_id: object = None
    session_id_snake: object = msgspec.field(default=None, name="session_id")
    model: object = None
    role: object = None
    text: object = None
    final_text: object = None
    tool_name: object = None
    parameters: msgspec.Raw = NULL
    value: msgspec.Raw = NULL


class Message(msgspec.Struct, gc=False):
    role: object = None
    content: msgspec.Raw = NULL


class State(msgspec.Struct, array_like=True):
    session: str | None = None
    time: int | None = None
    answer: int | None = None
    """Hash of the last answer, which the end of a stream repeats."""


LINE = msgspec.json.Decoder(Line)
_MESSAGE = msgspec.json.Decoder(Message)


class Lines(Taker[Line]):
    """Takes the lines of a session one by one."""

    def __init__(self, name: str, is_id: bool, state: bytes, tools: bool) -> None:
        """`name` of the file: the session's id if `is_id`, or unless a line tells it."""
        super().__init__()
        self._state = restored(state, State)
        self._name, self._tools = name, tools
        if is_id:
            self._state.session = name

    @property
    def state(self) -> bytes:
        return msgspec.msgpack.encode(self._state)

    def take(self, at: int, line: Line) -> Iterator[Record]:
        state = self._state
        said_id = line.id if line.type == "session_start" else None
        told = identifier(said_id) or identifier(line.session_id) or identifier(line.session_id_snake)
        session = state.session = state.session or told or self._name
        match line.type:
            case "session_start":
                title = label(line.session_title) or label(line.title)
                kind: Kind = "subagent" if title and title.startswith(TASK) else "main"
                yield SessionRecord(session, title, TITLE_GENERATED, project=label(line.cwd), kind=kind)
            case "system":
                yield SessionRecord(session, project=label(line.cwd), model=label(line.model))
            case "compaction_state":
                yield SkipRecord("summary", f"byte {at}")
            case "message" | "tool_call" | "tool_result" | "completion":
                try:
                    said = list(self._said(line, at))
                except ValueError:
                    yield SkipRecord("unexpected-shape", f"byte {at}")
                    return
                yield from self._turns(at, line, session, said)
            case other:
                if not (isinstance(other, str) and other in SILENT):
                    self.unknown.count(other, f"byte {at}")

    def _turns(self, at: int, line: Line, session: str, said: list[tuple[Role, str]]) -> Iterator[TurnRecord]:
        time = parse_time(line.timestamp)
        quality = "exact" if time else "file" if self._state.time else "none"
        self._state.time = time = time or self._state.time
        # Ids are unique in their session alone; a copy keeps id and time.
        entry = identifier(line.id)
        native = f"{entry}@{time}" if entry and quality == "exact" else None
        for index, (role, text) in enumerate(said):
            here = native if role != "tool" else None
            yield TurnRecord(session, role, text, time, at + index, here, quality=quality)

    def _said(self, line: Line, at: int) -> Iterator[tuple[Role, str]]:
        """What a line says; raises ValueError for an unexpected shape."""
        match line.type:
            case "tool_call" | "tool_result":
                payload = line.parameters if line.type == "tool_call" else line.value
                if self._tools and (text := tool_text(line.tool_name, decode(payload, ANY))):
                    yield "tool", text
                return
            case "completion":
                role, content = "assistant", line.final_text
                if isinstance(content, str) and digest(content.strip()) == self._state.answer:
                    return
            case _ if line.message != NULL:
                message = decode(line.message, _MESSAGE)
                role, content = message.role, decode(message.content, ANY)
            case _:
                role, content = line.role, line.text
        match role:
            case "user":
                asked = [typed for text in texts(content) if (typed := stripped(text, "system-reminder"))]
                if asked:
                    yield "user", "\n\n".join(asked)
            case "assistant":
                if answered := text_of(content):
                    self._state.answer = digest(answered.strip())
                    yield "assistant", answered
            case "system":
                return
            case other:
                self.unknown.count(f"message/{other}" if isinstance(other, str) else None, f"byte {at}")
                return
        if self._tools:
            yield from _tools(content)


def _tools(content: object) -> Iterator[tuple[Role, str]]:
    for block in as_list(content):
        if field(block, "type") == "tool_use":
            text = tool_text(field(block, "name"), field(block, "input"))
        elif field(block, "type") == "tool_result":
            result = field(block, "content")
            text = tool_text(None, "\n".join(texts(result)))
        else:
            continue
        if text:
            yield "tool", text
