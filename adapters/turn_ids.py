"""By what turns are known: ids that make no two of them copies by accident, and hashes of their texts."""

from __future__ import annotations

import re
from hashlib import blake2b

from ..core.model import Role
from .content import identifier

UNIQUE = re.compile(r"[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}")


def turn_id(session: str, value: object) -> str | None:
    """A store's id of a turn: as it is where it holds a UUID, which copies of a turn share, else with its session's."""
    name = identifier(value)
    return name if name is None or UNIQUE.search(name) else f"{session}:{name}"


def copy_id(role: Role, time: int | None, text: str) -> str:
    """An id that the copies of a message share."""
    return blake2b(f"{role}\0{time}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def digest(text: str) -> int:
    """A hash by which a text is known again; 56 bits, so that any reader of the state can hold it."""
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=7).digest())
