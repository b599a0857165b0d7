"""What Claude Code's tools were given and gave back, for those who want to search that too."""

from __future__ import annotations

import msgspec

from ..core.model import TurnRecord
from .base import parse_time
from .claude_record import Line
from .claude_thread import Thread
from .content import as_list, field, texts, tool_text
from .json_lines import decode


class _Said(msgspec.Struct, gc=False):
    content: object = None


_SAID = msgspec.json.Decoder(_Said | None)


def tool_turns(thread: Thread, place: int, line: Line, uuid: str | None, turn: str | None) -> list[TurnRecord]:
    """What a record at byte `place` has of tools, as turns that stand between `turn` and whatever follows it."""
    turns: list[TurnRecord] = []
    for number, text in enumerate(_texts(line), 1):
        native_id = f"{uuid}#{number}" if uuid else None
        turns.append(thread.turn("tool", text, parse_time(line.timestamp), place + number, native_id, turn))
        if native_id:
            thread.tails[turn or ""] = native_id
        thread.has_turns = True
    return turns


def _texts(line: Line) -> list[str]:
    """Each tool call of an assistant record, or each result in a user record; one that is broken was counted before."""
    try:
        message = decode(line.message, _SAID)
    except ValueError:
        return []
    blocks = as_list(message.content if message else None)
    if line.type == "assistant":
        calls = [block for block in blocks if field(block, "type") == "tool_use"]
        found = [tool_text(field(call, "name"), field(call, "input")) for call in calls]
    else:
        results = [block for block in blocks if field(block, "type") == "tool_result"]
        found = [tool_text(None, "\n".join(texts(field(result, "content")))) for result in results]
    return [text for text in found if text]
