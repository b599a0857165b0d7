"""A long text to look at: wrapped once, drawn line by line, so that its length costs nothing."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from .layout import Line, unfold, wrap

MOST = 400_000
"""Characters that are shown; wrapping more would be felt."""


class PlainView(ScrollView, can_focus=True):
    """Shows a text as it is."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    PlainView {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        min-width: 1;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k,ctrl+p", "line(-1)", "Up", show=False, id="text.up"),
        Binding("down,j,ctrl+n", "line(1)", "Down", show=False, id="text.down"),
        Binding("pageup,alt+v,ctrl+u", "page(-1)", "Page up", show=False, id="text.page_up"),
        Binding("pagedown,ctrl+f,ctrl+v,ctrl+d", "page(1)", "Page down", show=False, id="text.page_down"),
        Binding("home,g", "edge(-1)", "Beginning", show=False, id="text.first"),
        Binding("end,G", "edge(1)", "End", show=False, id="text.last"),
    ]

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.text = ""
        self._shown = ""
        self._lines: Sequence[Line] = ()
        self._width = 0

    def show(self, text: str) -> None:
        """Show another text; the place in it stays as far as it can."""
        self.text = text
        self._shown = text if len(text) <= MOST else f"{text[:MOST]}\n… {len(text) - MOST:,} more characters"
        self._width = 0
        self._wrap()

    def go_to(self, offset: int) -> None:
        """Have the line on the screen's top that holds a character of the text, as far as the text reaches."""
        self._wrap()
        self._go(bisect_right(self._lines, offset, key=lambda line: line.start) - 1)

    def on_resize(self) -> None:
        self._wrap()

    def _wrap(self) -> None:
        width = self.scrollable_content_region.width
        if width <= 0 or width == self._width:
            return
        self._width = width
        self._lines = wrap(self._shown, width)
        self.virtual_size = Size(width, len(self._lines))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        row, width = y + self.scroll_offset.y, self.scrollable_content_region.width
        if row >= len(self._lines):
            return Strip.blank(width, self.rich_style)
        line = self._lines[row]
        return Strip([Segment(unfold(self._shown, line)[0], self.rich_style)]).adjust_cell_length(
            width, self.rich_style
        )

    def action_line(self, by: int) -> None:
        """Scroll by so many lines."""
        self._go(self.scroll_offset.y + by)

    def action_page(self, by: int) -> None:
        """Scroll by so many screens."""
        self._go(self.scroll_offset.y + by * max(1, self.scrollable_content_region.height - 1))

    def action_edge(self, direction: int) -> None:
        """To the beginning (-1) or the end (1)."""
        self._go(0 if direction < 0 else len(self._lines))

    def _go(self, line: int) -> None:
        self.scroll_to(y=max(0, line), animate=False, force=True)
