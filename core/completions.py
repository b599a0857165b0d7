"""What a filter that is being typed may become: its name, and its values as the index has them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath

from .database import Database
from .query import ALLOWED, FILTERS, TIMES

MOST = 50
"""So many are offered."""
_BEGUN = re.compile(
    r"(?:^|(?<=\s))(?P<minus>-?)(?P<key>[a-z]+)(?::(?P<values>(?:\"[^\"]*|[^\s\"]*)))?\Z", re.IGNORECASE
)
_COLUMNS = {"source": "source", "project": "project", "branch": "branch", "model": "model"}
_EXAMPLES = ("today", "yesterday", "7d", "2w", "last week", "last month")


@dataclass(frozen=True, slots=True)
class Completion:
    """`text[start:stop]` may become `new`."""

    start: int
    stop: int
    new: str
    shown: str
    """What it is called in a list."""
    sessions: int | None = None
    """How many sessions have it."""


def complete(db: Database, text: str, at: int) -> list[Completion]:
    """What may stand in place of the filter that ends at `at`; the most used values first. Nothing typed raises."""
    at = max(0, min(at, len(text)))
    match = _BEGUN.search(text[:at])
    if match is None:
        return []
    key, values = match["key"].lower(), match["values"]
    if values is None:
        start = match.start("key")
        return [Completion(start, at, f"{name}:", f"{name}:") for name in FILTERS if name.startswith(key) and key]
    if key not in FILTERS:
        return []
    begun = values.lstrip('"')
    last = begun.rpartition(",")[2] if not values.startswith('"') else begun
    start = at - len(last) - (values.startswith('"'))
    found = _fixed(key) if key not in _COLUMNS else _in_index(db, _COLUMNS[key])
    return [
        Completion(start, at, _quoted(value), shown, sessions)
        for value, shown, sessions in _fitting(found, last.lower())
    ][:MOST]


def _fixed(key: str) -> list[tuple[str, int | None]]:
    return [(value, None) for value in (_EXAMPLES if key in TIMES else ALLOWED.get(key, ()))]


def _in_index(db: Database, column: str) -> list[tuple[str, int | None]]:
    return list(
        db.rows(
            f"""SELECT {column}, count(*) FROM sessions WHERE turns > 0 AND {column} > ''
                GROUP BY {column} ORDER BY count(*) DESC, max(updated) DESC LIMIT 2000"""  # noqa: S608, a name above
        )
    )


def _fitting(found: Iterable[tuple[str, int | None]], begun: str) -> list[tuple[str, str, int | None]]:
    """(value, what to show, sessions): what begins so first, then what has it anywhere, then its letters in order."""
    ranked: list[tuple[int, int, tuple[str, str, int | None]]] = []
    for number, (value, sessions) in enumerate(found):
        low = value.lower()
        name = PurePath(value).name.lower() or low
        rank = 0 if low.startswith(begun) or name.startswith(begun) else 1 if begun in low else 2
        if rank < 2 or (len(begun) > 2 and _in_order(begun, name)):
            ranked.append((rank, number, (value, value, sessions)))
    return [each for _, _, each in sorted(ranked)]


def _in_order(letters: str, name: str) -> bool:
    rest = iter(name)
    return all(letter in rest for letter in letters)


def _quoted(value: str) -> str:
    return f'"{value}"' if re.search(r'[\s,"]', value) else value
