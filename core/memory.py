"""What memory files say: searched by words, and read by line out of the index, so that no file is opened for it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from .cited import lines_cited
from .config import Config
from .database import Database
from .exclude import Rules, is_secret
from .history import SESSION_COLUMNS, SESSION_WIDTH, session_from
from .query import Filter, Query
from .results import Session
from .store import unpack

SOURCE = "memory"
MOST_BYTES = 80 << 10
"""Of one answer's text, in UTF-8."""
LONGEST_NAME = 8_192

_CITATION = re.compile(r"(.+)#L(\d{1,12})(?:-L?(\d{1,12}))?", re.DOTALL | re.ASCII)


class NoSuchFile(Exception):
    """No memory file of that name may be read: whether it was forgotten, excluded or never known is not said."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Some lines of a memory file as it was when it was indexed, without its secrets."""

    session: Session
    first: int
    last: int
    """The lines, counted from 1."""
    lines: int
    """The last line of the file that says anything."""
    text: str
    cut: bool
    """There was more of what was asked for than one answer holds."""

    @property
    def citation(self) -> str:
        return f"{self.session.native_id}#L{self.first}-L{self.last}"


def only_memory(query: Query) -> Query:
    """The same query, for nothing but memory files and observations."""
    return replace(query, filters=(*query.filters, Filter("kind", ("memory",), False, 0, 0)))


def citation(session: Session, cite: str | None) -> str | None:
    """`path#L12-L30` for a part of a memory file; for what is cited by no lines None."""
    return f"{session.native_id}#{cite}" if cite and session.source == SOURCE else None


def passage(
    db: Database,
    config: Config,
    home: Path,
    named: str,
    first: int | None = None,
    count: int | None = None,
    *,
    folder: Path,
) -> Passage:
    """`count` lines from line `first` on, or as many as there are: whatever is asked for is brought within the file.

    A memory file is named by its path, in full, from `~` or from `folder`, or by a citation `path#L12-L30`, whose lines
    then are the ones meant. Lines of its front matter are facts and no text. Raises NoSuchFile.
    """
    with db.snapshot():
        for name, given in _readings(named, home, folder):
            found = db.row(
                f"SELECT {SESSION_COLUMNS}, id FROM sessions WHERE source = ? AND native_id = ? AND turns > 0",  # noqa: S608
                SOURCE, name,
            )  # fmt: skip
            if found and _may_be_read(db, config, home, session_from(found), found[SESSION_WIDTH]):
                asked = (given if first is None and count is None else None) or (first, count)
                return _passage(session_from(found), _lines(db, found[SESSION_WIDTH]), *asked)
    raise NoSuchFile(named)


# ---- parts ----


def _readings(named: str, home: Path, folder: Path) -> Iterator[tuple[str, tuple[int, int] | None]]:
    """What a name may stand for: (the path as it is indexed, the first line and how many of a citation)."""
    named = named.encode("utf-8", "replace").decode().removeprefix(f"{SOURCE}:")
    if len(named) > LONGEST_NAME:
        return
    pairs: list[tuple[str, tuple[int, int] | None]] = [(named, None)]
    if found := _CITATION.fullmatch(named):
        first = int(found[2])
        pairs.append((found[1], (first, max(1, int(found[3] or first) - first + 1))))
    for path, given in pairs:
        yield path, given
        if path.startswith("~/"):
            for place in dict.fromkeys((os.fspath(home), os.path.realpath(home))):
                yield place + path[1:], given
        elif not os.path.isabs(path):  # noqa: PTH117, a Path refuses some names
            yield os.path.normpath(f"{folder}{os.sep}{path}"), given


def _may_be_read(db: Database, config: Config, home: Path, session: Session, row: int) -> bool:
    """Whether the person wants it read, by today's configuration: the index may not have followed that yet."""
    rules = Rules(config.exclude.patterns, home)
    hidden = rules.hide_session(session.source, session.native_id, session.title, session.project)
    files = db.rows("SELECT DISTINCT path FROM turns JOIN files ON files.id = turns.file WHERE session = ?", row)
    paths = [os.fsdecode(path) for (path,) in files]
    closed = any(is_secret(path) or rules.hide_file(SOURCE, path) for path in paths)
    return config.source(SOURCE).enabled and not hidden and not closed


def _lines(db: Database, session: int) -> dict[int, str]:
    """The lines that any part of a file has, by number: parts overlap, and each line is there once."""
    lines: dict[int, str] = {}
    for text, cite in db.rows(
        "SELECT text, cite FROM turns WHERE session = ? AND number IS NOT NULL ORDER BY number", session
    ):
        place = lines_cited(cite)
        for number, line in zip(place or (), unpack(text).split("\n"), strict=False):
            lines.setdefault(number, line)
    return lines


def _passage(session: Session, lines: dict[int, str], first: int | None, count: int | None) -> Passage:
    """Between two parts there are only blank lines."""
    if not lines:
        raise NoSuchFile(session.native_id)
    begin, end = min(lines), max(lines)
    start = min(max(first or begin, begin), end)
    stop = end if count is None else min(end, start + max(1, count) - 1)
    kept: list[str] = []
    size = 0
    for number in range(start, stop + 1):
        line = lines.get(number, "")
        size += len(line.encode()) + 1
        if size > MOST_BYTES + 1:
            break
        kept.append(line)
    cut = len(kept) < stop - start + 1
    if not kept:
        kept = [lines.get(start, "").encode()[:MOST_BYTES].decode("utf-8", "ignore")]
    return Passage(session, start, start + len(kept) - 1, end, "\n".join(kept), cut)
