"""Session rows: what the files together say about a session, and which of its turns are active under what number."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from .branch import Cut, Link, active
from .clean import clean_line
from .database import Database, Row
from .model import TITLE_FIRST_PROMPT, SessionRecord
from .store import unpack


def row_of(db: Database, source: str, native_id: str) -> int:
    """The session's row, made if need be; one without turns is known by name only and listed nowhere."""
    find = "SELECT id FROM sessions WHERE source = ? AND native_id = ?"
    known = db.value(find, source, native_id)
    return known or db.insert("INSERT INTO sessions (source, native_id) VALUES (?, ?)", source, native_id)


def save_facts(db: Database, source: str, session: int, file: int, facts: SessionRecord) -> None:
    """Write what a file says about a session, over what it said before."""
    parent = row_of(db, source, facts.parent) if facts.parent and facts.parent != facts.session else None
    db.run(
        """INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
             title = iif(excluded.title IS NOT NULL AND (title IS NULL OR excluded.title_rank >= title_rank),
                         excluded.title, title),
             title_rank = iif(excluded.title IS NOT NULL, max(excluded.title_rank, title_rank), title_rank),
             project = coalesce(excluded.project, project), branch = coalesce(excluded.branch, branch),
             model = coalesce(excluded.model, model), kind = coalesce(excluded.kind, kind),
             parent = coalesce(excluded.parent, parent), leaf = coalesce(excluded.leaf, leaf),
             agent = coalesce(excluded.agent, agent), about = coalesce(excluded.about, about),
             handle = coalesce(excluded.handle, handle)""",
        session, file, facts.title, facts.title_rank if facts.title else 0,
        facts.project, facts.branch, facts.model, facts.kind, parent, facts.leaf,
        facts.agent, facts.about, facts.handle,
    )  # fmt: skip


def settle(db: Database, session: int) -> None:
    """Work out a session's facts, its active branch, the numbers of its turns, and what follows from them.

    A session of which nothing is left is dropped.
    """
    title, rank, project, branch, model, kind, parent, leaf, agent, about, handle = _facts(db, session)
    rows = _turns(db, session)
    if not rows and drop_if_unknown(db, session):
        return
    source = db.value("SELECT source FROM sessions WHERE id = ?", session)
    number = _renumber(db, session, rows, leaf)
    if number:
        title = _title_from_turns(db, session, source, rank) or title
    times = [row[3] for row in rows if row[3] is not None]
    db.run(
        """UPDATE sessions SET title = ?, title_rank = ?, project = ?, branch = ?, model = ?, kind = ?, parent = ?,
             leaf = ?, turns = ?, started = ?, updated = ?, gone = ?, agent = ?, about = ?, handle = ? WHERE id = ?""",
        title or "", rank, project, branch, model, kind or "main", parent,
        leaf, number, min(times, default=None), max(times, default=None), bool(rows) and all(row[9] for row in rows),
        agent, about, handle, session,
    )  # fmt: skip


def parents_of(db: Database, session: int) -> set[int]:
    """Every parent that a session has or that some file names."""
    rows = db.rows(
        """SELECT parent FROM facts WHERE session = ?1 AND parent IS NOT NULL
           UNION SELECT parent FROM sessions WHERE id = ?1 AND parent IS NOT NULL""",
        session,
    )
    return {row[0] for row in rows}


def drop_if_unknown(db: Database, session: int) -> bool:
    """Drop a row that no file says anything of and no other session refers to, and its parent's if that is such too."""
    row = db.row(
        """SELECT parent FROM sessions WHERE id = ?1
             AND NOT EXISTS (SELECT 1 FROM turns WHERE session = ?1)
             AND NOT EXISTS (SELECT 1 FROM facts WHERE session = ?1 OR parent = ?1)
             AND NOT EXISTS (SELECT 1 FROM cuts WHERE session = ?1)
             AND NOT EXISTS (SELECT 1 FROM sessions WHERE parent = ?1)""",
        session,
    )
    if row is None:
        return False
    db.run("DELETE FROM sessions WHERE id = ?", session)
    if row[0] is not None:
        drop_if_unknown(db, row[0])
    return True


def _facts(db: Database, session: int) -> Row:
    """What the files say, the one that changed last over the others; the best title, not the latest."""
    merged: list[object] = [None, 0, *[None] * 9]
    for row in db.rows(
        """SELECT title, facts.title_rank, project, branch, model, kind, parent, leaf, agent, about, handle
           FROM facts JOIN files ON files.id = facts.file WHERE session = ? ORDER BY files.mtime_ns, files.path""",
        session,
    ):
        if row[0] is not None and (merged[0] is None or row[1] >= merged[1]):  # type: ignore[operator]
            merged[:2] = row[:2]
        merged[2:] = [old if new is None else new for old, new in zip(merged[2:], row[2:], strict=True)]
    return tuple(merged)


def _turns(db: Database, session: int) -> list[Row]:
    """The session's turns in order: file after file as they begin."""
    rows = list(
        db.rows(
            """SELECT turns.id, file, seq, time, native_id, parent_id, undone, number, hash, files.state = 'gone',
                      files.path
               FROM turns JOIN files ON files.id = turns.file WHERE session = ?""",
            session,
        )
    )
    begins: dict[int, int] = {}
    for row in rows:
        if row[3] is not None:
            begins[row[1]] = min(row[3], begins.get(row[1], row[3]))
    rows.sort(key=lambda row: (begins.get(row[1], 0), row[10], row[2], row[0]))
    return rows


def _renumber(db: Database, session: int, rows: Sequence[Row], leaf: str | None) -> int:
    """Number the turns of the active branch; gives how many there are."""
    own = _without_copies(rows)
    links = [Link(row[1], row[2], row[3], row[4], row[5], bool(row[6])) for row in own]
    cuts = [Cut(*row) for row in db.rows("SELECT file, since, time FROM cuts WHERE session = ?", session)]
    numbers: dict[int, int] = {}
    for row, on in zip(own, active(links, leaf, cuts), strict=True):
        if on:
            numbers[row[0]] = len(numbers) + 1
    changed = [(new, row[0]) for row in rows if (new := numbers.get(row[0])) != row[7]]
    db.run_many("UPDATE turns SET number = ? WHERE id = ?", changed)
    return len(numbers)


def _without_copies(rows: Sequence[Row]) -> list[Row]:
    """The rows without those that another file of the session has too; a file that is still there is preferred."""
    if len({row[1] for row in rows}) < 2:
        return list(rows)
    chosen: dict[Hashable, Row] = {}
    for row in rows:
        identity = row[4] if row[4] is not None else (row[2], row[8])
        if identity not in chosen or chosen[identity][9] > row[9]:
            chosen[identity] = row
    kept = {row[0] for row in chosen.values()}
    return [row for row in rows if row[0] in kept]


def _title_from_turns(db: Database, session: int, source: str, rank: int) -> str | None:
    """A title that some file gave to one of the turns, else the first words of the person; None: neither."""
    late = db.row(
        """SELECT titles.title, titles.title_rank FROM turns
           CROSS JOIN titles ON titles.source = ?2 AND titles.turn_id = turns.native_id
           JOIN files ON files.id = titles.file
           WHERE turns.session = ?1 AND EXISTS (SELECT 1 FROM titles WHERE source = ?2)
           ORDER BY titles.title_rank DESC, turns.number DESC, turns.seq DESC, files.mtime_ns DESC, files.path,
             titles.turn_id
           LIMIT 1""",
        session, source,
    )  # fmt: skip
    if late and late[1] >= rank:
        return late[0]
    if rank > TITLE_FIRST_PROMPT:
        return None
    prompt = db.value(
        """SELECT text FROM turns WHERE session = ? AND number IS NOT NULL
           ORDER BY role = 'user' DESC, number LIMIT 1""",
        session,
    )
    return clean_line(unpack(prompt)[:1_000])
