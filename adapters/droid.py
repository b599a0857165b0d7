"""Factory's Droid: one append-only JSONL file a session, in either of two dialects, and the settings beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from ..core.model import Checkpoint, Record, Reread, SessionRecord, SkipRecord
from .base import files_below, printable
from .content import label, resumable
from .droid_lines import LINE, Lines
from .environment import named_folder
from .json_file import read_json
from .line_pass import line_records

SETTINGS = ".settings.json"
UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class _Settings(msgspec.Struct):
    model: object = None


_SETTINGS = msgspec.json.Decoder(_Settings)


@dataclass(frozen=True, slots=True)
class Droid:
    """Sessions of Factory's Droid."""

    name: str = "droid"
    title: str = "Factory Droid"
    version: int = 1
    tools: bool = False

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        named = [named_folder(home, environ, variable) for variable in ("FACTORY_HOME", "FACTORY_DIR")]
        folders = [folder for folder in named if folder] or [home / ".factory"]
        return [folder / part for folder in folders for part in ("sessions", "projects")]

    def find(self, root: Path) -> Iterator[Path | SkipRecord]:
        return files_below(root, lambda name: name.endswith((".jsonl", SETTINGS)) and not name.startswith("."))

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        name = printable(path.name.removesuffix(SETTINGS).removesuffix(".jsonl"))
        if path.name.endswith(SETTINGS):
            if since is not None:
                raise Reread
            settings, size = read_json(path, _SETTINGS, 1 << 20)
            yield SessionRecord(name, model=label(settings.model))
            yield Checkpoint(size)
            return
        lines = Lines(name, UUID.fullmatch(name) is not None, since.state if since else b"", self.tools)
        yield from line_records(path, since, LINE, lines)

    def resume(self, native_id: str) -> list[str] | None:
        return ["droid", "--resume", native_id] if resumable(native_id) else None

    def with_tools(self) -> Droid:
        return replace(self, tools=True, version=self.version + 1000)
