"""Stores → index: discover what is there, compare it with what is known, read what changed, newest first.

A bad source costs that source. Nothing is written but the index.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from . import ledger
from .config import Config, EffectiveLimits, Redaction
from .damage import drop_asides
from .database import Database
from .deleting import lists_of
from .discover import Source, as_wished, files_of_others, roots_of
from .exclude import Rules
from .fulltext import merge
from .gate import Gate
from .held import has_to_wait, questions, withdraw
from .keeping_out import apply_rules, keep_out
from .ledger import UNKNOWN, KnownFile
from .model import Adapter
from .projects import project_roots_of, projects_of
from .reading import Reading
from .redact import also, redact_line
from .renewal import redact_all_again
from .report import Meter, Report
from .results import Progress
from .store import DamagedIndex, Store
from .taking import Taking
from .touched import touched_sources
from .verify import verify as verify_files
from .writer import Writer

if TYPE_CHECKING:
    from .redact_find import Own

FIRST_BUILD = 5_000
"""So many new turns in one pass, and FTS5's segments are joined at its end."""


class Reconciler:
    """One pass over the ticked sources."""

    def __init__(
        self,
        store: Store,
        adapters: Iterable[Adapter],
        config: Config,
        home: Path,
        environ: Mapping[str, str],
        *,
        on_progress: Callable[[Progress], None] | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """`home` is the person's home folder; `stopped` is asked between files and between batches."""
        self._store, self._config, self._home, self._environ = store, config, home, environ
        self._adapters = as_wished(adapters, config)
        self._projects: list[Path] = []
        self._rules = Rules(config.exclude.patterns, home)
        self._gate = Gate(self._rules)
        self._own = _own_rules(config)
        self._limits: EffectiveLimits = config.limits.effective()
        self._stopped, self._on_progress = stopped, on_progress
        self._report, self._meter = Report(), Meter(on_progress)

    def run(
        self,
        only: Sequence[str] | None = None,
        *,
        rebuild: bool = False,
        verify: bool = False,
        touched: Collection[str] = (),
    ) -> Report:
        """Reconcile all ticked sources, or those of `only`; with `rebuild` every file is read again.

        Where it is known that only the files `touched` have changed, and the index knows them, no others are looked at.

        With `verify` every byte that was read is hashed again, and what differs is read again.

        An index that turns out to be damaged is built anew first. Raises lock.Busy when another process is at it,
        StoreError when the index can't be written.
        """
        try:
            return self._run(only, rebuild, verify, touched)
        except DamagedIndex:  # it was suspected in the middle of the work: looked into as the index is opened again
            self._report, self._meter = Report(), Meter(self._on_progress)
            return self._run(only, rebuild, verify, ())

    def _run(self, only: Sequence[str] | None, rebuild: bool, verify: bool, touched: Collection[str]) -> Report:
        with also(self._own), self._store.write(anew=rebuild) as db:
            report, writer = self._report, Writer(db, self._rules)
            purged = self._purge_unticked(db, writer)
            report.sessions_before, report.turns_before = ledger.totals(db)
            had_rules = db.value("SELECT 1 FROM meta WHERE key = 'exclude'")
            ruled = apply_rules(db, self._rules)
            if purged or (ruled and had_rules):
                drop_asides(self._store.path)
            purged |= ruled
            if rebuild:
                ledger.read_all_again(db)
            changed = self._reread_what_may_go_better_now(db)
            some = None
            if touched and not (purged or rebuild or changed or verify or only):
                some = touched_sources(db, self._ticked(), self._rules, touched)
            sources = self._discover(db, only) if some is None else some
            keep_out(db, self._rules, [file for source in sources for file in source.newly_refused()])
            if verify:
                verify_files(db, sources, report, self._meter, self._stopped)
            reading = Reading(db, writer, self._limits, report, self._meter, self._stopped)
            taking = Taking(sources, reading, self._gate, self._limits, report, self._meter, self._stopped)
            finished = taking.all()
            if some is None and finished:
                finished = taking.in_new_projects(db, self._projects)
            taking.note_databases(db, finished=finished)
            for source in sources if some is None else ():
                if finished:
                    self._account_for_the_gone(db, source, writer)
                if source.error:
                    report.errors[source.adapter.name] = source.error
                ledger.set_folder_skips(db, source.adapter.name, source.folder_skips)
                ledger.finish_run(db, source.adapter.name, source.error)
            report.finished, report.mended = finished, self._store.mended
            report.sessions, report.turns = ledger.totals(db)
            report.held = questions(db)
            report.skips, report.left_out = ledger.skip_counts(db), ledger.left_out_counts(db)
            if report.read or purged:
                merge(db, all_of_it=purged or report.turns - report.turns_before >= FIRST_BUILD)
            report.seconds = self._meter.seconds
            return report

    # ---- before reading ----

    def _purge_unticked(self, db: Database, writer: Writer) -> bool:
        names = [row[0] for row in db.rows("SELECT source FROM files UNION SELECT source FROM runs")]
        unticked = [name for name in names if not self._config.source(name).enabled]
        for name in unticked:
            writer.purge(name)
            withdraw(db, name)
        return bool(unticked)

    def _reread_what_may_go_better_now(self, db: Database) -> bool:
        """Under other limits what those had left out, after an update what the program had failed on."""
        from importlib import metadata  # brings half of the mail library along

        program = metadata.version("harkback")
        admitted = self._if_changed(db, "limits", repr(self._limits), ledger.read_cut_again)
        redacted = "" if self._config.redaction == Redaction() else repr(self._config.redaction)
        if redacted or db.value("SELECT 1 FROM meta WHERE key = 'redaction-rules'"):
            admitted |= self._if_changed(db, "redaction-rules", redacted, redact_all_again)
        return self._if_changed(db, "program", program, ledger.try_failed_again) or admitted

    def _if_changed(self, db: Database, key: str, now: str, then: Callable[[Database], None]) -> bool:
        """Do something once when a value is not what it was at the last pass; gives whether that was so."""
        if db.value("SELECT value FROM meta WHERE key = ?", key) == now:
            return False
        with db.transaction():
            then(db)
            db.run("REPLACE INTO meta VALUES (?, ?)", key, now)
        return True

    def _ticked(self) -> dict[str, Adapter]:
        return {adapter.name: adapter for adapter in self._adapters if self._config.source(adapter.name).enabled}

    def _discover(self, db: Database, only: Sequence[str] | None) -> list[Source]:
        sources: list[Source] = []
        self._projects = projects_of(db)
        self._gate = Gate(self._rules, files_of_others(self._adapters, self._config, self._home, self._environ))
        for adapter in self._adapters:
            if self._config.source(adapter.name).enabled and (only is None or adapter.name in only):
                source = Source(adapter, ledger.known_files(db, adapter.name))
                try:
                    source.look(roots_of(adapter, self._config, self._home, self._environ), self._gate)
                    source.look(project_roots_of(adapter, self._projects), self._gate, of_projects=True)
                    source.divide(self._gate)
                except Exception as error:  # an adapter's fault costs its source, not the others
                    source.error = type(error).__name__
                sources.append(source)
        return sources

    # ---- after reading ----

    def _account_for_the_gone(self, db: Database, source: Source, writer: Writer) -> None:
        """Mark what the store no longer holds, or forget it if the person wants that; not when most goes at once."""
        absent = source.absent()
        missing = source.missing()
        self._report.gone += len({file.id for file in absent if file.state == "gone"} | {file.id for file in missing})
        waiting = _waiting(db, source, missing)
        missing = [file for file in missing if file.id not in waiting]
        forget = self._config.retention.when_source_vanishes == "forget"
        writer.mark_gone([file for file in missing if forget or file.state != "gone"], forget=forget)
        forgotten = {file.id for file in missing if forget}
        for file in absent:
            if file.turns and file.adapter_version == UNKNOWN and file.id not in forgotten:
                writer.renew(file.id)


def _own_rules(config: Config) -> Own | None:
    """What the person adds to the rules of redaction; most add nothing."""
    if not (config.redaction.patterns or config.redaction.allow):
        return None
    from .redact_own import own  # brings all rules along

    return own(config.redaction.patterns, config.redaction.allow)


def _waiting(db: Database, source: Source, missing: Iterable[KnownFile]) -> set[int]:
    """Those of the missing that wait for the person's word, since they are most of the files or most of a database."""
    name = source.adapter.name
    kept, lost = _by_place(source.known.values()), _by_place(missing)
    asked = {os.fsencode(each.place) for each in questions(db, name)} - lists_of(db, name)
    waiting: set[bytes] = set()
    for place in kept.keys() | asked:
        gone = lost.get(place, [])
        example = redact_line(min((file.path for file in gone), default=b"").decode("utf-8", "replace"), 4_096)
        if has_to_wait(db, name, len(kept.get(place, ())), len(gone), example, place=place):
            waiting.add(place)
    return {file.id for file in missing if _place_of(file) in waiting}


def _by_place(files: Iterable[KnownFile]) -> dict[bytes, list[KnownFile]]:
    """Files that hold something and are not known to be gone."""
    places: dict[bytes, list[KnownFile]] = {}
    for file in files:
        if file.turns and file.state != "gone":
            places.setdefault(_place_of(file), []).append(file)
    return places


def _place_of(file: KnownFile) -> bytes:
    """The database that it is a session of; nothing for a file of its own."""
    return os.path.dirname(file.path) if file.stamp.is_place else b""  # noqa: PTH120, these are bytes


__all__ = ["Reconciler", "Report"]
