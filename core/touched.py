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
from .found import Found
from .gate import Gate
from .model import Adapter

MOST = 50
"""With more files than this a look at all of them is as fast."""


def touched_sources(
    db: Database, adapters: Mapping[str, Adapter], rules: Rules, paths: Iterable[str]
) -> list[Source] | None:
    """The sources of these files with nothing else found in them; `adapters` are of those that may be read.

    None where only a look at everything will do: a file is new, gone, set aside or refused, or no session file at all.
    """
    gate, sources = Gate(rules), dict[str, Source]()
    names = set(paths)
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
        sources.setdefault(source, Source(adapter, {})).found[path] = Found(adapter, Path(name), stamp, known)
    return list(sources.values())
