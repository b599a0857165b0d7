"""The basket on a screen of its own: put in order, look at the prompt that comes of it, and take that along."""

from __future__ import annotations

from typing import ClassVar, cast

import msgspec
from textual import getters, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from ..core.basket import Basket, Mark, as_it_was_said, without_lost
from ..core.pack import Style, estimated_tokens
from .basket_page import EMPTY, Row, basket_row, head, rows
from .basket_prompt import PromptScreen
from .basket_work import BasketWork, Change, Contents
from .key_line import KeyLine
from .keys import BASKET
from .messages import Collected
from .plain_view import PlainView
from .question_screen import QuestionScreen
from .surroundings import Surroundings
from .virtual_list import VirtualList
from .wording import counted

ALWAYS = {"close", "undo"}
"""What can be done with an empty basket."""
TAKEN_ALONG = {"copy", "edit", "save", "start"}
"""What is done with the prompt."""


class BasketScreen(PromptScreen):
    """What is in the basket above, the prompt that comes of it below."""

    CSS_PATH = "basket.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        *(key.binding() for key in BASKET),
        Binding("f4", "close", show=False, id="basket"),
        Binding("question_mark", "app.help", show=False, id="keys"),
    ]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (60, "-wide")]  # noqa: RUF012, as Textual declares it
    VERTICAL_BREAKPOINTS = [(0, "-low"), (10, "-high")]  # noqa: RUF012
    AUTO_FOCUS = "#basket-rows"

    _head = getters.query_one("#basket-head", Static)
    _view = getters.query_one("#basket-prompt", PlainView)

    def __init__(self, place: Surroundings, work: BasketWork) -> None:
        super().__init__(place)
        self._work = work
        self._contents: Contents | None = None
        self._at: Mark | None = None
        self._before: list[tuple[Contents, str | None]] = []
        """What was there before each change, with what the person had made of its prompt."""

    def compose(self) -> ComposeResult:
        yield Static(id="basket-head", markup=False)
        yield VirtualList[Row](
            lambda row, width: basket_row(row, width, self.place.now(), self.place.titles), 2, id="basket-rows"
        )
        yield PlainView(id="basket-prompt")
        yield Static("\n".join(EMPTY), id="basket-empty", markup=False)
        yield KeyLine()

    def on_mount(self) -> None:
        self._look()

    # ---- what is in it ----

    @work(thread=True, group="basket", exit_on_error=False)
    def _look(self) -> None:
        self.post_message(Collected(self._work.run()))

    @on(Collected)
    def _looked(self, message: Collected) -> None:
        contents, old = message.contents, self._contents
        if old and contents.serial <= old.serial:
            return
        self._contents = contents
        marks = contents.basket.marks
        cursor = marks.index(self._at) if self._at in marks else self._list.cursor
        self._list.show(rows(contents), cursor)
        self.set_class(not contents.items, "-empty")
        if not contents.items:
            self.query_one("#basket-empty", Static).update(contents.trouble if marks else "\n".join(EMPTY))
        self._note_cursor()
        self._show_prompt()
        self.refresh_bindings()
        if contents.trouble:
            self.say(contents.trouble, severity="warning")

    def _show_prompt(self) -> None:
        if self._contents:
            if self._view.text != self.prompt:
                self._view.show(self.prompt)
            self._show_head()
            self._follow()

    def on_resize(self) -> None:
        self._show_head()

    def _show_head(self) -> None:
        if self._contents:
            tokens = estimated_tokens(self.prompt)
            width = self.size.width
            self._head.update(head(self._contents, tokens, width, edited=self._edit is not None))

    def _follow(self) -> None:
        """Have what is under the cursor on the top of the prompt."""
        contents, cursor = self._contents, self._list.cursor
        if contents and self._edit is None and cursor < len(contents.items):
            start = contents.starts[cursor]
            if start is not None:
                self._view.go_to(start)

    @property
    def _list(self) -> VirtualList[Row]:
        return cast("VirtualList[Row]", self.query_one("#basket-rows", VirtualList))

    @on(VirtualList.Highlighted)
    def _moved(self) -> None:
        self._note_cursor()
        self._follow()

    def _note_cursor(self) -> None:
        row = self._list.item(self._list.cursor)
        self._at = row.item.mark if row else None

    # ---- changing it ----

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """An empty basket can only be left, and a prompt without a word is not taken along."""
        if action == "undo":
            return bool(self._before)
        if action in TAKEN_ALONG:
            return bool(self._contents and any(each.piece for each in self._contents.items))
        ours = {key.action.partition("(")[0] for key in BASKET} - ALWAYS
        return action not in ours or bool(self._contents and self._contents.items)

    def _change(self, change: Change) -> None:
        if self._contents:
            self._remember(self._contents)
        self._work.wish(change)
        self._look()

    def _remember(self, contents: Contents) -> None:
        self._before.append((contents, self._work.edits.get(contents.made_of)))

    def action_shift(self, by: int) -> None:
        if mark := self._at:
            self._change(lambda _, basket: basket.moved(mark, by))

    def action_drop(self) -> None:
        if mark := self._at:
            self._change(lambda _, basket: basket.without({mark}))

    def action_whole_round(self) -> None:
        if mark := self._at:
            other = msgspec.structs.replace(mark, whole_round=not mark.whole_round)
            self._at = other
            self._change(lambda _, basket: basket.replaced(mark, other))

    def action_in_order(self) -> None:
        self._change(as_it_was_said)

    def action_next_style(self) -> None:
        self._change(lambda _, basket: basket.in_next_style())

    def action_clear(self) -> None:
        if self._contents:
            question = f"Empty the basket of {counted(len(self._contents.basket.marks), 'mark')}?"
            self.push(QuestionScreen(f"{question} The sessions stay as they are.", "empty it"), self._clear)

    def _clear(self, yes: bool | None) -> None:
        if yes:
            self._change(lambda _, basket: basket.without(set(basket.marks)))

    def action_undo(self) -> None:
        if self._before:
            before, edit = self._before.pop()
            self._work.edits.pop(before.made_of, None)
            if edit is not None:
                self._work.edits[before.made_of] = edit
            self._work.wish(lambda db, _: without_lost(db, before.basket))
            self._look()

    # ---- taking it along ----

    @property
    def prompt(self) -> str:
        if (edit := self._edit) is not None:
            return edit
        return self._contents.packed.text if self._contents else ""

    @property
    def style(self) -> Style:
        return self._contents.basket.style if self._contents else Basket().style

    @property
    def _edit(self) -> str | None:
        """What the person has made of the prompt of what is there now."""
        return self._work.edits.get(self._contents.made_of) if self._contents else None

    def take_edited(self, text: str) -> None:
        if self._contents:
            self._remember(self._contents)
            self._work.edits[self._contents.made_of] = text
            self._show_prompt()
            self.refresh_bindings()

    @on(VirtualList.Chosen)
    def _chosen(self) -> None:
        self.action_copy()

    def action_close(self) -> None:
        self.dismiss(None)
