"""The settings: five pages of lines, live. Wiring only; what they show and wish for is in the sections."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from textual import events, getters, on, work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static

from ..core.config import ConfigError
from ..core.results import Progress, Session
from ..core.worker import Done, Event, Failed, Working
from .key_line import KeyLine
from .keys import SETTINGS
from .live_index import STOPPED
from .settings_exclusions import ExclusionsSection
from .settings_facts import Facts, gather
from .settings_limits import LimitsSection
from .settings_lines import Line, Note, Section
from .settings_page import SettingsPage
from .settings_privacy import PrivacySection
from .settings_semantic import SemanticSection
from .settings_sources import SourcesSection
from .settings_wishes import Indexer, WishingScreen
from .skips_screen import SkipsScreen
from .status_bar import Status, StatusBar
from .surroundings import Surroundings
from .wording import byte_size, counted

GATHER_SECONDS = 2.0
"""How often figures are brought up to date while indexing goes on."""
NARROW = 60
SECTIONS = ("sources", "exclusions", "limits", "semantic", "privacy")


@dataclass
class _Gathered(Message):
    facts: Facts


@dataclass
class _Unreadable(Message):
    """config.toml can't be used."""

    reason: str


class SectionName(Static):
    """The name of a section on top; a click goes to it."""

    def __init__(self, index: int, title: str) -> None:
        super().__init__(title, markup=False, classes="section")
        self._index = index

    async def on_click(self) -> None:
        await cast(SettingsScreen, self.screen).action_go_to(self._index)


class SettingsScreen(WishingScreen):
    """Every change is saved and takes effect at once."""

    CSS_PATH = "settings.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        *(key.binding() for key in SETTINGS),
        *(Binding(str(n + 1), f"go_to({n})", show=False) for n in range(len(SECTIONS))),
        Binding("f5", "index", "read now", id="index"),
        Binding("f2", "leave", "back", show=False, id="settings"),
        Binding("f3", "skips", "skipped", show=False, id="skips"),
    ]
    HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (24, "-narrow"), (NARROW, "-wide")]  # noqa: RUF012, as Textual declares it
    VERTICAL_BREAKPOINTS = [(0, "-low"), (8, "-high")]  # noqa: RUF012
    AUTO_FOCUS = ""

    page = getters.query_one(SettingsPage)
    _bar = getters.query_one(StatusBar)

    def __init__(
        self, place: Surroundings, indexer: Indexer | None, section: str = "sources", selected: Session | None = None
    ) -> None:
        """`section` is the one to begin with, `selected` the session that the search shows.

        Without an `indexer` nothing is read yet: it is the first start.
        """
        super().__init__(place, indexer)
        self.sections: tuple[Section, ...] = (
            SourcesSection(place),
            ExclusionsSection(place),
            LimitsSection(place),
            SemanticSection(place),
            PrivacySection(place, selected),
        )
        self._at = SECTIONS.index(section)
        self.facts: Facts | None = None
        self._begun = False
        self._gathered_at = 0.0
        self._progress: Progress | None = None
        self._doing = self._trouble = self._unreadable = ""

    def compose(self) -> ComposeResult:
        with Horizontal(id="sections"):
            for index, section in enumerate(self.sections):
                yield SectionName(index, section.title)
        yield SettingsPage(str(self.place.home), id="page")
        yield StatusBar(id="status")
        yield KeyLine()

    async def on_mount(self) -> None:
        if self.indexer:
            self.indexer.news.subscribe(self, self._hear)
        await self.redraw()
        self._gather()

    @property
    def section(self) -> Section:
        return self.sections[self._at]

    # ---- showing ----

    def _gather(self) -> None:
        self._gathered_at = time.monotonic()
        self._look_at_all()

    @work(thread=True, group="gathering", exclusive=True, exit_on_error=False)
    def _look_at_all(self) -> None:
        try:
            self.post_message(_Gathered(gather(self.place)))
        except ConfigError as error:
            self.post_message(_Unreadable(str(error)))

    @on(_Gathered)
    async def _gathered(self, message: _Gathered) -> None:
        self.facts = message.facts
        begins, self._begun, self._unreadable = not self._begun or bool(self._unreadable), True, ""
        await self.redraw()
        if begins:
            self.page.focus_first()

    @on(_Unreadable)
    async def _cannot(self, message: _Unreadable) -> None:
        self._unreadable = message.reason
        await self.redraw()
        self.set_timer(GATHER_SECONDS, self._gather)

    async def redraw(self) -> None:
        for index, name in enumerate(self.query(SectionName)):
            name.set_class(index == self._at, "-current")
        lines: list[Line] = [Note("Looking …")]
        if self._unreadable:
            lines = [Note(self._unreadable), Note("Nothing was changed. The settings are here again once it is right.")]
        elif self.facts:
            lines = self.section.lines(self.facts, self.size.width - 4)
        await self.page.show(lines)
        self._show_status()

    def _show_status(self) -> None:
        index = self.facts.index if self.facts else None
        held = "nothing is indexed yet"
        if index:
            held = f"{counted(index.turns, 'turn')} of {counted(index.sessions, 'session')} · {byte_size(index.bytes)}"
        if self._progress and self.size.width < NARROW:  # the bar says more
            held = ""
        self._bar.show(Status(notice=self._doing or self._trouble or held, progress=self._progress))

    async def on_resize(self, event: events.Resize) -> None:
        await self.redraw()
        self.page.see_focus()

    def _hear(self, event: Event) -> None:
        """News of the indexing that goes on."""
        self._progress = event.progress if isinstance(event, Working) else None
        self._trouble = event.message if isinstance(event, Failed) else ""
        if isinstance(event, Done) and not event.report.finished:
            self._trouble = STOPPED
        if isinstance(event, Done) or time.monotonic() - self._gathered_at > GATHER_SECONDS:
            self._gather()
        self._show_status()

    def began(self, doing: str) -> None:
        self._doing = doing
        self._show_status()

    def ended(self, *, changed: bool) -> None:
        self._doing = ""
        if changed:
            self.page.forget_typed()
        self._gather()

    # ---- moving about ----

    async def action_section(self, by: int) -> None:
        await self.action_go_to((self._at + by) % len(self.sections))

    async def action_go_to(self, index: int) -> None:
        self._at = index
        self.set_focus(None)
        await self.redraw()
        self.page.focus_first()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While text is typed, letters and digits are text; where no line has the focus, nothing can be ticked."""
        if action == "index":
            return self.indexer is not None
        if action == "nothing":
            return self.focused is not None and not isinstance(self.focused, Input)
        return not (isinstance(self.focused, Input) and action in ("go_to", "remove"))

    def action_nothing(self) -> None:
        """The lines take these keys themselves; they are named here for the bottom line."""

    def action_index(self) -> None:
        if self.indexer:
            self.indexer.action_index()

    def action_skips(self) -> None:
        app = cast("App[Any]", self.app)  # pyright: ignore[reportUnknownMemberType]
        app.push_screen(SkipsScreen(self.place), self._skips_read)

    async def _skips_read(self, widen: bool | None) -> None:
        if widen:
            await self.action_go_to(SECTIONS.index("limits"))

    async def action_help(self) -> None:
        await self.run_action("app.help")

    def action_leave(self) -> None:
        self.dismiss(None)

    # ---- what the person does ----

    @on(SettingsPage.Toggled)
    def _toggled(self, message: SettingsPage.Toggled) -> None:
        self.fulfil(lambda section: section.toggled(message.key, message.on))

    @on(SettingsPage.Pressed)
    def _pressed(self, message: SettingsPage.Pressed) -> None:
        self.fulfil(lambda section: section.pressed(message.key))

    @on(SettingsPage.Typed)
    def _typed(self, message: SettingsPage.Typed) -> None:
        self.fulfil(lambda section: section.typed(message.key, message.text))

    @on(SettingsPage.Entered)
    def _entered(self, message: SettingsPage.Entered) -> None:
        self.fulfil(lambda section: section.entered(message.key, message.text))

    def action_remove(self) -> None:
        if key := self.page.focused_key:
            self.fulfil(lambda section: section.removed(key))
