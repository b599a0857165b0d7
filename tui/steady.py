"""A line or two of text that cost the screen a new layout only when they change."""

from __future__ import annotations

from textual.visual import VisualType
from textual.widgets import Static


class Steady(Static):
    """Like `Static`, for text that is set again with every key and seldom differs."""

    def update(self, content: VisualType = "", *, layout: bool = True) -> None:
        if content != self.content:
            super().update(content, layout=layout)
