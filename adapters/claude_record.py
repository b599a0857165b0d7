"""The records of Claude Code's session files, as far as they matter here."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import msgspec

from ..core.model import SkipRecord
from .base import open_file
from .json_lines import NULL, JsonLines, decode

META = {
    "system", "progress", "custom-title", "ai-title", "agent-name", "summary", "relocated", "queue-operation",
    "last-prompt", "file-history-snapshot", "permission-mode", "mode", "pr-link", "frame-link", "bridge-session",
    "worktree-state", "atis-latch", "started", "result",
}  # fmt: skip
"""Known types of records in which nobody speaks (steering in `queue-operation` aside)."""
SPOKEN = ("user", "assistant", "attachment")
TASK = "task-notification"
SYNTHETIC, NO_CONTENT = "<synthetic>", "(no content)"


class Line(msgspec.Struct, rename="camel", gc=False):
    """What counts of a record; any value may have any type."""

    type: Any = None
    uuid: Any = None
    parent_uuid: Any = None
    logical_parent_uuid: Any = None
    session_id: Any = None
    timestamp: Any = None
    cwd: Any = None
    git_branch: Any = None
    is_sidechain: Any = None
    agent_id: Any = None
    is_meta: Any = None
    is_compact_summary: Any = None
    is_api_error_message: Any = None
    prompt_source: Any = None
    entrypoint: Any = None
    origin: Any = None
    message: msgspec.Raw = NULL
    attachment: msgspec.Raw = NULL
    operation: Any = None
    content: msgspec.Raw = NULL
    summary: Any = None
    leaf_uuid: Any = None
    custom_title: Any = None
    ai_title: Any = None
    agent_name: Any = None
    relocated_cwd: Any = None

    @property
    def is_linked(self) -> bool:
        """Whether this record has a place on a branch."""
        return self.type in SPOKEN or isinstance(self.uuid, str)


class Block(msgspec.Struct, gc=False):
    type: Any = None
    text: Any = None


Content = str | list[Block] | None


class Said(msgspec.Struct, gc=False):
    id: Any = None
    model: Any = None
    content: Content = None


class Queued(msgspec.Struct, rename="camel", gc=False):
    type: Any = None
    prompt: msgspec.Raw = NULL
    command_mode: Any = None
    origin: Any = None
    is_meta: Any = None


LINE = msgspec.json.Decoder(Line)
_SAID = msgspec.json.Decoder(Said | None)
_CONTENT = msgspec.json.Decoder(Content)
_QUEUED = msgspec.json.Decoder(Queued | None)


def asked(line: Line) -> list[str]:
    """The text blocks of a user record or of a prompt that was queued; ValueError for an unexpected shape."""
    if line.is_meta is True or _is_task(line.origin):
        return []
    if line.type == "user":
        said = decode(line.message, _SAID)
        return _texts(said.content if said else None)
    queued = decode(line.attachment, _QUEUED)
    if queued is None or queued.type != "queued_command" or queued.is_meta is True:
        return []
    if queued.command_mode == TASK or _is_task(queued.origin):
        return []
    return _texts(decode(queued.prompt, _CONTENT))


def steered(line: Line) -> list[str]:
    """The text blocks of a queue operation; ValueError for an unexpected shape."""
    return _texts(decode(line.content, _CONTENT))


def replied(line: Line) -> tuple[str | None, str | None, list[str]]:
    """The message id, model and text blocks of an assistant record; ValueError for an unexpected shape."""
    said = decode(line.message, _SAID)
    if said is None or said.model == SYNTHETIC or line.is_api_error_message is True or line.is_meta is True:
        return None, None, []
    model = said.model[:200] if isinstance(said.model, str) else None
    return name_of(said.id), model or None, [text for text in _texts(said.content) if text != NO_CONTENT]


def is_all_aside(path: Path, place: int) -> bool:
    """Whether all records of a file from `place` on are a sub-agent's."""
    with open_file(path) as stream:
        return all(
            isinstance(item, SkipRecord) or not item[1].is_linked or item[1].is_sidechain is True
            for item in JsonLines(stream, LINE, place)
        )


def name_of(value: Any) -> str | None:
    """A value of a record that can serve as an id."""
    return value if isinstance(value, str) and 0 < len(value) <= 128 else None


def _texts(content: Content) -> list[str]:
    """The text blocks of a message that say anything."""
    if isinstance(content, str):
        return [text] if (text := content.strip()) else []
    blocks = [block.text for block in content or () if block.type == "text"]
    return [text.strip() for text in blocks if isinstance(text, str) and not text.isspace() and text]


def _is_task(origin: Any) -> bool:
    return isinstance(origin, dict) and cast(dict[str, Any], origin).get("kind") == TASK
