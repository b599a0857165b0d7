"""The line at the bottom of a conversation in which the person types what to find there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

from .page import Needles


def needles_for(text: str) -> Needles | None:
    """What finds a text as it is typed, whatever its case; None for nothing."""
    if not text.strip():
        return None
    pattern = re.compile(re.escape(text), re.IGNORECASE)
    return lambda searched: (match.span() for match in pattern.finditer(searched))


class FindBox(Input):
    """Finds while it is typed in; enter goes on to the conversation, where n and N lead from match to match."""

    DEFAULT_CSS = """
    FindBox { display: none; }
    FindBox.-shown { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "done", "to the match", show=True),
        Binding("down,ctrl+n", "done", "to the match", show=False),
    ]

    @dataclass
    class Wanted(Message):
        """Something else is to be found."""

        needles: Needles | None

    class Done(Message):
        """The person wants to look at what was found."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(placeholder="find in this conversation", select_on_focus=True, compact=True, id=id)

    def open(self) -> None:
        """Show it and take the focus."""
        self.add_class("-shown")
        self.focus()

    def close(self) -> None:
        """Be gone, and find nothing."""
        self.remove_class("-shown")
        with self.prevent(Input.Changed):
            self.value = ""

    @on(Input.Changed)
    def _changed(self, message: Input.Changed) -> None:
        message.stop()
        self.post_message(self.Wanted(needles_for(message.value)))

    def action_done(self) -> None:
        self.post_message(self.Done())
