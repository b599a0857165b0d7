"""Which sources there are, what is on the disk and in the index of them, and how to tick one."""

from __future__ import annotations

from collections.abc import Iterable

from ..core import status as statuses
from ..core.config import ConfigError
from ..core.store import NoIndex
from .output import short_path
from .surroundings import Surroundings
from .wording import counted, fitted_paths

MOST_PLACES = 64
"""Characters of one source's places."""


def source_rows(here: Surroundings) -> list[statuses.SourceStatus]:
    """Every source with what is on the disk and in the index. Raises ConfigError, StoreError."""
    try:
        db = here.store.read()
    except NoIndex:
        db = None
    now = int(here.now().timestamp() * 1000)
    try:
        return statuses.sources(db, here.adapters, here.config(), here.home, here.environ, now)
    finally:
        if db:
            db.close()


def check_names(here: Surroundings, names: Iterable[str]) -> None:
    """Raises ConfigError for the first name that is no source."""
    for name in names:
        if here.adapter(name) is None:
            raise ConfigError(f"there is no source {name!r}; there are {', '.join(here.titles)}")


def how_to_tick(here: Surroundings) -> list[str]:
    """What to tell a person who has ticked nothing: what is there, or where was looked, and the command."""
    rows = source_rows(here)
    home = str(here.home)
    places = {row.name: fitted_paths([short_path(root, home) for root in row.roots], MOST_PLACES) for row in rows}
    found = [row for row in rows if row.found and row.files]
    if not found:
        return [
            "No agent's sessions were found. These places were looked at:",
            *(f"  {row.title}: {places[row.name]}" for row in rows),
            "If yours are elsewhere: harkback sources add NAME PATH",
        ]
    return [
        "No source is ticked, so nothing is read. Found on this machine:",
        *(f"  {row.title}: {counted(row.files, 'file')} in {places[row.name]}" for row in found),
        f"Tick what may be read: harkback sources enable {' '.join(row.name for row in found)}",
    ]
