"""A list of any length whose rows all have one height: only the rows on the screen are ever fetched or drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive, reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

T = TypeVar("T")

BAR, NO_BAR = "▌ ", "  "
GUTTER = len(BAR)


class VirtualList(ScrollView, Generic[T], can_focus=True):
    """Shows a sequence; `draw(item, width)` turns one item into at most `row_height` lines of at most `width` cells.

    An item that is None is not known yet: it is drawn as a faint line, `Wanted` asks for it, and `fill` brings it.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    VirtualList {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        min-width: 1;
        & > .list--hover { background: $block-hover-background; }
        & > .list--cursor { background: $block-cursor-blurred-background; }
        &:focus > .list--cursor { background: $block-cursor-background; color: $block-cursor-foreground; }
        & > .list--missing { color: $text-disabled; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"list--cursor", "list--hover", "list--missing"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k,ctrl+p", "move(-1)", "Up", show=False, id="list.up"),
        Binding("down,j,ctrl+n", "move(1)", "Down", show=False, id="list.down"),
        Binding("pageup,alt+v", "page(-1)", "Page up", show=False, id="list.page_up"),
        Binding("pagedown,ctrl+f,ctrl+v", "page(1)", "Page down", show=False, id="list.page_down"),
        Binding("home,g", "jump(0)", "First", show=False, id="list.first"),
        Binding("end,G", "jump(-1)", "Last", show=False, id="list.last"),
        Binding("enter", "choose", "Open", show=False, id="list.choose"),
    ]

    virtual_size = Reactive(Size(0, 0), layout=False)
    """The screen is laid out anew only where the scrollbar comes or goes."""
    cursor: reactive[int] = reactive(0, init=False)
    """The index of the selected row; 0 where there is none."""
    hovered: reactive[int | None] = reactive(None)

    @dataclass
    class Highlighted(Message):
        """The cursor came to another row, or new contents came under it."""

        list: VirtualList[Any]
        index: int

        @property
        def control(self) -> VirtualList[Any]:
            return self.list

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, VirtualList.Highlighted) and message.list is self.list

    @dataclass
    class Chosen(Message):
        """The row at `index` is to be opened."""

        list: VirtualList[Any]
        index: int

        @property
        def control(self) -> VirtualList[Any]:
            return self.list

    @dataclass
    class Wanted(Message):
        """The rows `first` to `last` are on the screen or near it, and some of them are not known yet."""

        list: VirtualList[Any]
        first: int
        last: int

        @property
        def control(self) -> VirtualList[Any]:
            return self.list

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, VirtualList.Wanted) and message.list is self.list

    def __init__(
        self,
        draw: Callable[[T, int], Sequence[Content]],
        row_height: int = 3,
        *,
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._draw, self._row_height = draw, row_height
        self._items: Sequence[T | None] = ()
        self._filled: dict[int, T] = {}
        self._asked: tuple[int, int] | None = None
        self._chosen_by_click = False
        self._drawn: LRUCache[tuple[int, int, str], list[Strip]] = LRUCache(512)

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self._items)

    @property
    def on_screen(self) -> range:
        """The indexes of the rows that are seen, even of those cut at the edges."""
        top = self.scroll_offset.y
        return range(top // self._row_height, min(len(self._items), -(-(top + self._height) // self._row_height)))

    def show(self, items: Sequence[T | None], keep: int | None = None) -> None:
        """Replace the contents.

        With `keep` the cursor goes to that index, and its row stays where it is on the screen: that is for new results
        that hold the selected item, and nothing is posted. Without, the list starts at its top with `Highlighted(0)`.
        """
        on_screen = self.cursor * self._row_height - self.scroll_offset.y
        self._items, self._asked = items, None
        self._filled.clear()
        self._drawn.clear()
        self.hovered = None
        self.set_reactive(VirtualList.cursor, self.validate_cursor(keep or 0))
        self._measure()
        self._scroll_line(0 if keep is None else self.cursor * self._row_height - on_screen)
        self._show_cursor()
        self.refresh()
        if keep is None and len(items):
            self.post_message(self.Highlighted(self, 0))
        self._want()

    def fill(self, first: int, items: Sequence[T]) -> None:
        """Bring the items from index `first` on that were None."""
        self._filled.update(enumerate(items, first))
        self._drawn.clear()
        self.refresh()
        self._want()

    def redraw(self) -> None:
        """Draw every row anew: what is shown of the items has changed, not the items."""
        self._drawn.clear()
        self.refresh()

    def item(self, index: int) -> T | None:
        """The item at `index`; None where it is not known yet or the list is shorter."""
        if (filled := self._filled.get(index)) is not None:
            return filled
        return self._items[index] if 0 <= index < len(self._items) else None

    # ---- Moving ----

    def validate_cursor(self, cursor: int) -> int:
        return max(0, min(cursor, len(self._items) - 1))

    def watch_cursor(self, cursor: int) -> None:
        self._show_cursor()
        self.post_message(self.Highlighted(self, cursor))

    def action_move(self, by: int) -> None:
        """Move the cursor by so many rows."""
        self.cursor += by

    def action_page(self, by: int) -> None:
        """Move the cursor by so many screens."""
        self.cursor += by * max(1, self._height // self._row_height)

    def action_jump(self, to: int) -> None:
        """Move the cursor to an index, counted from the end if negative."""
        self.cursor = to if to >= 0 else len(self._items) + to

    def action_choose(self) -> None:
        """Open the selected row."""
        if len(self._items):
            self.post_message(self.Chosen(self, self.cursor))

    @property
    def _height(self) -> int:
        return self.scrollable_content_region.height

    def _show_cursor(self) -> None:
        top = self.cursor * self._row_height
        lowest = min(top, top + self._row_height - self._height)
        self._scroll_line(max(lowest, min(top, self.scroll_offset.y)))

    def _scroll_line(self, y: int) -> None:
        self.scroll_to(y=y, animate=False, force=True, immediate=True)

    def _measure(self) -> None:
        height = len(self._items) * self._row_height
        self.virtual_size = Size(self.scrollable_content_region.width, height)
        if self.styles.auto_dimensions or (height > self.container_size.height) != self.show_vertical_scrollbar:
            self.refresh(layout=True)
        elif self.show_vertical_scrollbar:
            self.vertical_scrollbar.window_virtual_size = height

    def _want(self) -> None:
        """Ask for what is missing on the screen and one screen around it, unless just that was asked already."""
        top, margin = self.scroll_offset.y, self._height
        first = max(0, (top - margin) // self._row_height)
        stop = min(len(self._items), (top + 2 * margin) // self._row_height + 1)
        missing = [index for index in range(first, stop) if self.item(index) is None]
        if missing and margin and (missing[0], missing[-1]) != self._asked:
            self._asked = (missing[0], missing[-1])
            self.post_message(self.Wanted(self, *self._asked))

    # ---- Events ----

    def on_resize(self) -> None:
        self._drawn.clear()
        self._measure()
        self._show_cursor()
        self._want()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._drawn.clear()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.hovered = None
        self._want()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        self.hovered = self._index_at(event)

    def on_leave(self) -> None:
        self.hovered = None

    def on_click(self, event: events.Click) -> None:
        if (index := self._index_at(event)) is None:
            return
        again = index == self.cursor and (event.chain == 1 or not self._chosen_by_click)
        self.cursor = index
        self._chosen_by_click = again
        if again:
            self.action_choose()

    def _index_at(self, event: events.MouseEvent) -> int | None:
        if (offset := event.get_content_offset(self)) is None:
            return None
        index = (offset.y + self.scroll_offset.y) // self._row_height
        return index if index < len(self._items) else None

    # ---- Drawing ----

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        index, line = divmod(y + self.scroll_offset.y, self._row_height)
        if index >= len(self._items):
            return Strip.blank(width, self.rich_style)
        state = "list--cursor" if index == self.cursor else "list--hover" if index == self.hovered else ""
        key = (index, width, state)
        if (strips := self._drawn.get(key)) is None:
            strips = self._drawn[key] = self._row(index, width, state)
        return strips[line]

    def _row(self, index: int, width: int, state: str) -> list[Strip]:
        style = self.get_visual_style(state) if state else self.visual_style
        room = max(0, width - GUTTER)
        if (item := self.item(index)) is None:
            missing = self.get_visual_style("list--missing", partial=True)
            lines: Sequence[Content] = [Content.styled("…", missing)]
        else:
            lines = self._draw(item, room)
        bar = Segment(BAR if state == "list--cursor" else NO_BAR, style.rich_style)
        strips: list[Strip] = []
        for number in range(self._row_height):
            line = lines[number] if number < len(lines) else Content()
            shown = line.truncate(room, ellipsis=True, pad=True)
            strips.append(Strip([bar, *shown.render_segments(style)]).adjust_cell_length(width, style.rich_style))
        return strips
