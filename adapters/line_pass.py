"""Reading an append-only JSONL file on from where it was left, with a checkpoint now and then."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from ..core.model import Checkpoint, Record, Reread, SkipRecord
from .base import open_file
from .json_lines import JsonLines
from .unknown_types import UnknownTypes

T = TypeVar("T")
S = TypeVar("S")

BETWEEN_CHECKPOINTS = 2_000
"""Lines."""


class Taker(ABC, Generic[T]):
    """What makes records of a file's lines; `unknown` counts those that it does not know."""

    def __init__(self) -> None:
        self.unknown = UnknownTypes()

    @abstractmethod
    def take(self, at: int, line: T, /) -> Iterable[Record]:
        """The records that the line at byte `at` leads to; raises `Reread`."""

    def finish(self) -> Iterable[Record]:
        """What still waits when the file ends."""
        return ()

    def pause(self) -> Iterable[Record]:
        """What is told before every checkpoint, the one at the end too."""
        return self.unknown.told()

    @property
    @abstractmethod
    def state(self) -> bytes | None:
        """What reading on from here needs; None while something waits that `state` could not stand for."""


def line_records(
    path: Path, since: Checkpoint | None, decoder: msgspec.json.Decoder[T], taker: Taker[T]
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
                yield from taker.pause()
                yield Checkpoint(lines.offset, state)
        yield from taker.finish()
        yield from taker.pause()
        yield Checkpoint(lines.offset, taker.state or b"")


def restored(state: bytes, kind: type[S]) -> S:
    """A pass's own memory as it was at a checkpoint, or a new one. Raises `Reread` if it is of no use."""
    try:
        return msgspec.msgpack.decode(state, type=kind) if state else kind()
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Reread from error
