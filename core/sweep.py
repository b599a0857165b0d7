"""Agents that delete their own old sessions: how many will go soon. Their text stays in the index."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from .database import Database
from .model import Adapter, Sweeping

if TYPE_CHECKING:
    from .found import OnDisk

SOON_DAYS = 7
_DAY_NS = 86_400_000_000_000


def swept_soon(db: Database, adapter: Adapter, home: Path, environ: Mapping[str, str], now: int) -> int:
    """How many indexed sessions the agent deletes within `SOON_DAYS` of `now` (UTC ms), those overdue included."""
    sessions: set[int] = set()
    for place, oldest in deadlines(adapter, home, environ, now):
        below = os.fsencode(place).rstrip(b"/")
        rows = db.rows(
            """SELECT DISTINCT session FROM turns WHERE file IN (
                 SELECT id FROM files
                 WHERE source = ? AND state != 'gone' AND mtime_ns < ? AND path > ? AND path < ?)""",
            adapter.name,
            oldest,
            below + b"/",
            below + b"0",
        )
        sessions |= {row[0] for row in rows}
    return len(sessions)


def swept_by_source(
    db: Database, adapters: Iterable[Adapter], home: Path, environ: Mapping[str, str], now: int
) -> dict[str, int]:
    """`swept_soon` of each source whose agent sweeps at all."""
    return {each.name: swept_soon(db, each, home, environ, now) for each in adapters if isinstance(each, Sweeping)}


def files_swept_soon(
    files: Mapping[bytes, OnDisk], adapter: Adapter, home: Path, environ: Mapping[str, str], now: int
) -> int:
    """The same for files on the disk that `discover` gave, indexed or not."""
    places = list(deadlines(adapter, home, environ, now))
    return sum(
        any(file.stamp.mtime_ns < oldest and file.path.is_relative_to(place) for place, oldest in places)
        for file in files.values()
    )


def deadlines(adapter: Adapter, home: Path, environ: Mapping[str, str], now: int) -> Iterator[tuple[Path, int]]:
    """Each of the agent's own places that it sweeps, with the mtime (ns) before which a file there goes soon.

    Places that only our configuration names are copies for all we know, and no agent sweeps those.
    """
    if isinstance(adapter, Sweeping):
        for root in adapter.roots(home, environ):
            if (days := adapter.sweep_days(root)) is not None and root.exists():
                yield Path(os.path.realpath(root)), now * 1_000_000 - (days - SOON_DAYS) * _DAY_NS
