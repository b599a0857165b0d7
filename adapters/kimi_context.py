"""kimi-cli's context files: what the model was shown, without times, rewritten whenever the person undoes or clears.

They are read only where the wire file holds no turn. What an earlier rotation had and a later one lacks was undone, if
the later one begins as the earlier did; else the context was cleared or compacted, and the person still said it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import msgspec

from ..core.model import Checkpoint, Record, Reread, Role, SkipRecord, TurnRecord, UndoRecord, Unreadable
from .base import open_file, parse_time
from .content import field, texts, tool_text
from .json_lines import ANY, NULL, JsonLines, decode
from .kimi_cli import TEXT, WIRE, Identity, identity
from .unknown_types import UnknownTypes

CONTEXT = "context.jsonl"
ROTATED = re.compile(r"context_(\d{1,6})\.jsonl")
FIRST_TURN = b'"TurnBegin"'
INJECTED = "<system"
UNSAID = frozenset({"_system_prompt", "_checkpoint", "_usage", "system"})
PIECES = 1_000
"""Tool calls of one row that are told apart."""
PEEK = 1 << 20
"""Bytes of a wire file in which its first turn begins, if it has any."""


class Row(msgspec.Struct):
    role: object = None
    content: msgspec.Raw = NULL
    tool_calls: msgspec.Raw = NULL
    type: object = None


ROWS = msgspec.json.Decoder(Row)
CALLS = msgspec.json.Decoder(list[object] | None)


@dataclass(frozen=True, slots=True)
class _Seen:
    """A row of a context."""

    mark: bytes
    order: int
    is_prompt: bool


def context_records(path: Path, since: Checkpoint | None, *, tools: bool) -> Iterator[Record]:
    """The records of a session's contexts, the rotated ones first; none if its wire file has turns."""
    if since is not None:
        raise Reread
    with open_file(path) as stream:
        size = stream.seek(0, 2)
    if path.name == CONTEXT and _has_turns(path.with_name(WIRE)):
        yield Checkpoint(size)
        return
    whose = identity(path)
    yield whose.facts()
    history = _History(whose, tools=tools)
    if path.name == CONTEXT:
        for earlier in _rotated(path.parent):
            with suppress(OSError, Unreadable):
                yield from history.read(earlier)
    yield from history.read(path)
    yield Checkpoint(size)


class _History:
    """Reads one context after the other and tells what each has anew."""

    def __init__(self, whose: Identity, *, tools: bool) -> None:
        self._whose, self._tools = whose, tools
        self._before: list[_Seen] = []
        self._order = 0

    def read(self, path: Path) -> Iterator[Record]:
        unknown, before, now = UnknownTypes(), self._before, list[_Seen]()
        known = {seen.mark: seen for seen in before}
        shared, mode = 0, "as before"
        with open_file(path) as stream:
            time = parse_time(path.stat(follow_symlinks=False).st_mtime)
            for found in JsonLines(stream, ROWS):
                if isinstance(found, SkipRecord):
                    yield found
                    continue
                at, row = found
                if row.role not in ("user", "assistant", "tool"):
                    if not isinstance(row.role, str) or row.role not in UNSAID:
                        unknown.count(row.role if row.role is not None else row.type, f"byte {at}")
                    continue
                mark = _mark(row)
                if mode == "as before" and shared < len(before) and before[shared].mark == mark:
                    now.append(before[shared])
                    shared += 1
                    continue
                if mode == "as before":
                    mode = "new" if shared else "kept"  # a compaction keeps the last rows, after its summary
                    yield from self._undone(shared)
                if mode == "kept" and mark in known:
                    now.append(known[mark])
                    continue
                now.append(_Seen(mark, self._order, row.role == "user"))
                try:
                    for turn in self._turns(row, time):
                        mode = "new"
                        yield turn
                except ValueError:
                    yield SkipRecord("unexpected-shape", f"byte {at}")
                self._order += PIECES
        if mode == "as before":
            yield from self._undone(shared)
        self._before = now
        yield from unknown.told()

    def _undone(self, shared: int) -> Iterator[Record]:
        """What stood after the first `shared` rows; a person who clears and asks the same again undoes nothing."""
        rest = self._before[shared:]
        if rest and shared and (shared > 1 or rest[0].is_prompt):
            yield UndoRecord(self._whose.session, rest[0].order, self._order)

    def _turns(self, row: Row, time: int | None) -> Iterator[TurnRecord]:
        pieces = texts(decode(row.content, ANY), TEXT)
        said: list[tuple[Role, str]] = []
        if row.role == "user":
            said = [("user", "\n\n".join(pieces).strip())]
            if said[0][1].startswith(INJECTED):
                said = []
        elif row.role == "assistant":
            said = [("assistant", "\n\n".join(pieces).strip())]
            for call in (decode(row.tool_calls, CALLS) or ()) if self._tools else ():
                said.append(("tool", tool_text(field(call, "function", "name"), field(call, "function", "arguments"))))
        elif self._tools:
            said = [("tool", tool_text(None, "\n".join(pieces)))]
        for number, (role, text) in enumerate([each for each in said if each[1]][:PIECES]):
            yield TurnRecord(
                self._whose.session, role, text, time, self._order + number, quality="file" if time else "none"
            )  # fmt: skip


def _mark(row: Row) -> bytes:
    data = f"{row.role}\0".encode() + bytes(row.content) + b"\0" + bytes(row.tool_calls)
    return blake2b(data, digest_size=12).digest()


def _rotated(folder: Path) -> list[Path]:
    """The contexts that were put aside, the oldest first."""
    found: list[tuple[int, Path]] = []
    with suppress(OSError):
        for path in folder.iterdir():
            if (name := ROTATED.fullmatch(path.name)) and path.is_file() and not path.is_symlink():
                found.append((int(name[1]), path))
    return [path for _, path in sorted(found)]


def _has_turns(wire: Path) -> bool:
    try:
        with open_file(wire) as stream:
            before = b""
            for _ in range(PEEK >> 16):
                piece = stream.read(1 << 16)
                if FIRST_TURN in before[-len(FIRST_TURN) :] + piece:
                    return True
                before = piece
            return False
    except (OSError, Unreadable):
        return False
