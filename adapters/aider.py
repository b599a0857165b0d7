"""Aider: `.aider.chat.history.md` in each project, a Markdown log of all runs there; every run is a session."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

from ..core.model import Checkpoint, Record, Reread, SkipRecord, Unreadable
from .aider_log import Log
from .base import files_below, open_file
from .content import label
from .json_lines import FOREIGN, LINE_LIMIT

HISTORY = ".aider.chat.history.md"
TURNS_BETWEEN_CHECKPOINTS = 2_000


@dataclass(frozen=True, slots=True)
class Aider:
    """Runs of Aider in the projects that are known, and below the folders that the person names."""

    name: str = "aider"
    title: str = "Aider"
    version: int = 1
    tools: bool = False

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        named = environ.get("AIDER_CHAT_HISTORY_FILE")
        return [home / (named or HISTORY)]

    def project_roots(self, project: Path) -> list[Path]:
        return [project / HISTORY]

    def find(self, root: Path) -> Iterator[Path | SkipRecord]:
        """The log itself where `root` is one, else every log in the folders below it."""
        if root.is_symlink():
            yield SkipRecord("symbolic-link", os.fspath(root))
        elif root.is_file():
            yield root
        elif root.is_dir():
            yield from files_below(root, lambda name: name == HISTORY)

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        log = Log(_digest(path), _project(path), since.state if since else b"", self.tools)
        offset, given = since.offset if since else 0, 0
        with open_file(path) as stream:
            if os.fstat(stream.fileno()).st_size < offset:
                raise Reread
            stream.seek(offset)
            while line := stream.readline(LINE_LIMIT):
                if not offset:
                    _check(line)
                if given >= TURNS_BETWEEN_CHECKPOINTS and log.is_idle:
                    given = 0
                    yield Checkpoint(offset, log.state)
                if not line.endswith(b"\n"):
                    if len(line) < LINE_LIMIT:
                        yield SkipRecord("unfinished-line", f"byte {offset}")
                        break
                    yield SkipRecord("line-too-long", f"byte {offset}")
                    while len(line) == LINE_LIMIT and not line.endswith(b"\n"):
                        offset += len(line)
                        line = stream.readline(LINE_LIMIT)
                    offset += len(line)
                    continue
                text = line.decode("utf-8", "replace")
                if "\N{REPLACEMENT CHARACTER}" in text:
                    yield SkipRecord("replaced-bytes", f"byte {offset}")
                for record in log.take(offset, text.rstrip("\r\n")):
                    given += 1
                    yield record
                offset += len(line)
        yield from log.finish()
        yield Checkpoint(offset, log.state)

    def resume(self, native_id: str) -> list[str] | None:
        """None: Aider has no ids, and what it can restore is all of a project's log."""
        return None

    def with_tools(self) -> Aider:
        return replace(self, tools=True, version=self.version + 1000)


def _check(line: bytes) -> None:
    """Raises `Unreadable` for a first line that is no text."""
    for reason, beginning in FOREIGN.items():
        if re.match(beginning, line):
            raise Unreadable(reason)


def _digest(path: Path) -> str:
    """What tells the runs in one log from those in another: they have no ids of their own."""
    return blake2b(os.fsencode(path), digest_size=6).hexdigest()


def _project(path: Path) -> str | None:
    """The folder that a log lies in is where Aider was run, unless the log has a place of its own."""
    return label(os.fspath(path.parent)) if path.name == HISTORY else None
