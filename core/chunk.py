"""A turn cut into chunks, the unit of search: a user's or a memory's whole, others on paragraph borders. Pure.

Glueing question and answer into one document loses 8 to 13 points of recall, and long answers bury short ones.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from .model import Role
from .results import Span

TARGET = 800
"""Characters of an assistant's chunk, about."""
LONGEST = 1_200
"""A paragraph longer than this is cut itself, at a line, else at a space."""
LONGEST_PROMPT = 20_000
"""A user's turn is one chunk, but for what was pasted in bulk."""
WHOLE: tuple[Role, ...] = ("user", "memory")
"""A memory's turn is what its adapter cut out of a file, or a note that is short by its nature."""

DAY = 86_400_000
FIRST_DAY = 18_262
"""2020-01-01, in days since 1970; older and undated turns share that day."""
ID_BITS = 20

_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")


def cut(text: str, role: Role) -> list[Span]:
    """The chunks of a turn as spans that leave out only white space; an empty text has none."""
    target, longest = (LONGEST_PROMPT, LONGEST_PROMPT) if role in WHOLE else (TARGET, LONGEST)
    chunks: list[Span] = []
    start = stop = 0
    for piece_start, piece_stop in _pieces(text, target, longest):
        if stop > start and piece_stop - start > longest:
            chunks.append((start, stop))
            start = piece_start
        stop = piece_stop
        if stop - start >= target:
            chunks.append((start, stop))
            start = stop
    if stop > start:
        chunks.append((start, stop))
    return [span for chunk in chunks if (span := _trim(text, chunk))]


def day_of(time: int | None) -> int:
    """The day number that starts a chunk's id: days since 2020-01-01, 0 for older and undated turns."""
    return max(0, time // DAY - FIRST_DAY) if time is not None else 0


def first_id(time: int) -> int:
    """The smallest id a chunk of the day of `time` can have."""
    return day_of(time) << ID_BITS


_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
DATE_WORDS = frozenset(word.lower() for word in (*_DAYS, *_MONTHS))
"""The words that `date_words` may give, but for numbers."""


def date_words(time: int | None) -> str:
    """The day of a turn in words, indexed beside its text: `Monday 30 November 2026`."""
    if time is None:
        return ""
    when = datetime.fromtimestamp(time / 1000, UTC)
    return f"{_DAYS[when.weekday()]} {when.day} {_MONTHS[when.month - 1]} {when.year}"


def _pieces(text: str, target: int, longest: int) -> list[Span]:
    """Paragraphs, the long ones cut."""
    pieces: list[Span] = []
    start = 0
    for border in [*_PARAGRAPH.finditer(text), None]:
        stop, after = (border.start(), border.end()) if border else (len(text), len(text))
        while stop - start > longest:
            at = _break_before(text, start, start + target)
            pieces.append((start, at))
            start = at
        if stop > start:
            pieces.append((start, stop))
        start = after
    return pieces


def _break_before(text: str, start: int, stop: int) -> int:
    """The best place to cut between the middle of the range and its end."""
    middle = (start + stop) // 2
    for mark in ("\n", "。", ". ", "，", " "):
        if (at := text.rfind(mark, middle, stop)) >= 0:
            return at + len(mark)
    return stop


def _trim(text: str, span: Span) -> Span | None:
    start, stop = span
    part = text[start:stop]
    if not (kept := part.strip()):
        return None
    start += len(part) - len(part.lstrip())
    return start, start + len(kept)
