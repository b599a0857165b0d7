"""ZCode's log of its requests to the model: windows of one conversation that overlap, laid over each other.

The file is read twice: first for which line holds each message last, then for these. Memory is taken by the number of
messages, not by the size of the file, and every line is decoded twice at most.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import msgspec

from ..core.model import Checkpoint, Record, Role, SessionRecord, SkipRecord, TimeQuality, TurnRecord
from .base import open_file, printable
from .content import field, tool_text
from .json_lines import ANY, JsonLines, decode
from .unknown_types import UnknownTypes
from .zcode_database import DATABASE, holds, kind_of
from .zcode_requests import CALLS, LINES, MESSAGE, Answer, request_of
from .zcode_text import answer, prompt
from .zcode_windows import Slot, Windows

PREFIX = "model-io-"
AGENT = "sess_subagent_"
PIECES = 1_000
"""Tool calls of one message that are told apart."""
WINDOWS_FROM = 1 << 40
"""Where the order of placed messages begins; those of older logs without places come before."""
BETWEEN_CHECKPOINTS = 2_000


def rollout_records(path: Path, *, tools: bool) -> Iterator[Record]:
    """The records of one log; none if the database beside it holds the session. Raises OSError and `Unreadable`."""
    session = printable(path.stem.removeprefix(PREFIX))
    with open_file(path) as stream:
        if holds(path.parents[1] / "db" / DATABASE, session):
            yield Checkpoint(os.fstat(stream.fileno()).st_size)
            return
        yield from _Rollout(session, stream, tools=tools).records(_parent(path, session))


class _Rollout:
    def __init__(self, session: str, stream: BinaryIO, *, tools: bool) -> None:
        self._session, self._stream, self._tools = session, stream, tools
        self._last: tuple[int, str] = -1, ""
        """Place and text of the last answer that stands in a window."""

    def records(self, parent: str | None) -> Iterator[Record]:
        unknown, windows = UnknownTypes(), Windows()
        lines = JsonLines(self._stream, LINES)
        for found in lines:
            if isinstance(found, SkipRecord):
                yield found
            elif found[1].type != "model_io":
                unknown.count(found[1].type, f"byte {found[0]}")
            else:
                try:
                    windows.take(*found)
                except ValueError:
                    yield SkipRecord("unexpected-shape", f"byte {found[0]}")
        yield from unknown.told()
        yield from windows.skips()
        yield SessionRecord(
            self._session, project=windows.directory, model=windows.model, parent=parent, kind=kind_of(self._session)
        )
        for order, turn in enumerate(windows.unplaced):
            yield TurnRecord(self._session, turn.role, turn.text, turn.time, order, quality=_quality(turn.time))
        yield from self._placed(windows, lines.offset)
        if windows.last:
            yield from self._response(windows.last)
        yield Checkpoint(lines.offset)

    def _placed(self, windows: Windows, end: int) -> Iterator[Record]:
        wanted: dict[int, list[tuple[int, Slot]]] = {}
        for place, slot in windows.slots.items():
            wanted.setdefault(slot.line, []).append((place, slot))
        given = 0
        for found in JsonLines(self._stream, LINES) if wanted else ():
            if isinstance(found, SkipRecord) or found[0] not in wanted:
                continue
            at, line = found
            messages = request_of(line)[0]
            for place, slot in wanted.pop(at):
                given += 1
                try:
                    yield from self._turns(place, slot, messages[slot.number])
                except (ValueError, IndexError):
                    yield SkipRecord("unexpected-shape", f"message {place} at byte {at}")
            if given >= BETWEEN_CHECKPOINTS:
                given = 0
                yield Checkpoint(0)
            if not wanted or at >= end:
                break

    def _turns(self, place: int, slot: Slot, raw: msgspec.Raw) -> Iterator[TurnRecord]:
        message = decode(raw, MESSAGE)
        if message.role == "user":
            role, text, time = "user", prompt(decode(message.content, ANY)), slot.asked
        elif message.role == "assistant":
            role, text, time = "assistant", answer(decode(message.content, ANY)), slot.answered
            if text and place > self._last[0]:
                self._last = place, text
        elif message.role == "tool" and self._tools:
            role, text, time = "tool", tool_text(message.tool_name, decode(message.content, ANY)), slot.asked
        else:
            return
        order = WINDOWS_FROM + place * PIECES
        quality: TimeQuality = "none" if time is None else "exact" if slot.is_own else "file"
        if text:
            yield TurnRecord(self._session, role, text, time, order, quality=quality)
        if self._tools and role == "assistant":
            yield from self._calls(message.tool_calls, time, order, quality)

    def _calls(self, raw: msgspec.Raw, time: int | None, order: int, quality: TimeQuality) -> Iterator[TurnRecord]:
        calls = decode(raw, CALLS) or []
        for number, call in enumerate(calls[: PIECES - 1], 1):
            if text := tool_text(field(call, "name"), field(call, "input")):
                yield TurnRecord(self._session, "tool", text, time, order + number, quality=quality)

    def _response(self, last: tuple[int, Answer]) -> Iterator[Record]:
        """The last answer of all, which no window holds yet."""
        end, response = last
        order, time = WINDOWS_FROM + end * PIECES, response.time
        role: Role = "assistant"
        if response.text and response.text != self._last[1]:
            yield TurnRecord(self._session, role, response.text, time, order, quality=_quality(time))
        if self._tools:
            with suppress(ValueError):
                yield from self._calls(response.tool_calls, time, order, _quality(time))


def _quality(time: int | None) -> TimeQuality:
    return "none" if time is None else "exact"


def _parent(path: Path, session: str) -> str | None:
    """The session in whose folder of agents there is one for this log."""
    agent = session.removeprefix(AGENT)
    if agent == session:
        return None
    with suppress(OSError):
        for folder in sorted((path.parents[1] / "agents").iterdir()):
            if (folder / agent).is_dir():
                return folder.name
    return None
