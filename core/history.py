"""Sessions and the turns around a hit, read from the index."""

from __future__ import annotations

from collections.abc import Sequence

from .database import Database, Row
from .filters import Where
from .results import Conversation, Session, Turn
from .store import unpack

SESSION_COLUMNS = """
  sessions.source, sessions.native_id, sessions.title, sessions.project, sessions.branch, sessions.model,
  sessions.started, sessions.updated,
  (SELECT p.source || ':' || p.native_id FROM sessions p WHERE p.id = sessions.parent),
  sessions.kind, sessions.turns, sessions.gone, sessions.agent, sessions.about, sessions.handle
"""
SESSION_WIDTH = 15


def session_from(row: Row) -> Session:
    """A session from a row that begins with SESSION_COLUMNS."""
    agent, about, handle = row[12:SESSION_WIDTH]
    gone = bool(row[11])
    return Session(f"{row[0]}:{row[1]}", *row[:11], gone_at_source=gone, agent=agent, about=about, handle=handle)


class NotFound(Exception):
    """There is no such session; `near` holds the keys of sessions that may have been meant."""

    def __init__(self, wanted: str, near: Sequence[str] = ()) -> None:
        super().__init__(wanted)
        self.wanted, self.near = wanted, tuple(near)


def find_session(db: Database, wanted: str, among: Where = Where()) -> Session:  # noqa: B008, it is frozen
    """The session with this key, this native id, or the only one whose native id begins with it. Raises NotFound.

    Of none but those that `among` lets through, a condition on `sessions`.
    """
    source, colon, native_id = wanted.partition(":")
    readings = [(native_id, source), (wanted, None)] if colon else [(wanted, None)]  # native ids may hold colons too
    for condition, begin in (("= ?1", False), ("GLOB ?1", True)):
        for name, of in readings:
            if not name:
                continue
            rows = list(
                db.rows(
                    f"""SELECT {SESSION_COLUMNS} FROM sessions
                        WHERE turns > 0 AND native_id {condition} AND (?2 IS NULL OR source = ?2) {among.sql}
                        ORDER BY updated DESC LIMIT 6""",  # noqa: S608
                    _literal(name) + "*" if begin else name, of, *among.values,
                )
            )  # fmt: skip
            if len(rows) == 1:
                return session_from(rows[0])
            if rows:
                raise NotFound(wanted, [session_from(row).key for row in rows])
    raise NotFound(wanted)


def recent_rows(db: Database, project: str | None = None) -> list[int]:
    """The rows of the person's own sessions, of one project (a part of its path) or of all, newest first."""
    return [
        row[0]
        for row in db.rows(
            """SELECT id FROM sessions WHERE turns > 0 AND kind = 'main' AND (?1 IS NULL OR instr(project, ?1))
               ORDER BY updated DESC, id DESC""",
            project,
        )
    ]


def session_at(db: Database, row: int) -> Session | None:
    """The session of a row; None when it was dropped."""
    found = db.row(f"SELECT {SESSION_COLUMNS} FROM sessions WHERE id = ? AND turns > 0", row)  # noqa: S608
    return session_from(found) if found else None


def around(db: Database, key: str, number: int, before: int, after: int) -> Conversation:
    """The active turns `number - before` to `number + after` of a session, as far as it has them. Raises NotFound."""
    with db.snapshot():
        row, session = _session(db, key)
        first = min(max(1, number - before), session.turns + 1)
        last = min(max(first - 1, number + after), session.turns)
        return Conversation(session, _turns(db, row, first, last), first - 1, session.turns - last)


def whole(db: Database, key: str) -> Conversation:
    """All active turns of a session. Raises NotFound."""
    with db.snapshot():
        row, session = _session(db, key)
        return Conversation(session, _turns(db, row, 1, session.turns), 0, 0)


def _session(db: Database, key: str) -> tuple[int, Session]:
    source, _, native_id = key.partition(":")
    row = db.row(
        f"SELECT {SESSION_COLUMNS}, id FROM sessions WHERE source = ? AND native_id = ? AND turns > 0",  # noqa: S608
        source, native_id,
    )  # fmt: skip
    if row is None:
        raise NotFound(key)
    return row[SESSION_WIDTH], session_from(row)


def _turns(db: Database, session: int, first: int, last: int) -> tuple[Turn, ...]:
    return tuple(
        Turn(*row[:5], text=unpack(row[5]), cite=row[6])
        for row in db.rows(
            """SELECT id, number, role, time, quality, text, cite FROM turns
               WHERE session = ? AND number BETWEEN ? AND ? ORDER BY number""",
            session, first, last,
        )
    )  # fmt: skip


def _literal(text: str) -> str:
    """`text` for GLOB, its own wildcards taken literally."""
    return "".join(f"[{character}]" if character in "*?[" else character for character in text)
