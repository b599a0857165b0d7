"""Session rows: what is known about a session, and which of its turns are active and under what number."""

from __future__ import annotations

from .branch import Cut, Link, active
from .clean import clean_line
from .database import Database
from .model import TITLE_FIRST_PROMPT, SessionRecord
from .store import unpack


def row_of(db: Database, source: str, native_id: str) -> int:
    """The session's row, made if need be; one without turns is known by name only and listed nowhere."""
    db.run("INSERT OR IGNORE INTO sessions (source, native_id) VALUES (?, ?)", source, native_id)
    return db.value("SELECT id FROM sessions WHERE source = ? AND native_id = ?", source, native_id)


def save_facts(db: Database, source: str, facts: SessionRecord) -> int:
    """Write what a file says about a session; gives its row."""
    session = row_of(db, source, facts.session)
    parent = row_of(db, source, facts.parent) if facts.parent and facts.parent != facts.session else None
    db.run(
        """UPDATE sessions SET project = coalesce(?, project), branch = coalesce(?, branch),
             model = coalesce(?, model), kind = coalesce(?, kind), parent = coalesce(?, parent),
             leaf = coalesce(?, leaf) WHERE id = ?""",
        facts.project, facts.branch, facts.model, facts.kind, parent, facts.leaf, session,
    )  # fmt: skip
    if facts.title:
        _set_title(db, session, facts.title, facts.title_rank)
    return session


def renumber(db: Database, session: int) -> None:
    """Work out a session's active branch, the numbers of its turns, and what follows from them."""
    rows = list(
        db.rows(
            "SELECT id, file, seq, time, native_id, parent_id, undone, number FROM turns WHERE session = ?", session
        )
    )
    begins: dict[int, int] = {}
    for _, file, _, time, *_ in rows:
        if time is not None:
            begins[file] = min(time, begins.get(file, time))
    rows.sort(key=lambda row: (begins.get(row[1], 0), row[1], row[2], row[0]))
    links = [Link(row[1], row[2], row[3], row[4], row[5], bool(row[6])) for row in rows]
    cuts = [Cut(*row) for row in db.rows("SELECT file, since, time FROM cuts WHERE session = ?", session)]
    leaf = db.value("SELECT leaf FROM sessions WHERE id = ?", session)
    number = 0
    changed: list[tuple[int | None, int]] = []
    for row, on in zip(rows, active(links, leaf, cuts), strict=True):
        number += on
        if (new := number if on else None) != row[7]:
            changed.append((new, row[0]))
    db.run_many("UPDATE turns SET number = ? WHERE id = ?", changed)
    times = [row[3] for row in rows if row[3] is not None]
    db.run(
        """UPDATE sessions SET turns = ?, started = ?, updated = ?, gone = ? AND NOT EXISTS (
             SELECT 1 FROM turns JOIN files ON files.id = turns.file
             WHERE turns.session = sessions.id AND files.state != 'gone') WHERE id = ?""",
        number, min(times, default=None), max(times, default=None), bool(rows), session,
    )  # fmt: skip
    if number:
        _title_from_turns(db, session)


def _title_from_turns(db: Database, session: int) -> None:
    """A title that another file gave to one of the turns, else the first words of the person."""
    rank = db.value("SELECT title_rank FROM sessions WHERE id = ?", session)
    late = db.row(
        """SELECT titles.title, titles.title_rank FROM titles
           JOIN turns ON turns.native_id = titles.turn_id AND turns.session = ?1
           JOIN sessions ON sessions.id = ?1 AND sessions.source = titles.source
           ORDER BY titles.title_rank DESC, turns.number DESC LIMIT 1""",
        session,
    )
    if late and late[1] >= rank:
        _set_title(db, session, *late)
    elif rank <= TITLE_FIRST_PROMPT:
        prompt = db.value(
            """SELECT text FROM turns WHERE session = ? AND number IS NOT NULL
               ORDER BY role = 'user' DESC, number LIMIT 1""",
            session,
        )
        _set_title(db, session, clean_line(unpack(prompt)[:1_000]), TITLE_FIRST_PROMPT)


def _set_title(db: Database, session: int, title: str, rank: int) -> None:
    db.run("UPDATE sessions SET title = ?, title_rank = ? WHERE id = ? AND title_rank <= ?", title, rank, session, rank)
