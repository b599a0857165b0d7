"""The app: theme, keys and screens. Everything else is in the screens."""

from __future__ import annotations

import gc
import sys
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import App
from textual.binding import BindingType
from textual.filter import LineFilter
from textual.notifications import SeverityLevel
from textual.screen import Screen

from ..core import config as configuration
from ..core.clean import clean
from ..core.config import Config, ConfigError
from .collecting import CollectingScreen
from .harmless import Harmless
from .key_spelling import spelled
from .key_troubles import key_troubles
from .keys import ANYWHERE
from .resume import Resume
from .search_screen import SearchScreen
from .surroundings import Surroundings

if TYPE_CHECKING:
    from .timeline_screen import TimelineScreen
    from .welcome_screen import WelcomeScreen

HARMLESS = Harmless()
TAKING_TURNS = 0.001
"""Seconds after which the thread that draws and those that search take turns; Python's own 5 ms are felt in typing."""
KEYS_NOTICE = 15.0
"""Seconds; nobody has looked yet when it comes."""
DARK, WITHOUT_COLOUR = "textual-dark", "ansi-dark"


class HarkbackApp(App[Resume | None]):
    """Opens on the search, or on the welcome screen while no source is ticked."""

    TITLE = "harkback"
    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [key.binding() for key in ANYWHERE]

    def __init__(self, place: Surroundings, config: Config | None = None) -> None:
        """`config` is the one already loaded, if any. Raises ConfigError."""
        super().__init__(ansi_color="NO_COLOR" in place.environ)
        self._place = place
        self._config = place.config() if config is None else config
        self._chosen_keys = {id_: keys for id_, given in self._config.keys.items() if (keys := spelled(given))}
        self._welcome: WelcomeScreen | None = None
        self._timeline: TimelineScreen | None = None
        """Once it was opened it is kept, and is as it was left."""
        self.set_keymap(self._chosen_keys)
        self.theme = self._theme()
        if self._config.interface.reduced_motion:
            self.animation_level = "none"

    def _theme(self) -> str:
        if "NO_COLOR" in self._place.environ:
            return WITHOUT_COLOUR
        chosen = self._config.interface.theme or self._place.environ.get("TEXTUAL_THEME", "")
        return chosen if chosen in self.available_themes else DARK

    def get_default_screen(self) -> Screen[Any]:
        """The search stands below everything else; while there is nothing to search, nothing does."""
        return SearchScreen(self._place, self._ticked) if self._ticked else Screen[Any](id="_default")

    def on_mount(self) -> None:
        # What the program itself is made of need not be looked through by every garbage collection.
        self.call_after_refresh(gc.freeze)
        for text in key_troubles(self._config.keys):
            self.notify(f"config.toml, [keys]: {text}", severity="warning", timeout=KEYS_NOTICE, markup=False)
        if not self._ticked:
            from .welcome_screen import WelcomeScreen

            self._welcome = WelcomeScreen(self._place)
            self.push_screen(self._welcome, self._welcomed)

    @property
    def _ticked(self) -> list[str]:
        return self._config.ticked(self._place.titles)

    def _welcomed(self, chosen: bool | None) -> None:
        if chosen:
            self._config = self._place.config()
            self.push_screen(SearchScreen(self._place, self._ticked))
        else:
            self.exit(None)

    # Screens that few see are loaded when they are wanted: the first paint need not wait for them.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The settings are opened from the search and the first screen, and what was skipped from the search."""
        if action == "settings":
            return isinstance(self.screen, SearchScreen) or self.screen is self._welcome
        if action == "basket":
            return isinstance(self.screen, CollectingScreen)
        return isinstance(self.screen, SearchScreen) if action in ("skips", "timeline") else True

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Show a notification, harmless to the terminal whatever it quotes."""
        super().notify(clean(message), title=clean(title), severity=severity, timeout=timeout, markup=markup)

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), HARMLESS]

    def action_help(self) -> None:
        from .help_screen import HelpScreen, group_of

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self._chosen_keys, group_of(self.screen)))

    def action_settings(self, section: str = "sources") -> None:
        from .settings_screen import SettingsScreen

        screen, welcome = self.screen, self._welcome
        if isinstance(screen, SearchScreen):
            self.push_screen(SettingsScreen(self._place, screen, section, screen.reading.session))
        elif welcome and screen is welcome:
            self.push_screen(SettingsScreen(self._place, None, section), lambda _: welcome.look_again() and None)

    def action_skips(self) -> None:
        from .skips_screen import SkipsScreen

        if isinstance(self.screen, SearchScreen):
            self.push_screen(SkipsScreen(self._place), lambda widen: self.action_settings("limits") if widen else None)

    def action_basket(self) -> None:
        from .basket_screen import BasketScreen

        if isinstance(self.screen, CollectingScreen):
            self.push_screen(BasketScreen(self._place, self.screen.basket), self._start)

    def action_timeline(self) -> None:
        from .timeline_screen import TimelineScreen

        if isinstance(screen := self.screen, SearchScreen):
            if self._timeline is None:
                self._timeline = TimelineScreen(self._place, screen.basket, screen.news, screen.show_day)
                self.install_screen(self._timeline, "timeline")  # pyright: ignore[reportUnknownMemberType]
            self.push_screen(self._timeline, self._start)

    def _start(self, agent: Resume | None) -> None:
        """Leave for a new session of an agent, if that was chosen."""
        if agent:
            self.exit(agent)

    def action_command_palette(self) -> None:
        from textual.command import CommandPalette

        from .palette import Everything

        if not isinstance(self.screen, CommandPalette):
            self.push_screen(CommandPalette([Everything], placeholder="what is to be done?"))

    def action_theme(self, name: str) -> None:
        """Take another theme, now and from now on."""
        self.theme = name
        try:
            configuration.change(self._place.folder, {"interface.theme": name})
        except (ConfigError, OSError) as error:
            self.notify(f"The theme is not kept: {error}", severity="warning", markup=False)

    def _fatal_error(self) -> None:
        """Textual would print local variables, which hold conversations: print where it happened, and no more."""
        error = sys.exc_info()[1] or self._exception
        frames = list(traceback.extract_tb(error.__traceback__ if error else None))
        where = "".join(
            f"\n  {frame.filename.rsplit('/', 1)[-1]}:{frame.lineno} in {frame.name}" for frame in frames[-6:]
        )
        self._exit_renderables: list[Any] = [
            f"harkback: the app failed ({type(error).__name__}); the index is as it was.{where}"
        ]
        self._close_messages_no_wait()


def run_app(place: Surroundings) -> int:
    """Run the app; gives the exit code. With a session to resume, becomes its agent and does not return."""
    app = HarkbackApp(place)
    sys.setswitchinterval(TAKING_TURNS)
    outcome = app.run()
    if outcome is None:
        return app.return_code or 0
    import click

    if outcome.note:
        click.echo(f"harkback: {clean(outcome.note)}", err=True)
    try:
        outcome.run()
    except OSError as error:
        click.echo(f"harkback: {outcome.argv[0]} could not be started ({error.strerror}); run it yourself:", err=True)
        click.echo(outcome.shell())
    return 3
