"""All keys and the query language on one page, made from the same data as the bindings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, cast

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen, Screen

from .keys import GROUPS, key_names
from .layout import wrap
from .steady import Steady
from .transcript import Transcript
from .virtual_list import VirtualList

_LEFT, _WIDE = 26, 60

QUERY_HELP = (
    ("clipboard ssh", "both words; those with one follow if few"),
    ('"over ssh"', "exactly this phrase"),
    ("clipboard -tmux", "without a word"),
    ("migrat*", "words that begin so"),
    ("tmux OR screen", "either word"),
    ("剪贴板", "any part of Chinese, Japanese, Korean"),
    ("source:codex,claude", "only these; with - all but these"),
    ("project:web  title:release", "a part of the name; also branch: model:"),
    ("role:user  has:code", "who spoke; with code; also kind:subagent"),
    ("after:7d  before:2026-03-01", 'a time; also on:yesterday, after:"last week", on:上周'),
)

EDITING_HELP = (
    ("^a home, ^e end", "to the start, to the end of the text"),
    ("alt+b ^←, alt+f ^→", "a word back, a word on"),
    ("^w, alt+d", "delete the word before, the word behind the cursor"),
    ("^u, ^k", "delete all before, all behind the cursor"),
    ("shift with ← → home end", "select; ^x cuts what is selected"),
)

SIGNS = (
    ("▸ ◆ › §", "you, the assistant, the output of a tool, a memory file"),
    ("┃  │", "what was found; the turn that you are at"),
    ("┄┄┄", "here a round begins: a question and the answers to it"),
    ("+  s", "more turns are there; a sub-agent was started here"),
    ("~14:31", "about then: the file says so, the message has no time"),
    ("✓", "in the basket"),
    ("some words", "not all of your words are in it"),
    ("beside a match", "the turn before or after it has your words"),
    ("by meaning", "none of your words are in it, but what they mean"),
    ("also in 2 others", "sessions that were forked or resumed have the same turn"),
    ("abandoned", "on a branch that was given up: v shows and hides those"),
    ("gone at source", "its agent has deleted the session; its text is kept here"),
)
_OF_SCREEN = {
    "WelcomeScreen": "At the first start",
    "BasketScreen": "In the basket",
    "TimelineScreen": "In the timeline",
    "SettingsScreen": "In the settings",
}


def group_of(screen: Screen[object]) -> str:
    """The title of the keys that work where the person is."""
    if isinstance(screen.focused, Transcript):
        return "In the conversation"
    name = type(screen).__name__
    if name == "SearchScreen" and isinstance(screen.focused, VirtualList):
        return "In the results"
    return _OF_SCREEN.get(name, "Searching")


def help_text(keymap: Mapping[str, str], width: int = 200, here: str = "Searching") -> Content:
    """The page in lines of `width` cells, the keys of `here` first.

    `keymap` holds keys that the person has chosen, by id.
    """
    lines: list[Content] = []
    for title, keys in sorted(GROUPS, key=lambda group: group[0] != here):
        lines.append(Content.styled(title, "bold"))
        for key in keys:
            lines += _row(key_names(keymap.get(key.id, key.keys)), key.help, width)
        lines.append(Content(""))
    for title, rows in (
        ("What to type", QUERY_HELP),
        ("While typing", EDITING_HELP),
        ("What the signs mean", SIGNS),
    ):
        lines.append(Content.styled(title, "bold"))
        for example, meaning in rows:
            lines += _row(example, meaning, width)
        lines.append(Content(""))
    return Content("\n").join(lines)


def _row(left: str, right: str, width: int) -> list[Content]:
    """What to press at the left, what it does at the right; in a narrow window below it."""
    if width < _WIDE:
        return [
            Content.assemble("  ", (left, "bold")),
            *(Content(f"    {right[line.start : line.end]}") for line in wrap(right, max(1, width - 4))),
        ]
    room = max(1, width - _LEFT - 3)
    first, *rest = [right[line.start : line.end] for line in wrap(right, room)]
    return [
        Content.assemble("  ", (f"{left:<{_LEFT}}", "bold"), " ", first),
        *(Content(" " * (_LEFT + 3) + line) for line in rest),
    ]


class HelpScreen(ModalScreen[None]):
    """Closes with escape, q, or the key that opened it."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,f1,question_mark,enter", "close", "close"),
        Binding("j,down", "scroll(1)", show=False),
        Binding("k,up", "scroll(-1)", show=False),
        Binding("g,home", "edge(-1)", show=False),
        Binding("G,end", "edge(1)", show=False),
        Binding("space,pagedown,ctrl+f,ctrl+v", "page(1)", show=False),
        Binding("b,pageup,alt+v", "page(-1)", show=False),
    ]

    def __init__(self, keymap: Mapping[str, str], here: str = "Searching") -> None:
        super().__init__()
        self._keymap, self._here = keymap, here

    def compose(self) -> ComposeResult:
        app = cast("App[Any]", self.app)  # pyright: ignore[reportUnknownMemberType]
        with VerticalScroll(id="help"):
            yield Steady(self._text(app.size.width), id="help-text", markup=False)

    def on_mount(self) -> None:
        self.query_one("#help").border_title = "keys · esc closes · ↓ more"

    def on_resize(self) -> None:
        self.query_one("#help-text", Steady).update(self._text(self.size.width))

    def _text(self, width: int) -> Content:
        room = min(90, width) - 5  # border, padding and scroll bar
        return help_text(self._keymap, max(1, room), self._here)

    def action_close(self) -> None:
        self.dismiss()

    def action_scroll(self, by: int) -> None:
        self.query_one("#help").scroll_relative(y=by, animate=False)

    def action_page(self, by: int) -> None:
        self.action_scroll(by * max(1, self.query_one("#help").scrollable_content_region.height - 1))

    def action_edge(self, direction: int) -> None:
        box = self.query_one("#help")
        box.scroll_to(y=0 if direction < 0 else box.max_scroll_y, animate=False)
