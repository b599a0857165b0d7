"""A file of many zstd frames, one frame at a time: where each begins is found without unpacking any.

RFC 8878 gives the layout: a header, blocks that each say how long they are, and perhaps a checksum of four bytes.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from typing import Any, BinaryIO, cast

import zstandard

from ..core.model import SkipRecord, Unreadable
from .zstd_stream import DAMAGED, ZSTD_FREE, ZSTD_RATIO, ZSTD_WINDOW

MAGIC = b"\x28\xb5\x2f\xfd"
LONGEST_BLOCK = 128 << 10
KEPT = 1 << 20
"""Bytes of an unpacked frame up to which it is held in memory; a longer one is unpacked once more as it is read."""
PATIENCE = 1 << 19
"""So many blocks are looked at in vain, in one file, in search of the frame after a damaged one."""
COST_OF_A_TRY = 1_000
"""How many such blocks a place stands for that only looks like the beginning of a frame."""
_PIECE = 256 << 10


class _Cut(Exception):
    """The bytes end where the frame does not."""


class _Malformed(Exception):
    """No frame begins like this, or goes on like this."""


class ZstdFrames:
    """One pass over the frames of a stream from `offset` on.

    Iterating gives `(where the frame begins, its unpacked bytes)` for each whole and sound frame, and a `SkipRecord`
    for each that is damaged. Afterwards `offset` is the end of the last of them: a frame that is still being written
    waits for the next pass, and so does a damaged one with none after it, which its writer may yet cut off.
    Raises `Unreadable` when nothing in the stream is a frame.
    """

    def __init__(self, stream: BinaryIO, offset: int = 0) -> None:
        self.offset = offset
        self._stream, self._size = stream, os.fstat(stream.fileno()).st_size
        self._unpacker = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW)
        self._patience = PATIENCE

    def __iter__(self) -> Iterator[tuple[int, BinaryIO] | SkipRecord]:
        while self.offset < self._size:
            start = self.offset
            try:
                end = self._end_of(start)
            except (_Cut, _Malformed) as error:
                following = self._next_frame(start + 1)
                if following is None:
                    yield self._rest(start, error)
                    return
                yield SkipRecord(DAMAGED, f"frame at byte {start}")
                self.offset = following
                continue
            try:
                content = self._unpacked(start, end) if self._has_content(start) else io.BytesIO()
            except Unreadable as error:
                yield SkipRecord(error.reason, f"frame at byte {start}")
                # What a damaged frame says of its length may be damaged: what follows tells where it ends.
                following = self._next_frame(start + 1)
                if following is None:
                    return
                end = following
            else:
                yield start, content
            self.offset = end

    def _rest(self, start: int, error: Exception) -> SkipRecord:
        if isinstance(error, _Cut):
            return SkipRecord("unfinished-line", f"frame at byte {start}")
        if start == 0:
            raise Unreadable(DAMAGED)
        return SkipRecord(DAMAGED, f"byte {start} to the end")

    def _bytes(self, at: int, amount: int) -> bytes:
        self._stream.seek(at)
        data = self._stream.read(amount)
        if len(data) < amount:
            raise _Cut
        return data

    def _has_content(self, start: int) -> bool:
        return self._bytes(start, 4) == MAGIC

    def _end_of(self, start: int) -> int:
        """Where the frame at `start` ends, by its own account. Raises `_Cut` and `_Malformed`."""
        self._stream.seek(start)
        head = self._stream.read(5)
        if head[:4] != MAGIC[: len(head)]:
            if len(head) == 5 and head[0] & 0xF0 == 0x50 and head[1:4] == b"\x2a\x4d\x18":  # to be passed over
                return self._within(start + 8 + int.from_bytes(self._bytes(start + 4, 4), "little"))
            raise _Malformed
        if len(head) < 5:
            raise _Cut
        flags = head[4]
        single, checksum = flags >> 5 & 1, flags >> 2 & 1
        if flags & 8:
            raise _Malformed
        at = start + 5 + (1 - single) + (0, 1, 2, 4)[flags & 3] + (single, 2, 4, 8)[flags >> 6]
        last = 0
        while not last:
            block = int.from_bytes(self._bytes(at, 3), "little")
            last, kind, size = block & 1, block >> 1 & 3, block >> 3
            if kind == 3 or size > LONGEST_BLOCK:
                raise _Malformed
            at = self._within(at + 3 + (1 if kind == 1 else size))
            self._patience -= 1
        end = self._within(at + 4 * checksum)
        self._patience = min(PATIENCE, self._patience + (end - start) // 3)  # what led somewhere was not in vain
        return end

    def _within(self, end: int) -> int:
        if end > self._size:
            raise _Cut
        return end

    def _next_frame(self, at: int) -> int | None:
        """Where the next whole frame begins; None if there is none, or not soon enough."""
        while (found := self._find_magic(at)) is not None and self._patience > 0:
            try:
                self._end_of(found)
            except (_Cut, _Malformed):
                self._patience -= COST_OF_A_TRY
                at = found + 1
            else:
                return found
        return None

    def _find_magic(self, at: int) -> int | None:
        self._stream.seek(at)
        data = b""
        while piece := self._stream.read(_PIECE):
            data = data[-3:] + piece
            at += len(piece)
            if (found := data.find(MAGIC)) >= 0:
                return at - len(data) + found
        return None

    def _unpacked(self, start: int, end: int) -> BinaryIO:
        """The content of a frame that is sound to its end. Raises `Unreadable`."""
        kept: list[bytes] = []
        given = 0
        stream = self._content(start, end)
        while piece := stream.read(_PIECE):
            given += len(piece)
            if given > ZSTD_FREE and given > ZSTD_RATIO * (end - start):
                raise Unreadable("zstd-bomb")
            if given <= KEPT:
                kept.append(piece)
        if given <= KEPT:
            return io.BytesIO(b"".join(kept))
        return cast(BinaryIO, io.BufferedReader(self._content(start, end), _PIECE))

    def _content(self, start: int, end: int) -> _Content:
        return _Content(self._unpacker.stream_reader(cast(Any, _Stretch(self._stream, start, end))))


class _Stretch:
    """The bytes of a stream between two places."""

    def __init__(self, stream: BinaryIO, start: int, end: int) -> None:
        self._stream, self._at, self._end = stream, start, end

    def read(self, amount: int) -> bytes:
        self._stream.seek(self._at)
        data = self._stream.read(min(amount, self._end - self._at))
        self._at += len(data)
        return data


class _Content(io.RawIOBase):
    """What one frame unpacks to; never more of it in memory than is asked for."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._reader.read(len(buffer))
        except zstandard.ZstdError as error:
            raise Unreadable(DAMAGED) from error
        buffer[: len(data)] = data
        return len(data)
