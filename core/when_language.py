"""The words of time in seven languages, and the phrases that they form. Data alone: when.py says what each kind means.

A phrase is a kind and a pattern in which `{n}` stands for a number, `{date}` for a day of the month, and `{unit}`,
`{day}`, `{part}`, `{weekday}`, `{month}` and `{year}` for words of the same language.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

YEAR, DATE, DIGITS = r"20\d\d", r"(?:0?[1-9]|[12]\d|3[01])", r"\d{1,4}"


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """One language's words in lower case; a word may be a pattern, without groups."""

    days: Mapping[str, int]
    """Word → how many days ago."""
    parts: Mapping[str, tuple[int, int]]
    """Part of a day → from which hour until which."""
    units: Mapping[str, str]
    """Word → h, d, w, m, q or y."""
    numbers: Mapping[str, int]
    weekdays: tuple[tuple[str, ...], ...]
    """From Monday on, each with its other forms."""
    months: tuple[tuple[str, ...], ...]
    phrases: tuple[tuple[str, str], ...]
    spaced: bool = True
    """Words stand apart, and no phrase may begin or end within one."""
    risky: frozenset[str] = field(default_factory=frozenset[str])
    """Words that mean something else on their own; they count only in a phrase or as a filter's value."""


def columns(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(word.replace("_", " ") for word in column.split("|")) for column in text.split())


def phrases(text: str) -> tuple[tuple[str, str], ...]:
    """One a line: its kind, a colon, its pattern."""
    return tuple(
        (kind, pattern) for kind, _, pattern in (line.strip().partition(": ") for line in text.strip().splitlines())
    )


def counted(text: str, first: int = 1) -> dict[str, int]:
    return {word: number for number, word in enumerate(text.split(), first)}


MORNING, NOON, AFTERNOON, EVENING, NIGHT = (0, 12), (11, 14), (12, 18), (17, 24), (18, 29)
