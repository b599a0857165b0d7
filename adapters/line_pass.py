"""Reading an append-only JSONL file on from where it was left, with a checkpoint now and then."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from ..core.model import Checkpoint, Record, Reread, SkipRecord
from .base import open_file
from .json_lines import JsonLines

T_contra = TypeVar("T_contra", contravariant=True)
T = TypeVar("T")
S = TypeVar("S")

BETWEEN_CHECKPOINTS = 2_000
"""Lines."""
MOST_TYPES = 64
"""How many unknown types are told apart."""
TYPE = re.compile(r"[\w./:-]{1,64}", re.ASCII)


class Taker(Protocol[T_contra]):
    """What makes records of a file's lines."""

    def take(self, at: int, line: T_contra, /) -> Iterable[Record]:
        """The records that the line at byte `at` leads to; raises `Reread`."""
        ...

    def finish(self) -> Iterable[Record]:
        """What still waits when the file ends."""
        ...

    @property
    def state(self) -> bytes | None:
        """What reading on from here needs; None while something waits that `state` could not stand for."""
        ...


class UnknownTypes:
    """Counts what a store writes that this version does not know; told again after each checkpoint."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[int, int]] = {}

    def see(self, kind: object, at: int) -> None:
        name = kind if isinstance(kind, str) and TYPE.fullmatch(kind) else "?"
        if name not in self._seen and len(self._seen) >= MOST_TYPES:
            name = "?"
        first, times = self._seen.get(name, (at, 0))
        self._seen[name] = first, times + 1

    def told(self, place: str = "byte") -> Iterator[SkipRecord]:
        seen, self._seen = self._seen, {}
        for name, (first, times) in seen.items():
            yield SkipRecord("unknown-type", f"{name} at {place} {first}", times)


def line_records(
    path: Path, since: Checkpoint | None, decoder: msgspec.json.Decoder[T], taker: Taker[T], unknown: UnknownTypes
) -> Iterator[Record]:
    """The records of a file from `since` on. Raises OSError, `Unreadable`, and `Reread` if the file got shorter."""
    offset = since.offset if since else 0
    with open_file(path) as stream:
        if os.fstat(stream.fileno()).st_size < offset:
            raise Reread
        lines = JsonLines(stream, decoder, offset)
        passed = 0
        for found in lines:
            passed += 1
            if isinstance(found, SkipRecord):
                yield found
            else:
                yield from taker.take(*found)
            if passed >= BETWEEN_CHECKPOINTS and (state := taker.state) is not None:
                passed = 0
                yield from unknown.told()
                yield Checkpoint(lines.offset, state)
        yield from taker.finish()
        yield from unknown.told()
        yield Checkpoint(lines.offset, taker.state or b"")


def restored(state: bytes, kind: type[S]) -> S:
    """A pass's own memory as it was at a checkpoint, or a new one. Raises `Reread` if it is of no use."""
    try:
        return msgspec.msgpack.decode(state, type=kind) if state else kind()
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Reread from error


def printable(name: str) -> str:
    """A file's name as a text that can be stored, whatever its bytes."""
    return os.fsencode(name).decode("utf-8", "replace")
