"""The first start: what was found on this machine, what of it may be read, and how far back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events, getters, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Button, Static

from ..core import config as configuration
from ..core.config import Config, ConfigError
from ..core.status import Survey, survey
from .key_line import KeyLine
from .keys import WELCOME
from .surroundings import Surroundings
from .ticks import Choice, Column, Press, Tick
from .welcome_lines import (
    WHAT_ELSE,
    WINDOW_DAYS,
    columns_head,
    found_here,
    never_read,
    not_found,
    places_of,
    source_label,
)
from .wording import counted, swept_soon

HIGH, BESIDES = 20, 17
"""Lines of a screen on which the list scrolls by itself, and what stands around the list."""


class WelcomeScreen(Screen[bool]):
    """Dismissed with True when the person chose, False when they stepped back."""

    CSS_PATH = "welcome.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [key.binding() for key in WELCOME if key.action != "nothing"]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (60, "-wide")]  # noqa: RUF012, as Textual declares it
    AUTO_FOCUS = ""

    class Surveyed(Message):
        """The disk was looked at."""

        def __init__(self, surveys: Sequence[Survey]) -> None:
            super().__init__()
            self.surveys = surveys

    _page = getters.query_one("#welcome", Column)

    def __init__(self, place: Surroundings) -> None:
        super().__init__()
        self._place = place
        self._config = Config()
        self._surveys: Sequence[Survey] = ()
        self._where = False

    def compose(self) -> ComposeResult:
        with Column(id="welcome"):
            yield Static(
                "harkback finds what was said in your past agent sessions. "
                "It reads, never writes; nothing leaves this machine.",
                markup=False,
            )
            yield Static("Looking for sessions …", id="looking", classes="label", markup=False)
        yield KeyLine()

    def on_mount(self) -> None:
        self.look_again()

    @work(thread=True, group="survey", exclusive=True, exit_on_error=False)
    def look_again(self) -> None:
        """Look at the disk, by names, sizes and dates alone."""
        place = self._place
        try:
            self._config = place.config()
        except ConfigError:
            self._config = Config()
        now = int(place.now().timestamp() * 1000)
        surveys = [
            survey(adapter, self._config, place.home, place.environ, now, WINDOW_DAYS) for adapter in place.adapters
        ]  # fmt: skip
        self.post_message(self.Surveyed(surveys))

    @on(Surveyed)
    async def _surveyed(self, message: Surveyed) -> None:
        self._surveys = message.surveys
        ticked = self._config.ticked(self._place.titles)
        before = {box.name or "": box.value for box in self._boxes()}
        proposed = {each.name: each.name in ticked if ticked else before.get(each.name, True) for each in self._found()}
        with self.app.batch_update():  # pyright: ignore[reportUnknownMemberType]
            await self._page.remove_children(list(self._page.children)[1:])
            await self._page.mount_all(self._choices(proposed) if self._found() else self._nothing())
        self._fit()
        for line in [*self._boxes(), *self.query("#missing")][:1]:
            line.focus(scroll_visible=False)  # the first lines say what this is about
        self.refresh_bindings()

    def _nothing(self) -> list[Static]:
        return [
            Static("No agent's sessions were found on this machine.", classes="label", markup=False),
            *self._not_found(),
            Static(WHAT_ELSE, classes="note", markup=False),
        ]

    def _not_found(self) -> list[Static]:
        return [
            Press(self._missing(), id="missing"),
            Static(self._missing_places(), id="places", classes="notice muted", markup=False),
        ]

    def _choices(self, proposed: dict[str, bool]) -> list[Static | Column | Tick | Press | Button]:
        found = self._found()
        everything = self._config.limits.preset == "everything"
        recent, total = sum(each.recent for each in found), sum(each.files for each in found)
        rows: list[Static | Tick | Press] = []
        for each in found:
            rows.append(Tick(self._label(each), proposed[each.name], name=each.name))
            if each.swept_soon:
                rows.append(Static(swept_soon(each.swept_soon, each.title), classes="notice", markup=False))
        if len(found) < len(self._surveys):
            rows += self._not_found()
        rules = self._config.exclude.patterns
        return [
            Static(found_here(len(found)), classes="label", markup=False),
            self._head(),
            Column(*rows, id="sources"),
            Static("How far back", classes="label", markup=False),
            Choice(f"the last {WINDOW_DAYS} days ({counted(recent, 'file')})", not everything, id="recent"),
            Choice(f"everything ({counted(total, 'file')})", everything, id="everything"),
            Static(never_read(len(rules)), classes="note", markup=False),
            Static("Passwords and tokens are masked before anything is indexed.", markup=False),
            Button("Start", id="start", variant="primary"),
        ]

    def _found(self) -> list[Survey]:
        return [each for each in self._surveys if each.files]

    def _boxes(self) -> list[Tick]:
        return [tick for tick in self.query(Tick) if not isinstance(tick, Choice)]

    def _label(self, each: Survey) -> Content:
        names = max(len(other.title) for other in self._found())
        now = int(self._place.now().timestamp() * 1000)
        return source_label(each, str(self._place.home), now, names, self.size.width - 11)

    def _head(self) -> Static:
        head = Static(self._columns(), id="columns", classes="notice muted", markup=False)
        head.display = bool(self._columns())
        return head

    def _columns(self) -> str:
        return columns_head(max(len(each.title) for each in self._found()), self.size.width - 11)

    def _missing(self) -> str:
        return not_found([each for each in self._surveys if not each.files], self.size.width - 8)

    def _missing_places(self) -> str:
        missing, home = [each for each in self._surveys if not each.files], str(self._place.home)
        return "\n".join(f"{each.title}: {places_of(each, home)}" for each in missing) if self._where else ""

    def _fit(self) -> None:
        """On screens of some height, the list scrolls by itself, so that what is below it stays in sight."""
        for each in self.query("#sources"):
            each.styles.max_height = max(5, self.size.height - BESIDES) if self.size.height >= HIGH else None

    def on_resize(self, event: events.Resize) -> None:
        self._fit()
        surveys = {each.name: each for each in self._surveys}
        for box in self._boxes():
            box.label = self._label(surveys[box.name or ""])
        for head in self.query("#columns").results(Static):
            head.update(self._columns())
            head.display = bool(self._columns())
        for line in self.query("#missing").results(Press):
            line.text = self._missing()
            line.refresh()

    @on(Choice.Changed)
    def _choose_one(self, message: Choice.Changed) -> None:
        if isinstance(chosen := message.checkbox, Choice):
            for other in self.query(Choice):
                if other is not chosen and other.value == chosen.value:
                    other.value = not chosen.value

    def action_all(self) -> None:
        """Tick all sources, or none where all are ticked."""
        boxes = self._boxes()
        wanted = not all(box.value for box in boxes)
        for box in boxes:
            box.value = wanted

    @on(Press.Pressed)
    def action_where(self) -> None:
        """Show where those that were not found were looked for, or hide it again."""
        self._where = not self._where
        for line in self.query("#places").results(Static):
            line.update(self._missing_places())
            line.set_class(self._where, "-shown")

    @on(Button.Pressed)
    def action_start(self) -> None:
        """Save what is ticked, and go on."""
        if not (boxes := self._boxes()):
            return
        changes: dict[str, object] = {f"sources.{box.name}.enabled": box.value for box in boxes}
        everything = self.query_one("#everything", Choice).value
        changes["limits.preset"] = "everything" if everything else "recent"
        if not any(box.value for box in boxes):
            self.notify("Tick at least one source: space ticks the one with the bar.")
            return
        try:
            configuration.change(self._place.folder, changes)
        except ConfigError as error:
            self.notify(str(error), severity="error", markup=False)
            return
        self.dismiss(True)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without anything to tick there is nothing to start."""
        if action == "where":
            return bool(self.query("#missing"))
        return bool(self.query(Tick)) if action in ("start", "all") else True

    def action_leave(self) -> None:
        self.dismiss(False)
