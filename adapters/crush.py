"""Crush: one database a project, in the project's own folder; a registry knows where they all are."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from ..core.model import Adapter, Checkpoint, Place, Record, Reread, SkipRecord, Unreadable
from . import crush_db
from .content import field, label, resumable
from .environment import data_folder, named_folder
from .foreign_sqlite import change_token, split
from .json_file import read_json
from .json_lines import ANY
from .listing import files_in

DATABASE = "crush.db"
REGISTRY = "projects.json"
REGISTRY_LIMIT = 4 << 20
"""Bytes."""


@dataclass(frozen=True, slots=True)
class Crush:
    """Sessions of Crush."""

    name: str = "crush"
    title: str = "Crush"
    version: int = 1
    tools: bool = False

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        """Where the registry of projects is; each project's own folder is a root by `project_roots`."""
        if folder := named_folder(home, environ, "CRUSH_GLOBAL_DATA"):
            return [folder]
        data = data_folder(home, environ)
        local = named_folder(home, environ, "LOCALAPPDATA") or home / "AppData" / "Local"
        return [data / "crush", local / "crush"]

    def project_roots(self, project: Path) -> list[Path]:
        return [project / crush_db.FOLDER]

    def find(self, root: Path) -> Iterator[Path | SkipRecord]:
        """The database in a project's folder, or those of all projects in the registry."""
        yield from files_in(root, lambda name: name == DATABASE)
        for found in files_in(root, lambda name: name == REGISTRY):
            if isinstance(found, SkipRecord):
                yield found
                continue
            try:
                registry, _ = read_json(found, ANY, REGISTRY_LIMIT)
            except (OSError, Unreadable) as error:
                reason = error.reason if isinstance(error, Unreadable) else "io-error"
                yield SkipRecord(reason, os.fspath(found))
                continue
            for folder in dict.fromkeys(_folders(registry, root)):
                yield from files_in(folder, lambda name: name == DATABASE)

    def is_divided(self, path: Path) -> bool:
        return path.name == DATABASE

    def token(self, path: Path) -> bytes:
        return change_token(path)

    def places(self, path: Path) -> Iterator[Place | SkipRecord]:
        return crush_db.places(path)

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        """The records of one session."""
        if since is not None:
            raise Reread
        database, session = split(path)
        yield from crush_db.read(database, session, self.tools)
        yield Checkpoint(0)

    def resume(self, native_id: str) -> list[str] | None:
        return ["crush", "--session", native_id] if resumable(native_id) else None

    def with_tools(self) -> Adapter:
        return replace(self, tools=True, version=self.version + 1000)


def _folders(registry: object, root: Path) -> Iterator[Path]:
    """The data folder of every project, whichever of its forms the registry has."""
    projects = field(registry, "projects") or registry
    if isinstance(projects, dict):  # by path
        named = cast(dict[str, object], projects)
        entries = [(path, field(told, "data_dir") or told) for path, told in named.items()]
    elif isinstance(projects, list):
        entries = [(field(each, "path") or each, field(each, "data_dir")) for each in cast(list[object], projects)]
    else:
        return
    for path, data in entries:
        if label(path) and isinstance(path, str) and "\0" not in path:
            folder = data if isinstance(data, str) and data and "\0" not in data else crush_db.FOLDER
            yield Path(os.path.realpath(root / path / folder))
