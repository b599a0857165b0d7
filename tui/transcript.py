"""The view of one conversation: a current turn that keys move, jumps between matches, and room to grow at both ends."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from ..core.results import Conversation, Session, Turn
from .match_view import MatchView
from .page import Anchor, Needles, Page, Place


class Transcript(MatchView, can_focus=True):
    """Shows a stretch of a conversation, opened at a hit."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,right_square_bracket", "turn(1)", "Next turn", show=False, id="transcript.next"),
        Binding("k,left_square_bracket", "turn(-1)", "Previous turn", show=False, id="transcript.previous"),
        Binding("u", "user(1)", "Next of yours", show=False, id="transcript.next_user"),
        Binding("U", "user(-1)", "Previous of yours", show=False, id="transcript.previous_user"),
        Binding("g,home", "edge(-1)", "First turn", show=False, id="transcript.first"),
        Binding("G,end", "edge(1)", "Last turn", show=False, id="transcript.last"),
        Binding("up", "line(-1)", "Line up", show=False, id="transcript.line_up"),
        Binding("down", "line(1)", "Line down", show=False, id="transcript.line_down"),
        Binding("pageup,alt+v", "page(-1)", "Page up", show=False, id="transcript.page_up"),
        Binding("pagedown,ctrl+f,ctrl+v", "page(1)", "Page down", show=False, id="transcript.page_down"),
        Binding("ctrl+d", "half(1)", "Half a page down", show=False, id="transcript.half_down"),
        Binding("ctrl+u", "half(-1)", "Half a page up", show=False, id="transcript.half_up"),
        Binding("enter", "fold", "Open or fold this turn", show=False, id="transcript.fold"),
    ]

    @dataclass
    class Grow(Message):
        """More turns are asked for: earlier ones (-1) or later ones (1)."""

        transcript: Transcript
        direction: int

        @property
        def control(self) -> Transcript:
            return self.transcript

    @dataclass
    class Current(Message):
        """Another turn is the current one."""

        transcript: Transcript
        turn: Turn

        @property
        def control(self) -> Transcript:
            return self.transcript

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, Transcript.Current) and message.transcript is self.transcript

    @dataclass
    class Fold(Message):
        """A turn is to be opened, or folded to one line."""

        transcript: Transcript
        turn: Turn
        open: bool

        @property
        def control(self) -> Transcript:
            return self.transcript

    @dataclass
    class Follow(Message):
        """The line of a sub-agent was clicked."""

        transcript: Transcript
        agent: Session

        @property
        def control(self) -> Transcript:
            return self.transcript

    def __init__(
        self,
        *,
        zone: tzinfo | None = None,
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        super().__init__(zone=zone, id=id, classes=classes)
        self._fresh = False
        self._start: int | None = None
        self._held: tuple[int, Anchor] | None = None
        self._height_before = 0

    # ---- Contents ----

    def show(
        self,
        conversation: Conversation,
        needles: Needles | None = None,
        hit: int | None = None,
        hit_turn: int | None = None,
        start: int | None = None,
    ) -> None:
        """Show a conversation at its turn number `hit`, else at the row `hit_turn`, or at the turn number `start`.

        What `needles` finds is marked.

        A big conversation appears when it is laid out; until then what was shown before stays. `Current` follows.
        """
        self.hit, self.hit_turn, self._fresh = hit, hit_turn, True
        self._start = start
        self.start_looking(needles)
        self.lay_out(conversation)

    def extend(self, conversation: Conversation) -> None:
        """Show more (or fewer) turns of the same session; what is on the screen stays where it is."""
        self.lay_out(conversation)

    @property
    def current_turn(self) -> Turn | None:
        """The turn that the cursor is on."""
        return self.page.turns[self.current] if self.page and self.page.turns else None

    @property
    def conversation(self) -> Conversation | None:
        """What is on the page."""
        return self.page.conversation if self.page else None

    def page_arrived(self, old: Page | None) -> None:
        page, fresh = self.page, self._fresh
        self._fresh = False
        if page is None or not page.turns:
            self.current = 0
            return
        top = self.scroll_offset.y
        # Reflowed again without having been scrolled, the page must not creep up to where each line happens to begin.
        anchor = self._held[1] if self._held and self._held[0] == top else old.anchor(top) if old else None
        self._held = None
        if fresh or old is None or anchor is None:
            self._open(page)
            self._height_before = self.view_height
            return
        seen = self.match is not None and 0 <= old.line_of(Place(*self.match[:2])) - top < self._height_before
        current = old.turns[self.current].id
        index = next((index for index, turn in enumerate(page.turns) if turn.id == current), None)
        self.match = self.match._replace(turn=index) if self.match and index is not None else None
        self.current = index or 0
        found = page.find(anchor)
        y = page.top(self.current) if found is None else found
        self.scroll_line(self._with_what_is_looked_at(page, y, with_match=seen))
        self._held = (self.scroll_offset.y, anchor)
        self._follow()
        self._height_before = self.view_height
        self.look_at_opened(page)

    def _with_what_is_looked_at(self, page: Page, y: int, *, with_match: bool) -> int:
        """The line to begin with, `y` if the current turn is then on the screen, and the match if it is to be."""
        first, last = page.top(self.current), page.bottom(self.current)
        if self.match is not None and with_match:
            first = page.line_of(Place(self.match.turn, self.match.start))
            last = first + 1
        height = max(1, self.view_height)
        return y if first < y + height and last > y else max(0, first - height // 3)

    def _open(self, page: Page) -> None:
        """Come to the hit with a little of what was said before it, or further down to its first match."""
        found = next((index for index, turn in enumerate(page.turns) if self.is_hit(turn)), None)
        starts = (index for index, turn in enumerate(page.turns) if self._start and turn.number == self._start)
        self.current = next(starts, 0) if found is None else found
        pieces = page.text_pieces(self.current) if found is not None else ()
        self.match = next((match for piece in pieces for match in self.matches_in(piece)), None)
        self.scroll_line(page.top(self.current) - self.view_height // 4 if self.current else 0)
        if self.match is not None:
            self.show_line(page.line_of(Place(self.match.turn, self.match.start)))
        self.post_message(self.Current(self, page.turns[self.current]))

    # ---- Moving ----

    def action_turn(self, by: int) -> None:
        """Go to another turn; beyond the first and the last one, ask for more."""
        if (page := self.page) is None or not page.turns:
            return
        # Going back from within a long turn leads to its beginning first.
        within = by < 0 and page.top(self.current) < self.scroll_offset.y
        target = self.current if within else self.current + by
        if 0 <= target < len(page.turns):
            self._go(page, target)
        elif page.conversation.before if by < 0 else page.conversation.after:
            self.post_message(self.Grow(self, by))

    def action_user(self, by: int) -> None:
        """Go to the next or previous turn of the user."""
        if self.page is None:
            return
        turns = self.page.turns
        ahead = range(self.current + 1, len(turns)) if by > 0 else range(self.current - 1, -1, -1)
        if (target := next((index for index in ahead if turns[index].role == "user"), None)) is not None:
            self._go(self.page, target)

    def action_edge(self, direction: int) -> None:
        """Go to the first (-1) or the last turn (1)."""
        if self.page is not None and self.page.turns:
            self.set_current(0 if direction < 0 else len(self.page.turns) - 1)
            self.scroll_line(0 if direction < 0 else self.page.height)

    def action_line(self, by: int) -> None:
        """Scroll by so many lines."""
        self.scroll_line(self.scroll_offset.y + by)

    def action_page(self, by: int) -> None:
        """Scroll by so many screens."""
        self.scroll_line(self.scroll_offset.y + by * max(1, self.view_height - 1))

    def action_half(self, by: int) -> None:
        """Scroll by so many half screens."""
        self.scroll_line(self.scroll_offset.y + by * max(1, self.view_height // 2))

    def action_fold(self) -> None:
        """Open the current turn, or fold it to one line."""
        if (turn := self.current_turn) is not None:
            self.post_message(self.Fold(self, turn, open=turn.id in self.folded))

    def _go(self, page: Page, turn: int) -> None:
        self.set_current(turn)
        top, bottom = page.top(turn), page.bottom(turn)
        if page.pieces[page.headings[turn] - 1].what == "day":
            top -= 1
        y, height = self.scroll_offset.y, self.view_height
        if top < y or bottom > y + height:
            self.scroll_line(top if top < y or bottom - top >= height else bottom - height)

    def open_turn(self, turn: Turn) -> None:
        self.post_message(self.Fold(self, turn, open=True))

    def set_current(self, turn: int) -> None:
        if self.page is not None and turn != self.current:
            self.current, self.match = turn, None
            self.redraw()
            self.post_message(self.Current(self, self.page.turns[turn]))

    def _follow(self) -> None:
        """Keep the current turn among those on the screen."""
        page = self.page
        if page is None or not page.turns or self.view_height <= 0:
            return
        y = min(self.scroll_offset.y, page.height - 1)
        first, last = (page.pieces[page.piece_at(line)] for line in (y, min(y + self.view_height, page.height) - 1))
        top = min(first.turn + 1, last.turn) if first.what == "blank" else first.turn
        self.set_current(max(top, min(self.current, last.turn)))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._follow()
        self._height_before = self.view_height

    def on_click(self, event: events.Click) -> None:
        event.prevent_default()  # of selecting everything on a double click
        offset = event.get_content_offset(self)
        if offset is None or (page := self.page) is None or offset.y + self.scroll_offset.y >= page.height:
            return
        piece = page.pieces[page.piece_at(offset.y + self.scroll_offset.y)]
        if piece.what in ("earlier", "later"):
            self.post_message(self.Grow(self, -1 if piece.what == "earlier" else 1))
        elif piece.what == "agent":
            self.post_message(self.Follow(self, page.agents[piece.agent]))
        elif page.turns:
            self.set_current(piece.turn)
            if piece.what == "folded" or (piece.what == "heading" and event.chain == 2):
                self.action_fold()
