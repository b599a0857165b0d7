"""What lies on the disk of each source, and which of the known files are missing there."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from .config import Config
from .fingerprint import is_elsewhere, stamp_of
from .gate import OUTSIDE_ROOT, Gate, Refused, is_below
from .ledger import KnownFile, Stamp
from .model import Adapter, Place, SkipRecord


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
    """The files that may be opened."""
    refused: list[Refused] = field(default_factory=list[Refused])
    """Those that may not."""
    folder_skips: list[SkipRecord] = field(default_factory=list[SkipRecord])
    error: str | None = None
    """What went wrong with one of its roots as a whole."""
    turns: int = 0
    _healthy: list[bytes] = field(default_factory=list[bytes])
    """Roots that show at least one file."""
    _hidden: list[bytes] = field(default_factory=list[bytes])
    """Places that could not be looked into."""

    def look(self, roots: Sequence[Path], gate: Gate) -> None:
        """Find the files below each root; one that fails does not keep the others out."""
        places = [os.fsencode(os.path.realpath(root)) for root in roots]
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
                refusal = gate.refusal(self.adapter.name, path, places)
                if refusal is None:
                    self.found[path] = Found(self.adapter, name, stamp, self.known.get(path))
                elif refusal == OUTSIDE_ROOT:
                    skips.append(SkipRecord(refusal, os.fspath(name)))
                else:
                    self.refused.append(Refused(self.adapter.name, path, stamp, refusal))
            self.folder_skips += skips
            for skip in skips:
                self._hidden.append(os.fsencode(skip.example) if Path(skip.example).is_absolute() else place)

    def newly_refused(self) -> list[Refused]:
        """The files that may not be opened, of which the index does not say so yet."""
        said = {path: file.reason for path, file in self.known.items() if file.state == "excluded"}
        return [file for file in self.refused if said.get(file.path) != file.reason]

    def absent(self) -> list[KnownFile]:
        """The known files that were not found."""
        there = {file.path for file in self.refused}
        return [file for path, file in self.known.items() if path not in self.found and path not in there]

    def missing(self) -> list[KnownFile]:
        """The known files that are no longer there; never those of an empty, unreadable or absent place."""
        return [
            file
            for file in self.absent()
            if any(is_below(file.path, root) for root in self._healthy)
            and not any(is_below(file.path, place) for place in self._hidden)
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
            path = found.path if isinstance(found, Place) else found
            with suppress(OSError):  # it vanished since it was listed
                status = path.stat(follow_symlinks=False)
                if is_elsewhere(status):
                    skips.append(SkipRecord("in-the-cloud", os.fspath(path)))
                else:
                    files[os.fsencode(path)] = (path, stamp_of(status))
    return files, skips


def files_of_others(
    adapters: Iterable[Adapter], config: Config, home: Path, environ: Mapping[str, str]
) -> frozenset[bytes]:
    """The files of unticked sources that keep their store in the folder of a ticked one."""
    opened: list[bytes] = []
    closed: list[tuple[Adapter, bytes]] = []
    for adapter in adapters:
        with suppress(Exception):  # an adapter's fault costs its source, not the others
            places = [os.fsencode(os.path.realpath(root)) for root in roots_of(adapter, config, home, environ)]
            if config.source(adapter.name).enabled:
                opened += places
            else:
                closed += ((adapter, place) for place in places)
    files: set[bytes] = set()
    for adapter, place in closed:
        if any(place != root and is_below(place, root) for root in opened):
            with suppress(Exception):
                files |= discover(adapter, [Path(os.fsdecode(place))])[0].keys()
    return frozenset(files)
