"""What was forgotten: hashes of ids and texts that keep it from coming back, and tell nobody what it was."""

from __future__ import annotations

import time as clock
from collections.abc import Iterable, Set
from dataclasses import dataclass
from hashlib import blake2b

from .database import Database


def session_hash(source: str, native_id: str) -> bytes:
    return _hash("session", source, native_id)


def turn_hash(source: str, native_id: str) -> bytes:
    """Of a turn that its store gives an id."""
    return _hash("turn", source, native_id)


def copy_hash(source: str, text: int) -> bytes:
    """Of a turn without an id, by the hash of its text; it counts only in forks of what was forgotten."""
    return _hash("text", source, str(text))


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten of one source."""

    source: str = ""
    hashes: Set[bytes] = frozenset()

    def session(self, native_id: str | None) -> bool:
        return bool(self.hashes and native_id) and session_hash(self.source, native_id or "") in self.hashes

    def turn(self, native_id: str | None) -> bool:
        return bool(self.hashes and native_id) and turn_hash(self.source, native_id or "") in self.hashes

    def copy(self, text: int) -> bool:
        return bool(self.hashes) and copy_hash(self.source, text) in self.hashes


class Tombstones:
    """All tombstones of an index, held in memory."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._hashes = hashes(db)

    def of(self, source: str) -> Forgotten:
        return Forgotten(source, self._hashes)

    def add_sessions(self, source: str, native_ids: Iterable[str]) -> None:
        """Remember more sessions, at once and in the index."""
        new = {session_hash(source, native_id) for native_id in native_ids}
        self._hashes |= new
        bury(self._db, new)


def hashes(db: Database) -> set[bytes]:
    """Every tombstone; none in an index of a format that had none."""
    if not db.value("SELECT 1 FROM sqlite_master WHERE name = 'tombstones'"):
        return set()
    return {row[0] for row in db.rows("SELECT hash FROM tombstones")}


def bury(db: Database, new: Iterable[bytes]) -> None:
    """Write tombstones; one that is there stays as it is."""
    now = int(clock.time() * 1000)
    db.run_many("INSERT OR IGNORE INTO tombstones VALUES (?, ?)", [(each, now) for each in sorted(new)])


def _hash(kind: str, source: str, name: str) -> bytes:
    return blake2b("\0".join((source, name)).encode(), digest_size=16, person=kind.encode()).digest()
