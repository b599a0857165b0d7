"""What is not in the index and why: left out by limits, not readable, excluded, skipped inside files; what is gone.

Read-only; each list has at most `MOST_LISTED` rows and says how many there are in all.
"""

from __future__ import annotations

from dataclasses import dataclass

from .database import Database
from .held import Held, questions
from .ledger import WHOLE_FILE
from .redact import redact_line

MOST_LISTED = 200
_LONGEST_PATH = 4_096
_LIMITS = ("window", "per_source", "total", "per_file")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Sessions of one source of which one limit left something out."""

    source: str
    limit: str
    """`window`, `per_source`, `total` or `per_file`."""
    sessions: int


@dataclass(frozen=True, slots=True)
class UnreadableFile:
    """A file that could not be read; what was indexed of it before stays."""

    source: str
    path: str
    reason: str
    """A slug; `reasons.reason` has its words."""
    turns: int
    """How many turns of it are in the index all the same."""


@dataclass(frozen=True, slots=True)
class UnlistedFolder:
    """Folders that could not be looked into, counted by reason."""

    source: str
    reason: str
    count: int
    example: str
    """The path of the first one."""


@dataclass(frozen=True, slots=True)
class ExcludedFiles:
    """Files of one source that are never opened, by a rule of the person's or by their name."""

    source: str
    reason: str
    count: int
    example: str
    """The path of one."""


@dataclass(frozen=True, slots=True)
class SkippedRecords:
    """What was skipped inside the files of one source, for one reason."""

    source: str
    reason: str
    count: int
    files: int
    path: str
    """The file of the example."""
    example: str
    """Where in that file, such as `byte 4711`; empty where that was forgotten."""


@dataclass(frozen=True, slots=True)
class GoneSessions:
    """Sessions whose files are no longer there and whose text is kept."""

    source: str
    sessions: int


@dataclass(frozen=True, slots=True)
class FailedSource:
    """A source that could not be looked at as a whole in its last run."""

    source: str
    error: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """All of it, of one moment; empty lists mean that nothing was skipped."""

    left_out: tuple[LeftOut, ...] = ()
    failed: tuple[FailedSource, ...] = ()
    folders: tuple[UnlistedFolder, ...] = ()
    files: tuple[UnreadableFile, ...] = ()
    files_in_all: int = 0
    excluded: tuple[ExcludedFiles, ...] = ()
    records: tuple[SkippedRecords, ...] = ()
    gone: tuple[GoneSessions, ...] = ()
    held: tuple[Held, ...] = ()
    """Not yet gone: the person is asked first."""

    def __bool__(self) -> bool:
        told = (self.left_out, self.failed, self.folders, self.files, self.excluded, self.records, self.gone, self.held)
        return any(told)


def skipped(db: Database) -> Skipped:
    """Everything that is to be said of an index. Raises `database.Error`."""
    with db.snapshot():
        return Skipped(
            left_out=tuple(left_out(db)),
            failed=tuple(failed_sources(db)),
            folders=tuple(unlisted_folders(db)),
            files=tuple(unreadable_files(db)),
            files_in_all=db.value("SELECT count(*) FROM files WHERE state = 'quarantined'"),
            excluded=tuple(excluded_files(db)),
            records=tuple(skipped_records(db)),
            gone=tuple(gone_sessions(db)),
            held=tuple(questions(db)),
        )


def left_out(db: Database) -> list[LeftOut]:
    """Sessions that limits left out in whole or in part, limit by limit."""
    rows = db.rows("SELECT source, reason, count(DISTINCT session) FROM left_out GROUP BY source, reason")
    return sorted((LeftOut(*row) for row in rows), key=lambda each: (_LIMITS.index(each.limit), each.source))


def failed_sources(db: Database) -> list[FailedSource]:
    """Sources whose last run ended with an error."""
    return [FailedSource(*row) for row in db.rows("SELECT source, error FROM runs WHERE error IS NOT NULL ORDER BY 1")]


def unlisted_folders(db: Database) -> list[UnlistedFolder]:
    """Folders that could not be looked into."""
    return [
        UnlistedFolder(*row)
        for row in db.rows("SELECT source, reason, count, example FROM skips WHERE path = x'' ORDER BY 1, 2")
    ]


def unreadable_files(db: Database) -> list[UnreadableFile]:
    """Quarantined files, those of one reason together; the first `MOST_LISTED`."""
    return [
        UnreadableFile(source, _shown(path), reason or "", turns)
        for source, path, reason, turns in db.rows(
            """SELECT source, path, reason, (SELECT count(*) FROM turns WHERE file = files.id)
               FROM files WHERE state = 'quarantined' ORDER BY reason, source, path LIMIT ?""",
            MOST_LISTED,
        )
    ]


def excluded_files(db: Database) -> list[ExcludedFiles]:
    """Files that are never opened, by source and reason."""
    return [
        ExcludedFiles(source, reason or "", count, _shown(path))
        for source, reason, count, path in db.rows(
            """SELECT source, reason, count(*), min(path) FROM files WHERE state = 'excluded'
               GROUP BY source, reason ORDER BY source, reason"""
        )
    ]


def skipped_records(db: Database) -> list[SkippedRecords]:
    """What was skipped inside files, by source and reason; the most frequent first."""
    return [
        SkippedRecords(source, reason, count, files, _shown(path), example)
        for source, reason, count, files, path, example in db.rows(
            """SELECT source, reason, sum(count), count(*), min(path), example FROM skips
               WHERE path != x'' AND example != ? GROUP BY source, reason ORDER BY 3 DESC, 1, 2 LIMIT ?""",
            WHOLE_FILE,
            MOST_LISTED,
        )
    ]


def gone_sessions(db: Database) -> list[GoneSessions]:
    """How many sessions of each source exist only in the index."""
    rows = db.rows("SELECT source, count(*) FROM sessions WHERE gone AND turns > 0 GROUP BY source ORDER BY source")
    return [GoneSessions(*row) for row in rows]


def _shown(path: bytes) -> str:
    return redact_line(path.decode("utf-8", "replace"), _LONGEST_PATH)
