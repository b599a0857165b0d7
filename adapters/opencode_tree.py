"""OpenCode's JSON files of before 1.2: one folder each for sessions, messages and parts, which outlive a migration."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from ..core.model import Place, Record, SessionRecord, SkipRecord, UndoRecord, Unreadable
from .content import field, identifier, label
from .json_file import read_json
from .json_lines import ANY, LINE_LIMIT, decode
from .listing import files_in, folders_in, plain_folders_in
from .message_turns import Piece, order_of, turns_of
from .opencode_db import END, has_messages_of
from .opencode_shapes import INFO, MESSAGE, PART, PARTS, Info, Message, Part, facts, pieces_of

T = TypeVar("T")

DATABASE = "opencode.db"
STILL_GROWING = 4
"""So many of the newest messages may still get parts."""


def find(root: Path) -> Iterator[Place | SkipRecord]:
    """The file of every session below OpenCode's data folder, or in a folder `storage`.

    Once there is a database nothing here is written any more; that it came has each session read again.
    """
    is_over = (root / DATABASE).exists() or (root.parent / DATABASE).exists()
    projects = plain_folders_in(root / "project")
    for storage in (root, root / "storage", *(folder / "storage" for folder in projects)):
        for folder in folders_in(storage / "session"):
            if isinstance(folder, SkipRecord):
                yield folder
            elif folder.name not in ("message", "part"):
                for found in files_in(folder, _is_session):
                    yield found if isinstance(found, SkipRecord) else Place(found, () if is_over else _beside(found))


def read(path: Path, tools: bool) -> Iterator[Record]:
    """The records of a session, without a checkpoint; none where a database has it. Raises OSError and `Unreadable`."""
    info, _ = read_json(path, INFO, LINE_LIMIT)
    session = identifier(info.id) or path.stem
    if not _is_in_database(path, session):
        yield from _facts(path, info, session)
        yield from _turns(path, info, session, tools)


def _folders(path: Path) -> tuple[Path, Path, Path]:
    """Where `storage`, the messages and the parts are; in the oldest form all are in `session`."""
    storage = path.parents[2]
    if path.parent.name == "info":
        return storage, path.parents[1] / "message", path.parents[1] / "part" / path.stem
    return storage, storage / "message", storage / "part"


def _message_folder(path: Path, *names: str) -> Path:
    _, messages, _ = _folders(path)
    named = [messages / name for name in (*names, path.stem, path.stem.removeprefix("ses_"))]
    return next((folder for folder in named if folder.is_dir()), named[0])


def _beside(path: Path) -> tuple[Path, ...]:
    """The folders that change when a session gets a message, or its newest messages get parts."""
    messages, parts = _message_folder(path), _folders(path)[2]
    names = sorted(found.stem for found in files_in(messages, _is_message) if isinstance(found, Path))
    return (messages, *(parts / name for name in names[-STILL_GROWING:]))


def _is_session(name: str) -> bool:
    return name.startswith("ses_") and name.endswith(".json")


def _is_message(name: str) -> bool:
    return name.startswith("msg_") and name.endswith(".json")


def _is_part(name: str) -> bool:
    return name.endswith(".json") and (name.startswith("prt_") or name[:-5].isdecimal())


def _is_in_database(path: Path, session: str) -> bool:
    data = _folders(path)[0].parent
    for folder in (data, data.parents[1]) if data.parent.name == "project" else (data,):
        for found in files_in(folder, lambda name: name.startswith("opencode") and name.endswith(".db")):
            with suppress(OSError, Unreadable):
                if isinstance(found, Path) and has_messages_of(found, session):
                    return True
    return False


def _facts(path: Path, info: Info, session: str) -> Iterator[Record]:
    yield facts(session, info.title, info.directory, identifier(info.parentID))
    project = identifier(info.projectID)
    if not label(info.directory) and project:
        with suppress(OSError, Unreadable):
            told, _ = read_json(_folders(path)[0] / "project" / f"{project}.json", ANY, LINE_LIMIT)
            if (folder := label(field(told, "worktree"))) and folder != "/":
                yield SessionRecord(session, project=folder)


def _turns(path: Path, info: Info, session: str, tools: bool) -> Iterator[Record]:
    messages: list[tuple[int, str, Message]] = []
    for found in files_in(_message_folder(path, session), _is_message):
        message = _read(found, MESSAGE)
        if isinstance(message, SkipRecord):
            yield message
        elif isinstance(found, Path):
            messages.append((message.created or 0, identifier(message.id) or found.stem, message))
    messages.sort(key=lambda each: each[:2])
    parts, loose = _folders(path)[2], None
    if not any((parts / name).is_dir() for _, name, _ in messages):
        loose = list(files_in(parts, _is_part)) if messages else []
    model = folder = None
    since: int | None = None
    for place, (_, name, message) in enumerate(messages):
        if field(info.revert, "messageID") == name:
            since = order_of(place)
        if message.role == "assistant":
            model, folder = message.model_name or model, message.folder or folder
        pieces: list[Piece] = []
        for piece in _pieces(_parts_of(message, name, parts, loose), name, tools):
            if isinstance(piece, SkipRecord):
                yield piece
            elif message.is_said or piece[0] == "tool":
                pieces.append(piece)
        role = "assistant" if message.role == "assistant" else "user"
        yield from turns_of(session, role, pieces, place, message.created, name)
    yield SessionRecord(session, model=model, project=None if label(info.directory) else folder)
    if since is not None:
        yield UndoRecord(session, since, END)


def _parts_of(
    message: Message, name: str, parts: Path, loose: list[Path | SkipRecord] | None
) -> Iterator[Part | SkipRecord]:
    """A message's parts in order: files in its folder, files among those of all messages, or in itself."""
    files = list(files_in(parts / name, _is_part)) if loose is None else loose
    for found in sorted(files, key=lambda each: each.name if isinstance(each, Path) else ""):
        part = _read(found, PART)
        if isinstance(part, SkipRecord) or loose is None or part.messageID == name:
            yield part
    try:
        for part in decode(message.parts, PARTS) or ():
            yield decode(part, PART)
    except ValueError:
        yield SkipRecord("unexpected-shape", f"message {name}")


def _pieces(parts: Iterator[Part | SkipRecord], name: str, tools: bool) -> Iterator[Piece | SkipRecord]:
    for part in parts:
        if isinstance(part, SkipRecord):
            yield part
            continue
        try:
            yield from pieces_of(part, f"message {name}", tools)
        except ValueError:
            yield SkipRecord("unexpected-shape", f"message {name}")


def _read(found: Path | SkipRecord, decoder: msgspec.json.Decoder[T]) -> T | SkipRecord:
    if isinstance(found, SkipRecord):
        return found
    try:
        return read_json(found, decoder, LINE_LIMIT)[0]
    except OSError:
        return SkipRecord("io-error", str(found))
    except Unreadable as error:
        return SkipRecord(error.reason, str(found))
