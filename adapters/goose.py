"""Goose: its database, and the JSON lines that it wrote before 1.10 and leaves where they are."""

from __future__ import annotations

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
from .base import parse_time, printable
from .content import identifier, label, resumable
from .environment import data_folder, named_folder, roaming_folder
from .foreign_sqlite import change_token, split
from .goose_shapes import is_hidden, pieces_of
from .json_lines import NULL
from .line_pass import Taker, line_records
from .listing import files_in
from .message_turns import Piece, turns_of

DATABASE = "sessions.db"


class Line(msgspec.Struct):
    """A line of a file: the first tells of the session and has no role, the others are messages."""

    id: object = None
    working_dir: object = None
    description: object = None
    schedule_id: object = None
    role: object = None
    created: object = None
    content: msgspec.Raw = NULL
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
        data, roaming = data_folder(home, environ), roaming_folder(home, environ)
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
            taker = _Lines(path, since.state if since else b"", tools=self.tools)
            yield from line_records(path, since, LINES, taker)
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


class _Lines(Taker[Line]):
    """Takes a session in JSON lines; nothing is told of it where the database beside it has it."""

    def __init__(self, path: Path, state: bytes, *, tools: bool) -> None:
        super().__init__()
        self._path, self._tools = path, tools
        self._session = state.decode() or printable(path.stem)
        self._is_imported = _is_imported(path, self._session) if state else None

    @property
    def state(self) -> bytes:
        return b"" if self._is_imported is None else self._session.encode()

    def take(self, at: int, line: Line) -> Iterator[Record]:
        if self._is_imported is None:
            self._session = (None if isinstance(line.role, str) else identifier(line.id)) or self._session
            self._is_imported = _is_imported(self._path, self._session)
        return iter(()) if self._is_imported else self._records(at, line)

    def _records(self, at: int, line: Line) -> Iterator[Record]:
        if not isinstance(line.role, str):
            title = goose_db.title_of(line.description)
            kind: Kind | None = "automated" if label(line.schedule_id) else None
            rank = TITLE_GENERATED if title else 0
            yield SessionRecord(self._session, title=title, title_rank=rank, project=label(line.working_dir), kind=kind)
        elif line.role not in ("user", "assistant"):
            self.unknown.count(line.role, f"byte {at}")
        elif not is_hidden(line.metadata):
            pieces: list[Piece] = []
            for piece in pieces_of(line.content, f"byte {at}", self._tools):
                if isinstance(piece, SkipRecord):
                    yield piece
                else:
                    pieces.append(piece)
            role: Role = "assistant" if line.role == "assistant" else "user"
            yield from turns_of(self._session, role, pieces, at, parse_time(line.created), f"byte-{at}")


def _is_imported(path: Path, session: str) -> bool:
    with suppress(OSError, Unreadable):
        return goose_db.has_session(path.with_name(DATABASE), session)
    return False
