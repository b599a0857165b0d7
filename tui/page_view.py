"""A widget that draws a page: it styles only the lines on the screen, and lays out big conversations in a thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import partial
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import on
from textual.cache import LRUCache
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from ..core.results import Conversation, Session, Turn
from .layout import Line
from .line_parts import CURRENT_BAR, HIT_BAR, LOOKED_AT, NO_BAR, STYLES, Part, parts
from .page import INDENT, Match, Needles, Page, lay_out
from .page_matches import SOON_FOUND, effort, is_short, matches_in, matching_pieces
from .selected import ends, with_selection

SMALL = 1_500_000
"""Conversations of no more `effort` are laid out at once: that takes no longer than a frame."""

_REVERSE = Style(reverse=True)


@dataclass
class _Laid(Message, bubble=False):
    ticket: int
    page: Page


@dataclass
class _Found(Message, bubble=False):
    ticket: int
    matching: Sequence[int]


class PageView(ScrollView):
    """Draws a conversation with a hit, a current turn and matches marked; subclasses say what moves them."""

    DEFAULT_CSS = """
    PageView {
        overflow: hidden auto;
        scrollbar-gutter: stable; scrollbar-size-vertical: 1;
        min-width: 1;
        & > .page--current { background: $boost; }
        & > .page--user { text-style: bold; color: $text-accent; }
        & > .page--assistant { text-style: bold; color: $text-primary; }
        & > .page--tool, & > .page--memory { text-style: bold; color: $text-muted; }
        & > .page--bar { color: $text-accent; }
        & > .page--heading { text-style: bold; }
        & > .page--code { color: $text-success; }
        & > .page--quote { text-style: italic; }
        & > .page--folded, & > .page--round, & > .page--time, & > .page--fence { color: $text-muted; }
        & > .page--match { text-style: bold underline; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = set(STYLES)

    def __init__(
        self,
        *,
        zone: tzinfo | None = None,
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        """`zone` is where times are shown; None for the local one."""
        super().__init__(id=id, classes=classes)
        self.page: Page | None = None
        self.current = 0
        """Index of the current turn."""
        self.hit: int | None = None
        """Number of the turn that is marked as the hit."""
        self.hit_turn: int | None = None
        """Its row in the index, for one that has no number."""
        self.needles: Needles | None = None
        self.matching: Sequence[int] | None = None
        """The pieces of the page that hold a match; None until all were looked through."""
        self.match: Match | None = None
        """The match that is looked at."""
        self.collected: frozenset[int] = frozenset()
        """The rows in the index of the turns that are in the basket."""
        self.folded: frozenset[int] = frozenset()
        """The rows in the index of the turns that are one line each."""
        self.agents: Sequence[Session] = ()
        """The sessions that the shown one started."""
        self._zone = zone
        self._conversation: Conversation | None = None
        self._ticket = 0
        self._lines: LRUCache[int, list[Line]] = LRUCache(64)
        self._strips: LRUCache[tuple[int, bool], Strip] = LRUCache(1024)
        self._found: LRUCache[int, Sequence[Match]] = LRUCache(64)

    # ---- What subclasses do ----

    def page_arrived(self, old: Page | None) -> None:
        """`page` has replaced `old`: choose `current` and scroll."""

    def matching_arrived(self) -> None:
        """`matching` is known now."""

    # ---- Laying out ----

    def lay_out(self, conversation: Conversation) -> None:
        """Show a conversation as soon as it is laid out; what was on the screen stays until then."""
        self._conversation = conversation
        self._ticket += 1
        width = self.scrollable_content_region.width
        if width <= 0:
            return  # the first resize event comes with a width
        lay = partial(lay_out, conversation, width, self._zone, folded=self.folded, agents=self.agents)
        if effort(conversation, self.folded) > SMALL:
            work = partial(self._lay_out_in_thread, self._ticket, lay, self.needles)
            self.run_worker(work, group="layout", description="laying out a conversation", thread=True)
            self.refresh()
            return
        if (page := lay()) is None:
            return
        self._arrive(page)
        if (needles := self.needles) and sum(len(turn.text) for turn in page.turns) > SOON_FOUND:
            look = partial(self._look_in_thread, self._ticket, page, needles)
            self.run_worker(look, group="looking", description="looking through a conversation", thread=True)
        else:
            self._take_matching(matching_pieces(page, needles) if needles else [])

    def _lay_out_in_thread(self, ticket: int, lay: Callable[..., Page | None], needles: Needles | None) -> None:
        page = lay(stop=lambda: ticket != self._ticket)
        if page is None:
            return
        self.post_message(_Laid(ticket, page))
        self._look_in_thread(ticket, page, needles)

    def _look_in_thread(self, ticket: int, page: Page, needles: Needles | None) -> None:
        matching = matching_pieces(page, needles, lambda: ticket != self._ticket) if needles else []
        if matching is not None:
            self.post_message(_Found(ticket, matching))

    def on_unmount(self) -> None:
        self._ticket += 1

    @on(_Laid)
    def _on_laid(self, message: _Laid) -> None:
        if message.ticket == self._ticket:
            self._arrive(message.page)

    @on(_Found)
    def _on_found(self, message: _Found) -> None:
        if message.ticket == self._ticket:
            self._take_matching(message.matching)

    def _arrive(self, page: Page) -> None:
        old, self.page = self.page, page
        self.matching = None
        self._lines.clear()
        self._found.clear()
        if self.text_selection is not None:
            self.screen.clear_selection()
        self.virtual_size = Size(page.width, page.height)
        self.redraw()
        self.page_arrived(old)

    def _take_matching(self, matching: Sequence[int] | None) -> None:
        self.matching = matching
        self.matching_arrived()

    def on_resize(self) -> None:
        if self._conversation and (self.page is None or self.page.width != self.scrollable_content_region.width):
            self.lay_out(self._conversation)

    # ---- Places ----

    @property
    def view_height(self) -> int:
        """How many lines are on the screen."""
        return self.scrollable_content_region.height

    def scroll_line(self, y: int) -> None:
        """Make line `y` the first on the screen, as far as the page reaches."""
        self.scroll_to(y=y, animate=False, force=True)

    def matches_in(self, piece: int) -> Sequence[Match]:
        """The matches in a piece of the page, in order."""
        if self.page is None or self.needles is None:
            return ()
        if (found := self._found.get(piece)) is None:
            found = self._found[piece] = matches_in(self.page, piece, self.needles)
        return found

    def is_hit(self, turn: Turn) -> bool:
        """Whether it is the one that is marked."""
        return turn.number == self.hit if self.hit is not None else turn.id == self.hit_turn

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        if self.page is None:
            return None
        return self.page.between(*ends(self.page, selection)), "\n"

    def selected(self) -> list[tuple[Turn, int, int]]:
        """What is selected with the mouse, turn by turn: from which character to which."""
        if self.page is None or self.text_selection is None:
            return []
        return self.page.stretches(*ends(self.page, self.text_selection))

    def selection_updated(self, selection: Selection | None) -> None:
        self.redraw()

    # ---- Drawing ----

    def show_collected(self, turns: frozenset[int]) -> None:
        """Mark the turns that are in the basket."""
        if turns != self.collected:
            self.collected = turns
            self.redraw()

    def redraw(self) -> None:
        """Draw every line anew: something that is marked has changed."""
        self._strips.clear()
        self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()

    def render_line(self, y: int) -> Strip:
        page, width = self.page, self.scrollable_content_region.width
        if page is None:
            words = "laying out…" if self._conversation and y == 0 else ""
            return self._strip([Part(words)], (), width)
        row = y + self.scroll_offset.y
        if row >= page.height:
            return Strip.blank(width, self.rich_style)
        piece = page.piece_at(row)
        key = (row, page.pieces[piece].turn == self.current)
        if (strip := self._strips.get(key)) is None:
            strip = self._strips[key] = self._draw(page, piece, row, width)
        return strip

    def _draw(self, page: Page, piece: int, row: int, width: int) -> Strip:
        what, index, *_ = page.pieces[piece]
        if (lines := self._lines.get(piece)) is None:
            lines = self._lines[piece] = page.lines(piece) if what == "text" else []
        is_current = index == self.current and what in ("heading", "folded", "text")
        is_hit = what == "text" and self.is_hit(page.turns[index])
        found = parts(
            page,
            piece,
            lines,
            row - page.tops[piece],
            bar=HIT_BAR if is_hit else CURRENT_BAR if is_current else NO_BAR,
            matches=self.matches_in(piece) if what == "text" or is_short(page.pieces[piece]) else (),
            match=self.match,
            zone=self._zone,
            collected=what in ("heading", "folded") and page.turns[index].id in self.collected,
        )
        strip = self._strip(found, ("page--current",) if is_current else (), width)
        if what != "text":
            return strip.apply_offsets(0, row)
        if self.text_selection is not None and (span := self.text_selection.get_span(row)) is not None:
            style = self.screen.get_component_rich_style("screen--selection")
            strip = with_selection(strip, "".join(part.text for part in found), span, style)
        return strip.apply_offsets(-INDENT, row)

    def _strip(self, found: Sequence[Part], base: tuple[str, ...], width: int) -> Strip:
        def style(styles: tuple[str, ...]) -> Style:
            drawn = self.get_visual_style(*base, *styles).rich_style
            # Component classes cannot say this themselves: their `reverse` is not passed on.
            return drawn + _REVERSE if LOOKED_AT in styles else drawn

        segments = [Segment(text, style(styles)) for text, styles in found if text]
        return Strip(segments).adjust_cell_length(width, style(()))
