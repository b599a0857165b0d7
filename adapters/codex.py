"""Codex CLI: rollouts below `sessions/` and `archived_sessions/` of `~/.codex`, and the index of their titles."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from ..core.model import TITLE_GENERATED, Checkpoint, Record, Reread, SessionRecord, SkipRecord
from .base import files_below, open_file, printable
from .codex_rollout import Rollout
from .codex_shapes import LINES, Line
from .content import identifier, label
from .environment import named_folder
from .json_file import read_json
from .json_lines import LINE_LIMIT, JsonLines, decode
from .zstd_stream import open_unpacked

FOLDERS = ("sessions", "archived_sessions")
TITLES = "session_index.jsonl"
NO_ROLLOUTS = frozenset({"history.jsonl", TITLES})
MARKS_OF_HOME = ("config.toml", "auth.json", "history.jsonl", TITLES)
ROLLOUT = re.compile(r"rollout-.*\.(?:jsonl|jsonl\.zst|json)", re.DOTALL)
ENDING = re.compile(r"\.jsonl\.zst$|\.jsonl?$")
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
SAFE_ID = re.compile(r"(?!-)[A-Za-z0-9._-]{1,128}")
BETWEEN_CHECKPOINTS = 2000


class _Title(msgspec.Struct):
    id: object = None
    thread_name: object = None


class _Whole(msgspec.Struct):
    """The oldest form: one JSON object a session."""

    session: Line
    items: list[msgspec.Raw] = []


TITLE_LINES = msgspec.json.Decoder(_Title)
WHOLE_FILE = msgspec.json.Decoder(_Whole)


@dataclass(frozen=True, slots=True)
class Codex:
    """The sessions of Codex CLI, its IDE extensions and its app."""

    name: str = "codex"
    title: str = "Codex"
    version: int = 1
    tools: bool = False

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        """Codex's own home."""
        return [named_folder(home, environ, "CODEX_HOME") or home / ".codex"]

    def find(self, root: Path) -> Iterator[Path | SkipRecord]:
        """Rollouts, each once: plain before packed, a live one before an archived one; and the index of titles."""
        folders = [folder for name in FOLDERS if (folder := root / name).is_dir()]
        wanted = _is_rollout_or_old
        if not folders:
            if any((root / mark).exists() for mark in MARKS_OF_HOME):
                return
            folders = [root]
            if root.name not in FOLDERS:
                wanted = _is_rollout
        best: dict[str, Path] = {}
        for folder in folders:
            if folder != root and folder.is_symlink():
                yield SkipRecord("symbolic-link", os.fspath(folder))
                continue
            for found in files_below(folder, wanted):
                if isinstance(found, SkipRecord):
                    yield found
                    continue
                key = ENDING.sub("", found.name if UUID.search(found.name) else os.fspath(found))
                if key not in best or _ending(found) < _ending(best[key]):
                    best[key] = found
        yield from best.values()
        titles = root / TITLES
        if folders != [root] and titles.is_file() and not titles.is_symlink():
            yield titles

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        """The records of a rollout, or of the index of titles."""
        size = path.stat(follow_symlinks=False).st_size
        if since and (path.suffix in (".zst", ".json") or since.offset > size):
            raise Reread
        if path.name == TITLES:
            yield from _read_titles(path, since)
        elif path.suffix == ".json":
            yield from _read_whole(path, size, self.tools)
        else:
            yield from _read_lines(path, since, size, self.tools)

    def resume(self, native_id: str) -> list[str] | None:
        """`codex resume`, for an id that cannot be taken for an option."""
        return ["codex", "resume", native_id] if SAFE_ID.fullmatch(native_id) else None

    def with_tools(self) -> Codex:
        """This source, with tool calls and their results from the items of its rollouts."""
        return replace(self, tools=True, version=self.version + 1000)


def _is_rollout(name: str) -> bool:
    return ROLLOUT.fullmatch(name) is not None


def _is_rollout_or_old(name: str) -> bool:
    """The first builds named rollouts otherwise."""
    return _is_rollout(name) or (name.endswith(".jsonl") and name[0] not in ".~" and name not in NO_ROLLOUTS)


def _ending(path: Path) -> int:
    return (".jsonl", ".json", ".zst").index(path.suffix)


def _name_of(path: Path) -> str:
    """The session's id as far as the file's name tells; a continuation is named for its thread first."""
    stem = ENDING.sub("", path.name)
    found = UUID.search(stem)
    return found[0] if found else printable(stem)


def _read_lines(path: Path, since: Checkpoint | None, size: int, tools: bool) -> Iterator[Record]:
    packed = path.suffix == ".zst"
    rollout = Rollout(_name_of(path), since.state if since else b"", tools=tools)
    with open_unpacked(path) if packed else open_file(path) as stream:
        lines = JsonLines(stream, LINES, since.offset if since else 0)
        passed = 0
        for found in lines:
            if isinstance(found, SkipRecord):
                yield found
            else:
                yield from rollout.take(*found)
            passed += 1
            if passed >= BETWEEN_CHECKPOINTS and not rollout.holding:
                passed = 0
                yield from rollout.pause()
                yield Checkpoint(0) if packed else Checkpoint(lines.offset, rollout.state)
        yield from rollout.finish()
        yield Checkpoint(size) if packed else Checkpoint(lines.offset, rollout.state)


def _read_whole(path: Path, size: int, tools: bool) -> Iterator[Record]:
    whole, _ = read_json(path, WHOLE_FILE, LINE_LIMIT)
    rollout = Rollout(_name_of(path), place="item", tools=tools)
    yield from rollout.take(0, whole.session)
    for number, item in enumerate(whole.items, 1):
        try:
            line = decode(item, LINES)
        except ValueError:
            yield SkipRecord("unexpected-shape", f"item {number}")
        else:
            yield from rollout.take(number, line)
    yield from rollout.finish()
    yield Checkpoint(size)


def _read_titles(path: Path, since: Checkpoint | None) -> Iterator[Record]:
    with open_file(path) as stream:
        lines = JsonLines(stream, TITLE_LINES, since.offset if since else 0)
        for found in lines:
            if isinstance(found, SkipRecord):
                yield found
                continue
            session, name = identifier(found[1].id), label(found[1].thread_name)
            if session and name:
                yield SessionRecord(session, title=name, title_rank=TITLE_GENERATED)
        yield Checkpoint(lines.offset)
