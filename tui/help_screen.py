"""All keys and the query language on one page, made from the same data as the bindings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from .keys import GROUPS, key_names
from .layout import wrap

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


def help_text(keymap: Mapping[str, str], width: int = 200) -> Content:
    """The page in lines of `width` cells; `keymap` holds keys that the person has chosen, by id."""
    lines: list[Content] = []
    for title, keys in GROUPS:
        lines.append(Content.styled(title, "bold"))
        for key in keys:
            lines += _row(key_names(keymap.get(key.id, key.keys)), key.help, width)
        lines.append(Content(""))
    lines.append(Content.styled("What to type", "bold"))
    for example, meaning in QUERY_HELP:
        lines += _row(example, meaning, width)
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

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,f1,question_mark,enter", "close", "close"),
        Binding("j,down", "scroll(1)", show=False),
        Binding("k,up", "scroll(-1)", show=False),
    ]

    def __init__(self, keymap: Mapping[str, str]) -> None:
        super().__init__()
        self._keymap = keymap

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="help"):
            yield Static(id="help-text", markup=False)

    def on_mount(self) -> None:
        self.query_one("#help").border_title = "keys · esc closes"

    def on_resize(self) -> None:
        width = min(90, self.size.width) - 5  # border, padding and scroll bar
        self.query_one("#help-text", Static).update(help_text(self._keymap, max(1, width)))

    def action_close(self) -> None:
        self.dismiss()

    def action_scroll(self, by: int) -> None:
        self.query_one("#help").scroll_relative(y=by, animate=False)
