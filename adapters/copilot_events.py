"""The events of a Copilot CLI session as records: what was said, by whom, and what of it was a sub-agent's."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ..core.model import TITLE_GENERATED, Record, Role, SessionRecord, SkipRecord, TurnRecord
from .base import parse_time
from .content import as_list, field, identifier, label, text_of, tool_text
from .line_pass import Taker, restored
from .turn_ids import turn_id

FAMILIES = frozenset("session assistant user tool subagent system hook permission skill abort external_tool".split())
"""What an event's type begins with; those that say nothing of the conversation are passed over."""
KEPT = 24


class Line(msgspec.Struct):
    """One event."""

    type: object = None
    data: object = None
    id: object = None
    timestamp: object = None
    agent: object = msgspec.field(default=None, name="agentId")


LINES = msgspec.json.Decoder(Line)


class _State(msgspec.Struct, array_like=True):
    project: str | None = None
    branch: str | None = None
    model: str | None = None
    agents: list[str] = []
    """Sub-agents that were told of."""
    calls: dict[str, str] = {}
    """The tool of each call that may still be answered."""


class Events(Taker[Line]):
    """Takes the events of a session one by one. Raises `Reread` if `state` is of no use."""

    def __init__(self, session: str, state: bytes = b"", *, with_tools: bool) -> None:
        super().__init__()
        self._state = restored(state, _State)
        self._session, self._with_tools = session, with_tools

    @property
    def state(self) -> bytes:
        """What another `Events` needs to go on from here."""
        return msgspec.msgpack.encode(self._state)

    def pause(self) -> Iterator[Record]:
        """What is known of the session by now; it comes before a checkpoint."""
        state = self._state
        yield SessionRecord(self._session, project=state.project, branch=state.branch, model=state.model)
        yield from self.unknown.told()

    def take(self, at: int, line: Line) -> Iterator[Record]:
        """The records that one event leads to."""
        data = line.data
        match line.type:
            case "user.message":
                yield from self._user(at, line)
            case "assistant.message":
                text = text_of(field(data, "content"))
                yield from self._turn(at, line, "assistant", text)
                if not self._agent(line):
                    self._state.model = label(field(data, "model")) or self._state.model
                if self._with_tools:
                    for number, request in enumerate(as_list(field(data, "toolRequests")), 1):
                        call, name = field(request, "toolCallId"), field(request, "name")
                        yield from self._call(at + number, line, call, name, field(request, "arguments"))
            case "tool.execution_start" if self._with_tools:
                yield from self._call(
                    at, line, field(data, "toolCallId"), field(data, "toolName"), field(data, "arguments")
                )
            case "tool.execution_complete" if self._with_tools:
                name = self._state.calls.get(identifier(field(data, "toolCallId")) or "")
                yield from self._turn(at, line, "tool", tool_text(name, field(data, "result", "content")))
            case "session.start" | "session.resume":
                state, context = self._state, field(data, "context")
                state.project = label(field(context, "cwd")) or state.project
                state.branch = label(field(context, "branch")) or state.branch
                state.model = label(field(data, "selectedModel")) or state.model
            case "session.model_change":
                self._state.model = label(field(data, "newModel")) or self._state.model
            case "session.title_changed":
                if title := label(field(data, "title")):
                    yield SessionRecord(self._session, title=title, title_rank=TITLE_GENERATED)
            case str(kind) if kind.partition(".")[0] in FAMILIES:
                pass
            case kind:
                self.unknown.count(kind, f"byte {at}")

    def _user(self, at: int, line: Line) -> Iterator[Record]:
        text, source = text_of(field(line.data, "content")), field(line.data, "source")
        if (isinstance(source, str) and source.startswith("skill-")) or text.lstrip().startswith("<skill-context"):
            yield SkipRecord("skill", f"byte {at}")
        else:
            yield from self._turn(at, line, "user", text)

    def _call(self, order: int, line: Line, call: object, name: object, arguments: object) -> Iterator[Record]:
        """A tool call; some builds write it with the message, some when it runs, some both times."""
        calls, known = self._state.calls, identifier(call)
        if known is None or known not in calls:
            yield from self._turn(order, line, "tool", tool_text(name, arguments))
        if known is not None:
            calls[known] = identifier(name) or ""
            if len(calls) > KEPT:
                del calls[next(iter(calls))]

    def _agent(self, line: Line) -> str | None:
        """The sub-agent whose event it is; None for the session's own."""
        marks = (line.agent, field(line.data, "parentToolCallId"))
        return next((identifier(mark) or "sub-agent" for mark in marks if mark), None)

    def _turn(self, order: int, line: Line, role: Role, text: str) -> Iterator[Record]:
        if not text.strip():
            return
        session, agent = self._session, self._agent(line)
        if agent:
            session = f"{self._session}:{agent}"
            if agent not in self._state.agents:
                self._state.agents = [*self._state.agents[1 - KEPT :], agent]
                yield SessionRecord(session, parent=self._session, kind="subagent")
        time = parse_time(line.timestamp)
        native_id = turn_id(session, line.id) if role != "tool" else None
        yield TurnRecord(session, role, text, time, order, native_id, quality="exact" if time else "none")
