"""What lies on the disk of each source, and which of the known files are missing there."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from .config import Config
from .fingerprint import stamp_of
from .ledger import KnownFile, Stamp
from .model import Adapter, SkipRecord


@dataclass(frozen=True, slots=True)
class Found:
    """A file as it is now, and as it was when it was read."""

    adapter: Adapter
    path: Path
    stamp: Stamp
    known: KnownFile | None


@dataclass(slots=True)
class Source:
    """One source in one pass."""

    adapter: Adapter
    known: dict[bytes, KnownFile]
    found: dict[bytes, Found] = field(default_factory=dict[bytes, Found])
    folder_skips: list[SkipRecord] = field(default_factory=list[SkipRecord])
    error: str | None = None
    """What went wrong with one of its roots as a whole."""
    turns: int = 0
    _healthy: list[bytes] = field(default_factory=list[bytes])
    """Roots that show at least one file."""
    _hidden: list[bytes] = field(default_factory=list[bytes])
    """Places that could not be looked into."""

    def look(self, roots: Sequence[Path]) -> None:
        """Find the files below each root; one that fails does not keep the others out."""
        for root in roots:
            try:
                files, skips = discover(self.adapter, [root])
                place = os.fsencode(os.path.realpath(root))
            except Exception as error:  # an adapter's fault or the disk's
                self.error = type(error).__name__
                self.folder_skips.append(SkipRecord("unreadable-folder", os.fspath(root)))
                continue
            if files:
                self._healthy.append(place)
            for path, (name, stamp) in files.items():
                self.found[path] = Found(self.adapter, name, stamp, self.known.get(path))
            self.folder_skips += skips
            for skip in skips:
                self._hidden.append(os.fsencode(skip.example) if Path(skip.example).is_absolute() else place)

    def missing(self) -> list[KnownFile]:
        """The known files that are no longer there; never those of an empty, unreadable or absent place."""
        return [
            file
            for path, file in self.known.items()
            if path not in self.found
            and any(_is_below(path, root) for root in self._healthy)
            and not any(_is_below(path, place) for place in self._hidden)
        ]


def roots_of(adapter: Adapter, config: Config, home: Path, environ: Mapping[str, str]) -> list[Path]:
    """Where a source is read: the agent's own places and those of the config, each once."""
    given = [Path(root).expanduser() for root in config.source(adapter.name).roots]
    return list({os.path.realpath(root): root for root in [*adapter.roots(home, environ), *given]}.values())


def discover(adapter: Adapter, roots: Sequence[Path]) -> tuple[dict[bytes, tuple[Path, Stamp]], list[SkipRecord]]:
    """Every file of a source as it is now, and the folders that could not be listed."""
    files: dict[bytes, tuple[Path, Stamp]] = {}
    skips: list[SkipRecord] = []
    for root in roots:
        if not root.exists():
            continue
        for found in adapter.find(Path(os.path.realpath(root))):
            if isinstance(found, SkipRecord):
                skips.append(found)
                continue
            with suppress(OSError):  # it vanished since it was listed
                files[os.fsencode(found)] = (found, stamp_of(found.stat(follow_symlinks=False)))
    return files, skips


def _is_below(path: bytes, place: bytes) -> bool:
    return path == place or path.startswith(place.rstrip(b"/") + b"/")
