"""Reads another program's SQLite store while that program runs, after it closed or died, and leaves no trace there.

Every page is read over a connection of its own, in the way that the files beside the store call for: the owner never
waits for longer. One thread at a time may read stores: closing a file drops the locks that the process has on it, and
a private copy that one had to be made of is kept for the next who reads the same store.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, cast

import apsw

from ..core.model import Unreadable
from .base import open_file
from .foreign_connection import CELL_LIMIT, QUERY_SECONDS, Mode, Row, connect, fetch
from .foreign_files import StoreFiles, beside
from .foreign_places import split as split
from .foreign_places import within as within

Page = tuple[list[Row], bool]
"""Rows, and whether they are all."""
Query = Callable[[Any], Page]

PAGE_SECONDS, PAGE_BYTES = 0.25, 8 << 20
RESULT_BYTES = 64 << 20
PAUSES = (0, 0.05, 0.2, 0.5, 1)
"""Seconds before each try at a store that changes under our hands."""
SPARE_SPACE = 256 << 20
"""Bytes that a private copy must leave free on its disk."""

FAILURES = (apsw.Error, UnicodeDecodeError)
"""What a query over a damaged or a changing store may end in; the second is for a schema that is no text."""


class SchemaMismatch(Unreadable):
    """The store lacks the table or column `missing`, or has a view or a virtual table in its place."""

    def __init__(self, missing: str) -> None:
        super().__init__("schema")
        self.missing = missing


def fitting(column: str, limit: int = CELL_LIMIT) -> str:
    """SQL for a column that reads as NULL, at no cost, where a cell has more than `limit` bytes.

    One of more than `CELL_LIMIT` would fail the whole query. `octet_length(column)` tells NULL from too long.
    """
    return f"CASE WHEN octet_length({column}) <= {min(limit, CELL_LIMIT)} THEN {column} END"


def change_token(path: Path) -> bytes:
    """Stays equal while nothing changes in a store; take it before reading. Raises OSError and `Unreadable`."""
    with open_file(path) as stream:
        counter = stream.read(28)[24:]
    files = StoreFiles.at(path)
    now = None if files.are_settled() else time.time_ns()
    return blake2b(repr((counter, files.store, files.wal, files.wal_head, now)).encode(), digest_size=16).digest()


@contextlib.contextmanager
def open_foreign(path: Path) -> Generator[ForeignStore]:
    """A store to read from while the block lasts.

    This and every method of the store raise OSError or `Unreadable`: `busy` when its owner holds it or keeps changing
    it, `schema` (then it is a `SchemaMismatch`), or SQLite's own word, such as `sqlite-corrupt` or `sqlite-notadb`.
    """
    open_file(path).close()
    _last_copy.keep_only_of(path)
    yield ForeignStore(path)


class ForeignStore:
    """What `open_foreign` gives; every page is read from the store as it is at that moment."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._copy: Path | None = None

    def rows(self, sql: str, *values: object) -> list[Row]:
        """The rows of a query that gives few; one of more than 64 MB is `Unreadable`."""
        rows, whole = self._read(lambda db: fetch(db, sql, values, QUERY_SECONDS, RESULT_BYTES))
        if not whole:
            raise Unreadable("sqlite-toobig")
        return rows

    def scan(self, sql: str, *after: object) -> Iterator[Row]:
        """The rows of a query however many, a page at a time, with nothing held open between pages.

        A row begins with its key; the query asks for the keys greater than its parameters, in ascending binary order:
        `scan("SELECT id, data FROM message WHERE id > ? ORDER BY id", "")`.
        """
        whole = False
        while not whole:
            page, whole = self._read(lambda db, key=after: fetch(db, sql, key, PAGE_SECONDS, PAGE_BYTES))
            yield from page
            if not whole:
                before, after = after, page[-1][: len(after)]
                if _order(after) <= _order(before):  # it would go on in circles
                    raise Unreadable("sqlite-corrupt")

    def columns(self, table: str) -> tuple[str, ...]:
        """The names of a table's columns; none where there is no such table."""
        sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1"
        sql = f"SELECT name FROM pragma_table_xinfo(?1) WHERE EXISTS ({sql})"  # noqa: S608, both are literals
        return tuple(row[0] for row in self.rows(sql, table))

    def _read(self, query: Query) -> Page:
        failures = 0
        for pause in PAUSES:
            time.sleep(pause)
            try:
                return self._try(query, use_copy=failures > 1)
            except _Again as again:
                failures += again.needs_recovery
            except FAILURES as error:
                raise _reason(error) from error
        raise Unreadable("busy")

    def _try(self, query: Query, *, use_copy: bool) -> Page:
        """One query over a whole state of the store. Raises `_Again` when it changed meanwhile, and `apsw.Error`."""
        if self._copy is None:
            files = StoreFiles.at(self._path)
            if files.are_shared and not use_copy:
                return self._shared(query, files)
            if not files.are_settled():
                raise _Again
            if files.wal is None and files.journal is None:
                return self._immutable(query, files)
            if not (copy := _last_copy.of(self._path, files)):
                copy = self._copied(files)
            self._copy = copy
        return _ask(self._copy, "own", query)

    def _shared(self, query: Query, files: StoreFiles) -> Page:
        """SQLite's own locks keep the state whole, so long as the path leads to the same file."""
        try:
            page = _ask(self._path, "shared", query)
        except (apsw.ReadOnlyError, apsw.CantOpenError) as error:  # the owner comes, goes, or died with work half done
            raise _Again(needs_recovery=True) from error
        if StoreFiles.at(self._path).store.inode != files.store.inode:
            raise _Again
        return page

    def _immutable(self, query: Query, files: StoreFiles) -> Page:
        """Nothing is locked: what comes of it, errors too, counts only if nobody wrote meanwhile."""
        try:
            page = _ask(self._path, "immutable", query)
        except FAILURES as error:
            if files.are_unchanged(self._path):
                raise
            raise _Again from error
        if not files.are_unchanged(self._path):
            raise _Again
        return page

    def _copied(self, files: StoreFiles) -> Path:
        """A private copy of the store and of what its dead owner left beside it, which SQLite may then recover."""
        contents = {"": files.store, "-wal": files.wal, "-journal": files.journal}
        size = sum(stamp.size for stamp in contents.values() if stamp)
        if shutil.disk_usage(tempfile.gettempdir()).free < size + SPARE_SPACE:
            raise Unreadable("no-space")
        folder = tempfile.TemporaryDirectory(prefix="harkback-")
        with contextlib.ExitStack() as cleanup:
            cleanup.push(folder)
            copy = Path(folder.name, "store")
            for suffix in (suffix for suffix, stamp in contents.items() if stamp):
                try:
                    source = open_file(beside(self._path, suffix))
                except FileNotFoundError:
                    raise _Again from None
                with source, beside(copy, suffix).open("xb") as target:
                    shutil.copyfileobj(source, target, 1 << 20)
            if not files.are_unchanged(self._path):
                raise _Again
            cleanup.pop_all()
        _last_copy.put(self._path, files, folder)
        return copy


class _LastCopy:
    """The private copy that was made last; it goes when another store is opened, nothing more is read, or we end."""

    def __init__(self) -> None:
        self._path: Path | None = None
        self._files: StoreFiles | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def put(self, path: Path, files: StoreFiles, folder: tempfile.TemporaryDirectory[str]) -> None:
        self.keep_only_of(None)
        self._path, self._files, self._folder = path, files, folder

    def of(self, path: Path, files: StoreFiles) -> Path | None:
        """The copy, if it is of this store as its files are now."""
        if self._folder is None or self._files is None or self._path != path or self._files[:4] != files[:4]:
            return None
        copy = Path(self._folder.name, "store")
        return copy if copy.exists() else None

    def keep_only_of(self, path: Path | None) -> None:
        if self._folder is not None and self._path != path:
            self._folder.cleanup()
            self._path = self._files = self._folder = None


_last_copy = _LastCopy()


def drop_copy() -> None:
    """Remove the private copy that is kept, if there is one: nothing more is to be read for now."""
    _last_copy.keep_only_of(None)


class _Again(Exception):
    """The files changed while they were read, or they may need recovery, which is no reader's business."""

    def __init__(self, *, needs_recovery: bool = False) -> None:
        self.needs_recovery = needs_recovery


def _ask(path: Path, mode: Mode, query: Query) -> Page:
    db = connect(path, mode)
    try:
        return query(db)
    finally:
        db.close(True)  # whatever it may still have to say of a damaged file


def _order(key: Row) -> list[tuple[int, object]]:
    """A key as SQLite compares it: numbers before texts before bytes."""
    return [(0 if v is None else 2 if isinstance(v, str) else 3 if isinstance(v, bytes) else 1, v) for v in key]


def _reason(error: Exception) -> Unreadable:
    if isinstance(error, UnicodeDecodeError):
        return Unreadable("sqlite-corrupt")
    if isinstance(error, apsw.BusyError | apsw.LockedError | apsw.ProtocolError):
        return Unreadable("busy")
    if found := re.search(r'no such (?:table|column|module): "?([^"]+)|access to view "(.+)" prohibited', str(error)):
        return SchemaMismatch(found[1] or found[2])
    name = str(apsw.mapping_result_codes[cast(Any, error).result])
    return Unreadable("sqlite-" + name.removeprefix("SQLITE_").lower())
