"""The right-hand side: whose conversation it is, and its turns around the selected one, growing on demand."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, tzinfo

from textual import getters, on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from ..core.database import Error
from ..core.history import NotFound, around, whole
from ..core.model import Hit, Session
from ..core.query import Query
from ..core.store import StoreError
from ..core.tokens import find
from .asking import Dropped, Item
from .messages import Opened
from .rows import short_path
from .surroundings import Surroundings
from .transcript import Transcript
from .wording import MONTHS, counted, local_time

NEIGHBOURS = 2
"""Turns shown on each side of a hit at first."""
GROW_BY = 6
"""Turns that one step of growing adds on each side."""


class ReadingPane(Vertical):
    """A heading and a transcript; turns are read in a worker thread."""

    transcript = getters.query_one("#transcript", Transcript)
    _head = getters.query_one("#heading", Static)

    def __init__(self, place: Surroundings, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._place = place
        self.session: Session | None = None
        self._hit: int | None = None
        self._query: Query | None = None
        self._beside = (NEIGHBOURS, NEIGHBOURS)
        self._ticket = 0

    def compose(self) -> ComposeResult:
        yield Static(id="heading", markup=False)
        yield Transcript(id="transcript")

    # ---- opening ----

    def open(self, item: Item | None, query: Query | None, *, fresh: bool) -> None:
        """Show an item's conversation; with `fresh` False it is the one on the screen, perhaps with new turns."""
        self._ticket += 1
        if item is None or isinstance(item, Dropped):
            self.session = None
            self.add_class("-none")
            return
        session = item.session if isinstance(item, Hit) else item
        self._hit, self._query = (item.number if isinstance(item, Hit) else None), query
        if fresh:
            self._beside = (NEIGHBOURS, NEIGHBOURS)
        self._read(self._ticket, session, fresh)

    def grow(self, direction: int) -> None:
        """More (1) or fewer (-1) turns on both sides."""
        before, after = self._beside
        step = GROW_BY * direction
        self._grow_to(max(NEIGHBOURS, before + step), max(NEIGHBOURS, after + step))

    def show_whole(self) -> None:
        """All turns of the session."""
        if self.session:
            self._grow_to(self.session.turns, self.session.turns)

    @on(Transcript.Grow)
    def _grow_one_side(self, message: Transcript.Grow) -> None:
        message.stop()
        before, after = self._beside
        self._grow_to(*((before + GROW_BY, after) if message.direction < 0 else (before, after + GROW_BY)))

    def _grow_to(self, before: int, after: int) -> None:
        if self.session:
            self._beside = (before, after)
            self._ticket += 1
            self._read(self._ticket, self.session, False)

    @work(thread=True, group="opening", exclusive=True, exit_on_error=False)
    def _read(self, ticket: int, session: Session, fresh: bool) -> None:
        before, after = self._beside
        try:
            db = self._place.store.read()
        except StoreError:
            return
        try:
            if before >= session.turns and after >= session.turns:
                conversation = whole(db, session.key)
            elif self._hit is None:
                conversation = around(db, session.key, 1, 0, before + after)
            else:
                conversation = around(db, session.key, self._hit, before, after)
        except NotFound:
            return
        except (Error, UnicodeDecodeError) as error:
            self.notify(str(self._place.store.trouble(error)), markup=False)
            return
        finally:
            db.close()
        self.post_message(Opened(ticket, conversation, fresh))

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        message.stop()
        if message.ticket != self._ticket:
            return
        self.remove_class("-none")
        self.session = message.conversation.session
        self._refresh_heading()
        if not message.fresh:
            self.transcript.extend(message.conversation)
            return
        needles = self._query.needles() if self._query else []
        self.transcript.show(message.conversation, (lambda text: find(text, needles)) if needles else None, self._hit)

    # ---- what to copy ----

    def turn_text(self) -> str | None:
        """The turn that the cursor is on."""
        turn = self.transcript.current_turn
        return turn.text if turn else None

    def round_text(self) -> str | None:
        """The question that the current turn belongs to, and the answers to it, as far as they are shown."""
        page, turn = self.transcript.page, self.transcript.current_turn
        if page is None or turn is None:
            return None
        turns = list(page.turns)
        first = last = turns.index(turn)
        while first > 0 and turns[first].role != "user":
            first -= 1
        while last + 1 < len(turns) and turns[last + 1].role != "user":
            last += 1
        return "\n\n".join(each.text for each in turns[first : last + 1])

    # ---- the heading ----

    def on_resize(self) -> None:
        self._refresh_heading()

    def _refresh_heading(self) -> None:
        if self.session:
            width = max(1, self.size.width - 2)
            self._head.update(heading(self.session, self._place.titles, str(self._place.home), width))


def heading(session: Session, titles: Mapping[str, str], home: str, width: int, zone: tzinfo | None = None) -> Content:
    """Two lines: the title, and the facts that help to tell sessions apart."""
    facts = [titles.get(session.source, session.source)]
    if session.project:
        facts.append(short_path(session.project, home, 40))
    facts += [fact for fact in (session.branch, session.model, _days(session, zone)) if fact]
    facts.append(counted(session.turns, "turn"))
    if session.kind != "main":
        facts.append(session.kind)
    if session.gone_at_source:
        facts.append("gone at source, kept here")
    title = Content.styled(session.title or "untitled", "bold").truncate(width, ellipsis=True)
    return Content("\n").join([title, Content(" · ".join(facts)).truncate(width, ellipsis=True)])


def _days(session: Session, zone: tzinfo | None) -> str:
    first, last = local_time(session.started, zone), local_time(session.updated, zone)
    if first is None or last is None:
        return ""
    if first.date() == last.date():
        return f"{_day(first)} {first:%H:%M}-{last:%H:%M}"  # an en dash is ambiguous in width
    return f"{_day(first)} - {_day(last)}"


def _day(moment: datetime) -> str:
    return f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}"
