"""The line at the bottom: how much was found and how fast, what was left out, and how far indexing has come."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content
from textual.widgets import Static

from ..core.results import Progress
from .asked import Answer
from .wording import byte_size, counted

BAR_CELLS = 14


@dataclass(frozen=True, slots=True)
class Status:
    """All that the line shows."""

    answer: Answer | None = None
    progress: Progress | None = None
    notice: str = ""
    """What is wrong with the search; stays true until the next one."""
    trouble: str = ""
    """What is wrong with indexing: an error, another process at work."""
    collected: int = 0
    """How many turns are in the basket."""
    meaning: str = ""
    """How far embedding is, while it goes on: `meaning: 12,300 of 80,000`."""


def status_line(status: Status, width: int) -> Content:
    """The line in `width` cells: results at the left, indexing at the right, the longer form of each if it fits.

    What is wrong is told before anything else, and that indexing goes on before any but the shortest of the results.
    """
    lefts, rights = _lefts(status), _rights(status.progress, status.meaning)
    choices = [(left, right) for left in lefts[1:] for right in rights] + [(left, "") for left in lefts]
    for left, right in choices if rights else choices[-len(lefts) :]:
        gap = width - cell_len(left) - cell_len(right) - 2
        if gap >= (2 if right else 0):
            return Content(f" {left}{' ' * gap}{right} ")
    return Content(f" {lefts[-1]}").truncate(width, ellipsis=True)


def _lefts(status: Status) -> list[str]:
    answer = status.answer
    if answer is None:
        return [status.notice or status.trouble or "searching …"] * 2
    count = f"{answer.total:,}{'' if answer.exact else '+'}"
    noun = ("session" if answer.lists_sessions else "hit") + ("" if answer.total == 1 and answer.exact else "s")
    short = f"{count} {noun}"
    how = "newest first" if answer.lists_sessions else f"{answer.elapsed_ms:.0f} ms · {answer.how}"
    where = f" in {counted(answer.in_sessions, 'session')}" if answer.in_sessions else ""
    long = f"{short}{where} · {how}"
    others = answer.sessions - answer.total if answer.lists_sessions and not answer.request.project else 0
    whole = f"{short} (and {others:,} of sub-agents, scripts and memory files) · {how}" if others > 0 else long
    if status.collected:
        short, long, whole = (f"{each} · {status.collected} in the basket (f4)" for each in (short, long, whole))
    out = f"{counted(answer.left_out, 'session')} left out (f3)" if answer.left_out else ""
    hidden = f"{counted(answer.hidden, 'file')} hidden until masked anew" if answer.hidden else ""
    trouble = _joined(status.notice, status.trouble)
    all_wrong = _joined(status.notice, answer.note, status.trouble, hidden)
    return [
        _joined(whole, all_wrong, out),
        _joined(long, all_wrong, out),
        _joined(long, all_wrong),
        _joined(long, trouble),
        _joined(short, trouble),
    ]


def _joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)


def _rights(progress: Progress | None, meaning: str) -> list[str]:
    if progress is None:
        return [meaning] if meaning else []
    bar = progress_bar(progress)
    files = f"{progress.files_done:,} / {progress.files_total:,} files"
    rest = [fact for fact in (byte_size(progress.bytes_done), rate(progress), time_left(progress)) if fact]
    without_rate = [fact for fact in (byte_size(progress.bytes_done), time_left(progress)) if fact]
    name = f"indexing {progress.source} "
    share = f"{_share(progress):.0%}"
    return [
        f"{name}{' · '.join([files, *rest])} {bar} f5",
        f"{name}{' · '.join([files, *without_rate])} {bar}",
        f"{name}{files} {bar}",
        f"indexing {share} {bar}",
        f"indexing {share}",
    ]


def progress_bar(progress: Progress) -> str:
    """How much of what was to be read is read."""
    return f"▕{'█' * round(BAR_CELLS * _share(progress)):<{BAR_CELLS}}▏"


def rate(progress: Progress) -> str:
    """How fast it goes: `14 MB/s`; empty while that is not known."""
    if not progress.seconds_left:
        return ""
    return f"{byte_size(int((progress.bytes_total - progress.bytes_done) / progress.seconds_left))}/s"


def time_left(progress: Progress) -> str:
    """How long it will take: `0:14 left`; empty while that is not known."""
    seconds = progress.seconds_left
    return "" if seconds is None else f"{int(seconds) // 60}:{int(seconds) % 60:02d} left"


def _share(progress: Progress) -> float:
    return min(1.0, progress.bytes_done / progress.bytes_total) if progress.bytes_total else 1.0


class StatusBar(Static):
    """Shows a `Status`, fitted to its width."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, markup=False)
        self.status = Status()

    def show(self, status: Status) -> None:
        self.status = status
        self.refresh(layout=False)

    def on_click(self) -> None:
        """While indexing goes on, a click is for its menu."""
        if self.status.progress:
            self.screen.call_next(self.screen.run_action, "index")

    def render(self) -> Content:
        return status_line(self.status, self.size.width)
