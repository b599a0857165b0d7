"""The search box: filters stand out, what was not understood is underlined, tab completes a filter's name or value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from rich.highlighter import Highlighter
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import Input

from ..core.query import FILTERS, Query

VALUES: Mapping[str, Sequence[str]] = {
    "role": ("user", "assistant", "tool", "memory"),
    "kind": ("main", "subagent", "automated", "memory"),
    "has": ("code",),
    "after": ("7d", "30d", "yesterday", "2026-"),
    "before": ("7d", "30d", "yesterday", "2026-"),
    "on": ("today", "yesterday"),
}


def complete(text: str, sources: Sequence[str]) -> str | None:
    """`text` with the filter that it ends in completed: `role:u` → `role:user `; None when there is nothing to add."""
    head, space, last = text.rpartition(" ")
    minus = "-" if last.startswith("-") else ""
    word = last.removeprefix("-")
    key, colon, value = word.partition(":")
    if not colon:
        found = [f"{name}:" for name in FILTERS if word and name.startswith(word)]
        return f"{head}{space}{minus}{found[0]}" if len(found) == 1 else None
    before, comma, part = value.rpartition(",")
    choices = sources if key == "source" else VALUES.get(key, ())
    found = [choice for choice in choices if choice.startswith(part) and choice != part]
    if not found:
        return None
    end = "" if found[0].endswith("-") else " "
    return f"{head}{space}{minus}{key}:{before}{comma}{found[0]}{end}"


class _Marks(Highlighter):
    """Shows how the query is understood by weight and line, not by colour."""

    def __init__(self, understand: Callable[[str], Query]) -> None:
        self._understand = understand

    def highlight(self, text: Text) -> None:
        query = self._understand(text.plain)
        for found in query.filters:
            text.stylize("bold", found.start, found.stop)
        for term in query.unwanted:
            text.stylize("strike", term.start, term.stop)
        for problem in query.problems:
            text.stylize("underline", problem.start, problem.stop)


class QueryInput(Input, inherit_bindings=False):
    """Where the person types; focus may stay here while the results are moved through. Enter is the screen's."""

    BINDINGS: ClassVar[list[BindingType]] = [
        binding for binding in Input.BINDINGS if isinstance(binding, Binding) and binding.key != "enter"
    ]

    def __init__(self, understand: Callable[[str], Query], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(
            placeholder='what was said?   words, "a phrase", -without, source:codex, after:7d',
            highlighter=_Marks(understand),
            select_on_focus=False,
            compact=True,
            id=id,
        )
