"""One SQLite connection with plain verbs: `rows`, `row`, `value`, `run`, `transaction`. What apsw's types leave open
ends here."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import apsw

SQLITE_VERSION = apsw.sqlite_lib_version()
FTS5_TOKENIZE_DOCUMENT = apsw.FTS5_TOKENIZE_DOCUMENT
Error = apsw.Error
Interrupted = apsw.InterruptError
Full = apsw.FullError


class BrokenValue(apsw.CorruptError):
    """What SQLite gave back without complaint is not what was stored."""


Damaged = (apsw.CorruptError, apsw.NotADBError)
Rejected = (apsw.ConstraintError, apsw.MismatchError, apsw.TooBigError)
"""Errors that say something of the values, nothing of the database."""

MOST_REMEMBERED = 24
"""So many things are remembered on one connection; what was not asked for the longest goes first."""

T = TypeVar("T")
Row = tuple[Any, ...]
Value = str | int | float | bytes | None


def lacks_room(error: Exception) -> bool:
    """Whether there is no room on the disk for what readers share with each other."""
    codes = (apsw.SQLITE_IOERR_SHMSIZE, apsw.SQLITE_IOERR_SHMOPEN, apsw.SQLITE_IOERR_SHMMAP)
    return isinstance(error, Full) or getattr(error, "extendedresult", None) in codes


def is_half_made(error: Exception) -> bool:
    """Whether a reader meets a file whose first writer was interrupted: that is undone by the next who writes."""
    return getattr(error, "extendedresult", None) == apsw.SQLITE_READONLY_ROLLBACK


def is_removed(error: Exception) -> bool:
    """Whether the file is gone that was opened: a log can't be read beside one that has no name any more."""
    return getattr(error, "extendedresult", None) == apsw.SQLITE_IOERR_FSTAT


class Database:
    """A connection of ours; may be interrupted from another thread, is otherwise used by one."""

    def __init__(self, path: Path | None, *, read_only: bool = False, unchanging: bool = False) -> None:
        """Opens `path`, or a database in memory. Raises `Error`.

        `unchanging` reads the file alone, without its log and without a byte of room on the disk.
        """
        if path is None:
            self._connection: Any = apsw.Connection(":memory:")
        elif read_only:
            flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
            how = "?mode=ro&immutable=1" if unchanging else "?mode=ro"
            self._connection = apsw.Connection(path.absolute().as_uri() + how, flags=flags)
        else:
            self._connection = apsw.Connection(str(path))
        self._unchanging = unchanging
        self._made: set[str] = set()
        self._remembered: dict[Hashable, tuple[int, Any]] = {}
        self._connection.set_busy_timeout(10_000)
        for pragma in ("temp_store=MEMORY", "trusted_schema=0", "mmap_size=0", f"query_only={int(read_only)}"):
            self.run(f"PRAGMA {pragma}")

    def rows(self, sql: str, *values: object) -> Iterator[Row]:
        """The rows of a query, one at a time."""
        return _sound(self._connection.execute(sql, values))

    def row(self, sql: str, *values: object) -> Row | None:
        """The first row of a query."""
        cursor = self._connection.execute(sql, values)
        try:
            return cursor.fetchone()
        except UnicodeDecodeError as error:
            raise _no_text(error) from error

    def value(self, sql: str, *values: object) -> Any:
        """The first value of a query's first row; None without one."""
        row = self.row(sql, *values)
        return row[0] if row else None

    def run(self, sql: str, *values: object) -> None:
        """Run one statement for its effect."""
        self._connection.execute(sql, values).fetchall()

    def run_script(self, sql: str) -> None:
        """Run several statements without values."""
        self._connection.execute(sql)

    def run_many(self, sql: str, rows: Iterable[Row]) -> None:
        """Run one statement for each row of values."""
        self._connection.executemany(sql, rows)

    def insert(self, sql: str, *values: object) -> int:
        """Run an INSERT and give the new row's id."""
        self._connection.execute(sql, values)
        return self._connection.last_insert_rowid()

    def changes(self) -> int:
        """How many rows the last statement changed."""
        return self._connection.changes()

    @contextlib.contextmanager
    def transaction(self) -> Generator[None]:
        """All of the block or nothing; takes the write lock at once."""
        self.run("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if self._connection.in_transaction:  # SQLite itself has rolled back when the disk was full
                self.run("ROLLBACK")
            raise
        self.run("COMMIT")

    @contextlib.contextmanager
    def snapshot(self) -> Generator[None]:
        """Everything read in the block is of one moment; within another such block, of that one's."""
        if self._connection.in_transaction:
            yield
            return
        self.run("BEGIN")
        try:
            yield
        finally:
            if self._connection.in_transaction:
                self.run("ROLLBACK")

    def vocabulary(self, table: str, name: str) -> None:
        """Makes `temp.NAME` of the words of a table of FTS5's: (term, doc, cnt); in a snapshot until its end."""
        if name in self._made:
            return
        if not self._connection.in_transaction:
            self._made.add(name)
        before = self.value("PRAGMA query_only")
        self.run("PRAGMA query_only=0")  # a table of this connection's own; the file stays as read-only as it is
        try:
            self.run(f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{name} USING fts5vocab(main, {table}, row)")
        finally:
            self.run(f"PRAGMA query_only={before}")

    def tokenizer(self, name: str, arguments: list[str]) -> Any:
        """One of FTS5's tokenizers, as a function."""
        return self._connection.fts5_tokenizer(name, arguments)

    def phrase_function(self, name: str, function: Callable[[list[int]], Value]) -> None:
        """Makes a function of FTS5's, `name(table)`, of which phrases of the query a row has, by number; once."""
        if name in self._made:
            return
        self._made.add(name)

        def asked(api: Any) -> Value:
            return function([number for number in range(api.phrase_count) if api.phrase_columns(number)])

        self._connection.register_fts5_function(name, asked)

    def remembered(self, name: Hashable, find: Callable[[], T]) -> T:
        """What `find` gives by name, found anew when another connection has written since; for one that is kept."""
        version = self.value("PRAGMA data_version")
        known = self._remembered.pop(name, None)
        if known is None or known[0] != version:
            known = version, find()
        self._remembered[name] = known
        if len(self._remembered) > MOST_REMEMBERED:
            del self._remembered[next(iter(self._remembered))]
        return known[1]

    @property
    def is_idle(self) -> bool:
        """Whether no transaction is open and no query half read, so that it will see the newest of the file again."""
        return not self._unchanging and self._connection.txn_state("main") == apsw.SQLITE_TXN_NONE

    def interrupt(self) -> None:
        """Make the running query raise `Interrupted`; may be called from any thread."""
        self._connection.interrupt()

    def empty_log(self) -> None:
        """Bring what was written into the file itself, as far as that goes without waiting for anybody.

        SQLite does it when the last connection is closed, which may be a reader's who can't.
        """
        with contextlib.suppress(Error):
            self._connection.set_busy_timeout(0)
            self.run("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        self._connection.close()


def _sound(rows: Iterator[Row]) -> Iterator[Row]:
    """The rows as they come; bytes in a text that are no text are damage like any other."""
    try:
        yield from rows
    except UnicodeDecodeError as error:
        raise _no_text(error) from error


def _no_text(error: UnicodeDecodeError) -> BrokenValue:
    return BrokenValue(f"a text is no text: {error.reason} at {error.start}")
