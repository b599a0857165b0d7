"""One Codex rollout as records: whose it is, what its lines say, and what in them is only a copy of the parent."""

from __future__ import annotations

import msgspec

from ..core.model import TITLE_GIVEN, CutRecord, Kind, Record, Role, SessionRecord, SkipRecord, TurnRecord
from .base import parse_time
from .codex_shapes import (
    ENVELOPES,
    EVENTS,
    ITEMS,
    THREAD_ITEMS,
    Body,
    Item,
    Line,
    known,
    texts,
)
from .codex_text import directory, prompt
from .codex_tools import TOOL_ITEMS, used
from .codex_turns import Rollback, Source, Turns, TurnsState
from .content import count, field, identifier, label
from .line_pass import restored
from .unknown_types import UnknownTypes, type_name

MACHINE_THREADS = frozenset({"subagent", "guardian", "review", "memory_consolidation"})


class _State(msgspec.Struct, array_like=True):
    """What reading on depends on: ids, counts and hashes, never text."""

    session: str | None = None
    described: bool = False
    has_project: bool = False
    model: str | None = None
    paginated: bool | None = None
    own_from: int | None = None
    """The first ordinal that is no copy of the parent's history."""
    order: int = -1
    time: int | None = None
    turns: TurnsState = msgspec.field(default_factory=TurnsState)


class Rollout:
    """Takes the lines of a rollout one by one and gives their records.

    `name` is the session's id where no meta tells it; `place` is what a line's position counts. Raises `Reread` if
    `state` is of no use.
    """

    def __init__(self, name: str, state: bytes = b"", place: str = "byte", *, tools: bool = False) -> None:
        self._state = restored(state, _State)
        self._name, self._place, self._tools = name, place, tools
        self._turns = Turns(self._state.turns)
        self._unknown = UnknownTypes()
        self._out: list[Record] = []

    @property
    def holding(self) -> bool:
        """Whether turns wait, so that `state` does not stand for all that was taken."""
        return self._turns.holding

    @property
    def state(self) -> bytes:
        """What another `Rollout` needs to go on from here."""
        return msgspec.msgpack.encode(msgspec.structs.replace(self._state, turns=self._turns.state))

    def take(self, at: int, line: Line) -> list[Record]:
        """The records that one line leads to; raises `Reread` where an earlier pass could not know better."""
        state, ordinal = self._state, count(line.ordinal)
        if state.paginated is None:
            state.paginated = ordinal is not None
        if state.own_from is not None and ordinal is not None and ordinal < state.own_from:
            return []
        kind, body = line.type, line.payload
        if body is None:  # the first generation has no envelope
            body = line
            if kind in (None, "message") and isinstance(line.role, str):
                kind = "response_item"
                self._use_model(line.model)
            elif kind is None and line.id is not None:
                kind = "session_meta"
        match kind:
            case "response_item" | "request_item":
                self._take_item(at, line, body)
            case "event_msg":
                self._take_event(at, line, body)
            case str() if self._tools and kind in TOOL_ITEMS:  # of the first generation
                self._take_tool(at, line, body, kind)
            case "session_meta":
                self._take_meta(line, body)
            case "turn_context":
                self._use_model(body.model)
                self._use_project(label(body.cwd))
            case "compacted":
                if texts(body.message):
                    self._out.append(SkipRecord("summary", f"{self._place} {at}"))
            case _:
                if line.record_type is None and not known(kind, ENVELOPES):
                    self._count_unknown(at, kind)
        return self._given()

    def pause(self) -> list[Record]:
        """The unknown types since the last pause; they come before a checkpoint."""
        self._out += self._unknown.told()
        return self._given()

    def finish(self) -> list[Record]:
        """What still waits, at the end of the file."""
        self._turns.finish()
        return self._given() + self.pause()

    def _given(self) -> list[Record]:
        out, self._out = self._out, []
        out += self._turns.given()
        return out

    def _take_meta(self, line: Line, body: Body) -> None:
        state = self._state
        session = identifier(body.id) or identifier(body.session_id) or self._name
        if state.described or session != (state.session or session):
            return  # a fork or a sub-agent repeats its parent's meta
        state.session, state.described = session, True
        state.own_from = count(body.subagent_history_start_ordinal)
        time = parse_time(line.timestamp) or parse_time(body.timestamp)
        state.time = time or state.time
        base = identifier(field(body.history_base, "thread_id"))
        spawner = field(body.source, "subagent", "thread_spawn", "parent_thread_id")
        parents = (identifier(value) for value in (body.parent_thread_id, spawner, body.forked_from_id, base))
        parent = next((parent for parent in parents if parent and parent != session), None)
        project, branch = label(body.cwd), label(field(body.git, "branch"))
        state.has_project = state.has_project or project is not None
        self._out.append(SessionRecord(session, project=project, branch=branch, parent=parent, kind=_kind(body)))
        cut = count(field(body.history_base, "end_ordinal_exclusive"))
        if base == session and cut is not None and time is not None:
            self._out.append(CutRecord(session, cut, time))

    def _take_item(self, at: int, line: Line, body: Body) -> None:
        if body.type not in (None, "message"):
            if self._tools and isinstance(body.type, str) and body.type in TOOL_ITEMS:
                self._take_tool(at, line, body, body.type)
            elif not known(body.type, ITEMS):
                self._count_unknown(at, "response_item", body.type)
            return
        pieces = texts(body.content) or texts(body.message)
        if body.role == "assistant":
            self._take_answer(at, line, pieces, Source.ITEM)
        elif body.role == "user":
            self._use_project(directory(pieces))
            self._take_prompt(at, line, pieces, Source.ITEM)

    def _take_event(self, at: int, line: Line, body: Body) -> None:
        match body.type:
            case "user_message":
                self._take_prompt(at, line, texts(body.message), Source.EVENT)
            case "agent_message":
                self._take_answer(at, line, texts(body.message), Source.EVENT)
            case "item_completed":
                self._take_thread_item(at, line, body.item or Item())
            case "thread_rolled_back":
                if turns := count(body.num_turns):
                    self._turns.roll_back(Rollback(self._session(), turns, self._order(at, line)))
            case "thread_name_updated":
                title, thread = label(body.thread_name), identifier(body.thread_id)
                if title and thread in (None, self._session()):
                    self._out.append(SessionRecord(self._session(), title=title, title_rank=TITLE_GIVEN))
            case kind:
                if not known(kind, EVENTS):
                    self._count_unknown(at, "event_msg", kind)

    def _take_thread_item(self, at: int, line: Line, item: Item) -> None:
        match item.type:
            case "UserMessage":
                self._take_prompt(at, line, texts(item.content), Source.ITEM_EVENT)
            case "AgentMessage":
                self._take_answer(at, line, texts(item.content), Source.ITEM_EVENT)
            case kind:
                if not known(kind, THREAD_ITEMS):
                    self._count_unknown(at, "item_completed", kind)

    def _take_prompt(self, at: int, line: Line, pieces: list[str], source: Source) -> None:
        if self._turns.wants_prompt(source) and (text := prompt(pieces)):
            self._turns.ask(self._turn(at, line, "user", text))

    def _take_answer(self, at: int, line: Line, pieces: list[str], source: Source) -> None:
        if pieces and self._turns.wants_answer(pieces, source):
            self._turns.answer(self._turn(at, line, "assistant", "\n".join(pieces).strip()))

    def _take_tool(self, at: int, line: Line, body: Body, kind: str) -> None:
        if text := used(body, kind):
            self._out.append(self._turn(at, line, "tool", text))

    def _turn(self, at: int, line: Line, role: Role, text: str) -> TurnRecord:
        time = parse_time(line.timestamp) or parse_time(line.created_at)
        quality = "exact" if time else "file" if self._state.time else "none"
        self._state.time = time = time or self._state.time
        return TurnRecord(self._session(), role, text, time, self._order(at, line), quality=quality)

    def _order(self, at: int, line: Line) -> int:
        order = count(line.ordinal) if self._state.paginated else at
        self._state.order = max(order or 0, self._state.order + 1)
        return self._state.order

    def _session(self) -> str:
        if self._state.session is None:
            self._state.session = self._name
        return self._state.session

    def _use_model(self, value: object) -> None:
        model = label(value)
        if model and model != self._state.model:
            self._state.model = model
            self._out.append(SessionRecord(self._session(), model=model))

    def _use_project(self, project: str | None) -> None:
        if project and not self._state.has_project:
            self._state.has_project = True
            self._out.append(SessionRecord(self._session(), project=project))

    def _count_unknown(self, at: int, *kinds: object) -> None:
        self._unknown.count("/".join(map(type_name, kinds)), f"{self._place} {at}")


def _kind(meta: Body) -> Kind:
    source = meta.source
    spawned = isinstance(source, dict) and ("subagent" in source or "internal" in source)
    if spawned or known(meta.thread_source, MACHINE_THREADS):
        return "subagent"
    if source in ("exec", "mcp") or (source is None and meta.originator == "codex_exec"):
        return "automated"
    return "main"
