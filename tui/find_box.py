"""The line at the bottom of a conversation in which the person types what to find there."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from textual import getters, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static

from .page import Needles


def needles_for(text: str) -> Needles | None:
    """What finds a text as it is typed, whatever its case; None for nothing."""
    if not text.strip():
        return None
    pattern = re.compile(re.escape(text), re.IGNORECASE)
    return lambda searched: (match.span() for match in pattern.finditer(searched))


class FindBox(Horizontal):
    """Finds while it is typed in; enter goes on to the conversation, where n and N lead from match to match."""

    DEFAULT_CSS = """
    FindBox { display: none; height: 1; background: $panel; }
    FindBox.-shown { display: block; }
    FindBox Static { width: 3; padding: 0 1; text-style: bold; }
    FindBox Input { width: 1fr; min-width: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        # Before the box's own: what is typed right after it is meant for the conversation.
        Binding("enter", "done", "to the match", priority=True),
        Binding("down,ctrl+n", "done", show=False, priority=True),
    ]

    @dataclass
    class Wanted(Message):
        """Something else is to be found."""

        needles: Needles | None

    input = getters.query_one(Input)

    def __init__(self, leave: Callable[[], object], *, id: str | None = None) -> None:  # noqa: A002
        """`leave` is called when the person wants to look at what was found."""
        super().__init__(id=id)
        self._leave = leave

    def compose(self) -> ComposeResult:
        yield Static("/", markup=False)
        yield Input(placeholder="find in this conversation", compact=True)

    def open(self) -> None:
        """Show it and take the focus."""
        self.add_class("-shown")
        self.screen.set_focus(self.input)

    def close(self) -> None:
        """Be gone, and find nothing."""
        self.remove_class("-shown")
        with self.input.prevent(Input.Changed):
            self.input.value = ""

    @on(Input.Changed)
    def _changed(self, message: Input.Changed) -> None:
        message.stop()
        self.post_message(self.Wanted(needles_for(message.value)))

    def action_done(self) -> None:
        self._leave()
