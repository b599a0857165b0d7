"""Boxes to tick and circles to choose, whose state is a sign and not a colour."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.widgets import Checkbox

BAR, NO_BAR = "▌", " "


class Tick(Checkbox):
    """`[x] label`, with a bar in front while it has the focus."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "toggle_button", "tick")]
    SIGNS: ClassVar[tuple[str, str]] = ("[ ]", "[x]")
    DEFAULT_CSS = """
    Tick, Choice {
        border: none;
        padding: 0;
        background: transparent;
        width: 100%;
        min-width: 1;
        height: 1;
        &:focus { border: none; background: $block-cursor-blurred-background; }
    }
    """

    def render(self) -> Content:
        bar = BAR if self.has_focus else NO_BAR
        return Content.assemble(bar, self.SIGNS[self.value], " ", self.label)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        return 5 + self.label.cell_length


class Choice(Tick):
    """`(•) label`: one of several; the screen sees to it that exactly one is chosen."""

    SIGNS: ClassVar[tuple[str, str]] = ("( )", "(•)")
