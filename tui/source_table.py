"""The table of `harkback sources`: what is read first, then what could be, then the names of all others. Pure."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from datetime import datetime

from ..core.status import SourceStatus
from .output import columns, short_path
from .wording import fitted_paths, held, how_to_confirm, short_time, swept_soon

WIDTH = 100
"""Columns of the widest line."""
HEAD = ("", "source", "files", "sessions", "turns", "skipped", "last read")
NUMBERS = frozenset({2, 3, 4, 5})
INDENT = " " * 5
"""What is said of a source stands under its name."""


def source_lines(rows: Sequence[SourceStatus], home: str, now: datetime) -> Iterator[str]:
    """Every source: a row for each that is ticked or has files here, and below it what went wrong; then the others."""
    listed = sorted((row for row in rows if row.ticked or row.files), key=_place)
    if listed:
        cells = [HEAD, *(_cells(row, now) for row in listed)]
        room = WIDTH - max(map(len, columns(cells, NUMBERS))) - 2
        places = ["where", *(_where(row, home, room) for row in listed)]
        head, *lines = columns([(*row, place) for row, place in zip(cells, places, strict=True)], NUMBERS)
        yield head
        for row, line in zip(listed, lines, strict=True):
            yield line
            yield from (f"{INDENT}{remark}" for remark in _remarks(row, home))
    if missing := [row.name for row in rows if row not in listed]:
        yield from textwrap.wrap(f"not found here: {', '.join(missing)}", WIDTH, subsequent_indent=INDENT)
        yield f"{INDENT}(`harkback sources --json` tells where they are looked for)"


def _place(row: SourceStatus) -> int:
    """Ticked before not ticked, found before not found; else as sources are always listed."""
    return (0 if row.found else 1) if row.ticked else 2


def _cells(row: SourceStatus, now: datetime) -> tuple[str, ...]:
    box, files = f"[{'x' if row.ticked else ' '}]", f"{row.files:,}" if row.files else ""
    if not row.ticked:
        return box, row.name, files, "", "", "", ""
    if row.last_run is None:
        return box, row.name, files, "", "", "", "not yet"
    skipped = f"{row.skipped:,}" if row.skipped else ""
    return box, row.name, files, f"{row.sessions:,}", f"{row.turns:,}", skipped, short_time(row.last_run, now)


def _where(row: SourceStatus, home: str, room: int) -> str:
    return fitted_paths([short_path(root, home) for root in row.roots], room) if row.found else "not found here"


def _remarks(row: SourceStatus, home: str) -> Iterator[str]:
    if row.last_error:
        yield f"the last run could not read it ({row.last_error}); what was indexed of it stays"
    if row.swept_soon:
        yield swept_soon(row.swept_soon, row.title)
    for each in row.held:
        yield held(each, row.title)
        yield f"such as {fitted_paths([short_path(each.example, home)], WIDTH - len(INDENT) - 8)}"
        yield how_to_confirm(each)
