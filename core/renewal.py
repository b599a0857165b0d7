"""Rows that older rules of redaction made: nobody reads them until today's rules have been over them.

They are noted by file. Each file is read again, or renewed from its kept text, and with that shows again; until then
a reader's connection has views in the place of the tables, so that no way of reading them can forget to leave them out.
"""

from __future__ import annotations

from .database import Database
from .ledger import RENEWED, read_all_again
from .redact import redact

_LAYOUT = f"""
CREATE TABLE IF NOT EXISTS unredacted (file INTEGER PRIMARY KEY);
CREATE TRIGGER IF NOT EXISTS redacted_again AFTER UPDATE OF adapter_version ON files
  WHEN (new.adapter_version >= 0 AND new.state != 'quarantined') OR new.adapter_version = {RENEWED}
  BEGIN DELETE FROM unredacted WHERE file = new.id; END;
CREATE TRIGGER IF NOT EXISTS dropped_unredacted AFTER DELETE ON files
  BEGIN DELETE FROM unredacted WHERE file = old.id; END;
"""  # noqa: S608, a number of ours
_FACTS = ("title", "project", "branch", "model", "agent", "about", "handle")
_CURRENT = "(SELECT value FROM main.meta WHERE key = 'redaction')"
# Looked up by an index, row by row: a search asks for hundreds of rows one at a time, and the files are thousands.
_SHOWN = {
    "turns": "NOT EXISTS (SELECT 1 FROM main.unredacted u WHERE u.file = turns.file)",
    "sessions": """NOT EXISTS (
        SELECT 1 FROM main.facts f CROSS JOIN main.unredacted u ON u.file = f.file WHERE f.session = sessions.id
      ) AND NOT EXISTS (
        SELECT 1 FROM main.turns t WHERE t.session = sessions.id AND (
          EXISTS (SELECT 1 FROM main.unredacted u WHERE u.file = t.file)
          OR EXISTS (SELECT 1 FROM main.titles x CROSS JOIN main.unredacted u ON u.file = x.file
                     WHERE x.source = sessions.source AND x.turn_id = t.native_id)))""",
    "skips": """NOT EXISTS (
        SELECT 1 FROM main.files f CROSS JOIN main.unredacted u ON u.file = f.id WHERE f.path = skips.path)""",
}
"""Table → what makes a row of it one that is shown. A turn is never shown without its session."""


def redact_all_again(db: Database) -> None:
    """Have every file read again or renewed, and hide until then what was read of it; within a transaction."""
    read_all_again(db)
    db.run_script(_LAYOUT)
    db.run("INSERT OR IGNORE INTO unredacted SELECT id FROM files")


def waiting(db: Database) -> int:
    """How many files are hidden until today's rules have been over them."""
    if db.value("SELECT 1 FROM temp.sqlite_schema WHERE name = 'hidden_files'"):  # a reader's own word
        return db.value("SELECT count(*) FROM temp.hidden_files")
    return db.value("SELECT count(*) FROM main.unredacted") if _has_table(db) else 0


def rules(db: Database) -> tuple[int, bool]:
    """By which rules an index was redacted, and whether anything of it still waits for them."""
    waits = _has_table(db) and db.value("SELECT 1 FROM main.unredacted LIMIT 1") is not None
    return db.value(f"SELECT {_CURRENT}") or 0, waits


def hide_unredacted(db: Database, version: int) -> None:
    """Have a reader see nothing that rules older than `version` made, for as long as that is so."""
    current, waits = rules(db)
    if current >= version and not waits:
        return
    has_table = _has_table(db)
    db.run("PRAGMA query_only=0")
    those = f"{_CURRENT} < {version} OR id IN (SELECT file FROM main.unredacted)" if has_table else "1"  # noqa: S608
    db.run("DROP VIEW IF EXISTS temp.hidden_files")
    db.run(f"CREATE TEMP VIEW hidden_files AS SELECT id FROM main.files WHERE {those}")  # noqa: S608, texts of ours
    for table, shown in _SHOWN.items():
        condition = f"{_CURRENT} >= {version} AND {shown}" if has_table else "0"
        old = db.value("SELECT sql FROM temp.sqlite_schema WHERE name = ?", table)
        if old:
            db.run(f"DROP VIEW temp.{table}")
        select = old.partition(" AS ")[2] if old else f"SELECT * FROM main.{table}"  # noqa: S608, the three above
        db.run(f"CREATE TEMP VIEW {table} AS {select} WHERE {condition}")
    db.run("PRAGMA query_only=1")


def renew_facts(db: Database, file: int) -> None:
    """Redact by today's rules what is kept of a file besides its turns."""
    for column in _FACTS:
        _renew(db, "facts", column, "file", file)
    _renew(db, "titles", "title", "file", file)
    _renew(db, "turns", "cite", "file", file)
    _renew(db, "skips", "example", "path", db.value("SELECT path FROM files WHERE id = ?", file))


def _renew(db: Database, table: str, column: str, key: str, of: int | bytes) -> None:
    find = f"SELECT DISTINCT {column} FROM {table} WHERE {key} = ? AND {column} > ''"  # noqa: S608, names of ours
    for (text,) in list(db.rows(find, of)):
        if (masked := redact(text).text) != text:
            db.run(f"UPDATE {table} SET {column} = ? WHERE {key} = ? AND {column} = ?", masked, of, text)  # noqa: S608


def _has_table(db: Database) -> bool:
    return db.row("SELECT 1 FROM main.sqlite_schema WHERE name = 'unredacted'") is not None
