"""The entries of a pi session as records: which of them are turns, and which turn each of them follows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PureWindowsPath

import msgspec

from ..core.model import (
    TITLE_GENERATED,
    TITLE_GIVEN,
    Record,
    Reread,
    Role,
    SessionRecord,
    SkipRecord,
    TurnRecord,
    UndoRecord,
)
from .base import parse_time, printable
from .content import identifier, label, text_of, texts, tool_text
from .json_lines import ANY, NULL, decode
from .line_pass import Taker, restored

STAMPED = re.compile(r"\d{4}-\d\d-\d\dT[\d-]+Z?_(.+)")
"""The name of a session's file, and of the folder of its sub-agents."""
SILENT = frozenset({"thinking_level_change", "label", "custom", "custom_message", "mode_change", "ttsr_injection"})
SUMMARIES = frozenset({"compaction", "branch_summary", "branchSummary", "compactionSummary"})
KEPT_LINKS = 64


class Line(msgspec.Struct, rename="camel", gc=False):
    """What counts of an entry; the first is the session's header."""

    type: object = None
    id: object = None
    parent_id: object = None
    timestamp: object = None
    cwd: object = None
    title: object = None
    parent_session: object = None
    branched_from: object = None
    name: object = None
    model_id: object = None
    model: object = None
    message: msgspec.Raw = NULL


class Part(msgspec.Struct, gc=False):
    type: object = None
    text: object = None
    name: object = None
    arguments: msgspec.Raw = NULL


class Message(msgspec.Struct, rename="camel", gc=False):
    role: object = None
    content: msgspec.Raw = NULL
    timestamp: object = None
    model: object = None
    tool_name: object = None
    command: object = None
    output: msgspec.Raw = NULL


class Link(msgspec.Struct, array_like=True):
    """Where the branch of an entry stands."""

    turn: str | None = None
    """The turn at or before it."""
    root: int | None = None
    """Order of the first turn of its branch."""


class State(msgspec.Struct, array_like=True):
    session: str | None = None
    project: str | None = None
    parent: str | None = None
    model: str | None = None
    links: dict[str, Link] = {}
    partial: bool = False
    """Whether `links` lacks entries of an earlier pass."""
    leaf: Link = msgspec.field(default_factory=Link)
    first: int | None = None
    """Order of the first turn of all."""
    slotted: bool = False
    """Whether a title came before the header."""
    undone: int = 0
    """Turns before this order were reported as left."""


LINE = msgspec.json.Decoder(Line)
_MESSAGE = msgspec.json.Decoder(Message)
_PARTS = msgspec.json.Decoder(list[Part | str] | str | None)


class Entries(Taker[Line]):
    """Takes the lines of a session one by one; `name` is its id unless the header tells it."""

    def __init__(self, name: str, state: bytes, tools: bool, parent: str | None) -> None:
        """`parent`: the session in whose folder of sub-agents the file lies."""
        super().__init__()
        self._state = restored(state, State)
        self._name, self._tools, self._spawned_by = name, tools, parent
        self._slot: str | None = None

    @property
    def state(self) -> bytes:
        surplus = len(self._state.links) - KEPT_LINKS
        if surplus <= 0:
            return msgspec.msgpack.encode(self._state)
        links = dict(list(self._state.links.items())[surplus:])
        return msgspec.msgpack.encode(msgspec.structs.replace(self._state, links=links, partial=True))

    def take(self, at: int, line: Line) -> Iterator[Record]:
        state = self._state
        match line.type:
            case "session":
                yield from self._take_header(line)
                return
            case "title":  # a slot that Oh My Pi keeps before the header
                self._slot, state.slotted = label(line.title), True
                return
            case _:
                link = self._link(line)
        match line.type:
            case "message":
                for turn in self._turns(at, line, link):
                    if isinstance(turn, TurnRecord):
                        state.first = turn.order if state.first is None else state.first
                        link = Link(turn.native_id or link.turn, turn.order if link.turn is None else link.root)
                    yield turn
            case "model_change":
                state.model = label(line.model_id) or label(line.model) or state.model
            case "session_info":
                if title := label(line.name):
                    yield SessionRecord(self._session(), title=title, title_rank=TITLE_GIVEN)
            case str() if line.type in SUMMARIES:
                yield SkipRecord("summary", f"byte {at}")
            case kind:
                if not (isinstance(kind, str) and kind in SILENT):
                    self.unknown.count(kind, f"byte {at}")
        if (entry := identifier(line.id)) is not None:
            state.links[entry] = state.leaf = link

    def finish(self) -> Iterator[Record]:
        """The facts, and what was left for another beginning."""
        state = self._state
        if state.session is None:
            return
        root = state.leaf.root or 0
        if root < state.undone:
            raise Reread
        if state.first is not None and root > state.first:
            state.undone = root
            yield UndoRecord(state.session, 0, root)
        parent = self._spawned_by or state.parent
        yield SessionRecord(
            state.session, project=state.project, model=state.model, parent=parent if parent != state.session else None,
            kind="subagent" if self._spawned_by else "main", leaf=state.leaf.turn,
        )  # fmt: skip

    def _take_header(self, line: Line) -> Iterator[Record]:
        state = self._state
        if state.first is not None:
            return  # turns came before it: they have their session
        if state.slotted and self._slot is None:
            raise Reread
        state.session = identifier(line.id) or self._name
        state.project = label(line.cwd)
        state.parent = _id_of_file(line.parent_session) or _id_of_file(line.branched_from)
        state.model = label(line.model_id) or state.model
        if title := self._slot or label(line.title):
            yield SessionRecord(state.session, title=title, title_rank=TITLE_GENERATED)

    def _session(self) -> str:
        self._state.session = self._state.session or self._name
        return self._state.session

    def _link(self, line: Line) -> Link:
        """Where the branch stands that an entry continues; one without a known parent follows what came before."""
        state, parent = self._state, identifier(line.parent_id)
        if identifier(line.id) is None:
            return state.leaf
        if parent is None:
            return Link()
        if parent in state.links:
            return state.links[parent]
        if state.partial:
            raise Reread
        return state.leaf

    def _turns(self, at: int, line: Line, link: Link) -> Iterator[TurnRecord | SkipRecord]:
        try:
            message = decode(line.message, _MESSAGE)
            said = self._said(at, message)
        except ValueError:
            yield SkipRecord("unexpected-shape", f"byte {at}")
            return
        time = parse_time(line.timestamp) or parse_time(message.timestamp)
        entry, before = identifier(line.id), link.turn
        # Ids are short and unique in their session alone; a branched session repeats id and time.
        native = f"{entry}@{time}" if entry else None
        for index, (role, text) in enumerate(said):
            here = f"{native}.{index}" if native and index else native
            quality = "none" if time is None else "exact"
            yield TurnRecord(self._session(), role, text, time, at + index, here, before, quality=quality)
            before = here

    def _said(self, at: int, message: Message) -> list[tuple[Role, str]]:
        """What a message says; raises ValueError for an unexpected shape."""
        match message.role:
            case "user" | "assistant":
                if message.role == "assistant":
                    self._state.model = label(message.model) or self._state.model
                parts = decode(message.content, _PARTS)
                text = text_of(_plain(parts))
                said = self._calls(parts)
                if text.strip():
                    said.insert(0, ("user" if message.role == "user" else "assistant", text))
                return said
            case "toolResult" if self._tools:
                pieces = texts(_plain(decode(message.content, _PARTS)))
                return [("tool", text)] if (text := tool_text(message.tool_name, "\n".join(pieces))) else []
            case "bashExecution" if self._tools:
                output = decode(message.output, ANY)
                return [("tool", tool_text("bash", f"{message.command}\n{output}"))]
            case str() if message.role in SUMMARIES or message.role in ("toolResult", "bashExecution", "custom"):
                return []
            case other:
                self.unknown.count(f"message/{other}" if isinstance(other, str) else None, f"byte {at}")
                return []

    def _calls(self, parts: list[Part | str] | str | None) -> list[tuple[Role, str]]:
        if not self._tools or not isinstance(parts, list):
            return []
        calls = [part for part in parts if isinstance(part, Part) and part.type == "toolCall"]
        called = [tool_text(call.name, decode(call.arguments, ANY)) for call in calls]
        return [("tool", text) for text in called if text]


def id_in(stem: str) -> str:
    """The session's id in the name of its file."""
    found = STAMPED.fullmatch(stem)
    return printable(found[1] if found else stem)


def _id_of_file(path: object) -> str | None:
    """The id of the session whose file another file names as the one it was branched from."""
    return id_in(PureWindowsPath(path).name.removesuffix(".jsonl")) if isinstance(path, str) and path else None


def _plain(parts: list[Part | str] | str | None) -> object:
    if not isinstance(parts, list):
        return parts
    return [{"type": part.type, "text": part.text} if isinstance(part, Part) else part for part in parts]
