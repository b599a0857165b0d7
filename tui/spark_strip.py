"""The bars over the timeline, and what a click on them means."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from .timeline_lines import Sparks


class SparkStrip(Static):
    """Is no more than its lines high, and gone where there are none."""

    ALLOW_SELECT = False

    @dataclass
    class DayClicked(Message):
        """A column was clicked."""

        day: date

    @dataclass
    class SourceClicked(Message):
        """The name of a source was clicked."""

        source: str

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, markup=False)
        self._sparks: Sparks | None = None
        self._height = 0

    def show(self, sparks: Sparks | None, chosen: date | None) -> None:
        """Draw these, with a mark below the chosen day."""
        lines = sparks.lines(chosen) if sparks else []
        as_high = len(lines) == self._height
        self._sparks, self._height = sparks, len(lines)
        self.set_class(sparks is not None, "-shown")
        self.update(Content("\n").join(lines), layout=not as_high)

    def on_click(self, event: events.Click) -> None:
        if self._sparks is None or (at := event.get_content_offset(self)) is None:
            return
        if (day := self._sparks.day_at(at.x)) is not None:
            self.post_message(self.DayClicked(day))
        elif source := self._sparks.source_at(at.x, at.y):
            self.post_message(self.SourceClicked(source))
