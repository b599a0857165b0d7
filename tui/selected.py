"""What is selected of a page with the mouse: where it begins and ends, and how a line of it is drawn."""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.selection import Selection
from textual.strip import Strip

from .page import INDENT, Page, Place


def ends(page: Page, selection: Selection) -> tuple[Place, Place]:
    """The first place of a selection, and the one behind its last."""
    start, end = selection
    first = page.place_at(start.y, start.x) if start else Place(0, 0)
    return first, page.place_at(end.y, end.x) if end else page.place_at(page.height)


def with_selection(strip: Strip, drawn: str, span: tuple[int, int], style: Style) -> Strip:
    """The strip with the characters from `span[0]` to `span[1]` (-1: the end) of the turn's text in `style`.

    `drawn` is what the strip shows, the indentation with it.
    """
    first = cell_len(drawn[: INDENT + max(0, span[0])])
    last = cell_len(drawn if span[1] < 0 else drawn[: INDENT + span[1]])
    selected = Strip(Segment.apply_style(strip.crop(first, max(first, last)), post_style=style))
    return Strip.join([strip.crop(0, first), selected, strip.crop(max(first, last))])
