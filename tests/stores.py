"""Real stores in a home of their own, read by the real adapters; a pass may change nothing in them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine import Engine, check
from harkback.adapters import ADAPTERS
from harkback.core.reconcile import Report

TIME = "2026-03-04T05:06:07.000Z"


@dataclass
class Stores(Engine):
    """A home with a store of Claude Code and one of Codex."""

    adapters: tuple[Any, ...] = ADAPTERS

    def __post_init__(self) -> None:
        super().__post_init__()
        self.claude = self.home / ".claude" / "projects" / "-src-demo"
        self.codex = self.home / ".codex" / "sessions" / "2026" / "03" / "04"
        for folder in (self.claude, self.codex):
            folder.mkdir(parents=True, exist_ok=True)

    def run(self, only: list[str] | None = None, *, rebuild: bool = False, batches: int | None = None) -> Report:
        before = self.listing()
        report = super().run(only, rebuild=rebuild, batches=batches)
        assert self.listing() == before
        check(self)
        return report

    def session(self, name: str, *lines: bytes) -> Path:
        """Write a session of Claude Code."""
        path = self.claude / f"{name}.jsonl"
        path.write_bytes(b"".join(lines))
        return path

    def rollout(self, name: str, *rows: Any) -> Path:
        """Write a session of Codex; its id is `name` unless its rows say otherwise."""
        path = self.codex / f"{name}.jsonl"
        path.write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in rows))
        return path

    def says(self, session: str, source: str = "claude") -> list[str]:
        return self.texts(session, source)

    def reasons(self) -> dict[str, str]:
        """The files that are set aside, by name, with why."""
        rows = self.rows("SELECT path, reason FROM files WHERE state = 'quarantined'")
        return {Path(path.decode("utf-8", "surrogateescape")).name: reason for path, reason in rows}


def said(text: str, **more: Any) -> bytes:
    """A line of Claude Code in which a person says something."""
    return spoken("user", text, **more)


def spoken(kind: str, content: Any, **more: Any) -> bytes:
    row = {"type": kind, "timestamp": TIME, "message": {"role": kind, "content": content}} | more
    return json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def asked(text: str, **more: Any) -> dict[str, Any]:
    """A row of Codex in which a person says something."""
    return {"timestamp": TIME, "type": "event_msg", "payload": {"type": "user_message", "message": text}} | more
