"""Boxes to tick and circles to choose, whose state is a sign and not a colour."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Checkbox, Static

from .keys import IN_SETTINGS

BAR, NO_BAR = "▌", " "


class Column(VerticalScroll, can_focus=False, inherit_bindings=False):
    """Lines below each other: the arrows go from one that can do something to the next."""

    BINDINGS: ClassVar[list[BindingType]] = [key.binding() for key in IN_SETTINGS]

    def action_page(self, by: int) -> None:
        """A screen down (1) or up (-1); the focus comes along where there is a line for it."""
        self.scroll_relative(y=by * max(1, self.size.height - 1), animate=False, immediate=True)
        self.call_after_refresh(self._focus_in_view, by)

    def _focus_in_view(self, by: int) -> None:
        seen = [each for each in self._lines() if self.region.intersection(each.region).area]
        if seen and self.screen.focused not in seen:
            self.screen.set_focus(seen[0 if by > 0 else -1], scroll_visible=False)

    def action_edge(self, direction: int) -> None:
        """To the beginning (-1) or the end (1)."""
        self.scroll_to(y=0 if direction < 0 else self.max_scroll_y, animate=False, immediate=True)
        if lines := self._lines():
            self.screen.set_focus(lines[0 if direction < 0 else -1])

    def _lines(self) -> list[Widget]:
        """Those that one can do something with."""
        return [each for each in self.query("*") if each.focusable]


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

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """One line, save where a style sheet lets the label wrap."""
        return self.render().get_height(self.styles.get_rules(), width)


class Choice(Tick):
    """`(•) label`: one of several; the screen sees to it that exactly one is chosen."""

    SIGNS: ClassVar[tuple[str, str]] = ("( )", "(•)")


class Press(Static, can_focus=True):
    """A line that does something when enter, space or a click comes to it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,space", "press", "do it", show=False)]
    DEFAULT_CSS = """
    Press {
        width: 100%;
        min-width: 1;
        height: 1;
        text-wrap: nowrap;
        text-overflow: ellipsis;
        &:hover { background: $block-hover-background; }
        &:focus { background: $block-cursor-blurred-background; }
    }
    """

    class Pressed(Message):
        """It is to be done."""

        def __init__(self, press: Press) -> None:
            super().__init__()
            self.press = press

    def __init__(self, text: str, *, name: str | None = None, id: str | None = None) -> None:  # noqa: A002
        super().__init__(name=name, id=id, markup=False)
        self.text = text

    def render(self) -> Content:
        return Content(f"{BAR if self.has_focus else NO_BAR}{self.text}")

    def action_press(self) -> None:
        self.post_message(self.Pressed(self))

    def on_click(self) -> None:
        self.action_press()
