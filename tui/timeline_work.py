"""What the timeline asks of the index, each question a function for a worker thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from textual.message import Message

from ..core.browse import Kept, kept
from ..core.database import Error
from ..core.history import session_at
from ..core.query import Query, parse
from ..core.store import StoreError
from ..core.timeline import Day, Stretch, activity, by_day, sessions_on, without_time
from .surroundings import Surroundings
from .timeline_lines import DaySession
from .wording import counted


@dataclass
class Looked(Message):
    """What there is of a text that was typed over the timeline."""

    text: str
    query: Query
    days: Sequence[Day]
    shown: Sequence[Stretch]
    all_days: int
    """How many days there are without the text, ..."""
    all_sessions: int
    """... how many sessions, ..."""
    sources: Sequence[str]
    """... and of which sources, the busiest first."""
    without_time: int = 0
    """Sessions that are on no day."""
    trouble: str = ""

    @property
    def busiest(self) -> int:
        """Turns of the day that has most."""
        return max((day.turns for day in self.days), default=1)

    def head_text(self, width: int) -> str:
        """How much is shown, and of how much, as far as it fits."""
        if self.trouble or not self.all_days:
            return self.trouble or "No session is on any day yet."
        shown = len({each.session for each in self.shown})
        sessions, days = counted(self.all_sessions, "session"), counted(self.all_days, "day")
        if self.text.strip():
            sessions, days = f"{shown:,} of {sessions}", f"{len(self.days):,} of {days}"
        facts = [sessions, days, counted(sum(day.turns for day in self.days), "turn")]
        if self.without_time and not self.text.strip():
            facts.append(f"{counted(self.without_time, 'session')} without a time")
        while len(facts) > 1 and len(" · ".join(facts)) > width:
            facts.pop()
        return " · ".join(facts)

    def empty_text(self) -> str:
        """What stands in place of the days where there are none."""
        if self.days:
            return ""
        if self.trouble:
            return "What is in the index stays. esc goes back to the search, f5 there looks again and mends it."
        if not self.all_days:
            what = f"{counted(self.without_time, 'session')} can be searched, but " if self.without_time else ""
            return (
                f"{what or 'Nothing is indexed yet, or '}nothing in them says when it was.\nesc back · f5 there reads"
            )
        return (
            f"No session is left by “{self.text.strip()}”.\n"
            f"Looked at title, project, branch and source of {counted(self.all_sessions, 'session')}.\n\n"
            "esc empties the box · ↵ looks for it in what was said"
        )


@dataclass
class Listed(Message):
    """The sessions of a day."""

    day: date
    items: Sequence[DaySession]


class TimelineWork:
    """Keeps the activity that it found, so that a filter needs no other look at all turns."""

    def __init__(self, place: Surroundings, post: Callable[[Message], object]) -> None:
        self._place, self._post = place, post
        self._activity: Sequence[Stretch] | None = None
        self._without_time = 0

    def look(self, text: str) -> Callable[[], None]:
        """Look at everything anew."""
        return lambda: self._answer(text, fresh=True)

    def narrow(self, text: str) -> Callable[[], None]:
        """Another filter."""
        return lambda: self._answer(text, fresh=False)

    def on_day(self, day: date, seen: Looked) -> Callable[[], None]:
        """List the sessions that are shown of a day."""
        rows = {each.session for each in seen.shown if each.day == day}
        return lambda: self._list(day, rows)

    def _answer(self, text: str, *, fresh: bool) -> None:
        place = self._place
        query = parse(text, place.now())
        try:
            with place.readers.reading() as db, db.snapshot():
                if fresh or self._activity is None:
                    self._activity, self._without_time = activity(db), without_time(db)
                keeping = kept(db, query, place.titles, place.now())
        except (StoreError, Error) as error:
            self._post(Looked(text, query, (), (), 0, 0, (), trouble=str(error)))
            return
        shown = keeping.of(self._activity)
        own = Kept().of(self._activity)
        turns: dict[str, int] = {}
        for each in own:
            turns[each.source] = turns.get(each.source, 0) + each.turns
        sources = sorted(turns, key=lambda source: (-turns[source], source))
        days, sessions = len({each.day for each in own}), len({each.session for each in own})
        self._post(Looked(text, query, by_day(shown), shown, days, sessions, sources, self._without_time))

    def _list(self, day: date, rows: set[int]) -> None:
        try:
            with self._place.readers.reading() as db, db.snapshot():
                found = [(session_at(db, on.session), on) for on in sessions_on(db, day, among=rows.__contains__)]
        except (StoreError, Error):
            return  # what was listed before stays
        self._post(Listed(day, [DaySession(session, on) for session, on in found if session]))
