"""kimi-cli: what was sent over its wire, a session's state, and the working directories that folders are named for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import md5
from pathlib import Path

import msgspec

from ..core.model import (
    TITLE_GENERATED,
    Checkpoint,
    Record,
    Reread,
    Role,
    SessionRecord,
    SkipRecord,
    TurnRecord,
    Unreadable,
)
from .base import parse_time, printable
from .content import as_list, field, label, text_of, texts, tool_text
from .json_file import read_json
from .json_lines import ANY, NULL, decode
from .line_pass import Taker, line_records, restored

WIRE, STATE, WORK_DIRS = "wire.jsonl", "state.json", "kimi.json"
SMALL_FILE = 4 << 20
"""Bytes of the longest of the small files that are read along."""
TEXT = frozenset({"text"})
SILENT = frozenset(
    """TurnEnd StepBegin StepInterrupted StepRetry CompactionBegin CompactionEnd HookTriggered HookResolved HookRequest
    MCPLoadingBegin MCPLoadingEnd StatusUpdate Notification PlanDisplay SubagentEvent ApprovalRequest ApprovalResponse
    ApprovalRequestResolved ToolCallRequest QuestionRequest QuestionResponse BtwBegin BtwEnd""".split()
)
BOUNDARIES = frozenset({"StepBegin", "StepInterrupted", "TurnEnd"})
NAMES_KEPT = 64
"""So many tool calls may wait for their results."""


# ---- Which session ----


@dataclass(frozen=True, slots=True)
class Identity:
    """Whose a file is."""

    session: str
    parent: str | None
    project: str | None

    def facts(self) -> SessionRecord:
        kind = "subagent" if self.parent else None
        return SessionRecord(self.session, project=self.project, parent=self.parent, kind=kind)


def identity(path: Path) -> Identity:
    """Read off sessions/FOLDER/SESSION/…, …/SESSION/subagents/AGENT/… or, very old, sessions/FOLDER/SESSION.jsonl."""
    folder, agent = path.parent, None
    if folder.parent.name == "subagents":
        folder, agent = folder.parent.parent, printable(folder.name)
    if path.name not in (WIRE, STATE, "context.jsonl"):
        folder = path.with_suffix("")
    session = printable(folder.name)
    project = _directory(folder.parent)
    return Identity(f"{session}.{agent}" if agent else session, session if agent else None, project)


def _directory(folder: Path) -> str | None:
    """The working directory that a folder of sessions is named for: the MD5 of its path, after a remote's name."""
    kaos, _, digest = folder.name.rpartition("_")
    try:
        known, _ = read_json(folder.parents[1] / WORK_DIRS, ANY, SMALL_FILE)
    except (OSError, Unreadable, IndexError):
        known = None
    for entry in as_list(field(known, "work_dirs")):
        path = label(field(entry, "path"))
        is_it = path is not None and md5(path.encode(), usedforsecurity=False).hexdigest() == digest
        if is_it and kaos in ("", field(entry, "kaos")):
            return path
    return label(printable(folder.name))


# ---- Its title ----


def state_records(path: Path) -> Iterator[Record]:
    """The title in a session's state; the file may be cut short, which is counted and no more."""
    try:
        state, size = read_json(path, ANY, SMALL_FILE)
    except Unreadable as error:
        yield SkipRecord(error.reason, STATE)
        yield Checkpoint(path.stat(follow_symlinks=False).st_size)
        return
    if title := label(field(state, "custom_title")):
        yield SessionRecord(identity(path).session, title=title, title_rank=TITLE_GENERATED)
    yield Checkpoint(size)


# ---- What was said ----


class Row(msgspec.Struct):
    type: object = None
    timestamp: object = None
    message: msgspec.Raw = NULL


class _Envelope(msgspec.Struct):
    type: object = None
    payload: msgspec.Raw = NULL


ROWS, ENVELOPE = msgspec.json.Decoder(Row), msgspec.json.Decoder(_Envelope | None)


class _State(msgspec.Struct, array_like=True):
    begun: bool = False
    """Whether a turn began; without one, the context tells what was said."""
    open: bool = False
    """Whether a text or a tool call was given that another part may still belong to."""
    time: int | None = None
    calls: dict[str, str] = {}
    """Names of the tools that were called, by the call's id."""


def wire_records(path: Path, since: Checkpoint | None, *, tools: bool) -> Iterator[Record]:
    """The records of a wire file. Raises OSError, `Unreadable` and `Reread`."""
    whose = identity(path)
    yield whose.facts()
    taker = Wire(whose.session, since.state if since else b"", tools=tools)
    yield from line_records(path, since, ROWS, taker)


class Wire(Taker[Row]):
    """Puts the pieces of each step together. A piece that comes after the rest was given makes for a `Reread`."""

    def __init__(self, session: str, state: bytes, *, tools: bool) -> None:
        super().__init__()
        self._session, self._tools = session, tools
        self._state = restored(state, _State)
        self._text: list[str] = []
        self._text_at: tuple[int, int | None] = 0, None
        self._call: list[str] = []
        self._call_at: tuple[int, int | None] = 0, None

    @property
    def state(self) -> bytes | None:
        return None if self._text or self._call else msgspec.msgpack.encode(self._state)

    def finish(self) -> Iterator[Record]:
        self._state.open = self._state.open or bool(self._text or self._call)
        yield from self._given()

    def take(self, at: int, row: Row) -> Iterator[Record]:
        try:
            envelope = decode(row.message, ENVELOPE)
            if envelope is None:
                if row.type != "metadata":
                    self.unknown.count(row.type, f"byte {at}")
                return
            yield from self._message(at, row, envelope)
        except ValueError:
            yield SkipRecord("unexpected-shape", f"byte {at}")

    def _message(self, at: int, row: Row, envelope: _Envelope) -> Iterator[Record]:
        kind = envelope.type if isinstance(envelope.type, str) else None
        time = self._state.time = parse_time(row.timestamp) or self._state.time
        match kind:
            case "TurnBegin" | "SteerInput":
                yield from self._boundary()
                self._state.begun = self._state.begun or kind == "TurnBegin"
                if text := text_of(field(decode(envelope.payload, ANY), "user_input"), TEXT).strip():
                    yield self._turn("user", text, at, time)
            case "ContentPart":
                part = decode(envelope.payload, ANY)
                text = field(part, "text")
                if field(part, "type") == "text" and isinstance(text, str) and self._state.begun:
                    self._must_be_whole()
                    if not self._text:
                        self._text_at = at, time
                    self._text.append(text)
            case "ToolCall" | "ToolCallPart" | "ToolResult":
                if self._tools:
                    yield from self._tool(kind, at, time, decode(envelope.payload, ANY))
            case _:
                if kind in BOUNDARIES:
                    yield from self._boundary()
                elif kind not in SILENT:
                    self.unknown.count(kind, f"byte {at}")

    def _tool(self, kind: str, at: int, time: int | None, payload: object) -> Iterator[Record]:
        if kind == "ToolCallPart":
            self._must_be_whole()
            piece = field(payload, "arguments_part")
            if self._call and isinstance(piece, str):
                self._call.append(piece)
            return
        yield from self._called()
        if kind == "ToolCall":
            name, given = field(payload, "function", "name"), field(payload, "function", "arguments")
            self._call_at = at, time
            self._call = [name if isinstance(name, str) else "", given if isinstance(given, str) else ""]
            key = field(payload, "id")
            if isinstance(key, str) and len(key) <= 64 and isinstance(name, str) and len(name) <= 64:
                self._state.calls[key] = name
                if len(self._state.calls) > NAMES_KEPT:
                    del self._state.calls[next(iter(self._state.calls))]
            return
        key, returned = field(payload, "tool_call_id"), field(payload, "return_value")
        output = field(returned, "output") or field(returned, "message")
        name = self._state.calls.pop(key, None) if isinstance(key, str) else None
        if text := tool_text(name, "\n".join(texts(output, TEXT)) or output):
            yield self._turn("tool", text, at, time)

    def _must_be_whole(self) -> None:
        if self._state.open:
            raise Reread

    def _boundary(self) -> Iterator[Record]:
        yield from self._given()
        self._state.open = False

    def _given(self) -> Iterator[Record]:
        text, self._text = "".join(self._text).strip(), []
        if text:
            yield self._turn("assistant", text, *self._text_at)
        yield from self._called()

    def _called(self) -> Iterator[Record]:
        call, self._call = self._call, []
        if call and (text := tool_text(call[0], "".join(call[1:]))):
            yield self._turn("tool", text, *self._call_at)

    def _turn(self, role: Role, text: str, at: int, time: int | None) -> TurnRecord:
        return TurnRecord(self._session, role, text, time, at, quality="exact" if time else "none")
