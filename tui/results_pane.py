"""The left-hand side: asks, lists what is found, keeps the cursor on its row when better results arrive."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from textual import getters, on, work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from ..core.results import Hit, Session
from ..core.store import StoreError
from .asked import Answer, Dropped, Item, Request
from .asking import Asking, Cancelled, details
from .empty_state import empty_text, meant_line
from .messages import Answered, AskingFailed, Fetched
from .rows import hit_row, session_row
from .steady import Steady
from .surroundings import Surroundings
from .virtual_list import VirtualList


class ResultsPane(Vertical):
    """A virtual list over one answer at a time; every look at the index happens in a worker thread."""

    @dataclass
    class Selected(Message):
        """The cursor is on another row, or on none; `fresh` is False when the row only got newer contents."""

        item: Item | None
        fresh: bool

    @dataclass
    class Chosen(Message):
        """The row under the cursor is to be read."""

    @dataclass
    class Failed(Message):
        """The search could not be done; what was shown before stays."""

        reason: str

    _empty = getters.query_one("#empty", Static)
    _meant = getters.query_one("#meant", Steady)

    def __init__(
        self,
        place: Surroundings,
        ticked: Sequence[str],
        shown: Callable[[Answer], None],
        *,
        id: str | None = None,  # noqa: A002
    ) -> None:
        """`ticked`: the names of the sources that are read. `shown` is called with every answer that is shown.

        It is no message, which would come a frame later than the rows that it tells of.
        """
        super().__init__(id=id)
        self._shown = shown
        self._place = place
        self._titles = place.titles
        self.ticked = ticked
        self._asking: Asking | None = None
        self._shown_of: Asking | None = None
        """Whose answer is on the screen."""
        self.answer: Answer | None = None
        self._indexing = False
        self._awaited: Item | None = None
        """What was selected, while its row in a newer answer is not known yet."""
        self._collected: frozenset[int] = frozenset()
        self._by_session: Mapping[str, int] = {}

    def compose(self) -> ComposeResult:
        yield Steady(id="meant", markup=False)
        yield VirtualList[Item](self._draw, id="results")
        yield Static(id="empty", markup=False)

    def on_unmount(self) -> None:
        if self._asking:
            self._asking.cancel()

    @property
    def list(self) -> VirtualList[Item]:
        return cast("VirtualList[Item]", self.query_one("#results", VirtualList))

    @property
    def item(self) -> Item | None:
        """What the cursor is on, if it is known yet."""
        return self.list.item(self.list.cursor)

    @property
    def asked(self) -> Request | None:
        """The last question, answered or not."""
        return self._asking.request if self._asking else None

    @property
    def offered(self) -> str | None:
        """The query as it may have been meant, where that is offered."""
        return self.answer.suggestion if self.answer else None

    # ---- asking ----

    def ask(self, request: Request) -> None:
        """Search; a search that is still running is interrupted and its results are dropped."""
        self._ask(Asking(self._place, request))

    def ask_again(self) -> None:
        """The same search over what is in the index now."""
        if self._asking:
            self._ask(Asking(self._place, self._asking.request, self.list.on_screen))

    def _ask(self, asking: Asking) -> None:
        if self._asking:
            self._asking.cancel()
        self._asking = asking
        self._run(asking)

    @work(thread=True, group="asking", exclusive=True, exit_on_error=False)
    def _run(self, asking: Asking) -> None:
        try:
            asking.run(lambda answer: self.post_message(Answered(asking, answer)))
        except Cancelled:
            return
        except StoreError as error:
            self.post_message(AskingFailed(asking, str(error)))

    @on(Answered)
    def _answered(self, message: Answered) -> None:
        message.stop()
        if message.asking is not self._asking:
            return
        old, answer, before = self.answer, message.answer, self.item or self._awaited
        unread = message.asking is self._shown_of and isinstance(self.screen.focused, Input)
        kept = _kept_row(old, answer, before, self.list.cursor, unread=unread)
        self._shown_of = message.asking
        self.answer = answer
        self.list.show(answer.items, kept)
        self._show_emptiness()
        self._shown(answer)
        if not answer.items:
            self.post_message(self.Selected(None, fresh=True))
        elif self.item is None:  # it stays on the screen until its row is known again
            self._awaited = before
        elif kept is not None:  # otherwise the list says itself that its first row is selected
            self.post_message(self.Selected(self.item, fresh=_identity(self.item) != _identity(before)))

    @on(AskingFailed)
    def _failed(self, message: AskingFailed) -> None:
        message.stop()
        if message.asking is self._asking:
            self.post_message(self.Failed(message.reason))

    # ---- rows ----

    @on(VirtualList.Wanted)
    def _wanted(self, message: VirtualList.Wanted) -> None:
        message.stop()
        if self.answer:
            self._fetch(self.answer, message.first, message.last + 1)

    @work(thread=True, group="fetching", exclusive=True, exit_on_error=False)
    def _fetch(self, answer: Answer, first: int, stop: int) -> None:
        try:
            with self._place.readers.reading() as db:
                self.post_message(Fetched(answer, first, details(db, answer, first, stop)))
        except StoreError:
            return

    @on(Fetched)
    def _fetched(self, message: Fetched) -> None:
        message.stop()
        if message.answer is self.answer:
            self.list.fill(message.first, message.items)
            if message.first <= self.list.cursor < message.first + len(message.items):
                was, self._awaited = self._awaited, None
                self.post_message(self.Selected(self.item, fresh=_identity(self.item) != _identity(was)))

    @on(VirtualList.Highlighted)
    def _highlighted(self, message: VirtualList.Highlighted) -> None:
        message.stop()
        self._awaited = None
        if self.item is not None:
            self.post_message(self.Selected(self.item, fresh=True))

    @on(VirtualList.Chosen)
    def _chosen(self, message: VirtualList.Chosen) -> None:
        message.stop()
        self.post_message(self.Chosen())

    def _draw(self, item: Item, width: int) -> Sequence[Content]:
        now = int(self._place.now().timestamp() * 1000)
        if isinstance(item, Hit):
            return hit_row(
                item,
                width,
                now,
                titles=self._titles,
                home=str(self._place.home),
                collected=item.turn_id in self._collected,
                in_session=self.answer.hits_in.get(item.turn_id, 0) if self.answer else 0,
            )
        if isinstance(item, Session):
            home, collected = str(self._place.home), self._by_session.get(item.key, 0)
            return session_row(item, width, now, titles=self._titles, home=home, collected=collected)
        return [Content("no longer in the index")]

    def show_collected(self, turns: frozenset[int], by_session: Mapping[str, int]) -> None:
        """Mark the rows of turns that are in the basket, and of sessions that have some there."""
        self._collected, self._by_session = turns, by_session
        self.list.redraw()

    def to_next_session(self, by: int) -> bool:
        """Move the cursor to the next row of another session, down (1) or up (-1); False where there is none."""
        here, index = _session_key(self.item), self.list.cursor + by
        while 0 <= index < self.list.count:
            item = self.list.item(index)
            if item is None or _session_key(item) != here:
                self.list.cursor = index
                return True
            index += by
        return False

    # ---- nothing found ----

    def say_indexing(self, indexing: bool) -> None:
        """Whether sessions are being read, which is what an empty page may have to say."""
        self._indexing = indexing
        self._show_emptiness()

    def _show_emptiness(self) -> None:
        answer = self.answer
        nothing = answer is not None and not answer.items
        self.set_class(nothing, "-empty")
        meant = meant_line(answer) if answer and answer.items else ""
        self._meant.update(meant)
        self._meant.set_class(bool(meant), "-shown")
        if answer is not None and nothing:
            sources = [self._titles[name] for name in self.ticked]
            self._empty.update(empty_text(answer, sources, indexing=self._indexing))


def _kept_row(old: Answer | None, new: Answer, item: Item | None, cursor: int, *, unread: bool) -> int | None:
    """Where the selected row is in a new answer to the same question; None where the first row is to be selected.

    That is for another question, and for a better answer to one that nobody has looked into yet (`unread`).
    """
    if old is None or item is None or old.request != new.request:
        return None
    wanted = _identity(item)
    if unread and cursor == 0:
        return 0 if new.items and _identity(new.items[0]) == wanted else None
    for index, other in enumerate(new.items):
        if other is not None and _identity(other) == wanted:
            return index
    match = old.matches[cursor]
    return new.matches.index(match) if match in new.matches else cursor


def _identity(item: Item | None) -> object:
    if isinstance(item, Hit):
        return item.turn_id
    return item.key if isinstance(item, Session) else None


def _session_key(item: Item | None) -> str | None:
    if isinstance(item, Hit):
        return item.session.key
    return None if item is None or isinstance(item, Dropped) else item.key
