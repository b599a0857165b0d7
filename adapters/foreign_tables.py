"""Which of the tables and columns that are known of a product's database one of its many versions has."""

from __future__ import annotations

from hashlib import blake2b
from typing import TypeVar

import msgspec

from ..core.model import SkipRecord
from .base import parse_time
from .foreign_sqlite import ForeignStore, SchemaMismatch
from .json_lines import decode

T = TypeVar("T")


class Tables:
    """The columns of some tables; views and virtual tables are none."""

    def __init__(self, store: ForeignStore, *names: str) -> None:
        """Raises like `ForeignStore.rows`."""
        marks = ", ".join(f"?{n}" for n, _ in enumerate(names, 1))
        rows = store.rows(
            f"""SELECT t.name, c.name FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c
                WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%' AND t.name IN ({marks})""",  # noqa: S608
            *names,
        )
        self._columns = frozenset(rows)

    def has(self, table: str, *columns: str) -> bool:
        """Whether there is such a table with all these columns."""
        return all((table, column) in self._columns for column in columns)

    def need(self, table: str, *columns: str) -> None:
        """Raises `SchemaMismatch` for what is missing."""
        for column in columns:
            if not self.has(table, column):
                raise SchemaMismatch(f"{table}.{column}")

    def column(self, table: str, name: str, alias: str = "") -> str:
        """SQL for a column, `NULL` where there is none."""
        return f"{alias or table}.{name}" if self.has(table, name) else "NULL"


def decode_cell(cell: object, decoder: msgspec.json.Decoder[T]) -> T:
    """What the JSON in a cell says. Raises ValueError."""
    if isinstance(cell, str):
        cell = cell.encode("utf-8", "surrogatepass")
    if not isinstance(cell, bytes):
        raise ValueError("no text")
    return decode(cell, decoder)


def cell_skip(cell: object, error: ValueError, place: str) -> SkipRecord:
    """Why `decode_cell` could not say anything of a cell that was read through `fitting`."""
    reason = "unexpected-shape" if isinstance(error, msgspec.ValidationError) else "not-json"
    return SkipRecord("too-large" if cell is None else reason, place)


def name_of(cell: object) -> str | None:
    """A session's id; None where it can't be one."""
    return str(cell) if isinstance(cell, str | int) else None


def newest(*times: object) -> int:
    """The latest of some times in milliseconds, 0 if none is known."""
    return max((time for value in times if (time := parse_time(value)) is not None), default=0)


def row_token(row: object) -> bytes:
    """A `Place.token` made of a row."""
    return blake2b(repr(row).encode("utf-8", "surrogatepass"), digest_size=16).digest()
