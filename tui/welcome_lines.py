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
WHAT_ELSE = """\
If yours are in another place: f2 adds one, and so does harkback sources add NAME PATH.
To look around first: harkback demo"""


def source_label(each: Survey, home: str, now: int, names: int, width: int) -> Content:
    """One line of about `width` cells: name (of `names` cells), place, how much there is, how fresh."""
    files, size, fresh = f"{counted(each.files, 'file'):>11}", f"{byte_size(each.size):>8}", age(each.newest, now)
    room = min(LONGEST_PLACE, width - names - len(files) - len(size) - 8 - 4 * 2)
    place = [f"{short_path(str(each.roots[0]), home, room):<{room}}"] if room >= 8 else []
    return Content("  ".join([f"{each.title:<{names}}", *place, files, size, fresh]))


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
