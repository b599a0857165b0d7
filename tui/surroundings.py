"""What a run of harkback stands on: its own folder, the person's home, the environment, the sources it knows."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ..adapters import ADAPTERS
from ..adapters.registry import Registry
from ..core import config as configuration
from ..core.config import Config, ConfigError, Semantic
from ..core.database import Error
from ..core.model import Adapter
from ..core.readers import Readers
from ..core.results import Progress
from ..core.store import Store, StoreError
from ..core.when import local_now

if TYPE_CHECKING:
    from ..core.embedder import Embedder
    from ..core.held import Held
    from ..core.meaning import Meaning, Opener
    from ..core.report import Report

# What reads stores and writes the index is loaded where it is used: the app and most commands only look things up.

_NEEDED = ("PATH", "PYTHON", "LANG", "LC_", "TZ", "TMP", "TEMP", "SYSTEMROOT", "VIRTUAL_ENV")
"""How the names of variables begin without which a child process may not start, or would write otherwise."""


def _open_embedder(semantic: Semantic, folder: Path, threads: int | None) -> Embedder:
    from ..core.embedder import open_embedder  # for those alone who have turned meaning on

    return open_embedder(semantic, folder, threads)


@dataclass(frozen=True)
class Surroundings:
    """Everything that differs between one run and another, handed to commands and screens."""

    folder: Path
    """Where config.toml and the index are."""
    home: Path
    """The person's home, below which agents keep their stores."""
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    adapters: Sequence[Adapter] = ADAPTERS
    now: Callable[[], datetime] = local_now
    """The clock; a naive time is the system's own zone."""
    working_folder: Path = field(default_factory=Path.cwd)
    """Where harkback was started: "this project"."""
    open_embedder: Opener = field(default=_open_embedder, repr=False)
    """Loads the embedding model: of what config.toml says, from harkback's folder, for so many threads at most."""

    @classmethod
    def here(cls, folder: str | None = None) -> Surroundings:
        """This machine as it is; `folder` is what `--home` gave."""
        return cls(configuration.home_folder(folder, os.environ), Path.home())

    @property
    def store(self) -> Store:
        return Store(self.folder)

    @cached_property
    def readers(self) -> Readers:
        """Connections to that index for who reads it again and again."""
        return Readers(self.store)

    @property
    def titles(self) -> dict[str, str]:
        """Source name → its name for people."""
        if isinstance(self.adapters, Registry):
            return dict(self.adapters.titles)
        return {adapter.name: adapter.title for adapter in self.adapters}

    def config(self) -> Config:
        """config.toml as it is now. Raises ConfigError."""
        return configuration.load(self.folder)

    def meaning(self) -> Meaning | None:
        """The arm of search that goes by meaning, one for this process; None where it is off. Raises ConfigError."""
        from ..core.meaning import meaning_for

        return meaning_for(self.config().semantic, self.folder, self.open_embedder)

    def adapter(self, name: str) -> Adapter | None:
        if isinstance(self.adapters, Registry):
            return self.adapters.named(name)
        return next((adapter for adapter in self.adapters if adapter.name == name), None)

    def _ticked(self, config: Config) -> list[Adapter]:
        return [adapter for name in config.ticked(self.titles) if (adapter := self.adapter(name))]

    def reconcile(
        self,
        *,
        only: list[str] | None = None,
        rebuild: bool = False,
        verify: bool = False,
        touched: Collection[str] = (),
        on_progress: Callable[[Progress], None] | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Report:
        """Bring the index in line with the stores, in this process. Raises Busy, StoreError, ConfigError."""
        from ..core.reconcile import Reconciler

        reconciler = Reconciler(
            self.store,
            self.adapters,
            self.config(),
            self.home,
            self.environ,
            on_progress=on_progress,
            stopped=stopped,
        )
        try:
            return reconciler.run(only, rebuild=rebuild, verify=verify, touched=touched)
        finally:
            from ..adapters.foreign_sqlite import drop_copy  # with SQLite, which few commands need as they start

            drop_copy()

    def purge_place(self, source: str, path: str, patience: float = 0) -> None:
        """Drop what was indexed of a source in one folder or file. Raises Busy, StoreError.

        `patience`: seconds to wait for another who writes.
        """
        from ..core.writer import Writer

        if self.store.exists():
            with self.store.write(patience) as db:
                Writer(db).purge_below(source, os.fsencode(os.path.realpath(path)))

    def confirm(self, source: str, patience: float = 0) -> list[Held]:
        """What is missing of a source is really gone, says the person; the next pass goes by it. Gives what was asked.

        Raises Busy, StoreError.
        """
        from ..core.held import confirm

        if not self.store.exists():
            return []
        with self.store.write(patience) as db:
            return confirm(db, source)

    def watched(self) -> list[Path]:
        """Where the ticked sources are read, by config.toml as it is now; nothing while that is broken."""
        from ..core.discover import roots_of

        try:
            config = self.config()
        except ConfigError:
            return []
        return [root for adapter in self._ticked(config) for root in roots_of(adapter, config, self.home, self.environ)]

    def glanced(self) -> list[Path]:
        """Where ticked sources may have files in the folders that people worked in; none while that can't be told."""
        from ..core.projects import project_roots_of, projects_of

        try:
            config = self.config()
            with closing(self.store.read()) as db:
                projects = projects_of(db)
        except (ConfigError, StoreError, Error):
            return []
        return [root for adapter in self._ticked(config) for root in project_roots_of(adapter, projects)]

    def own_command(self, *words: str) -> list[str]:
        """The command line of a child process that does what `harkback WORDS` does in our folder."""
        return [sys.executable, "-P", "-m", "harkback.tui", "--home", str(self.folder), *words]

    def worker_command(self, *, live: bool = False) -> list[str]:
        """The command line of a child process that reconciles and reports in JSON lines; `live`: again and again."""
        command = self.own_command("index", "--events")
        return [*command, "--watch"] if live else command

    def worker_environ(self) -> dict[str, str]:
        """The environment for that child: the one we were given, and what any process needs of our own."""
        own = {name: value for name, value in os.environ.items() if name.startswith(_NEEDED)}
        return {**own, **self.environ, "HOME": str(self.home), "USERPROFILE": str(self.home)}
