"""Which sessions, and which days of them, a text typed over the timeline keeps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo

from .database import Database
from .filters import where
from .query import TIMES, Query
from .timeline import Stretch
from .when import Mention, mentions


@dataclass(frozen=True, slots=True)
class Span:
    """A time: from the day of its first moment to that of its last; None: open at that end."""

    first: date | None
    last: date | None

    def __contains__(self, day: date) -> bool:
        return (self.first is None or day >= self.first) and (self.last is None or day <= self.last)


@dataclass(frozen=True, slots=True)
class Kept:
    """What is left of the timeline."""

    sessions: frozenset[int] | None = None
    """Rows of sessions; None: all of them."""
    wanted: tuple[Span, ...] = ()
    """A day is in every one of these ..."""
    named: tuple[Span, ...] = ()
    """... in one of these, if there are any ..."""
    unwanted: tuple[Span, ...] = ()
    """... and in none of these."""
    every_kind: bool = False
    """Sub-agents, automated sessions and memory files too, as the person named a kind."""

    def has(self, each: Stretch) -> bool:
        """Whether a stretch is kept."""
        return (
            (each.own or self.every_kind)
            and (self.sessions is None or each.session in self.sessions)
            and all(each.day in span for span in self.wanted)
            and (not self.named or any(each.day in span for span in self.named))
            and not any(each.day in span for span in self.unwanted)
        )

    def of(self, stretches: Iterable[Stretch]) -> list[Stretch]:
        """Those that are kept."""
        return [each for each in stretches if self.has(each)]


def kept(db: Database, query: Query, titles: Mapping[str, str], now: datetime, zone: tzinfo | None = None) -> Kept:
    """Read `query` as one for sessions: its words stand in their title, project, branch or the title of their source.

    Its filters go by the session, or by any of its turns; its times keep days. `titles`: what sources are called.
    """
    times = [each for each in query.filters if each.key in TIMES]
    named = _named(query, now)
    spans = [(each.negated, _span(each.since, each.until, zone)) for each in times]
    return Kept(
        _sessions(db, query, titles, named),
        tuple(span for negated, span in spans if not negated),
        tuple(_span(each.period.start, each.period.stop, zone) for each in named),
        tuple(span for negated, span in spans if negated),
        any(each.key == "kind" and not each.negated for each in query.filters),
    )


def _named(query: Query, now: datetime) -> list[Mention]:
    """The times among its words, which name days here even where they stand alone."""
    words = [term for group in (*query.wanted, query.timed) for term in group if not term.quoted]
    return [
        each
        for each in mentions(query.text, now)
        if any(each.start <= term.start and term.stop <= each.stop for term in words)
    ]


def _sessions(db: Database, query: Query, titles: Mapping[str, str], named: Sequence[Mention]) -> frozenset[int] | None:
    filters = [each for each in query.filters if each.key not in TIMES]
    groups = [
        group
        for group in query.wanted
        if not any(each.start <= group[0].start and group[0].stop <= each.stop for each in named)
    ]
    if not (filters or groups or query.unwanted):
        return None
    among = where(filters)
    rows = db.rows(
        f"""SELECT id, source, title, coalesce(project, ''), coalesce(branch, '') FROM sessions WHERE turns > 0
            AND EXISTS (SELECT 1 FROM turns WHERE turns.session = sessions.id {among.sql})""",  # noqa: S608
        *among.values,
    )
    wanted = [[term.text.casefold() for term in group] for group in groups]
    unwanted = [term.text.casefold() for term in query.unwanted]
    found: set[int] = set()
    for row, source, *names in rows:
        said = "\n".join([*names, titles.get(source, source)]).casefold()
        if all(any(word in said for word in group) for group in wanted) and not any(word in said for word in unwanted):
            found.add(row)
    return frozenset(found)


def _span(since: int | None, until: int | None, zone: tzinfo | None) -> Span:
    return Span(_date(since, zone), None if until is None else _date(until - 1, zone))


def _date(time: int | None, zone: tzinfo | None) -> date | None:
    try:
        return None if time is None else datetime.fromtimestamp(time / 1000, UTC).astimezone(zone).date()
    except (OverflowError, ValueError, OSError):  # beyond all calendars is beyond all days
        return None
