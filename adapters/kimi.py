"""Kimi: the sessions of kimi-cli, of its successor kimi-code, and of the Kimi Work app, which keeps them like that."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..core.model import Checkpoint, Place, Record, SkipRecord
from .base import is_jsonl
from .content import resumable
from .environment import application_folders, named_folder
from .kimi_cli import STATE, WIRE, state_records, wire_records
from .kimi_code import code_state_records, code_wire_records
from .kimi_context import CONTEXT, context_records
from .listing import files_in, folders_in

SESSIONS, AGENTS, SUBAGENTS = "sessions", "agents", "subagents"
DESKTOP = Path("kimi-desktop", "daimon-share", "daimon", "runtime", "kimi-code", "home")
NO_CONVERSATIONS = ("ctitle-", "sklsum-", "dvlt-")
"""What the app has itself told: titles, summaries of skills and the like."""
OF_CLI = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
OF_APP = "conv-"


@dataclass(frozen=True, slots=True)
class Kimi:
    """Sessions of Kimi's command line agents and of its app."""

    name: str = "kimi"
    title: str = "Kimi"
    version: int = 1
    tools: bool = False

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        return [
            named_folder(home, environ, "KIMI_SHARE_DIR") or home / ".kimi",
            named_folder(home, environ, "KIMI_CODE_HOME") or home / ".kimi-code",
            *(base / DESKTOP for base in application_folders(home, environ)),
        ]

    def find(self, root: Path) -> Iterator[Path | Place | SkipRecord]:
        if (root / SESSIONS).is_symlink():
            yield SkipRecord("symbolic-link", os.fspath(root / SESSIONS))
            return
        for project in folders_in(root / SESSIONS):
            if isinstance(project, SkipRecord):
                yield project
                continue
            names: set[str] = set()
            for session in folders_in(project):
                if isinstance(session, SkipRecord):
                    yield session
                elif not session.name.startswith(NO_CONVERSATIONS):
                    names.add(session.name)
                    yield from _of_session(session)
            for item in files_in(project, is_jsonl):
                if isinstance(item, SkipRecord) or item.stem not in names:
                    yield item

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        if path.name == STATE:
            is_code = (path.parent / AGENTS).is_dir()
            yield from code_state_records(path) if is_code else state_records(path)
        elif path.name == WIRE and path.parent.parent.name == AGENTS:
            yield from code_wire_records(path, since, tools=self.tools)
        elif path.name == WIRE:
            yield from wire_records(path, since, tools=self.tools)
        else:
            yield from context_records(path, since, tools=self.tools)

    def resume(self, native_id: str) -> list[str] | None:
        """The command of the generation that the id is of; none for sub-agents (with a dot) and for the app."""
        if not resumable(native_id) or "." in native_id or native_id.startswith(OF_APP):
            return None
        return ["kimi", "-r" if OF_CLI.fullmatch(native_id) else "--session", native_id]

    def with_tools(self) -> Kimi:
        return replace(self, tools=True, version=self.version + 1000)


def _of_session(folder: Path) -> Iterator[Path | Place | SkipRecord]:
    """The files of one session, of either generation, and of its sub-agents."""
    for item in files_in(folder, lambda name: name in (WIRE, STATE, CONTEXT)):
        is_context = isinstance(item, Path) and item.name == CONTEXT
        yield Place(item, beside=(folder / WIRE,)) if isinstance(item, Path) and is_context else item
    for name in (AGENTS, SUBAGENTS):
        for agent in folders_in(folder / name):
            if isinstance(agent, SkipRecord):
                yield agent
                continue
            wanted = (WIRE,) if name == AGENTS else (WIRE, CONTEXT)
            for item in files_in(agent, lambda name, wanted=wanted: name in wanted):
                is_context = isinstance(item, Path) and item.name == CONTEXT
                yield Place(item, beside=(agent / WIRE,)) if isinstance(item, Path) and is_context else item
