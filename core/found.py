"""What lies on the disk: a file as it is now, and as it was when it was read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .ledger import KnownFile, Stamp
from .model import Adapter


@dataclass(frozen=True, slots=True)
class OnDisk:
    """A file, or a session in a database, as it is now."""

    path: Path
    stamp: Stamp
    beside: bytes = b""
    """What else it depends on, as a hash."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file, or a session in a database, as it is now and as it was when it was read."""

    adapter: Adapter
    path: Path
    stamp: Stamp
    known: KnownFile | None
    beside: bytes = b""
    """What else it depends on, as a hash."""
