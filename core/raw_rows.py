"""Rows out of the pages of a database file themselves, where the tree that leads to them is destroyed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from .database import Row

PAGE = 4_096
"""SQLite's page size, which we leave as it is."""
_LEAF = 13
_MOST_LOCAL, _LEAST_LOCAL = PAGE - 35, (PAGE - 12) * 32 // 255 - 23
"""Bytes of a row that stand in its own page; the rest is in a chain of others."""
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


def raw_rows(path: Path, columns: int, least: int) -> Iterator[Row]:
    """Every row of so many columns that stands in some page, with its id in place of the first column.

    Rows that were written before the last columns were added have only `least`, and None for the others.

    They may be of any table that is so wide, and of any time: the caller has to know the good ones.
    """
    with path.open("rb") as file:
        size = path.stat().st_size // PAGE
        for number in range(1, size):
            file.seek(number * PAGE)
            page = file.read(PAGE)
            if len(page) == PAGE and page[0] == _LEAF:
                for at in range(8, 8 + 2 * int.from_bytes(page[3:5], "big"), 2):
                    try:
                        row = _row(_Pages(file, size), page, int.from_bytes(page[at : at + 2], "big"), columns, least)
                    except (IndexError, ValueError, OSError):
                        continue
                    if row is not None:
                        yield row


class _Pages:
    """Reads chains of pages."""

    def __init__(self, file: BinaryIO, count: int) -> None:
        self._file, self._count = file, count

    def chain(self, number: int, length: int) -> bytes:
        """So many bytes from the chain that begins at a page."""
        parts: list[bytes] = []
        while length > 0:
            if not 0 < number <= self._count:
                raise ValueError("the chain leads nowhere")
            self._file.seek((number - 1) * PAGE)
            page = self._file.read(PAGE)
            parts.append(page[4 : 4 + length])
            length -= PAGE - 4
            number = int.from_bytes(page[:4], "big")
        return b"".join(parts)


def _row(pages: _Pages, page: bytes, at: int, columns: int, least: int) -> Row | None:
    size, at = _varint(page, at)
    number, at = _varint(page, at)
    width, types = _types(page, at)
    if not least <= len(types) <= columns:
        return None
    payload = page[at : at + size]
    if size > _MOST_LOCAL:
        local = _LEAST_LOCAL + (size - _LEAST_LOCAL) % (PAGE - 4)
        local = local if local <= _MOST_LOCAL else _LEAST_LOCAL
        first = int.from_bytes(page[at + local : at + local + 4], "big")
        payload = page[at : at + local] + pages.chain(first, size - local)
    if len(payload) != size:
        return None
    values: list[object] = []
    for kind in types:
        length = _INTEGERS.get(kind, 8 if kind == 7 else max(0, (kind - 12) // 2))
        raw, width = payload[width : width + length], width + length
        values.append(_value(kind, raw))
    return number, *values[1:], *[None] * (columns - len(types))


def _types(page: bytes, at: int) -> tuple[int, list[int]]:
    """(size of a row's header, what its columns are)"""
    start = at
    width, at = _varint(page, at)
    types: list[int] = []
    while at < start + width:
        kind, at = _varint(page, at)
        types.append(kind)
    return width, types


def _value(kind: int, raw: bytes) -> object:
    if kind in (0, 8, 9):
        return None if kind == 0 else kind - 8
    if kind in _INTEGERS:
        return int.from_bytes(raw, "big", signed=True)
    return raw.decode() if kind >= 13 and kind % 2 else raw


def _varint(page: bytes, at: int) -> tuple[int, int]:
    value = 0
    for step in range(8):
        byte = page[at + step]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + step + 1
    return value << 8 | page[at + 8], at + 9
