"""What a person typed and an agent answered in WorkBuddy or CodeBuddy, without what was put around it."""

from __future__ import annotations

from .content import text_of, texts
from .tags import without

QUERY, REMINDER = "user_query", "system-reminder"
COMMANDS = ("<command-name>", "<command-message>", "<local-command-stdout>", "Caveat:")
WARM_UP = "Warmup"


def prompt(content: object) -> str:
    """The person's words: what stands in `<user_query>` if that is there, else all but reminders and commands."""
    pieces = texts(content)
    asked = [text for piece in pieces if (text := _query(piece)) is not None]
    if not asked:
        asked = [text for piece in pieces if (text := without(piece, REMINDER).strip()) and not _is_command(text)]
    return "\n\n".join(filter(None, asked))


def answer(content: object) -> str:
    """The agent's words; empty for a stub of a reply that never came."""
    return text_of(content).strip()


def _query(text: str) -> str | None:
    """The inside of the first `<user_query>` that is not itself within a reminder. Linear in the text."""
    opening, closing, start = f"<{QUERY}>", f"</{QUERY}>", 0
    while (at := text.find(opening, start)) >= 0:
        reminder = text.rfind(f"<{REMINDER}", start, at)
        end = text.find(f"</{REMINDER}>", reminder) if reminder >= 0 else -1
        if end < at:
            return text[at + len(opening) :].partition(closing)[0].strip()
        start = end
    return None


def _is_command(text: str) -> bool:
    return text.startswith(COMMANDS) or text == WARM_UP
