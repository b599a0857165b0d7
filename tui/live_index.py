"""The process that brings the index up to date while the app is open, and what is known of its work."""

from __future__ import annotations

from collections.abc import Callable

from ..core.results import Progress
from ..core.worker import Done, Event, Failed, Learning, Watching, Worker, Working
from .surroundings import Surroundings
from .wording import counted, held_short

STOPPED = "indexing is stopped: f5 goes on"


class LiveIndex:
    """Starts it, asks it, stops it, and sums up what it says."""

    def __init__(self, place: Surroundings, on_event: Callable[[Event], object], on_end: Callable[[], object]) -> None:
        """Both functions are called from another thread."""
        self._place, self._on_event, self._on_end = place, on_event, on_end
        self._worker: Worker | None = None
        self._had: tuple[int, int] | None = None
        """Sessions and turns in the index when it was last heard of ..."""
        self._had_before = (0, 0)
        """... and the time before."""
        self._watching = self._failure = self._held = ""
        self._ending = self._anew = False
        """It was told to end; another is to be started then."""
        self._stopped = False
        """The person has stopped it, and nothing was asked for since."""
        self.asked = False
        """A pass that was asked for is not done yet."""
        self.progress: Progress | None = None
        self.meaning = ""
        """How far embedding is, while it goes on."""

    @property
    def busy(self) -> bool:
        """Whether the person sees that it is at work."""
        return self._worker is not None and (self.asked or self.progress is not None)

    @property
    def notice(self) -> str:
        """What is out of order, in a sentence."""
        stopped = STOPPED if self._stopped else ""
        return self._failure or stopped or self._held or self._watching

    def start(self, any_ticked: bool) -> None:
        """Have a pass made, if there is anything to read; from then on changes are noticed."""
        if self._worker and self._ending:
            self._anew = True
        elif self._worker:
            self._worker.ask()
        elif any_ticked:
            command, environ = self._place.worker_command(live=True), self._place.worker_environ()
            self._worker = Worker(command, self._on_event, environ, self._on_end)
        self.asked = self._worker is not None
        self._stopped = False

    def start_anew(self) -> None:
        """The same by a changed configuration, even if that is to drop all: a pass by the old one gives way."""
        if self.busy:
            self.stop()
        self.start(True)

    def typing(self) -> None:
        """The person types: what can wait does, for a moment."""
        if self._worker and self.meaning:
            self._worker.typing()

    def stop(self) -> None:
        """Let it end after the transaction that it is in."""
        if self._worker:
            self._stopped, self._ending, self._anew = self.busy, True, False
            self._worker.cancel()

    def ended(self) -> None:
        """It is gone."""
        self._worker, self.asked, self.progress, self._watching, self.meaning = None, False, None, "", ""
        again, self._ending, self._anew = self._anew, False, False
        if again:
            self.start(True)

    def take(self, event: Event) -> bool:
        """Learn from an event; gives whether there may be other results now."""
        self.progress = event.progress if isinstance(event, Working) else None
        if isinstance(event, Learning):  # what is wrong with it is said beside the results
            self.meaning = "" if event.is_last else f"meaning: {event.done:,} of {event.total:,}"
            return event.is_last and not event.trouble
        if isinstance(event, Watching):
            self._watching = event.notice
        if isinstance(event, Failed):
            self.asked, self._failure = False, event.message
        if not isinstance(event, Done):
            return isinstance(event, Working)
        report = event.report
        self._had_before = self._had or (report.sessions_before, report.turns_before)
        self._had, self._failure = (report.sessions, report.turns), ""
        titles = self._place.titles
        self._held = " · ".join(
            f"{held_short(each, titles.get(each.source, each.source))} (f3)" for each in report.held
        )
        others_wrote = self._had != self._had_before
        return report.read > 0 or report.mended != "" or others_wrote

    def summary(self, done: Done) -> list[str]:
        """What the end of a pass has to say, most of it to whoever asked for it."""
        mended = [f"{done.report.mended[:1].upper()}{done.report.mended[1:]}."] if done.report.mended else []
        if not self.asked or self._anew:
            return mended
        self.asked = False
        report, titles = done.report, self._place.titles
        said = mended + [
            f"{titles[name]} could not be read ({error}); what was indexed of it stays."
            for name, error in report.errors.items()
        ]
        return [*said, *changes(self._had_before, (report.sessions, report.turns))]


def changes(before: tuple[int, int], now: tuple[int, int]) -> list[str]:
    """What is in the index that was not, or the other way round; nothing where nothing changed.

    Both are sessions and turns.
    """
    sessions, turns = now[0] - before[0], now[1] - before[1]
    if not before[1] and turns > 0:
        return [f"{counted(turns, 'turn')} of {counted(sessions, 'session')} can be found now."]
    changed = ((sessions, "session"), (turns, "turn"))
    new = [counted(number, f"new {noun}") for number, noun in changed if number > 0]
    removed = [counted(-number, noun) for number, noun in changed if number < 0]
    return [
        *([f"{', '.join(new)}."] if new else []),
        *([f"{', '.join(removed)} removed from the index."] if removed else []),
    ]
