"""The two lines over a conversation."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, tzinfo

from textual.content import Content

from ..core.results import Session
from .rows import short_path
from .wording import MONTHS, counted, local_time

_PATH = 40
"""Cells of a path, at most."""


def heading(session: Session, titles: Mapping[str, str], home: str, width: int, zone: tzinfo | None = None) -> Content:
    """Two lines: the title, and the facts that help to tell sessions apart, those that do least left out first."""
    source = titles.get(session.source, session.source)
    last = [_days(session, zone), counted(session.turns, "turn")]
    if session.kind != "main":
        last.append(session.kind)
    if session.gone_at_source:
        last.append("gone at source, kept here")

    def facts(path: int, *more: str | None) -> Content:
        place = short_path(session.project, home, path) if session.project else ""
        return Content(" · ".join(fact for fact in (source, place, *more, *last) if fact))

    choices = (
        facts(_PATH, session.branch, session.model),
        facts(_PATH, session.branch),
        facts(_PATH),
        facts(_PATH // 2),
    )
    line = next((each for each in choices if each.cell_length <= width), choices[-1])
    title = Content.styled(session.title or "untitled", "bold").truncate(width, ellipsis=True)
    return Content("\n").join([title, line.truncate(width, ellipsis=True)])


def _days(session: Session, zone: tzinfo | None) -> str:
    first, last = local_time(session.started, zone), local_time(session.updated, zone)
    if first is None or last is None:
        return ""
    if first.date() == last.date():
        until = f"-{last:%H:%M}" if f"{last:%H:%M}" != f"{first:%H:%M}" else ""  # an en dash is ambiguous in width
        return f"{_day(first)} {first:%H:%M}{until}"
    return f"{_day(first)} - {_day(last)}"


def _day(moment: datetime) -> str:
    return f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}"
