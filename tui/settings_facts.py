"""What the settings show: config.toml, the disk and the index at one moment, gathered in a thread."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from ..core import status as statuses
from ..core.config import Config
from ..core.database import Error
from ..core.fetch_model import is_installed
from ..core.model import ToolReading
from ..core.semantic_status import SemanticStatus, semantic_status
from ..core.skipped import LeftOut, gone_sessions, left_out
from ..core.status import IndexStatus, SourceStatus
from ..core.store import NoIndex, StoreError
from .known_sources import source_rows
from .surroundings import Surroundings


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file or folder of harkback's."""

    path: str
    size: int | None
    """Bytes; None for a folder."""
    mode: int
    private: bool
    """Nobody but its owner may read it."""


@dataclass(frozen=True, slots=True)
class Facts:
    """All of it."""

    config: Config
    home: str
    now: int
    """UTC ms."""
    sources: tuple[SourceStatus, ...] = ()
    reads_tools: frozenset[str] = frozenset()
    """Sources of which tool calls can be read."""
    index: IndexStatus | None = None
    left_out: tuple[LeftOut, ...] = ()
    left_out_bytes: int = 0
    """On the disk, of all files of which limits left something out."""
    gone: Mapping[str, int] = field(default_factory=dict[str, int])
    """Source → sessions that only the index still holds."""
    semantic: SemanticStatus | None = None
    """None while nothing is indexed."""
    embeds: bool = False
    """What search by meaning needs is installed."""
    files: tuple[OwnFile, ...] = ()
    trouble: str = ""
    """Why the index can't be asked."""

    def titles(self) -> dict[str, str]:
        return {each.name: each.title for each in self.sources}


def gather(place: Surroundings) -> Facts:
    """Look at everything. Raises ConfigError."""
    config, now = place.config(), int(place.now().timestamp() * 1000)
    index: IndexStatus | None = None
    left: tuple[LeftOut, ...] = ()
    gone: dict[str, int] = {}
    left_bytes, trouble = 0, ""
    semantic: SemanticStatus | None = None
    try:
        sources = tuple(source_rows(place))
        with closing(place.store.read()) as db:
            index, left = statuses.index_status(db, place.store.path), tuple(left_out(db))
            semantic = semantic_status(db, config.semantic, place.folder)
            gone = {each.source: each.sessions for each in gone_sessions(db)}
            left_bytes = db.value(
                "SELECT coalesce(sum(size), 0) FROM files WHERE id IN (SELECT file FROM left_out)"
            )  # fmt: skip
    except NoIndex:
        sources = tuple(source_rows(place))
    except (StoreError, Error) as error:
        trouble = str(error)
        sources = tuple(statuses.sources(None, place.adapters, config, place.home, place.environ, now))
    return Facts(
        config=config,
        home=str(place.home),
        now=now,
        sources=sources,
        reads_tools=frozenset(each.name for each in place.adapters if isinstance(each, ToolReading)),
        index=index,
        left_out=left,
        left_out_bytes=left_bytes,
        gone=gone,
        semantic=semantic,
        embeds=is_installed(),
        files=tuple(own_files(place.folder)),
        trouble=trouble,
    )


def own_files(folder: Path) -> Iterator[OwnFile]:
    """harkback's folder and what is in it that matters, so far as it is there."""
    for path in (folder, folder / "config.toml", *sorted(folder.glob("index.db*"))):
        try:
            found = path.stat()
        except OSError:
            continue
        mode = stat.S_IMODE(found.st_mode)
        size = None if stat.S_ISDIR(found.st_mode) else found.st_size
        yield OwnFile(str(path), size, mode, not mode & 0o077)
