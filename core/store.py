"""The index file: where it is, how it is opened, checked and made; read-only readers and the one writing connection."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

import zstandard

from .config import make_private
from .database import Damaged, Database, Error, Full
from .ledger import read_all_again
from .lock import Busy, exclusive, held
from .migrate import SCHEMA_VERSION, lay_out, migrate
from .redact import REDACTION_VERSION
from .rewrite import being_replaced, finish, identity, is_due, take_over
from .tokens import TOKENIZER_VERSION

VERSIONS = {"tokenizer": TOKENIZER_VERSION, "redaction": REDACTION_VERSION}

PACK_FROM = 1_024
"""Bytes of UTF-8 from which a text is compressed, if that saves a fifth."""


class StoreError(Exception):
    """The index can't be used now; the message says what happened, what was kept and what to do."""


class NoIndex(StoreError):
    """Nothing has been indexed yet."""


class Newer(StoreError):
    """A newer harkback made the index; it is left alone."""


class Store:
    """The index of one harkback home; opens connections, holds none."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.path = home / "index.db"
        self.lock_path = home / "index.lock"

    def exists(self) -> bool:
        return self.path.exists()

    def being_written(self) -> bool:
        """Whether some process is indexing now."""
        return self.lock_path.exists() and held(self.lock_path)

    def read(self) -> Database:
        """A new read-only connection; one a search, so that interrupting it disturbs nobody else.

        Raises NoIndex or StoreError.
        """
        while True:
            being_replaced(self.path)
            before = identity(self.path)
            try:
                database = self._open_for_reading()
            except StoreError:
                if identity(self.path) == before:
                    raise
            else:
                if identity(self.path) == before:
                    return database
                database.close()  # another file has taken its place meanwhile, and this may be a bit of each

    def _open_for_reading(self) -> Database:
        if not self.exists():
            raise NoIndex(f"nothing is indexed yet in {self.home}; run `harkback index`")
        try:
            database = Database(self.path, read_only=True)
            database.run("PRAGMA cache_size=-32000")
            self._check(database)
        except Error as error:
            raise StoreError(self._trouble(error)) from error
        return database

    @contextlib.contextmanager
    def write(self, patience: float = 0) -> Generator[Database]:
        """The writing connection; waits `patience` seconds for the one who has it. Raises Busy or StoreError."""
        with self.locked(patience):
            database = self._open_for_writing()
            try:
                yield database
            finally:
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
            raise StoreError(self._trouble(error)) from error
        except OSError as error:
            raise StoreError(f"{self.home} can't be written: {error.strerror or error}") from error

    def _open_for_writing(self) -> Database:
        take_over(self.path)
        if not self.path.exists():
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))  # SQLite's own default is readable by all
        database = self._connect()
        if database.value("PRAGMA user_version") == 0 and database.value("PRAGMA schema_version") == 0:
            lay_out(database, VERSIONS)
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
            raise NoIndex(f"nothing is indexed yet in {self.home}; run `harkback index`")

    def _mark_outdated(self, database: Database) -> None:
        """Have every file read again whose rows other rules made; until then the old rows answer."""
        have = dict(database.rows("SELECT key, value FROM meta WHERE key IN ('tokenizer', 'redaction')"))
        if have != VERSIONS:
            with database.transaction():
                read_all_again(database)
                database.run_many("REPLACE INTO meta VALUES (?, ?)", VERSIONS.items())

    def _trouble(self, error: Exception) -> str:
        if isinstance(error, Damaged):
            return (
                f"{self.path} is damaged ({error}); your agents' own files are untouched: move it away and run "
                "`harkback index` to build it again"
            )
        return f"{self.path} can't be used: {error}"


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
    """A turn's text as it was."""
    if isinstance(stored, str):
        return stored
    if (unpacker := getattr(_local, "unpacker", None)) is None:  # making one costs more than using it
        unpacker = _local.unpacker = zstandard.ZstdDecompressor()
    return unpacker.decompress(stored).decode()


__all__ = ["SCHEMA_VERSION", "Busy", "Newer", "NoIndex", "Store", "StoreError", "pack", "unpack"]
