"""What a screen with a conversation does with it: moves in it, finds, copies, resumes."""

from __future__ import annotations

from typing import Any, cast

from textual import work
from textual.app import App

from . import clipboard
from .basket_work import BasketWork
from .collecting import CollectingScreen
from .resume import Resume, resume_of
from .surroundings import Surroundings
from .wording import counted


class ReadingScreen(CollectingScreen):
    """The keys of READING act on the conversation, whether it or the list that it was chosen from has the focus."""

    def __init__(self, place: Surroundings, basket: BasketWork | None = None) -> None:
        super().__init__(place, basket)
        self._place = place

    def to_next_session(self, by: int) -> bool:
        """Show the next (1) or previous (-1) session of the list; False where there is none."""
        return False

    def action_grow(self, direction: int) -> None:
        self.reading.grow(direction)

    def action_whole(self) -> None:
        self.reading.show_whole()

    def action_tools(self) -> None:
        self.reading.show_tools()

    def action_branches(self) -> None:
        self.reading.show_branches()

    def action_agents(self) -> None:
        self.reading.follow_agent()

    def action_parent(self) -> None:
        self.reading.go_back()

    def action_match(self, by: int) -> None:
        transcript = self.reading.transcript
        if transcript.next_match() if by > 0 else transcript.previous_match():
            return
        if self.reading.is_finding:
            self.notify("There is no further match.")
        elif not self.to_next_session(by):
            self.notify("This was the last match." if by > 0 else "This was the first match.")

    # ---- copying ----

    def action_copy_turn(self) -> None:
        if text := self.reading.turn_text():
            self._copy(text, "turn")

    def action_copy_round(self) -> None:
        if text := self.reading.round_text():
            self._copy(text, "round")

    @work(thread=True, group="copying", exit_on_error=False)
    def _copy(self, text: str, what: str, note: str = "") -> None:
        app = cast("App[Any]", self.app)  # pyright: ignore[reportUnknownMemberType]
        route = clipboard.copy(text, app, environ=self._place.environ)
        said = f"{route}: the {what}, {counted(len(text), 'character')}."
        app.call_from_thread(self._say, f"{said}\n{note}." if note else said)

    def _say(self, text: str) -> None:
        self.notify(text, markup=False)

    # ---- going back into a session ----

    def action_copy_command(self) -> None:
        if resume := self._resume():
            self._copy(resume.shell(), "command", resume.note)

    def action_resume(self) -> None:
        if (resume := self._resume()) is None:
            return
        if resume.is_installed(self._place.environ):
            self.leave(resume)
        else:
            self._say(f"There is no {resume.argv[0]} on this machine; ^y copies the command for another one.")

    def leave(self, resume: Resume | None = None) -> None:
        """End the app, with a session to resume or without."""
        app = cast("App[Resume | None]", self.app)  # pyright: ignore[reportUnknownMemberType]
        app.exit(resume)

    def _resume(self) -> Resume | None:
        if (session := self.reading.session) is None:
            return None
        resume = resume_of(session, self._place.adapter(session.source))
        if resume is None:
            self._say(f"{self._place.titles[session.source]} can't reopen this session.")
            return None
        return resume.in_what_is_left()
