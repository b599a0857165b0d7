"""What may be read, and how far back: asked once at the first start, and again with f2."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import getters, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Button, Footer, Static

from ..core import config as configuration
from ..core.config import Config, ConfigError
from ..core.status import Survey, survey
from .rows import short_path
from .surroundings import Surroundings
from .ticks import Choice, Tick
from .wording import age, byte_size, counted, swept_soon

WINDOW_DAYS = 90


class WelcomeScreen(Screen[bool]):
    """Dismissed with True when the person chose, False when they stepped back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "start", "start", priority=True),
        Binding("down", "app.focus_next", "next", show=False),
        Binding("up", "app.focus_previous", "previous", show=False),
        Binding("escape", "leave", "leave"),
    ]
    AUTO_FOCUS = ""

    class Surveyed(Message):
        """The disk was looked at."""

        def __init__(self, surveys: Sequence[Survey]) -> None:
            super().__init__()
            self.surveys = surveys

    _page = getters.query_one("#welcome", VerticalScroll)

    def __init__(self, place: Surroundings, *, first: bool) -> None:
        """`first`: nobody has chosen yet, so everything that is found is proposed."""
        super().__init__()
        self._place, self._first = place, first
        self._surveys: Sequence[Survey] = ()

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="welcome"):
            yield Static(
                "harkback finds what was said in your past agent sessions. "
                "It reads, never writes; nothing leaves this machine.",
                markup=False,
            )
            yield Static("Looking for sessions …", id="looking", classes="label", markup=False)
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        self._look()

    @work(thread=True, group="survey", exit_on_error=False)
    def _look(self) -> None:
        place, config = self._place, self._config()
        now = int(place.now().timestamp() * 1000)
        surveys = [
            survey(adapter, config, place.home, place.environ, now, WINDOW_DAYS) for adapter in place.adapters
        ]  # fmt: skip
        self.post_message(self.Surveyed(surveys))

    def _config(self) -> Config:
        try:
            return self._place.config()
        except ConfigError:
            return Config()

    @on(Surveyed)
    async def _surveyed(self, message: Surveyed) -> None:
        self._surveys = message.surveys
        config, home = self._config(), str(self._place.home)
        now = int(self._place.now().timestamp() * 1000)
        found = [each for each in message.surveys if each.files]
        await self.query_one("#looking").remove()
        if not found:
            await self._page.mount(Static(nothing_found(message.surveys, home), classes="label", markup=False))
            return
        width = max(len(each.title) for each in found)
        boxes = [
            Tick(
                source_label(each, home, now, width),
                config.source(each.name).enabled or self._first,
                name=each.name,
            )
            for each in found
        ]
        everything = config.limits.preset == "everything"
        recent, total = sum(each.recent for each in found), sum(each.files for each in found)
        missing = [each for each in message.surveys if not each.files]
        await self._page.mount_all(
            [
                Static("Found on this machine", classes="label", markup=False),
                *(line for each, box in zip(found, boxes, strict=True) for line in (box, *_notices(each))),
                *([Static(not_found(missing, home), classes="muted", markup=False)] if missing else []),
                Static("How far back", classes="label", markup=False),
                Choice(f"the last {WINDOW_DAYS} days ({counted(recent, 'file')})", not everything, id="recent"),
                Choice(f"everything ({counted(total, 'file')})", everything, id="everything"),
                Static("Passwords and tokens are masked before anything is indexed.", classes="note", markup=False),
                Button("Start" if self._first else "Save", id="start", variant="primary"),
            ]
        )
        boxes[0].focus(scroll_visible=False)  # the first lines say what this is about
        self.refresh_bindings()

    @on(Choice.Changed)
    def _choose_one(self, message: Choice.Changed) -> None:
        if isinstance(chosen := message.checkbox, Choice):
            for other in self.query(Choice):
                if other is not chosen and other.value == chosen.value:
                    other.value = not chosen.value

    @on(Button.Pressed)
    def action_start(self) -> None:
        """Save what is ticked, and go on."""
        boxes = [tick for tick in self.query(Tick) if not isinstance(tick, Choice)]
        if not boxes:
            return
        changes: dict[str, object] = {f"sources.{box.name}.enabled": box.value for box in boxes}
        everything = self.query_one("#everything", Choice).value
        changes["limits.preset"] = "everything" if everything else "recent"
        if not any(box.value for box in boxes) and self._first:
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
        return bool(self.query(Tick)) if action == "start" else True

    def action_leave(self) -> None:
        self.dismiss(False)


def source_label(each: Survey, home: str, now: int, width: int) -> Content:
    """One line: name, place, how much there is, how fresh."""
    parts = [
        f"{each.title:<{width}}",
        f"{short_path(str(each.roots[0]), home, 24):<24}",
        f"{counted(each.files, 'file'):>11}",
        f"{byte_size(each.size):>8}",
        age(each.newest, now),
    ]
    return Content("  ".join(parts))


def _notices(each: Survey) -> list[Static]:
    """What to know of a source before it is ticked, below its line."""
    if not each.swept_soon:
        return []
    return [Static(swept_soon(each.swept_soon, each.title), classes="notice", markup=False)]


def not_found(missing: Sequence[Survey], home: str) -> str:
    """Which agents left nothing, and where that was looked for."""
    return "not found: " + ", ".join(f"{each.title} ({_places(each, home)})" for each in missing)


def nothing_found(surveys: Sequence[Survey], home: str) -> Content:
    """What to say when there is no session at all."""
    lines = [f"  {each.title}: {_places(each, home)}" for each in surveys]
    return Content(
        "\n".join(
            [
                "No agent's sessions were found. These places were looked at:",
                *lines,
                "",
                "Another place:  harkback sources add NAME PATH",
                "To look around: harkback demo",
            ]
        )
    )


def _places(each: Survey, home: str) -> str:
    return ", ".join(short_path(str(root), home, 60) for root in each.roots)
