"""Stores → index: discover what is there, compare it with what is known, read what changed, newest first.

A bad record costs that record, a bad file that file, a bad source that source. Nothing is written but the index.
"""

from __future__ import annotations

import os
import time as clock
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from . import ledger
from .config import Config, EffectiveLimits
from .database import Error
from .fingerprint import extended, open_quietly, same_prefix, stamp_of
from .intake import Batch, Intake, oldest_allowed
from .ledger import KnownFile, Prefix, Stamp
from .model import Adapter, Progress, Reread, SkipRecord, Unreadable
from .store import Store
from .writer import FileWrite, Writer

FLUSH_TURNS, FLUSH_TEXT, FLUSH_SECONDS = 1_000, 4_000_000, 0.25
"""A transaction ends when it has so many turns, so many characters, or has gathered for so long."""
FIRST_BUILD = 5_000
"""So many new turns in one pass, and FTS5's segments are joined at its end."""


@dataclass(slots=True)
class Report:
    """What a reconcile did; `files` are those of the ticked sources."""

    seen: int = 0
    read: int = 0
    unchanged: int = 0
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
    seconds: float = 0
    finished: bool = True
    """False when it was stopped early."""


@dataclass(slots=True)
class _Found:
    adapter: Adapter
    path: Path
    stamp: Stamp
    known: KnownFile | None


@dataclass(slots=True)
class _Source:
    """One source in one pass."""

    adapter: Adapter
    known: dict[bytes, KnownFile]
    found: dict[bytes, _Found] = field(default_factory=dict[bytes, _Found])
    folder_skips: list[SkipRecord] = field(default_factory=list[SkipRecord])
    turns: int = 0


def roots_of(adapter: Adapter, config: Config, home: Path, environ: Mapping[str, str]) -> list[Path]:
    """Where a source is read: the agent's own places and those of the config, each once."""
    given = [Path(root).expanduser() for root in config.source(adapter.name).roots]
    return list({os.path.realpath(root): root for root in [*adapter.roots(home, environ), *given]}.values())


def discover(adapter: Adapter, roots: Sequence[Path]) -> tuple[dict[bytes, tuple[Path, Stamp]], list[SkipRecord]]:
    """Every file of a source as it is now, and the folders that could not be listed."""
    files: dict[bytes, tuple[Path, Stamp]] = {}
    skips: list[SkipRecord] = []
    for root in roots:
        if not root.exists():
            continue
        for found in adapter.find(Path(os.path.realpath(root))):
            if isinstance(found, SkipRecord):
                skips.append(found)
                continue
            with suppress(OSError):  # it vanished since it was listed
                files[os.fsencode(found)] = (found, stamp_of(found.stat(follow_symlinks=False)))
    return files, skips


class Reconciler:
    """One pass over the ticked sources."""

    def __init__(
        self,
        store: Store,
        adapters: Iterable[Adapter],
        config: Config,
        home: Path,
        environ: Mapping[str, str],
        *,
        on_progress: Callable[[Progress], None] | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """`home` is the person's home folder; `stopped` is asked between files and between batches."""
        self._store, self._config, self._home, self._environ = store, config, home, environ
        self._adapters = list(adapters)
        self._limits: EffectiveLimits = config.limits.effective()
        self._on_progress, self._stopped = on_progress, stopped
        self._report = Report()
        self._waiting: list[FileWrite] = []
        self._last_flush = 0.0
        self._progress = Progress("", 0, 0, 0, 0, 0, None)
        self._began = clock.monotonic()

    def run(self, only: Sequence[str] | None = None, *, rebuild: bool = False) -> Report:
        """Reconcile all ticked sources, or those of `only`; with `rebuild` every file is read again.

        Raises lock.Busy when another process is at it, StoreError when the index can't be written.
        """
        with self._store.write() as db:
            self._db, self._writer = db, Writer(db)
            report = self._report
            self._purge_unticked()
            report.sessions_before, report.turns_before = ledger.totals(db)
            if rebuild:
                ledger.read_all_again(db)
            self._reread_what_wider_limits_admit()
            sources = self._discover(only)
            self._read(sources)
            for source in sources:
                if not self._stopped():
                    self._account_for_the_gone(source)
                ledger.set_folder_skips(db, source.adapter.name, source.folder_skips)
                ledger.finish_run(db, source.adapter.name, report.errors.get(source.adapter.name))
            report.finished = not self._stopped()
            report.sessions, report.turns = ledger.totals(db)
            report.skips, report.left_out = ledger.skip_counts(db), ledger.left_out_counts(db)
            if report.read:
                self._writer.merge(all_of_it=report.turns - report.turns_before >= FIRST_BUILD)
            report.seconds = clock.monotonic() - self._began
            return report

    # ---- before reading ----

    def _purge_unticked(self) -> None:
        for (name,) in list(self._db.rows("SELECT DISTINCT source FROM files UNION SELECT source FROM runs")):
            if not self._config.source(name).enabled:
                self._writer.purge(name)

    def _reread_what_wider_limits_admit(self) -> None:
        now = repr(self._limits)
        if self._db.value("SELECT value FROM meta WHERE key = 'limits'") != now:
            ledger.read_cut_again(self._db)
            self._db.run("REPLACE INTO meta VALUES ('limits', ?)", now)

    def _discover(self, only: Sequence[str] | None) -> list[_Source]:
        sources: list[_Source] = []
        for adapter in self._adapters:
            if not self._config.source(adapter.name).enabled or (only is not None and adapter.name not in only):
                continue
            source = _Source(adapter, ledger.known_files(self._db, adapter.name))
            sources.append(source)
            try:
                roots = roots_of(adapter, self._config, self._home, self._environ)
                files, source.folder_skips = discover(adapter, roots)
            except Exception as error:  # an adapter's fault or the disk's costs this source, not the others
                self._report.errors[adapter.name] = type(error).__name__
                source.folder_skips = [SkipRecord("unreadable-folder", type(error).__name__)]
                continue
            for path, (name, stamp) in files.items():
                source.found[path] = _Found(adapter, name, stamp, source.known.get(path))
        return sources

    # ---- reading ----

    def _read(self, sources: Sequence[_Source]) -> None:
        by_name = {source.adapter.name: source for source in sources}
        found = [file for source in sources for file in source.found.values()]
        found.sort(key=lambda file: file.stamp.mtime_ns, reverse=True)
        oldest = oldest_allowed(self._limits.window_days)
        work = [file for file in found if not self._is_unchanged(file)]
        total = sum(self._bytes_ahead(file) for file in work)
        self._progress = Progress("", 0, len(work), 0, total, 0, None)
        self._report.seen = len(found)
        kept = 0
        for file in found:
            if self._stopped():
                break
            source = by_name[file.adapter.name]
            room, reason = self._room(source.turns, kept)
            before = source.turns
            if self._is_unchanged(file) and not self._fits_again(file, oldest, room):
                self._count_unchanged(file)
                source.turns += file.known.turns if file.known else 0
            else:
                source.turns += self._visit(file, oldest, room, reason)
            kept += source.turns - before
        self._flush()

    def _is_unchanged(self, file: _Found) -> bool:
        known = file.known
        return known is not None and (
            known.stamp == file.stamp and known.adapter_version == file.adapter.version and known.state != "gone"
        )

    def _fits_again(self, file: _Found, oldest: int | None, room: int | None) -> bool:
        """Whether a file that a limit left out altogether may be read now."""
        if file.known is None or file.known.state != "left-out":
            return False
        return not self._too_old(file, oldest) and room != 0

    def _too_old(self, file: _Found, oldest: int | None) -> bool:
        """Nothing in a file is newer than the file, so an old one need not be opened."""
        return oldest is not None and file.stamp.mtime_ns // 1_000_000 < oldest

    def _room(self, of_source: int, of_all: int) -> tuple[int | None, str]:
        """How many turns the next file may have, and which limit says so."""
        rooms = [
            (limit - have, reason)
            for limit, have, reason in (
                (self._limits.turns_per_source, of_source, "per_source"),
                (self._limits.turns_total, of_all, "total"),
            )
            if limit
        ]
        room, reason = min(rooms, default=(None, "total"), key=lambda pair: pair[0])
        return (None if room is None else max(0, room)), reason

    def _count_unchanged(self, file: _Found) -> None:
        if file.known and file.known.state == "quarantined":
            self._report.quarantined += 1
        else:
            self._report.unchanged += 1

    def _visit(self, file: _Found, oldest: int | None, room: int | None, reason: str) -> int:
        """Read one file, or note why not; gives the turns it now has, about."""
        report, known, name = self._report, file.known, file.adapter.name
        path, version = os.fsencode(file.path), file.adapter.version
        if (known is None or not known.turns) and (self._too_old(file, oldest) or room == 0):
            why = "window" if self._too_old(file, oldest) else reason
            with self._db.transaction():
                row = ledger.set_aside(self._db, name, path, file.stamp, version, "left-out", why)
                ledger.leave_out(self._db, name, file.path.name, row, why)
            report.unchanged += 1
            return 0
        turns = known.turns if known else 0
        try:
            turns = self._read_file(file, oldest, room, reason)
            report.read += 1
        except Error:
            raise
        except FileNotFoundError:
            report.seen -= 1
        except Exception as error:  # whatever is wrong with one file must not keep the others out
            slug = error.reason if isinstance(error, Unreadable) else _slug(error)
            self._flush()
            with self._db.transaction():
                ledger.set_aside(self._db, name, path, file.stamp, version, "quarantined", slug)
            report.quarantined += 1
        self._step(file)
        return turns

    def _read_file(self, file: _Found, oldest: int | None, room: int | None, reason: str) -> int:
        known = file.known
        with open_quietly(file.path) as raw:
            resumable = (
                known is not None
                and known.adapter_version == file.adapter.version
                and known.prefix.offset > 0
                and same_prefix(raw, known, file.stamp)
            )
            if resumable and known is not None:
                if known.prefix.offset == file.stamp.size:
                    ledger.restamp(self._db, known, file.stamp)
                    if known.state == "gone":
                        self._writer.look_again(known)
                    return known.turns
                try:
                    return self._batches(file, raw, known, oldest, room, reason)
                except Reread:
                    self._waiting = [write for write in self._waiting if write.path != known.path]
            return self._batches(file, raw, None, oldest, room, reason)

    def _batches(
        self, file: _Found, raw: BinaryIO, known: KnownFile | None, oldest: int | None, room: int | None, reason: str
    ) -> int:
        """Hand a file's batches to the writer; a re-read replaces the old rows in one go."""
        intake = Intake(oldest)
        prefix: Prefix | None = known.prefix if known else None
        replaces = known is None and file.known is not None and file.known.turns > 0
        turns, fresh = known.turns if known else 0, known is None
        for record in file.adapter.read(file.path, known.checkpoint if known else None):
            if (batch := intake.take(record)) is None:
                continue
            start = prefix.offset if prefix else 0
            prefix = extended(raw, prefix, batch.checkpoint.offset)
            self._report.bytes_read += prefix.offset - start
            turns += len(batch.turns)
            self._waiting.append(
                FileWrite(
                    source=file.adapter.name,
                    path=os.fsencode(file.path),
                    stamp=file.stamp,
                    prefix=prefix,
                    adapter_version=file.adapter.version,
                    batch=batch,
                    fresh=fresh,
                    most_turns=room,
                    most_turns_reason=reason,
                    most_text=self._limits.text_per_file,
                )
            )
            fresh = False
            self._step(file, batch, prefix.offset - start)
            if not replaces:
                self._flush_if_due()
                if self._stopped():
                    break
        return turns if room is None else min(turns, room)

    def _flush_if_due(self) -> None:
        turns = sum(len(write.batch.turns) for write in self._waiting)
        text = sum(write.batch.text_size for write in self._waiting)
        late = clock.monotonic() - self._last_flush > FLUSH_SECONDS
        if late or turns >= FLUSH_TURNS or text >= FLUSH_TEXT:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            self._writer.save(self._waiting)
            self._waiting = []
        self._last_flush = clock.monotonic()

    # ---- after reading ----

    def _account_for_the_gone(self, source: _Source) -> None:
        """Mark what the store no longer holds; an empty or unreadable place is never taken for deletion."""
        if not source.found or source.folder_skips or source.adapter.name in self._report.errors:
            return
        missing = [file for path, file in source.known.items() if path not in source.found and file.state != "gone"]
        forget = self._config.retention.when_source_vanishes == "forget" and len(missing) * 2 <= len(source.known)
        if missing:
            self._writer.mark_gone(missing, forget=forget)
        already = sum(file.state == "gone" for path, file in source.known.items() if path not in source.found)
        self._report.gone += len(missing) + already

    # ---- progress ----

    def _bytes_ahead(self, file: _Found) -> int:
        done = file.known.prefix.offset if file.known else 0
        return file.stamp.size - done if file.stamp.size >= done else file.stamp.size

    def _step(self, file: _Found, batch: Batch | None = None, size: int = 0) -> None:
        old = self._progress
        done = min(old.bytes_total, old.bytes_done + size)
        spent = clock.monotonic() - self._began
        left = spent * (old.bytes_total - done) / done if done and spent > 0.5 else None
        self._progress = Progress(
            file.adapter.title,
            old.files_done + (batch is None),
            old.files_total,
            done,
            old.bytes_total,
            old.turns + (len(batch.turns) if batch else 0),
            left,
        )
        if self._on_progress:
            self._on_progress(self._progress)


def _slug(error: Exception) -> str:
    if isinstance(error, PermissionError):
        return "no-permission"
    return "io-error" if isinstance(error, OSError) else "adapter-error"
