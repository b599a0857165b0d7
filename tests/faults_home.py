"""A home made up for the fault programme, in the state before some changes and the one after them."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from engine import Engine, turn

MARK = "zebrafish"
"""Stands in one session that nothing happens to, so that every index but the first must know it."""
FORGOTTEN = "forgetmenot"
"""Stands in every turn of the session that is to be forgotten."""
SECRET = re.compile(b"ghp" + b"_[A-Za-z0-9]{36}")
"""Stand in many turns, and in no index."""
FORGOTTEN_SESSION = "claude:session-0002"


@dataclass
class Home:
    """Fills the home of an engine."""

    engine: Engine
    rng: random.Random

    def __post_init__(self) -> None:
        letters = "abcdefghijklmnoprstuvz"
        self._words = ["".join(self.rng.choices(letters, k=self.rng.randint(3, 9))) for _ in range(2_000)]
        self._words += ["数据库", "迁移失败", "naïve", "日本語"] * 20

    def prose(self, size: int) -> str:
        text = " ".join(self.rng.choices(self._words, k=size))
        if self.rng.random() < 0.05:
            alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
            text += f" with {'ghp'}_{''.join(self.rng.choices(alphabet, k=36))} in it"
        return text

    def claude(self, number: int, turns: Iterable[int], word: str = "") -> None:
        """Add turns to a session of Claude Code's, with tool output between them."""
        path = self.engine.home / ".claude" / "projects" / f"-work-{number % 5}" / f"session-{number:04}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            for k in turns:
                role = "assistant" if k % 2 else "user"
                text = f"{word} {self.prose(60 if k % 2 else 15)}"
                output = {"type": "tool_result", "tool_use_id": "x", "content": self.prose(60)}
                texts = {"text": (role, [{"type": "text", "text": text}]), "output": ("user", [output])}
                for suffix, (kind, content) in texts.items():
                    before = f"{number}-{k}-text" if suffix == "output" else f"{number}-{k - 1}-output" if k else None
                    record = {
                        "type": kind, "uuid": f"{number}-{k}-{suffix}", "parentUuid": before, "sessionId": path.stem,
                        "cwd": f"/work/{number % 5}", "message": {"role": kind, "content": content},
                        "timestamp": f"2026-03-{1 + number % 28:02}T{k // 60:02}:{k % 60:02}:00Z",
                    }  # fmt: skip
                    file.write(json.dumps(record, ensure_ascii=False) + "\n")

    def lines(self, number: int, count: int) -> list[Any]:
        facts = ["facts", {"title": f"number {number}", "title_rank": 3, "parent": "s00", "project": "/work"}]
        turns = [turn(self.prose(25), native_id=f"{number}-{k}", time=1_772_000_000_000 + k) for k in range(count)]
        return [facts, *turns]

    def make(self, sessions: int) -> None:
        for number in range(sessions):
            self.claude(number, range(self.rng.randint(6, 24)), {1: MARK, 2: FORGOTTEN}.get(number, ""))
            self.engine.write(f"s{number:02}", *self.lines(number, 12))
        self.engine.append_bytes("s00", b"no json\n" + b'["turn", {"text": "still wri')

    def change(self, sessions: int) -> None:
        """Everything that happens to files: some grow, are written anew, replaced, gone, new."""
        for number in range(3, sessions, 3):
            self.claude(number, range(100, 104))
        for number in range(sessions, sessions + 4):
            self.claude(number, range(10))
        for number in range(1, sessions, 4):
            self.engine.append(f"s{number:02}", turn(self.prose(20)))
        self.engine.write("s02", *self.lines(902, 9))
        self.engine.write("s06", *self.lines(906, 30))
        content = self.engine.path("s03").read_bytes()
        self.engine.replace("s03", content + content.replace(b'"3-', b'"903-'))
        self.engine.path("s04").unlink()
