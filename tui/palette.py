"""What the command palette finds: every action of the screen that is open, with its key, and the themes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from textual.binding import Binding
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.dom import DOMNode
from textual.types import IgnoreReturnCallbackType

from .keys import ANYWHERE, BASKET, GROUPS, READING, SEARCH, SETTINGS, TIMELINE, Key, key_names
from .search_screen import SearchScreen

_OF_SCREEN = {
    "SearchScreen": (*SEARCH, *READING),
    "BasketScreen": BASKET,
    "TimelineScreen": (*TIMELINE, *READING),
    "SettingsScreen": SETTINGS,
}
_NO_ACTION = frozenset(("command_palette", "nothing"))
"""What opens the palette itself, and keys that belong to the line that has the focus."""
_PAGES = ("sources", "exclusions", "limits", "semantic", "privacy")
_OF_WIDGETS = {key.id: key for _, keys in GROUPS for key in keys if not key.action}

Entry = tuple[str, str, IgnoreReturnCallbackType]
"""(what it does, which key does it, how it is done)."""


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

    def _entries(self) -> Iterator[Entry]:
        own: tuple[Key, ...] = _OF_SCREEN.get(type(self.screen).__name__, ())
        for key in (*own, *ANYWHERE):
            if key.action and key.action not in _NO_ACTION and (key in own or self.app.check_action(key.action, ())):
                yield self._entry(key, self.screen if key in own else self.app, key.action)
        yield from self._of_focus()
        yield from self._pages()
        if not self.app.ansi_color:
            for theme in sorted(self.app.available_themes):
                yield f"theme: {theme}", "how the app looks", partial(self.app.run_action, f"theme({theme!r})")

    def _of_focus(self) -> Iterator[Entry]:
        """What the list or the text that has the focus does by itself."""
        if (focused := self.focused) is not None:
            for binding in focused.BINDINGS:
                if isinstance(binding, Binding) and (key := _OF_WIDGETS.get(binding.id or "")):
                    yield self._entry(key, focused, binding.action)

    def _pages(self) -> Iterator[Entry]:
        """The pages of the settings, one by one."""
        for number, page in enumerate(_PAGES):
            if type(self.screen).__name__ == "SettingsScreen":
                yield f"page: {page}", str(number + 1), partial(self.screen.run_action, f"go_to({number})")
            else:
                yield f"settings: {page}", "", partial(self.app.run_action, f"settings({page!r})")

    def _entry(self, key: Key, node: DOMNode, action: str) -> Entry:
        chosen = self.app._keymap  # pyright: ignore[reportPrivateUsage]
        name = key.id.rpartition(".")[2].replace("_", " ")
        return f"{name}: {key.help}", key_names(chosen.get(key.id, key.keys)), partial(self._do, key, node, action)

    async def _do(self, key: Key, node: DOMNode, action: str) -> None:
        screen = self.screen
        if key in READING and isinstance(screen, SearchScreen) and screen.focused is screen.query_input:
            screen.set_focus(screen.reading.transcript)  # its keys are no keys while text is typed
        await self.app.run_action(action, node)
