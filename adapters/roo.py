"""Roo Code and Kilo Code: tasks in an editor's storage, as in Cline, with what a task is in a file of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from ..core.model import Adapter, Checkpoint, Place, Record, Reread, SessionRecord, SkipRecord
from .cline_tasks import find_tasks, name_of, read_task, storage_folders
from .content import identifier, label
from .json_file import read_json

EXTENSIONS = ("rooveterinaryinc.roo-cline", "kilocode.kilo-code")
FACTS = "history_item.json"


class Item(msgspec.Struct):
    """What a task is; one that another task set has a parent."""

    workspace: object = None
    parentTaskId: object = None  # noqa: N815


ITEM = msgspec.json.Decoder(Item)


@dataclass(frozen=True, slots=True)
class Roo:
    """Tasks of Roo Code and of Kilo Code, which is of the same family."""

    name: str = "roo"
    title: str = "Roo Code"
    version: int = 1
    tools: bool = False

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        """Each editor's folder; where a setting has moved it, its new place is added as a root."""
        return [folder for extension in EXTENSIONS for folder in storage_folders(home, environ, extension)]

    def find(self, root: Path) -> Iterator[Path | Place | SkipRecord]:
        return find_tasks(root, FACTS)

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        """The records of a task, or the facts in the file beside it."""
        if since is not None:
            raise Reread
        if path.name != FACTS:
            yield from read_task(path, self.tools)
            return
        item, size = read_json(path, ITEM)
        parent = identifier(item.parentTaskId)
        kind = "subagent" if parent else None
        yield SessionRecord(name_of(path), project=label(item.workspace), parent=parent, kind=kind)
        yield Checkpoint(size)

    def resume(self, native_id: str) -> list[str] | None:
        """Only the editor can open a task."""
        return None

    def with_tools(self) -> Adapter:
        return replace(self, tools=True, version=self.version + 1000)
