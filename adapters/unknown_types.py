"""Counts the record types that an adapter does not know, without saying the same a thousand times."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..core.model import SkipRecord

TYPE = re.compile(r"[\w./:-]{1,64}", re.ASCII)
TOLD_APART = 64
"""How many unknown types are told apart between two checkpoints."""


def type_name(kind: object) -> str:
    """A type as it may be told: what is no plain word could be anything, a person's text too."""
    return kind if isinstance(kind, str) and TYPE.fullmatch(kind) else "none" if kind is None else "odd"


def unknown_type(kind: object, place: str) -> SkipRecord:
    """One unknown type, where they can't be many; `place` says where, as in `byte 120`."""
    return SkipRecord("unknown-type", f"{type_name(kind)} at {place}")


class UnknownTypes:
    """Takes unknown types one by one and gives each with its count."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[str, int]] = {}

    def count(self, kind: object, place: str) -> None:
        """`place` says where, as in `byte 120`."""
        name = type_name(kind)
        if name not in self._seen and len(self._seen) >= TOLD_APART:
            name = "other"
        first, times = self._seen.get(name, (place, 0))
        self._seen[name] = first, times + 1

    def told(self) -> Iterator[SkipRecord]:
        """What was counted since the last call; it comes before a checkpoint."""
        for name, (place, times) in self._seen.items():
            yield SkipRecord("unknown-type", f"{name} at {place}", times)
        self._seen = {}
