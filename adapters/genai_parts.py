"""The parts of a message as Google's API has them, which Gemini CLI and Qwen Code write down as they are."""

from __future__ import annotations

from collections.abc import Iterator

from .content import as_list, field


def said(content: object) -> list[str]:
    """The pieces of text in a message: a string or parts; no thoughts."""
    found: list[str] = []
    for part in as_list(content) or [content]:
        text = part if isinstance(part, str) else field(part, "text") if field(part, "thought") is not True else None
        if isinstance(text, str) and text.strip():
            found.append(text)
    return found


def tools(content: object) -> Iterator[tuple[object, object]]:
    """(name, what was passed) of each tool call and each result among the parts."""
    for part in as_list(content):
        if (name := field(part, "functionCall", "name")) is not None:
            yield name, field(part, "functionCall", "args")
        elif (name := field(part, "functionResponse", "name")) is not None:
            response = field(part, "functionResponse", "response")
            yield name, field(response, "output") or field(response, "error") or response
