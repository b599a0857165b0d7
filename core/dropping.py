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


def holds_marks(db: Database, file: int) -> bool:
    """Whether a file said of sessions that the person deleted them, which stays true when the file is gone."""
    marks = "SELECT 1 FROM deleted WHERE file = ?1 UNION ALL SELECT 1 FROM listed WHERE file = ?1 LIMIT 1"
    return db.row(marks, file) is not None


def clear_file(db: Database, file: int) -> None:
    """Drop everything read from a file but the file itself, and what it once listed."""
    drop_turns_of_file(db, file)
    clear_all_but_turns(db, file)


def drop_turns_of_file(db: Database, file: int) -> None:
    """Drop the turns read from a file with their chunks."""
    drop_chunks_of_file(db, file)
    db.run("DELETE FROM turns WHERE file = ?", file)


def clear_all_but_turns(db: Database, file: int) -> None:
    """Drop what a file says besides its turns, for it to say that anew."""
    for table in ("facts", "titles", "cuts", "left_out", "hidden", "deleted"):
        db.run(f"DELETE FROM {table} WHERE file = ?", file)  # noqa: S608, the six names above
    db.run("UPDATE files SET text_size = 0 WHERE id = ?", file)
    db.run("DELETE FROM skips WHERE path = (SELECT path FROM files WHERE id = ?)", file)


def drop_file(db: Database, file: int) -> None:
    """Drop everything read from a file, and the file."""
    clear_file(db, file)
    db.run("DELETE FROM listed WHERE file = ?", file)
    db.run("DELETE FROM files WHERE id = ?", file)
