"""The check that nothing cheaper can stand in for: every byte that was read of every file, hashed again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from . import ledger
from .database import Database
from .discover import Source
from .fingerprint import checksum, open_quietly
from .found import Found
from .report import Meter, Report


def verify(db: Database, sources: Sequence[Source], report: Report, meter: Meter, stopped: Callable[[], bool]) -> None:
    """Have those files read again that no longer begin with what was read of them, though they may look unchanged."""
    files = [file for source in sources for file in source.found.values() if _can_be_checked(file)]
    meter.expect(len(files), sum(file.known.prefix.offset for file in files if file.known))
    differing: list[Found] = []
    for file in files:
        if stopped():
            break
        with suppress(OSError):  # it can't be read now: the pass that follows says so
            if file.known and not _is_the_same(file):
                differing.append(file)
            report.verified += 1
        meter.step(file.adapter.title, files=1, size=file.known.prefix.offset if file.known else 0)
    report.differed = len(differing)
    ledger.read_again(db, [file.known.id for file in differing if file.known])
    by_name = {source.adapter.name: source for source in sources}
    for file in differing:
        if known := file.known:
            again = replace(known, adapter_version=ledger.UNKNOWN)
            by_name[file.adapter.name].found[known.path] = replace(file, known=again)


def _can_be_checked(file: Found) -> bool:
    known = file.known
    return known is not None and known.state == "ok" and known.prefix.offset > 0 and not known.stamp.is_place


def _is_the_same(file: Found) -> bool:
    prefix = file.known.prefix if file.known else None
    if prefix is None or file.stamp.size < prefix.offset:
        return False
    with open_quietly(file.path) as raw:
        return checksum(raw, 0, prefix.offset) == prefix.crc
