"""Goose: its database, and the JSON lines that it wrote before 1.10 and leaves where they are."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from ..core.model import (
    TITLE_GENERATED,
    Adapter,
    Checkpoint,
    Kind,
    Place,
    Record,
    Reread,
    Role,
    SessionRecord,
    SkipRecord,
    Unreadable,
)
from . import goose_db
from .base import open_file, parse_time
from .content import identifier, label, resumable
from .environment import named_folder
from .foreign_sqlite import change_token, split
from .goose_shapes import is_hidden, pieces_of
from .json_lines import JsonLines
from .listing import files_in
from .message_turns import Piece, turns_of
from .unknown_types import unknown_type

DATABASE = "sessions.db"
BETWEEN_CHECKPOINTS = 2000


class Line(msgspec.Struct):
    """A line of a file: the first tells of the session and has no role, the others are messages."""

    id: object = None
    working_dir: object = None
    description: object = None
    schedule_id: object = None
    role: object = None
    created: object = None
    content: msgspec.Raw = msgspec.Raw(b"null")
    metadata: object = None


LINES = msgspec.json.Decoder(Line)


@dataclass(frozen=True, slots=True)
class Goose:
    """Sessions of Goose."""

    name: str = "goose"
    title: str = "Goose"
    version: int = 1
    tools: bool = False

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        """The folder that `GOOSE_PATH_ROOT` says, else those of Linux and macOS, and of Windows."""
        if root := named_folder(home, environ, "GOOSE_PATH_ROOT"):
            return [root / "data" / "sessions"]
        data = named_folder(home, environ, "XDG_DATA_HOME") or home / ".local" / "share"
        roaming = named_folder(home, environ, "APPDATA") or home / "AppData" / "Roaming"
        return [data / "goose" / "sessions", roaming / "Block" / "goose" / "data" / "sessions"]

    def find(self, root: Path) -> Iterator[Path | SkipRecord]:
        return files_in(root, lambda name: name == DATABASE or (name.endswith(".jsonl") and name[0] != "."))

    def is_divided(self, path: Path) -> bool:
        return path.name == DATABASE

    def token(self, path: Path) -> bytes:
        return change_token(path)

    def places(self, path: Path) -> Iterator[Place | SkipRecord]:
        return goose_db.places(path)

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        """The records of one session."""
        if path.parent.name != DATABASE:
            yield from _read_lines(path, since, self.tools)
            return
        if since is not None:
            raise Reread
        database, session = split(path)
        yield from goose_db.read(database, session, self.tools)
        yield Checkpoint(0)

    def resume(self, native_id: str) -> list[str] | None:
        if not resumable(native_id):
            return None
        return ["goose", "session", "--resume", "--session-id", native_id]

    def with_tools(self) -> Adapter:
        return replace(self, tools=True, version=self.version + 1000)


def _read_lines(path: Path, since: Checkpoint | None, tools: bool) -> Iterator[Record]:
    """A session in JSON lines; nothing of it where the database beside it has it."""
    session = since.state.decode() if since and since.state else path.stem
    with open_file(path) as stream:
        if since and since.offset > os.fstat(stream.fileno()).st_size:
            raise Reread
        lines = JsonLines(stream, LINES, since.offset if since else 0)
        is_imported = _is_imported(path, session) if since and since.state else None
        for number, found in enumerate(lines, 1):
            if isinstance(found, SkipRecord):
                yield found
                continue
            offset, line = found
            if is_imported is None:
                session = (None if isinstance(line.role, str) else identifier(line.id)) or session
                is_imported = _is_imported(path, session)
            if not is_imported:
                yield from _records(session, line, offset, tools)
            if number % BETWEEN_CHECKPOINTS == 0:
                yield Checkpoint(lines.offset, session.encode())
        yield Checkpoint(lines.offset, b"" if is_imported is None else session.encode())


def _is_imported(path: Path, session: str) -> bool:
    with suppress(OSError, Unreadable):
        return goose_db.has_session(path.with_name(DATABASE), session)
    return False


def _records(session: str, line: Line, offset: int, tools: bool) -> Iterator[Record]:
    if not isinstance(line.role, str):
        title = goose_db.title_of(line.description)
        kind: Kind | None = "automated" if label(line.schedule_id) else None
        rank = TITLE_GENERATED if title else 0
        yield SessionRecord(session, title=title, title_rank=rank, project=label(line.working_dir), kind=kind)
    elif line.role not in ("user", "assistant"):
        yield unknown_type(line.role, f"byte {offset}")
    elif not is_hidden(line.metadata):
        pieces: list[Piece] = []
        for piece in pieces_of(line.content, f"byte {offset}", tools):
            if isinstance(piece, SkipRecord):
                yield piece
            else:
                pieces.append(piece)
        role: Role = "assistant" if line.role == "assistant" else "user"
        yield from turns_of(session, role, pieces, offset, parse_time(line.created), f"byte-{offset}")
