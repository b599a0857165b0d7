"""Whether what was read of a file is still its beginning: a cheap look at the edges, or a full checksum."""

from __future__ import annotations

import errno
import os
import stat
import zlib
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

from .ledger import KnownFile, Prefix, Stamp

EDGE = 4_096
"""Bytes looked at on either end."""
_BLOCK = 1 << 20
_MOST = (1 << 63) - 1
_DATALESS = 0x4000_0000
"""SF_DATALESS of macOS."""
_RECALLED = 0x0040_0000 | 0x0004_0000
"""FILE_ATTRIBUTE_RECALL_ON_DATA_ACCESS and FILE_ATTRIBUTE_RECALL_ON_OPEN of Windows."""


def open_quietly(path: Path) -> BinaryIO:
    """A regular file's raw bytes, not through a link and without touching its access time where we may.

    Raises OSError.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        number = os.open(path, flags | getattr(os, "O_NOATIME", 0))
    except PermissionError:
        number = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise OSError(errno.EINVAL, "no regular file", os.fspath(path))
    return os.fdopen(number, "rb", buffering=0)


def stamp_of(status: os.stat_result) -> Stamp:
    """What `stat` tells of a file's state, in numbers that SQLite can hold."""
    return Stamp(status.st_dev & _MOST, status.st_ino & _MOST, status.st_size, min(status.st_mtime_ns, _MOST))


def stamps_of(paths: Iterable[Path]) -> bytes:
    """A hash of the states of several files and folders, missing ones included; empty for none."""
    states: list[Stamp | None] = []
    for path in paths:
        try:
            states.append(stamp_of(path.stat(follow_symlinks=False)))
        except (OSError, ValueError):
            states.append(None)
    return blake2b(repr(states).encode(), digest_size=16).digest() if states else b""


def token_hash(token: bytes) -> bytes:
    """What is kept of a token."""
    return blake2b(token, digest_size=16).digest()


def is_elsewhere(status: os.stat_result) -> bool:
    """Whether opening a file would first fetch it from a cloud drive, as iCloud and OneDrive mark those."""
    flags, attributes = getattr(status, "st_flags", 0), getattr(status, "st_file_attributes", 0)
    return bool(flags & _DATALESS or attributes & _RECALLED)


def same_prefix(file: BinaryIO, known: KnownFile, stamp: Stamp) -> bool:
    """Whether the bytes read so far still stand there.

    The same inode is trusted when both ends are as they were; another one, as after a copy or an atomic replace, has
    every byte compared. So has one that may be another file under an inode that was free again: its time of change
    went back, or its folder has changed since it was last seen to. An edit in the middle that keeps the file and both
    ends is the limit of the cheap look.
    """
    prefix = known.prefix
    if stamp.size < prefix.offset:
        return False
    if _is_surely_the_same_file(known, stamp):
        return edges(file, prefix.offset) == prefix.edges
    return checksum(file, 0, prefix.offset) == prefix.crc


def _is_surely_the_same_file(known: KnownFile, stamp: Stamp) -> bool:
    """No file takes another's place without a later change of their folder."""
    if (stamp.device, stamp.inode) != (known.stamp.device, known.stamp.inode) or stamp.mtime_ns < known.stamp.mtime_ns:
        return False
    try:
        return Path(os.fsdecode(known.path)).parent.stat().st_mtime_ns < known.stamp.mtime_ns
    except OSError:
        return False


def extended(file: BinaryIO, before: Prefix | None, offset: int) -> Prefix:
    """The fingerprint of the first `offset` bytes, which begin with those of `before`."""
    start, crc = (before.offset, before.crc) if before else (0, 0)
    return Prefix(offset, checksum(file, start, offset, crc), edges(file, offset))


def checksum(file: BinaryIO, start: int, stop: int, crc: int = 0) -> int:
    """CRC-32 of a stretch of bytes, going on from `crc`."""
    file.seek(start)
    while start < stop and (block := file.read(min(_BLOCK, stop - start))):
        crc = zlib.crc32(block, crc)
        start += len(block)
    return crc


def edges(file: BinaryIO, stop: int) -> bytes:
    """A hash of the first and the last bytes before `stop`."""
    file.seek(0)
    first = file.read(min(EDGE, stop))
    file.seek(max(0, stop - EDGE))
    return blake2b(first + file.read(min(EDGE, stop)), digest_size=16).digest()
