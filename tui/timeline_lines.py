"""A timeline as text: one row a day, and a line of bars for each source. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from ..core.timeline import Day
from .page import day_name
from .rows import MUTED
from .wording import MONTHS, counted

BARS = " ▁▂▃▄▅▆▇█"
MOST_SOURCES = 4
"""So many have a line of their own; the others share one."""
_NAME_CELLS = 14
_BAR_CELLS = 12


def day_row(day: Day, width: int, *, busiest: int, titles: Mapping[str, str], today: date) -> list[Content]:
    """A day as one line of at most `width` cells: when, how much, and by whom as far as there is room."""
    when = {0: "today", 1: "yesterday"}.get((today - day.day).days, "")
    name = day_name(day.day) if width >= 40 else f"{day.day.day} {MONTHS[day.day.month - 1]} {day.day.year % 100:02d}"
    if width >= 76:
        name = f"{name:<16}{when:<10}"
    elif width >= 40:
        name = f"{name:<16}"
    sessions = f"{counted(day.sessions, 'session'):>12}"
    if width < 30:
        return [Content.assemble((name, "bold"), f" {day.sessions}").truncate(width, ellipsis=True)]
    room = _BAR_CELLS if width >= 52 else 0
    bar = f" {bar_of(day.turns, busiest, room):<{room}}" if room else ""
    facts = [titles.get(source, source) for source in day.by_source]
    rest = f"{counted(day.turns, 'turn'):>12}  {', '.join(facts)}" if width >= 60 else ""
    return [Content.assemble((name, "bold"), bar, sessions, (rest, MUTED)).truncate(width, ellipsis=True)]


def bar_of(value: int, most: int, cells: int) -> str:
    """A bar of at most `cells`; of at least one where there is anything."""
    return "█" * max(1 if value else 0, round(cells * value / max(1, most)))


def spark_lines(
    days: Sequence[Day], chosen: date | None, today: date, width: int, titles: Mapping[str, str]
) -> list[Content]:
    """How busy each source was from the first day to today, older times at the left; a mark under the chosen day.

    A column stands for one day where there is room, else for as many as it takes. Empty where it would tell nothing.
    """
    if not days or width < _NAME_CELLS + 20:
        return []
    room = width - _NAME_CELLS - 1
    first = days[-1].day
    span = (max(today, days[0].day) - first).days + 1
    each = -(-span // room)
    columns = -(-span // each)
    totals: dict[str, int] = {}
    for day in days:
        for source, turns in day.by_source.items():
            totals[source] = totals.get(source, 0) + turns
    named = sorted(totals, key=lambda source: -totals[source])[: MOST_SOURCES if len(totals) > MOST_SOURCES else None]
    heights: dict[str, list[int]] = {source: [0] * columns for source in named}
    others = [0] * columns
    for day in days:
        column = (day.day - first).days // each
        for source, turns in day.by_source.items():
            heights.get(source, others)[column] += turns
    rows = [(titles.get(source, source), values) for source, values in heights.items()]
    if any(others):
        rows.append((f"{len(totals) - len(named)} others", others))
    most = max(max(values) for _, values in rows)
    lines = [
        Content.assemble((set_cell_size(f"{name}", _NAME_CELLS), MUTED), " ", spark(values, most))
        for name, values in rows
    ]
    scale = "a column a day" if each == 1 else f"a column for {each} days"
    at = (chosen - first).days // each if chosen else 0
    mark = " " * (_NAME_CELLS + 1 + at) + "▲"
    if cell_len(mark) + cell_len(scale) + 2 < width:
        mark += " " * (width - cell_len(mark) - cell_len(scale)) + scale
    return [*lines, Content(mark)]


def spark(values: Sequence[int], most: int) -> str:
    """Values as bars of eighths of a cell; anything at all is at least the smallest."""
    return "".join(BARS[max(1, round(8 * value / most)) if value else 0] for value in values)
