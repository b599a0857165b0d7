"""A session with its abandoned branches, and the sessions that it spawned."""

from __future__ import annotations

from collections.abc import Hashable

from .database import Database, Row
from .history import SESSION_COLUMNS, NotFound, session_from
from .results import Conversation, Session, Turn
from .store import unpack


def with_abandoned(db: Database, key: str) -> Conversation:
    """All turns of a session as they were written, those of no branch that counts with the number None.

    A turn that several files of the session have comes once. Raises NotFound.
    """
    with db.snapshot():
        row, session = _session(db, key)
        rows = list(
            db.rows(
                """SELECT id, number, role, time, quality, text, cite, native_id, seq, hash,
                     min(time) OVER (PARTITION BY file) AS began, file
                   FROM turns WHERE session = ? ORDER BY began, file, seq, id""",
                row,
            )
        )
    counting: dict[Hashable, Row] = {}
    for each in rows:
        identity = each[7] if each[7] is not None else (each[8], each[9])
        if identity not in counting or (counting[identity][1] is None and each[1] is not None):
            counting[identity] = each
    kept = {each[0] for each in counting.values()}
    turns = [Turn(*each[:5], text=unpack(each[5]), cite=each[6]) for each in rows if each[0] in kept]
    return Conversation(session, tuple(turns), 0, 0)


def spawned_by(db: Database, key: str) -> list[Session]:
    """The sub-agents' sessions that a session started, in their order."""
    source, _, native_id = key.partition(":")
    return [
        session_from(row)
        for row in db.rows(
            f"""SELECT {SESSION_COLUMNS} FROM sessions
                WHERE turns > 0 AND kind = 'subagent'
                  AND parent = (SELECT id FROM sessions WHERE source = ? AND native_id = ?)
                ORDER BY started IS NULL, started, id""",  # noqa: S608
            source, native_id,
        )
    ]  # fmt: skip


def _session(db: Database, key: str) -> tuple[int, Session]:
    source, _, native_id = key.partition(":")
    row = db.row(
        f"SELECT {SESSION_COLUMNS}, sessions.id FROM sessions WHERE source = ? AND native_id = ? AND turns > 0",  # noqa: S608
        source, native_id,
    )  # fmt: skip
    if row is None:
        raise NotFound(key)
    return row[-1], session_from(row)
