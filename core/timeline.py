"""When there was activity: the person's own sessions day by day, in a time zone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from .database import Database

_QUARTER = 900_000
"""Milliseconds in a quarter of an hour: no zone's days begin within one."""
_OWN = "turns.number IS NOT NULL AND turns.time IS NOT NULL AND sessions.kind = 'main'"


@dataclass(frozen=True, slots=True)
class Day:
    """What was going on in one day. A session that goes on over midnight counts in both days."""

    day: date
    sessions: int
    turns: int
    by_source: Mapping[str, int]
    """Source → turns, the busiest first."""


def days(db: Database, zone: tzinfo | None = None) -> list[Day]:
    """The days that have turns, newest first; `zone` None is the local one."""
    found: dict[date, tuple[set[int], Counter[str]]] = {}
    known: dict[int, date | None] = {}
    for quarter, session, source, turns in db.rows(
        f"""SELECT turns.time / {_QUARTER}, turns.session, sessions.source, count(*)
            FROM turns JOIN sessions ON sessions.id = turns.session WHERE {_OWN} GROUP BY 2, 1"""  # noqa: S608
    ):
        if quarter not in known:
            known[quarter] = _date(quarter, zone)
        if (day := known[quarter]) is not None:
            sessions, by_source = found.setdefault(day, (set(), Counter()))
            sessions.add(session)
            by_source[source] += turns
    return [
        Day(day, len(sessions), by_source.total(), dict(by_source.most_common()))
        for day, (sessions, by_source) in sorted(found.items(), reverse=True)
    ]


def sessions_on(db: Database, day: date, zone: tzinfo | None = None) -> list[int]:
    """The rows of the sessions that have turns on a day, the one that was active last first."""
    since, until = _bounds(day, zone)
    return [
        row[0]
        for row in db.rows(
            f"""SELECT turns.session FROM sessions CROSS JOIN turns ON turns.session = sessions.id
                WHERE {_OWN} AND turns.time >= ? AND turns.time < ? AND sessions.updated >= ? AND sessions.started < ?
                GROUP BY turns.session ORDER BY max(turns.time) DESC, turns.session DESC""",  # noqa: S608
            since, until, since, until,
        )
    ]  # fmt: skip


def _date(quarter: int, zone: tzinfo | None) -> date | None:
    try:
        return datetime.fromtimestamp(quarter * _QUARTER / 1000, UTC).astimezone(zone).date()
    except (OverflowError, ValueError, OSError):
        return None


def _bounds(day: date, zone: tzinfo | None) -> tuple[int, int]:
    """Where a day begins and ends, in milliseconds."""
    first, last = (
        datetime.combine(each, time(), zone) if zone else datetime.combine(each, time()).astimezone()
        for each in (day, day + timedelta(days=1))
    )
    return int(first.timestamp() * 1000), int(last.timestamp() * 1000)
