"""The last look at every line before the terminal gets it, whatever it is drawn by."""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from ..core.clean import without_controls


class Harmless(LineFilter):
    """Takes out of drawn text what acts on a terminal or reorders a line, should any have got so far."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        if all(_is_plain(segment.text) for segment in segments):
            return segments
        return [Segment(without_controls(text), style, control) for text, style, control in segments]


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable()
