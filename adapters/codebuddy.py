"""CodeBuddy Code, Tencent's command line agent; its sessions are kept as WorkBuddy's are (see buddy.py)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..core.model import Checkpoint, Place, Record, SkipRecord
from .buddy import CONFIG_VARIABLE, config_folders, records, resume_command, sessions_below
from .environment import named_folder
from .workbuddy import FOLDERS as OF_WORKBUDDY

FOLDERS = (".codebuddy", ".codebuddy-cn")


@dataclass(frozen=True, slots=True)
class CodeBuddy:
    """Sessions of CodeBuddy Code."""

    name: str = "codebuddy"
    title: str = "CodeBuddy"
    version: int = 1
    tools: bool = False

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        """Never WorkBuddy's, though the variable may name one to resume a session of that."""
        theirs = {home / name for name in OF_WORKBUDDY}
        named = config_folders(home, named_folder(home, environ, CONFIG_VARIABLE), *FOLDERS)
        return [root if root not in theirs else home / FOLDERS[0] for root in named]

    def find(self, root: Path) -> Iterator[Path | Place | SkipRecord]:
        return sessions_below(root)

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        return records(path, since, FOLDERS[0], tools=self.tools)

    def resume(self, native_id: str) -> list[str] | None:
        return resume_command(native_id, None)

    def with_tools(self) -> CodeBuddy:
        return replace(self, tools=True, version=self.version + 1000)
