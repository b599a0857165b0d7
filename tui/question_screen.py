"""A question before something is removed: what it is, a button that does it, and one that does not."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import Static

from .ticks import Column, Press


class QuestionScreen(ModalScreen[bool]):
    """Dismissed with True when the person says yes. Without a deliberate key nothing happens."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,n", "answer(False)", "no"),
        Binding("y", "answer(True)", "yes"),
        Binding("down,right,tab", "app.focus_next", "next", show=False),
        Binding("up,left,shift+tab", "app.focus_previous", "previous", show=False),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (8, "-high")]  # noqa: RUF012, as Textual declares it
    AUTO_FOCUS = "#no"

    def __init__(self, question: str, yes: str) -> None:
        """`yes` is what the first button says."""
        super().__init__()
        self._question, self._yes = question, yes

    def compose(self) -> ComposeResult:
        with Column(id="question"):
            yield Static(self._question, markup=False)
            yield Press(f"y  {self._yes}", id="yes")
            yield Press("n  leave it as it is", id="no")

    @on(Press.Pressed)
    def _pressed(self, message: Press.Pressed) -> None:
        self.dismiss(message.press.id == "yes")

    def action_answer(self, yes: bool) -> None:
        self.dismiss(yes)
