"""ZCode: its database of sessions, and the request logs and older transcripts that hold what the database does not.

The writer is not public; its CLI database is read as v0.14.8 has it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..core.model import Checkpoint, Place, Record, Reread, SkipRecord
from .base import files_below, is_jsonl
from .environment import named_folder
from .foreign_sqlite import change_token, split
from .zcode_database import DATABASE, session_places, session_records
from .zcode_rollout import PREFIX, rollout_records
from .zcode_transcript import TRANSCRIPT, transcript_records

VARIABLES = ("ZCODE_STORAGE_DIR", "ZCODE_HOME", "ZCODE_DIR")
"""What readers of its store honour; ZCode itself documents none."""
ROLLOUT, NO_SESSION = "rollout", f"{PREFIX}no-session.jsonl"


@dataclass(frozen=True, slots=True)
class ZCode:
    """Sessions of Z.ai's ZCode."""

    name: str = "zcode"
    title: str = "ZCode"
    version: int = 1
    tools: bool = False

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        named = (named_folder(home, environ, variable) for variable in VARIABLES)
        return [next((folder for folder in named if folder), home / ".zcode")]

    def find(self, root: Path) -> Iterator[Path | SkipRecord]:
        cli = root if root.name == "cli" else root / "cli"
        database = cli / "db" / DATABASE
        if database.is_file() and not database.is_symlink():
            yield database
        yield from _below(cli / ROLLOUT, _is_rollout)
        yield from _below(cli / "agents", lambda name: name == TRANSCRIPT)
        yield from _below(root / "projects", is_jsonl)

    def is_divided(self, path: Path) -> bool:
        return path.name == DATABASE

    def token(self, path: Path) -> bytes:
        return change_token(path)

    def places(self, path: Path) -> Iterator[Place | SkipRecord]:
        return session_places(path)

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        if path.parent.name == DATABASE:
            yield from session_records(*split(path), tools=self.tools)
        elif path.name.startswith(PREFIX) or path.parent.name == ROLLOUT:
            if since is not None:
                raise Reread
            yield from rollout_records(path, tools=self.tools)
        else:
            yield from transcript_records(path, since, tools=self.tools)

    def resume(self, native_id: str) -> list[str] | None:
        """ZCode is an app that takes no session from outside."""
        return None

    def with_tools(self) -> ZCode:
        return replace(self, tools=True, version=self.version + 1000)


def _is_rollout(name: str) -> bool:
    return name.startswith((PREFIX, "sess_")) and name.endswith(".jsonl") and name != NO_SESSION


def _below(folder: Path, wanted: Callable[[str], bool]) -> Iterator[Path | SkipRecord]:
    if folder.is_symlink():
        yield SkipRecord("symbolic-link", os.fspath(folder))
    elif folder.is_dir():
        yield from files_below(folder, wanted)
