"""The bottom line: the keys that do something here, as many as fit, and always the one that shows the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, NamedTuple, cast

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.reactive import reactive
from textual.screen import Screen
from textual.signal import Signal
from textual.widget import Widget

from .keys import ANYWHERE, BASKET, IN_CONVERSATION, IN_RESULTS, READING, SEARCH, SETTINGS, TIMELINE

ALWAYS = "help"
FIRST_TO_GO = (
    "index", "settings.next", "basket.order", "basket.up", "basket.down", "basket.undo",
    "basket.round", "basket.drop", "basket.save", "basket.start", "basket.edit",
    "group", "skips", "sort", "scope", "resume", "timeline", "settings", "basket", "next_pane", "transcript.fold",
    "whole", "find", "next_match", "copy_turn", "mark",
)  # fmt: skip
"""Where there is not room for all, these go one after the other; then whatever stands last."""
_TABLES = (IN_RESULTS, IN_CONVERSATION, TIMELINE, READING, SEARCH, BASKET, SETTINGS, ANYWHERE)
_PLACE = {key.id: number for number, key in enumerate(key for table in _TABLES for key in table)}


class Shown(NamedTuple):
    """A key as it stands in the line."""

    id: str
    key: str
    """What to press, as Textual names it."""
    name: str
    """The same as people write it."""
    label: str

    @property
    def cells(self) -> int:
        """Its width with the space behind it."""
        return cell_len(self.name) + cell_len(self.label) + 2


def fitting(keys: Iterable[Shown], width: int) -> list[Shown]:
    """Those that fit in `width` cells, in the order of the help."""
    shown = sorted(keys, key=lambda key: _PLACE.get(key.id, -1))
    going = [key for name in FIRST_TO_GO for key in shown if key.id == name]
    going += [key for key in reversed(shown) if key not in going and key.id != ALWAYS]
    while sum(key.cells for key in shown) - 1 > width and going:
        shown.remove(going.pop(0))
    return shown


class KeyLine(Widget):
    """One widget for all keys, which costs less than one for each; a click presses a key."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"key-line--key", "key-line--hover"}
    DEFAULT_CSS = """
    KeyLine {
        dock: bottom;
        height: 1;
        color: $footer-description-foreground;
        background: $footer-background;
        & > .key-line--key { color: $footer-key-foreground; text-style: bold; }
        & > .key-line--hover { background: $block-hover-background; }
    }
    """

    _shown: reactive[Sequence[Shown]] = reactive(())
    _hovered: reactive[Shown | None] = reactive(None)

    def __init__(self, named: Mapping[str, str] | None = None) -> None:
        """`named`: labels for keys of widgets that have none of their own, by id."""
        super().__init__()
        self._named = named or {}

    def on_mount(self) -> None:
        changed = cast("Signal[Screen[object]]", self.screen.bindings_updated_signal)  # pyright: ignore[reportUnknownMemberType]
        changed.subscribe(self, self._look)

    def _look(self, screen: Screen[object]) -> None:
        """The keys may be others: those that are bound now, one for each action."""
        if screen is not self.screen or not self.is_attached:
            return
        found: dict[str, Shown] = {}
        for _, binding, enabled, _ in screen.active_bindings.values():
            label = binding.description if binding.show else self._named.get(binding.id or "", "")
            if label and enabled:
                name = self.app.get_key_display(binding)  # pyright: ignore[reportUnknownMemberType]
                found.setdefault(binding.action, Shown(binding.id or "", binding.key, name, label))
        self._shown = tuple(found.values())

    def render(self) -> Content:
        style = self.get_visual_style("key-line--key", partial=True)
        parts: list[Content] = []
        for each in fitting(self._shown, self.size.width):
            part = Content.assemble((each.name, style), f" {each.label}")
            if each == self._hovered:
                part = part.stylize(self.get_visual_style("key-line--hover", partial=True))
            parts.append(part)
        return Content(" ").join(parts)

    def _at(self, event: events.MouseEvent) -> Shown | None:
        left = 0
        for each in fitting(self._shown, self.size.width):
            if left <= event.x < left + each.cells - 1:
                return each
            left += each.cells
        return None

    def on_mouse_move(self, event: events.MouseMove) -> None:
        self._hovered = self._at(event)

    def on_leave(self) -> None:
        self._hovered = None

    def on_click(self, event: events.Click) -> None:
        if (pressed := self._at(event)) is not None:
            self.app.simulate_key(pressed.key)  # pyright: ignore[reportUnknownMemberType]
