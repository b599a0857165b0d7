"""Claude Code: one append-only JSONL file a session below `projects/`, and one for each of its sub-agents."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..core.model import Checkpoint, Record, Reread, SkipRecord
from .base import files_below, is_jsonl, open_file, printable
from .claude_desktop import FOLDER as DESKTOP
from .claude_desktop import desktop_roots, is_side_file, read_side_file
from .claude_pass import Pass
from .claude_settings import cleanup_days

NO_SESSIONS = ("journal.jsonl", "history.jsonl")
CLAUDE_MEM = "-claude-mem-observer-sessions"
"""How the project's folder is named in which claude-mem's own summariser talks; what it makes is another source's."""
RESUMABLE = re.compile(r"(?!-|agent-)[A-Za-z0-9_-]{1,128}")


@dataclass(frozen=True, slots=True)
class Claude:
    """Sessions of Claude Code, and of Claude Desktop's local agents."""

    name: str = "claude"
    title: str = "Claude Code"
    version: int = 1
    tools: bool = False

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        named = environ.get("CLAUDE_CONFIG_DIR", "").replace(os.pathsep, ",").split(",")
        folders = [home / name.strip().removeprefix("~/") for name in named if name.strip()]
        folders = folders or [home / ".claude", home / ".config" / "claude"]
        return list(dict.fromkeys([*(folder / "projects" for folder in folders), *desktop_roots(home, environ)]))

    def find(self, root: Path) -> Iterator[Path | SkipRecord]:
        in_desktop = root.name == DESKTOP
        for item in files_below(root, lambda name: _is_session(name) or (in_desktop and is_side_file(name))):
            if isinstance(item, Path):
                folders = item.relative_to(root).parts[:-1]
                if "tool-results" in folders or any(folder.endswith(CLAUDE_MEM) for folder in folders):
                    continue
                if in_desktop and ("projects" in folders) == is_side_file(item.name):
                    continue
            yield item

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        if is_side_file(path.name):
            if since is not None:
                raise Reread
            yield from read_side_file(path)
            return
        with open_file(path) as stream:
            yield from Pass(path, stream, since, printable(path.stem), _session_folder(path), self.tools).records()

    def resume(self, native_id: str) -> list[str] | None:
        return ["claude", "--resume", native_id] if RESUMABLE.fullmatch(native_id) else None

    def with_tools(self) -> Claude:
        return replace(self, tools=True, version=self.version + 1000)

    def sweep_days(self, root: Path) -> int | None:
        return None if root.name == DESKTOP else cleanup_days(root.parent)


def _is_session(name: str) -> bool:
    return is_jsonl(name) and name not in NO_SESSIONS


def _session_folder(path: Path) -> str | None:
    """For a file below SESSION/subagents, the name of that session."""
    folders = path.parts[:-1]
    if "projects" in folders:
        folders = folders[len(folders) - folders[::-1].index("projects") :]
    return printable(folders[folders.index("subagents") - 1]) if "subagents" in folders[1:] else None
