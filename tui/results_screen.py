"""A screen whose conversation is that of the selected one of its results."""

from __future__ import annotations

from textual import getters

from ..core.results import Hit, Session
from .basket_work import Contents
from .reading_screen import ReadingScreen
from .results_pane import ResultsPane
from .status_bar import StatusBar

CHOOSE_A_TURN = "Only turns go into the basket: enter opens the session, space takes the turn that you choose there."


class ResultsScreen(ReadingScreen):
    """Results and conversation know nothing of each other: this tells one what is done in the other."""

    results = getters.query_one(ResultsPane)
    _bar = getters.query_one(StatusBar)

    def show_status(self) -> None:
        self._bar.show(self._status)

    def to_next_session(self, by: int) -> bool:
        return self.results.to_next_session(by)

    def show_collected(self, contents: Contents) -> None:
        super().show_collected(contents)
        self.results.show_collected(contents.ids, contents.by_session())

    def turn_to_mark(self) -> int | None:
        """In the results it is the turn of the row."""
        if self.focused is not self.results.list:
            return super().turn_to_mark()
        item = self.results.item
        if isinstance(item, Session):
            self.notify(CHOOSE_A_TURN, markup=False)
        return item.turn_id if isinstance(item, Hit) else None
