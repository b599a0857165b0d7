"""Measures the list and the conversation view at their largest: time to ready, CPU a scroll step, memory.

Run it as a program. Besides raw figures it gives each time to ready as a ratio to fixed work on the same machine: for
lists, writing 100,000 numbers as text; for conversations, splitting the same text into lines.
"""

from __future__ import annotations

import asyncio
import gc
import random
import re
import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from harkback.core.results import Conversation, Excerpt, Hit, Session, Span, Turn
from harkback.tui.rows import hit_row
from harkback.tui.transcript import Transcript
from harkback.tui.virtual_list import VirtualList
from textual.app import App, ComposeResult
from textual.content import Content

SIZE = (120, 40)
STEPS = 200
NOW = 1_790_000_000_000
SESSION = Session(
    key="claude:1",
    source="claude",
    native_id="1",
    title="How did we fix the clipboard over ssh",
    project="/home/ada/src/web",
    branch="main",
    model=None,
    started=NOW,
    updated=NOW,
    parent=None,
    kind="main",
    turns=10_000,
    gone_at_source=False,
)
EXCERPT = Excerpt("set-clipboard on, otherwise tmux drops the sequence: the clipboard stays empty over ssh", ((0, 13),))


class Hits(Sequence[Hit]):
    """Rows that are made only when they are looked at."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: Any) -> Any:
        return Hit(SESSION, index, index, "assistant", NOW - index * 60_000, EXCERPT, 1.0)


def draw(hit: Hit, width: int) -> list[Content]:
    return hit_row(hit, width, NOW, titles={"claude": "Claude Code"})


class ListApp(App[None]):
    def compose(self) -> ComposeResult:
        yield VirtualList(draw)


class TalkApp(App[None]):
    def compose(self) -> ComposeResult:
        yield Transcript()


def memory() -> float:
    """The resident memory in MB; where the system does not tell, its peak so far."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * resource.getpagesize() / (1 << 20)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << (20 if sys.platform == "darwin" else 10))


def timed(work: Callable[[], object]) -> float:
    """The best of three runs, in seconds."""
    best = float("inf")
    for _ in range(3):
        began = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - began)
    return best


async def painted(app: App[Any]) -> None:
    """Let the app work off its messages and draw what is on the screen."""
    await asyncio.sleep(0)
    screen = app.screen
    screen._compositor.render_strips()


async def steps(app: App[Any], step: Callable[[int], None]) -> float:
    """CPU seconds that one scroll step takes, drawing included."""
    began = time.process_time()
    for number in range(STEPS):
        step(number)
        await painted(app)
    return (time.process_time() - began) / STEPS


def row(name: str, ready: float, base: float, step: float, used: float, longest: float = 0.0) -> None:
    print(
        f"{name:<34}{ready * 1000:>10.1f}{ready / base:>10.2f}{step * 1000:>10.2f}{longest * 1000:>10.1f}{used:>10.1f}",
        flush=True,
    )


async def measure_list(count: int) -> None:
    base = timed(lambda: [str(number) for number in range(100_000)])
    rows = Hits(count)
    app = ListApp()
    async with app.run_test(size=SIZE) as pilot:
        view = app.query_one(VirtualList)
        gc.collect()
        before = memory()
        began = time.perf_counter()
        view.show(rows)
        await painted(app)
        ready = time.perf_counter() - began
        await pilot.pause()
        step = await steps(app, lambda _: view.action_move(3))
        view.action_jump(-1)
        await painted(app)
        row(f"{count:,} rows", ready, base, step, memory() - before)


def prose(turns: int, size: int, words: list[str], source_line: int, ending: str = "") -> list[str]:
    """`turns` different texts of about `size` characters in source lines of about `source_line`."""
    made = random.Random(1)
    texts: list[str] = []
    for _ in range(200):
        lines: list[str] = []
        while sum(map(len, lines)) + len(lines) < size:
            line = " ".join(made.choices(words, k=max(1, made.randint(0, 2 * source_line) // 6)))
            lines.append(line + ending)
        texts.append("\n".join(lines))
    return [f"{texts[number % 200]} {number}{' needle' * (number % 50 == 0)}" for number in range(turns)]


async def measure_conversation(name: str, texts: list[str]) -> None:
    base = timed(lambda: [text.split("\n") for text in texts])
    turns = tuple(
        Turn(number, number, "user" if number % 2 else "assistant", NOW + number * 60_000, "exact", text)
        for number, text in enumerate(texts, 1)
    )
    pattern = re.compile("needle")

    def needles(text: str) -> Iterator[Span]:
        return (found.span() for found in pattern.finditer(text))

    app = TalkApp()
    async with app.run_test(size=SIZE) as pilot:
        view = app.query_one(Transcript)
        gc.collect()
        before = memory()
        longest = 0.0
        began = last = time.perf_counter()
        view.show(Conversation(SESSION, turns, 0, 0), needles, hit=len(texts) // 2)
        while view.page is None:
            await asyncio.sleep(0.001)
            longest, last = max(longest, time.perf_counter() - last), time.perf_counter()
        await painted(app)
        ready = time.perf_counter() - began
        await app.workers.wait_for_complete()
        await pilot.pause()
        step = await steps(app, lambda number: view.scroll_line(view.scroll_offset.y + (3 if number % 10 else 10_007)))
        row(name, ready, base, step, memory() - before, longest)


async def main() -> None:
    heads = ("ready ms", "ratio", "step ms", "pause ms", "MB more")
    print(f"{'':<34}" + "".join(f"{head:>10}" for head in heads))
    for count in (1_000, 100_000, 1_000_000):
        await measure_list(count)
    english = ["the", "quick", "brown", "function", "returns", "session", "where", "a", "clipboard"]
    chinese = ["剪贴板", "在终端里", "不工作", "需要把序列", "包在里面", "否则收不到"]
    for name, texts in {
        "52 MB, 10,000 turns, short lines": prose(10_000, 5_200, english, 32),
        "52 MB, 10,000 turns, paragraphs": prose(10_000, 5_200, english, 500),
        "52 MB, 10,000 turns, with dashes": prose(10_000, 5_200, [*english, "—"], 120, " …"),
        "15 MB, 1,000 turns, Chinese": prose(1_000, 5_200, chinese, 120),
        "16 MB in one line": ["x" * 16_000_000],
    }.items():
        await measure_conversation(f"{name}", texts)


if __name__ == "__main__":
    asyncio.run(main())
