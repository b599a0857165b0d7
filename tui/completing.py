"""What the filter that is being typed may become: a short list under the search box, asked for in a worker thread."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual import events, on, work
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from ..core.completions import Completion, complete
from ..core.database import Error
from ..core.query import FILTERS
from ..core.store import StoreError
from .rows import short_path
from .surroundings import Surroundings
from .wording import counted, from_home

MOST_LINES = 6
_NAME = re.compile(r"(?:^|\s)-?([a-z]+)\Z", re.IGNORECASE)
_VALUE = re.compile(rf"(?:^|\s)-?(?:{'|'.join(FILTERS)}):(?:\"[^\"]*|[^\s\"]*)\Z", re.IGNORECASE)


def may_be_completed(text: str, at: int) -> bool:
    """Whether a filter ends at `at` whose value is begun, or a word that may become a filter's name."""
    begun = _NAME.search(text[:at])
    return bool(_VALUE.search(text[:at]) or (begun and any(name.startswith(begun[1].lower()) for name in FILTERS)))


def taken(text: str, choice: Completion) -> tuple[str, int]:
    """The text with a completion in its place, and where the cursor is then: behind a space if that is all."""
    end = "" if choice.new.endswith(":") or text[choice.stop : choice.stop + 1] == " " else " "
    new = text[: choice.start] + choice.new + end
    return new + text[choice.stop :], len(new)


def choice_lines(choices: Sequence[Completion], chosen: int, width: int, home: str = "") -> Content:
    """The list, at most `MOST_LINES` of it, around the chosen one; which that is shows by a bar.

    Of a path the end is shown where there is not room for all, and `home` is `~`.
    """
    first = max(0, min(chosen - MOST_LINES // 2, len(choices) - MOST_LINES))
    lines: list[Content] = []
    for number, choice in enumerate(choices[first : first + MOST_LINES], first):
        count = counted(choice.sessions, "session") if choice.sessions else ""
        room = width - 2 - (cell_len(count) + 2 if count else 0)
        if room < 8:
            count, room = "", width - 2
        name = short_path(choice.shown, home, room) if "/" in choice.shown else choice.shown
        shown = Content(name).truncate(max(1, room), ellipsis=True, pad=True)
        bar, style = ("▌ ", "bold") if number == chosen else ("  ", "")
        lines.append(Content.assemble(bar, shown.stylize(style), f"  {count}" if count else ""))
    return Content("\n").join(lines)


class Completing(Static):
    """The list. It stands over what is below the search box, takes no focus, and is gone when nothing fits."""

    DEFAULT_CSS = """
    Completing {
        display: none;
        overlay: screen;
        position: absolute;
        offset: 3 1;
        constrain: none inside;
        width: auto;
        max-width: 100%;
        height: auto;
        background: $panel;
    }
    Completing.-shown { display: block; }
    """

    @dataclass
    class Arrived(Message):
        """What fits is known."""

        text: str
        at: int
        choices: Sequence[Completion]

    @dataclass
    class Taken(Message):
        """A choice was clicked."""

    def __init__(self, place: Surroundings, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, markup=False)
        self._place = place
        self._typed = ("", 0)
        self.choices: Sequence[Completion] = ()
        self.chosen = 0
        self.is_asked = False
        """Whether what fits is not known yet."""

    @property
    def is_open(self) -> bool:
        """Whether there is a list to choose from on the screen."""
        return self.has_class("-shown")

    @property
    def choice(self) -> Completion | None:
        """What tab takes: the chosen one, or the only name that a word may become."""
        if self.is_open or len(self.choices) == 1:
            return self.choices[self.chosen]
        return None

    def ask(self, text: str, at: int) -> bool:
        """Look for what `text` may become where the cursor is; False if that was asked already."""
        if (text, at) == self._typed:
            return False
        self._typed = (text, at)
        self.close()
        self.is_asked = may_be_completed(text, at)
        if self.is_asked:
            self._look(text, at)
        return True

    def close(self) -> None:
        """Offer nothing, until something else is typed."""
        self.choices, self.chosen, self.is_asked = (), 0, False
        self.remove_class("-shown")

    def move(self, by: int) -> None:
        """Choose another one."""
        self.chosen = (self.chosen + by) % max(1, len(self.choices))
        self._draw()

    @work(thread=True, group="completing", exclusive=True, exit_on_error=False)
    def _look(self, text: str, at: int) -> None:
        try:
            with self._place.readers.reading() as db:
                found = complete(db, text, at)
        except (StoreError, Error):
            found = []
        self.post_message(self.Arrived(text, at, [each for each in found if text[each.start : each.stop] != each.new]))

    @on(Arrived)
    def _arrived(self, message: Arrived) -> None:
        if (message.text, message.at) != self._typed or not self.is_asked:
            message.stop()
            return
        self.choices, self.chosen, self.is_asked = message.choices, 0, False
        names = all(choice.new.endswith(":") for choice in self.choices)
        self.set_class(bool(self.choices) and not names, "-shown")
        self._draw()

    def _draw(self) -> None:
        home = str(self._place.home)
        names = [(from_home(choice.shown, home), choice.sessions) for choice in self.choices]
        width = max((cell_len(name) + (18 if sessions else 2) for name, sessions in names), default=0)
        room = min(max(8, width), max(4, self.screen.size.width - 4))
        self.update(choice_lines(self.choices, self.chosen, room, home))

    def on_click(self, event: events.Click) -> None:
        first = max(0, min(self.chosen - MOST_LINES // 2, len(self.choices) - MOST_LINES))
        self.chosen = min(first + event.y, len(self.choices) - 1)
        self.post_message(self.Taken())
