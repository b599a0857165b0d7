"""Times, counts, sizes and paths as people read them, for screens and command line alike. Pure, without Textual.

The clock and the time zone are handed in (zone `None`: the local one).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING

from ..core.sweep import SOON_DAYS

if TYPE_CHECKING:
    from ..core.held import Held

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MINUTE, _HOUR, _DAY = 60_000, 3_600_000, 86_400_000


def counted(number: int, noun: str, nouns: str = "") -> str:
    """A number with its noun: 1 turn, 12,480 turns, 2 matches."""
    return f"{number:,} {noun if number == 1 else nouns or f'{noun}s'}"


def byte_size(size: int) -> str:
    """Bytes in three figures at most: 512 B, 1.2 kB, 155 MB."""
    amount = float(size)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 999.5:
            return f"{amount:.1f} {unit}" if unit != "B" and amount < 9.95 else f"{amount:.0f} {unit}"
        amount /= 1000
    return f"{amount:,.1f} TB"


def swept_soon(number: int, agent: str) -> str:
    """What an agent deletes of its own sessions before long."""
    return f"{number:,} will be deleted by {agent} in the next {SOON_DAYS} days; harkback keeps their text"


def held_short(question: Held, title: str) -> str:
    """What is gone in so great a part of a source, named `title`, that nothing is done about it yet."""
    what = "sessions" if question.place else "files"
    return f"{question.missing:,} of {question.known:,} {what} of {title} are gone at once"


def held(question: Held, title: str) -> str:
    """The same, and what became of them."""
    return f"{held_short(question, title)}; what was indexed of them stays"


def how_to_confirm(question: Held) -> str:
    """What the person can do about it."""
    return f"if they are really gone: harkback sources confirm {question.source}; if they come back, nothing"


def local_time(time: int | None, zone: tzinfo | None = None) -> datetime | None:
    """Milliseconds since 1970 as a moment in `zone`; None for no time and for times that no calendar holds."""
    if time is None:
        return None
    try:
        return datetime.fromtimestamp(time / 1000, UTC).astimezone(zone)
    except (OverflowError, ValueError, OSError):
        return None


def age(time: int | None, now: int, zone: tzinfo | None = None) -> str:
    """How long ago, in at most 8 cells: now, 4m, 2h, 3d, 12 Nov, Mar 2025; empty where no time is known."""
    moment, today = local_time(time, zone), local_time(now, zone)
    if time is None or moment is None or today is None:
        return ""
    past = now - time
    if abs(past) < _MINUTE:
        return "now"
    for limit, unit, letter in ((_HOUR, _MINUTE, "m"), (_DAY, _HOUR, "h"), (7 * _DAY, _DAY, "d")):
        if 0 < past < limit:
            return f"{past // unit}{letter}"
    month = MONTHS[moment.month - 1]
    return f"{moment.day} {month}" if moment.year == today.year else f"{month} {moment.year}"


def short_time(time: int | None, now: datetime) -> str:
    """When, as short as it can be told beside `now`: 14:31, 12 Nov 14:31, 12 Nov 2025."""
    moment = local_time(time)
    if moment is None:
        return "no date"
    if moment.date() == now.date():
        return f"{moment:%H:%M}"
    day = f"{moment.day} {MONTHS[moment.month - 1]}"
    return f"{day} {moment:%H:%M}" if moment.year == now.year else f"{day} {moment.year}"


def from_home(path: str, home: str) -> str:
    """A path with the home folder as `~`."""
    home = home.rstrip("/\\")
    inside = home and path.startswith(home) and path[len(home) : len(home) + 1] in ("", "/", "\\")
    return f"~{path[len(home) :]}" if inside else path


def fitted_paths(paths: Sequence[str], width: int) -> str:
    """Where something is, in at most `width` characters: all the paths, or the first and how many more there are."""
    if len(whole := ", ".join(paths)) <= width:
        return whole
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    first, room = paths[0], max(8, width - len(more))
    if len(first) > room:  # its end tells most
        first = f"{first[: room // 4]}…{first[len(first) - (room - room // 4 - 1) :]}"
    return first + more
