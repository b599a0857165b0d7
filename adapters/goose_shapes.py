"""What Goose's messages look like, the same in its JSON lines and in its database."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ..core.model import SkipRecord
from .content import field, texts, tool_text
from .json_lines import decode
from .message_turns import Piece
from .unknown_types import unknown_type

SILENT = frozenset(
    """thinking redactedThinking image systemNotification toolConfirmationRequest frontendToolRequest actionRequired
    contextLengthExceeded summarizationRequested conversationCompacted reasoning""".split()
)
"""Blocks that are no conversation."""


class Block(msgspec.Struct):
    """A piece of a message."""

    type: object = None
    text: object = None
    toolCall: object = None  # noqa: N815
    toolResult: object = None  # noqa: N815


BLOCKS = msgspec.json.Decoder(list[msgspec.Raw] | None)
BLOCK = msgspec.json.Decoder(Block)


def pieces_of(content: msgspec.Raw | bytes, place: str, tools: bool) -> list[Piece | SkipRecord]:
    """What a message says; with `tools` what tools were given and gave back, too."""
    found: list[Piece | SkipRecord] = []
    try:
        for raw in decode(content, BLOCKS) or ():
            found += _pieces(decode(raw, BLOCK), place, tools)
    except ValueError as error:
        reason = "unexpected-shape" if isinstance(error, msgspec.ValidationError) else "not-json"
        found.append(SkipRecord(reason, place))
    return found


def _pieces(block: Block, place: str, tools: bool) -> Iterator[Piece | SkipRecord]:
    if block.type == "text":
        if isinstance(block.text, str):
            yield "text", block.text
    elif block.type == "toolRequest":
        if tools and (call := field(block.toolCall, "value")):
            yield "tool", tool_text(field(call, "name"), field(call, "arguments"))
    elif block.type == "toolResponse":
        if tools:
            result = field(block.toolResult, "value")
            said = "\n".join(texts(field(result, "content") or result)) or field(block.toolResult, "error")
            yield "tool", tool_text(None, said)
    elif not isinstance(block.type, str) or block.type not in SILENT:
        yield unknown_type(block.type, place)


def is_hidden(metadata: object) -> bool:
    """Whether a message is for the model alone."""
    return field(metadata, "userVisible") is False
