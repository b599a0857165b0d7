"""The timeline as it is seen: bars of activity, the days, the sessions of one, the conversation of one of those."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import cast

from textual import events, getters, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.signal import Signal
from textual.widgets import Input, Static

from ..core.query import Query
from ..core.timeline import Day
from ..core.worker import Done, Event
from .basket_work import BasketWork
from .key_line import KeyLine
from .reading_pane import ReadingPane
from .reading_screen import ReadingScreen
from .search_box import SearchBox
from .spark_strip import SparkStrip
from .surroundings import Surroundings
from .timeline_lines import DaySession, day_row, session_lines, sparks
from .timeline_work import Listed, Looked, TimelineWork
from .virtual_list import VirtualList


class TimelineView(ReadingScreen):
    """Asks for what is to be seen and shows it; a subclass says what the keys do."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (60, "-middle"), (100, "-wide")]  # noqa: RUF012, as Textual declares it
    VERTICAL_BREAKPOINTS = [(0, "-low"), (8, "-middling"), (16, "-high")]  # noqa: RUF012
    AUTO_FOCUS = "#days"

    box = getters.query_one(SearchBox)
    _head = getters.query_one("#timeline-head", Static)
    _empty = getters.query_one("#timeline-empty", Static)
    _strip = getters.query_one(SparkStrip)
    _to = getters.query_one("#to-day", Input)

    def __init__(
        self,
        place: Surroundings,
        basket: BasketWork | None = None,
        news: Signal[Event] | None = None,
    ) -> None:
        """`news` tells of changes of the index."""
        super().__init__(place, basket)
        self._news = news
        self._work = TimelineWork(place, self.post_message)
        self._found: Looked | None = None
        self._read_by: Query | None = None

    def compose(self) -> ComposeResult:
        yield SearchBox(self._place, self._narrow, id="top")
        yield Static("Looking …", id="timeline-head", markup=False)
        yield SparkStrip(id="sparks")
        yield Static(id="timeline-empty", markup=False)
        with Horizontal(id="timeline-body"):
            yield VirtualList[Day](self._draw_day, 1, id="days")
            yield VirtualList[DaySession](self._draw_session, 2, id="day-sessions")
            yield ReadingPane(self._place, id="pane")
        yield Input(placeholder="go to: 2026-03-01, last week, 上周 …", compact=True, id="to-day")
        yield KeyLine({"list.choose": "open", "transcript.fold": "fold"})

    @property
    def _days(self) -> VirtualList[Day]:
        return cast("VirtualList[Day]", self.query_one("#days", VirtualList))

    @property
    def _sessions(self) -> VirtualList[DaySession]:
        return cast("VirtualList[DaySession]", self.query_one("#day-sessions", VirtualList))

    @property
    def _day(self) -> date | None:
        day = self._days.item(self._days.cursor)
        return day.day if day else None

    def on_mount(self) -> None:
        self.box.input.placeholder = "title, project or branch …   source:codex, after:7d"
        if self._news:
            self._news.subscribe(self, self._hear)

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        self._look()

    def _hear(self, event: Event) -> None:
        if isinstance(event, Done) and self.is_current:
            self._look()

    # ---- asking and showing ----

    def _look(self) -> None:
        self.run_worker(self._work.look(self.box.input.value), thread=True, group="timeline", exit_on_error=False)

    def _narrow(self) -> None:
        work = self._work.narrow(self.box.input.value)
        self.run_worker(work, thread=True, group="narrowing", exclusive=True, exit_on_error=False)

    @on(Looked)
    def _looked(self, message: Looked) -> None:
        if message.text != self.box.input.value:
            return  # another one is on its way
        before, self._found = self._day, message
        nearest = (index for index, day in enumerate(message.days) if before is None or day.day <= before)
        self._days.show(message.days, next(nearest, len(message.days) - 1))
        self.set_class(not message.days, "-empty")
        self._empty.update(message.empty_text())
        self.show_status()
        self._day_changed()
        if not message.days and self.focused is not self.box.input:
            self.box.input.focus()  # the lists go away, and with them what had the focus

    @on(VirtualList.Highlighted, "#days")
    def _day_changed(self) -> None:
        self._show_sparks()
        if self._found and (day := self._day) is not None:
            work = self._work.on_day(day, self._found)
            self.run_worker(work, thread=True, group="day", exclusive=True, exit_on_error=False)
        else:
            self._sessions.show(())
            self.reading.open(None, None, fresh=True)

    @on(Listed)
    def _listed(self, message: Listed) -> None:
        if message.day != self._day:
            return
        before = self._sessions.item(self._sessions.cursor)
        rows = [item.session.key for item in message.items]
        at = rows.index(before.session.key) if before and before.session.key in rows else None
        self._sessions.show(message.items, at)
        if at is not None:
            begins = before.on.number if before else None
            self._read(message.items[at], fresh=begins != message.items[at].on.number or self._read_by != self._query)

    @on(VirtualList.Highlighted, "#day-sessions")
    def _session_highlighted(self) -> None:
        if (item := self._sessions.item(self._sessions.cursor)) is not None:
            self._read(item, fresh=True)

    def _read(self, item: DaySession, *, fresh: bool) -> None:
        self._read_by = self._query
        self.reading.open(item.session, self._query, fresh=fresh, start=item.on.number)

    @property
    def _query(self) -> Query | None:
        """What is to be marked in the conversations."""
        return self._found.query if self._found and self._found.query.wanted else None

    def show_status(self) -> None:
        trouble, kept = self._status.notice, self._status.collected
        basket = f" · {kept} in the basket (f4)" if kept else ""
        room = self.size.width - 2 - len(basket)
        told = trouble or (self._found.head_text(room) if self._found else "Looking …")
        self._head.update(Content(f" {told}{basket}").truncate(max(1, self.size.width), ellipsis=True))

    def _show_sparks(self) -> None:
        days = self._found.days if self._found else ()
        bars = sparks(days, self._place.now().date(), self.size.width - 2, self._place.titles)
        self._strip.show(bars, self._day)

    def on_resize(self) -> None:
        self._show_sparks()
        self.show_status()

    def _draw_day(self, day: Day, width: int) -> Sequence[Content]:
        busiest = self._found.busiest if self._found else 1
        return day_row(day, width, busiest=busiest, titles=self._place.titles, today=self._place.now().date())

    def _draw_session(self, item: DaySession, width: int) -> Sequence[Content]:
        return session_lines(item, width, titles=self._place.titles)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Where there is not room for all, that is shown which has the focus."""
        self.set_class(self.reading in event.widget.ancestors, "-reading")
        self.set_class(event.widget is self._sessions, "-sessions")
