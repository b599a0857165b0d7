"""A page that leads from match to match, and opens the turns that were folded over one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from datetime import tzinfo

from ..core.results import Turn
from .page import Match, Needles, Page, Place
from .page_view import PageView


class MatchView(PageView):
    """Subclasses say how the current turn is changed and how one is opened."""

    def __init__(
        self,
        *,
        zone: tzinfo | None = None,
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        super().__init__(zone=zone, id=id, classes=classes)
        self._jump_later = 0
        self._from_the_top = False
        self._match_later: tuple[int, int] | None = None

    # ---- What subclasses do ----

    def set_current(self, turn: int) -> None:
        """Make the turn at this index the current one."""

    def open_turn(self, turn: Turn) -> None:
        """Have a turn laid out that is folded; another page then arrives."""

    # ---- Looking ----

    def start_looking(self, needles: Needles | None) -> None:
        """From the next page on, mark what `needles` finds."""
        self.needles, self._jump_later, self._match_later = needles, 0, None

    def look_for(self, needles: Needles | None) -> None:
        """Mark what `needles` finds on this page; go to the first match from the current turn on, or else of all."""
        self.start_looking(needles)
        self.match = None
        self._jump_later, self._from_the_top = (1 if needles else 0), True
        if self._conversation:
            self.lay_out(self._conversation)

    def next_match(self) -> bool:
        """Go to the next match; False where there is none further.

        While a big conversation is still being looked through, it goes there when that is done.
        """
        return self._jump(1)

    def previous_match(self) -> bool:
        """Go to the previous match, as `next_match` does."""
        return self._jump(-1)

    def _jump(self, step: int) -> bool:
        page, matching = self.page, self.matching
        if page is None or self.needles is None or not page.turns:
            return False
        if matching is None:
            self._jump_later = step
            return True
        match = self._beside(page, matching, step)
        if match is None:
            return False
        self._go_to(page, match)
        return True

    def _go_to(self, page: Page, match: Match) -> None:
        if page.turns[match.turn].id in self.folded:
            self._match_later = (page.turns[match.turn].id, match.start)
            self.open_turn(page.turns[match.turn])
        else:
            self._look_at(page, match)

    def _look_at(self, page: Page, match: Match) -> None:
        self.set_current(match.turn)
        self.match = match
        self.show_line(page.line_of(Place(match.turn, match.start)))
        self.redraw()

    def look_at_opened(self, page: Page) -> None:
        """Go to the match for which a turn was opened."""
        if self._match_later is None:
            return
        (wanted, start), self._match_later = self._match_later, None
        index = next((index for index, turn in enumerate(page.turns) if turn.id == wanted), None)
        if index is not None and page.text_pieces(index):
            piece = page.piece_of(Place(index, start))
            match = next((match for match in self.matches_in(piece) if match.start >= start), None)
            if match:
                self._look_at(page, match)

    def _beside(self, page: Page, matching: Sequence[int], step: int) -> Match | None:
        """The match after (1) or before (-1) the one that is looked at, or else the heading of the current turn."""
        piece = page.headings[self.current]
        if self.match is not None:
            piece = page.piece_of(Place(self.match.turn, self.match.start))
            here = self.matches_in(piece)
            index = bisect_left(here, self.match) + step
            if 0 <= index < len(here):
                return here[index]
        place = bisect_right(matching, piece) if step > 0 else bisect_left(matching, piece) - 1
        if not 0 <= place < len(matching):
            return None
        return self.matches_in(matching[place])[0 if step > 0 else -1]

    def matching_arrived(self) -> None:
        step, self._jump_later = self._jump_later, 0
        around, self._from_the_top = self._from_the_top, False
        if step and not self._jump(step) and around and self.page and self.matching:
            self._go_to(self.page, self.matches_in(self.matching[0])[0])

    def show_line(self, line: int) -> None:
        """Scroll so that a line is on the screen, if it is not."""
        if not self.scroll_offset.y <= line < self.scroll_offset.y + self.view_height:
            self.scroll_line(line - self.view_height // 3)
