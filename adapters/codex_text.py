"""What a person typed, without what Codex put round it; what an assistant said, as both layers have it."""

from __future__ import annotations

import re

from .content import label

IMAGE_MARK = re.compile(r"\s*</?image\b[^>]*>\s*")
WHOLE = re.compile(
    r"\s*<(skill|user_shell_command|turn_aborted|subagent_notification|goal_context|codex_internal_context)\b"
)
"""A text that starts so is Codex speaking, to its end."""
LEADING = re.compile(
    r"\s*(?:<(permissions instructions|(?:apps|skills|plugins|user)_instructions|environment_context|collaboration_mode"
    r"|realtime_conversation|extension_context|recommended_plugins)\b[^>]*>"
    r"|# AGENTS\.md instructions[^\n]*\s*<(INSTRUCTIONS)>)"
)
"""A block that starts so is Codex speaking; the person may go on where it ends."""
PREAMBLE = re.compile(r"\s*# (?:Context from my IDE setup|Files mentioned by the user)")
REQUEST = "## My request for Codex:"
DIRECTORY = re.compile(r"\s*<environment_context>\s*<cwd>([^<]+)</cwd>")


def prompt(pieces: list[str]) -> str:
    """What the person typed of a user message; empty where all of it is context that Codex put in."""
    return "\n".join(typed for piece in pieces if (typed := _typed(piece)))


def _typed(text: str) -> str:
    if IMAGE_MARK.fullmatch(text) or WHOLE.match(text):
        return ""
    start = 0
    while block := LEADING.match(text, start):
        closing = f"</{block[1] or block[2]}>"
        end = text.find(closing, block.end())
        if end < 0:
            return ""
        start = end + len(closing)
        if WHOLE.match(text, start):
            return ""
    if PREAMBLE.match(text, start) and (request := text.find(REQUEST, start)) >= 0:
        start = request + len(REQUEST)
    return text[start:].strip()


def directory(pieces: list[str]) -> str | None:
    """The working directory that an `<environment_context>` at the start of a message names."""
    return next((label(found[1]) for piece in pieces if (found := DIRECTORY.match(piece))), None)


def comparable(text: str) -> str:
    """An assistant's text without what its copies may differ in: white space, and two blocks that only items have."""
    return "".join((_without("proposed_plan", _without("oai-mem-citation", text)) or text).split())


def _without(tag: str, text: str) -> str:
    opening, closing, kept, start = f"<{tag}>", f"</{tag}>", "", 0
    while (found := text.find(opening, start)) >= 0 and (end := text.find(closing, found)) >= 0:
        kept, start = kept + text[start:found], end + len(closing)
    return kept + text[start:]
