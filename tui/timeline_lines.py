"""A timeline as text: one row a day, two rows a session of it, and a line of bars for each source. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta, tzinfo

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from ..core.results import Session
from ..core.timeline import Day, OnDay
from .page import day_name
from .rows import MUTED, TITLE, crop, facts_line, project_name
from .wording import MONTHS, counted, local_time

BARS = " ▁▂▃▄▅▆▇█"
MOST_SOURCES = 4
"""So many have a line of their own; the others share one."""
_NAME_CELLS = 16
_BAR_CELLS = 12
_SHORT_DAY, _COUNT_CELLS = 13, 4


@dataclass(frozen=True, slots=True)
class DaySession:
    """A session as the list of a day has it."""

    session: Session
    on: OnDay


def day_row(day: Day, width: int, *, busiest: int, titles: Mapping[str, str], today: date) -> list[Content]:
    """A day as one line of at most `width` cells: when, how much, and by whom as far as there is room."""
    when = {0: "today", 1: "yesterday"}.get((today - day.day).days, "")
    if width < 40:
        return [_short_row(day, width, busiest, when)]
    name = f"{day_name(day.day):<16}{when:<10}" if width >= 76 else f"{day_name(day.day):<16}"
    sessions = f"{counted(day.sessions, 'session'):>12}"
    room = _BAR_CELLS if width >= 52 else 0
    bar = f" {bar_of(day.turns, busiest, room):<{room}}" if room else ""
    facts = [titles.get(source, source) for source in day.by_source]
    rest = f"{counted(day.turns, 'turn'):>12}  {', '.join(facts)}" if width >= 60 else ""
    return [Content.assemble((name, "bold"), bar, sessions, (rest, MUTED)).truncate(width, ellipsis=True)]


def _short_row(day: Day, width: int, busiest: int, when: str) -> Content:
    """The day, a bar of its turns if there is room, and how many sessions."""
    short = f"{day.day.day} {MONTHS[day.day.month - 1]} {day.day.year % 100:02d}"
    if width < _SHORT_DAY + _COUNT_CELLS:
        return Content.assemble((short, "bold"), f" {day.sessions}").truncate(width, ellipsis=True)
    name = f"{when.capitalize() or f'{day_name(day.day)[:3]} {short}':<{_SHORT_DAY}}"
    room = width - _SHORT_DAY - _COUNT_CELLS - 2
    bar = f" {bar_of(day.turns, busiest, room):<{room}}" if room > 0 else ""
    return Content.assemble((name, "bold"), bar, f"{day.sessions:>{_COUNT_CELLS},}").truncate(width, ellipsis=True)


def session_lines(
    item: DaySession, width: int, *, titles: Mapping[str, str], zone: tzinfo | None = None
) -> list[Content]:
    """A session of a day as two lines: when on that day and its title, and the facts that tell it from others."""
    session, on = item.session, item.on
    first, last = (local_time(time, zone) for time in (on.first, on.last))
    since = f"{'~' if on.about else ''}{first:%H:%M}" if first else ""
    when = f"{since}-{last:%H:%M}" if last and last != first and width >= 56 else since
    left = f"{when}  " if width >= 24 else ""
    title = crop(" ".join(session.title.split()) or "(untitled)", (), max(0, width - cell_len(left)))[0]
    turns = counted(session.turns, "turn")
    if on.turns < session.turns:
        turns = f"{on.turns:,} of {turns}"
    facts = [project_name(session), titles.get(session.source, session.source), turns]
    facts += [session.kind] if session.kind != "main" else []
    notes = ["gone at source"] if session.gone_at_source else []
    indent = "  " if left else ""
    below = facts_line([fact for fact in facts if fact], session.branch, notes, max(0, width - len(indent)))
    return [Content.assemble((left, MUTED), (title, TITLE)), Content(indent) + below]


def bar_of(value: int, most: int, cells: int) -> str:
    """A bar of at most `cells`; of at least one where there is anything."""
    return "█" * max(1 if value else 0, round(cells * value / max(1, most)))


@dataclass(frozen=True, slots=True)
class Sparks:
    """How busy each source was, older times at the left; a column stands for `each` days."""

    sources: Sequence[str | None]
    """One for each line; None: all that have no line of their own."""
    names: Sequence[str]
    values: Sequence[Sequence[int]]
    """Turns, line by line and column by column."""
    first: date
    last: date
    each: int

    def day_at(self, x: int) -> date | None:
        """The last day of a column that is drawn at cell `x` of a line; None beside them."""
        column = x - _NAME_CELLS - 1
        if not 0 <= column < len(self.values[0]):
            return None
        return min(self.last, self.first + timedelta(days=(column + 1) * self.each - 1))

    def source_at(self, x: int, y: int) -> str | None:
        """The source whose name is drawn at a place."""
        return self.sources[y] if x < _NAME_CELLS and y < len(self.sources) else None

    def lines(self, chosen: date | None) -> list[Content]:
        """The bars, and below them the first day, the last one and a mark for the chosen one."""
        most = max(max(values) for values in self.values)
        rows = [
            Content.assemble((set_cell_size(name, _NAME_CELLS), MUTED), " ", spark(values, most))
            for name, values in zip(self.names, self.values, strict=True)
        ]
        scale = f"{counted(self.each, 'day')} a column" if self.each < 100 else f"{self.each:,} days"
        axis = self._axis((chosen - self.first).days // self.each if chosen else None)
        return [*rows, Content.assemble((f"{scale:<{_NAME_CELLS}} ", MUTED), axis)]

    def _axis(self, mark: int | None) -> str:
        columns = len(self.values[0])
        first, last = _short_date(self.first), _short_date(self.last)
        if len(first) + len(last) + 2 > columns:
            last = ""
        if mark is not None and mark <= len(first):
            first = ""
        if mark is not None and mark >= columns - len(last) - 1:
            last = ""
        line = f"{first}{last.rjust(columns - len(first))}"
        return line if mark is None else f"{line[:mark]}▲{line[mark + 1 :]}"


def sparks(days: Sequence[Day], today: date, width: int, titles: Mapping[str, str]) -> Sparks | None:
    """The bars of days, newest first, up to today in at most `width` cells; None where they would tell nothing."""
    room = width - _NAME_CELLS - 1
    if not days or room < 20:
        return None
    first, last = days[-1].day, max(today, days[0].day)
    span = (last - first).days + 1
    each = -(-span // room)
    columns = -(-span // each)
    totals: dict[str, int] = {}
    for day in days:
        for source, turns in day.by_source.items():
            totals[source] = totals.get(source, 0) + turns
    named = sorted(totals, key=lambda source: -totals[source])[: MOST_SOURCES if len(totals) > MOST_SOURCES else None]
    heights: dict[str | None, list[int]] = {source: [0] * columns for source in named}
    if len(totals) > len(named):
        heights[None] = [0] * columns
    for day in days:
        for source, turns in day.by_source.items():
            heights[source if source in heights else None][(day.day - first).days // each] += turns
    others = f"{len(totals) - len(named)} others"
    names = [others if source is None else titles.get(source, source) for source in heights]
    return Sparks(list(heights), names, list(heights.values()), first, last, each)


def spark(values: Sequence[int], most: int) -> str:
    """Values as bars of eighths of a cell; anything at all is at least the smallest."""
    return "".join(BARS[max(1, round(8 * value / most)) if value else 0] for value in values)


def _short_date(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1]} {day.year % 100:02d}"
