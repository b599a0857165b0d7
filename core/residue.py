"""Proof that something was forgotten: samples of its text, looked for in every byte of harkback's files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ahocorasick_rs import BytesAhoCorasick

from .database import Database

MOST_TURNS = 400
"""Turns that samples are taken of, evenly over all."""
SIZE, LEAST = 40, 14
"""Bytes of a sample; shorter texts say nothing about where they are from."""
_BLOCK = 4 << 20


@dataclass(frozen=True, slots=True)
class Remains:
    """What was found of the samples."""

    samples: int
    files: tuple[str, ...] = ()
    """Files of ours, by their place in the folder, that hold text which no session of the index accounts for."""
    sessions: tuple[str, ...] = ()
    """Keys of sessions in the index that hold the same text."""


def samples(db: Database, sessions: Sequence[int]) -> list[bytes]:
    """Pieces of what is stored of some sessions: of texts, packed or not, and of titles."""
    turns = [row[0] for each in sessions for row in db.rows("SELECT id FROM turns WHERE session = ?", each)]
    found: set[bytes] = set()
    for turn in turns[:: max(1, len(turns) // MOST_TURNS)]:
        found |= set(_pieces(db.value("SELECT text FROM turns WHERE id = ?", turn)))
    for each in sessions[:: max(1, len(sessions) // MOST_TURNS)]:
        titles = db.rows(
            "SELECT title FROM sessions WHERE id = ?1 UNION SELECT title FROM facts WHERE session = ?1", each
        )
        found |= {piece for (title,) in titles if title for piece in _pieces(title)}
    return sorted(found)


def remains(db: Database | None, folder: Path, index: Path, looked_for: Sequence[bytes]) -> Remains:
    """Look for samples in every file of `folder`; what the index `db` still says of them is told apart."""
    if not looked_for:
        return Remains(0)
    finder = BytesAhoCorasick(looked_for)
    where: dict[int, set[Path]] = {}
    ours = {index, *(index.with_name(index.name + suffix) for suffix in ("-wal", "-shm"))}
    for path in sorted({*folder.rglob("*"), *ours}):
        if path.is_file() and not path.is_symlink():
            for number in _found_in(path, finder):
                where.setdefault(number, set()).add(path)
    kept = _accounted_for(db, finder) if db and where else {}
    files = {path for number, paths in where.items() for path in paths if number not in kept or path not in ours}
    keys = {key for number in where for key in kept.get(number, ())}
    return Remains(len(looked_for), tuple(sorted(_name(path, folder) for path in files)), tuple(sorted(keys)))


def _pieces(stored: str | bytes) -> Iterator[bytes]:
    """The beginning, the middle and the end: a page of the database may end within one of them, not within all."""
    raw = stored.encode() if isinstance(stored, str) else stored
    if len(raw) >= LEAST:
        for start in (0, max(0, len(raw) // 2 - SIZE // 2), max(0, len(raw) - SIZE)):
            yield raw[start : start + SIZE]


def _name(path: Path, folder: Path) -> str:
    return str(path.relative_to(folder) if path.is_relative_to(folder) else path)


def _found_in(path: Path, finder: BytesAhoCorasick) -> set[int]:
    found: set[int] = set()
    before = b""
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                found |= _numbers(finder, before + block)
                before = block[-SIZE:]
    except FileNotFoundError:
        pass  # a log of SQLite's that went with its last reader
    return found


def _accounted_for(db: Database, finder: BytesAhoCorasick) -> dict[int, set[str]]:
    """Sample → keys of the sessions whose text or title it is a part of."""
    kept: dict[int, set[str]] = {}
    for key, stored in _all_texts(db):
        raw = stored.encode() if isinstance(stored, str) else stored
        for number in _numbers(finder, raw):
            kept.setdefault(number, set()).add(key)
    return kept


def _all_texts(db: Database) -> Iterable[tuple[str, str | bytes]]:
    key = "sessions.source || ':' || sessions.native_id"
    yield from db.rows(f"SELECT {key}, text FROM turns JOIN sessions ON sessions.id = turns.session")  # type: ignore[misc]  # noqa: S608
    yield from db.rows(f"SELECT {key}, title FROM sessions WHERE title > ''")  # type: ignore[misc]  # noqa: S608
    yield from db.rows(  # type: ignore[misc]
        f"SELECT {key}, facts.title FROM facts JOIN sessions ON sessions.id = facts.session WHERE facts.title > ''"  # noqa: S608
    )
    yield from db.rows(  # type: ignore[misc]
        f"""SELECT {key}, titles.title FROM titles JOIN turns ON turns.native_id = titles.turn_id
            JOIN sessions ON sessions.id = turns.session"""  # noqa: S608
    )


def _numbers(finder: BytesAhoCorasick, text: bytes) -> set[int]:
    return {number for number, _, _ in finder.find_matches_as_indexes(text, overlapping=True)}
