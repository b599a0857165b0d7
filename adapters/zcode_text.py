"""What a person typed and the agent answered in a message of ZCode, in whichever of its stores."""

from __future__ import annotations

import re

from .content import text_of, texts
from .tags import without

NOT_HUMAN = "<task-notification"
DIRECTORY = re.compile(rb'Primary working directory:\s*((?:[^"\\]|\\[^nr]){1,4096})')
"""In the JSON of a system message; what follows is the end of the line or of the text."""
PEEK = 1 << 16
"""Bytes of a system message that are looked at, for nothing but the working directory."""


def prompt(content: object) -> str:
    """The words of a person in a user message; empty for what a program said in the person's place."""
    pieces = (without(piece, "system-reminder").strip() for piece in texts(content))
    return "\n\n".join(piece for piece in pieces if piece and not piece.startswith(NOT_HUMAN))


def answer(content: object) -> str:
    """The words of the agent."""
    return text_of(content).strip()
