"""Cline: the sessions of its command line, and the tasks of its editor extension."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from ..core.model import (
    TITLE_GENERATED,
    Adapter,
    Checkpoint,
    Place,
    Record,
    Reread,
    SessionRecord,
    SkipRecord,
)
from .cline_messages import HISTORY, Times, decoded, history_records
from .cline_tasks import find_tasks, name_of, read_task, storage_folders
from .content import field, identifier, label, resumable
from .environment import named_folder
from .json_file import read_json
from .listing import files_in, folders_in

EXTENSION = "saoudrizwan.claude-dev"
TASKS = "taskHistory.json"
MESSAGES = ".messages.json"
TASK_ID = re.compile(r"\d{10,16}")
"""A task of the extension, which only the editor can open."""


class Manifest(msgspec.Struct):
    """What a session of the command line is."""

    cwd: object = None
    workspace_root: object = None
    model: object = None
    metadata: object = None


class Task(msgspec.Struct):
    """An entry in the extension's list of tasks."""

    id: object = None
    cwdOnTaskInitialization: object = None  # noqa: N815
    modelId: object = None  # noqa: N815


MANIFEST = msgspec.json.Decoder(Manifest)
LIST = msgspec.json.Decoder(list[msgspec.Raw])
TASK = msgspec.json.Decoder(Task)


@dataclass(frozen=True, slots=True)
class Cline:
    """Sessions of Cline in a terminal and in an editor."""

    name: str = "cline"
    title: str = "Cline"
    version: int = 1
    tools: bool = False

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        """Cline's data folder, that of its sessions where it is another one, and each editor's."""
        own = named_folder(home, environ, "CLINE_DIR") or home / ".cline"
        data = named_folder(home, environ, "CLINE_DATA_DIR") or own / "data"
        sessions = named_folder(home, environ, "CLINE_SESSION_DATA_DIR")
        return [*([sessions] if sessions else []), data, *storage_folders(home, environ, EXTENSION)]

    def find(self, root: Path) -> Iterator[Path | Place | SkipRecord]:
        """Sessions with their manifests; tasks, and the list of these."""
        is_data = any((root / name).is_dir() for name in ("sessions", "tasks"))
        for folder in folders_in(root / "sessions" if is_data else root):
            if isinstance(folder, SkipRecord):
                yield folder
                continue
            found = list(files_in(folder, lambda name: name.endswith(MESSAGES) and name != MESSAGES))
            yield from found
            if found:
                yield from files_in(folder, f"{folder.name}.json".__eq__)
        yield from find_tasks(root)
        yield from files_in(root / "state", TASKS.__eq__)

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        """The records of a session or a task, or the facts in a manifest or in the list of tasks."""
        if since is not None:
            raise Reread
        if path.name.endswith(MESSAGES):
            yield from _read_session(path, self.tools)
        elif path.name == TASKS:
            yield from _read_list(path)
        elif path.stem == path.parent.name:
            yield from _read_manifest(path)
        else:
            yield from read_task(path, self.tools)

    def resume(self, native_id: str) -> list[str] | None:
        """`cline --id`, for a session of the command line; the extension has no command."""
        return ["cline", "--id", native_id] if resumable(native_id) and not TASK_ID.fullmatch(native_id) else None

    def with_tools(self) -> Adapter:
        return replace(self, tools=True, version=self.version + 1000)


def _read_session(path: Path, tools: bool) -> Iterator[Record]:
    """A session, or that of an agent that serves it, which is named for itself."""
    session, agent = name_of(path), path.name.removesuffix(MESSAGES)
    if agent != path.parent.name:
        session, parent = f"{session}:{label(agent)}", session
        yield SessionRecord(session, parent=parent, kind="subagent")
    history, size = read_json(path, HISTORY)
    yield from history_records(session, history, Times(), None, tools)
    yield Checkpoint(size)


def _read_manifest(path: Path) -> Iterator[Record]:
    told, size = read_json(path, MANIFEST)
    title = label(field(told.metadata, "title"))
    yield SessionRecord(
        name_of(path),
        title=title,
        title_rank=TITLE_GENERATED if title else 0,
        project=label(told.cwd) or label(told.workspace_root),
        model=label(told.model),
    )
    yield Checkpoint(size)


def _read_list(path: Path) -> Iterator[Record]:
    tasks, size = read_json(path, LIST)
    for number, raw in enumerate(tasks):
        task = decoded(raw, TASK, f"entry {number}")
        if isinstance(task, SkipRecord):
            yield task
        elif session := identifier(task.id):
            yield SessionRecord(session, project=label(task.cwdOnTaskInitialization), model=label(task.modelId))
    yield Checkpoint(size)
