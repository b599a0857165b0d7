"""Files of zstd frames as one stream of bytes."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any, BinaryIO, cast

import zstandard

from ..core.model import Unreadable
from .base import open_file

DAMAGED = "zstd"
ZSTD_WINDOW = 1 << 27
ZSTD_RATIO, ZSTD_FREE = 200, 64 << 20
"""A frame that unpacks to more than the second figure and to more than the first times its size is a bomb."""


class _Unpacked(io.RawIOBase):
    """The unpacked bytes of a file of zstd frames; a torn last frame gives what it has, a bomb is refused."""

    def __init__(self, packed: BinaryIO) -> None:
        self._packed, self._size = packed, os.fstat(packed.fileno()).st_size
        unpacker = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW)
        self._stream = unpacker.stream_reader(packed, read_across_frames=True)
        self._given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._stream.read1(len(buffer))  # what stands before the damage comes before the error
        except zstandard.ZstdError as error:
            raise Unreadable(DAMAGED) from error
        self._given += len(data)
        if self._given > ZSTD_FREE and self._given > ZSTD_RATIO * self._size:
            raise Unreadable("zstd-bomb")
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._packed.close()
        super().close()


def open_unpacked(path: Path) -> BinaryIO:
    """Like `open_file`, for a file of zstd frames, or of plain JSON in spite of its name."""
    packed = open_file(path)
    if cast(io.BufferedReader, packed).peek(1)[:1] == b"{":
        return packed
    return cast(BinaryIO, io.BufferedReader(_Unpacked(packed), 1 << 18))
