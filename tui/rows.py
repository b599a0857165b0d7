"""Hits and sessions as list rows of three lines.

Everything is measured in terminal cells; the clock and the time zone are always handed in (zone `None`: the local one).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from datetime import tzinfo

from rich.cells import cell_len
from textual.content import Content
from textual.content import Span as StyledSpan

from ..core.memory import citation
from ..core.model import Role
from ..core.results import Hit, Session, Span
from .layout import edges
from .wording import age, counted, from_home

MATCH = "bold underline"
TITLE = "bold"
MUTED = "$text-muted"
"""For what is said elsewhere too: some themes leave muted text almost no contrast."""

ROLE_NAMES: Mapping[Role, str] = {"user": "you", "assistant": "assistant", "tool": "tool", "memory": "memory"}

COLLECTED, IN_BASKET = "✓ ", "in the basket"
"""How what is in the basket is marked: by a sign and, where there is room, by words."""

_AGE_CELLS = 8
_PROJECT_CELLS = 12
_DOT = " · "
_ONE_LINE = str.maketrans("\n\t", "  ")


def hit_row(
    hit: Hit,
    width: int,
    now: int,
    *,
    titles: Mapping[str, str],
    home: str = "",
    collected: int = 0,
    in_session: int = 0,
    zone: tzinfo | None = None,
) -> list[Content]:
    """A hit as three lines of at most `width` cells; `titles` maps source names to names for people.

    `collected` is how many turns of it are in the basket; with `in_session` it stands for so many of its session.
    """
    session = hit.session
    notes = [IN_BASKET] if collected else []
    if in_session:
        notes.append(counted(in_session, "hit"))
    if hit.arms == ("nearby",):
        notes.append("beside a match")
    if hit.also_in:
        notes.append(f"also in {counted(len(hit.also_in), 'other')}")
    if session.gone_at_source:
        notes.append("gone at source")
    if hit.partial:
        notes.append("some words")
    if hit.arms == ("semantic",):
        notes.append("by meaning")
    text, spans = crop(hit.excerpt.text.translate(_ONE_LINE), hit.excerpt.spans, width)
    facts = [titles.get(session.source, session.source), _place_in_file(hit, home, width) or ROLE_NAMES[hit.role]]
    return [
        _heading(session, hit.time if hit.time is not None else session.updated, width, now, zone, collected),
        Content(text, [StyledSpan(first, last, MATCH) for first, last in spans]),
        facts_line(facts, session.branch, notes, width),
    ]


def session_row(
    session: Session,
    width: int,
    now: int,
    *,
    titles: Mapping[str, str],
    home: str = "",
    first_line: str = "",
    collected: int = 0,
    zone: tzinfo | None = None,
) -> list[Content]:
    """A session as three lines of at most `width` cells; without a `first_line` the second shows its project's path."""
    facts = [titles.get(session.source, session.source), counted(session.turns, "turn")]
    if session.kind != "main":
        facts.append(session.kind)
    notes = [f"{collected} {IN_BASKET}"] if collected else []
    if session.gone_at_source:
        notes.append("gone at source")
    middle = first_line.translate(_ONE_LINE) or short_path(session.project or "", home, width)
    return [
        _heading(session, session.updated, width, now, zone, collected),
        Content(crop(middle, (), width)[0]),
        facts_line(facts, session.branch, notes, width),
    ]


def crop(text: str, spans: Sequence[Span], width: int) -> tuple[str, list[Span]]:
    """The part of a line that fits `width` cells and shows its first span, with the spans that are left of it."""
    cells = edges(text)
    if width <= 0:
        return "", []
    if cells[-1] <= width:
        return text, list(spans)
    first, last = spans[0] if spans else (0, 0)
    start = 0
    if width > 2 and cells[min(last, len(text))] >= width:
        wanted = min(cells[first] - width // 4, cells[-1] - (width - 1))
        start = bisect_left(cells, max(0, wanted))
        start = bisect_right(cells, cells[start]) - 1 if start else 0
    before = "…" if start else ""
    room = width - len(before)
    after = "…" if cells[-1] - cells[start] > room else ""
    end = bisect_right(cells, cells[start] + room - len(after)) - 1
    shift = len(before) - start
    kept = [(max(a, start) + shift, min(b, end) + shift) for a, b in spans if a < end and b > start]
    return before + text[start : max(start, end)] + after, kept


def short_path(path: str, home: str, width: int) -> str:
    """A path in at most `width` cells: the home folder as `~`, and leading folders left out where it is too long."""
    path = from_home(path, home)
    if cell_len(path) <= width:
        return path
    for separator in re.finditer(r"[/\\]", path):
        tail = path[separator.start() :]
        if len(tail) > 1 and cell_len(tail) < width:
            return "…" + tail
    cells = edges(path)
    start = bisect_left(cells, cells[-1] - (width - 1))
    return "…" + path[bisect_right(cells, cells[start]) - 1 :] if width > 0 else ""


def _heading(session: Session, time: int | None, width: int, now: int, zone: tzinfo | None, collected: int) -> Content:
    """Title at the left; project and age in columns at the right, as far as there is room for them."""
    when = age(time, now, zone)
    right = when.rjust(_AGE_CELLS if width >= 44 else len(when) + 2)
    if width >= 44:
        name = Content(f"  {project_name(session)}").truncate(_PROJECT_CELLS + 2, ellipsis=True, pad=True)
        right = name.plain + right
    if width < 20:
        right = ""
    title = (COLLECTED if collected else "") + (session.title.translate(_ONE_LINE) or "(untitled)")
    room = max(0, width - cell_len(right))
    left = Content.styled(crop(title, (), room)[0], TITLE)
    return left.truncate(room, pad=True) + right if right else left


def project_name(session: Session) -> str:
    """The last part of the project's path; empty for a session without one."""
    return re.split(r"[/\\]", (session.project or "").rstrip("/\\"))[-1].translate(_ONE_LINE)


def _place_in_file(hit: Hit, home: str, width: int) -> str:
    """`path#L12-L30` in about half a row; nothing for what is cited by no lines."""
    path = short_path(citation(hit.session, hit.cite) or "", home, max(20, width // 2))
    return path.translate(_ONE_LINE) or hit.cite or ""


def facts_line(facts: Sequence[str], branch: str | None, notes: Sequence[str], width: int) -> Content:
    """Facts and notes with dots between them; the branch goes first where there is no room for it."""
    names = [name.translate(_ONE_LINE) for name in (*facts, branch or "") if name]
    if branch and cell_len(_DOT.join((*names, *notes))) > width:
        names.pop()
    line = Content.styled(_DOT.join(names), MUTED) + "".join(_DOT + note for note in notes)
    return line.truncate(max(0, width), ellipsis=True)
