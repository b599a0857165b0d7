"""The messages of Cline and its forks: what goes to the model, and what their panel shows."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import TypeVar

import msgspec

from ..core.model import Record, Role, SessionRecord, SkipRecord
from .base import parse_time
from .cline_text import SPOKEN, announces_result, begins_result, model_said, person_said
from .content import field, label, texts, tool_text
from .json_lines import ANY, NULL, decode
from .message_turns import Piece, turns_of
from .unknown_types import unknown_type

T = TypeVar("T")

SILENT = frozenset(
    """thinking redacted_thinking reasoning image image_url document file server_tool_use web_search_tool_result
    thoughtSignature summary""".split()
)
"""Blocks that are no conversation."""
SHOWN_BY_MODEL = frozenset({"text", "completion_result"})
SHOWN_BY_PERSON = frozenset({"task", "user_feedback"})
CHANGES_FLAG = "HAS_CHANGES"
"""What Cline writes behind a result that changed files."""
SAME_START = 300
"""So many characters tell texts apart when times are looked up."""


class Message(msgspec.Struct):
    """A message to or from the model."""

    id: object = None
    role: object = None
    content: msgspec.Raw = NULL
    ts: object = None
    isSummary: object = None  # noqa: N815
    isTruncationMarker: object = None  # noqa: N815
    modelInfo: object = None  # noqa: N815

    @property
    def is_artificial(self) -> bool:
        """Whether it only stands for others, which are kept as well."""
        return bool(self.isSummary) or bool(self.isTruncationMarker)


class Block(msgspec.Struct):
    """A piece of a message."""

    type: object = None
    text: object = None
    name: object = None
    input: msgspec.Raw = NULL
    content: msgspec.Raw = NULL


class Shown(msgspec.Struct):
    """A line of the panel; `ask` and `say` tell what kind of one."""

    ts: object = None
    type: object = None
    say: object = None
    ask: object = None
    text: object = None
    partial: object = None


class History(msgspec.Struct):
    """A history with its version."""

    messages: list[msgspec.Raw] = []


HISTORY = msgspec.json.Decoder(list[msgspec.Raw] | History)
MESSAGE = msgspec.json.Decoder(Message)
CONTENT = msgspec.json.Decoder(str | list[msgspec.Raw] | None)
BLOCK = msgspec.json.Decoder(Block)
SHOWN = msgspec.json.Decoder(Shown)


class Times:
    """When each text was shown; texts are asked for in the order in which they were."""

    def __init__(self, shown: Iterable[Shown] = ()) -> None:
        self._by_text: dict[str, deque[int]] = {}
        for line in shown:
            if isinstance(line.text, str) and (time := parse_time(line.ts)) is not None and not line.partial:
                for _, text in _shown_by(line, is_first=False):
                    self._by_text.setdefault(_start(text), deque()).append(time)

    def of(self, text: str) -> int | None:
        times = self._by_text.get(_start(text))
        return times.popleft() if times else None


def history_records(
    session: str, history: list[msgspec.Raw] | History, times: Times, started: int | None, tools: bool
) -> Iterator[Record]:
    """The turns of what went to and from the model; `started` stands in for a time that nothing tells."""
    model: str | None = None
    for number, raw in enumerate(history.messages if isinstance(history, History) else history):
        place = f"message {number}"
        message = decoded(raw, MESSAGE, place)
        if isinstance(message, SkipRecord):
            yield message
            continue
        if message.role not in ("user", "assistant"):
            yield unknown_type(message.role, place)
            continue
        if message.is_artificial:
            continue
        role: Role = "user" if message.role == "user" else "assistant"
        model = label(field(message.modelInfo, "modelId")) or model
        pieces: list[Piece] = []
        for piece in _pieces(message, role, place, tools):
            if isinstance(piece, SkipRecord):
                yield piece
            else:
                pieces.append(piece)
        time = parse_time(message.ts)
        if time is None:
            time = next((t for kind, text in pieces if kind == "text" and (t := times.of(text)) is not None), None)
        if time is not None:
            yield from turns_of(session, role, pieces, number, time, label(message.id))
        else:
            yield from turns_of(session, role, pieces, number, started, label(message.id), quality="file")
    if model:
        yield SessionRecord(session, model=model)


def shown_records(session: str, lines: Iterable[msgspec.Raw]) -> Iterator[Record]:
    """The turns of a panel, where nothing else is left of a task."""
    is_first = True
    for number, raw in enumerate(lines):
        line = decoded(raw, SHOWN, f"line {number}")
        if isinstance(line, SkipRecord):
            yield line
        elif not line.partial:
            for role, text in _shown_by(line, is_first=is_first):
                is_first = False
                yield from turns_of(session, role, [("text", text)], number, parse_time(line.ts))


def shown_lines(lines: Iterable[msgspec.Raw]) -> Iterator[Shown]:
    """The lines of a panel that can be understood."""
    for raw in lines:
        line = decoded(raw, SHOWN, "")
        if isinstance(line, Shown):
            yield line


def decoded(raw: msgspec.Raw, decoder: msgspec.json.Decoder[T], place: str) -> T | SkipRecord:
    """A part of a document, or why it can't be read."""
    try:
        return decode(raw, decoder)
    except ValueError:
        return SkipRecord("unexpected-shape", place)


def _pieces(message: Message, role: Role, place: str, tools: bool) -> Iterator[Piece | SkipRecord]:
    content = decoded(message.content, CONTENT, place)
    if isinstance(content, SkipRecord):
        yield content
    elif isinstance(content, str):
        yield from _text(content, role, tools)
    else:
        in_result = False
        for raw in content or ():
            block = decoded(raw, BLOCK, place)
            if isinstance(block, SkipRecord):
                yield block
            elif block.type in ("text", "input_text", "output_text", None):
                if isinstance(block.text, str):
                    yield from _text(block.text, role, tools, in_result=in_result)
                    in_result = announces_result(block.text)
            elif block.type in ("tool_use", "tool_call", "tool-call"):
                yield from _call(block, tools)
            elif block.type in ("tool_result", "tool-result"):
                yield from _result(block, tools)
            elif not isinstance(block.type, str) or block.type not in SILENT:
                yield unknown_type(block.type, place)


def _text(text: str, role: Role, tools: bool, *, in_result: bool = False) -> Iterator[Piece]:
    if role == "assistant":
        yield from model_said(text, tools)
    elif said := person_said(text, in_result=in_result):
        yield "text", said
    elif tools and (in_result or begins_result(text)):
        yield "tool", tool_text(None, text)


def _call(block: Block, tools: bool) -> Iterator[Piece]:
    """What a model says by a tool is its words."""
    is_spoken = isinstance(block.name, str) and block.name in SPOKEN
    if not is_spoken and not tools:
        return
    given = decoded(block.input, ANY, "")
    if isinstance(block.name, str) and is_spoken:
        if isinstance(said := field(given, SPOKEN[block.name]), str):
            yield "text", said
    elif tools:
        yield "tool", tool_text(block.name, None if isinstance(given, SkipRecord) else given)


def _result(block: Block, tools: bool) -> Iterator[Piece]:
    content = decoded(block.content, ANY, "")
    for text in texts(content):
        if said := person_said(text, in_result=True):
            yield "text", said
        elif tools:
            yield "tool", tool_text(None, text)


def _shown_by(line: Shown, *, is_first: bool) -> list[tuple[Role, str]]:
    """Who says what in a line of the panel."""
    if not isinstance(line.text, str) or not line.text.strip():
        return []
    kind = line.ask if line.type == "ask" else line.say
    if line.type == "ask" and kind in ("followup", "plan_mode_respond"):
        try:
            told = decode(line.text.encode("utf-8", "surrogatepass"), ANY)
        except ValueError:
            return [("assistant", line.text)]
        said = field(told, "question") or field(told, "response")
        return [("assistant", said)] if isinstance(said, str) and said.strip() else []
    if line.type == "say" and isinstance(kind, str):
        if kind in SHOWN_BY_PERSON or (kind == "text" and is_first):
            return [("user", line.text)]
        if kind in SHOWN_BY_MODEL:
            return [("assistant", line.text.removesuffix(CHANGES_FLAG))]
    return []


def _start(text: str) -> str:
    return " ".join(text[: SAME_START * 4].split())[:SAME_START]
