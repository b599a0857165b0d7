"""Cursor: composers of the editor, chats of the command line, and the agents' transcripts of both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..core.model import Checkpoint, Place, Record, Reread, SkipRecord
from .base import files_below
from .content import resumable
from .cursor_ide import places, read_place, read_workspace
from .cursor_store import FACTS, STORE, read_store, transcripts_of
from .cursor_transcript import FOLDER, SUBAGENTS, read_transcript
from .environment import named_folder, user_folders
from .foreign_files import beside
from .foreign_places import split
from .foreign_sqlite import change_token
from .listing import is_plain_file, is_plain_folder
from .vscode_storage import STORAGE, workspaces

DATABASE = "state.vscdb"
SIDES = ("-wal", "-journal")


@dataclass(frozen=True, slots=True)
class Cursor:
    """The conversations of Cursor, whichever of its three stores holds them."""

    name: str = "cursor"
    title: str = "Cursor"
    version: int = 1
    tools: bool = False

    def with_tools(self) -> Cursor:
        return replace(self, tools=True, version=self.version + 1000)

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        command_line = named_folder(home, environ, "CURSOR_CONFIG_DIR") or home / ".cursor"
        return [*user_folders(home, environ, ["Cursor"]), command_line]

    def find(self, root: Path) -> Iterator[Path | Place | SkipRecord]:
        yield from _find_databases(root)
        yield from _find_chats(root)

    def is_divided(self, path: Path) -> bool:
        return path.suffix == ".vscdb" and path.parent.parent.name != STORAGE

    def token(self, path: Path) -> bytes:
        return change_token(path)

    def places(self, path: Path) -> Iterator[Place | SkipRecord]:
        return places(path)

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        is_place = self.is_divided(path.parent)
        if path.suffix in (".jsonl", ".txt") and not is_place:
            return read_transcript(path, since, with_tools=self.tools)
        if since is not None:
            raise Reread  # rows change where they are
        if is_place:
            return read_place(*split(path), with_tools=self.tools)
        return read_store(path, with_tools=self.tools) if path.suffix == ".db" else read_workspace(path)

    def resume(self, native_id: str) -> list[str] | None:
        return ["cursor-agent", "--resume", native_id] if resumable(native_id) else None


def _find_databases(root: Path) -> Iterator[Path | Place]:
    """Below an editor's `User` folder: the database of all composers, and one a workspace for names and folders."""
    database = root / "globalStorage" / DATABASE
    if is_plain_folder(database.parent) and is_plain_file(database):
        yield database
    for workspace in workspaces(root):
        if is_plain_file(database := workspace / DATABASE):
            yield Place(database, beside=tuple(beside(database, side) for side in SIDES))


def _find_chats(root: Path) -> Iterator[Path | Place | SkipRecord]:
    """In the command line's own folder: chats with their transcripts beside them, and all other transcripts."""
    with_store: set[Path] = set()
    chats, projects = root / "chats", root / "projects"
    for found in files_below(chats, lambda name: name == STORE) if is_plain_folder(chats) else ():
        if isinstance(found, Path):
            own = transcripts_of(found)
            with_store.update(own)
            yield Place(found, beside=(*(beside(found, side) for side in SIDES), found.with_name(FACTS), *own))
        else:
            yield found
    transcripts: dict[Path, Path] = {}
    for found in files_below(projects, _may_be_transcript) if is_plain_folder(projects) else ():
        if isinstance(found, SkipRecord):
            yield found
        elif _is_transcript(found) and (found.suffix == ".jsonl" or found.with_suffix("") not in transcripts):
            transcripts[found.with_suffix("")] = found
    yield from (path for path in transcripts.values() if path not in with_store)


def _may_be_transcript(name: str) -> bool:
    return name.endswith((".jsonl", ".txt"))


def _is_transcript(path: Path) -> bool:
    """Straight in the folder of transcripts, in one with its own name, or among a session's sub-agents."""
    folders = path.parent, path.parent.parent, path.parent.parent.parent
    return any(folder.name == FOLDER for folder in folders) and (path.parent.name in (FOLDER, path.stem, SUBAGENTS))
