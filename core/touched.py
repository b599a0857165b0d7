"""A pass over nothing but some files that are known and have changed: thousands of others need not be looked at."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from . import ledger
from .database import Database
from .discover import Source
from .exclude import Rules
from .fingerprint import stamp_of
from .found import Found, OnDisk
from .gate import Gate
from .model import Adapter, Dividing

MOST = 50
"""With more files than this a look at all of them is as fast."""


def touched_sources(
    db: Database, adapters: Mapping[str, Adapter], rules: Rules, paths: Iterable[str]
) -> list[Source] | None:
    """The sources of these files with nothing else found in them; `adapters` are of those that may be read.

    None where only a look at everything will do: a file is new, gone, set aside or refused, or no session file at all.
    """
    gate, sources = Gate(rules), dict[str, Source]()
    names = {_database_of(db, name) or name for name in paths}
    if not names or len(names) > MOST:
        return None
    for name in names:
        path = os.fsencode(name)
        source, known = ledger.known_file(db, path) or ("", None)
        if known is None or known.state != "ok" or source not in adapters or gate.refusal(source, path, ()):
            return None
        try:
            stamp = stamp_of(Path(name).stat(follow_symlinks=False))
        except OSError:
            return None
        adapter = adapters[source]
        mine = sources.setdefault(source, Source(adapter, {}))
        if isinstance(adapter, Dividing) and adapter.is_divided(Path(name)):
            mine.known |= {path: known} | ledger.known_below(db, path)
            mine.databases[path] = OnDisk(Path(name), stamp)
        else:
            mine.found[path] = Found(adapter, Path(name), stamp, known, known.beside)
    for each in sources.values():
        each.divide(gate)
        if any(not divided.tells_who_is_missing for divided in each.divided.values()):
            return None
        if any(file.state not in ("gone", "excluded") for file in each.absent()):
            return None
    return list(sources.values())


def _database_of(db: Database, name: str) -> str | None:
    """The database that SQLite keeps a file beside; None for another file."""
    for suffix in ("-wal", "-shm", "-journal"):
        if name.endswith(suffix) and ledger.known_file(db, os.fsencode(name.removesuffix(suffix))):
            return name.removesuffix(suffix)
    return None
