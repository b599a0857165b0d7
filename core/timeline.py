"""When there was activity: sessions day by day, in a time zone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from .database import Database

_QUARTER = 900_000
"""Milliseconds in a quarter of an hour: no zone's days begin within one."""
_SHOWN = "turns.number IS NOT NULL AND turns.time IS NOT NULL"


@dataclass(frozen=True, slots=True)
class Stretch:
    """What of a session was said on one day. A session that goes on over midnight has one on both days."""

    day: date
    session: int
    """Its row in the index."""
    source: str
    turns: int
    own: bool
    """Whether it is a conversation of the person's, not a sub-agent's, an automated one or a memory file."""


@dataclass(frozen=True, slots=True)
class Day:
    """What was going on in one day."""

    day: date
    sessions: int
    turns: int
    by_source: Mapping[str, int]
    """Source → turns, the busiest first."""


@dataclass(frozen=True, slots=True)
class OnDay:
    """A session as far as it was on one day."""

    session: int
    """Its row in the index."""
    first: int
    last: int
    """When the first and the last of those turns were, in milliseconds."""
    turns: int
    number: int
    """The number of the first of them."""
    about: bool = False
    """Whether a time is only that of the file."""


def activity(db: Database, zone: tzinfo | None = None) -> list[Stretch]:
    """All stretches, in no order; `zone` None is the local one."""
    found: Counter[tuple[date, int, str, bool]] = Counter()
    known: dict[int, date | None] = {}
    for quarter, session, source, own, turns in db.rows(
        f"""SELECT turns.time / {_QUARTER}, turns.session, sessions.source, sessions.kind = 'main', count(*)
            FROM turns JOIN sessions ON sessions.id = turns.session WHERE {_SHOWN} GROUP BY 2, 1"""  # noqa: S608
    ):
        if quarter not in known:
            known[quarter] = _date(quarter, zone)
        if (day := known[quarter]) is not None:
            found[day, session, source, bool(own)] += turns
    return [Stretch(day, session, source, turns, own) for (day, session, source, own), turns in found.items()]


def by_day(stretches: Iterable[Stretch]) -> list[Day]:
    """The days that have any, newest first."""
    found: dict[date, tuple[set[int], Counter[str]]] = {}
    for each in stretches:
        sessions, by_source = found.setdefault(each.day, (set(), Counter()))
        sessions.add(each.session)
        by_source[each.source] += each.turns
    return [
        Day(day, len(sessions), by_source.total(), dict(by_source.most_common()))
        for day, (sessions, by_source) in sorted(found.items(), reverse=True)
    ]


def without_time(db: Database) -> int:
    """How many of the person's sessions are on no day, as nothing in them has a time."""
    found: int = db.value(
        f"""SELECT count(*) FROM sessions WHERE turns > 0 AND kind = 'main'
            AND NOT EXISTS (SELECT 1 FROM turns WHERE turns.session = sessions.id AND {_SHOWN})"""  # noqa: S608
    )
    return found


def sessions_on(
    db: Database, day: date, zone: tzinfo | None = None, among: Callable[[int], bool] = lambda _: True
) -> list[OnDay]:
    """The sessions that have turns on a day, as far as `among` has their rows; the one that was active last first."""
    since, until = _bounds(day, zone)
    found = db.rows(
        f"""SELECT turns.session, min(turns.time), max(turns.time), count(*), min(turns.number),
              max(turns.quality = 'file')
            FROM sessions CROSS JOIN turns ON turns.session = sessions.id
            WHERE {_SHOWN} AND turns.time >= ? AND turns.time < ? AND sessions.updated >= ? AND sessions.started < ?
            GROUP BY turns.session ORDER BY max(turns.time) DESC, turns.session DESC""",  # noqa: S608
        since, until, since, until,
    )  # fmt: skip
    return [OnDay(*facts, about=bool(about)) for *facts, about in found if among(facts[0])]


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
