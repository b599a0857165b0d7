"""All keys and the query language on one page, made from the same data as the bindings."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from .keys import GROUPS, key_names

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


def help_text(keymap: dict[str, str]) -> Content:
    """The page; `keymap` holds keys that the person has chosen, by id."""
    lines: list[Content] = []
    for title, keys in GROUPS:
        lines += [Content.styled(title, "bold"), *(_row(key_names(keymap.get(k.id, k.keys)), k.help) for k in keys)]
        lines.append(Content(""))
    lines.append(Content.styled("What to type", "bold"))
    lines += [_row(example, meaning) for example, meaning in QUERY_HELP]
    return Content("\n").join(lines)


def _row(left: str, right: str) -> Content:
    return Content.assemble("  ", (f"{left:<26}", "bold"), " ", right)


class HelpScreen(ModalScreen[None]):
    """Closes with escape, q, or the key that opened it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,f1,question_mark,enter", "close", "close"),
        Binding("j,down", "scroll(1)", show=False),
        Binding("k,up", "scroll(-1)", show=False),
    ]

    def __init__(self, keymap: dict[str, str]) -> None:
        super().__init__()
        self._keymap = keymap

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="help"):
            yield Static(help_text(self._keymap), markup=False)

    def on_mount(self) -> None:
        self.query_one("#help").border_title = "keys · esc closes"

    def action_close(self) -> None:
        self.dismiss()

    def action_scroll(self, by: int) -> None:
        self.query_one("#help").scroll_relative(y=by, animate=False)
