"""Taking the basket's prompt along: to a clipboard, an editor, a file, or a new session of an agent."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import Any, cast

from textual import work
from textual.app import App, SuspendNotSupported
from textual.screen import Screen

from ..core.pack import Style, estimated_tokens
from . import clipboard
from .basket_dialogs import AgentScreen, Choice, SaveScreen
from .new_session import PREAMBLE, Start
from .prompt_files import ENDINGS, NotEdited, edited, write_prompt
from .resume import Resume
from .surroundings import Surroundings
from .wording import counted

COMMAND_SECONDS = 20.0
"""How long a command that is to be run in a shell stays on the screen."""
EDITED = (
    "Edited: copy, write or start an agent with it. A change to the basket makes the prompt anew; u takes that back."
)
UNCHANGED = "The prompt is as it was. An editor with a window of its own must be told to wait: EDITOR='code --wait'."


class PromptScreen(Screen[Resume | None]):
    """Its subclass makes the prompt. Dismissed with the agent to become, or with None to go on searching."""

    def __init__(self, place: Surroundings) -> None:
        super().__init__()
        self.place = place
        self._written_to: Path | None = None

    @property
    @abstractmethod
    def prompt(self) -> str:
        """The text as it is now."""

    @property
    @abstractmethod
    def style(self) -> Style:
        """How it is written."""

    @abstractmethod
    def take_edited(self, text: str) -> None:
        """The person has made another text of it."""

    def action_copy(self) -> None:
        self._copy(self.prompt)

    @work(thread=True, group="copying", exit_on_error=False)
    def _copy(self, text: str) -> None:
        route = clipboard.copy(text, self.own_app, environ=self.place.environ)
        if route == clipboard.FAILED:
            self.own_app.call_from_thread(self.say, f"{route}; w writes the prompt to a file.", severity="warning")
        else:
            said = f"{route}: the prompt, ≈ {counted(estimated_tokens(text), 'token')}."
            self.own_app.call_from_thread(self.say, said)

    def action_edit(self) -> None:
        try:
            with self.own_app.suspend():
                text = edited(self.place.folder, self.prompt, self.place.environ, ENDINGS[self.style])
        except SuspendNotSupported:
            self.say("This terminal can't be lent to an editor; w writes the prompt to a file.")
        except NotEdited as error:
            self.say(str(error), severity="warning")
        else:
            if text == self.prompt:
                self.say(UNCHANGED)
            else:
                self.take_edited(text)
                self.say(EDITED)

    def action_save(self) -> None:
        name = f"basket-{self.place.now():%Y-%m-%d}{ENDINGS[self.style]}"
        suggested = self._written_to or self.place.working_folder / name
        self.push(SaveScreen(self.prompt, suggested, self.place.home, self.place.working_folder), self._saved)

    def _saved(self, path: Path | None) -> None:
        if path:
            self._written_to = path
            self.say(f"Written to {path}.")

    def action_start(self) -> None:
        self.push(AgentScreen(self.place.environ), self._agent_chosen)

    def _agent_chosen(self, choice: Choice | None) -> None:
        if choice:
            self._start(choice)

    @work(thread=True, group="starting", exit_on_error=False)
    def _start(self, choice: Choice) -> None:
        app, text = self.own_app, PREAMBLE + self.prompt
        try:
            path = write_prompt(self.place.folder, text, f"{self.place.now():%Y-%m-%d-%H%M%S}.md")
        except OSError as error:
            reason = f"The prompt can't be written ({error.strerror or error}); y copies it instead."
            app.call_from_thread(self.say, reason, severity="warning")
            return
        start = Start(choice.agent, path, text)
        if choice.at_once:
            app.call_from_thread(self._leave, start.resume())
            return
        route = clipboard.copy(start.shell(), app, environ=self.place.environ)
        app.call_from_thread(self.say, f"{route}; run in a shell:\n{start.shell()}", timeout=COMMAND_SECONDS)

    def _leave(self, agent: Resume) -> None:
        self.dismiss(agent)

    @property
    def own_app(self) -> App[Any]:
        return cast("App[Any]", self.app)  # pyright: ignore[reportUnknownMemberType]

    def push(self, screen: Screen[Any], then: Any) -> None:
        """Show a screen over this one; `then` hears what it is dismissed with."""
        self.own_app.push_screen(screen, then)

    def say(self, text: str, **options: Any) -> None:
        """Tell the person."""
        self.notify(text, markup=False, **options)
