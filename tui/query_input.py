"""The search box: filters, phrases and times stand out, what was not understood is underlined and told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, cast

from rich.cells import cell_len
from rich.highlighter import Highlighter
from rich.text import Text
from textual.app import App
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.reactive import Reactive
from textual.widgets import Input

from ..core.query import Query

_OURS = frozenset(("enter", "ctrl+x", "alt+backspace"))
"""Keys that have other uses here than in Textual's input."""


class _Marks(Highlighter):
    """Shows how the query is understood by weight, slant and line, not by colour."""

    def __init__(self, understand: Callable[[str], Query]) -> None:
        self._understand = understand

    def highlight(self, text: Text) -> None:
        query = self._understand(text.plain)
        for found in query.filters:
            text.stylize("bold", found.start, found.stop)
        for group in query.wanted:
            for term in group:
                if term.quoted:
                    text.stylize("italic", term.start, term.stop)
        for term in query.timed:
            text.stylize("bold italic", term.start, term.stop)
        for term in query.unwanted:
            text.stylize("strike", term.start, term.stop)
        for problem in query.problems:
            text.stylize("underline", problem.start, problem.stop)


def problem_line(query: Query, cursor: int, scrolled: int, width: int) -> str:
    """The first thing that was not understood, as a line to stand under the box: where it is, and why it is ignored.

    `scrolled` is how many cells of the text are out of sight at the left. Empty where all is well, and while the
    cursor is still at a filter without a value.
    """
    for problem in query.problems:
        typed = query.text[problem.start : problem.stop]
        if problem.stop == cursor and typed.endswith((":", "：")):
            continue
        start = max(0, cell_len(query.text[: problem.start]) - scrolled)
        mark = "‾" * max(1, min(cell_len(typed), max(1, width - start)))
        told = f" ignored: {problem.message}"
        if start + len(mark) + cell_len(told) > width:  # then under what it is about, as far left as it must be
            start = max(0, min(start, width - len(mark) - cell_len(told)))
        return " " * start + mark + told
    return ""


class QueryInput(Input, inherit_bindings=False):
    """Where the person types; focus may stay here while the results are moved through. Enter is the screen's."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(each for each in Input.BINDINGS if isinstance(each, Binding) and not _OURS & {*each.key.split(",")}),
        # What Emacs and every shell have besides; ctrl+b is left to tmux.
        Binding("ctrl+f", "cursor_right", show=False),
        Binding("alt+b", "cursor_left_word", show=False),
        Binding("alt+f", "cursor_right_word", show=False),
        Binding("alt+d", "delete_right_word", show=False),
        Binding("alt+backspace,ctrl+backspace", "delete_left_word", show=False),
    ]

    virtual_size = Reactive(Size(0, 0), layout=False)
    """A longer text scrolls within the box, so no letter needs the whole screen laid out anew."""

    def __init__(
        self,
        understand: Callable[[str], Query],
        typed: Callable[[], object],
        *,
        id: str | None = None,  # noqa: A002
    ) -> None:
        """`typed` is called at each change of the text, before it is drawn; a message would come after that."""
        self._tell_typed = typed
        super().__init__(
            placeholder='what was said?   words, "a phrase", -without, source:codex, after:7d',
            highlighter=_Marks(understand),
            select_on_focus=False,
            compact=True,
            id=id,
        )

    def watch_value(self) -> None:
        self._tell_typed()

    def on_mount(self) -> None:
        app = cast("App[Any]", self.app)  # pyright: ignore[reportUnknownMemberType]
        if app.animation_level == "none":
            self.cursor_blink = False
