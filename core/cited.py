"""Parts of one file, each cited by its lines: cleaned and redacted as the one text that they are parts of. Pure.

A secret may stand across the border of two parts, and neither of them alone would look like it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from .clean import clean
from .redact import Redacted, redact

K = TypeVar("K")

_CITE = re.compile(r"L([1-9]\d{0,8})-L([1-9]\d{0,8})", re.ASCII)


def lines_cited(cite: str | None) -> range | None:
    """The lines, counted from 1, that `L12-L30` stands for; None for anything else."""
    found = _CITE.fullmatch(cite or "")
    return range(int(found[1]), int(found[2]) + 1) if found else None


class Part(NamedTuple):
    """A text as its adapter gave it."""

    file: str
    cite: str | None
    texts: Sequence[str]
    """Only what is one piece can be a range of lines."""


def redacted_together(parts: Iterable[tuple[K, Part]]) -> tuple[dict[K, str], Counter[str]]:
    """The texts of those that are cited by their lines, by key, and how many secrets of each kind they had."""
    files: dict[str, list[tuple[K, range, str]]] = {}
    for key, part in parts:
        place = lines_cited(part.cite) if part.cite and len(part.texts) == 1 else None
        if place and len(place) == part.texts[0].count("\n") + 1:
            files.setdefault(part.file, []).append((key, place, part.texts[0]))
    found: dict[K, str] = {}
    counts: Counter[str] = Counter()
    for each in files.values():
        texts, of_file = redacted_parts([(place, text) for _, place, text in each])
        found |= zip((key for key, _, _ in each), texts, strict=True)
        counts.update(of_file)
    return found, counts


def redacted_parts(parts: Sequence[tuple[range, str]]) -> tuple[list[str], dict[str, int]]:
    """The texts, line by line as long as before, and how many secrets of each kind they had.

    Each range is the lines of its text, and there are as many. What parts overlap in is taken from the first of them.
    """
    lines: dict[int, str] = {}
    for place, text in parts:
        for number, line in zip(place, text.split("\n"), strict=True):
            if number not in lines:
                lines[number] = clean(line).replace("\n", " ")
    at: dict[int, int] = {}
    joined: list[str] = []
    for number in sorted(lines):
        if joined and number - 1 not in at:
            joined.append("")  # what is between is no part of any
        at[number] = len(joined)
        joined.append(lines[number])
    outcome: Redacted = redact("\n".join(joined), keep_lines=True)
    masked = outcome.text.split("\n")
    return ["\n".join(masked[at[place[0]] : at[place[-1]] + 1]) for place, _ in parts], outcome.counts
