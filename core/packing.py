"""A turn's text as the index keeps it: compressed where that pays, with a hash that copies are found by."""

from __future__ import annotations

import threading
from typing import Any

import zstandard

from .database import BrokenValue
from .model import Role

PACK_FROM = 1_024
"""Bytes of UTF-8 from which a text is compressed, if that saves a fifth."""

_local = threading.local()
_pack = zstandard.ZstdCompressor(level=3)


def pack(text: str) -> str | bytes:
    """A turn's text as it is stored."""
    if len(text) >= PACK_FROM // 4 and len(raw := text.encode()) >= PACK_FROM:
        packed = _pack.compress(raw)
        if len(packed) < 0.8 * len(raw):
            return packed
    return text


def unpack(stored: Any) -> str:
    """A turn's text as it was. Raises `database.BrokenValue`."""
    if isinstance(stored, str):
        return stored
    if (unpacker := getattr(_local, "unpacker", None)) is None:  # making one costs more than using it
        unpacker = _local.unpacker = zstandard.ZstdDecompressor()
    try:
        return unpacker.decompress(stored).decode()
    except (zstandard.ZstdError, ValueError, TypeError) as error:
        raise BrokenValue("a text can't be unpacked") from error


def text_hash(role: Role, text: str) -> int:
    """A signed 64-bit hash by which copies of a turn are found."""
    from hashlib import blake2b  # with all of OpenSSL, which those who only read do without

    digest = blake2b(text.encode(), digest_size=8, person=role.encode()).digest()
    return int.from_bytes(digest, "big", signed=True)
