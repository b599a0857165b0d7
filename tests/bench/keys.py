"""What a person feels who types: the app in a terminal of its own, calm and while it indexes. One table.

    python tests/bench/keys.py [FOLDER] [TURNS]

FOLDER keeps the made-up home of TURNS (300,000) turns and its index from one run to the next; without it both are made
anew. `echo` is the time from a key to the letter on the screen, `paint` that to the results that belong to it. Before
the second round a tenth more turns come to the home, so that the app reads them while it is typed in.
"""

from __future__ import annotations

import fcntl
import os
import pty
import random
import re
import select
import shutil
import signal
import struct
import sys
import tempfile
import termios
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from harkback.core import config
from harkback.tui.surroundings import Surroundings
from quality import write

TYPED = (
    "clipboard over ssh",
    "database migration",
    "flaky test after:30d",
    "数据库迁移失败",
    "websocket retry -docker",
)
ROWS, COLUMNS = 36, 120
PATIENCE = 5.0
"""Seconds after which a key counts as lost."""
WORDS = """api async auth backoff branch buffer build cache clipboard commit connection container database debug deploy
docker driver editor error event fixture flaky function handler index issue iterator kernel layer lock memory migration
module network over package parser patch pipeline pool process project proxy python query queue read release remote
request retry route schema script search server session shell signal socket source ssh state stream string system task
terminal test thread timeout tmux token trace tree update vector version websocket zone
数据库 迁移 失败 剪贴板 超时""".split()
EMPTY_APP = """
from textual.app import App
from textual.widgets import Static
class Empty(App):
    def compose(self):
        yield Static("ready")
Empty().run()
"""
_ESCAPES = re.compile(
    r"\x1b(?:\[[0-9;:?<>=]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[P_^][^\x1b]*\x1b\\|[()][0-9A-B]|.)"
)
_FRAME = re.compile("›")
_RESULTS = re.compile(r"\d\+? (?:hits?|sessions?)\b")


class Terminal:
    """A program in a pseudo-terminal; `seen` is what it has written since the last key, without the escapes."""

    def __init__(self, argv: list[str], environ: dict[str, str]) -> None:
        self.began = time.perf_counter()
        self.pid, self._fd = pty.fork()
        if not self.pid:
            os.execvpe(argv[0], argv, environ)  # noqa: S606, an argument list of our own
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self._raw = b""
        self.seen = ""

    def until(self, wanted: re.Pattern[str], patience: float = PATIENCE) -> float | None:
        """Read until `wanted` is seen; the moment of it, None when that takes too long. Exits if the program ends."""
        end = time.perf_counter() + patience
        while not wanted.search(self.seen):
            left = end - time.perf_counter()
            if left <= 0 or not select.select([self._fd], [], [], left)[0]:
                return None
            try:
                self._raw += os.read(self._fd, 1 << 16)
            except OSError:  # nothing is at the other end any more
                sys.exit(f"the program has ended: {self.seen[-1000:]}")
            self.seen = _ESCAPES.sub("", self._raw.decode("utf-8", "replace"))
        return time.perf_counter()

    def press(self, keys: str) -> float:
        """Send keys, forget what was seen."""
        self._raw, self.seen = b"", ""
        began = time.perf_counter()
        os.write(self._fd, keys.encode())
        return began

    def rest(self, seconds: float) -> None:
        """Let it write for so long."""
        self.until(re.compile(r"(?!)"), seconds)

    def peak_megabytes(self) -> float:
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) / 1000

    def close(self) -> None:
        os.kill(self.pid, signal.SIGTERM)
        os.close(self._fd)
        os.waitpid(self.pid, 0)


def main() -> None:
    turns = int(sys.argv[2]) if len(sys.argv) > 2 else 300_000
    kept = Path(sys.argv[1]).absolute() if len(sys.argv) > 1 else None
    folder = kept or Path(tempfile.mkdtemp(prefix="harkback-bench-"))
    try:
        measure(folder, turns)
    finally:
        if kept is None:
            shutil.rmtree(folder)


def measure(folder: Path, turns: int) -> None:
    home = folder / "home"
    place = Surroundings(folder=folder / "index", home=home, environ={})
    if not place.store.exists():
        make(home, turns, 0)
        config.change(place.folder, {"sources.claude.enabled": True, "limits.preset": "everything"})
        place.reconcile()
    environ = {"PATH": os.environ["PATH"], "HOME": str(home), "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    app = place.own_command()
    with closing(place.store.read()) as db:
        known = db.value("SELECT count(*) FROM turns")
    print(f"{known:,} turns, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}\n")
    empty = [first_paint([sys.executable, "-c", EMPTY_APP], environ, re.compile("ready")) for _ in range(5)]
    frame = [first_paint(app, environ, _FRAME) for _ in range(5)]
    rows = [first_paint(app, environ, _RESULTS) for _ in range(5)]
    for name, times in (("first paint", frame), ("first results", rows)):
        print(f"{name}: {1000 * min(times):.0f} ms, an empty Textual app's first paint "
              f"{1000 * min(empty):.0f} ms: {min(times) / min(empty):.2f} times")  # fmt: skip
    print()
    print(f"{'':16}{'keys':>6}{'echo p50':>10}{'p95':>6}{'paint p50':>11}{'p95':>6}{'worst':>7}{'lost':>6}{'MB':>6}")
    round_of_keys("calm", app, environ)
    earlier = len(list((home / ".claude" / "projects").iterdir()))
    make(home, turns // 10, turns * earlier)
    round_of_keys("while indexing", app, environ)


def first_paint(argv: list[str], environ: dict[str, str], wanted: re.Pattern[str]) -> float:
    """Seconds until `wanted` is on the screen."""
    terminal = Terminal(argv, environ)
    moment = terminal.until(wanted, 30)
    took = (moment or time.perf_counter()) - terminal.began
    terminal.close()
    return took


def round_of_keys(name: str, argv: list[str], environ: dict[str, str]) -> None:
    """Type everything once, each key when the last one's results are there."""
    terminal = Terminal(argv, environ)
    terminal.until(_RESULTS, 30)
    terminal.rest(0.5)
    echoes: list[float] = []
    paints: list[float] = []
    lost = 0
    for text in TYPED:
        for end in range(1, len(text) + 1):
            began = terminal.press(text[end - 1])
            # Marks divide the text; its last letters stand together on the screen.
            echo = terminal.until(re.compile(re.escape(text[end - 1])))
            echoes.append(1000 * ((echo or time.perf_counter()) - began))
            if end > 1 or not text[0].isascii():  # one letter asks nothing
                painted = terminal.until(_RESULTS)
                lost += painted is None
                paints.append(1000 * ((painted or time.perf_counter()) - began))
            terminal.rest(0.03)
        terminal.press("\x15")  # ctrl+u
        terminal.rest(0.3)
    memory = terminal.peak_megabytes()
    terminal.close()
    e50, e95, _ = shares(echoes)
    p50, p95, worst = shares(paints)
    print(
        f"{name:16}{len(paints):>6}{e50:>10.0f}{e95:>6.0f}{p50:>11.0f}{p95:>6.0f}{worst:>7.0f}{lost:>6}{memory:>6.0f}"
    )


def shares(times: list[float]) -> Iterator[float]:
    """The middle one, the one that 95 of 100 are not above, the worst."""
    ordered = sorted(times)
    return (ordered[int(share * (len(ordered) - 1))] for share in (0.5, 0.95, 1))


def make(home: Path, turns: int, seed: int) -> None:
    """Sessions of 60 turns in a home; word frequencies as in any language (Zipf)."""
    chance = random.Random(seed)
    syllables = [a + b for a in "bdfghklmnprstvz" for b in ("a", "e", "i", "o", "u", "en", "or", "al")]
    names = [*WORDS, *("".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(20_000))]
    chance.shuffle(names)
    pool = chance.choices(names, [1 / (rank + 10) for rank in range(len(names))], k=400_000)
    when = datetime.now(UTC) - timedelta(days=300 if not seed else 2)

    def said(count: int) -> str:
        start = chance.randrange(len(pool) - count)
        return " ".join(pool[start : start + count])

    sessions: dict[str, list[tuple[str, str, datetime]]] = {}
    for number in range(turns // 60):
        talk: list[tuple[str, str, datetime]] = []
        for _ in range(30):
            when += timedelta(seconds=chance.randint(5, 60))
            talk.append(("user", said(chance.randint(4, 30)), when))
            talk.append(("assistant", said(chance.randint(20, 100)), when))
        sessions[f"00000000-0000-4000-8000-{seed + number:012d}"] = talk
    write(sessions, home / ".claude" / "projects" / f"-bench-{seed}")


if __name__ == "__main__":
    main()
