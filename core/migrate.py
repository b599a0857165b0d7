"""The format of the index: laid out new, or brought up from an older one step by step, each step in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import resources
from types import MappingProxyType

from .database import Database

SCHEMA_VERSION = 5
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
    """Files may be excluded and sessions hidden."""
    db.run(
        """CREATE TABLE hidden (
             source TEXT NOT NULL, session TEXT NOT NULL, file INTEGER NOT NULL REFERENCES files,
             PRIMARY KEY (source, session, file)
           ) WITHOUT ROWID"""
    )
    db.run("CREATE INDEX hidden_by_file ON hidden (file)")
    _allow(db, "files", "'left-out'))", "'left-out', 'excluded'))")


def m004_places(db: Database) -> None:
    """Files may be sessions of a database, turns a tool's or a memory's, and stores may say what was deleted there."""
    for table, columns in NEW_COLUMNS.items():
        for column, kind in columns.items():
            db.run(f"ALTER TABLE {table} ADD COLUMN {column} {kind}")
    db.run(
        """CREATE TABLE deleted (
             source TEXT NOT NULL, session TEXT NOT NULL, file INTEGER NOT NULL REFERENCES files,
             PRIMARY KEY (source, session, file)
           ) WITHOUT ROWID"""
    )
    db.run("CREATE INDEX deleted_by_file ON deleted (file)")
    db.run(
        """CREATE TABLE listed (
             source TEXT NOT NULL, session TEXT NOT NULL, file INTEGER NOT NULL REFERENCES files, entry TEXT NOT NULL,
             gone INTEGER NOT NULL DEFAULT 0,
             PRIMARY KEY (source, session, file, entry)
           ) WITHOUT ROWID"""
    )
    db.run("CREATE INDEX listed_by_file ON listed (file, entry)")
    _allow(db, "turns", "'assistant'))", "'assistant', 'tool', 'memory'))")
    _allow(db, "sessions", "'automated'))", "'automated', 'memory'))")


def m005_vectors(db: Database) -> None:
    """Chunks may have embeddings, which go when they go."""
    db.run(
        """CREATE TABLE models (
             id INTEGER PRIMARY KEY, name TEXT NOT NULL, revision TEXT NOT NULL, dimension INTEGER NOT NULL,
             pooling TEXT NOT NULL, query_prefix TEXT NOT NULL, passage_prefix TEXT NOT NULL,
             quantised TEXT NOT NULL, made INTEGER NOT NULL,
             UNIQUE (name, revision, dimension, pooling, query_prefix, passage_prefix, quantised)
           )"""
    )
    db.run(
        """CREATE TABLE vectors (
             id INTEGER PRIMARY KEY AUTOINCREMENT, chunk INTEGER NOT NULL UNIQUE REFERENCES chunks,
             model INTEGER NOT NULL REFERENCES models, vector BLOB NOT NULL
           )"""
    )
    db.run("CREATE INDEX vectors_by_model ON vectors (model)")
    db.run(
        """CREATE TRIGGER vectors_go_with_chunks BEFORE DELETE ON chunks BEGIN
             DELETE FROM vectors WHERE chunk = OLD.id;
           END"""
    )


def _allow(db: Database, table: str, old: str, new: str) -> None:
    """A CHECK that allows more needs no row to be written again."""
    db.run("PRAGMA writable_schema=ON")
    db.run("UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = ?", old, new, table)
    db.run(f"PRAGMA schema_version={db.value('PRAGMA schema_version') + 1}")
    db.run("PRAGMA writable_schema=RESET")


NEW_COLUMNS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "files": {"beside": "BLOB NOT NULL DEFAULT x''"},
        "sessions": {"agent": "TEXT", "about": "TEXT", "handle": "TEXT"},
        "facts": {"agent": "TEXT", "about": "TEXT", "handle": "TEXT"},
        "turns": {"cite": "TEXT"},
        "hidden": {"reason": "TEXT NOT NULL DEFAULT 'excluded'"},
    }
)
"""What format 4 added to tables that were there."""


def older_value(table: str, column: str) -> str:
    """What rows of an older format have in one of the `NEW_COLUMNS`, as SQL."""
    return NEW_COLUMNS[table][column].partition("DEFAULT ")[2] or "NULL"


def read_as_new(db: Database) -> None:
    """Have a reader of an older index find the columns of this format too, for until the index is migrated."""
    if 0 < db.value("PRAGMA user_version") < 4:
        db.run("PRAGMA query_only=0")
        for table in ("sessions", "turns", "hidden"):
            if not db.value("SELECT 1 FROM main.sqlite_schema WHERE name = ?", table):
                continue
            columns = ", ".join(f"{older_value(table, name)} AS {name}" for name in NEW_COLUMNS[table])
            db.run(f"CREATE TEMP VIEW {table} AS SELECT *, {columns} FROM main.{table}")  # noqa: S608
        db.run("PRAGMA query_only=1")


MIGRATIONS: Mapping[int, Callable[[Database], None]] = MappingProxyType(
    {2: m002_tombstones, 3: m003_exclusions, 4: m004_places, 5: m005_vectors}
)
"""What makes each format out of the one before."""
