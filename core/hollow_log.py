"""A write-ahead log without one valid frame, as a process leaves it that was killed at its first write.

SQLite that recovers from such a log copies 32 kB of its own memory, as it happens to be, into the `-shm` file; whatever
this process read unredacted may be among it. The log holds nothing, so it is emptied, and of an empty one SQLite copies
nothing. Format: sqlite.org/fileformat2.html, section 4.
"""

from __future__ import annotations

import contextlib
import os
import struct
from pathlib import Path

from .lock import Busy, exclusive

_HEADER, _FRAME = 32, 24
_PAGES = tuple(1 << power for power in range(9, 17))
_MAGIC = 0x377F0682
"""Of checksums over little-endian numbers; 1 more: big-endian."""
_known: dict[Path, bytes] = {}
"""Log → the header under which it was seen to hold something."""


def empty_if_hollow(database: Path, lock: Path | None = None) -> None:
    """Empty the log of `database` if it holds nothing; for a reader with the writer's `lock`.

    While that is somebody else's nothing is done: who writes has seen to it.
    """
    log = database.with_name(database.name + "-wal")
    with contextlib.suppress(OSError, Busy):
        if _is_hollow(log):
            with exclusive(lock) if lock else contextlib.nullcontext():
                if _is_hollow(log):
                    os.truncate(log, 0)


def _is_hollow(log: Path) -> bool:
    with log.open("rb") as file:
        header = file.read(_HEADER)
        if len(header) < _HEADER or _known.get(log) == header or not file.peek(1):
            return False
        magic, _, page = struct.unpack(">3I", header[:12])
        sums = _checksum(header[:24], (0, 0), magic)
        if magic & ~1 != _MAGIC or page not in _PAGES or sums != struct.unpack(">2I", header[24:]):
            return False  # SQLite goes no further either
        frame = file.read(_FRAME + page)
    if _is_valid(frame, header, sums, page):
        _known[log] = header
        return False
    return True


def _is_valid(frame: bytes, header: bytes, sums: tuple[int, int], page: int) -> bool:
    if len(frame) < _FRAME + page or frame[:4] == bytes(4) or frame[8:16] != header[16:24]:
        return False
    magic = int.from_bytes(header[:4])
    return _checksum(frame[:8] + frame[_FRAME:], sums, magic) == struct.unpack(">2I", frame[16:_FRAME])


def _checksum(data: bytes, sums: tuple[int, int], magic: int) -> tuple[int, int]:
    first, second = sums
    numbers = iter(struct.unpack(f"{'>' if magic & 1 else '<'}{len(data) // 4}I", data))
    for even, odd in zip(numbers, numbers, strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second
