"""Sessions that are kept out, by a rule or as the person deleted them in their agent: nothing of them is kept but their
id, so that what is added to them stays out as well."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from .database import Database
from .deleting import DELETED, Name, any_deleted, is_deleted
from .dropping import drop_file, holds_marks
from .exclude import Rules
from .fulltext import drop_chunks_of_turn
from .intake import Batch
from .ledger import UNKNOWN, add_skips
from .model import SkipRecord
from .sessions import drop_if_unknown, parents_of, settle

REASON = "excluded"


def why_hidden(db: Database, source: str, native_id: str) -> str | None:
    """`excluded` or `deleted-at-source` for a session that is kept out."""
    find = "SELECT reason FROM hidden WHERE source = ? AND session = ? ORDER BY reason DESC"
    return db.value(find, source, native_id) if _has_table(db) else None


def hidden_count(db: Database) -> int:
    """How many sessions rules hide; none in an index of a format that could hide none."""
    count = "SELECT count(*) FROM (SELECT DISTINCT source, session FROM hidden WHERE reason = ?)"
    return db.value(count, REASON) if _has_table(db) else 0


def _has_table(db: Database) -> bool:
    return db.row("SELECT 1 FROM sqlite_master WHERE name = 'hidden'") is not None


def names_of(batch: Batch) -> set[str]:
    """The sessions that a batch has anything of."""
    return {*batch.sessions, *(each.session for each in (*batch.turns, *batch.undos, *batch.cuts))}


def without_hidden(db: Database, source: str, file: int, path: bytes, batch: Batch) -> Batch:
    """A batch without what it has of hidden sessions, which is counted."""
    some_are_deleted = any_deleted(db)
    names: set[str] = set()
    for name in names_of(batch):
        deleted = some_are_deleted and is_deleted(db, source, name)
        if why := DELETED if deleted else why_hidden(db, source, name):
            names.add(name)
            _note(db, source, name, file, path, why)
    if not names:
        return batch
    return replace(
        batch,
        sessions={name: facts for name, facts in batch.sessions.items() if name not in names},
        turns=[turn for turn in batch.turns if turn.session not in names],
        undos=[undo for undo in batch.undos if undo.session not in names],
        cuts=[cut for cut in batch.cuts if cut.session not in names],
    )


def hidden_by(db: Database, rules: Rules, sessions: Iterable[int]) -> dict[int, tuple[str, str]]:
    """Those of some settled sessions that a rule hides, with what was forked from or spawned by them.

    By row: (source, native id).
    """
    found: dict[int, tuple[str, str]] = {}
    waiting = list(sessions) if rules.look_into_sessions else []
    some_are_hidden = bool(waiting) and _has_table(db) and db.row("SELECT 1 FROM hidden LIMIT 1") is not None
    while waiting:
        session = waiting.pop()
        row = db.row(
            """SELECT s.source, s.native_id, s.title, s.project, s.parent, p.source, p.native_id
               FROM sessions s LEFT JOIN sessions p ON p.id = s.parent WHERE s.id = ? AND s.turns > 0""",
            session,
        )
        if row is None or session in found:
            continue
        *facts, parent, source, native_id = row  # the last two are the parent's
        of_hidden = parent in found or (some_are_hidden and why_hidden(db, source, native_id) == REASON)
        if of_hidden or rules.hide_session(*facts):
            found[session] = facts[0], facts[1]
            waiting += (child for (child,) in db.rows("SELECT id FROM sessions WHERE parent = ?", session))
    return found


def hide(db: Database, rules: Rules, sessions: Iterable[int]) -> None:
    """Drop what is indexed of those sessions that a rule hides."""
    for session, names in hidden_by(db, rules, sessions).items():
        _drop(db, session, *names, REASON)


def show_again(db: Database) -> None:
    """Have every file read again that has something of a session that a rule hid; the rules decide anew."""
    files = "SELECT file FROM hidden WHERE reason = ?"
    db.run(f"UPDATE files SET adapter_version = ? WHERE id IN ({files})", UNKNOWN, REASON)  # noqa: S608, the text above
    db.run("DELETE FROM skips WHERE reason = ?", REASON)
    db.run("DELETE FROM hidden WHERE reason = ?", REASON)


# ---- deleted by the person in its agent ----


def drop_deleted(db: Database, sessions: Iterable[int], names: Iterable[Name]) -> None:
    """Drop those of some settled sessions that were deleted, with their sub-agents' sessions."""
    if not any_deleted(db):
        return
    rows = (db.value("SELECT id FROM sessions WHERE source = ? AND native_id = ?", *name) for name in names)
    waiting = [*sessions, *(row for row in rows if row is not None)]
    found: dict[int, Name] = {}
    while waiting:
        session = waiting.pop()
        row = db.row(
            """SELECT s.source, s.native_id, s.kind, s.parent, p.source, p.native_id
               FROM sessions s LEFT JOIN sessions p ON p.id = s.parent WHERE s.id = ?""",
            session,
        )
        if row is None or session in found:
            continue
        *name, kind, parent, source, native_id = row  # the last two are the parent's
        serves = kind == "subagent" and parent is not None
        if is_deleted(db, *name) or (serves and (parent in found or _is_out(db, source, native_id))):
            found[session] = name[0], name[1]
            children = "SELECT id FROM sessions WHERE parent = ? AND kind = 'subagent'"
            waiting += (child for (child,) in db.rows(children, session))
    for session, name in found.items():
        _drop(db, session, *name, DELETED)


def lift(db: Database, names: Iterable[Name]) -> set[bytes]:
    """Where a store takes back that it deleted some of these, have the files read again; gives their paths.

    So are those of other sessions that are out for a reason nobody gives any more: sub-agents of theirs.
    """
    lifted: set[bytes] = set()
    for source in {source for source, name in names if not is_deleted(db, source, name)}:
        rows = db.rows(
            """SELECT session, file, path FROM hidden JOIN files ON files.id = file
               WHERE hidden.source = ? AND hidden.reason = ?""",
            source, DELETED,
        )  # fmt: skip
        for session, file, path in list(rows):
            if not is_deleted(db, source, session):
                db.run("DELETE FROM hidden WHERE source = ? AND session = ? AND file = ?", source, session, file)
                db.run("DELETE FROM skips WHERE path = ? AND reason = ?", path, DELETED)
                db.run("UPDATE files SET adapter_version = ? WHERE id = ?", UNKNOWN, file)
                lifted.add(path)
    return lifted


def _is_out(db: Database, source: str, native_id: str) -> bool:
    return is_deleted(db, source, native_id) or why_hidden(db, source, native_id) == DELETED


# ---- what both do ----


def _note(db: Database, source: str, native_id: str, file: int, path: bytes, reason: str) -> None:
    """Count a session that is kept out of the index, once a file."""
    db.run("INSERT OR IGNORE INTO hidden VALUES (?, ?, ?, ?)", source, native_id, file, reason)
    if db.changes():
        add_skips(db, source, path, [SkipRecord(reason, native_id)])


def _drop(db: Database, session: int, source: str, native_id: str, reason: str) -> None:
    files = list(
        db.rows(
            """SELECT id, path, state FROM files WHERE id IN (SELECT file FROM turns WHERE session = ?1
                 UNION SELECT file FROM facts WHERE session = ?1 UNION SELECT file FROM cuts WHERE session = ?1)""",
            session,
        )
    )
    for file, path, _ in files:
        _note(db, source, native_id, file, path, reason)
    parents = parents_of(db, session)
    db.run(
        """DELETE FROM titles WHERE source = ?2 AND turn_id IN (SELECT native_id FROM turns WHERE session = ?1)
             AND turn_id NOT IN (SELECT native_id FROM turns WHERE session != ?1 AND native_id = turn_id)""",
        session, source,
    )  # fmt: skip
    for (turn,) in list(db.rows("SELECT id FROM turns WHERE session = ?", session)):
        drop_chunks_of_turn(db, turn)
    for table in ("turns", "facts", "cuts"):
        db.run(f"DELETE FROM {table} WHERE session = ?", session)  # noqa: S608, the three names above
    for file, _, state in files:
        kept = db.value("SELECT sum(size) FROM turns WHERE file = ?", file)
        if state == "gone" and kept is None and not holds_marks(db, file):
            drop_file(db, file)
        else:
            db.run("UPDATE files SET text_size = ? WHERE id = ?", kept or 0, file)
    settle(db, session)
    for parent in parents:
        drop_if_unknown(db, parent)
