"""What the first screen says of each source. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.content import Content

from ..core.status import Survey
from .rows import short_path
from .wording import age, byte_size, counted, fitted_paths, from_home

WINDOW_DAYS = 90
LONGEST_PLACE, LONGEST_PLACES = 24, 72
_SHORTEST_PLACE, _FRESH = 8, 6
WHAT_ELSE = """\
If yours are in another place: f2 adds one, and so does harkback sources add NAME PATH.
To look around first: harkback demo"""


def source_label(each: Survey, home: str, now: int, names: int, width: int) -> Content:
    """One line of `width` cells: name (of `names` cells), place, how much there is, how fresh, as far as they fit."""
    room = _place_room(names, width)
    place = short_path(str(each.roots[0]), home, room)
    return _line(
        each.title, place, counted(each.files, "file"), byte_size(each.size), age(each.newest, now), names, width
    )


def columns_head(names: int, width: int) -> str:
    """What stands over the columns of those lines; empty where there is none but the names."""
    line = _line("", "", "", "size", "newest", names, width).plain.rstrip()
    return line if "size" in line else ""


def _line(name: str, place: str, files: str, size: str, fresh: str, names: int, width: int) -> Content:
    room = _place_room(names, width)
    parts = [f"{name:<{names}}"]
    parts += [f"{place:<{room}}"] if room >= _SHORTEST_PLACE else []
    for cell in (f"{files:>11}", f"{size:>8}", fresh):
        if sum(map(cell_len, parts)) + 2 * len(parts) + max(len(cell), _FRESH) > width:
            break
        parts.append(cell)
    return Content("  ".join(parts)).truncate(width, ellipsis=True)


def _place_room(names: int, width: int) -> int:
    """Cells for a place, beside the other columns."""
    return min(LONGEST_PLACE, width - names - 11 - 8 - 8 - 4 * 2)


def not_found(missing: Sequence[Survey], width: int) -> str:
    """Which agents left nothing, in at most `width` cells; at least how many."""
    for named in range(len(missing), -1, -1):
        rest = len(missing) - named
        names = [each.title for each in missing[:named]] + ([f"{rest} more" if named else f"{rest}"] if rest else [])
        line = f"not found: {', '.join(names)} (w: where we looked)"
        if cell_len(line) <= width:
            return line
    return f"not found: {len(missing)} (w)"


def never_read(rules: int) -> str:
    """What is left alone in any case."""
    own = f"{counted(rules, 'rule')} of yours" if rules else "and what you exclude (f2)"
    return f"Never read: keys, .env files, credentials (built-in list); {own}"


def found_here(sources: int) -> str:
    """What the list of them is about."""
    return f"Found on this machine: {counted(sources, 'source')}. What may be read?"


def places_of(each: Survey, home: str) -> str:
    """Where a source is looked for."""
    paths = [from_home(str(root), home) for root in each.roots]
    return fitted_paths(paths, LONGEST_PLACES) if paths else "your projects' folders"
