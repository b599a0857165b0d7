"""One session file of WorkBuddy or CodeBuddy: rows in, turns and facts out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from ..core.model import TITLE_GENERATED, TITLE_SUMMARY, Record, Role, SessionRecord, SkipRecord, TurnRecord
from .base import parse_time, printable
from .buddy_text import answer, prompt
from .content import field, identifier, label, tool_text
from .json_lines import ANY, NULL, decode
from .line_pass import Taker, restored

SILENT = frozenset({"reasoning", "summary", "file-history-snapshot", "system"})
TITLES = {"topic": (1, TITLE_SUMMARY), "ai-title": (2, TITLE_SUMMARY), "custom-title": (3, TITLE_GENERATED)}
"""How good each kind is, and its rank: any title in the database comes before all of them."""
TOOL_TYPES = frozenset({"function_call", "function_call_result"})


class Row(msgspec.Struct, rename="camel"):
    type: object = None
    timestamp: object = None
    session_id: object = None
    cwd: object = None
    role: object = None
    content: msgspec.Raw = NULL
    is_compact_summary: object = None
    provider_data: msgspec.Raw = NULL
    ai_title: object = None
    custom_title: object = None
    topic: object = None
    name: object = None
    arguments: msgspec.Raw = NULL
    output: msgspec.Raw = NULL


ROWS = msgspec.json.Decoder(Row)


class _State(msgspec.Struct, array_like=True):
    described: bool = False
    has_project: bool = False
    has_parent: bool = False
    model: str | None = None
    title: int = 0
    """How good the best title so far is, as in `TITLES`."""
    time: int | None = None


class Rows(Taker[Row]):
    """Makes turns of a session's rows, known by their places: ids repeat (a reply and its tool call share one)."""

    def __init__(self, path: Path, state: bytes, handle: str | None, *, tools: bool) -> None:
        """`handle` is what stands before the session's id in what resumes it, where the id is not enough."""
        super().__init__()
        self._handle = handle
        self._state = restored(state, _State)
        self._tools = tools
        stem = printable(path.stem)
        self._id, self._parent, self._is_child = stem, None, stem.startswith("agent-")
        if path.parent.name == "subagents":
            self._parent, self._is_child = printable(path.parent.parent.name), True
            self._id = f"{self._parent}.{stem}"

    @property
    def state(self) -> bytes:
        return msgspec.msgpack.encode(self._state)

    def take(self, at: int, row: Row) -> Iterator[Record]:
        kind = row.type if isinstance(row.type, str) else None
        yield from self._facts(row)
        try:
            if kind == "message":
                yield from self._message(at, row)
            elif kind in TITLES:
                yield from self._title(kind, row)
            elif kind in TOOL_TYPES:
                if self._tools:
                    yield self._turn(at, row, "tool", _tool(row))
            elif kind not in SILENT:
                self.unknown.count(kind, f"byte {at}")
        except ValueError:
            yield SkipRecord("unexpected-shape", f"byte {at}")

    def _facts(self, row: Row) -> Iterator[Record]:
        state = self._state
        state.time = parse_time(row.timestamp) or state.time
        if not state.described:
            state.described, state.has_parent = True, self._parent is not None
            if self._is_child:
                yield SessionRecord(self._id, parent=self._parent, kind="subagent")
            elif self._handle:
                yield SessionRecord(self._id, handle=self._handle + self._id)
        if self._is_child and not state.has_parent and (parent := identifier(row.session_id)) not in (None, self._id):
            state.has_parent = True  # older builds kept sub-agents beside the session that they serve
            yield SessionRecord(self._id, parent=parent)
        if not state.has_project and (project := label(row.cwd)):
            state.has_project = True
            yield SessionRecord(self._id, project=project)

    def _message(self, at: int, row: Row) -> Iterator[Record]:
        if row.role == "assistant":
            text = answer(decode(row.content, ANY))
            model = label(field(decode(row.provider_data, ANY), "model"))
            if model and model not in ("auto", self._state.model):
                self._state.model = model
                yield SessionRecord(self._id, model=model)
            if text:
                yield self._turn(at, row, "assistant", text)
        elif row.role == "user":
            if row.is_compact_summary is True:
                yield SkipRecord("summary", f"byte {at}")
            elif text := prompt(decode(row.content, ANY)):
                yield self._turn(at, row, "user", text)
        elif row.role != "system":
            self.unknown.count("message", f"byte {at}")

    def _title(self, kind: str, row: Row) -> Iterator[Record]:
        title = label({"topic": row.topic, "ai-title": row.ai_title, "custom-title": row.custom_title}[kind])
        worth, rank = TITLES[kind]
        if title and worth >= self._state.title:
            self._state.title = worth
            yield SessionRecord(self._id, title=title, title_rank=rank)

    def _turn(self, at: int, row: Row, role: Role, text: str) -> TurnRecord:
        exact = parse_time(row.timestamp)
        time = exact or self._state.time
        return TurnRecord(
            self._id, role, text, time, at, quality="exact" if exact else "file" if time else "none"
        )  # fmt: skip


def _tool(row: Row) -> str:
    if row.type == "function_call":
        return tool_text(row.name, decode(row.arguments, ANY))
    output = decode(row.output, ANY)
    text = field(output, "text")
    return tool_text(row.name, output if text is None else text)
