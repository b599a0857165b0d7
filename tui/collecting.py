"""What a screen with a conversation needs to collect turns from it into the basket."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from textual import getters, on, work
from textual.screen import Screen

from ..core.basket import MOST, Part, round_toggled, stretches_added, toggled
from .basket_work import BasketWork, Change, Contents
from .messages import Collected
from .reading_pane import ReadingPane
from .resume import Resume
from .status_bar import Status
from .surroundings import Surroundings

FULL = "f4 opens it: x takes one out, C empties it."


class CollectingScreen(Screen[Resume | None]):
    """Puts the turn under the cursor, its round or the selection into the basket, and shows what is in there."""

    reading = getters.query_one(ReadingPane)

    def __init__(self, place: Surroundings, basket: BasketWork | None = None) -> None:
        """`basket` is that of another screen, if there is one."""
        super().__init__()
        self.basket = basket or BasketWork(place)
        self._seen = 0
        self._wished = False
        self._status = Status()

    def _set_status(self, **changes: Any) -> None:
        self._status = replace(self._status, **changes)
        self.show_status()

    # ---- what subclasses may do otherwise ----

    def show_status(self) -> None:
        """The status has changed."""

    def turn_to_mark(self) -> int | None:
        """The row of the turn that the cursor is on."""
        turn = self.reading.transcript.current_turn
        return turn.id if turn else None

    def show_collected(self, contents: Contents) -> None:
        """Mark what is in the basket."""
        self.reading.transcript.show_collected(contents.ids)

    # ---- the basket ----

    def on_screen_resume(self) -> None:
        self.look_into_basket()

    def look_into_basket(self) -> None:
        """Show what is in the basket; rows of the index may have changed."""
        self._collect()

    def action_mark(self) -> None:
        """The selection or the turn under the cursor into the basket, or out of it again."""
        if self.focused is self.reading.transcript and (selected := self.reading.transcript.selected()):
            stretches = [(turn.id, Part(start, stop, len(turn.text))) for turn, start, stop in selected]
            self.clear_selection()
            self._wish(lambda db, basket: stretches_added(db, basket, stretches))
        elif (turn := self.turn_to_mark()) is not None:
            self._wish(lambda db, basket: toggled(db, basket, [turn]))

    def action_mark_round(self) -> None:
        """The round under the cursor into the basket, or out of it again."""
        if (turn := self.turn_to_mark()) is not None:
            self._wish(lambda db, basket: round_toggled(db, basket, turn))

    def _wish(self, change: Change) -> None:
        self._wished = True
        self.basket.wish(change)
        self._collect()

    @work(thread=True, group="basket", exit_on_error=False)
    def _collect(self) -> None:
        self.post_message(Collected(self.basket.run()))

    @on(Collected)
    def _collected(self, message: Collected) -> None:
        contents = message.contents
        if contents.serial <= self._seen:
            return
        self._seen = contents.serial
        self.show_collected(contents)
        more = contents.turns - self._status.collected
        self._set_status(collected=contents.turns)
        if contents.trouble:
            self.notify(contents.trouble, severity="warning", markup=False)
        elif self._wished and more == 0 and len(contents.basket.marks) >= MOST:
            self.notify(f"The basket is full: it holds {MOST} marks. {FULL}", severity="warning", markup=False)
        elif self._wished and abs(more) > 1:  # of one turn its mark says enough
            how = "went into" if more > 0 else "were taken out of"
            self.notify(f"{abs(more)} turns {how} the basket.", markup=False)
        self._wished = False
