"""Continue: a JSON document a session, and a list of all sessions, which says when each began."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import msgspec

from ..core.model import (
    TITLE_GENERATED,
    Checkpoint,
    Record,
    Reread,
    SessionRecord,
    SkipRecord,
    TimeQuality,
    TurnRecord,
    Unreadable,
)
from .base import files_below, parse_epoch, parse_time, printable
from .chat_message import ChatMessage, said
from .content import identifier, label
from .environment import named_folder
from .json_file import read_json
from .json_lines import decode
from .unknown_types import UnknownTypes
from .vscode_storage import path_of

LIST = "sessions.json"
SESSION = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\.json")
UNTITLED = frozenset({"New Session", "Untitled Session", "Untitled"})


class _Entry(msgspec.Struct):
    id: object = msgspec.field(default=None, name="sessionId")
    old_id: object = msgspec.field(default=None, name="session_id")
    title: object = None
    created: object = msgspec.field(default=None, name="dateCreated")
    folder: object = msgspec.field(default=None, name="workspaceDirectory")


class _Session(_Entry):
    history: list[msgspec.Raw] = []


class _Item(msgspec.Struct):
    message: ChatMessage = msgspec.field(default_factory=ChatMessage)


_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_ENTRY = msgspec.json.Decoder(_Entry)
_SESSION = msgspec.json.Decoder(_Session)
_ITEM = msgspec.json.Decoder(_Item)


@dataclass(frozen=True, slots=True)
class Continue:
    """Sessions of Continue's extensions and of its command line."""

    name: str = "continue"
    title: str = "Continue"
    version: int = 1
    tools: bool = False

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        return [(named_folder(home, environ, "CONTINUE_GLOBAL_DIR") or home / ".continue") / "sessions"]

    def find(self, root: Path) -> Iterator[Path | SkipRecord]:
        return files_below(root, lambda name: name == LIST or SESSION.fullmatch(name) is not None)

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        if since is not None:
            raise Reread
        return self._read_list(path) if path.name == LIST else self._read_session(path)

    def resume(self, native_id: str) -> list[str] | None:
        """None: `cn --resume` opens the latest session, whichever that is."""
        return None

    def with_tools(self) -> Continue:
        return replace(self, tools=True, version=self.version + 1000)

    def _read_list(self, path: Path) -> Iterator[Record]:
        entries, size = read_json(path, _LIST)
        for number, raw in enumerate(entries, 1):
            try:
                entry = decode(raw, _ENTRY)
            except ValueError:
                yield SkipRecord("unexpected-shape", f"entry {number}")
                continue
            if session := identifier(entry.id) or identifier(entry.old_id):
                yield _facts(session, entry)
        yield Checkpoint(size)

    def _read_session(self, path: Path) -> Iterator[Record]:
        document, size = read_json(path, _SESSION)
        session, unknown, order = identifier(document.id) or printable(path.stem), UnknownTypes(), 0
        yield _facts(session, document)
        time, quality = _began(path, session)
        for number, raw in enumerate(document.history, 1):
            try:
                message = decode(raw, _ITEM).message
                spoken = said(message, self.tools)
            except ValueError:
                yield SkipRecord("unexpected-shape", f"message {number}")
                continue
            if spoken is None:
                unknown.count(message.role, f"message {number}")
            for role, text in spoken or ():
                yield TurnRecord(session, role, text, time, order, quality=quality)
                order += 1
        yield from unknown.told()
        yield Checkpoint(size)


def _facts(session: str, entry: _Entry) -> SessionRecord:
    title, folder = label(entry.title), label(entry.folder)
    if folder and folder.startswith("file:"):
        folder = path_of(folder)
    return SessionRecord(
        session, title if title not in UNTITLED else None, TITLE_GENERATED, project=folder, kind="main"
    )


def _began(path: Path, session: str) -> tuple[int | None, TimeQuality]:
    """When a session began: by the list, else when its file was last written; its messages have no times."""
    try:
        beside = path.with_name(LIST)
        status = beside.stat(follow_symlinks=False)
        if created := _created(beside, status.st_mtime_ns, status.st_size).get(session):
            return created, "file"
    except (OSError, Unreadable):
        pass
    time = parse_time(path.stat(follow_symlinks=False).st_mtime_ns // 1_000_000)
    return time, "file" if time else "none"


@lru_cache(maxsize=4)
def _created(path: Path, mtime_ns: int, size: int) -> dict[str, int]:
    """When each session on a list began; read once as long as the list stays as it is."""
    began: dict[str, int] = {}
    for raw in read_json(path, _LIST)[0]:
        try:
            entry = decode(raw, _ENTRY)
            time = parse_epoch(entry.created)
        except ValueError:
            continue
        if time and (session := identifier(entry.id) or identifier(entry.old_id)):
            began[session] = time
    return began
