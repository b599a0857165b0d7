"""Names each session of a database by a path: the database's own, with the session's name below it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote, unquote

NAMELESS = "%"
"""What stands for the empty name; no other name is encoded so."""


def within(db: Path, name: str) -> Path:
    """The path of the session `name` in a database; any text is a name. It leads to no file."""
    encoded = quote(name, safe="", errors="surrogatepass") or NAMELESS
    return db / (encoded if encoded.strip(".") else encoded.replace(".", "%2E"))


def split(path: Path) -> tuple[Path, str]:
    """The database and the name that `within` made a path of."""
    return path.parent, "" if path.name == NAMELESS else unquote(path.name, errors="surrogatepass")
