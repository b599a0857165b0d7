"""Gemini CLI: chats below `tmp/PROJECT/chats` of `~/.gemini`, each one JSON document or a log of operations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..core.model import Checkpoint, Record, Reread, SkipRecord
from .base import files_below, open_file, printable
from .content import resumable
from .environment import named_folder
from .gemini_chat import LINES, Chat
from .gemini_project import project_of
from .json_file import read_json
from .json_lines import JsonLines

CHATS = "chats"
PASSING = (".tmp-", ".unreadable-")


@dataclass(frozen=True, slots=True)
class Gemini:
    """The sessions of Gemini CLI and of its sub-agents."""

    name: str = "gemini"
    title: str = "Gemini CLI"
    version: int = 1
    tools: bool = False

    def with_tools(self) -> Gemini:
        return replace(self, tools=True, version=self.version + 1000)

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        return [(named_folder(home, environ, "GEMINI_CLI_HOME") or home) / ".gemini" / "tmp"]

    def find(self, root: Path) -> Iterator[Path | SkipRecord]:
        """Chats, each once: a document that was resumed has a log beside it that holds all of it."""
        chats: dict[Path, Path] = {}
        for found in files_below(root, _is_chat):
            if isinstance(found, SkipRecord):
                yield found
            elif _is_in_chats(found) and (found.suffix == ".jsonl" or found.with_suffix("") not in chats):
                chats[found.with_suffix("")] = found
        yield from chats.values()

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        if since is not None:
            raise Reread  # a later line may change what any earlier one said
        folder = path.parent
        is_below_chats = folder.parent.name == CHATS
        name = printable(path.stem)
        chat = Chat(name, printable(folder.name) if is_below_chats else None, with_tools=self.tools)
        if path.suffix == ".json":
            document, end = read_json(path, LINES)
            chat.take("the document", document)
        else:
            with open_file(path) as stream:
                lines = JsonLines(stream, LINES)
                for found in lines:
                    if isinstance(found, SkipRecord):
                        yield found
                    else:
                        chat.take(f"byte {found[0]}", found[1])
                end = lines.offset
        yield from chat.records(project_of(folder.parent.parent if is_below_chats else folder.parent))
        yield Checkpoint(end)

    def resume(self, native_id: str) -> list[str] | None:
        return ["gemini", "--resume", native_id] if resumable(native_id) else None


def _is_chat(name: str) -> bool:
    """By its name; sub-agents' files are named for the sub-agent alone."""
    return (
        name.endswith((".json", ".jsonl"))
        and not name.startswith((".", "checkpoint-"))
        and name != "logs.json"
        and not any(mark in name for mark in PASSING)
    )


def _is_in_chats(path: Path) -> bool:
    if path.parent.name == CHATS:
        return path.name.startswith("session-")
    return path.parent.parent.name == CHATS and path.suffix == ".jsonl"
