"""How far indexing has come, in full, and the key that stops it."""

from __future__ import annotations

from typing import ClassVar

from textual import getters, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.signal import Signal
from textual.widgets import Static

from ..core.results import Progress
from ..core.worker import Event, Working
from .status_bar import progress_bar, rate, time_left
from .ticks import Column, Press
from .wording import byte_size, counted


def progress_page(progress: Progress | None) -> str:
    """All that is known of it."""
    if progress is None:
        return "Looking for what is new …"
    facts = [
        f"{byte_size(progress.bytes_done)} of {byte_size(progress.bytes_total)}",
        *(fact for fact in (rate(progress), time_left(progress)) if fact),
    ]
    return "\n".join(
        [
            f"Reading {progress.source}",
            f"{progress.files_done:,} of {counted(progress.files_total, 'file')}, {counted(progress.turns, 'turn')}",
            " · ".join(facts),
            progress_bar(progress),
            "Searching works meanwhile. What was read is kept when it is stopped.",
        ]
    )


class IndexingMenu(ModalScreen[bool]):
    """Dismissed with True to stop indexing. Closes by itself when that has ended."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "answer(True)", "stop"),
        Binding("enter", "answer(False)", "go on"),
        Binding("f5", "answer(False)", "go on", show=False, id="index"),
        Binding("down,tab", "app.focus_next", "next", show=False),
        Binding("up,shift+tab", "app.focus_previous", "previous", show=False),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (8, "-high")]  # noqa: RUF012, as Textual declares it
    AUTO_FOCUS = ""

    _text = getters.query_one("#progress", Static)

    def __init__(self, news: Signal[Event], progress: Progress | None) -> None:
        super().__init__()
        self._news, self._progress = news, progress

    def compose(self) -> ComposeResult:
        with Column(id="indexing"):
            yield Static(progress_page(self._progress), id="progress", markup=False)
            yield Press("esc  stop; f5 goes on later", id="stop")
            yield Press("↵    let it go on", id="go")

    def on_mount(self) -> None:
        self.query_one("#indexing").border_title = "indexing"
        self._news.subscribe(self, self._hear)

    def _hear(self, event: Event) -> None:
        if isinstance(event, Working):
            self._text.update(progress_page(event.progress))
        elif self.is_current:
            self.dismiss(False)

    @on(Press.Pressed)
    def _pressed(self, message: Press.Pressed) -> None:
        self.dismiss(message.press.id == "stop")

    def action_answer(self, stop: bool) -> None:
        self.dismiss(stop)
