"""A message in the shape of OpenAI's chat API, as Mistral Vibe and Continue keep it."""

from __future__ import annotations

import msgspec

from ..core.model import Role
from .content import as_list, field, text_of, texts, tool_text
from .json_lines import ANY, NULL, decode

SILENT = frozenset({"system", "developer", "thinking", "tool"})
"""Roles in which neither the person nor the agent speaks."""


class ChatMessage(msgspec.Struct, gc=False):
    """What counts of a message; any value may have any type."""

    role: object = None
    content: msgspec.Raw = NULL
    message_id: object = None
    injected: object = None
    name: object = None
    tool_calls: msgspec.Raw = NULL
    called: msgspec.Raw = msgspec.field(default=NULL, name="toolCalls")


def said(message: ChatMessage, tools: bool) -> list[tuple[Role, str]] | None:
    """What a message says, with `tools` its calls and results too; None for a role that is not known.

    Raises ValueError for an unexpected shape.
    """
    match message.role:
        case "user" | "assistant":
            text = text_of(decode(message.content, ANY))
            role: Role = "user" if message.role == "user" else "assistant"
            spoken: list[tuple[Role, str]] = [(role, text)] if text.strip() else []
            return spoken + (_calls(message) if tools else [])
        case "tool" if tools:
            text = tool_text(message.name, "\n".join(texts(decode(message.content, ANY))))
            return [("tool", text)] if text else []
        case str() if message.role in SILENT:
            return []
        case _:
            return None


def _calls(message: ChatMessage) -> list[tuple[Role, str]]:
    called: list[tuple[Role, str]] = []
    for call in as_list(decode(message.tool_calls, ANY) or decode(message.called, ANY)):
        text = tool_text(field(call, "function", "name"), field(call, "function", "arguments"))
        if text:
            called.append(("tool", text))
    return called
