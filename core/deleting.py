"""What the person deleted in an agent: what stores say of it, and which sessions that means."""

from __future__ import annotations

from collections.abc import Iterable

from .clean import clean_line
from .database import Database
from .held import has_to_wait
from .intake import Batch
from .model import ListRecord

DELETED = "deleted-at-source"
"""Under which such sessions are counted."""

Name = tuple[str, str]
"""(source, native id)"""


def is_deleted(db: Database, source: str, native_id: str) -> bool:
    """Whether a file says so, or all entries of lists that ever named it have gone from those."""
    return bool(
        db.value(
            """SELECT EXISTS (SELECT 1 FROM deleted WHERE source = ?1 AND session = ?2)
                 OR (EXISTS (SELECT 1 FROM listed WHERE source = ?1 AND session = ?2 AND gone)
                   AND NOT EXISTS (SELECT 1 FROM listed WHERE source = ?1 AND session = ?2 AND NOT gone))""",
            source, native_id,
        )
    )  # fmt: skip


def any_deleted(db: Database) -> bool:
    """Whether any store says that anything was deleted."""
    return db.row("SELECT 1 FROM deleted UNION ALL SELECT 1 FROM listed WHERE gone LIMIT 1") is not None


def marked_in(db: Database, file: int) -> set[Name]:
    """The sessions that a file says were deleted."""
    return {(source, name) for source, name in db.rows("SELECT source, session FROM deleted WHERE file = ?", file)}


def take_marks(db: Database, source: str, file: int, path: bytes, batch: Batch) -> set[Name]:
    """Note what a batch of a file says was deleted, or no longer is; gives the sessions that this changes.

    A list that lost most of its entries at once waits for the person's word.
    """
    changed: set[Name] = set()
    for name, facts in batch.sessions.items():
        if facts.deleted:
            db.run("INSERT OR IGNORE INTO deleted VALUES (?, ?, ?)", source, name, file)
        elif facts.deleted is False:
            db.run("DELETE FROM deleted WHERE source = ? AND session = ? AND file = ?", source, name, file)
        if facts.deleted is not None:
            changed.add((source, name))
    for entries in batch.lists:
        before, gone = entries_gone(db, file, entries)
        example = clean_line(next(iter(gone), ""))
        if entries.entries and not has_to_wait(db, source, before, len(gone), example, place=path):
            changed |= _take_list(db, source, file, entries, gone)
    return changed


def lists_of(db: Database, source: str) -> set[bytes]:
    """The paths of a source's files that held a list of its sessions."""
    return {
        row[0] for row in db.rows("SELECT path FROM files WHERE source = ? AND id IN (SELECT file FROM listed)", source)
    }


def entries_gone(db: Database, file: int, now: ListRecord) -> tuple[int, list[str]]:
    """How many entries a file's list had when it was last taken, and which are no longer on it.

    An empty list says nothing, so none are gone from it.
    """
    before = {row[0] for row in db.rows("SELECT DISTINCT entry FROM listed WHERE file = ? AND NOT gone", file)}
    return len(before), sorted(before - {entry for entry, _ in now.entries}) if now.entries else []


def _take_list(db: Database, source: str, file: int, now: ListRecord, gone: Iterable[str]) -> set[Name]:
    db.run_many(
        "INSERT OR IGNORE INTO listed VALUES (?, ?, ?, ?, 0)",
        [(source, session, file, entry) for entry, session in now.entries],
    )
    lost = dict.fromkeys(gone, 1)
    changed: set[Name] = set()
    for entry, is_gone in (dict.fromkeys((entry for entry, _ in now.entries), 0) | lost).items():
        rows = db.rows(
            "UPDATE listed SET gone = ? WHERE file = ? AND entry = ? AND gone != ? RETURNING session",
            is_gone, file, entry, is_gone,
        )  # fmt: skip
        changed |= {(source, row[0]) for row in rows}
    return changed
