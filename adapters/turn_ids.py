"""Ids of turns that make no two of them copies by accident."""

from __future__ import annotations

import re

from .content import identifier

UNIQUE = re.compile(r"[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}")


def turn_id(session: str, value: object) -> str | None:
    """A store's id of a turn: as it is where it holds a UUID, which copies of a turn share, else with its session's."""
    name = identifier(value)
    return name if name is None or UNIQUE.search(name) else f"{session}:{name}"
