"""One hardened connection to a database that is not ours, and the rows of one query over it."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any, Literal, cast

import apsw

from .base import open_file

Row = tuple[Any, ...]
Mode = Literal["immutable", "shared", "own"]
"""A file that nobody writes to, one beside a program that may, or one of ours that SQLite may first recover."""

CELL_LIMIT = 16 << 20
"""Bytes of the longest cell that is read."""
BUSY_MILLISECONDS = 2_000
QUERY_SECONDS = 30
"""A query that gives nothing for so long runs in circles in a damaged file."""
ROW_BYTES = 64
"""What a row takes beside its texts, about."""

_FUNCTIONS = frozenset(
    "-> ->> abs coalesce count glob ifnull iif instr json_extract json_type json_valid length like lower max min nullif"
    " octet_length substr substring sum trim typeof upper".split()
)
_OF_DEFAULTS = frozenset(
    "current_date current_time current_timestamp date datetime hex julianday round strftime time unixepoch".split()
)
"""What columns have as their default: SQLite asks for that when such a column is read, and calls none of it."""
_PRAGMAS = frozenset({"encoding", "schema_version", "table_xinfo", "user_version"})
_WRITING = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_DELETEONCLOSE
_SWITCHES = {
    apsw.SQLITE_DBCONFIG_DEFENSIVE: 1,
    apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA: 0,
    apsw.SQLITE_DBCONFIG_ENABLE_VIEW: 0,
    apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER: 0,
    apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION: 0,
    apsw.SQLITE_DBCONFIG_DQS_DML: 0,  # a missing column in quotes is an error, not a text
    apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE: 1,
}


def connect(path: Path, mode: Mode) -> Any:
    """A connection for nothing but SELECT from tables; opens only an `own` file for writing. Raises `apsw.Error`."""
    options = {"immutable": "mode=ro&immutable=1", "shared": "mode=ro&readonly_shm=1", "own": "mode=rw"}[mode]
    access = apsw.SQLITE_OPEN_READWRITE if mode == "own" else apsw.SQLITE_OPEN_READONLY
    vfs = None if mode == "own" else _read_only.name
    db: Any = apsw.Connection(f"{path.absolute().as_uri()}?{options}", flags=access | apsw.SQLITE_OPEN_URI, vfs=vfs)
    try:
        for switch, value in _SWITCHES.items():
            db.config(switch, value)
        db.limit(apsw.SQLITE_LIMIT_LENGTH, CELL_LIMIT)
        db.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)
        db.set_busy_timeout(BUSY_MILLISECONDS)
        db.drop_modules(None)  # a virtual table of theirs runs code of ours over data of theirs
        for pragma in ("query_only=1", "temp_store=MEMORY", "mmap_size=0", "cell_size_check=1"):
            db.execute(f"PRAGMA {pragma}").fetchall()
        db.authorizer = _allow
    except BaseException:
        db.close(True)
        raise
    return db


def fetch(db: Any, sql: str, values: Row, seconds: float, size: int) -> tuple[list[Row], bool]:
    """The rows of a query up to about so many seconds and bytes, at least one, and whether these are all of them.

    What is no text in a TEXT cell comes as replacement characters. Raises `apsw.Error`.
    """
    end = time.monotonic() + QUERY_SECONDS
    db.set_progress_handler(lambda: time.monotonic() > end, 100_000)
    cursor = db.execute(sql, values)
    try:
        return _page(cursor, seconds, size)
    except UnicodeDecodeError:
        width = len(cursor.get_description())
    encoding = str(next(db.execute("PRAGMA encoding"))[0])
    names = [f"c{n}" for n in range(width)]
    bare = ", ".join(f"CASE typeof({n}) WHEN 'text' THEN CAST({n} AS BLOB) ELSE {n} END, typeof({n})" for n in names)
    query = f"WITH harkback({', '.join(names)}) AS ({sql}) SELECT {bare} FROM harkback"  # noqa: S608
    rows, whole = _page(db.execute(query, values), seconds, size)
    return [tuple(_text(*pair, encoding) for pair in zip(row[::2], row[1::2], strict=True)) for row in rows], whole


def _page(cursor: apsw.Cursor, seconds: float, size: int) -> tuple[list[Row], bool]:
    rows: list[Row] = []
    end = time.monotonic() + seconds
    for row in cursor:
        rows.append(row)
        size -= ROW_BYTES + sum(len(value) for value in row if isinstance(value, str | bytes))
        if size < 0 or time.monotonic() > end:
            return rows, False
    return rows, True


def _text(value: Any, kind: str, encoding: str) -> Any:
    return value.decode(encoding, "replace") if kind == "text" else value


def _allow(action: int, first: str | None, second: str | None, database: str | None, within: str | None) -> int:
    allowed = (
        action in (apsw.SQLITE_SELECT, apsw.SQLITE_RECURSIVE)
        or (action == apsw.SQLITE_READ and database in ("main", None))
        or (action == apsw.SQLITE_FUNCTION and str(second).lower() in _FUNCTIONS | _OF_DEFAULTS)
        or (action == apsw.SQLITE_PRAGMA and first in _PRAGMAS)
    )
    return apsw.SQLITE_OK if allowed else apsw.SQLITE_DENY


class _QuietFile:
    """A file that nobody changes, as SQLite reads it: no lock, no link followed, its access time left alone."""

    def __init__(self, path: str) -> None:
        self._file = open_file(Path(path))

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        os.lseek(self._file.fileno(), offset, os.SEEK_SET)
        return os.read(self._file.fileno(), amount)

    def xFileSize(self) -> int:  # noqa: N802
        return os.fstat(self._file.fileno()).st_size

    def xFileControl(self, op: int, pointer: int) -> bool:  # noqa: N802
        return False

    def xClose(self) -> None:  # noqa: N802
        self._file.close()


class _ReadOnly(apsw.VFS):
    """The system's files, opened for reading only; whatever SQLite wishes for, none is created or deleted."""

    def __init__(self) -> None:
        self.name = "harkback-read-only"
        super().__init__(self.name, "")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        flags[0] = flags[0] & ~_WRITING | apsw.SQLITE_OPEN_READONLY
        if isinstance(name, apsw.URIFilename) and name.uri_boolean("immutable", False):
            flags[1] = flags[0]
            return cast(apsw.VFSFile, _QuietFile(name.filename()))
        return super().xOpen(name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        raise apsw.ReadOnlyError(filename)


_read_only = _ReadOnly()
