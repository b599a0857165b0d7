"""What the command palette finds: every action of the screen that is open, with its key, and the themes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.types import IgnoreReturnCallbackType

from .keys import ANYWHERE, BASKET, READING, SEARCH, SETTINGS, TIMELINE, Key, key_names

_OF_SCREEN = {
    "SearchScreen": (*SEARCH, *READING),
    "BasketScreen": BASKET,
    "TimelineScreen": TIMELINE,
    "SettingsScreen": SETTINGS,
}


class Everything(Provider):
    """Each entry is found by what the help says of it."""

    async def discover(self) -> Hits:
        for name, help_text, command in self._entries():
            yield DiscoveryHit(name, command, help=help_text)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for name, help_text, command in self._entries():
            if (score := matcher.match(name)) > 0:
                yield Hit(score, matcher.highlight(name), command, help=help_text)

    def _entries(self) -> Iterator[tuple[str, str, IgnoreReturnCallbackType]]:
        """(what it does, which key does it, how it is done)."""
        chosen = self.app._keymap  # pyright: ignore[reportPrivateUsage]
        own: tuple[Key, ...] = _OF_SCREEN.get(type(self.screen).__name__, ())
        for key in (*own, *ANYWHERE):
            on = self.screen if key in own else self.app
            if key.action and key.action != "command_palette":
                name = key.id.rpartition(".")[2].replace("_", " ")
                yield f"{name}: {key.help}", key_names(chosen.get(key.id, key.keys)), partial(on.run_action, key.action)
        if not self.app.ansi_color:
            for theme in sorted(self.app.available_themes):
                yield f"theme: {theme}", "how the app looks", partial(self.app.run_action, f"theme({theme!r})")
