"""OpenCode: its databases, and the JSON files that it wrote before it had one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..core.model import Adapter, Checkpoint, Place, Record, Reread, SkipRecord
from . import opencode_db, opencode_tree
from .content import resumable
from .environment import data_folder
from .foreign_sqlite import change_token, split
from .listing import files_in

DATABASE = re.compile(r"opencode(?:-[\w.-]+)?\.db", re.ASCII)


@dataclass(frozen=True, slots=True)
class OpenCode:
    """Sessions of OpenCode, in all three forms that it has stored them in."""

    name: str = "opencode"
    title: str = "OpenCode"
    version: int = 1
    tools: bool = False

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        """The data folder, the same on every system, and the database that `OPENCODE_DB` names."""
        data = data_folder(home, environ) / "opencode"
        named = environ.get("OPENCODE_DB", "").strip()
        return [data] if named in ("", ":memory:") else [data, data / named.removeprefix("~/")]

    def find(self, root: Path) -> Iterator[Path | Place | SkipRecord]:
        """The databases of all channels, and the JSON files of sessions."""
        if root.is_file():
            yield root
            return
        yield from files_in(root, lambda name: DATABASE.fullmatch(name) is not None)
        yield from opencode_tree.find(root)

    def is_divided(self, path: Path) -> bool:
        return path.suffix != ".json"

    def token(self, path: Path) -> bytes:
        return change_token(path)

    def places(self, path: Path) -> Iterator[Place | SkipRecord]:
        return opencode_db.places(path)

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        """The records of one session."""
        if since is not None:
            raise Reread
        if path.suffix == ".json" and path.parents[1].name == "session":
            size = path.stat(follow_symlinks=False).st_size
            yield from opencode_tree.read(path, self.tools)
            yield Checkpoint(size)
        else:
            database, session = split(path)
            yield from opencode_db.read(database, session, self.tools)
            yield Checkpoint(0)

    def resume(self, native_id: str) -> list[str] | None:
        return ["opencode", "--session", native_id] if resumable(native_id) else None

    def with_tools(self) -> Adapter:
        return replace(self, tools=True, version=self.version + 1000)
