"""Batches on their way into the index, gathered so that one transaction takes many; and files that it can't take."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Iterator
from dataclasses import replace

from . import ledger
from .database import Database, Error, Rejected
from .dividing import RETRIED
from .ledger import Stamp
from .model import Unreadable
from .report import Report
from .writer import FileWrite, Writer

FLUSH_TURNS, FLUSH_TEXT, FLUSH_SECONDS = 1_000, 4_000_000, 0.25
"""A transaction ends when it has so many turns, so many characters, or has gathered for so long."""


class Lots:
    """Writes what is read, in lots."""

    def __init__(self, db: Database, writer: Writer, report: Report) -> None:
        self._db, self._writer, self._report = db, writer, report
        self._waiting: list[FileWrite] = []
        self._turns = self._text = 0
        self._last_flush = 0.0
        self.current = b""
        """Path of the file that is being read."""
        self.failed: dict[bytes, str] = {}
        """Sessions of databases that could not be read for a reason that may pass by itself, with that."""

    def add(self, write: FileWrite) -> None:
        self._waiting.append(write)
        self._turns += len(write.batch.turns)
        self._text += write.batch.text_size

    def add_all(self, writes: Iterator[FileWrite], stopped: Callable[[], bool]) -> int:
        """What a file holds more, bit by bit; it may be stopped between any two. Gives how many turns."""
        turns = 0
        last: FileWrite | None = None
        try:
            for write in writes:
                if last is not None:
                    self.add(last)
                last = write
                turns += len(write.batch.turns)
                self.flush_if_due()
                if stopped():
                    break
            else:
                last = last and replace(last, whole=True)
        finally:
            if last is not None:
                self.add(last)
        return turns

    def replace(self, writes: Iterator[FileWrite]) -> int:
        """A file is read again: its old rows answer until the new ones take their place, all in one transaction.

        Gives how many turns there are.
        """
        writes = _ended(writes)
        first: list[FileWrite] = []
        turns = text = 0
        for write in writes:
            first.append(write)
            turns, text = turns + len(write.batch.turns), text + write.batch.text_size
            if is_enough(turns, text):  # the rest goes through one by one, however much it is
                break
        else:
            for write in first:
                self.add(write)
            return turns
        self.flush()
        with self._writer.together() as save:
            for write in first:
                save(write)
            first.clear()
            for write in writes:
                save(write)
                turns += len(write.batch.turns)
        return turns

    def drop_current(self, *, replacing: bool = False) -> None:
        """Let go what waits of the file that is being read; with `replacing` only what would replace its old rows."""
        mine = [write for write in self._waiting if write.path == self.current]
        if not replacing or any(write.fresh for write in mine):
            self._waiting = [write for write in self._waiting if write.path != self.current]

    def flush_if_due(self) -> None:
        late = clock.monotonic() - self._last_flush > FLUSH_SECONDS
        if late or is_enough(self._turns, self._text):
            self.flush()

    def flush(self) -> None:
        """Write what waits; a file that the index can't take is quarantined and does not keep the others out."""
        waiting, self._waiting, self._turns, self._text = self._waiting, [], 0, 0
        self._last_flush = clock.monotonic()
        if not waiting:
            return
        try:
            self._writer.save(waiting)
        except Exception as error:
            if is_fatal(error):
                raise
            self._save_apart(waiting)

    def _save_apart(self, waiting: list[FileWrite]) -> None:
        refused = False
        for path in dict.fromkeys(write.path for write in waiting):
            writes = [write for write in waiting if write.path == path]
            try:
                self._writer.save(writes)
            except Exception as error:
                if is_fatal(error):
                    raise
                if path == self.current:
                    refused = True
                    continue
                last = writes[-1]
                self.set_aside(last.source, path, last.stamp, last.adapter_version, "adapter-error", last.beside)
                self._report.read -= not last.stamp.is_place
        if refused:
            raise Unreadable("adapter-error")

    def set_aside(self, source: str, path: bytes, stamp: Stamp, version: int, reason: str, beside: bytes) -> None:
        """Note that a file can't be read; what was indexed of it stays."""
        with self._db.transaction():
            ledger.set_aside(self._db, source, path, stamp, version, "quarantined", reason, beside)
        if not stamp.is_place:
            self._report.quarantined += 1
        elif reason in RETRIED:
            self.failed[path] = reason


def is_enough(turns: int, text: int) -> bool:
    """Whether so many turns and characters are to be written now."""
    return turns >= FLUSH_TURNS or text >= FLUSH_TEXT


def is_fatal(error: Exception) -> bool:
    """Whether an error is one of the index itself, not of what was to be written."""
    return isinstance(error, Error) and not isinstance(error, Rejected)


def _ended(writes: Iterator[FileWrite]) -> Iterator[FileWrite]:
    """A file's batches, the last of them marked as such."""
    last: FileWrite | None = None
    for write in writes:
        if last is not None:
            yield last
        last = write
    if last is not None:
        yield replace(last, whole=True)
