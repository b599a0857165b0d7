"""OpenClaw and its earlier names: of each agent the transcripts as JSON lines and their list, or a database of them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..core.model import Adapter, Checkpoint, Place, Record, Reread, SessionRecord, SkipRecord
from . import openclaw_store
from .environment import named_folder
from .foreign_sqlite import change_token, split
from .line_pass import line_records
from .listing import files_in, folders_in, plain_folders_in
from .openclaw_list import read_list
from .openclaw_rows import ROWS, Transcript

LIST, STORE = "sessions.json", "openclaw-agent.sqlite"
KIN = (".openclaw", ".clawdbot", ".moltbot", ".moldbot", ".qclaw", ".kimi_openclaw")
"""The product's names until now, and products that are built on it."""
VARIABLES = {".openclaw": "OPENCLAW_STATE_DIR", ".clawdbot": "CLAWDBOT_STATE_DIR"}
LIVE = re.compile(
    r"(?!.*\.checkpoint\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jsonl$)[^.\s][^\n]*(?<!\.trajectory)\.jsonl"
)
DELETED = re.compile(
    r"([^\n]+\.jsonl)\.deleted\.\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d{3})?Z(?:\.[0-9a-f]{32})?(?:\.zst)?", re.ASCII
)
"""What a deleted transcript is called; an upgrade to the database calls those that it has read `.jsonl.migrated`."""
TOPIC = re.compile(r"-topic-[^/]*$")
KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+@-]*(?::[A-Za-z0-9._+@-]+){1,12}")
LONGEST_KEY = 256


@dataclass(frozen=True, slots=True)
class OpenClaw:
    """The sessions of every agent of an OpenClaw installation."""

    name: str = "openclaw"
    title: str = "OpenClaw"
    version: int = 1
    tools: bool = False

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        """The state folder, under each name that it has or had, and those of named profiles in the home."""
        named = {name: named_folder(home, environ, variable) for name, variable in VARIABLES.items()}
        profiles = [each for each in plain_folders_in(home) if each.name.startswith(".openclaw-")]
        return [*(named.get(name) or home / name for name in KIN), *profiles]

    def find(self, root: Path) -> Iterator[Path | Place | SkipRecord]:
        """What each agent keeps of its sessions, and nothing else: credentials lie in the folders beside."""
        agents = root if root.name == "agents" else root / "agents"
        for agent in folders_in(agents):
            if isinstance(agent, SkipRecord):
                yield agent
                continue
            yield from _sessions(agent / "sessions")
            yield from files_in(agent / "agent", STORE.__eq__)
        yield from _sessions(root if root.name == "sessions" else root / "sessions")

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        """The records of a transcript or of the list; of a deleted one only that it was deleted."""
        if self.is_divided(path.parent):
            store, session = split(path)
            yield from openclaw_store.read(store, session, _agent_of(store), tools=self.tools)
            yield Checkpoint(0)
        elif path.name == LIST:
            if since:
                raise Reread
            yield from read_list(path, _agent_of(path))
        elif deleted := _deleted(path.name):
            session = _name_of(deleted)
            if not _is_live(path.parent, session):
                yield SessionRecord(session, deleted=True)
            yield Checkpoint(0)
        else:
            transcript = Transcript(
                _name_of(path.name), _agent_of(path), since.state if since else b"", tools=self.tools
            )
            yield from line_records(path, since, ROWS, transcript)

    def is_divided(self, path: Path) -> bool:
        """Whether a file is an agent's database."""
        return path.name == STORE

    def token(self, path: Path) -> bytes:
        """Equal so long as nothing changes in the database."""
        return change_token(path)

    def places(self, path: Path) -> Iterator[Place | SkipRecord]:
        """The sessions of a database."""
        return openclaw_store.places(path)

    def resume(self, native_id: str) -> list[str] | None:
        """`openclaw tui` for a session's key; there is no command for a session that its key no longer stands for."""
        if len(native_id) > LONGEST_KEY or not KEY.fullmatch(native_id):
            return None
        return ["openclaw", "tui", "--session", native_id]

    def with_tools(self) -> Adapter:
        """This adapter, reading tool calls and results too."""
        return replace(self, tools=True, version=self.version + 1000)


def _sessions(folder: Path) -> Iterator[Path | Place | SkipRecord]:
    if folder.is_symlink():
        yield SkipRecord("symbolic-link", os.fspath(folder))
        return
    for found in files_in(folder, _is_wanted):
        if isinstance(found, Path) and (deleted := _deleted(found.name)):
            names = dict.fromkeys((deleted, f"{_name_of(deleted)}.jsonl"))
            yield Place(found, beside=tuple(folder / name for name in names))
        else:
            yield found


def _is_wanted(name: str) -> bool:
    return name == LIST or LIVE.fullmatch(name) is not None or _deleted(name) is not None


def _deleted(name: str) -> str | None:
    """What a deleted transcript was called before; None for any other file."""
    found = DELETED.fullmatch(name)
    return found[1] if found and LIVE.fullmatch(found[1]) else None


def _is_live(folder: Path, session: str) -> bool:
    """Whether a session has a transcript, of one topic at least."""
    try:
        with os.scandir(folder) as entries:
            return any(LIVE.fullmatch(each.name) and _name_of(each.name) == session for each in entries)
    except OSError:
        return True


def _name_of(name: str) -> str:
    """The session's id as far as the name of its transcript tells; a topic's transcript has it with the topic's."""
    return TOPIC.sub("", name.removesuffix(".jsonl")) or name


def _agent_of(path: Path) -> str | None:
    """Whose folder a file lies in."""
    *_, above, agent, _, _ = (*("",) * 3, *path.parts)
    return agent if above == "agents" else None
