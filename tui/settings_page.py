"""Draws the lines of a section as widgets and says what the person does with them; focus stays on its line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Checkbox, Input, Static

from .path_input import PathInput
from .settings_lines import Box, Entry, Heading, Line, Note, Pick, Press
from .ticks import Choice, Column, Tick
from .ticks import Press as PressLine

BOX_CELLS = 5
"""A click left of this is one on the box."""


class FoldingTick(Tick):
    """A tick whose label unfolds what is below it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "unfold", "unfold")]

    def action_unfold(self) -> None:
        self.post_message(SettingsPage.Pressed(self.name or ""))

    async def _on_click(self, _: events.Click) -> None:
        if _.x < BOX_CELLS:
            self.toggle()
        else:
            self.action_unfold()


class EntryLine(Horizontal):
    """A label with a box to type in."""

    def __init__(self, entry: Entry, home: str) -> None:
        super().__init__(name=entry.key, classes="entry")
        self.entry, self._home = entry, home

    def compose(self) -> ComposeResult:
        entry = self.entry
        yield Static(entry.label, classes="entry-label", markup=False)
        if entry.paths:
            yield PathInput(self._home, entry.value, entry.hint, name=entry.key)
        else:
            yield Input(entry.value, entry.hint, select_on_focus=False, compact=True, name=entry.key)

    def show(self, entry: Entry) -> None:
        """Take another value, unless the person has typed one."""
        box = self.query_one(Input)
        if box.value == self.entry.value:
            box.value = entry.value
        box.placeholder = entry.hint
        self.entry = entry


class SettingsPage(Column):
    """A scrolled column of lines."""

    @dataclass
    class Toggled(Message):
        key: str
        on: bool

    @dataclass
    class Pressed(Message):
        key: str

    @dataclass
    class Typed(Message):
        key: str
        text: str

    @dataclass
    class Entered(Message):
        key: str
        text: str

    def __init__(self, home: str, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._home = home
        self._shown: Sequence[Line] = ()

    @property
    def focused_key(self) -> str:
        """The key of the line that has the focus; empty where none has."""
        focused = self.screen.focused
        return (focused.name or "") if focused and self in focused.ancestors else ""

    async def show(self, lines: Sequence[Line], focus: str = "") -> None:
        """Have these lines. `focus` is the key of the one to go to; else it stays where it is, or near it."""
        if [_kind(line) for line in lines] == [_kind(line) for line in self._shown]:
            for line, old, widget in zip(lines, self._shown, list(self.children), strict=True):
                if line != old or isinstance(line, Box | Pick):
                    _update(widget, line)
            self._shown = lines
        else:
            await self._show_anew(lines)
        if focus:
            self._focus(focus)

    async def _show_anew(self, lines: Sequence[Line]) -> None:
        key, y = self.focused_key, self.scroll_offset.y
        before = [_key(line) for line in self._shown if _key(line)]
        self._shown = lines
        with self.app.batch_update():  # pyright: ignore[reportUnknownMemberType]
            await self.remove_children()
            await self.mount_all([self._widget(line) for line in lines])
        self.scroll_to(y=y, animate=False, immediate=True)
        if key:
            rest = before[before.index(key) :] if key in before else []
            there = {_key(line) for line in lines}
            near = [each for each in (key, *rest, *reversed(before)) if each in there]
            self._focus(near[0] if near else "")

    def focus_first(self) -> None:
        """Go to the first line that one can do something with, and show the page from its top."""
        keys = [_key(line) for line in self._shown if _key(line)]
        self.scroll_to(y=0, animate=False, immediate=True)
        self._focus(keys[0] if keys else "")

    def forget_typed(self) -> None:
        """What was typed has been taken: every box has its own value again."""
        for line in self.query(EntryLine):
            with self.prevent(Input.Changed):
                line.query_one(Input).value = line.entry.value

    def _focus(self, key: str) -> None:
        for widget in self.query("*"):
            if key and widget.name == key and widget.focusable:
                self.screen.set_focus(widget, scroll_visible=False)
                self.see_focus()
                return
        self.screen.set_focus(None)

    def see_focus(self) -> None:
        """Scroll as far as it takes to see the line with the focus."""
        focused = self.screen.focused
        if focused and self in focused.ancestors:  # its place is known only when all is laid out
            self.call_after_refresh(self.scroll_to_widget, focused, animate=False)

    def _widget(self, line: Line) -> Widget:
        match line:
            case Heading(text):
                return Static(text, classes="heading", markup=False)
            case Note():
                widget: Widget = Static(line.text, classes="faint" if line.faint else "", markup=False)
            case Box():
                kind = FoldingTick if line.folds else Tick
                widget = kind(Content(line.text), line.on, name=line.key)
            case Pick():
                widget = Choice(Content(line.text), line.on, name=line.key)
            case Press():
                widget = PressLine(line.text, name=line.key)
            case Entry():
                widget = EntryLine(line, self._home)
        widget.styles.margin = (0, 0, 0, _indent(line))
        return widget

    # ---- what the person does ----

    @on(Checkbox.Changed)
    def _changed(self, message: Checkbox.Changed) -> None:
        message.stop()
        self.post_message(self.Toggled(message.checkbox.name or "", message.value))

    @on(PressLine.Pressed)
    def _pressed(self, message: PressLine.Pressed) -> None:
        message.stop()
        self.post_message(self.Pressed(message.press.name or ""))

    @on(Input.Changed)
    def _typed(self, message: Input.Changed) -> None:
        message.stop()
        self.post_message(self.Typed(message.input.name or "", message.value))

    @on(Input.Submitted)
    def _entered(self, message: Input.Submitted) -> None:
        message.stop()
        self.post_message(self.Entered(message.input.name or "", message.value))


def _key(line: Line) -> str:
    return "" if isinstance(line, Heading | Note) else line.key


def _kind(line: Line) -> tuple[object, ...]:
    """What of a line can't change without another widget."""
    return type(line), _key(line), _indent(line), getattr(line, "folds", None), getattr(line, "faint", None)


def _indent(line: Line) -> int:
    return 0 if isinstance(line, Heading | Pick) else line.indent


def _update(widget: Widget, line: Line) -> None:
    match line:
        case Heading(text) | Note(text):
            cast(Static, widget).update(text)
        case Box() | Pick():
            tick = cast(Tick, widget)
            tick.label = Content(line.text)
            with tick.prevent(Checkbox.Changed):
                tick.value = line.on
        case Press():
            press = cast(PressLine, widget)
            press.text = line.text
            press.refresh()
        case Entry():
            cast(EntryLine, widget).show(line)
