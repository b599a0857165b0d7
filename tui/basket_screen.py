"""The basket on a screen of its own: put in order, look at the prompt that comes of it, and take that along."""

from __future__ import annotations

from typing import Any, ClassVar, cast

import msgspec
from textual import getters, on, work
from textual.app import App, ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Footer, Static

from ..core.basket import Basket, Mark
from ..core.pack import estimated_tokens
from . import clipboard
from .basket_dialogs import AgentScreen, Choice, SaveScreen
from .basket_page import EMPTY, Row, basket_row, head, rows
from .basket_work import BasketWork, Change, Contents
from .keys import BASKET
from .messages import Collected
from .new_session import PREAMBLE, Start
from .plain_view import PlainView
from .prompt_files import ENDINGS, NotEdited, edited, write_prompt
from .question_screen import QuestionScreen
from .resume import Resume
from .surroundings import Surroundings
from .virtual_list import VirtualList
from .wording import counted

ALWAYS = {"close", "undo"}
"""What can be done with an empty basket."""
COMMAND_SECONDS = 20.0
"""How long a command that is to be run in a shell stays on the screen."""


class BasketScreen(Screen[Resume | None]):
    """Dismissed with the agent to become, or with None to go on searching."""

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
        super().__init__()
        self._place, self._work = place, work
        self._contents: Contents | None = None
        self._at: Mark | None = None
        self._before: list[Basket] = []
        self._edited: str | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="basket-head", markup=False)
        yield VirtualList[Row](
            lambda row, width: basket_row(row, width, self._place.now(), self._place.titles), 2, id="basket-rows"
        )
        yield PlainView(id="basket-prompt")
        yield Static("\n".join(EMPTY), id="basket-empty", markup=False)
        yield Footer(compact=True, show_command_palette=False)

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
        if old and contents.basket != old.basket:
            self._edited = None
        marks = contents.basket.marks
        cursor = marks.index(self._at) if self._at in marks else self._list.cursor
        self._list.show(rows(contents), cursor)
        self.set_class(not marks, "-empty")
        self._note_cursor()
        self._show_prompt()
        self.refresh_bindings()
        if contents.trouble:
            self._say(contents.trouble, severity="warning")

    def _show_prompt(self) -> None:
        if self._contents:
            if self._view.text != self._prompt:
                self._view.show(self._prompt)
            self._show_head()
            self._follow()

    def on_resize(self) -> None:
        self._show_head()

    def _show_head(self) -> None:
        if self._contents:
            tokens = estimated_tokens(self._prompt)
            width = self.size.width
            self._head.update(head(self._contents, tokens, width, edited=self._edited is not None))

    def _follow(self) -> None:
        """Have what is under the cursor on the top of the prompt."""
        contents, cursor = self._contents, self._list.cursor
        if contents and self._edited is None and cursor < len(contents.items):
            start = contents.starts[cursor]
            if start is not None:
                self._view.go_to(start)

    @property
    def _list(self) -> VirtualList[Row]:
        return cast("VirtualList[Row]", self.query_one("#basket-rows", VirtualList))

    @property
    def _prompt(self) -> str:
        if self._edited is not None:
            return self._edited
        return self._contents.packed.text if self._contents else ""

    @on(VirtualList.Highlighted)
    def _moved(self) -> None:
        self._note_cursor()
        self._follow()

    def _note_cursor(self) -> None:
        row = self._list.item(self._list.cursor)
        self._at = row.item.mark if row else None

    # ---- changing it ----

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """An empty basket can only be left."""
        if action == "undo":
            return bool(self._before)
        ours = {key.action.partition("(")[0] for key in BASKET} - ALWAYS
        return action not in ours or bool(self._contents and self._contents.basket.marks)

    def _change(self, change: Change) -> None:
        if self._contents:
            self._before.append(self._contents.basket)
        self._work.wish(change)
        self._look()

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

    def action_next_style(self) -> None:
        self._change(lambda _, basket: basket.in_next_style())

    def action_clear(self) -> None:
        if self._contents:
            question = f"Empty the basket of {counted(len(self._contents.basket.marks), 'mark')}?"
            self._push(QuestionScreen(f"{question} The sessions stay as they are.", "empty it"), self._clear)

    def _clear(self, yes: bool | None) -> None:
        if yes:
            self._change(lambda _, basket: basket.without(set(basket.marks)))

    def action_undo(self) -> None:
        if self._before:
            before = self._before.pop()
            self._work.wish(lambda _, basket: before)
            self._look()

    # ---- taking it along ----

    def action_copy(self) -> None:
        self._copy(self._prompt)

    @on(VirtualList.Chosen)
    def _chosen(self) -> None:
        self.action_copy()

    @work(thread=True, group="copying", exit_on_error=False)
    def _copy(self, text: str) -> None:
        route = clipboard.copy(text, self._app, environ=self._place.environ)
        self._app.call_from_thread(self._say, f"{route}: the prompt, ≈ {counted(estimated_tokens(text), 'token')}.")

    def action_edit(self) -> None:
        try:
            with self._app.suspend():
                text = edited(self._place.folder, self._prompt, self._place.environ)
        except SuspendNotSupported:
            self._say("This terminal can't be lent to an editor; w writes the prompt to a file.")
        except NotEdited as error:
            self._say(str(error), severity="warning")
        else:
            if text != self._prompt:
                self._edited = text
                self._say(
                    "Edited: copy, write or start an agent with it. A change to the basket makes the prompt anew."
                )
            self._show_prompt()

    def action_save(self) -> None:
        if self._contents:
            name = f"basket-{self._place.now():%Y-%m-%d}{ENDINGS[self._contents.basket.style]}"
            screen = SaveScreen(self._prompt, self._place.working_folder / name, self._place.home)
            self._push(screen, self._saved)

    def _saved(self, path: str | None) -> None:
        if path:
            self._say(f"Written to {path}.")

    def action_start(self) -> None:
        self._push(AgentScreen(self._place.environ), self._agent_chosen)

    def _agent_chosen(self, choice: Choice | None) -> None:
        if choice:
            self._start(choice)

    @work(thread=True, group="starting", exit_on_error=False)
    def _start(self, choice: Choice) -> None:
        text = PREAMBLE + self._prompt
        try:
            path = write_prompt(self._place.folder, text, f"{self._place.now():%Y-%m-%d-%H%M%S}.md")
        except OSError as error:
            reason = f"The prompt can't be written ({error.strerror or error}); y copies it instead."
            self._app.call_from_thread(self._say, reason, severity="warning")
            return
        start = Start(choice.agent, path, text)
        if choice.at_once:
            self._app.call_from_thread(self._leave, start.resume())
            return
        route = clipboard.copy(start.shell(), self._app, environ=self._place.environ)
        self._app.call_from_thread(self._say, f"{route}; run in a shell:\n{start.shell()}", timeout=COMMAND_SECONDS)

    def _leave(self, agent: Resume) -> None:
        self.dismiss(agent)

    # ---- parts ----

    def action_close(self) -> None:
        self.dismiss(None)

    @property
    def _app(self) -> App[Any]:
        return cast("App[Any]", self.app)  # pyright: ignore[reportUnknownMemberType]

    def _push(self, screen: Screen[Any], then: Any) -> None:
        self._app.push_screen(screen, then)

    def _say(self, text: str, **options: Any) -> None:
        self.notify(text, markup=False, **options)
