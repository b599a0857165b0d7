"""The log of one DSH session as records: whose it is, what was said in it, and what was only copied from its parent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

import msgspec

from ..core.model import (
    TITLE_FIRST_PROMPT,
    TITLE_GENERATED,
    TITLE_GIVEN,
    Record,
    Reread,
    Role,
    SessionRecord,
    SkipRecord,
    TurnRecord,
)
from .base import parse_time
from .content import as_list, count, field, identifier, label, texts, tool_text
from .json_lines import decode
from .line_pass import restored
from .unknown_types import UnknownTypes

PACKED = {"text-chunks": "texts", "reasoning-chunks": "texts", "tool-call-chunks": "args"}
"""Rows that stand for several events: which list has one entry for each."""
READ = frozenset(
    """user/message assistant/message session/title session/end-seed request/context subagent/descriptor tool/call
    tool/result""".split()
)
SILENT = frozenset({"assistant/chunk", "assistant/attempt"})
SILENT_FAMILIES = frozenset(
    """agent turn step system developer request tool tool-workflow todo hook llm session session-log-deepseek subagent
    approval sandbox permission command feedback compaction goal skill""".split()
)
"""Families of events without conversation; one that is new in a family with some is counted as unknown."""


class Line(msgspec.Struct, rename="camel"):
    """The header or an event; `data` is only looked into where it may say something."""

    type: object = None
    seq: object = None
    seq0: object = None
    time: object = None
    data: msgspec.Raw = msgspec.Raw()
    surface_op: object = None
    ignorable: object = None
    version: object = None
    id: object = None
    created_at: object = None
    cwd: object = None
    parent_session: object = None
    seed_length: object = None
    is_seeded: object = None
    origin: object = None


class _Message(msgspec.Struct):
    id: object = None
    content: object = None
    source: object = None
    provenance: object = None


class _Data(_Message):
    """All that is ever read of an event's data; what a model streamed is passed over."""

    message: msgspec.Raw = msgspec.Raw()
    title: object = None
    label: object = None
    inherited: object = None
    model: object = None
    name: object = None
    arguments: object = None
    texts: object = None
    args: object = None


LINES = msgspec.json.Decoder(Line)
_DATA = msgspec.json.Decoder(_Data)
_MESSAGE = msgspec.json.Decoder(_Message)
_SEED = msgspec.json.Decoder(dict[str, object])


class _State(msgspec.Struct, array_like=True):
    """What reading on depends on: ids, counts and times, never text."""

    session: str | None = None
    next_seq: int = 0
    order: int = -1
    own_from: int = 0
    """The first seq that is not a copy of the parent's history."""
    is_subagent: bool = False
    time: int | None = None
    model: str | None = None


class Log:
    """Takes the lines of a log one by one and gives their records; raises `Reread` if `state` is of no use.

    `name` is the session's id where no header tells it, `generation` the format that the file is named for, if any.
    """

    def __init__(
        self, name: str, generation: int | None, state: bytes = b"", *, own_from: int = 0, tools: bool
    ) -> None:
        self._state = restored(state, _State) if state else _State(own_from=own_from)
        self._name, self._generation, self._tools = name, generation, tools
        self._goes_on = bool(state)
        self._unknown = UnknownTypes()

    @property
    def state(self) -> bytes:
        """What another `Log` needs to go on from here."""
        return msgspec.msgpack.encode(self._state)

    def pause(self) -> Iterable[SkipRecord]:
        """The unknown types since the last pause; they come before a checkpoint."""
        return self._unknown.told()

    def take(self, place: str, line: Line) -> Iterable[Record]:
        """The records that one line leads to."""
        if line.type == "session":
            return self._take_header(line)
        kind, (seq, self._state.next_seq) = line.type, seq_of(line, self._state.next_seq)
        if not isinstance(kind, str) or kind not in READ:
            if not _is_silent(kind) and line.ignorable is not True:
                self._unknown.count(kind, place)
            return ()
        try:
            data = decode(line.data, _DATA)
            message = decode(data.message, _MESSAGE) if bytes(data.message) else data
        except ValueError:
            return (SkipRecord("unexpected-shape", place),)
        return self._take_event(kind, seq, line, data, message)

    def _take_header(self, line: Line) -> Iterable[Record]:
        state = self._state
        if state.session is not None:
            return
        state.session = label(line.id) or self._name
        state.time = parse_time(line.created_at)
        state.is_subagent = line.origin == "subagent"
        if self._generation is not None and line.version != self._generation:
            version = line.version if isinstance(line.version, int) else "?"
            yield SkipRecord("version-mismatch", f"format {version} in a file named for format {self._generation}")
        yield SessionRecord(
            state.session,
            project=label(line.cwd),
            parent=label(line.parent_session),
            kind="subagent" if state.is_subagent else "main",
        )

    def _take_event(self, kind: str, seq: int, line: Line, data: _Data, message: _Message) -> Iterable[Record]:
        is_own = seq >= self._state.own_from
        match kind:
            case "user/message" if is_own and field(data.source, "kind") == "user":
                if not isinstance(line.surface_op, dict):  # which would replace what was said by a summary of it
                    pieces = texts(data.content)
                    yield from self._turn("user", seq, line, message, pieces[:1] if self._state.is_subagent else pieces)
            case "assistant/message" if is_own:
                yield from self._model(field(message.source, "model") or field(data.provenance, "model"))
                yield from self._turn("assistant", seq, line, message, texts(message.content))
            case "request/context" if is_own:
                yield from self._model(data.model)
            case "session/title":
                yield from self._title(label(data.title), field(data.source, "kind"), is_own=is_own)
            case "subagent/descriptor" if is_own and (title := label(data.label)):
                yield SessionRecord(self._session(), title=title, title_rank=TITLE_GENERATED)
            case "session/end-seed" if is_own and data.inherited is True and self._goes_on:
                raise Reread  # what was taken for this session's own was still being copied from its parent
            case "tool/call" if is_own and self._tools:
                yield from self._turn("tool", seq, line, None, [tool_text(data.name, data.arguments)])
            case "tool/result" if is_own and self._tools:
                result = "\n".join(_result(message.content))
                yield from self._turn("tool", seq, line, message, [tool_text(None, result)])
            case _:
                pass

    def _turn(
        self, role: Role, seq: int, line: Line, message: _Message | None, pieces: list[str]
    ) -> Iterable[TurnRecord]:
        self._state.order = order = max(seq, self._state.order + 1)
        if not (text := "\n".join(pieces).strip()):
            return
        time = parse_time(line.time)
        quality = "exact" if time else "file" if self._state.time else "none"
        native_id = identifier(message.id) if message else None
        yield TurnRecord(self._session(), role, text, time or self._state.time, order, native_id, quality=quality)

    def _title(self, title: str | None, source: object, *, is_own: bool) -> Iterable[SessionRecord]:
        if source == "fallback":  # the first words of the first prompt, which a fork did not write
            rank = TITLE_FIRST_PROMPT if is_own else 0
        else:
            rank = TITLE_GIVEN if source == "user" else TITLE_GENERATED
        if title and rank:
            yield SessionRecord(self._session(), title=title, title_rank=rank)

    def _model(self, value: object) -> Iterable[SessionRecord]:
        model = label(value)
        if model and model != self._state.model:
            self._state.model = model
            yield SessionRecord(self._session(), model=model)

    def _session(self) -> str:
        if self._state.session is None:
            self._state.session = self._name
        return self._state.session


def seq_of(line: Line, following: int) -> tuple[int, int]:
    """An event's number and the number after it; where none is written, its place tells it, which is `following`."""
    list_name = PACKED.get(line.type) if isinstance(line.type, str) else None
    seq = count(line.seq0) if list_name else count(line.seq)
    seq = following if seq is None else seq
    if list_name is None:
        return seq, seq + 1
    try:
        fragments = getattr(decode(line.data, _DATA), list_name)
    except ValueError:
        fragments = None
    return seq, seq + (len(cast(list[object], fragments)) if isinstance(fragments, list) else 1)


def seed_end(lines: Iterable[Line], *, is_old: bool) -> int:
    """The first seq that a session did not inherit; takes no more lines than it needs to tell.

    In the first two formats the header says how many events were copied. Later ones say only that some were: what
    stands before the last `session/end-seed` that is marked as inherited. Where the header is lost, `is_old` tells.
    """
    end, following, is_seeded = 0, 0, not is_old
    for line in lines:
        if line.type == "session":
            if (length := count(line.seed_length)) is not None:
                return length
            is_seeded = line.is_seeded is True
        if not is_seeded:
            return 0
        if line.type == "session":
            continue
        seq, following = seq_of(line, following)
        if line.type == "session/end-seed" and _is_inherited(line):
            end = seq + 1
    return end


def _is_inherited(line: Line) -> bool:
    try:
        return decode(line.data, _SEED).get("inherited") is True
    except ValueError:
        return False


def _is_silent(kind: object) -> bool:
    if not isinstance(kind, str):
        return False
    return kind in SILENT or kind in PACKED or ("/" in kind and kind.partition("/")[0] in SILENT_FAMILIES)


def _result(content: object) -> list[str]:
    """The text of a tool's result: in the first format it is packed once more."""
    found = texts(content)
    for piece in as_list(content):
        found += texts(field(piece, "content"))
    return found
