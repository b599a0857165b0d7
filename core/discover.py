"""What lies on the disk of each source, and which of the known files are missing there."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from .config import Config
from .dividing import Divided, divide
from .fingerprint import is_elsewhere, stamp_of, stamps_of
from .found import Found, OnDisk
from .gate import OUTSIDE_ROOT, Gate, Refused, is_below
from .ledger import KnownFile
from .model import Adapter, Dividing, Place, SkipRecord, ToolReading
from .real_paths import RealPaths


@dataclass(slots=True)
class Source:
    """One source in one pass."""

    adapter: Adapter
    known: dict[bytes, KnownFile]
    found: dict[bytes, Found] = field(default_factory=dict[bytes, Found])
    """The files that may be opened, and the sessions of databases that may be read."""
    databases: dict[bytes, OnDisk] = field(default_factory=dict[bytes, OnDisk])
    """Databases of many sessions that may be opened."""
    divided: dict[bytes, Divided] = field(default_factory=dict[bytes, Divided])
    """The same, looked into."""
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

    def look(self, roots: Sequence[Path], gate: Gate, *, of_projects: bool = False) -> None:
        """Find the files below each root; one that fails does not keep the others out.

        What is not there of the roots `of_projects` is gone, so long as the project is there.
        """
        real = RealPaths()
        places = [os.fsencode(real.of(root)) for root in roots]
        for root, place in zip(roots, places, strict=True):
            if not os.path.lexists(root):
                if of_projects and real.has_folder(root):
                    self._healthy.append(place)
                continue
            try:
                files, skips = discover(self.adapter, [root])
            except Exception as error:  # an adapter's fault or the disk's
                self.error = type(error).__name__
                self.folder_skips.append(SkipRecord("unreadable-folder", os.fspath(root)))
                continue
            if files:
                self._healthy.append(place)
            for path, file in files.items():
                refusal = gate.refusal(self.adapter.name, path, places)
                if refusal is None:
                    self._add(path, file)
                elif refusal == OUTSIDE_ROOT:
                    skips.append(SkipRecord(refusal, os.fspath(file.path)))
                else:
                    self._refuse(path, file, refusal)
            self.folder_skips += skips
            for skip in skips:
                self._hidden.append(os.fsencode(skip.example) if Path(skip.example).is_absolute() else place)

    def _add(self, path: bytes, file: OnDisk) -> None:
        if isinstance(self.adapter, Dividing) and self.adapter.is_divided(file.path):
            self.databases[path] = file
        else:
            self.found[path] = Found(self.adapter, file.path, file.stamp, self.known.get(path), file.beside)

    def _refuse(self, path: bytes, file: OnDisk, refusal: str) -> None:
        """With a database go its sessions."""
        self.refused.append(Refused(self.adapter.name, path, file.stamp, refusal))
        below = (each for each in self.known if each.startswith(path + b"/"))
        self.refused += (Refused(self.adapter.name, each, None, refusal) for each in below)

    def divide(self, gate: Gate) -> None:
        """Look into the databases."""
        below: dict[bytes, list[KnownFile]] = {}
        for file in self.known.values():
            if file.stamp.is_place:
                below.setdefault(os.path.dirname(file.path), []).append(file)  # noqa: PTH120, these are bytes
        for path, file in self.databases.items():
            self.divided[path] = divide(self.adapter, file, self.known.get(path), below.get(path, ()), gate)
        for divided in self.divided.values():
            self.found |= divided.found
            self.refused += divided.refused

    def is_busy(self, failed: Mapping[bytes, str]) -> bool:
        """Whether an agent held one of the databases, or one while a session of it was read."""
        return any(divided.reason == "busy" for divided in self.divided.values()) or any(
            failed[path] == "busy" for path in failed.keys() & self.found.keys()
        )

    def look_again(self, gate: Gate, failed: dict[bytes, str]) -> list[Found]:
        """What was held before, from now on not counted as failed: databases are looked into once more."""
        again = [self.found[path] for path in failed.keys() & self.found.keys() if failed[path] == "busy"]
        for path, divided in list(self.divided.items()):
            if divided.reason == "busy":
                below = [each for each in self.known.values() if each.path.startswith(path + b"/")]
                anew = divide(self.adapter, self.databases[path], self.known.get(path), below, gate)
                again += (file for name, file in anew.found.items() if name not in self.found)
                self.divided[path] = anew
                self.found |= anew.found
                self.refused += anew.refused
        for file in again:
            failed.pop(os.fsencode(file.path), None)
            self.turns -= file.known.turns if file.known else 0
        return again

    def paths(self) -> set[bytes]:
        """The files that may be opened; a database is one."""
        return {path for path in self.found if os.path.dirname(path) not in self.databases} | self.databases.keys()  # noqa: PTH120

    def newly_refused(self) -> list[Refused]:
        """The files that may not be opened, of which the index does not say so yet."""
        said = {path: file.reason for path, file in self.known.items() if file.state == "excluded"}
        return [file for file in self.refused if said.get(file.path) != file.reason]

    def absent(self) -> list[KnownFile]:
        """The known files that were not found."""
        there = {file.path for file in self.refused} | self.found.keys() | self.databases.keys()
        return [file for path, file in self.known.items() if path not in there]

    def missing(self) -> list[KnownFile]:
        """The known files that are no longer there; never those of an empty, unreadable or absent place."""
        silent = (path for path, divided in self.divided.items() if not divided.tells_who_is_missing)
        hidden = [*self._hidden, *silent]
        return [
            file
            for file in self.absent()
            if any(is_below(file.path, root) for root in self._healthy)
            and not any(is_below(file.path, place) for place in hidden)
        ]


def roots_of(adapter: Adapter, config: Config, home: Path, environ: Mapping[str, str]) -> list[Path]:
    """Where a source is read: the agent's own places and those of the config, each once."""
    given = [Path(root).expanduser() for root in config.source(adapter.name).roots]
    return list({os.path.realpath(root): root for root in [*adapter.roots(home, environ), *given]}.values())


def as_wished(adapters: Iterable[Adapter], config: Config) -> list[Adapter]:
    """The adapters, reading tool calls and their results too where the person wants those."""
    return [
        each.with_tools() if config.source(each.name).tools and isinstance(each, ToolReading) else each
        for each in adapters
    ]


def discover(adapter: Adapter, roots: Sequence[Path]) -> tuple[dict[bytes, OnDisk], list[SkipRecord]]:
    """Every file of a source as it is now, a database of many sessions being one; and what could not be listed."""
    files: dict[bytes, OnDisk] = {}
    skips: list[SkipRecord] = []
    for root in roots:
        if not root.exists():
            continue
        for found in adapter.find(Path(os.path.realpath(root))):
            if isinstance(found, SkipRecord):
                skips.append(found)
                continue
            path, beside = (found.path, found.beside) if isinstance(found, Place) else (found, ())
            with suppress(OSError):  # it vanished since it was listed
                status = path.stat(follow_symlinks=False)
                if is_elsewhere(status):
                    skips.append(SkipRecord("in-the-cloud", os.fspath(path)))
                else:
                    files[os.fsencode(path)] = OnDisk(path, stamp_of(status), stamps_of(beside))
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
