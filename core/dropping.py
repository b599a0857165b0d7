"""Taking out of the index what was read of one file."""

from __future__ import annotations

from .database import Database
from .fulltext import drop_chunks_of_file


def sessions_of(db: Database, file: int) -> set[int]:
    """The sessions that change when what is known of a file does."""
    rows = db.rows(
        """SELECT session FROM turns WHERE file = ?1 UNION SELECT session FROM facts WHERE file = ?1
           UNION SELECT session FROM cuts WHERE file = ?1
           UNION SELECT turns.session FROM titles JOIN turns ON turns.native_id = titles.turn_id
                 WHERE titles.file = ?1""",
        file,
    )
    return {row[0] for row in rows}


def clear_file(db: Database, file: int) -> None:
    """Drop everything read from a file but the file itself."""
    drop_chunks_of_file(db, file)
    for table in ("turns", "facts", "titles", "cuts", "left_out", "hidden"):
        db.run(f"DELETE FROM {table} WHERE file = ?", file)  # noqa: S608, the six names above
    db.run("UPDATE files SET text_size = 0 WHERE id = ?", file)
    db.run("DELETE FROM skips WHERE path = (SELECT path FROM files WHERE id = ?)", file)


def drop_file(db: Database, file: int) -> None:
    """Drop everything read from a file, and the file."""
    clear_file(db, file)
    db.run("DELETE FROM files WHERE id = ?", file)
