"""What there is to say about sources and the index: for the command line, the settings and the welcome screen."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import ledger
from .config import Config
from .database import Database
from .discover import discover, roots_of
from .held import Held, questions
from .hiding import hidden_count
from .model import Adapter
from .sweep import files_swept_soon, swept_by_source

DAY = 86_400_000


@dataclass(frozen=True, slots=True)
class Survey:
    """What lies on the disk of one source, by name, size and date alone: no session is opened."""

    name: str
    title: str
    roots: tuple[Path, ...]
    """The places that exist, else all that were looked at."""
    found: bool
    files: int
    recent: int
    """Files changed within the window."""
    size: int
    """Bytes."""
    newest: int | None
    swept_soon: int
    """Files that the agent itself deletes within a week."""


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """One row of `harkback sources`."""

    name: str
    title: str
    found: bool
    ticked: bool
    roots: tuple[str, ...]
    files: int
    sessions: int
    turns: int
    skipped: int
    last_run: int | None
    last_error: str | None
    swept_soon: int | None
    """Indexed sessions that the agent itself deletes within a week; None where it deletes none, or nothing is known."""
    held: tuple[Held, ...] = ()
    """What is gone in so great a part that the person is asked first."""


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """The index as a whole."""

    path: str
    bytes: int
    sessions: int
    turns: int
    gone_at_source: int
    """Sessions whose text is kept although their store dropped them."""
    quarantined: int
    excluded: int
    """Files that are not opened: by a rule, by their name, or as part of a source that is not ticked."""
    hidden: int
    """Sessions that a rule keeps out."""
    skips: Mapping[str, int]
    left_out: Mapping[str, int]
    redacted: Mapping[str, int]
    oldest: int | None
    newest: int | None
    held: tuple[Held, ...] = ()
    """Of all sources."""


def survey(
    adapter: Adapter, config: Config, home: Path, environ: Mapping[str, str], now: int, window_days: int
) -> Survey:
    """Look at one source's places without opening a session."""
    roots = roots_of(adapter, config, home, environ)
    there = [root for root in roots if root.exists()]
    try:
        files, _ = discover(adapter, there)
    except OSError:
        files = {}
    stamps = [file.stamp for file in files.values()]
    times = [stamp.mtime_ns // 1_000_000 for stamp in stamps]
    return Survey(
        name=adapter.name,
        title=adapter.title,
        roots=tuple(there or roots),
        found=bool(there),
        files=len(stamps),
        recent=sum(time >= now - window_days * DAY for time in times),
        size=sum(stamp.size for stamp in stamps),
        newest=max(times, default=None),
        swept_soon=files_swept_soon(files, adapter, home, environ, now),
    )


def sources(
    db: Database | None, adapters: Sequence[Adapter], config: Config, home: Path, environ: Mapping[str, str], now: int
) -> list[SourceStatus]:
    """Every source that harkback knows; `db` is None while nothing is indexed, `now` is UTC ms."""
    statuses: list[SourceStatus] = []
    swept = swept_by_source(db, adapters, home, environ, now) if db else {}
    for adapter in adapters:
        roots = roots_of(adapter, config, home, environ)
        name, ticked = adapter.name, config.source(adapter.name).enabled
        counts = _counts(db, name) if db and ticked else (0, 0, 0, 0)
        run = db.row("SELECT finished, error FROM runs WHERE source = ?", name) if db and ticked else None
        there = [root for root in roots if root.exists()]
        files = counts[0] if counts[0] else _count_files(adapter, there)
        finished, error = run or (None, None)
        shown = tuple(os.fspath(root) for root in there or roots)
        statuses.append(
            SourceStatus(
                name,
                adapter.title,
                bool(there),
                ticked,
                shown,
                files,
                *counts[1:],
                finished,
                error,
                swept_soon=swept.get(name) if ticked else None,
                held=tuple(questions(db, name)) if db and ticked else (),
            )
        )
    return statuses


def index_status(db: Database, path: Path) -> IndexStatus:
    """What the index holds and what it had to leave out."""
    sessions, turns = ledger.totals(db)
    oldest, newest = db.row("SELECT min(started), max(updated) FROM sessions WHERE turns > 0") or (None, None)
    redacted = db.rows("SELECT substr(key, 10), value FROM meta WHERE key GLOB 'redacted:*' ORDER BY 1")
    return IndexStatus(
        path=str(path),
        bytes=sum(part.stat().st_size for part in path.parent.glob(path.name + "*") if part.is_file()),
        sessions=sessions,
        turns=turns,
        gone_at_source=db.value("SELECT count(*) FROM sessions WHERE gone AND turns > 0"),
        quarantined=db.value("SELECT count(*) FROM files WHERE state = 'quarantined'"),
        excluded=db.value("SELECT count(*) FROM files WHERE state = 'excluded'"),
        hidden=hidden_count(db),
        skips=ledger.skip_counts(db),
        left_out=ledger.left_out_counts(db),
        redacted=dict(redacted),
        oldest=oldest,
        newest=newest,
        held=tuple(questions(db)),
    )


def _counts(db: Database, source: str) -> tuple[int, int, int, int]:
    """(files, sessions, turns, skipped) of a source in the index."""
    return (
        db.value("SELECT count(*) FROM files WHERE source = ? AND state != 'gone' AND (device OR inode)", source),
        db.value("SELECT count(*) FROM sessions WHERE source = ? AND turns > 0", source),
        db.value("SELECT coalesce(sum(turns), 0) FROM sessions WHERE source = ?", source),
        db.value("SELECT coalesce(sum(count), 0) FROM skips WHERE source = ?", source),
    )


def _count_files(adapter: Adapter, roots: Sequence[Path]) -> int:
    try:
        return len(discover(adapter, roots)[0])
    except OSError:
        return 0
