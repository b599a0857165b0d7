"""DSH, the DeepSeek Harness: a folder a session below `~/.dsh/sessions`, with a log in one or more formats."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from ..core.model import Adapter, Checkpoint, Place, Record, Reread, SkipRecord, Unreadable
from .base import files_below, open_file
from .content import resumable
from .dsh_log import LINES, Line, Log, seed_end
from .environment import named_folder
from .json_lines import JsonLines
from .zstd_frames import MAGIC, ZstdFrames

LOG = re.compile(r"session(?:\.v([0-9]{1,4}))?\.jsonl(\.zstd)?", re.ASCII)
ESCAPE = re.compile(r"~([0-9a-fA-F]{4})")
BETWEEN_CHECKPOINTS = 2000


@dataclass(frozen=True, slots=True)
class Dsh:
    """The sessions of DSH; of each the log of the newest format, as an upgrade leaves the older ones beside it."""

    name: str = "dsh"
    title: str = "DSH"
    version: int = 1
    tools: bool = False

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        """DSH's own home, on every system the same."""
        return [named_folder(home, environ, "DSH_HOME") or home / ".dsh"]

    def find(self, root: Path) -> Iterator[Path | Place | SkipRecord]:
        """Every log below `sessions`; the older ones of a folder are found for what they hold to be dropped."""
        sessions = root / "sessions"
        if sessions.is_symlink():
            yield SkipRecord("symbolic-link", str(sessions))
            return
        if not sessions.is_dir():
            if (root / "storages").exists() or root.name == ".dsh":
                return
            sessions = root
        for found in files_below(sessions, _is_log):
            newer = _newer(found) if isinstance(found, Path) else None
            yield Place(found, beside=(newer,)) if isinstance(found, Path) and newer else found

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        """The records of one log."""
        if since and since.offset > path.stat(follow_symlinks=False).st_size:
            raise Reread
        since = since if since and since.offset else None
        if newer := _newer(path):
            if since:
                raise Reread
            yield SkipRecord("superseded", f"{newer.name} is read instead")
            yield Checkpoint(0)
            return
        generation = _rank(path)[0] if _is_log(path.name) else None
        with open_file(path) as stream:
            packed = _is_packed(stream, path)
            own_from = 0 if since else seed_end(_lines_alone(stream, packed), is_old=generation in (0, 1))
            log = Log(_name_of(path), generation, since.state if since else b"", own_from=own_from, tools=self.tools)
            offset, passed = since.offset if since else 0, 0
            for found in _lines(stream, packed, offset):
                if isinstance(found, SkipRecord):
                    yield found
                elif isinstance(found, int):
                    offset = found
                    if passed >= BETWEEN_CHECKPOINTS:
                        passed = 0
                        yield from log.pause()
                        yield Checkpoint(offset, log.state)
                else:
                    passed += 1
                    yield from log.take(*found)
            yield from log.pause()
            yield Checkpoint(offset, log.state)

    def resume(self, native_id: str) -> list[str] | None:
        """`dsh --resume` of the terminal profile, to be run in the session's own directory."""
        return ["dsh", "--profile", "tui", "--resume", native_id] if resumable(native_id) else None

    def with_tools(self) -> Adapter:
        """This adapter, reading tool calls and results too."""
        return replace(self, tools=True, version=self.version + 1000)


def _is_log(name: str) -> bool:
    return LOG.fullmatch(name) is not None


def _rank(path: Path) -> tuple[int, bool]:
    """The format in a log's name, and whether the name says that it is packed."""
    found = LOG.fullmatch(path.name)
    return (int(found[1] or 0), bool(found[2])) if found else (0, False)


def _newer(path: Path) -> Path | None:
    """The log beside this one that is read in its place: of the highest format, and packed before plain.

    An empty one stands for no other: it is one that is only being written, or never was.
    """
    if not _is_log(path.name):
        return None
    try:
        with os.scandir(path.parent) as entries:
            logs = [each for each in entries if _is_log(each.name) and each.is_file(follow_symlinks=False)]
        best = max(
            (Path(each.path) for each in logs if each.stat(follow_symlinks=False).st_size), key=_rank, default=path
        )
    except OSError:
        return None
    return best if _rank(best) > _rank(path) else None


def _name_of(path: Path) -> str:
    """The session's id as its folder has it: what is unsafe in a name is written as UTF-16."""
    name = ESCAPE.sub(lambda found: chr(int(found[1], 16)), path.parent.name)
    return name.encode("utf-16", "surrogatepass").decode("utf-16", "replace") or path.stem


def _is_packed(stream: BinaryIO, path: Path) -> bool:
    """Whether a log is packed: its first bytes tell, and its name where there are too few."""
    beginning = stream.read(4)
    return beginning == MAGIC or (path.suffix == ".zstd" and not beginning.startswith(b"{"))


def _lines(stream: BinaryIO, packed: bool, offset: int) -> Iterator[tuple[str, Line] | SkipRecord | int]:
    """Each line with its place, and each offset from which reading can go on as if nothing had been read before."""
    if packed:
        yield from _packed_lines(stream, offset)
        return
    lines = JsonLines(stream, LINES, offset)
    for found in lines:
        yield found if isinstance(found, SkipRecord) else (f"byte {found[0]}", found[1])
        yield lines.offset
    yield lines.offset


def _packed_lines(stream: BinaryIO, offset: int) -> Iterator[tuple[str, Line] | SkipRecord | int]:
    frames = ZstdFrames(stream, offset)
    for frame in frames:
        yield frames.offset
        if isinstance(frame, SkipRecord):
            yield frame
            continue
        place = f"frame at byte {frame[0]}"
        try:
            for found in JsonLines(frame[1], LINES):
                yield SkipRecord(found.reason, place) if isinstance(found, SkipRecord) else (place, found[1])
        except Unreadable as error:
            yield SkipRecord(error.reason, place)
    yield frames.offset


def _lines_alone(stream: BinaryIO, packed: bool) -> Iterator[Line]:
    for found in _lines(stream, packed, 0):
        if isinstance(found, tuple):
            yield found[1]
