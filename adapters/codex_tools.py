"""What Codex's tools were given and gave back, for those who want to search that too."""

from __future__ import annotations

import msgspec

from .codex_shapes import Body
from .content import field, texts, tool_text
from .json_lines import ANY, decode

CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call"})
RESULTS = frozenset({"function_call_output", "custom_tool_call_output", "tool_search_output", "function_result"})
TOOL_ITEMS = CALLS | RESULTS


def used(body: Body, kind: str) -> str:
    """A call or a result of the type `kind` as text; empty where it says nothing."""
    if kind in CALLS:
        name = body.name if isinstance(body.name, str) else kind.removesuffix("_call")
        return tool_text(name, next((part for raw in _parts(body) if (part := _value(raw))), None))
    result = _value(body.output)
    inner = field(result, "content") or field(result, "output")
    return tool_text(None, "\n".join(texts(inner or result)) or result)


def _parts(body: Body) -> tuple[msgspec.Raw, ...]:
    return body.arguments, body.input, body.action


def _value(raw: msgspec.Raw) -> object:
    """What stands there; None where it is no JSON."""
    try:
        return decode(raw, ANY)
    except ValueError:
        return None
