"""What OpenCode's sessions, messages and parts look like, the same in its JSON files and in its databases."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from ..core.model import TITLE_GENERATED, SessionRecord, SkipRecord
from .base import parse_time
from .content import field, label, tool_text
from .json_lines import ANY, NULL, decode
from .message_turns import Piece
from .unknown_types import unknown_type

SILENT_PARTS = frozenset(
    "reasoning file step-start step-finish compaction patch snapshot agent subtask retry source-url source".split()
)
"""Parts that are no conversation."""
NO_TITLE = re.compile(r"(?:New|Child) session - \d{4}-\d\d-\d\dT[\d:.]+Z?")


class Info(msgspec.Struct):
    """A session; `time` is `{created, updated}`, `revert` `{messageID, partID}`."""

    id: object = None
    parentID: object = None  # noqa: N815
    projectID: object = None  # noqa: N815
    directory: object = None
    title: object = None
    revert: object = None


class Message(msgspec.Struct):
    """A message; only the oldest builds kept its parts in it, and its time in `metadata`."""

    id: object = None
    role: object = None
    time: object = None
    summary: object = None
    """True for an assistant's summary of what was compacted; a user's has an object of generated words here."""
    modelID: object = None  # noqa: N815
    model: object = None
    path: object = None
    parts: msgspec.Raw = NULL
    metadata: object = None

    @property
    def created(self) -> int | None:
        return parse_time(field(self.time, "created") or field(self.metadata, "time", "created"))

    @property
    def is_said(self) -> bool:
        """Whether it is somebody's own words."""
        return self.role in ("user", "assistant") and self.summary is not True

    @property
    def folder(self) -> str | None:
        """Where it was said."""
        told = self.path or field(self.metadata, "assistant", "path")
        return label(told) or label(field(told, "cwd")) or label(field(told, "root"))

    @property
    def model_name(self) -> str | None:
        own = self.modelID or field(self.metadata, "assistant", "modelID")
        return label(own) or model_name(self.model)


class Part(msgspec.Struct):
    """A piece of a message. `state` is what a tool was given and gave back."""

    id: object = None
    messageID: object = None  # noqa: N815
    type: object = None
    text: object = None
    synthetic: object = None
    ignored: object = None
    tool: object = None
    name: object = None
    state: msgspec.Raw = NULL
    toolInvocation: msgspec.Raw = NULL  # noqa: N815


INFO = msgspec.json.Decoder(Info)
MESSAGE = msgspec.json.Decoder(Message)
PART = msgspec.json.Decoder(Part)
PARTS = msgspec.json.Decoder(list[msgspec.Raw] | None)


def pieces_of(part: Part, place: str, tools: bool) -> Iterator[Piece | SkipRecord]:
    """What a part says; nothing where its text is not the speaker's own."""
    if part.type == "text":
        if isinstance(part.text, str) and part.text.strip() and not part.synthetic and not part.ignored:
            yield "text", part.text
    elif part.type == "tool":
        if tools:
            yield from _tool_pieces(part)
    elif part.type == "tool-invocation":
        if tools:
            call = decode(part.toolInvocation, ANY)
            yield "tool", tool_text(field(call, "toolName"), field(call, "args"))
            if (result := field(call, "result")) is not None:
                yield "tool", tool_text(field(call, "toolName"), result)
    elif not isinstance(part.type, str) or part.type not in SILENT_PARTS:
        yield unknown_type(part.type, place)


def _tool_pieces(part: Part) -> Iterator[Piece]:
    name = part.tool if isinstance(part.tool, str) else part.name
    state = decode(part.state, ANY)
    yield "tool", tool_text(name, field(state, "input"))
    for key in ("output", "content", "error"):
        if (result := field(state, key)) is not None:
            yield "tool", tool_text(name, result)


def model_name(value: object) -> str | None:
    """A model from its name, or from `{providerID, modelID or id}`."""
    return label(value) or label(field(value, "modelID")) or label(field(value, "id"))


def facts(session: str, title: object, directory: object, parent: str | None, *, fork: bool = False) -> SessionRecord:
    """A session's own facts; a child that is no fork serves another session."""
    own = label(title)
    if own is not None and NO_TITLE.fullmatch(own.strip()):
        own = None
    kind = "subagent" if parent and not fork else None
    return SessionRecord(session, own, TITLE_GENERATED if own else 0, label(directory), parent=parent, kind=kind)
