"""What a reconcile did, and how far it has come."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import dataclass, field

from .held import Held
from .results import Progress


@dataclass(slots=True)
class Report:
    """What a reconcile did; `files` are those of the ticked sources."""

    seen: int = 0
    read: int = 0
    unchanged: int = 0
    verified: int = 0
    """Files of which every byte that was read was hashed again ..."""
    differed: int = 0
    """... and was found changed; they were read again."""
    quarantined: int = 0
    gone: int = 0
    excluded: int = 0
    sessions: int = 0
    turns: int = 0
    sessions_before: int = 0
    turns_before: int = 0
    bytes_read: int = 0
    skips: dict[str, int] = field(default_factory=dict[str, int])
    left_out: dict[str, int] = field(default_factory=dict[str, int])
    errors: dict[str, str] = field(default_factory=dict[str, str])
    """Source → what went wrong with it as a whole."""
    held: list[Held] = field(default_factory=list[Held])
    """What waits for the person's word: so much of a source gone at once that it may be a mistake."""
    mended: str = ""
    """What was done about a damaged index."""
    seconds: float = 0
    finished: bool = True
    """False when it was stopped early."""


class Meter:
    """Counts files, bytes and turns as they are read, and tells whoever wants to know."""

    def __init__(self, on_progress: Callable[[Progress], None] | None = None) -> None:
        self._on_progress = on_progress
        self._began = clock.monotonic()
        self._now = Progress("", 0, 0, 0, 0, 0, None)

    @property
    def seconds(self) -> float:
        return clock.monotonic() - self._began

    def expect(self, files: int, size: int) -> None:
        """So many files and bytes are ahead."""
        self._now = Progress("", 0, files, 0, size, 0, None)

    def step(self, source: str, *, files: int = 0, size: int = 0, turns: int = 0) -> None:
        """So much more is done; `source` is the name for people."""
        old, spent = self._now, self.seconds
        done = min(old.bytes_total, old.bytes_done + size)
        left = spent * (old.bytes_total - done) / done if done and spent > 0.5 else None
        self._now = Progress(
            source, old.files_done + files, old.files_total, done, old.bytes_total, old.turns + turns, left
        )
        if self._on_progress:
            self._on_progress(self._now)
