"""One changed file after the other into the index: read on where it grew, again where it changed, or set it aside.

A bad record costs that record, a bad file that file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import BinaryIO

from . import ledger
from .config import EffectiveLimits
from .database import Database
from .discover import Source
from .dividing import RETRIED
from .dropping import holds_marks
from .fingerprint import checksum, extended, open_quietly, same_prefix
from .found import Found
from .intake import Intake, oldest_allowed
from .ledger import UNKNOWN, KnownFile, Prefix
from .lots import Lots, is_fatal
from .model import Lasting, Reread
from .reasons import reason_of
from .report import Meter, Report
from .tombstones import Tombstones
from .writer import FileWrite, Writer


class Reading:
    """Reads files one by one and writes what they hold in lots."""

    def __init__(
        self,
        db: Database,
        writer: Writer,
        limits: EffectiveLimits,
        report: Report,
        meter: Meter,
        stopped: Callable[[], bool],
    ) -> None:
        """`stopped` is asked between batches."""
        self._db, self._writer, self._limits = db, writer, limits
        self._report, self._meter, self._stopped = report, meter, stopped
        self._oldest = oldest_allowed(limits.window_days)
        self._tombstones = Tombstones(db)
        self._lots = Lots(db, writer, report)
        self.flush = self._lots.flush
        self.failed = self._lots.failed
        self.read_in: set[bytes] = set()
        """Databases of which a session was read."""

    def take(self, file: Found, room: int | None, reason: str) -> int:
        """Bring one file up to date; `room` is how many turns it may have, `reason` the limit that says so.

        Gives about how many turns of it there are now.
        """
        known = file.known
        if known is not None and self.is_unchanged(file) and not self._fits_now(file, known, room):
            if not file.stamp.is_place:
                if known.state == "quarantined":
                    self._report.quarantined += 1
                else:
                    self._report.unchanged += 1
            if room is not None and known.turns > room:
                self._writer.trim(file.adapter.name, known.id, room, reason)
            return known.turns if room is None else min(known.turns, room)
        if (known is None or not known.turns) and (self._is_too_old(file) or room == 0):
            self._leave_out(file, "window" if self._is_too_old(file) else reason)
            turns = 0
        else:
            turns = self._read(file, room, reason)
        self._meter.step(file.adapter.title, files=1)
        return turns

    def lifted(self, source: Source) -> list[Found]:
        """Those of a source's files that have to be read once more, since a session in them is no longer deleted."""
        paths = self._writer.lifted & source.found.keys()
        again = [(path, known[1]) for path in paths if (known := ledger.known_file(self._db, path))]
        return [replace(source.found[path], known=known) for path, known in again]

    def is_unchanged(self, file: Found) -> bool:
        known = file.known
        return (
            known is not None
            and known.stamp == file.stamp
            and known.beside == file.beside
            and known.adapter_version == file.adapter.version
            and known.state != "gone"
            and known.reason not in RETRIED
        )

    def _fits_now(self, file: Found, known: KnownFile, room: int | None) -> bool:
        """Whether there is room now for what a limit left out of a file."""
        if known.state == "left-out":
            return not self._is_too_old(file) and room != 0
        return known.cut and (room is None or room > known.turns)

    def _is_too_old(self, file: Found) -> bool:
        """Nothing in a file is newer than the file, so an old one need not be opened."""
        oldest = self._oldest_of(file)
        if oldest is None or (file.stamp.is_place and not file.stamp.mtime_ns):
            return False
        return file.stamp.mtime_ns // 1_000_000 < oldest

    def _oldest_of(self, file: Found) -> int | None:
        return None if isinstance(file.adapter, Lasting) and file.adapter.lasts else self._oldest

    def _read(self, file: Found, room: int | None, reason: str) -> int:
        self._lots.current = os.fsencode(file.path)
        try:
            turns = self._go_on_or_again(file, room, reason)
            if file.stamp.is_place:
                self.read_in.add(os.path.dirname(self._lots.current))  # noqa: PTH120, these are bytes
            else:
                self._report.read += 1
            return turns
        except FileNotFoundError:
            self._lots.drop_current(replacing=True)
            if file.stamp.is_place:
                self.failed[self._lots.current] = "gone"
            else:
                self._report.seen -= 1
        except Exception as error:  # whatever is wrong with one file must not keep the others out
            if is_fatal(error):
                raise
            if file.known is not None and file.known.turns:
                self._lots.drop_current(replacing=True)  # what was indexed of it stays
            self._quarantine(file, reason_of(error))
        finally:
            self._lots.current = b""
        return file.known.turns if file.known else 0

    def _go_on_or_again(self, file: Found, room: int | None, reason: str) -> int:
        known = file.known
        if file.stamp.is_place:
            return self._batches(file, None, None, room, reason)
        with open_quietly(file.path) as raw:
            if known is None or not self._can_go_on(file, known, raw, room):
                return self._batches(file, raw, None, room, reason)
            if known.prefix.offset == file.stamp.size:
                ledger.restamp(self._db, known, file.stamp)
                self._writer.look_again(known.id)
                return known.turns
            try:
                return self._batches(file, raw, known, room, reason)
            except Reread:
                self._lots.drop_current()
                return self._batches(file, raw, None, room, reason)

    def _can_go_on(self, file: Found, known: KnownFile, raw: BinaryIO, room: int | None) -> bool:
        """Whether what was read of a file still stands there, by these rules of reading and within these limits."""
        prefix = known.prefix
        if known.adapter_version != file.adapter.version or not 0 < prefix.offset <= file.stamp.size:
            return False
        if known.beside != file.beside:
            return False
        if known.cut and (room is None or room > known.turns):
            return False
        if known.state == "ok" and file.stamp.size > known.stamp.size:  # it grew, as files do that are only added to
            return same_prefix(raw, known, file.stamp)
        return checksum(raw, 0, prefix.offset) == prefix.crc

    def _batches(
        self, file: Found, raw: BinaryIO | None, known: KnownFile | None, room: int | None, reason: str
    ) -> int:
        """Hand a file's batches to the writer; gives about how many turns of it there are then."""
        writes = self._writes(file, raw, known, room, reason)
        if known is None and file.known is not None and (file.known.turns or holds_marks(self._db, file.known.id)):
            turns = self._lots.replace(writes)
        else:
            turns = (known.turns if known else 0) + self._lots.add_all(writes, self._stopped)
        self._lots.flush_if_due()
        return turns if room is None else min(turns, room)

    def _writes(
        self, file: Found, raw: BinaryIO | None, known: KnownFile | None, room: int | None, reason: str
    ) -> Iterator[FileWrite]:
        """A file's batches, each with what the file is known by after it; a session in a database has no bytes."""
        intake = Intake(self._oldest_of(file), self._tombstones.of(file.adapter.name))
        prefix, fresh = known.prefix if known else None, known is None
        for record in file.adapter.read(file.path, known.checkpoint if known else None):
            if (batch := intake.take(record)) is None:
                continue
            if batch.forgotten:
                self._tombstones.add_sessions(file.adapter.name, batch.forgotten)
            start = prefix.offset if prefix else 0
            prefix = extended(raw, prefix, batch.checkpoint.offset) if raw else Prefix(batch.checkpoint.offset, 0, b"")
            size = max(0, prefix.offset - start) if raw else batch.text_size
            self._report.bytes_read += size
            self._meter.step(file.adapter.title, size=size, turns=len(batch.turns))
            yield FileWrite(
                source=file.adapter.name,
                path=os.fsencode(file.path),
                stamp=file.stamp,
                beside=file.beside,
                prefix=prefix,
                adapter_version=file.adapter.version,
                batch=batch,
                fresh=fresh,
                most_turns=room,
                most_turns_reason=reason,
                most_text=self._limits.text_per_file,
            )
            fresh = False

    # ---- writing ----

    def _leave_out(self, file: Found, reason: str) -> None:
        path, version = os.fsencode(file.path), file.adapter.version
        with self._db.transaction():
            ledger.set_aside(self._db, file.adapter.name, path, file.stamp, version, "left-out", reason, file.beside)
        self._report.unchanged += not file.stamp.is_place

    def _quarantine(self, file: Found, reason: str) -> None:
        known = file.known
        if known is not None and known.turns and known.adapter_version == UNKNOWN:
            self._writer.renew(known.id)
        self._lots.flush()
        self._lots.set_aside(
            file.adapter.name, self._lots.current, file.stamp, file.adapter.version, reason, file.beside
        )
        if known is not None and known.state == "gone":
            self._writer.look_again(known.id)
