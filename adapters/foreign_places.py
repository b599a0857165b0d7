"""Names each session of a database by a path: the database's own, with the session's name below it."""

from __future__ import annotations

import re
from pathlib import Path

NAMELESS = "%"
"""What stands for the empty name; no other name is encoded so."""
_SPECIAL = re.compile(rb"[^A-Za-z0-9_.~-]")
_ESCAPE = re.compile(rb"%([0-9A-F]{2})")


def within(db: Path, name: str) -> Path:
    """The path of the session `name` in a database; any text is a name. It leads to no file.

    All but the unreserved characters of RFC 3986 are percent-encoded; so are the dots of a name of nothing else.
    """
    raw = name.encode("utf-8", "surrogatepass")
    encoded = _SPECIAL.sub(lambda found: b"%%%02X" % found[0][0], raw).decode() or NAMELESS
    return db / (encoded if encoded.strip(".") else encoded.replace(".", "%2E"))


def split(path: Path) -> tuple[Path, str]:
    """The database and the name that `within` made a path of."""
    if path.name == NAMELESS:
        return path.parent, ""
    raw = _ESCAPE.sub(lambda found: bytes([int(found[1], 16)]), path.name.encode())
    return path.parent, raw.decode("utf-8", "surrogatepass")
