"""Sessions out of every table, with tombstones in their place; files that are still there stay known, so that they
need not be read again."""

from __future__ import annotations

from collections.abc import Iterable

from .database import Database
from .ledger import WHOLE_FILE
from .sessions import drop_if_unknown, parents_of, settle
from .tombstones import bury, copy_hash, session_hash, turn_hash

REASON = "forgotten"
"""Under which their turns are counted from then on."""

_MINE = "(SELECT id FROM doomed)"


def erase(db: Database, sessions: Iterable[int]) -> None:
    """Drop sessions for good; within a transaction of the caller's."""
    rows = sorted(set(sessions))
    db.run("CREATE TEMP TABLE IF NOT EXISTS doomed (id INTEGER PRIMARY KEY)")
    db.run("DELETE FROM doomed")
    db.run_many("INSERT INTO doomed VALUES (?)", [(each,) for each in rows])
    bury(db, tombstones_for(db))
    files = _files(db)
    parents = {parent for each in rows for parent in parents_of(db, each)}
    _drop_rows(db)
    for file, path, there, count, first in files:
        _account(db, file, path, count, first, there=there)
    for each in rows:
        settle(db, each)
    for parent in parents:
        drop_if_unknown(db, parent)
    db.run("DELETE FROM doomed")


def tombstones_for(db: Database) -> set[bytes]:
    """Of the doomed sessions, and of those of their turns that nothing else in the index holds."""
    found = {session_hash(*row) for row in db.rows(f"SELECT source, native_id FROM sessions WHERE id IN {_MINE}")}  # noqa: S608
    mine = "FROM turns t JOIN doomed ON doomed.id = t.session JOIN sessions s ON s.id = t.session"
    found |= {
        turn_hash(*row)
        for row in db.rows(
            f"""SELECT DISTINCT s.source, t.native_id {mine} WHERE t.native_id IS NOT NULL
                  AND NOT EXISTS (SELECT 1 FROM turns o WHERE o.native_id = t.native_id AND o.session NOT IN {_MINE})"""  # noqa: S608
        )
    }
    return found | {
        copy_hash(*row)
        for row in db.rows(
            f"""SELECT DISTINCT s.source, t.hash {mine} WHERE t.native_id IS NULL
                  AND NOT EXISTS (SELECT 1 FROM turns o WHERE o.hash = t.hash AND o.session NOT IN {_MINE})"""  # noqa: S608
        )
    }


def _files(db: Database) -> list[tuple[int, bytes, bool, int, int]]:
    """Every file of the doomed: its row, its path, whether it is there, how many turns of theirs, the first's place."""
    return [
        (file, path, state != "gone", count, first or 0)
        for file, path, state, count, first in db.rows(
            f"""SELECT id, path, state,
                  (SELECT count(*) FROM turns WHERE file = files.id AND session IN {_MINE}),
                  (SELECT min(seq) FROM turns WHERE file = files.id AND session IN {_MINE})
                FROM files WHERE id IN (
                  SELECT file FROM turns WHERE session IN {_MINE} UNION
                  SELECT file FROM facts WHERE session IN {_MINE} UNION
                  SELECT file FROM cuts WHERE session IN {_MINE})"""  # noqa: S608
        )
    ]


def _drop_rows(db: Database) -> None:
    chunks = (
        "SELECT chunks.id FROM doomed JOIN turns ON turns.session = doomed.id JOIN chunks ON chunks.turn = turns.id"
    )
    db.run(f"DELETE FROM words WHERE rowid IN ({chunks})")  # noqa: S608
    db.run(f"DELETE FROM chunks WHERE id IN ({chunks})")  # noqa: S608
    db.run(
        f"""DELETE FROM titles WHERE EXISTS (
              SELECT 1 FROM turns JOIN sessions ON sessions.id = turns.session
              WHERE turns.native_id = titles.turn_id AND sessions.source = titles.source AND turns.session IN {_MINE}
            ) AND NOT EXISTS (
              SELECT 1 FROM turns WHERE turns.native_id = titles.turn_id AND turns.session NOT IN {_MINE})"""  # noqa: S608
    )
    db.run(
        f"""DELETE FROM titles WHERE NOT EXISTS (SELECT 1 FROM turns WHERE turns.native_id = titles.turn_id)
              AND (file IN (SELECT file FROM turns WHERE session IN {_MINE} UNION
                            SELECT file FROM facts WHERE session IN {_MINE})
                OR title IN (SELECT title FROM sessions WHERE id IN {_MINE} UNION
                             SELECT title FROM facts WHERE session IN {_MINE}))"""  # noqa: S608
    )  # of turns that are not here, though the words may be of these sessions
    for table in ("left_out", "hidden", "deleted", "listed"):
        names = f"SELECT source, native_id FROM sessions WHERE id IN {_MINE}"  # noqa: S608
        db.run(f"DELETE FROM {table} WHERE (source, session) IN ({names})")  # noqa: S608
    for table in ("turns", "facts", "cuts"):
        db.run(f"DELETE FROM {table} WHERE session IN {_MINE}")  # noqa: S608


def _account(db: Database, file: int, path: bytes, count: int, first: int, *, there: bool) -> None:
    """Bring the row of a file in line with what is left of it; one that is neither there nor holds anything goes."""
    left = {
        table: db.value(f"SELECT 1 FROM {table} WHERE file = ? LIMIT 1", file)  # noqa: S608
        for table in ("turns", "facts", "cuts", "titles")
    }
    if not there and not any(left.values()):
        for table in ("left_out", "hidden", "deleted", "listed"):
            db.run(f"DELETE FROM {table} WHERE file = ?", file)  # noqa: S608
        db.run("DELETE FROM skips WHERE path = ?", path)
        db.run("DELETE FROM files WHERE id = ?", file)
        return
    db.run(
        "UPDATE files SET text_size = (SELECT coalesce(sum(size), 0) FROM turns WHERE file = files.id) WHERE id = ?",
        file,
    )
    if left["turns"]:
        db.run("UPDATE skips SET example = '' WHERE path = ? AND example NOT IN (?, '')", path, WHOLE_FILE)
    else:
        db.run("DELETE FROM skips WHERE path = ? AND example != ?", path, WHOLE_FILE)
    if count:
        db.run(
            """INSERT INTO skips SELECT source, path, ?, ?, ? FROM files WHERE id = ?
               ON CONFLICT (source, path, reason) DO UPDATE SET count = count + excluded.count""",
            REASON, count, f"at {first}", file,
        )  # fmt: skip
