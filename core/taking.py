"""The files of one pass in their order, the newest first, as far as limits leave room for them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from .config import EffectiveLimits
from .database import Database
from .discover import Source
from .dividing import note
from .found import Found
from .gate import Gate
from .projects import project_roots_of, projects_of
from .reading import Reading
from .report import Meter, Report

BUSY_PAUSE = 0.5
"""Seconds before a database that its agent held is tried once more, at the end of a pass."""


class Taking:
    """Gives every file that was found to the reading."""

    def __init__(
        self,
        sources: Sequence[Source],
        reading: Reading,
        gate: Gate,
        limits: EffectiveLimits,
        report: Report,
        meter: Meter,
        stopped: Callable[[], bool],
    ) -> None:
        self._sources = {source.adapter.name: source for source in sources}
        self._reading, self._gate, self._limits = reading, gate, limits
        self._report, self._meter, self._stopped = report, meter, stopped

    def all(self) -> bool:
        """Take every file; gives whether nothing stopped it."""
        sources = self._sources.values()
        found = [file for source in sources for file in source.found.values()]
        found.sort(key=lambda file: file.stamp.mtime_ns, reverse=True)
        work = [file for file in found if not self._reading.is_unchanged(file)]
        self._meter.expect(len(work), sum(_bytes_ahead(file) for file in work))
        self._report.excluded = sum(file.is_file for source in sources for file in source.refused)
        self._report.seen = sum(len(source.paths()) for source in sources) + self._report.excluded
        self._take(found)
        busy = [source for source in sources if source.is_busy(self._reading.failed)]
        if busy and not self._stopped():
            time.sleep(BUSY_PAUSE)
            self._take([file for source in busy for file in source.look_again(self._gate, self._reading.failed)])
        self._take([file for source in sources for file in self._reading.lifted(source)])
        return not self._stopped()

    def in_new_projects(self, db: Database, known: Iterable[Path]) -> bool:
        """Sessions that were read just now may have been held where an agent keeps files nobody knew of before."""
        new = sorted(set(projects_of(db)).difference(known))
        files: list[Found] = []
        for source in self._sources.values():
            if new and (roots := project_roots_of(source.adapter, new)):
                before = set(source.found)
                source.look(roots, self._gate, of_projects=True)
                files += (file for path, file in source.found.items() if path not in before)
        self._report.seen += len(files)
        self._take(files)
        return not self._stopped()

    def note_databases(self, db: Database, *, finished: bool) -> None:
        """A database of which everything was taken need not be listed again until it changes."""
        failed = {os.path.dirname(path) for path in self._reading.failed}  # noqa: PTH120, these are bytes
        for source in self._sources.values():
            for path, divided in source.divided.items():
                note(db, divided, whole=finished and path not in failed)
                if divided.reason is not None:
                    self._report.quarantined += 1
                elif divided.is_listed or path in self._reading.read_in:
                    self._report.read += 1
                else:
                    self._report.unchanged += 1

    def _take(self, files: Iterable[Found]) -> None:
        for file in files:
            if self._stopped():
                break
            source = self._sources[file.adapter.name]
            room = self._room(source.turns, sum(each.turns for each in self._sources.values()))
            source.turns += self._reading.take(file, *room)
        self._reading.flush()

    def _room(self, of_source: int, of_all: int) -> tuple[int | None, str]:
        """How many turns the next file may have, and which limit says so."""
        rooms = [
            (max(0, limit - have), reason)
            for limit, have, reason in (
                (self._limits.turns_per_source, of_source, "per_source"),
                (self._limits.turns_total, of_all, "total"),
            )
            if limit
        ]
        return min(rooms, default=(None, "total"), key=lambda pair: pair[0])


def _bytes_ahead(file: Found) -> int:
    known = file.known
    done = known.prefix.offset if known and known.adapter_version == file.adapter.version else 0
    return file.stamp.size - done if file.stamp.size >= done else file.stamp.size
