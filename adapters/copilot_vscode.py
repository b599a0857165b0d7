"""Copilot Chat in VS Code: one JSON document or one log of its changes a session, below the editor's `User` folder."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from ..core.model import Checkpoint, Record, Reread, SkipRecord, Unreadable
from .base import files_below, open_file, printable
from .environment import user_folders
from .json_file import read_json
from .json_lines import JsonLines
from .listing import is_plain_folder
from .object_log import OPERATIONS, ObjectLog
from .vscode_chat import records_of
from .vscode_storage import folder_of, workspaces

PRODUCTS = ("Code", "Code - Insiders", "VSCodium")
SESSIONS = "chatSessions"
SHARED = ("emptyWindowChatSessions", "transferredChatSessions")
"""Below `globalStorage`: chats of windows without a folder, and those on their way to another window."""
SECRET = re.compile(r"(?:^|[_.-])(?:auth|cookies|creds|credentials?|keys?|secrets?|tokens?)(?:[_.-])", re.IGNORECASE)
"""In names of files that are no chats, wherever they lie."""
DOCUMENTS = msgspec.json.Decoder(dict[str, object])


@dataclass(frozen=True, slots=True)
class CopilotVscode:
    """The chats of VS Code, its Insiders build and VSCodium."""

    name: str = "copilot-vscode"
    title: str = "Copilot Chat (VS Code)"
    version: int = 1
    tools: bool = False

    def with_tools(self) -> CopilotVscode:
        return replace(self, tools=True, version=self.version + 1000)

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        return user_folders(home, environ, PRODUCTS)

    def find(self, root: Path) -> Iterator[Path | SkipRecord]:
        """Only where chats are: Copilot mirrors them elsewhere in the same folder."""
        for workspace in workspaces(root):
            yield from _chats_in(workspace / SESSIONS)
        for name in SHARED:
            yield from _chats_in(root / "globalStorage" / name)

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        if since is not None:
            raise Reread  # logs are compacted, so that what was read may stand there no more
        if path.suffix == ".json":
            document, end = read_json(path, DOCUMENTS)
        else:
            log = ObjectLog()
            with open_file(path) as stream:
                lines = JsonLines(stream, OPERATIONS)
                for found in lines:
                    if isinstance(found, SkipRecord):
                        yield found
                        if found.reason == "line-too-long" and not log.has_begun:
                            raise Unreadable("too-large")
                    elif not log.take(found[1]):
                        yield SkipRecord("unexpected-shape", f"byte {found[0]}")
                end = lines.offset
            document = log.document
        project = folder_of(path.parent.parent) if path.parent.name == SESSIONS else None
        yield from records_of(document, printable(path.stem), project, with_tools=self.tools)
        yield Checkpoint(end)

    def resume(self, native_id: str) -> list[str] | None:
        return None


def _chats_in(folder: Path) -> Iterator[Path | SkipRecord]:
    """Each chat once: the log before the document that it took over from."""
    chats: dict[Path, Path] = {}
    for found in files_below(folder, _is_chat) if is_plain_folder(folder) else ():
        if isinstance(found, SkipRecord):
            yield found
        elif found.suffix == ".jsonl" or found.with_suffix("") not in chats:
            chats[found.with_suffix("")] = found
    yield from chats.values()


def _is_chat(name: str) -> bool:
    return name.endswith((".json", ".jsonl")) and not name.startswith(".") and not SECRET.search(name)
