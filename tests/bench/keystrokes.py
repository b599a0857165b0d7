"""A query typed letter by letter: what each state of it costs, and what a person sees who types on. One table.

    python tests/bench/keystrokes.py [HOME]

HOME holds sessions of Claude Code and Codex; without it about 300,000 chunks are made up. Each state is asked as
the app asks: the best matches, then the first page. The last column says how many states took longer than one key press
is apart from the next (80 ms): those are cancelled when the person types on.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from harkback.core import config
from harkback.core.query import parse
from harkback.core.search import Search
from harkback.core.when import local_now
from harkback.tui.surroundings import Surroundings
from quality import write

TYPED = (
    "how did we fix the flaky clipboard test?",
    "database migration failed with a timeout",
    "clipboard -tmux source:claude after:30d x",
    '"set-clipboard on" OR "allow-passthrough"',
    "the getUserName refactoring of last week",
    "数据库迁移失败之后我们怎么处理了那个超时的问题以及重新部署的步骤到底是什么",
    "retry backoff websocket deploy staging ok",
)
KEY_MS = 80
WORDS = """alpha api async auth backoff bash batch branch buffer build bug cache chunk class cli client clipboard code
commit config connection container context cursor data database debug deploy docker docs driver editor engine error
event file filter fix flag flaky function git handler hash header hook http index input issue iterator job json key
kernel label layer limit line lint list lock log loop main memory merge message migration model module network node
null object option output package parser patch path pattern pipeline plugin pool port process profile prompt proxy
python query queue race read refactor regex release remote render request retry review role route rule schema script
search secret server session shell signal socket source sql sqlite ssh stack staging state status step stream string
style sync system table task terminal test theme thread timeout tmux token tool trace tree type update upload user
utf value vector version view watch websocket widget worker write yaml zone
数据库 迁移 失败 超时 部署 剪贴板
测试 连接""".split()


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="harkback-bench-") as folder:
        home = Path(sys.argv[1]) if len(sys.argv) > 1 else made_up(Path(folder) / "home")
        place = Surroundings(folder=Path(folder) / "index", home=home, environ={})
        ticks: dict[str, object] = {f"sources.{name}.enabled": True for name in ("claude", "codex")}
        config.change(place.folder, {**ticks, "limits.preset": "everything"})
        place.reconcile()
        with closing(place.store.read()) as db:
            chunks = db.value("SELECT count(*) FROM chunks")
            print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors, {chunks:,} chunks\n")
            print(f"{'typed':44}{'states':>7}{'p50 ms':>8}{'p95':>7}{'worst':>7}  {'at':24}{'> key':>6}")
            for text in TYPED:
                measure(Search(db), text)


def measure(search: Search, text: str) -> None:
    times: list[tuple[float, str]] = []
    for end in range(1, len(text) + 1):
        began = time.perf_counter()
        found = search.best(parse(text[:end], local_now(), typing=True))
        search.hits(found.query, (*found.ranked, *found.others)[:20])
        times.append((1000 * (time.perf_counter() - began), text[:end]))
    ordered = sorted(times)
    middle, high, worst = (ordered[int(share * (len(ordered) - 1))] for share in (0.5, 0.95, 1))
    late = sum(ms > KEY_MS for ms, _ in times)
    print(
        f"{text[:42]:44}{len(times):>7}{middle[0]:>8.1f}{high[0]:>7.0f}{worst[0]:>7.0f}  {worst[1][-22:]!r:24}{late:>6}"
    )


def made_up(home: Path) -> Path:
    """About 300,000 chunks in a home."""
    chance = random.Random(5)
    names = [*WORDS, *(f"{a}{b}{number}" for number in range(4) for a in WORDS[:70] for b in WORDS[:70])]
    shares = [1 / (rank + 10) for rank in range(len(names))]  # Zipf's law, as in any language
    chance.shuffle(names)
    pool = chance.choices(names, shares, k=400_000)
    when = datetime.now(UTC) - timedelta(days=700)

    def said(count: int) -> str:
        start = chance.randrange(len(pool) - count)
        return " ".join(pool[start : start + count])

    sessions: dict[str, list[tuple[str, str, datetime]]] = {}
    for number in range(4_000):
        turns: list[tuple[str, str, datetime]] = []
        for _ in range(30):
            when += timedelta(minutes=chance.randint(1, 15))
            turns.append(("user", said(chance.randint(4, 40)), when))
            turns.append(("assistant", "\n\n".join(said(90) for _ in range(chance.randint(1, 2))), when))
        sessions[f"00000000-0000-4000-8000-{number:012d}"] = turns
    write(sessions, home / ".claude" / "projects" / "-bench")
    return home


if __name__ == "__main__":
    main()
