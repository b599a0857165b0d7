"""What went wrong in hooks: they may say nothing themselves, as an agent waits for them. Never what anybody said."""

from __future__ import annotations

import contextlib
import os
from datetime import datetime
from pathlib import Path

from .clean import clean_line
from .private import make_private

LONGEST = 64 << 10
"""Bytes; a log that has grown to this is begun anew."""


def log_path(folder: Path) -> Path:
    """The log below harkback's folder."""
    return folder / "logs" / "hook.log"


def log(folder: Path, message: str, now: datetime) -> None:
    """Add a line to the log, for its owner alone; where that can't be done, nothing happens."""
    path = log_path(folder)
    with contextlib.suppress(OSError):
        make_private(path.parent)
        is_full = path.exists() and path.stat().st_size >= LONGEST
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | (os.O_TRUNC if is_full else 0)
        with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8", errors="replace") as file:
            file.write(f"{now:%Y-%m-%d %H:%M:%S} {clean_line(message, 500)}\n")


def last_line(folder: Path) -> str | None:
    """The latest line; None where there is none."""
    with contextlib.suppress(OSError):
        lines = log_path(folder).read_text("utf-8", "replace").splitlines()
        return clean_line(lines[-1], 500) if lines else None
    return None
