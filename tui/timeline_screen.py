"""The timeline: browse the sessions by day where there is nothing to search for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.signal import Signal
from textual.widget import Widget
from textual.widgets import Input

from ..core.when import parse
from ..core.worker import Event
from .basket_work import BasketWork
from .keys import READING, SEARCH, TIMELINE
from .query_input import QueryInput
from .spark_strip import SparkStrip
from .surroundings import Surroundings
from .timeline_view import TimelineView
from .transcript import Transcript
from .virtual_list import VirtualList

_READING = frozenset(key.action.partition("(")[0] for key in READING)
_EVERYWHERE = frozenset(("app.basket", "app.help"))
_IN_LISTS = frozenset(key.action.partition("(")[0] for key in TIMELINE) - {"back", "pane", "leave"}


@dataclass(frozen=True, slots=True)
class Chosen:
    """A day to search in, if there is one, and what else the timeline is filtered by."""

    day: date | None
    text: str


class TimelineScreen(TimelineView):
    """Dismissed with a session to resume, or with None to go back to the search. Kept as it is for the next time."""

    CSS_PATH = "timeline.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        *(key.binding() for key in (*TIMELINE, *READING)),
        *(key.binding() for key in SEARCH if key.id in ("copy_command", "resume")),
        Binding("down,ctrl+n", "in_box(1)", show=False),
        Binding("up,ctrl+p", "in_box(-1)", show=False),
    ]

    def __init__(
        self,
        place: Surroundings,
        basket: BasketWork | None = None,
        news: Signal[Event] | None = None,
        search: Callable[[Chosen], object] = lambda _: None,
    ) -> None:
        """`search` is called with the day that the person wants to search in."""
        super().__init__(place, basket, news)
        self._search = search

    # ---- moving about ----

    @on(VirtualList.Chosen, "#days")
    def action_choose(self) -> None:
        if not self._days.count:
            self.action_search_day()  # there is nothing else that could be meant
        elif self.focused is self.box.input:
            self._days.focus()
        elif self._sessions.count:
            self._sessions.focus()

    @on(VirtualList.Chosen, "#day-sessions")
    def _session_chosen(self) -> None:
        if self.reading.session:
            self.reading.transcript.focus()

    def action_pane(self, by: int) -> None:
        """On to the next (1) of days, sessions and conversation, or back (-1)."""
        panes: list[Widget | None] = [self._days]
        if self._sessions.count:
            panes += [self._sessions, self.reading.transcript]
        if self.focused is self.box.input:
            self.box.complete(self._days.focus) if by > 0 else self.set_focus(panes[-1])
        else:
            here = panes.index(self.focused) if self.focused in panes else 0
            self.set_focus(panes[(here + by) % len(panes)])

    def action_in_box(self, by: int) -> None:
        """While something is typed: another completion, or another day."""
        if self.box.is_choosing:
            self.box.choose(by)
        else:
            self._days.action_move(by)

    def action_find(self) -> None:
        self.reading.find_in_it()

    def action_filter(self) -> None:
        self.set_focus(self.box.input)

    def to_next_session(self, by: int) -> bool:
        here = self._sessions.cursor
        self._sessions.action_move(by)
        return self._sessions.cursor != here

    def action_earlier(self, unit: str) -> None:
        """The newest day of the week or month before; with a minus of the one after."""
        if (day := self._day) is None or self._found is None:
            return
        days, month = self._found.days, unit.endswith("month")

        def name(of: date) -> tuple[int, int]:
            return (of.year, of.month) if month else of.isocalendar()[:2]

        at = self._days.cursor
        step = range(at, -1, -1) if unit.startswith("-") else range(at, len(days))
        others = [index for index in step if name(days[index].day) != name(day)]
        if others:
            self._days.cursor = others[0]

    def action_go_to(self) -> None:
        self._to.add_class("-shown")
        self.set_focus(self._to)

    @on(Input.Submitted, "#to-day")
    def _go_to(self, message: Input.Submitted) -> None:
        period = parse(message.value, self._place.now())
        if period is None:
            self.notify(f"“{message.value}” is not a time: try 2026-03-01, 30d, last week, 上周", markup=False)
            return
        self._go_to_day(datetime.fromtimestamp((period.stop - 1) / 1000, UTC).astimezone().date())
        self.action_back()

    @on(SparkStrip.DayClicked)
    def _day_clicked(self, message: SparkStrip.DayClicked) -> None:
        self._go_to_day(message.day)

    def _go_to_day(self, wanted: date) -> None:
        days = self._found.days if self._found else ()
        self._days.cursor = next((index for index, day in enumerate(days) if day.day <= wanted), len(days) - 1)

    # ---- filtering ----

    def action_source(self, by: int) -> None:
        """Only the next (1) or previous (-1) source, the busiest first; all of them after the last."""
        names: list[str | None] = [None, *(self._found.sources if self._found else ())]
        given = self.box.values_of("source")
        here = names.index(given[0]) if len(given) == 1 and given[0] in names else 0
        self.box.put_filter("source", names[(here + by) % len(names)])

    @on(SparkStrip.SourceClicked)
    def _source_clicked(self, message: SparkStrip.SourceClicked) -> None:
        alone = self.box.values_of("source") == (message.source,)
        self.box.put_filter("source", None if alone else message.source)

    # ---- leaving ----

    def action_search_day(self) -> None:
        if (text := self.box.input.value) or self._day:
            self.dismiss(None)
            self._search(Chosen(self._day, text))

    def action_leave(self) -> None:
        self.dismiss(None)

    def action_back(self) -> None:
        """One thing at a time: what is found, the conversation, the sessions, the filter, the timeline."""
        if self.box.is_choosing:
            self.box.stop_choosing()
        elif self._to.has_class("-shown"):
            self._to.remove_class("-shown")
            self._days.focus()
        elif self.focused is self.box.input and self._days.count:
            self._days.focus()
        elif self.reading.is_finding:
            self.reading.stop_finding()
        elif self.focused is self.reading.transcript:
            self._sessions.focus()
        elif self.focused is self._sessions:
            self._days.focus()
        elif self.box.input.value:
            self.box.put("")
        else:
            self.dismiss(None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Letters are no keys while something is typed; the conversation's are its own, the lists' are theirs."""
        focused = self.focused
        if action == "in_box":
            return isinstance(focused, QueryInput)
        if isinstance(focused, Input):
            return action not in (_READING | _IN_LISTS) or (action == "choose" and isinstance(focused, QueryInput))
        if isinstance(focused, Transcript):
            return action not in _IN_LISTS
        return action in _EVERYWHERE or action not in _READING
