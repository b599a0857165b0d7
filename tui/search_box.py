"""The top line: the box to type in with what may be completed and what was not understood, and how is searched."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Input, Static

from ..core.query import FILTERS, TIMES, Query, parse
from .asked import Request
from .completing import Completing, taken
from .query_input import QueryInput, problem_line
from .steady import Steady
from .surroundings import Surroundings

UNDERSTOOD_FOR = 0.5
"""Seconds; the same text may mean another time later on."""


def how_told(mode: str, how: str) -> str:
    """By what was searched, beside what the person asked for."""
    if mode == "lexical":
        return f"{how} only"
    return f"{how}, as meaning is off (f2)" if mode == "semantic" and how == "words" else how


def modes_told(request: Request, how: str) -> str:
    """Where, in which order, as which rows and by what is searched."""
    scope = "this project" if request.project else "everywhere"
    order = "newest" if request.recent else "relevance"
    rows = ["by session"] if request.by_session else []
    return " · ".join([scope, order, *rows, how_told(request.mode, how)])


class SearchBox(Horizontal):
    """Tells at once what is typed, and shows a moment later what it may become and what of it is not understood."""

    DEFAULT_CSS = """
    SearchBox {
        height: 1;
        & > #problem {
            display: none;
            overlay: screen;
            position: absolute;
            offset: 3 1;
            width: 100%;
            height: 1;
            text-style: bold;
            background: $background;
        }
        & > #problem.-shown { display: block; }
    }
    """

    input = getters.query_one("#query", QueryInput)
    _modes = getters.query_one("#modes", Steady)
    _problem = getters.query_one("#problem", Steady)
    _completing = getters.query_one(Completing)

    def __init__(self, place: Surroundings, typed: Callable[[], object], *, id: str | None = None) -> None:  # noqa: A002
        """`typed` is called at each change of the text."""
        super().__init__(id=id)
        self._place, self._tell_typed = place, typed
        self._understood: tuple[float, Query] | None = None
        self._otherwise: Callable[[], object] | None = None

    def compose(self) -> ComposeResult:
        yield Static("›", id="prompt")
        yield QueryInput(self._understand, self._tell_typed, id="query")
        yield Steady(id="modes", markup=False)
        yield Steady(id="problem", markup=False)
        yield Completing(self._place, id="choices")

    def _understand(self, text: str) -> Query:
        now = time.monotonic()
        if self._understood and self._understood[1].text == text and now - self._understood[0] < UNDERSTOOD_FOR:
            return self._understood[1]
        query = parse(text, self._place.now(), typing=True)
        self._understood = now, query
        return query

    @property
    def asked(self) -> str:
        """What is in the box; nothing while that is no question yet, as a first letter is none."""
        query = self._understand(self.input.value)
        return "" if query.is_empty() and not query.filters else self.input.value

    def say_modes(self, words: str) -> None:
        """How is searched, at the right."""
        self._modes.update(f"{words} ")

    def put(self, text: str, at: int | None = None) -> None:
        """Have another text in the box, with the cursor at `at` or at its end."""
        self.input.value = text
        self.input.cursor_position = len(text) if at is None else at

    @on(Input.Changed)
    def _typed(self, message: Input.Changed) -> None:
        message.stop()
        if self._completing.ask(self.input.value, self.input.cursor_position):
            self._otherwise = None
        self._show_problem()

    def on_resize(self) -> None:
        self._show_problem()

    def _show_problem(self) -> None:
        box = self.input
        query = self._understand(box.value)
        if self._completing.is_asked or self.is_choosing:
            query = replace(query, problems=())  # it is about to become something that is understood
        line = problem_line(query, box.cursor_position, int(box.scroll_x), self.size.width - 3)
        self._problem.set_class(bool(line), "-shown")
        self._problem.update(line)

    # ---- completing ----

    @property
    def is_choosing(self) -> bool:
        """Whether there is a list under the box."""
        return self._completing.is_open

    def choose(self, by: int) -> None:
        """Move in that list."""
        self._completing.move(by)

    def stop_choosing(self) -> None:
        """Close it."""
        self._completing.close()
        self._show_problem()

    def complete(self, otherwise: Callable[[], object]) -> None:
        """Complete the filter at the cursor; what there is to do where there is nothing to complete."""
        completing = self._completing
        completing.ask(self.input.value, self.input.cursor_position)
        if completing.is_asked:
            self._otherwise = otherwise  # the answer is on its way
        elif choice := completing.choice:
            self.put(*taken(self.input.value, choice))
        else:
            otherwise()

    @on(Completing.Arrived)
    def _arrived(self, message: Completing.Arrived) -> None:
        message.stop()
        otherwise, self._otherwise = self._otherwise, None
        self._show_problem()
        if otherwise:
            self.complete(otherwise)

    @on(Completing.Taken)
    def _taken(self, message: Completing.Taken) -> None:
        message.stop()
        self.complete(lambda: None)
        self.input.focus()

    # ---- filters ----

    def put_day(self, day: date | None, also: str = "") -> None:
        """Filter by a day instead of other times, and by what `also` says but for its times; no day: by those too.

        Of the person's own conversations alone, if no other kind is named: those are what a day's count is of.
        """
        text, more = (self.without(TIMES), self._without(also, TIMES)) if day else (self.input.value, also)
        filters = [more[each.start : each.stop] for each in self._understand(more).filters]
        words = self._without(more, FILTERS)
        text = " ".join(part for part in (text, words, *filters) if part is text or (part and part not in text)).strip()
        kinds = [each for each in self._understand(text).filters if each.key == "kind"]
        of_day = f"on:{day.isoformat()} {'' if kinds else 'kind:main '}" if day else ""
        self.put(f"{text} {of_day}".lstrip())

    def put_filter(self, key: str, value: str | None) -> None:
        """Filter by this value of a key and by no other; None: by none."""
        text = self.without((key,))
        self.put(f"{text} {key}:{value} ".lstrip() if value else f"{text} ".lstrip())

    def values_of(self, key: str) -> tuple[str, ...]:
        """What is filtered by under a key."""
        filters = self._understand(self.input.value).filters
        return next((each.values for each in filters if each.key == key and not each.negated), ())

    def without(self, keys: Sequence[str]) -> str:
        """The text without its filters of these keys."""
        return self._without(self.input.value, keys)

    def _without(self, text: str, keys: Sequence[str]) -> str:
        for each in sorted(self._understand(text).filters, key=lambda each: -each.start):
            if each.key in keys:
                text = f"{text[: each.start].rstrip()} {text[each.stop :].lstrip()}"
        return text.strip()

    def drop_filter(self) -> bool:
        """Take the last filter, or what was to be one, out of the text; False where there is none."""
        text = self.input.value
        query = self._understand(text)
        places = [(each.start, each.stop) for each in (*query.filters, *query.problems)]
        if not places:
            return False
        start, stop = max(places)
        self.put(" ".join(part for part in (text[:start].rstrip(), text[stop:].lstrip()) if part))
        return True
