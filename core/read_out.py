"""A damaged index read row by row, as far as it goes; what can't be reached is passed over."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path

from .database import Database, Error, Row
from .migrate import NEW_COLUMNS, older_value
from .raw_rows import PAGE
from .rewrite import drop

NEAR = 512
"""So many ids behind an unreadable row are tried one by one; then ever longer strides are made."""
LAST_ID = 1 << 62
_HEADER, _SIZE_AT = 100, 28
"""Bytes of a database's header; where its size in pages stands there."""
_BROKEN = (Error, UnicodeDecodeError)


@contextlib.contextmanager
def opened(path: Path, pattern: Path) -> Generator[Database]:
    """The damaged index, read only; an empty one when it can't be opened.

    Where its beginning or its schema is destroyed it is read from a copy with those of `pattern`, an empty index.
    """
    db = _if_it_has_tables(path)
    copy = path.with_name(path.name + ".salvage")
    try:
        for schema in () if db else (False, True):
            _copy_like(path, copy, pattern, schema=schema)
            if db := _if_it_has_tables(copy):
                break
        db = db or Database(None)
        yield db
    finally:
        if db:
            db.close()
        drop(copy)


def rows_by_id(db: Database, table: str, columns: str) -> Iterator[Row]:
    """The readable rows of a table in order of their ids, each with its id first."""
    last, failed = -1, 0
    while last < LAST_ID:
        try:
            for row in db.rows(f"SELECT id, {columns} FROM {table} NOT INDEXED WHERE id > ? ORDER BY id", last):  # noqa: S608
                if not isinstance(row[0], int) or row[0] <= last:
                    break
                yield row
                last, failed = row[0], 0
            else:
                return
        except _BROKEN:
            pass
        last += 1 if failed < NEAR else 1 << min(failed - NEAR, 62)
        failed += 1


def columns_of(db: Database, table: str, wanted: Sequence[str]) -> str:
    """SQL for columns of a table, which may be of an older format that lacks the new ones."""
    try:
        have = {row[0] for row in db.rows("SELECT name FROM pragma_table_xinfo(?)", table)}
    except _BROKEN:
        have = set[object]()
    missing = NEW_COLUMNS.get(table, {}).keys() - have if have else set[str]()
    return ", ".join(older_value(table, name) if name in missing else name for name in wanted)


def rows(db: Database, table: str, columns: str, order: Sequence[str]) -> Iterator[Row]:
    """The readable rows of a table without ids, from both ends of its order; some may come twice."""
    for direction in ("", " DESC"):
        by = ", ".join(column + direction for column in order)
        try:
            yield from db.rows(f"SELECT {columns} FROM {table} ORDER BY {by}")  # noqa: S608
            return
        except _BROKEN:
            continue


def _if_it_has_tables(path: Path) -> Database | None:
    db: Database | None = None
    try:
        db = Database(path, read_only=True)
        db.value("SELECT count(*) FROM sqlite_schema")
        db.row("SELECT id FROM files LIMIT 0")
        return db
    except (Error, UnicodeDecodeError):
        if db:
            db.close()
        return None


def _copy_like(path: Path, copy: Path, pattern: Path, *, schema: bool) -> None:
    """Copy with the header of an empty index, or with all of its pages that hold the schema and no table."""
    drop(copy)
    os.close(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    shutil.copyfile(path, copy)
    log = path.with_name(path.name + "-wal")
    if log.exists():
        shutil.copyfile(log, copy.with_name(copy.name + "-wal"))
    with pattern.open("rb") as good, copy.open("r+b") as file:
        if schema:
            for page in _schema_pages(pattern):
                good.seek(page * PAGE)
                file.seek(page * PAGE)
                file.write(good.read(PAGE))
        good.seek(0)
        header = good.read(_HEADER)
        file.seek(0)
        file.write(header[:_SIZE_AT] + bytes(4) + header[_SIZE_AT + 4 :])  # of no size: SQLite goes by the file's


def _schema_pages(pattern: Path) -> list[int]:
    """The pages, from 0, of an index without rows that are no table's and no index's root."""
    db = Database(pattern, read_only=True)
    try:
        roots = {row[0] - 1 for row in db.rows("SELECT rootpage FROM sqlite_schema")}
        return [page for page in range(db.value("PRAGMA page_count")) if page not in roots]
    finally:
        db.close()
