"""What a section wishes for, done: questions asked, things found out and changed in threads. Draws nothing."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, cast

from textual import on, work
from textual.app import App
from textual.message import Message
from textual.screen import Screen
from textual.signal import Signal

from ..core import config as configuration
from ..core.config import Config, ConfigError
from ..core.database import Error
from ..core.exclude import BadRule
from ..core.lock import Busy
from ..core.no_model import NoModel
from ..core.store import StoreError
from ..core.worker import Event
from .question_screen import QuestionScreen
from .settings_lines import Job, Look, Save, Say, Section, Wish
from .surroundings import Surroundings

LOOK_PAUSE = 0.15
"""Seconds without a key before what is typed is looked up."""


class Indexer(Protocol):
    """Who keeps the index up to date meanwhile: the search screen."""

    news: Signal[Event]

    def read_now(self, config: Config) -> None:
        """The person has changed what is read: go by that from now on."""
        ...

    def pause_indexing(self) -> None:
        """Let go of the index, after what is being written; `read_now` goes on."""
        ...

    def action_index(self) -> None:
        """Look for what is new, or offer to stop that."""
        ...


@dataclass
class _Found(Message):
    section: Section
    look: Look
    found: object


@dataclass(frozen=True)
class _Ended:
    """Something was done, or could not be."""

    said: str
    config: Config | None
    """As it is now; None: nothing was changed."""
    long: bool = False


class WishingScreen(Screen[None]):
    """Its subclass draws; one thing is done at a time, and one is looked up."""

    def __init__(self, place: Surroundings, indexer: Indexer | None) -> None:
        super().__init__()
        self.place, self.indexer = place, indexer
        self._wanted: tuple[Section, Look] | None = None
        self._looking = False

    @property
    @abstractmethod
    def section(self) -> Section:
        """The one that is shown."""

    @abstractmethod
    async def redraw(self) -> None:
        """Show the section as it is now."""

    @abstractmethod
    def began(self, doing: str) -> None:
        """Something that takes a while has begun."""

    @abstractmethod
    def ended(self, *, changed: bool) -> None:
        """It has ended, or something was saved."""

    def fulfil(self, ask: Callable[[Section], Wish]) -> None:
        """Do what the section wishes when it is asked."""
        try:
            wish = ask(self.section)
        except ConfigError as error:
            wish = Say(str(error))
        self.call_next(self.redraw)  # a tick that is not to be goes back, too
        match wish:
            case Look():
                self._wanted = (self.section, wish)
                self.set_timer(LOOK_PAUSE, self._look_up)
            case Save():
                self._after(wish.question, wish.yes, lambda: self._save(wish))
            case Job():
                self._after(wish.question, wish.yes, lambda: self._begin(wish))
            case Say():
                self._say(wish.text)
            case None:
                return

    def _after(self, question: str, yes: str, act: Callable[[], object]) -> None:
        """Act at once, or when the person has said yes."""

        def answered(agreed: bool | None) -> None:
            if agreed:
                act()

        if question:
            self._app.push_screen(QuestionScreen(question, yes), answered)
        else:
            act()

    @property
    def _app(self) -> App[Any]:
        return cast("App[Any]", self.app)  # pyright: ignore[reportUnknownMemberType]

    # ---- finding out ----

    def _look_up(self) -> None:
        if self._wanted and not self._looking:
            (section, look), self._wanted, self._looking = self._wanted, None, True
            self._find(section, look)

    @work(thread=True, group="looking", exit_on_error=False)
    def _find(self, section: Section, look: Look) -> None:
        try:
            found: object = look.find()
        except (StoreError, Error, ConfigError, BadRule, OSError) as error:
            found = error
        self.post_message(_Found(section, look, found))

    @on(_Found)
    def _found(self, message: _Found) -> None:
        self._looking = False
        if isinstance(message.found, Exception):
            self._say(str(message.found))
        elif message.section is self.section:
            self.fulfil(lambda section: section.heard(message.found))
        self._look_up()

    # ---- doing ----

    def _save(self, save: Save) -> None:
        if save.doing:
            self.began(save.doing)
        self._save_in_thread(save, self._app)

    @work(thread=True, group="saving", exit_on_error=False)
    def _save_in_thread(self, save: Save, app: App[Any]) -> None:
        try:
            if save.before:
                save.before()
            ended = _Ended(save.said, configuration.change(self.place.folder, save.changes))
        except (ConfigError, NoModel) as error:
            ended = _Ended(str(error), None, long=True)
        app.call_from_thread(self._done, ended)

    def _begin(self, job: Job) -> None:
        if self.indexer:
            self.indexer.pause_indexing()
        self.began(job.doing)
        self._do(job, self._app)

    @work(thread=True, group="saving", exit_on_error=False)
    def _do(self, job: Job, app: App[Any]) -> None:
        """Ends even if the settings are left; `app` hears of it then."""
        try:
            said = job.run()
        except Busy:
            said = "Another harkback is indexing; nothing was changed. Try again when it is done."
        except (StoreError, Error, ConfigError, OSError) as error:
            said = f"{error}; nothing was changed."
        config: Config | None = None
        try:
            config = self.place.config()
        except ConfigError as error:
            said = str(error)
        app.call_from_thread(self._done, _Ended(said, config, long=True))

    def _done(self, ended: _Ended) -> None:
        """Say so and have the index follow, even if the settings were left meanwhile."""
        self._say(ended.said, long=ended.long)
        if ended.config is not None and self.indexer:
            self.indexer.read_now(ended.config)
        if self.is_attached:
            self.ended(changed=ended.config is not None)

    def _say(self, text: str, *, long: bool = False) -> None:
        self._app.notify(text, markup=False, timeout=15 if long else 5)
