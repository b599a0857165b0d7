"""Indexing, searching and starting, measured: one table.

    python tests/bench/engine.py [HOME]

HOME holds Claude Code and Codex sessions; without it a home of about 30 MB is made up. Figures stand beside a yardstick
taken in the same run (parsing the same lines as JSON), so that runs on different machines can be compared.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import random
import resource
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from harkback.core import config
from harkback.core.query import parse
from harkback.core.search import Search
from harkback.core.when import local_now
from harkback.tui.surroundings import Surroundings

QUERIES = (
    "zebrafish",
    "quokka needle",
    "数据库迁移失败怎么办",
    "迁",
    "clipboard ssh",
    "sqlite",
    '"token refresh"',
    "postgres -retry",
    "how did we fix the clipboard over ssh?",
    "docker kubernetes deployment staging",
    "source:codex parser",
    "vect*",
    "session after:7d",
    "websocket reconnect backoff",
)
ROUNDS = 15


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="harkback-bench-") as folder:
        home = Path(sys.argv[1]) if len(sys.argv) > 1 else made_up(Path(folder) / "home")
        place = Surroundings(folder=Path(folder) / "index", home=home, environ={})
        ticks: dict[str, object] = {f"sources.{name}.enabled": True for name in place.titles}
        config.change(place.folder, {**ticks, "limits.preset": "everything"})
        print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors, Python {sys.version.split()[0]}\n")
        indexing(place)
        searching(place)
        starting(place)


def indexing(place: Surroundings) -> None:
    yardstick = parse_everything(place.home)
    done = run([sys.executable, "-m", "harkback.tui", "--home", str(place.folder), "index", "--json"], place)
    report = json.loads(done)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    megabytes = report["bytes_read"] / 1e6
    row("index, first time", f"{megabytes / report['seconds']:.1f} MB/s of session files")
    row("", f"{report['seconds'] / yardstick:.1f} × the time of parsing the same lines with json")
    row("", f"{report['turns']:,} turns of {report['sessions']:,} sessions in {report['seconds']:.2f} s")
    row("peak memory of it", f"{peak:.0f} MB")
    row("index size", f"{place.store.path.stat().st_size / report['bytes_read']:.2f} × the session files")
    began = time.perf_counter()
    again = place.reconcile()
    row("index, nothing new", f"{(time.perf_counter() - began) * 1000:.0f} ms, {again.bytes_read} bytes read")


def searching(place: Surroundings) -> None:
    times: list[float] = []
    for _ in range(ROUNDS):
        for text in QUERIES:
            began = time.perf_counter()
            db = place.store.read()
            search, query = Search(db), parse(text, local_now())
            found = search.best(query)
            search.hits(found.query, found.ranked[:20] or found.others[:20])
            db.close()
            times.append((time.perf_counter() - began) * 1000)
    cuts = statistics.quantiles(times, n=100)
    row(
        "search, 20 hits", f"p50 {cuts[49]:.1f} ms, p95 {cuts[94]:.1f} ms over {len(QUERIES)} queries, opening included"
    )
    seconds = best_of(5, lambda: run([sys.executable, "-m", "harkback.tui", "search", "--json", "sqlite"], place))
    bare = best_of(5, lambda: run([sys.executable, "-c", "pass"], place))
    row("harkback search --json", f"{seconds * 1000:.0f} ms as a process; the interpreter alone {bare * 1000:.0f} ms")


def starting(place: Surroundings) -> None:
    painted = best_of(5, lambda: first_paint(place))
    bare = best_of(5, lambda: run([sys.executable, "-c", "import textual.app"], place))
    row("app, first rows on the screen", f"{painted * 1000:.0f} ms; importing textual.app alone {bare * 1000:.0f} ms")


def first_paint(place: Surroundings) -> None:
    """Start the app in a pseudo-terminal, and wait until the list of sessions stands there."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(environ(place))
        os.execv(sys.executable, [sys.executable, "-m", "harkback.tui", "--home", str(place.folder)])  # noqa: S606
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 36, 120, 0, 0))
    seen = b""
    while b"newest first" not in seen:
        seen += os.read(terminal, 65_536)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    os.close(terminal)


def parse_everything(home: Path) -> float:
    lines = [line for path in home.rglob("*.jsonl") for line in path.read_bytes().splitlines()]
    began = time.perf_counter()
    for line in lines:
        try:
            json.loads(line)
        except ValueError:
            continue
    return time.perf_counter() - began


def environ(place: Surroundings) -> dict[str, str]:
    return {**os.environ, "HOME": str(place.home), "HARKBACK_HOME": str(place.folder), "TERM": "xterm-256color"}


def run(command: list[str], place: Surroundings) -> str:
    return subprocess.run(command, env=environ(place), capture_output=True, text=True, check=True).stdout


def best_of(count: int, do: Callable[[], object]) -> float:
    times: list[float] = []
    for _ in range(count):
        began = time.perf_counter()
        do()
        times.append(time.perf_counter() - began)
    return min(times)


def row(name: str, figure: str) -> None:
    print(f"{name:<32}{figure}")


def made_up(home: Path, sessions: int = 600) -> Path:
    """A home of Claude Code sessions in word salad with tool output between the turns, always the same."""
    rng = random.Random(7)
    words = ["".join(rng.choices("abcdefghijklmnoprstuvz", k=rng.randint(3, 9))) for _ in range(8_000)]
    words += [word for query in QUERIES for word in query.split()] * 20
    start = datetime(2026, 6, 1, tzinfo=UTC)
    for number in range(sessions):
        moment, before = start + timedelta(hours=7 * number), None
        path = home / ".claude" / "projects" / f"-home-dev-{number % 8}" / f"session-{number:05}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8") as file:
            for turn in range(rng.randint(6, 60)):
                moment += timedelta(seconds=40)
                role, size = ("user", 25) if turn % 2 == 0 else ("assistant", 120)
                content = [{"type": "text", "text": " ".join(rng.choices(words, k=size))}]
                result = {"type": "tool_result", "content": " ".join(rng.choices(words, k=250))}
                for kind, body in (("text", content), ("tool", [result])):
                    uuid = f"{number}-{turn}-{kind}"
                    record = {
                        "type": role if kind == "text" else "user",
                        "uuid": uuid,
                        "parentUuid": before,
                        "sessionId": path.stem,
                        "cwd": f"/home/dev/{number % 8}",
                        "timestamp": moment.isoformat(),
                        "message": {"role": role, "content": body},
                    }
                    file.write(json.dumps(record, ensure_ascii=False) + "\n")
                    before = uuid
    return home


if __name__ == "__main__":
    main()
