"""One search as the app does it: in a worker thread, on a connection lent to it, cancelled by interrupting that."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from ..core import ledger, renewal
from ..core.by_session import by_session, places_of, sessions_in
from ..core.config import ConfigError
from ..core.database import Database, Error, Interrupted
from ..core.history import recent_rows, session_at
from ..core.meaning import Meaning
from ..core.query import Filter, Query, parse
from ..core.search import Found, Search, by_meaning
from ..core.store import NoIndex
from .asked import Answer, Dropped, Item, Match, Request
from .surroundings import Surroundings

UNTIL_THE_REST = 0.15
"""Seconds from the best results by words to what takes longer, their meaning and the count of all of them.

They are painted meanwhile, and nobody's machine works for one who types on."""
FIRST_PAGE = 24
"""Rows whose details come with the first answer."""
MOVED = 10
"""So many rows may have come before those on the screen since."""
HOW = {"lexical": "words", "hybrid": "words + meaning", "semantic": "meaning"}
"""By what an answer was really found, for people."""

T = TypeVar("T")


class Cancelled(Exception):
    """The search was interrupted; nobody waits for it."""


class Asking:
    """Does one request; `cancel` may be called from any thread at any time."""

    def __init__(self, place: Surroundings, request: Request, on_screen: range = range(0)) -> None:
        """`on_screen`: the rows that the person sees of an earlier answer; of those details come along."""
        self.request = request
        self._on_screen = on_screen
        self._place = place
        self._cancelled = threading.Event()
        self._lock = threading.Lock()
        self._db: Database | None = None

    def cancel(self) -> None:
        self._cancelled.set()
        with self._lock:  # the connection is the next one's as soon as this one lets go of it
            if self._db:
                self._db.interrupt()

    def run(self, answered: Callable[[Answer], object]) -> None:
        """Call `answered` with the best results, and again when there are more. Raises Cancelled or StoreError."""
        try:
            if self._reading(self._at_once, answered):
                self._pause()
                self._reading(self._at_leisure, answered)
        except NoIndex:
            answered(Answer(self.request, self._query(), (), (), 0, True, 0.0, 0, 0, 0))
        except Interrupted as error:
            raise Cancelled from error
        except (Error, UnicodeDecodeError) as error:
            raise self._place.store.trouble(error) from error

    def _reading(
        self, look: Callable[[Database, Callable[[Answer], object]], T], answered: Callable[[Answer], object]
    ) -> T:
        """Look at the index as it is at one moment; `cancel` ends that."""
        with self._place.readers.reading() as db:
            with self._lock:
                self._db = db
            try:
                with db.snapshot():
                    return look(db, answered)
            finally:
                with self._lock:
                    self._db = None

    def _at_once(self, db: Database, answered: Callable[[Answer], object]) -> bool:
        """Answer with what is found soonest; True if there is more to find."""
        began, query = time.perf_counter(), self._query()
        base = self._nothing_yet(db, query)
        if base.lists_sessions:
            rows = recent_rows(db, self.request.project)
            answered(self._filled(db, replace(base, matches=rows, total=len(rows)), began))
            return False
        meaning = self._meaning(query)
        if meaning and meaning.is_loaded and self.request.mode == "semantic":
            self._at_leisure(db, answered)
            return False
        best = Search(db).best(query, recent=self.request.recent, hasty=True)
        answer = self._filled(db, _with(base, best), began)
        answered(answer)
        if not (more := meaning is not None or best.hasty or not best.total_exact) and not best.total:
            answered(self._told_of_nothing(answer))
        return more

    def _at_leisure(self, db: Database, answered: Callable[[Answer], object]) -> None:
        """Answer with all that there is, and before that with the best of it where that is not on the screen yet."""
        began, query = time.perf_counter(), self._query()
        base = self._nothing_yet(db, query)
        meaning = self._meaning(query)
        if meaning:
            meaning.load()
        search = Search(db, meaning)
        best = search.best(query, recent=self.request.recent, semantic=self.request.mode == "semantic")
        if meaning and meaning.trouble:
            base = replace(base, note=f"no search by meaning: {meaning.trouble}")
        if meaning or best.total_exact:
            answer = self._filled(db, _with(base, best), began)
            answered(answer)
            if not best.total:
                answered(self._told_of_nothing(answer))
        if not best.total_exact:
            if meaning:
                self._pause()
            answered(self._filled(db, _with(base, search.rest(best)), began))

    def _nothing_yet(self, db: Database, query: Query) -> Answer:
        """What there is to say of the index before anything is looked for."""
        return Answer(self.request, query, (), (), 0, True, 0.0, *db.remembered(_whole, lambda: _whole(db)))

    def _pause(self) -> None:
        """Let what is there be painted, and see whether anybody wants more."""
        if self._cancelled.wait(UNTIL_THE_REST):
            raise Cancelled

    def _meaning(self, query: Query) -> Meaning | None:
        if not by_meaning(query, self.request.mode) or self.request.recent:
            return None
        try:
            return self._place.meaning()
        except ConfigError:
            return None

    def _told_by_session(self, db: Database, answer: Answer) -> Answer:
        """The answer with the number of sessions, if all is found, and with one row for each, if that is wanted."""
        if not (answer.exact or self.request.by_session):
            return answer
        if answer.exact:
            answer = replace(answer, in_sessions=sessions_in(db, answer.matches))
        if not self.request.by_session:
            return answer
        found = by_session(answer.matches, places_of(db, answer.matches))
        return replace(answer, matches=found.matches, hits_in=found.hits_in)

    def _told_of_nothing(self, answer: Answer) -> Answer:
        place = self._place
        try:
            config = place.config()
        except ConfigError:
            return answer
        others = [each for each in place.adapters if not config.source(each.name).enabled]
        here = [each.title for each in others if any(root.exists() for root in each.roots(place.home, place.environ))]
        return replace(answer, window_days=config.limits.effective().window_days, unticked=here)

    def _query(self) -> Query:
        query = parse(self.request.text, self._place.now(), typing=True)
        if self.request.project is None:
            return query
        return replace(query, filters=(*query.filters, Filter("project", (self.request.project,), False, 0, 0)))

    def _filled(self, db: Database, answer: Answer, began: float) -> Answer:
        if self._cancelled.is_set():
            raise Cancelled
        if not answer.lists_sessions:
            answer = self._told_by_session(db, answer)
        if not answer.matches:
            answer = replace(answer, turns=ledger.totals(db)[1])
        elapsed = (time.perf_counter() - began) * 1000
        items: list[Item | None] = [None] * len(answer.matches)
        items[:FIRST_PAGE] = details(db, answer, 0, FIRST_PAGE)
        start = max(FIRST_PAGE, self._on_screen.start - MOVED)
        stop = max(start, self._on_screen.stop + MOVED)
        items[start:stop] = details(db, answer, start, stop)
        return replace(answer, items=items, elapsed_ms=elapsed)


def _whole(db: Database) -> tuple[int, int, int, int, bool]:
    """What an answer says of the whole index: sessions, no turns yet, left out, hidden, whether any was skipped."""
    left_out = sum(ledger.left_out_counts(db).values())
    return ledger.session_count(db), 0, left_out, renewal.waiting(db), ledger.anything_skipped(db)


def details(db: Database, answer: Answer, first: int, stop: int) -> list[Item]:
    """What to show in the rows `first` to `stop`, exclusive."""
    matches = answer.matches[first:stop]
    if answer.lists_sessions:
        rows = [match for match in matches if isinstance(match, int)]
        return [session_at(db, row) or Dropped() for row in rows]
    return [hit or Dropped() for hit in Search(db).hits_or_gone(answer.query, matches)]


def _with(base: Answer, found: Found) -> Answer:
    matches: list[Match] = [*found.ranked, *found.others]
    return replace(
        base,
        query=found.query,
        matches=matches,
        total=found.total,
        exact=found.total_exact,
        suggestion=found.suggestion,
        how=HOW[found.mode],
    )
