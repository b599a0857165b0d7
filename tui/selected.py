"""A drawn line with what is selected of it in another style."""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from .page import INDENT


def with_selection(strip: Strip, drawn: str, span: tuple[int, int], style: Style) -> Strip:
    """The strip with the characters from `span[0]` to `span[1]` (-1: the end) of the turn's text in `style`.

    `drawn` is what the strip shows, the indentation with it.
    """
    first = cell_len(drawn[: INDENT + max(0, span[0])])
    last = cell_len(drawn if span[1] < 0 else drawn[: INDENT + span[1]])
    selected = Strip(Segment.apply_style(strip.crop(first, max(first, last)), post_style=style))
    return Strip.join([strip.crop(0, first), selected, strip.crop(max(first, last))])
