"""The sessions day by day: how busy each source was, the days, and what was talked about on the chosen one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, ClassVar, TypeVar, cast

from textual import getters, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Footer, Input, Static

from ..core.database import Database, Error
from ..core.history import session_at
from ..core.model import Session
from ..core.store import StoreError
from ..core.timeline import Day, days, sessions_on
from ..core.when import parse
from .keys import TIMELINE
from .rows import session_row
from .surroundings import Surroundings
from .timeline_lines import day_row, spark_lines
from .virtual_list import VirtualList
from .wording import counted

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Chosen:
    """A day to filter by, and a session of it to open."""

    day: date
    session: Session | None = None


class TimelineScreen(Screen[Chosen | None]):
    """Dismissed with what was chosen, or with None to go back as it was."""

    BINDINGS: ClassVar[list[BindingType]] = [key.binding() for key in TIMELINE]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012, as Textual declares it
    VERTICAL_BREAKPOINTS = [(0, "-low"), (16, "-high")]  # noqa: RUF012
    AUTO_FOCUS = "#days"

    @dataclass
    class Looked(Message):
        """The index was asked for the days."""

        days: Sequence[Day]
        trouble: str = ""

    @dataclass
    class Listed(Message):
        """The index was asked for the sessions of a day."""

        day: date
        sessions: Sequence[Session]

    _head = getters.query_one("#timeline-head", Static)
    _sparks = getters.query_one("#sparks", Static)
    _to = getters.query_one("#to-day", Input)

    def __init__(self, place: Surroundings) -> None:
        super().__init__()
        self._place = place
        self._titles = place.titles
        self._today = place.now().date()
        self._found: Sequence[Day] = ()
        self._busiest = 1

    def compose(self) -> ComposeResult:
        yield Static("Looking …", id="timeline-head", markup=False)
        yield Static(id="sparks", markup=False)
        with Horizontal(id="timeline-body"):
            yield VirtualList[Day](self._draw_day, 1, id="days")
            yield VirtualList[Session](self._draw_session, id="day-sessions")
        yield Input(placeholder="go to: 2026-03-01, last week, 上周 …", compact=True, id="to-day")
        yield Footer(compact=True, show_command_palette=False)

    @property
    def _days(self) -> VirtualList[Day]:
        return cast("VirtualList[Day]", self.query_one("#days", VirtualList))

    @property
    def _sessions(self) -> VirtualList[Session]:
        return cast("VirtualList[Session]", self.query_one("#day-sessions", VirtualList))

    def on_mount(self) -> None:
        self._look()

    # ---- asking ----

    @work(thread=True, group="timeline", exit_on_error=False)
    def _look(self) -> None:
        try:
            self.post_message(self.Looked(self._asked(days)))
        except (StoreError, Error) as error:
            self.post_message(self.Looked((), str(error)))

    @work(thread=True, group="day", exclusive=True, exit_on_error=False)
    def _list(self, day: date) -> None:
        def on_day(db: Database) -> list[Session]:
            return [session for row in sessions_on(db, day) if (session := session_at(db, row))]

        try:
            self.post_message(self.Listed(day, self._asked(on_day)))
        except (StoreError, Error):
            return  # what was listed before stays

    def _asked(self, question: Callable[[Database], T]) -> T:
        with closing(self._place.store.read()) as db, db.snapshot():
            return question(db)

    @on(Looked)
    def _looked(self, message: Looked) -> None:
        self._found = message.days
        self._busiest = max((day.turns for day in message.days), default=1)
        self._days.show(message.days)
        turns = sum(day.turns for day in message.days)
        told = f"Timeline: {counted(turns, 'turn')} on {counted(len(message.days), 'day')}"
        nothing = message.trouble or "Nothing is indexed yet that has a time."
        self._head.update(f" {told}" if message.days else f" {nothing}")
        self._show_sparks()

    @on(Listed)
    def _listed(self, message: Listed) -> None:
        if message.day == self._day:
            self._sessions.show(message.sessions)

    # ---- showing ----

    @property
    def _day(self) -> date | None:
        day = self._days.item(self._days.cursor)
        return day.day if day else None

    def _show_sparks(self) -> None:
        lines = spark_lines(self._found, self._day, self._today, self.size.width - 2, self._titles)
        self._sparks.set_class(bool(lines), "-shown")
        self._sparks.update(Content("\n").join(lines))

    def on_resize(self) -> None:
        self._show_sparks()

    @on(VirtualList.Highlighted, "#days")
    def _day_highlighted(self) -> None:
        if (day := self._day) is not None:
            self._list(day)
            self._show_sparks()

    def _draw_day(self, day: Day, width: int) -> Sequence[Content]:
        return day_row(day, width, busiest=self._busiest, titles=self._titles, today=self._today)

    def _draw_session(self, session: Session, width: int) -> Sequence[Content]:
        now = int(self._place.now().timestamp() * 1000)
        return session_row(session, width, now, titles=self._titles, home=str(self._place.home))

    # ---- choosing ----

    @on(VirtualList.Chosen, "#days")
    def action_choose(self) -> None:
        if (day := self._day) is not None:
            self.dismiss(Chosen(day))

    @on(VirtualList.Chosen, "#day-sessions")
    def _session_chosen(self) -> None:
        session = self._sessions.item(self._sessions.cursor)
        if session is not None and (day := self._day) is not None:
            self.dismiss(Chosen(day, session))

    def action_other_list(self) -> None:
        to: VirtualList[Any] = self._days if self.focused is self._sessions else self._sessions
        self.set_class(to is self._sessions, "-sessions")
        to.focus()

    def action_month(self, by: int) -> None:
        """The newest day of the month before (1) or after (-1)."""
        if (day := self._day) is None:
            return
        month = (day.year, day.month)
        step = range(self._days.cursor, self._days.count) if by > 0 else range(self._days.cursor, -1, -1)
        others = [index for index in step if (self._found[index].day.year, self._found[index].day.month) != month]
        if others:
            self._days.cursor = others[0]

    def action_go_to(self) -> None:
        self._to.add_class("-shown")
        self._to.focus()

    @on(Input.Submitted, "#to-day")
    def _go_to(self, message: Input.Submitted) -> None:
        period = parse(message.value, self._place.now())
        if period is None:
            self.notify(f"“{message.value}” is not a time: try 2026-03-01, 30d, last week, 上周", markup=False)
            return
        last = datetime.fromtimestamp((period.stop - 1) / 1000, UTC).astimezone().date()
        earlier = (index for index, day in enumerate(self._found) if day.day <= last)
        self._days.cursor = next(earlier, self._days.count - 1)
        self.action_back()

    def action_back(self) -> None:
        if self._to.has_class("-shown"):
            self._to.remove_class("-shown")
            self._days.focus()
        elif self.focused is self._sessions:
            self.action_other_list()
        else:
            self.dismiss(None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a time is typed only what leaves that works."""
        return action == "back" or self.focused is not self._to
