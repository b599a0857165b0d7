"""What was skipped or left out, on a page of its own over the search."""

from __future__ import annotations

from typing import ClassVar

from textual import getters, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Static

from ..core.database import Error
from ..core.skipped import Skipped, skipped
from ..core.store import NoIndex, StoreError
from .skips_page import Paragraph, skips_page
from .surroundings import Surroundings


class SkipsScreen(ModalScreen[bool]):
    """Dismissed with True when the person wants to widen the limits, else with False."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f3", "close", "close", id="skips"),
        Binding("escape,q,enter", "close", "close"),
        Binding("f2", "widen", "sources", id="settings"),
        Binding("j,down", "scroll(1)", show=False),
        Binding("k,up", "scroll(-1)", show=False),
    ]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (60, "-wide")]  # noqa: RUF012, as Textual declares it
    VERTICAL_BREAKPOINTS = [(0, "-low"), (8, "-high")]  # noqa: RUF012

    class Looked(Message):
        """The index was asked."""

        def __init__(self, page: list[Paragraph]) -> None:
            super().__init__()
            self.page = page

    _page = getters.query_one("#skips", VerticalScroll)

    def __init__(self, place: Surroundings) -> None:
        super().__init__()
        self._place = place

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="skips"):
            yield Static("Looking …", id="looking", markup=False)

    def on_mount(self) -> None:
        self._page.border_title = "what was skipped · esc closes"
        self._look()

    @work(thread=True, group="skips", exit_on_error=False)
    def _look(self) -> None:
        try:
            page = skips_page(self._found(), self._place.titles, str(self._place.home))
        except (StoreError, Error) as error:
            page = [Paragraph("heading", "The index can't be asked."), Paragraph("row", str(error))]
        self.post_message(self.Looked(page))

    def _found(self) -> Skipped:
        try:
            db = self._place.store.read()
        except NoIndex:
            return Skipped()
        try:
            return skipped(db)
        finally:
            db.close()

    @on(Looked)
    async def _looked(self, message: Looked) -> None:
        await self.query_one("#looking").remove()
        await self._page.mount_all([Static(each.text, classes=each.level, markup=False) for each in message.page])

    def action_close(self) -> None:
        self.dismiss(False)

    def action_widen(self) -> None:
        """Go on to the sources and how far back they are read."""
        self.dismiss(True)

    def action_scroll(self, by: int) -> None:
        self._page.scroll_relative(y=by, animate=False)
