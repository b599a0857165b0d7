"""The text of a message in the shapes that most agents share, and values of a record that can be trusted as facts."""

from __future__ import annotations

import json
import re
from collections.abc import Container
from typing import cast

TEXT = frozenset({"text", "input_text", "output_text"})
TOOL_HEAD, TOOL_TAIL = 1_500, 500
"""Characters kept of the beginning and the end of what a tool was given or gave back."""
IDENTIFIER = re.compile(r"[\w.:-]{1,128}", re.ASCII)
RESUMABLE = re.compile(r"(?!-)[A-Za-z0-9._-]{1,128}")


def texts(content: object, kinds: Container[str] = TEXT) -> list[str]:
    """The pieces of text in a message's content: a string, or a list of strings and of `{"type", "text"}`.

    A piece whose type is not of `kinds` says nothing; one without a type does.
    """
    found: list[str] = []
    for piece in cast(list[object], content) if isinstance(content, list) else [content]:
        text = piece
        if isinstance(piece, dict):
            kind = cast(dict[str, object], piece).get("type")
            is_text = kind is None or (isinstance(kind, str) and kind in kinds)
            text = cast(dict[str, object], piece).get("text") if is_text else None
        if isinstance(text, str) and text.strip():
            found.append(text)
    return found


def text_of(content: object, kinds: Container[str] = TEXT) -> str:
    """The text in a message's content: its pieces (see `texts`), a blank line between them."""
    return "\n\n".join(texts(content, kinds))


def tool_text(name: object, payload: object) -> str:
    """A tool call or a result as a turn of role `tool`: the tool's name, and the ends of what was passed."""
    if not isinstance(payload, str):
        payload = "" if payload is None else json.dumps(payload, ensure_ascii=False, default=str)
    if len(payload) > TOOL_HEAD + TOOL_TAIL:
        payload = (
            f"{payload[:TOOL_HEAD]}\n[… {len(payload) - TOOL_HEAD - TOOL_TAIL:,} characters]\n{payload[-TOOL_TAIL:]}"
        )
    return f"{name}\n{payload}".strip() if isinstance(name, str) and name else payload.strip()


def label(value: object) -> str | None:
    """A short text such as a path or a title, well-formed; None for anything else."""
    return value.encode("utf-8", "replace").decode()[:4096] if isinstance(value, str) and value.strip() else None


def identifier(value: object) -> str | None:
    """An id that can be stored and passed on; None for anything else."""
    return value if isinstance(value, str) and IDENTIFIER.fullmatch(value) else None


def resumable(native_id: str) -> bool:
    """Whether an id is safe as an argument of another program's command: no option, no path, nothing to expand."""
    return RESUMABLE.fullmatch(native_id) is not None


def count(value: object) -> int | None:
    """A whole number that can be an ordinal or a count; None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53 else None


def field(value: object, *names: str) -> object:
    """What stands at the end of a path of keys in decoded JSON; None where the path breaks."""
    for name in names:
        value = cast(dict[str, object], value).get(name) if isinstance(value, dict) else None
    return value


def as_list(value: object) -> list[object]:
    """A list in decoded JSON as it is, and an empty one for anything else."""
    return cast(list[object], value) if isinstance(value, list) else []


def as_mapping(value: object) -> dict[str, object]:
    """An object in decoded JSON as it is, and an empty one for anything else."""
    return cast(dict[str, object], value) if isinstance(value, dict) else {}
