"""What agents are shown of sessions: their list, the turns of one, and what came before and after a moment."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from .database import Database
from .filters import Where
from .history import SESSION_COLUMNS, NotFound, around, find_session, session_from
from .results import Session, Turn
from .scope import Scope
from .store import unpack
from .tool_answers import (
    MOST_BYTES_OF_HISTORY,
    Unavailable,
    bounded,
    moment_row,
    session_row,
    turn_row,
    without_none,
)
from .tool_requests import BadRequest, SessionsHistory, SessionsList, Timeline

GIST = 240
"""Characters of a turn that is one of many."""


def named(db: Database | None, scope: Scope, wanted: str) -> Session:
    """The session that an agent names, if it may see it. Raises Unavailable; BadRequest where several are meant."""
    if db is None:
        raise Unavailable
    try:
        return find_session(db, wanted, scope.where())
    except NotFound as error:
        if error.near:
            raise BadRequest(f"several sessions begin so: {', '.join(error.near)}") from error
        raise Unavailable from error


def row_of(db: Database, session: Session) -> int:
    """The row of a session that is there."""
    return db.value("SELECT id FROM sessions WHERE source = ? AND native_id = ?", session.source, session.native_id)


def turn_at(db: Database, row: int) -> Turn:
    """The turn of a row that is there."""
    found = db.row("SELECT id, number, role, time, quality, text, cite FROM turns WHERE id = ?", row)
    if found is None:
        raise Unavailable
    return Turn(*found[:5], text=unpack(found[5]), cite=found[6])


# ---- the turns of one ----


def history(db: Database | None, scope: Scope, request: SessionsHistory) -> dict[str, Any]:
    """The newest turns of a session, or those around one of them."""
    session = named(db, scope, request.session)
    assert db is not None  # noqa: S101, nothing has a name without an index
    if request.turn is not None:
        return _around(db, session, request, request.turn)
    sql = "FROM turns WHERE session = ? AND number IS NOT NULL" + ("" if request.tools else " AND role != 'tool'")
    row = row_of(db, session)
    total: int = db.value(f"SELECT count(*) {sql}", row)
    newest = f"SELECT id {sql} ORDER BY number DESC LIMIT ? OFFSET ?"
    ids = [each for (each,) in db.rows(newest, row, request.limit, request.offset)]
    answer = {
        "session": session_row(session),
        "total": total,
        "turns": [turn_row(session, turn_at(db, each)) for each in reversed(ids)],
        "truncated": False,
    }
    answer = bounded(answer, "turns", MOST_BYTES_OF_HISTORY, from_start=True)
    return answer | _next(request.offset, len(answer["turns"]), total)


def _around(db: Database, session: Session, request: SessionsHistory, number: int) -> dict[str, Any]:
    """Where the answer is too long, the turns farthest from the one that was asked for go."""
    found = around(db, session.key, number, request.beside, request.beside)
    turns = {turn.number or 0: turn for turn in found.turns}
    if number not in turns:
        raise BadRequest(f"this session has {session.turns} turns")
    nearest = sorted(turns, key=lambda each: abs(each - number))
    answer = bounded(
        {
            "session": session_row(session),
            "total": session.turns,
            "before": found.before,
            "after": found.after,
            "turns": [turn_row(session, turns[each], request.text_from * (each == number)) for each in nearest],
            "truncated": False,
        },
        "turns",
        MOST_BYTES_OF_HISTORY,
    )
    return answer | {"turns": sorted(answer["turns"], key=lambda row: row["turn"])}


# ---- the list ----


def listing(db: Database, scope: Scope, request: SessionsList, now: datetime) -> dict[str, Any]:
    """Sessions, the newest first."""
    wanted = scope.where()
    sql, values = f"FROM sessions WHERE turns > 0 {wanted.sql}", list(wanted.values)
    minutes = request.active_minutes
    for condition, value in (
        ("instr(project, ?)", request.project),
        ("source = ?", request.source),
        ("kind = ?", None if request.kind == "any" else request.kind),
        ("updated >= ?", None if minutes is None else int(now.timestamp() * 1000) - minutes * 60_000),
    ):
        if value is not None:
            sql, values = f"{sql} AND {condition}", [*values, value]
    total: int = db.value(f"SELECT count(*) {sql}", *values)
    newest = f"SELECT id, {SESSION_COLUMNS} {sql} ORDER BY updated DESC, id DESC LIMIT ? OFFSET ?"
    found = list(db.rows(newest, *values, request.limit, request.offset))
    rows = [_listed(db, row[0], session_from(row[1:]), request.messages) for row in found]
    answer = bounded({"sessions": rows, "total": total, "truncated": False}, "sessions")
    return answer | _next(request.offset, len(answer["sessions"]), total)


def _listed(db: Database, row: int, session: Session, messages: int) -> dict[str, Any]:
    ids = """SELECT id FROM turns WHERE session = ? AND number IS NOT NULL AND role != 'tool'
             ORDER BY number DESC LIMIT ?"""
    newest = [each for (each,) in db.rows(ids, row, messages)] if messages else []
    said = [turn_row(session, turn_at(db, each), 0, GIST) for each in reversed(newest)]
    return session_row(session) | without_none(messages=said or None)


def _next(offset: int, shown: int, total: int) -> dict[str, Any]:
    """Whether there is more, and how to ask for it."""
    more = bool(shown) and offset + shown < total
    return without_none(has_more=more, next_offset=offset + shown if more else None)


# ---- before and after ----


def timeline(db: Database, scope: Scope, request: Timeline, session: Session, turn: Turn) -> dict[str, Any]:
    """What the person said and what was noted before and after a turn."""
    rows = [
        *(moment_row(*each, GIST) for each in reversed(_beside(db, scope, request, session, turn, "<"))),
        moment_row(session, turn, 4 * GIST, is_anchor=True),
        *(moment_row(*each, GIST) for each in _beside(db, scope, request, session, turn, ">")),
    ]
    return bounded({"turns": rows, "truncated": False}, "turns")


def _beside(
    db: Database, scope: Scope, request: Timeline, session: Session, turn: Turn, sign: str
) -> list[tuple[Session, Turn]]:
    """Before (`<`) or after (`>`) a turn, the nearest first."""
    in_project = request.within == "project" and session.project is not None
    place = Where("project = ?", (session.project,)) if in_project else Where("id = ?", (row_of(db, session),))
    wanted = scope.where()
    order, most = ("DESC", request.before) if sign == "<" else ("ASC", request.after)
    nearest = f"""SELECT id, session FROM turns
                  WHERE session IN (SELECT id FROM sessions WHERE {place.sql} {wanted.sql}) AND number IS NOT NULL
                    AND role IN ('user', 'memory') AND (time, id) {sign} (?, ?)
                  ORDER BY time {order}, id {order} LIMIT ?"""  # noqa: S608, the texts above
    found = list(db.rows(nearest, *place.values, *wanted.values, turn.time or 0, turn.id, most))
    one = f"SELECT {SESSION_COLUMNS} FROM sessions WHERE id = ?"  # noqa: S608
    rows = [(db.row(one, owner), row) for row, owner in found]
    return [(session_from(columns), turn_at(db, row)) for columns, row in rows if columns]
