"""The main screen: search box, results, the conversation around the selected one. Wiring only."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, ClassVar, cast

from textual import getters, on, work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.signal import Signal
from textual.widgets import Footer, Input, Static

from ..core.config import Config
from ..core.query import Query, parse
from ..core.worker import Done, Event, Working
from . import clipboard
from .asking import Request
from .collecting import CollectingScreen
from .indexing_menu import IndexingMenu
from .keys import READING, SEARCH
from .live_index import LiveIndex
from .messages import Indexing, IndexingEnded
from .query_input import QueryInput, complete
from .reading_pane import ReadingPane
from .results_pane import ResultsPane
from .resume import Resume, resume_of
from .status_bar import StatusBar
from .surroundings import Surroundings
from .wording import counted

REFRESH_SECONDS, FIRST_SECONDS = 1.0, 0.25
"""How often results are brought up to date while indexing goes on; the second while there are none yet."""


class SearchScreen(CollectingScreen):
    """Type, look, read, copy. Dismissed with the session to resume, or with None to leave."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(key.binding() for key in (*READING, *SEARCH)),
        Binding("f3", "quiet_skips", show=False, id="skips"),  # while nothing was skipped it stands before the app's
    ]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012, as Textual declares it
    VERTICAL_BREAKPOINTS = [(0, "-low"), (8, "-high")]  # noqa: RUF012
    AUTO_FOCUS = "#query"

    query_input = getters.query_one("#query", QueryInput)
    _modes = getters.query_one("#modes", Static)

    def __init__(self, place: Surroundings, ticked: Sequence[str]) -> None:
        """`ticked`: the names of the sources that are read."""
        super().__init__(place)
        self._place, self._ticked = place, ticked
        self._project: str | None = None
        self._recent = False
        self._skipped = False
        self.news: Signal[Event] = Signal(self, "news")
        self._live = LiveIndex(
            place,
            lambda event: self.post_message(Indexing(event)),
            lambda: self.post_message(IndexingEnded()),
        )
        self._refreshed = 0.0

    def compose(self) -> ComposeResult:
        with Horizontal(id="top"):
            yield Static("›", id="prompt")
            yield QueryInput(self._understand, id="query")
            yield Static(id="modes", markup=False)
        with Horizontal(id="body"):
            yield ResultsPane(self._place, self._ticked, id="found")
            yield ReadingPane(self._place, id="pane")
        yield StatusBar(id="status")
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        self._ask()
        self.call_after_refresh(self.start_indexing)

    def on_unmount(self) -> None:
        self._live.stop()

    # ---- asking and showing ----

    def _understand(self, text: str) -> Query:
        return parse(text, self._place.now(), typing=True)

    @on(Input.Changed)
    def _ask(self) -> None:
        scope = "this project" if self._project else "everywhere"
        self._modes.update(f"{scope} · {'newest' if self._recent else 'relevance'} · words ")
        self.results.ask(Request(self.query_input.value, self._project, self._recent))

    @on(ResultsPane.Changed)
    def _changed(self, message: ResultsPane.Changed) -> None:
        if message.answer.skipped != self._skipped:
            self._skipped = message.answer.skipped
            self.refresh_bindings()
        self._set_status(answer=message.answer, notice="")

    @on(ResultsPane.Failed)
    def _failed(self, message: ResultsPane.Failed) -> None:
        self._set_status(notice=message.reason)
        if self._place.store.suspected() and not self._live.busy:
            self.start_indexing()  # which looks whether the index is damaged, and mends it

    @on(ResultsPane.Selected)
    def _selected(self, message: ResultsPane.Selected) -> None:
        answer = self.results.answer
        self.reading.open(message.item, answer.query if answer else None, fresh=message.fresh)

    @on(ResultsPane.Chosen)
    def action_open(self) -> None:
        if self.reading.session:
            self.add_class("-reading")
            self.reading.transcript.focus()

    # ---- moving about ----

    def action_move(self, by: int) -> None:
        self.results.list.action_move(by)

    def action_page(self, by: int) -> None:
        self.results.list.action_page(by)

    def action_next_pane(self) -> None:
        box = self.query_input
        if self.focused is self.results.list:
            self.action_open()
        elif self.focused is not box:
            self.action_focus_query()
        elif (done := complete(box.value, list(self._place.titles))) and box.cursor_position == len(box.value):
            box.value = done
            box.cursor_position = len(done)
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
        self.query_input.focus()

    def action_back(self) -> None:
        if self.focused is not self.query_input:
            self.action_focus_query()
        elif self.query_input.value:
            self.query_input.value = ""
        else:
            self.dismiss(None)

    def action_scope(self) -> None:
        self._project = None if self._project else str(self._place.working_folder)
        self._ask()

    def action_sort(self) -> None:
        self._recent = not self._recent
        self._ask()

    async def action_quiet_skips(self) -> None:
        await self.run_action("app.skips")

    # ---- reading ----

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys of the conversation are no keys while text is typed; with nothing skipped its key is not shown."""
        if action == "quiet_skips":
            return not self._skipped
        if self.focused is self.query_input:
            return action not in {key.action.partition("(")[0] for key in READING}
        return True

    def action_grow(self, direction: int) -> None:
        self.reading.grow(direction)

    def action_whole(self) -> None:
        self.reading.show_whole()

    def action_match(self, by: int) -> None:
        transcript = self.reading.transcript
        if transcript.next_match() if by > 0 else transcript.previous_match():
            return
        if not self.results.to_next_session(by):
            self.notify("This was the last match." if by > 0 else "This was the first match.")

    def action_copy_turn(self) -> None:
        if text := self.reading.turn_text():
            self._copy(text, "turn")

    def action_copy_round(self) -> None:
        if text := self.reading.round_text():
            self._copy(text, "round")

    @work(thread=True, group="copying", exit_on_error=False)
    def _copy(self, text: str, what: str, note: str = "") -> None:
        app = cast("App[Any]", self.app)  # pyright: ignore[reportUnknownMemberType]
        route = clipboard.copy(text, app, environ=self._place.environ)
        said = f"{route}: the {what}, {counted(len(text), 'character')}."
        app.call_from_thread(self._say, f"{said}\n{note}." if note else said)

    def _say(self, text: str) -> None:
        self.notify(text, markup=False)

    # ---- going back into a session ----

    def action_copy_command(self) -> None:
        if resume := self._resume():
            self._copy(resume.shell(), "command", resume.note)

    def action_resume(self) -> None:
        if resume := self._resume():
            self.dismiss(resume)

    def _resume(self) -> Resume | None:
        if (session := self.reading.session) is None:
            return None
        resume = resume_of(session, self._place.adapter(session.source))
        if resume is None:
            self._say(f"{self._place.titles[session.source]} can't reopen this session.")
            return None
        return resume.in_what_is_left()

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

    def start_indexing(self) -> None:
        """Bring the index up to date in a process of its own, and keep it so while the app is open."""
        self._live.start(bool(self._ticked))
        self.results.say_indexing(self._live.asked)

    @on(Indexing)
    def _heard(self, message: Indexing) -> None:
        event = message.event
        changed = self._live.take(event)
        self._set_status(progress=self._live.progress, trouble=self._live.notice)
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
        self._set_status(progress=None, trouble=self._live.notice)
        self.results.say_indexing(self._live.asked)
