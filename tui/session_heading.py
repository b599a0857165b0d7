"""The two lines over a conversation."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, tzinfo

from textual.content import Content

from ..core.model import Session
from .rows import short_path
from .wording import MONTHS, counted, local_time


def heading(session: Session, titles: Mapping[str, str], home: str, width: int, zone: tzinfo | None = None) -> Content:
    """Two lines: the title, and the facts that help to tell sessions apart."""
    facts = [titles.get(session.source, session.source)]
    if session.project:
        facts.append(short_path(session.project, home, 40))
    facts += [fact for fact in (session.branch, session.model, _days(session, zone)) if fact]
    facts.append(counted(session.turns, "turn"))
    if session.kind != "main":
        facts.append(session.kind)
    if session.gone_at_source:
        facts.append("gone at source, kept here")
    title = Content.styled(session.title or "untitled", "bold").truncate(width, ellipsis=True)
    return Content("\n").join([title, Content(" · ".join(facts)).truncate(width, ellipsis=True)])


def _days(session: Session, zone: tzinfo | None) -> str:
    first, last = local_time(session.started, zone), local_time(session.updated, zone)
    if first is None or last is None:
        return ""
    if first.date() == last.date():
        return f"{_day(first)} {first:%H:%M}-{last:%H:%M}"  # an en dash is ambiguous in width
    return f"{_day(first)} - {_day(last)}"


def _day(moment: datetime) -> str:
    return f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}"
