"""One composer of Cursor's editor: its bubbles by the order of its headers, and those that were edited away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from ..core.model import TITLE_GENERATED, Record, Role, SessionRecord, SkipRecord, TurnRecord, UndoRecord, Unreadable
from .base import parse_time
from .content import as_list, as_mapping, field, label, tool_text
from .cursor_turns import TurnNames, model_of, title_of
from .foreign_sqlite import ForeignStore, fitting
from .json_lines import decode

TABLE = "cursorDiskKV"
COMPOSER, BUBBLE = "composerData:", "bubbleId:"
NO_COMMAND = "ide/"
"""Begins what stands for a composer's id towards `resume`: no command reopens it."""
ROLES: dict[object, Role] = {1: "user", 2: "assistant"}


class _Composer(msgspec.Struct):
    name: object = None
    created: object = msgspec.field(default=None, name="createdAt")
    updated: object = msgspec.field(default=None, name="lastUpdatedAt")
    headers: object = msgspec.field(default=None, name="fullConversationHeadersOnly")
    inline: object = msgspec.field(default=None, name="conversation")
    bubbles: object = msgspec.field(default=None, name="conversationMap")
    model: object = msgspec.field(default=None, name="modelConfig")


class _Bubble(msgspec.Struct):
    type: object = None
    text: object = None
    raw_text: object = msgspec.field(default=None, name="rawText")
    created: object = msgspec.field(default=None, name="createdAt")
    project: object = msgspec.field(default=None, name="workspaceProjectDir")


class _BubbleWithTool(_Bubble):
    tool: object = msgspec.field(default=None, name="toolFormerData")


@dataclass(frozen=True, slots=True)
class _Said:
    """What is kept of a bubble, which may hold megabytes of context."""

    turns: tuple[tuple[Role, str], ...]
    time: int | None
    project: str | None


_COMPOSERS = msgspec.json.Decoder(_Composer)
_BUBBLES, _BUBBLES_WITH_TOOL = msgspec.json.Decoder(_Bubble), msgspec.json.Decoder(_BubbleWithTool)


def read_composer(store: ForeignStore, name: str, *, with_tools: bool) -> Iterator[Record]:
    """The records of the composer `name`, an identifier. Raises OSError and `Unreadable`."""
    sql = f"SELECT octet_length(value), {fitting('value')} FROM {TABLE} WHERE key = ?"  # noqa: S608
    for size, value in store.rows(sql, COMPOSER + name):
        if size is None:
            continue
        if value is None:
            raise Unreadable("too-large")
        try:
            composer = decode(as_bytes(value), _COMPOSERS)
        except ValueError as error:
            raise Unreadable("not-json") from error
        yield from _Conversation(name, composer, with_tools=with_tools).records(store)


class _Conversation:
    def __init__(self, session: str, composer: _Composer, *, with_tools: bool) -> None:
        self._session, self._composer, self._with_tools = session, composer, with_tools
        self._names = TurnNames(session)
        self._begun = parse_time(composer.created) or parse_time(composer.updated)
        self._order = 0
        self._project: str | None = None
        self._skips: list[SkipRecord] = []

    def records(self, store: ForeignStore) -> Iterator[Record]:
        composer, session = self._composer, self._session
        bubbles = {key: self._said(_loose(value)) for key, value in as_mapping(composer.bubbles).items()}
        bubbles |= self._stored(store)
        headers = [field(header, "bubbleId") for header in as_list(composer.headers)]
        for name in dict.fromkeys(name for name in headers if isinstance(name, str)):
            if (said := bubbles.pop(name, None)) is not None:
                yield from self._turns(said)
            else:
                yield SkipRecord("missing-message", "a bubble")
        for bubble in as_list(composer.inline) if not headers else ():
            bubbles.pop(str(field(bubble, "bubbleId")), None)
            yield from self._turns(self._said(_loose(bubble)))
        kept = self._order
        for said in sorted(bubbles.values(), key=lambda said: said.time or 0):
            yield from self._turns(said)  # edited away: no header names it
        if self._order > kept:
            yield UndoRecord(session, kept, self._order)
        title = title_of(composer.name)
        yield SessionRecord(
            session, title=title, title_rank=TITLE_GENERATED if title else 0, project=self._project,
            model=model_of(field(composer.model, "modelName")), kind="main", handle=NO_COMMAND + session,
        )  # fmt: skip
        yield from self._skips

    def _stored(self, store: ForeignStore) -> dict[str, _Said]:
        first, end = f"{BUBBLE}{self._session}:", f"{BUBBLE}{self._session};"  # an identifier: nothing needs quoting
        columns = f"key, octet_length(value), {fitting('value')}"
        sql = f"SELECT {columns} FROM {TABLE} WHERE key > ? AND key < '{end}' ORDER BY key"  # noqa: S608
        found: dict[str, _Said] = {}
        for key, size, value in store.scan(sql, first):
            if value is None:
                if size is not None:
                    self._skips.append(SkipRecord("too-large", "a bubble"))
                continue
            try:
                data = as_bytes(value)
                bubble = decode(data, _BUBBLES_WITH_TOOL) if self._with_tools else decode(data, _BUBBLES)
                found[str(key).removeprefix(first)] = self._said(bubble)
            except ValueError:
                self._skips.append(SkipRecord("not-json", "a bubble"))
        return found

    def _said(self, bubble: _Bubble) -> _Said:
        turns: list[tuple[Role, str]] = []
        role = ROLES.get(bubble.type) if isinstance(bubble.type, int) else None
        text = bubble.text if isinstance(bubble.text, str) and bubble.text.strip() else bubble.raw_text
        if role and isinstance(text, str) and text.strip():
            turns.append((role, text))
        if self._with_tools and isinstance(bubble, _BubbleWithTool) and (tool := field(bubble.tool, "name")):
            for payload in (field(bubble.tool, "rawArgs"), field(bubble.tool, "result")):
                if payload and (words := tool_text(tool, payload)):
                    turns.append(("tool", words))
        project = label(bubble.project)
        if project and ".cursor/projects" in project.replace("\\", "/"):
            project = None  # Cursor's own folder for the project
        return _Said(tuple(turns), parse_time(bubble.created), project)

    def _turns(self, said: _Said) -> Iterator[TurnRecord]:
        self._project = self._project or said.project
        quality = "exact" if said.time else "file" if self._begun else "none"
        for role, text in said.turns:
            name, time = self._names.name(role, text), said.time or self._begun
            yield TurnRecord(self._session, role, text, time, self._order, name, quality=quality)
            self._order += 1


def _loose(value: object) -> _BubbleWithTool:
    """A bubble that is part of a decoded composer."""
    try:
        return msgspec.convert(value, _BubbleWithTool)
    except msgspec.MsgspecError:
        return _BubbleWithTool()


def as_bytes(value: object) -> bytes:
    """A cell's text or bytes; nothing for anything else."""
    return value if isinstance(value, bytes) else value.encode("utf-8", "replace") if isinstance(value, str) else b""
