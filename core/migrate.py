"""The format of the index: laid out new, or brought up from an older one step by step, each step in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import resources
from types import MappingProxyType

from .database import Database

SCHEMA_VERSION = 3
"""What `schema.sql` lays out; kept in the file's `user_version`."""
APPLICATION_ID = 0x4861726B
"""`Hark`, so that `file` and we ourselves know the file."""


def lay_out(db: Database, versions: Mapping[str, int]) -> None:
    """Make the tables in an empty database; `versions` are of the rules that rows will be written with."""
    with db.transaction():
        db.run_script(resources.files(__package__ or "").joinpath("schema.sql").read_text("utf-8"))
        db.run_many("INSERT INTO meta VALUES (?, ?)", versions.items())
        db.run(f"PRAGMA application_id={APPLICATION_ID}")
        db.run(f"PRAGMA user_version={SCHEMA_VERSION}")


def migrate(db: Database) -> None:
    """Bring an older index up to this format; one that is up to date or newer is left alone. Raises `database.Error`.

    Whenever it is interrupted, the index is of one format or the next, and this goes on from there.
    """
    for version in range(db.value("PRAGMA user_version") + 1, SCHEMA_VERSION + 1):
        with db.transaction():
            MIGRATIONS[version](db)
            db.run(f"PRAGMA user_version={version}")


def m002_tombstones(db: Database) -> None:
    """What was forgotten is remembered by its hash."""
    db.run("CREATE TABLE tombstones (hash BLOB PRIMARY KEY, time INTEGER NOT NULL) WITHOUT ROWID")


def m003_exclusions(db: Database) -> None:
    """Files may be excluded and sessions hidden; a CHECK that allows more needs no row to be written again."""
    db.run(
        """CREATE TABLE hidden (
             source TEXT NOT NULL, session TEXT NOT NULL, file INTEGER NOT NULL REFERENCES files,
             PRIMARY KEY (source, session, file)
           ) WITHOUT ROWID"""
    )
    db.run("CREATE INDEX hidden_by_file ON hidden (file)")
    db.run("PRAGMA writable_schema=ON")
    states = "'left-out'))", "'left-out', 'excluded'))"
    db.run("UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = 'files'", *states)
    db.run(f"PRAGMA schema_version={db.value('PRAGMA schema_version') + 1}")
    db.run("PRAGMA writable_schema=RESET")


MIGRATIONS: Mapping[int, Callable[[Database], None]] = MappingProxyType({2: m002_tombstones, 3: m003_exclusions})
"""What makes each format out of the one before."""
