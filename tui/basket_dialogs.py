"""What the basket asks before it acts: where to write the prompt, and which agent to start with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, cast

from textual import getters, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from .new_session import Agent, agents
from .path_input import PathInput
from .prompt_files import save
from .rows import MUTED, TITLE
from .virtual_list import VirtualList
from .wording import from_home


class SaveScreen(ModalScreen[Path | None]):
    """Asks for a path and writes there; dismissed with where that was, or None when it was not done."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "leave")]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (8, "-high")]  # noqa: RUF012, as Textual declares it

    @dataclass
    class Tried(Message):
        """It was tried to write the file; `problem` says why it was not, if so."""

        path: Path
        problem: str
        exists: bool = False

    _note = getters.query_one("#save-note", Static)

    def __init__(self, text: str, suggested: Path, home: Path, folder: Path) -> None:
        """`suggested` is what stands in the box at first; `~` is `home`, a name without a folder is one in `folder`."""
        super().__init__()
        self._text, self._suggested, self._home, self._folder = text, suggested, home, folder
        self._may_replace: Path | None = None

    def compose(self) -> ComposeResult:
        with Vertical(id="save"):
            yield Static("Write the prompt to (enter writes, esc leaves):", id="save-what", markup=False)
            yield PathInput(str(self._home), from_home(str(self._suggested), str(self._home)), "a file")
            yield Static("Only you will be able to read it.", id="save-note", markup=False)

    @on(Input.Submitted)
    def _submitted(self, message: Input.Submitted) -> None:
        typed = message.value.strip()
        if not typed:
            self._note.update("Give the name of a file.")
            return
        from_there = typed == "~" or typed.startswith(("~/", "~\\"))
        path = self._home / typed[1:].lstrip("/\\") if from_there else self._folder / typed
        self._write(path, path == self._may_replace)

    @work(thread=True, group="saving", exit_on_error=False)
    def _write(self, path: Path, replace: bool) -> None:
        shown = from_home(str(path), str(self._home))
        try:
            save(path, self._text, replace=replace)
        except FileExistsError:
            folder = path.is_dir()
            problem = f"{shown} is a folder." if folder else f"{shown} exists: enter again replaces it."
            self.post_message(self.Tried(path, problem, exists=not folder))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            self.post_message(self.Tried(path, f"{shown} can't be written: {reason}. Nothing was changed."))
        else:
            self.post_message(self.Tried(path, ""))

    @on(Tried)
    def _tried(self, message: Tried) -> None:
        self._may_replace = message.path if message.exists else None
        if message.problem:
            self._note.update(message.problem)
        else:
            self.dismiss(message.path)

    def action_leave(self) -> None:
        self.dismiss(None)


@dataclass(frozen=True, slots=True)
class Choice:
    """An agent, and whether it is to run at once; otherwise its command is copied."""

    agent: Agent
    at_once: bool


class AgentScreen(ModalScreen[Choice | None]):
    """Lists the agents that can begin with a prompt."""

    CSS_PATH = "dialogs.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "leave"),
        Binding("ctrl+o", "start", "start now"),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (8, "-high")]  # noqa: RUF012
    AUTO_FOCUS = "#agents"

    _note = getters.query_one("#agents-note", Static)

    def __init__(self, environ: Mapping[str, str]) -> None:
        super().__init__()
        self._agents = agents(environ)

    def compose(self) -> ComposeResult:
        with Vertical(id="start-agent"):
            yield VirtualList[tuple[Agent, bool]](self._draw, 1, id="agents")
            yield Static("enter copies the command · ^o starts it here, now · esc", id="agents-note", markup=False)

    def on_mount(self) -> None:
        self.query_one("#start-agent").border_title = "start a new session of"
        self._list.show(self._agents)

    @property
    def _list(self) -> VirtualList[tuple[Agent, bool]]:
        return cast("VirtualList[tuple[Agent, bool]]", self.query_one("#agents", VirtualList))

    def _draw(self, row: tuple[Agent, bool], width: int) -> Sequence[Content]:
        agent, installed = row
        note = "" if installed else "not found on this machine"
        return [Content.assemble((f"{agent.title:<14}", TITLE), "  ", (note or agent.command[0], MUTED))]

    @on(VirtualList.Chosen)
    def _chosen(self) -> None:
        self._leave_with(at_once=False)

    def action_start(self) -> None:
        row = self._list.item(self._list.cursor)
        if row and not row[1]:
            self._note.update(f"{row[0].title} is not found on this machine; enter copies its command.")
        else:
            self._leave_with(at_once=True)

    def _leave_with(self, *, at_once: bool) -> None:
        if row := self._list.item(self._list.cursor):
            self.dismiss(Choice(row[0], at_once))

    def action_leave(self) -> None:
        self.dismiss(None)
