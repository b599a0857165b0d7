"""What an agent is answered: objects of bounded size, every text in them harmless. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from .clean import clean, clean_line
from .memory import citation
from .pack import iso
from .results import Hit, Session, Turn

SNIPPET, TEXT, NAME = 300, 4_000, 1_024
"""Characters of a hit, of a turn, of a path, a branch and the like."""
MOST_BYTES, MOST_BYTES_OF_HISTORY = 32 << 10, 80 << 10
"""Of a whole answer as JSON in UTF-8."""
ROOM = 4 << 10
"""Bytes of it that are kept free for flags and a warning."""
WARNING = 600
"""Characters."""
_MARK = "[redacted:"
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")


class Unavailable(Exception):
    """There is nothing of that name, or nothing that may be read: which of the two is not said."""


def as_json(answer: object) -> str:
    """JSON as an agent reads it: letters as they are, anything that can't be seen or acts as `\\uXXXX`."""
    text = json.dumps(answer, ensure_ascii=False, separators=(",", ":")).replace("\x7f", "\\u007f")
    return text if text.isascii() else _BEYOND_ASCII.sub(lambda found: _shown(found[0]), text)


@lru_cache(4_096)
def _shown(character: str) -> str:
    """A character as it is, or as JSON escapes it: ids are kept as their stores have them."""
    return character if character.isprintable() and clean(character) == character else json.dumps(character)[1:-1]


def size(answer: object) -> int:
    """Bytes of an answer."""
    return len(as_json(answer).encode())


def bounded(answer: dict[str, Any], rows: str, most: int = MOST_BYTES, *, from_start: bool = False) -> dict[str, Any]:
    """An answer with as many of its list `rows` as fit in `most` bytes with `ROOM`: its last ones go, or its first.

    Then `truncated` is true, and `dropped` says how many went.
    """
    items: list[Any] = answer[rows]
    room = most - ROOM - size({**answer, rows: [], "truncated": True, "dropped": len(items)})
    kept = 0
    for item in reversed(items) if from_start else items:
        room -= size(item) + 1
        if room < 0:
            break
        kept += 1
    if kept == len(items):
        return answer
    shown = items[len(items) - kept :] if from_start else items[:kept]
    return {**answer, rows: shown, "truncated": True, "dropped": len(items) - kept}


def warning(notes: list[str]) -> str | None:
    """All there is to say about an answer, in one text."""
    return clean_line("; ".join(notes), WARNING) or None


def session_row(session: Session) -> dict[str, Any]:
    """A session without its turns."""
    return without_none(
        session=session.key,
        source=session.source,
        title=clean_line(session.title),
        project=_name(session.project),
        branch=_name(session.branch),
        model=_name(session.model),
        kind=session.kind,
        agent=_name(session.agent),
        parent=session.parent,
        about=session.about,
        started=iso(session.started),
        updated=iso(session.updated),
        turns=session.turns,
        gone_at_source=session.gone_at_source or None,
    )


def hit_row(hit: Hit) -> dict[str, Any]:
    """A turn that matches."""
    session = hit.session
    return without_none(
        session=session.key,
        turn=hit.number,
        role=hit.role,
        time=iso(hit.time),
        title=clean_line(session.title),
        project=_name(session.project),
        branch=_name(session.branch),
        agent=_name(session.agent),
        cite=citation(session, hit.cite),
        snippet=clean_line(hit.excerpt.text, SNIPPET),
        score=round(hit.score, 4),
        some_of_the_words=hit.partial or None,
        gone_at_source=session.gone_at_source or None,
    )


def turn_row(session: Session, turn: Turn, start: int = 0, most: int = TEXT) -> dict[str, Any]:
    """A turn with at most `most` characters of its text from `start` on."""
    text = clean(turn.text)
    shown = text[start : start + most]
    return without_none(
        turn=turn.number,
        role=turn.role,
        time=iso(turn.time),
        cite=citation(session, turn.cite),
        text=shown,
        text_length=len(text) if len(shown) < len(text) else None,
        content_truncated=len(shown) < len(text) or None,
        content_redacted=_MARK in text or None,
    )


def moment_row(session: Session, turn: Turn, gist: int, *, is_anchor: bool = False) -> dict[str, Any]:
    """A turn as one of many on a line of time."""
    return without_none(
        session=session.key,
        title=clean_line(session.title),
        turn=turn.number,
        role=turn.role,
        time=iso(turn.time),
        cite=citation(session, turn.cite),
        text=clean_line(turn.text, gist),
        anchor=is_anchor or None,
    )


def without_none(**facts: Any) -> dict[str, Any]:
    """The facts that there are."""
    return {name: fact for name, fact in facts.items() if fact is not None}


def shrunk(make: Callable[[int], dict[str, Any]], budget: int, most: int = MOST_BYTES) -> dict[str, Any]:
    """What `make` gives for the greatest of `budget`, its half, its quarter … whose answer fits in `most` bytes."""
    while size(answer := make(budget)) > most - ROOM and budget > 1:
        budget //= 2
    return answer


def _name(text: str | None) -> str | None:
    return None if text is None else clean_line(text, NAME)
