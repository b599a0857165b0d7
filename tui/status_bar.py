"""The line at the bottom: how much was found and how fast, what was left out, and how far indexing has come."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content
from textual.widgets import Static

from ..core.model import Progress
from .asking import Answer
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


def status_line(status: Status, width: int) -> Content:
    """The line in `width` cells: results at the left, indexing at the right, the longer form of each if it fits."""
    for left in _lefts(status):
        for right in _rights(status.progress):
            gap = width - cell_len(left) - cell_len(right) - 2
            if gap >= (2 if right else 0):
                return Content(f" {left}{' ' * gap}{right} ")
    return Content(f" {_lefts(status)[-1]}").truncate(width, ellipsis=True)


def _lefts(status: Status) -> list[str]:
    answer = status.answer
    if answer is None:
        return [status.notice or status.trouble or "searching …"]
    count = f"{'' if answer.exact else 'over '}{answer.total:,}"
    noun = ("session" if answer.lists_sessions else "hit") + ("" if answer.total == 1 else "s")
    short = f"{count} {noun}"
    how = "newest first" if answer.lists_sessions else f"{answer.elapsed_ms:.0f} ms · words"
    long = f"{short} · {how}"
    out = f"{counted(answer.left_out, 'session')} left out (f3)" if answer.left_out else ""
    wrong = " · ".join(part for part in (status.notice, status.trouble) if part)
    full = " · ".join(part for part in (long, wrong, out) if part)
    return [full, " · ".join(part for part in (long, wrong) if part), long, short]


def _rights(progress: Progress | None) -> list[str]:
    if progress is None:
        return [""]
    share = progress.bytes_done / progress.bytes_total if progress.bytes_total else 1.0
    bar = f"▕{'█' * round(BAR_CELLS * share):<{BAR_CELLS}}▏"
    files = f"{progress.files_done:,} / {progress.files_total:,} files"
    size = f" · {byte_size(progress.bytes_done)}"
    seconds = progress.seconds_left
    left = "" if seconds is None else f" · {int(seconds) // 60}:{int(seconds) % 60:02d} left"
    name = f"indexing {progress.source} "
    return [
        f"{name}{files}{size}{left} {bar}",
        f"{name}{files} {bar}",
        f"indexing {share:.0%} {bar}",
        f"indexing {share:.0%}",
        "",
    ]


class StatusBar(Static):
    """Shows a `Status`, fitted to its width."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, markup=False)
        self.status = Status()

    def show(self, status: Status) -> None:
        self.status = status
        self.refresh(layout=False)

    def render(self) -> Content:
        return status_line(self.status, self.size.width)
