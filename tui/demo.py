"""`harkback demo`: sample sessions, written as Claude Code and Codex would into a temporary home, and the app on it."""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib import resources
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import msgspec

from ..core import config as configuration
from .surroundings import Surroundings

SOURCES = ("claude", "codex")


class Turn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One message as lines, of whoever said it."""

    user: tuple[str, ...] = ()
    assistant: tuple[str, ...] = ()

    @property
    def role(self) -> str:
        return "user" if self.user else "assistant"

    @property
    def text(self) -> str:
        return "\n".join(self.user or self.assistant)

    @property
    def pause(self) -> timedelta:
        """How long it takes to say: people type slowly, agents work."""
        return timedelta(seconds=15 + len(self.text) / (4 if self.user else 9))


class Sample(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One session of demo.json. With `agent` it is a sub-agent's, of the session that has the same name."""

    source: str
    name: str
    title: str
    project: str
    branch: str
    model: str
    hours_ago: float
    turns: tuple[Turn, ...]
    agent: str | None = None

    @property
    def id(self) -> str:
        return str(uuid5(NAMESPACE_URL, f"harkback:demo:{self.name}"))

    def timed(self, now: datetime) -> list[tuple[datetime, Turn]]:
        """Its turns with the moments at which they were said."""
        moment = now - timedelta(hours=self.hours_ago)
        timed: list[tuple[datetime, Turn]] = []
        for turn in self.turns:
            moment += turn.pause
            timed.append((moment, turn))
        return timed


class Samples(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole of demo.json."""

    sessions: tuple[Sample, ...]


def run_demo() -> int:
    """Open the app on the samples; gives its exit code. The temporary home is removed when the app ends."""
    from .app import run_app

    for name in ("SIGTERM", "SIGHUP"):  # a closed terminal must not leave the home behind
        if number := getattr(signal, name, None):
            signal.signal(number, lambda number, frame: sys.exit(128 + number))
    with tempfile.TemporaryDirectory(prefix="harkback-demo-", ignore_cleanup_errors=True) as name:
        home = Path(name)
        write_home(home, datetime.now(UTC))
        return run_app(surroundings(home))


def surroundings(home: Path) -> Surroundings:
    """harkback for the person who lives in `home`: both sources are ticked, nothing is left out for its age."""
    here = Surroundings(folder=home / ".harkback", home=home, environ={})
    ticks: dict[str, object] = {f"sources.{name}.enabled": True for name in SOURCES}
    configuration.change(here.folder, {**ticks, "limits.preset": "everything"})
    return here


def samples() -> tuple[Sample, ...]:
    """The sessions of demo.json."""
    text = resources.files(__package__ or "").joinpath("demo.json").read_bytes()
    return msgspec.json.decode(text, type=Samples).sessions


def write_home(home: Path, now: datetime) -> None:
    """Write the samples into the folder `home`, as if they had been said in the half year before `now`."""
    titles: list[dict[str, Any]] = []
    for sample in samples():
        (home / sample.project).mkdir(parents=True, exist_ok=True)
        timed = sample.timed(now)
        if sample.source == "claude":
            _write(_claude_path(home, sample), _claude_lines(sample, timed, home), timed[-1][0])
        else:
            _write(_codex_path(home, sample, timed[0][0]), _codex_lines(sample, timed, home), timed[-1][0])
            titles.append({"id": sample.id, "thread_name": sample.title, "updated_at": _iso(timed[-1][0])})
    _write(home / ".codex" / "session_index.jsonl", titles, now)


# ---- Claude Code ----


def _claude_path(home: Path, sample: Sample) -> Path:
    folder = home / ".claude" / "projects" / str(home / sample.project).replace(os.sep, "-")
    if sample.agent:
        return folder / sample.id / "subagents" / f"agent-{sample.agent}.jsonl"
    return folder / f"{sample.id}.jsonl"


def _claude_lines(sample: Sample, timed: list[tuple[datetime, Turn]], home: Path) -> Iterator[dict[str, Any]]:
    facts = {
        "isSidechain": sample.agent is not None,
        "userType": "external",
        "cwd": str(home / sample.project),
        "sessionId": sample.id,
        "version": "2.1.30",
        "gitBranch": sample.branch,
        **({"agentId": sample.agent} if sample.agent else {}),
    }
    before: str | None = None
    for number, (moment, turn) in enumerate(timed, 1):
        own = str(uuid5(NAMESPACE_URL, f"{sample.id}:{sample.agent}:{number}"))
        message: dict[str, Any] = {"role": turn.role, "content": turn.text}
        if turn.role == "assistant":
            content = [{"type": "text", "text": turn.text}]
            message = {"id": f"msg_{own}", "model": sample.model, "role": turn.role, "content": content}
        yield {
            "parentUuid": before,
            **facts,
            "type": turn.role,
            "message": message,
            "uuid": own,
            "timestamp": _iso(moment),
        }
        before = own
    if sample.agent:
        yield {"type": "agent-name", "agentName": sample.title, "sessionId": sample.id}
    else:
        yield {"type": "ai-title", "aiTitle": sample.title, "sessionId": sample.id}


# ---- Codex ----


def _codex_path(home: Path, sample: Sample, started: datetime) -> Path:
    name = f"rollout-{started:%Y-%m-%dT%H-%M-%S}-{sample.id}.jsonl"
    return home / ".codex" / "sessions" / f"{started:%Y}" / f"{started:%m}" / f"{started:%d}" / name


def _codex_lines(sample: Sample, timed: list[tuple[datetime, Turn]], home: Path) -> Iterator[dict[str, Any]]:
    start, cwd = _iso(timed[0][0]), str(home / sample.project)
    meta = {"id": sample.id, "timestamp": start, "cwd": cwd, "originator": "codex_cli_rs", "source": "cli"}
    yield {"timestamp": start, "type": "session_meta", "payload": {**meta, "git": {"branch": sample.branch}}}
    yield {"timestamp": start, "type": "turn_context", "payload": {"cwd": cwd, "model": sample.model}}
    for moment, turn in timed:
        kind, event = ("input_text", "user_message") if turn.user else ("output_text", "agent_message")
        item = {"type": "message", "role": turn.role, "content": [{"type": kind, "text": turn.text}]}
        yield {"timestamp": _iso(moment), "type": "response_item", "payload": item}
        yield {"timestamp": _iso(moment), "type": "event_msg", "payload": {"type": event, "message": turn.text}}


# ---- files ----


def _write(path: Path, lines: Iterator[dict[str, Any]] | list[dict[str, Any]], modified: datetime) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8", newline="\n")
    os.utime(path, (modified.timestamp(), modified.timestamp()))


def _iso(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03}Z"
