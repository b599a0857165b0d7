"""Qwen Code: one append-only JSONL file a session below `projects/*/chats`, each a tree of records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..core.model import Checkpoint, Record, SessionRecord, SkipRecord
from .base import files_below, is_jsonl, printable
from .content import resumable
from .environment import named_folder
from .line_pass import line_records
from .qwen_tree import LINES, Tree

CHATS, ARCHIVE = "chats", "archive"


@dataclass(frozen=True, slots=True)
class Qwen:
    """The sessions of Qwen Code, archived ones too."""

    name: str = "qwen"
    title: str = "Qwen Code"
    version: int = 1
    tools: bool = False

    def with_tools(self) -> Qwen:
        return replace(self, tools=True, version=self.version + 1000)

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        named = [named_folder(home, environ, variable) for variable in ("QWEN_RUNTIME_DIR", "QWEN_HOME")]
        folders = [folder for folder in named if folder] or [home / ".qwen"]
        return list(dict.fromkeys(folder / "projects" for folder in folders))

    def find(self, root: Path) -> Iterator[Path | SkipRecord]:
        for found in files_below(root, is_jsonl):
            if isinstance(found, SkipRecord) or _is_in_chats(found):
                yield found

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        session = printable(path.stem)  # what the records say may be another's: Qwen goes by the name as well
        tree = Tree(session, since.state if since else b"", with_tools=self.tools)
        if since is None and path.parent.name == ARCHIVE:
            yield SessionRecord(session, handle=f"{ARCHIVE}/{session}")  # nothing that `resume` takes
        yield from line_records(path, since, LINES, tree)

    def resume(self, native_id: str) -> list[str] | None:
        return ["qwen", "--resume", native_id] if resumable(native_id) else None


def _is_in_chats(path: Path) -> bool:
    folder = path.parent
    return folder.name == CHATS or (folder.name == ARCHIVE and folder.parent.name == CHATS)
