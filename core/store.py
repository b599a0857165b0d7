"""The index file: where it is, how it is opened, checked and made; read-only readers and the one writing connection."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from .damage import PATIENCE, clear, is_damaged, is_suspected, suspect, when_set_aside
from .database import BrokenValue, Damaged, Database, Error, Full, is_half_made, is_removed, lacks_room
from .hollow_log import empty_if_hollow
from .ledger import read_all_again
from .lock import Busy, exclusive, held
from .migrate import SCHEMA_VERSION, lay_out, migrate, read_as_new
from .packing import pack, unpack
from .private import make_private
from .redact import REDACTION_VERSION
from .renewal import hide_unredacted, redact_all_again, rules
from .rewrite import being_replaced, finish, identity, is_due, last_change, take_over
from .tokens import TOKENIZER_VERSION

VERSIONS = {"tokenizer": TOKENIZER_VERSION, "redaction": REDACTION_VERSION}


class StoreError(Exception):
    """The index can't be used now; the message says what happened, what was kept and what to do."""


class NoIndex(StoreError):
    """Nothing has been indexed yet."""


class DamagedIndex(StoreError):
    """The index is damaged, or seems to be: the next who writes looks into it."""


class Newer(StoreError):
    """A newer harkback made the index; it is left alone."""


class State(NamedTuple):
    """What decides how a reader is prepared: in another one it has to be opened anew."""

    file: tuple[int, int] | None
    format: int
    layout: int
    rules: tuple[int, bool]


class Store:
    """The index of one harkback home; opens connections, holds none."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.path = Path(os.path.realpath(home / "index.db"))  # what lies beside it lies where it really is
        self.lock_path = home / "index.lock"
        self.mended = ""
        """What was done about a damaged index, for the person."""

    def exists(self) -> bool:
        return self.path.exists()

    def being_written(self) -> bool:
        """Whether some process is indexing now."""
        return self.lock_path.exists() and held(self.lock_path)

    def suspected(self) -> bool:
        """Whether the next who writes has to look if the index is damaged."""
        return is_suspected(self.path)

    def read(self) -> Database:
        """A new read-only connection; one a search, so that interrupting it disturbs nobody else.

        Raises NoIndex or StoreError.
        """
        while True:
            being_replaced(self.path)
            before, changed = identity(self.path), last_change(self.path)
            try:
                database = self._open_for_reading()
            except StoreError:
                being_replaced(self.path)
                if (identity(self.path), last_change(self.path)) == (before, changed):
                    raise  # a new file may have the number of one that has just gone, but not its time
            else:
                if identity(self.path) == before:
                    return database
                database.close()  # another file has taken its place meanwhile, and this may be a bit of each

    def identity(self) -> tuple[int, int] | None:
        """What tells the index file from one that takes its place."""
        return identity(self.path)

    def state(self, database: Database) -> State:
        """What the index is now that a reader has open. Raises `database.Error`."""
        empty_if_hollow(self.path, self.lock_path)
        version, layout = database.value("PRAGMA user_version"), database.value("PRAGMA schema_version")
        return State(self.identity(), version, layout, rules(database))

    def _open_for_reading(self) -> Database:
        if not self.exists():
            raise self._nothing()
        empty_if_hollow(self.path, self.lock_path)
        try:
            try:
                return self._checked(Database(self.path, read_only=True))
            except Error as error:
                if not lacks_room(error):
                    raise
                return self._checked(Database(self.path, read_only=True, unchanging=True))
        except Error as error:
            nothing = is_half_made(error) or not self.exists()  # it may have gone between the look and the opening
            raise (self._nothing() if nothing else self.trouble(error)) from error

    def _checked(self, database: Database) -> Database:
        database.run("PRAGMA cache_size=-32000")
        self._check(database)
        read_as_new(database)
        hide_unredacted(database, VERSIONS["redaction"])
        return database

    def _nothing(self) -> NoIndex:
        return NoIndex(f"nothing is indexed yet in {self.home}; run `harkback index`")

    @contextlib.contextmanager
    def write(self, patience: float = 0, *, anew: bool = False) -> Generator[Database]:
        """The writing connection; waits `patience` seconds for the one who has it. Raises Busy or StoreError.

        A damaged index is replaced by a new one with what only it held; once a day, or whenever `anew` is wanted.
        """
        with self.locked(patience):
            database = self._open_mended(anew)
            try:
                yield database
            finally:
                database.empty_log()
                database.close()

    @contextlib.contextmanager
    def locked(self, patience: float = 0) -> Generator[None]:
        """Nobody else writes, for as long as the block lasts. Raises Busy or StoreError, also for errors in it."""
        try:
            make_private(self.home)
            with exclusive(self.lock_path, patience):
                yield
        except Full as error:
            raise StoreError(f"the disk is full: {self.path} keeps what it had; free some space and go on") from error
        except Error as error:
            raise self._trouble(error) from error
        except OSError as error:
            raise StoreError(f"{self.home} can't be written: {error.strerror or error}") from error

    def _open_mended(self, anew: bool) -> Database:
        take_over(self.path)
        empty_if_hollow(self.path)
        self.mended = ""
        if not anew and not is_suspected(self.path):
            try:
                return self._open_for_writing()
            except (*Damaged, UnicodeDecodeError):
                suspect(self.path)
        if self.path.exists() and is_damaged(self.path):
            self._salvage(anew)
        clear(self.path)
        return self._open_for_writing()

    def _salvage(self, anew: bool) -> None:
        from .salvage import salvage  # it needs the writer, which needs this module

        before = when_set_aside(self.path)
        if before and not anew and datetime.now(UTC) - before < PATIENCE:
            raise DamagedIndex(
                f"{self.path} is damaged again, less than a day after it was built anew: the disk may be failing; "
                "`harkback index --rebuild` builds it once more; your agents' own files are untouched"
            )
        self.mended = str(salvage(self.path, VERSIONS))

    def _open_for_writing(self) -> Database:
        if not self.path.exists():
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))  # SQLite's own default is readable by all
        database = self._connect()
        if database.value("PRAGMA user_version") == 0 and database.value("PRAGMA schema_version") == 0:
            lay_out(database, VERSIONS)
        if database.value("PRAGMA user_version") <= 0:
            raise BrokenValue("it does not say its format")
        self._check(database)
        migrate(database)
        if is_due(database) and finish(database, self.path):
            database = self._connect()
        self._mark_outdated(database)
        return database

    def _connect(self) -> Database:
        database = Database(self.path)
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "secure_delete=1", "cache_size=-64000"):
            database.run(f"PRAGMA {pragma}")
        return database

    def _check(self, database: Database) -> None:
        version = database.value("PRAGMA user_version")
        if version > SCHEMA_VERSION:
            raise Newer(
                f"{self.path} was made by a newer harkback (format {version}, this one knows {SCHEMA_VERSION}); "
                "it was left alone: update harkback, or choose another folder with --home"
            )
        if version == 0:
            raise self._nothing()

    def _mark_outdated(self, database: Database) -> None:
        """Have every file read again whose rows other rules made.

        Until then the old rows answer, but for what other rules have redacted: that is hidden.
        """
        have = dict(database.rows("SELECT key, value FROM meta WHERE key IN ('tokenizer', 'redaction')"))
        if have != VERSIONS:
            with database.transaction():
                other = have.get("redaction") != VERSIONS["redaction"]
                (redact_all_again if other else read_all_again)(database)
                database.run_many("REPLACE INTO meta VALUES (?, ?)", VERSIONS.items())

    def trouble(self, error: Exception) -> StoreError:
        """What to tell a reader of an error of SQLite's; after one that smells of damage the next who writes looks."""
        return self._nothing() if is_removed(error) or not self.exists() else self._trouble(error)

    def _trouble(self, error: Exception) -> StoreError:
        if not isinstance(error, (*Damaged, UnicodeDecodeError)):
            return StoreError(f"{self.path} can't be used: {error}")
        suspect(self.path)
        return DamagedIndex(
            f"{self.path} is damaged ({error}); your agents' own files are untouched: `harkback index` builds it anew "
            "and keeps what only it holds"
        )


__all__ = ["SCHEMA_VERSION", "Busy", "DamagedIndex", "Newer", "NoIndex", "Store", "StoreError", "pack", "unpack"]
