"""WorkBuddy, Tencent's desktop agent; its sessions are kept as CodeBuddy's are (see buddy.py)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..core.model import Checkpoint, Place, Record, SkipRecord
from .buddy import config_folders, records, resume_command, sessions_below
from .environment import named_folder

FOLDERS = (".workbuddy", ".workbuddy-ai")


@dataclass(frozen=True, slots=True)
class WorkBuddy:
    """Sessions of the WorkBuddy app."""

    name: str = "workbuddy"
    title: str = "WorkBuddy"
    version: int = 1
    tools: bool = False

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        return config_folders(home, named_folder(home, environ, "WORKBUDDY_CONFIG_DIR"), *FOLDERS)

    def find(self, root: Path) -> Iterator[Path | Place | SkipRecord]:
        return sessions_below(root)

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        return records(path, since, None, tools=self.tools)

    def resume(self, native_id: str) -> list[str] | None:
        """CodeBuddy's command line on WorkBuddy's folder, which a handle tells; for an id alone it is the usual one."""
        return resume_command(native_id, Path("~", FOLDERS[0]).expanduser())

    def with_tools(self) -> WorkBuddy:
        return replace(self, tools=True, version=self.version + 1000)
