"""pi, and its fork Oh My Pi: one append-only JSONL file a session, a tree of entries whose last one ends the branch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from ..core.model import Checkpoint, Record, SkipRecord, Unreadable
from .base import files_below, is_jsonl
from .content import label, resumable
from .environment import named_folder
from .json_file import read_json
from .line_pass import line_records
from .pi_entries import LINE, STAMPED, Entries, id_in


class _Settings(msgspec.Struct):
    session_dir: object = msgspec.field(default=None, name="sessionDir")


@dataclass(frozen=True, slots=True)
class Pi:
    """Sessions of the pi coding agent."""

    name: str = "pi"
    title: str = "pi"
    version: int = 1
    tools: bool = False

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        agent = named_folder(home, environ, "PI_CODING_AGENT_DIR") or home / ".pi" / "agent"
        named = named_folder(home, environ, "PI_CODING_AGENT_SESSION_DIR")
        given = [named, _folder_in_settings(agent / "settings.json", home)]
        return [*(folder for folder in given if folder), agent / "sessions", home / ".omp" / "agent" / "sessions"]

    def find(self, root: Path) -> Iterator[Path | SkipRecord]:
        return files_below(root, is_jsonl)

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        parent = STAMPED.fullmatch(path.parent.name)
        entries = Entries(id_in(path.stem), since.state if since else b"", self.tools, parent and parent[1])
        yield from line_records(path, since, LINE, entries)

    def resume(self, native_id: str) -> list[str] | None:
        return ["pi", "--session", native_id] if resumable(native_id) else None

    def with_tools(self) -> Pi:
        return replace(self, tools=True, version=self.version + 1000)


def _folder_in_settings(path: Path, home: Path) -> Path | None:
    try:
        told = label(read_json(path, _SETTINGS, 1 << 20)[0].session_dir)
    except (OSError, ValueError, Unreadable):
        return None
    return home / told.removeprefix("~/") if told else None


_SETTINGS = msgspec.json.Decoder(_Settings)
