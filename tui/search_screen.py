"""The main screen: search box, results, the conversation around the selected one. Wiring only."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import events, getters, on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.signal import Signal
from textual.widgets import Input

from ..core.config import Config
from ..core.when import prepare as prepare_times
from ..core.worker import Done, Event, Working
from .asked import MODES, Answer, Request
from .indexing_menu import IndexingMenu
from .key_line import KeyLine
from .keys import READING, SEARCH
from .live_index import LiveIndex
from .messages import Indexing, IndexingEnded
from .query_input import QueryInput
from .reading_pane import ReadingPane
from .results_pane import ResultsPane
from .results_screen import ResultsScreen
from .search_box import SearchBox, modes_told
from .status_bar import StatusBar
from .surroundings import Surroundings

if TYPE_CHECKING:
    from .timeline_screen import Chosen

UNTIL_TYPED = 0.2
"""Seconds; nobody types sooner after the first frame."""
REFRESH_SECONDS, FIRST_SECONDS = 1.0, 0.25
"""How often results are brought up to date while indexing goes on; the second while there are none yet."""
_OF_RESULTS = ("open", "resume", "copy_command")


class SearchScreen(ResultsScreen):
    """Type, look, read, copy. The app ends with it, with a session to resume or without."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(key.binding() for key in (*READING, *SEARCH)),
        Binding("f3", "quiet_skips", show=False, id="skips"),  # while nothing was skipped it stands before the app's
    ]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012, as Textual declares it
    VERTICAL_BREAKPOINTS = [(0, "-low"), (8, "-high")]  # noqa: RUF012
    AUTO_FOCUS = "#query"

    query_input = getters.query_one("#query", QueryInput)
    box = getters.query_one(SearchBox)

    def __init__(self, place: Surroundings, ticked: Sequence[str]) -> None:
        """`ticked`: the names of the sources that are read."""
        super().__init__(place)
        self._ticked = ticked
        self._request = Request("")
        self._has = (False, True)  # anything that was skipped, anything to open
        self.news: Signal[Event] = Signal(self, "news")
        self._live = LiveIndex(
            place,
            lambda event: self.post_message(Indexing(event)),
            lambda: self.post_message(IndexingEnded()),
        )
        self._refreshed = 0.0

    def compose(self) -> ComposeResult:
        yield SearchBox(self._place, self._ask, id="top")
        with Horizontal(id="body"):
            yield ResultsPane(self._place, self._ticked, self._answered, id="found")
            yield ReadingPane(self._place, id="pane")
        yield StatusBar(id="status")
        yield KeyLine({"list.choose": "open", "transcript.fold": "fold"})

    def on_mount(self) -> None:
        # The first frame waits neither for results, nor for another process, nor for what only those need who type.
        self.call_after_refresh(self._ask)
        self.call_after_refresh(self.start_indexing)
        self.set_timer(UNTIL_TYPED, lambda: self.run_worker(prepare_times, thread=True))

    def on_unmount(self) -> None:
        self._live.stop()
        self._place.readers.close()

    # ---- asking and showing ----

    def _ask(self) -> None:
        self._live.typing()
        self._request = replace(self._request, text=self.box.asked)
        self._say_modes()
        if self._request != self.results.asked:
            self.results.ask(self._request)

    def _ask_otherwise(self, **changes: Any) -> None:
        self._request = replace(self._request, **changes)
        self._ask()

    def _say_modes(self) -> None:
        answer = self.results.answer
        self.box.say_modes(modes_told(self._request, answer.how if answer else "words"))

    def _answered(self, answer: Answer) -> None:
        if (has := (answer.skipped, bool(answer.items))) != self._has:
            self._has = has
            self.refresh_bindings()
        self._say_modes()
        self._set_status(answer=answer, notice="")

    @on(ResultsPane.Failed)
    def _failed(self, message: ResultsPane.Failed) -> None:
        self._set_status(notice=message.reason)
        if self._place.store.suspected() and not self._live.busy:
            self.start_indexing()  # which looks whether the index is damaged, and mends it

    @on(ResultsPane.Selected)
    def _selected(self, message: ResultsPane.Selected) -> None:
        answer = self.results.answer
        if message.item is None and self.focused is not self.query_input:
            self.action_focus_query()  # what had the focus goes away
        self.reading.open(message.item, answer.query if answer else None, fresh=message.fresh)

    @on(ResultsPane.Chosen)
    def action_open(self) -> None:
        if self.reading.session:
            self.add_class("-reading")
            self.set_focus(self.reading.transcript)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """In a narrow window that side is shown which has the focus."""
        self.set_class(self.reading in event.widget.ancestors, "-reading")

    # ---- moving about ----

    def action_move(self, by: int) -> None:
        if self.box.is_choosing and self.focused is self.query_input:
            self.box.choose(by)
        else:
            self.results.list.action_move(by)

    def action_page(self, by: int) -> None:
        self.results.list.action_page(by)

    def action_next_pane(self) -> None:
        if self.focused is self.results.list:
            self.action_open()
        elif self.focused is not self.query_input:
            self.action_focus_query()
        else:
            self.box.complete(self._take_suggestion_or_go_on)

    def _take_suggestion_or_go_on(self) -> None:
        if suggestion := self.results.offered:
            self.box.put(suggestion)
        elif self.results.list.count:
            self.results.list.focus()

    def action_previous_pane(self) -> None:
        if self.focused is self.reading.transcript:
            self.remove_class("-reading")
            self.results.list.focus()
        elif self.focused is self.results.list:
            self.action_focus_query()
        else:
            self.action_open()

    def action_focus_query(self) -> None:
        self.remove_class("-reading")
        self.set_focus(self.query_input)

    def action_find(self) -> None:
        if self.focused is self.results.list:
            self.action_focus_query()
        else:
            self.reading.find_in_it()

    def action_back(self) -> None:
        if self.box.is_choosing:
            self.box.stop_choosing()
        elif self.reading.is_finding and self.focused is not self.query_input:
            self.reading.stop_finding()
        elif self.focused is not self.query_input:
            self.action_focus_query()
        elif self.query_input.value:
            self.query_input.value = ""
        else:
            self.leave()

    def action_drop_filter(self) -> None:
        if self.query_input.selection.is_empty or self.focused is not self.query_input:
            if not self.box.drop_filter():
                self._say("There is no filter in the search box.")
        else:
            self.query_input.action_cut()

    def action_scope(self) -> None:
        self._ask_otherwise(project=None if self._request.project else str(self._place.working_folder))

    def action_sort(self) -> None:
        self._ask_otherwise(recent=not self._request.recent)

    def action_group(self) -> None:
        self._ask_otherwise(by_session=not self._request.by_session)

    def show_day(self, chosen: Chosen) -> None:
        """What was chosen in the timeline: a day's sessions."""
        self._request = replace(self._request, by_session=True)
        self.box.put_day(chosen.day, chosen.text)
        self.query_input.focus()

    def action_mode(self) -> None:
        self._ask_otherwise(mode=MODES[(MODES.index(self._request.mode) + 1) % len(MODES)])

    async def action_quiet_skips(self) -> None:
        await self.run_action("app.skips")

    # ---- reading ----

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys of the conversation are no keys while text is typed; with nothing skipped its key is not shown."""
        if action == "quiet_skips":
            return not self._has[0]
        if action in _OF_RESULTS and not self._has[1]:
            return False
        if action == "open" and not isinstance(self.focused, QueryInput):
            return False  # there the key is the list's or the conversation's
        if isinstance(self.focused, Input):
            return action not in {key.action.partition("(")[0] for key in READING}
        return True

    # ---- indexing ----

    def action_index(self) -> None:
        if self._live.busy:
            app = cast("App[Any]", self.app)  # pyright: ignore[reportUnknownMemberType]
            menu = IndexingMenu(self.news, self._live.progress)
            app.push_screen(menu, lambda stop: self._live.stop() if stop else None)
        else:
            self.start_indexing()

    def read_now(self, config: Config) -> None:
        """The person has changed what is read: go by that from now on."""
        self._ticked = self.results.ticked = config.ticked(self._place.titles)
        self._live.start_anew()
        self.results.say_indexing(self._live.asked)

    def pause_indexing(self) -> None:
        """Let go of the index, after what is being written; `read_now` goes on."""
        self._live.stop()
        self._place.readers.close()

    def start_indexing(self) -> None:
        """Bring the index up to date in a process of its own, and keep it so while the app is open."""
        self._live.start(bool(self._ticked))
        self.results.say_indexing(self._live.asked)

    @on(Indexing)
    def _heard(self, message: Indexing) -> None:
        event = message.event
        changed = self._live.take(event)
        self._set_status(progress=self._live.progress, trouble=self._live.notice, meaning=self._live.meaning)
        patience = REFRESH_SECONDS if self.results.list.count else FIRST_SECONDS
        if changed and (isinstance(event, Done) or time.monotonic() - self._refreshed >= patience):
            self._refreshed = time.monotonic()
            self.results.ask_again()
        if isinstance(event, Done):
            self.look_into_basket()
            for text in self._live.summary(event):
                self._say(text)
        if not isinstance(event, Working):
            self.results.say_indexing(self._live.asked)
        self.news.publish(event)

    @on(IndexingEnded)
    def _indexing_ended(self) -> None:
        self._live.ended()
        self._set_status(progress=None, trouble=self._live.notice, meaning="")
        self.results.say_indexing(self._live.asked)
