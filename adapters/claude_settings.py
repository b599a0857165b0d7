"""The one setting of Claude Code that matters here: after how many days it deletes a session."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ..core.model import Unreadable
from .base import open_file

FILES = ("settings.local.json", "settings.json")
"""The first that has the setting counts."""
DEFAULT_DAYS = 30
_LARGEST = 1 << 20
_MOST_DAYS = 1_000_000


class _Settings(msgspec.Struct, frozen=True):
    days: int | None = msgspec.field(default=None, name="cleanupPeriodDays")


def cleanup_days(folder: Path) -> int:
    """`cleanupPeriodDays` as the settings in a configuration folder give it, else what Claude Code takes instead.

    0 says that no session is kept at all.
    """
    for name in FILES:
        days = _days(folder / name)
        if days is not None:
            return days
    return DEFAULT_DAYS


def _days(path: Path) -> int | None:
    """What one file says; None without a number of days that can be meant."""
    try:
        with open_file(path.resolve()) as stream:  # people link their settings from a folder of dot files
            days = msgspec.json.decode(stream.read(_LARGEST), type=_Settings).days
    except (OSError, RuntimeError, RecursionError, Unreadable, msgspec.MsgspecError):
        return None
    return days if days is not None and 0 <= days <= _MOST_DAYS else None
