"""Whether a value out of a damaged index is what was written there, and still of use."""

from __future__ import annotations

import contextlib
import json
import os
from typing import Any

from .database import Error
from .packing import text_hash, unpack

LATEST = 1 << 43
"""No turn is of so late a time, in UTC milliseconds."""


def is_whole(*row: Any) -> bool:
    """Whether the row of a turn is what was written: its text has the hash that it had, the rest the right types."""
    _, session, file, seq, _, role, time, _, native_id, parent_id, undone, hash_, size, code, text, cite = row
    if not all(isinstance(each, int) for each in (session, file, seq, undone, size, code)):
        return False
    if not all(isinstance(each, str | None) for each in (native_id, parent_id, cite)):
        return False
    if time is not None and not (isinstance(time, int) and 0 <= time < LATEST):
        return False
    try:
        return text_hash(role, unpack(text)) == hash_
    except (Error, AttributeError, TypeError, ValueError):
        return False


def is_kept(key: object, value: object) -> bool:
    """Whether an entry of `meta` still says something of the new index: what was masked, what was excluded."""
    if key == "exclude":
        with contextlib.suppress(ValueError, TypeError):
            return isinstance(json.loads(str(value)), list)
    return isinstance(key, str) and key.startswith("redacted:") and isinstance(value, int)


def is_gone(path: object) -> bool:
    """Whether a file is no longer there; a session in a database counts as there while that is."""
    if not isinstance(path, bytes) or b"\0" in path:
        return False
    return not os.path.lexists(path) and not os.path.isfile(os.path.dirname(path))  # noqa: PTH113, PTH120, bytes
