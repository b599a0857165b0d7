"""Settings, first page: every source, what is there of it, where it is read, and whether it may be."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from ..core import config as configuration
from ..core.config import ConfigError
from ..core.forget import PATIENCE
from ..core.status import SourceStatus
from ..core.store import NoIndex
from .rows import crop, short_path
from .settings_facts import Facts
from .settings_lines import Box, Entry, Heading, Job, Line, Look, Note, Press, Quiet, Save, Say, Wish
from .surroundings import Surroundings
from .wording import age, counted, from_home, held, swept_soon

OPEN, SHUT = "▾", "▸"
BEFORE = 7
"""Cells before a source's name: bar, box, whether it is unfolded."""
NARROW = 50
"""Cells below which there is no room for columns."""
TINY = 12
"""Cells up to which there is room for a name, and not for all of it."""
UNDER = 5
"""Cells that what belongs to a source is set in."""


@dataclass(frozen=True, slots=True)
class _Added:
    """A place that the person typed."""

    source: str
    path: str
    exists: bool


@dataclass(frozen=True, slots=True)
class _Removed:
    """A place that is to go."""

    source: str
    path: str
    sessions: int
    """How many are indexed from there."""


class SourcesSection(Quiet):
    """Keys: a source's name for its tick, and `WHAT:SOURCE[:PATH]` for all that is unfolded below it."""

    title = "Sources"

    def __init__(self, place: Surroundings) -> None:
        self._place = place
        self._open: set[str] = set()
        self._facts: Facts | None = None

    # ---- what is shown ----

    def lines(self, facts: Facts, width: int) -> list[Line]:
        self._facts = facts
        shown = [each for each in facts.sources if each.ticked or each.files]
        missing = [each for each in facts.sources if each not in shown]
        is_open = "missing" in self._open
        names = max((len(each.title) for each in (facts.sources if is_open else shown)), default=0)
        ticked = sum(each.ticked for each in shown)
        lines: list[Line] = []
        if facts.trouble:
            lines.append(Note(facts.trouble))
        if shown:
            lines += [
                Heading(f"May be read: {ticked} of {counted(len(shown), 'source')} found here"),
                *([Note(_head(names, width), indent=0, faint=True)] if width >= NARROW else []),
            ]
            for each in shown:
                lines += self._source(facts, each, names, width)
        else:
            lines.append(Heading("No agent's sessions were found on this machine"))
        if missing:
            listed = "" if is_open or width < NARROW else f": {', '.join(each.title for each in missing)}"
            lines.append(Note("", 0))
            lines.append(
                Press("missing", f"{OPEN if is_open else SHUT} {len(missing)} not found here{listed}", indent=0)
            )
            for each in missing if is_open else ():
                lines += self._source(facts, each, names, width)
        return lines

    def _source(self, facts: Facts, each: SourceStatus, names: int, width: int) -> Iterator[Line]:
        is_open = each.name in self._open
        cells = _cells(each, names, width, facts.now, facts.home)
        text = f"{OPEN if is_open else SHUT} {cells}" if width > TINY else cells
        yield Box(each.name, text, each.ticked, folds=True)
        if each.last_error:
            yield Note(f"the last run could not read it ({each.last_error}); what was indexed of it stays", UNDER)
        left = sum(other.sessions for other in facts.left_out if other.source == each.name)
        if left and not each.sessions:
            yield Note(f"{counted(left, 'session')} left out by limits: see the page Limits", UNDER, faint=True)
        if each.swept_soon:
            yield Note(swept_soon(each.swept_soon, each.title), UNDER)
        for question in each.held:
            example = from_home(question.example, facts.home)
            yield Note(f"{held(question, each.title)}. Really gone? Such as {example}", UNDER)
        if each.held:
            yield Press(f"confirm:{each.name}", "yes, they are really gone (if they come back, do nothing)", UNDER)
        if is_open:
            yield from self._unfolded(facts, each)

    def _unfolded(self, facts: Facts, each: SourceStatus) -> Iterator[Line]:
        settings = facts.config.source(each.name)
        added = {os.path.realpath(path) for path in settings.roots}
        own = [from_home(path, facts.home) for path in each.roots if os.path.realpath(path) not in added]
        yield Note(f"looked for in {', '.join(own) or 'the folders that other sessions were held in'}", UNDER)
        for path in settings.roots:
            yield Press(f"root:{each.name}:{path}", f"also in {from_home(path, facts.home)}   (x takes it back)", UNDER)
        yield Entry(f"add:{each.name}", "also in", hint="a folder or file; tab completes it", paths=True, indent=UNDER)
        if each.name in facts.reads_tools:
            yield Box(f"tools:{each.name}", "what tools were told and answered, too (role:tool)", settings.tools, UNDER)
        if each.skipped:
            yield Note(f"{counted(each.skipped, 'record')} skipped: f3 says which and why", UNDER)
        if gone := facts.gone.get(each.name):
            yield Note(f"{counted(gone, 'session')} gone at the source; only harkback still has their text", UNDER)

    # ---- what is done ----

    def toggled(self, key: str, on: bool) -> Wish:
        what, _, name = key.rpartition(":")
        if (each := self._status(name)) is None:
            return None
        if what == "tools":
            said = "Tool calls are read too" if on else "Tool calls are no longer kept"
            question = "" if on else f"This removes from the index what was read of tools of {each.title}."
            return Save({f"sources.{name}.tools": on}, f"{said}: {each.title}.", question)
        if on:
            return Save({f"sources.{name}.enabled": True}, f"{each.title} is read from now on.")
        return Save({f"sources.{name}.enabled": False}, f"{each.title} is no longer read.", self._unticking(each))

    def _unticking(self, each: SourceStatus) -> str:
        if not each.sessions:
            return ""
        question = (
            f"This removes {counted(each.sessions, 'session')} of {each.title} with {counted(each.turns, 'turn')} "
            "from the index; your files stay."
        )
        gone = self._facts.gone.get(each.name) if self._facts else None
        if gone:
            question += f"\n{counted(gone, 'session')} of them can't be read again: the agent's files are gone."
        return question

    def pressed(self, key: str) -> Wish:
        what, _, name = key.partition(":")
        if what == "confirm":
            return self._confirm(name)
        if what == "root":
            return self.removed(key)
        self._open ^= {key}
        return None

    def _confirm(self, name: str) -> Wish:
        each, place = self._status(name), self._place
        if each is None or self._facts is None:
            return None
        forgets = self._facts.config.retention.when_source_vanishes == "forget"
        then = "removed from the index" if forgets else "marked as gone at their source; their text is kept"

        def confirm() -> str:
            missing = sum(question.missing for question in place.confirm(name, PATIENCE))
            return f"{missing:,} of {each.title}: {then}."

        question = "\n".join(held(question, each.title) for question in each.held)
        return Job(confirm, f"{question}.\nIf they are really gone they are {then}.", yes="really gone")

    def entered(self, key: str, text: str) -> Wish:
        _, _, name = key.partition(":")
        if not text.strip():
            return None
        path = _full(text.strip(), str(self._place.home))
        return Look(lambda: _Added(name, path, os.path.exists(path)))  # noqa: PTH110, a Path refuses some names

    def removed(self, key: str) -> Wish:
        what, _, rest = key.partition(":")
        name, _, path = rest.partition(":")
        return Look(lambda: _Removed(name, path, self._sessions_below(name, path))) if what == "root" else None

    def heard(self, found: object) -> Wish:
        if isinstance(found, _Added):
            return self._add(found)
        return self._remove(found) if isinstance(found, _Removed) else None

    def _add(self, found: _Added) -> Wish:
        each = self._status(found.source)
        if each is None or self._facts is None:
            return None
        shown = from_home(found.path, self._facts.home)
        if not found.exists:
            return Say(f"{shown} does not exist; nothing was changed.")
        roots = self._facts.config.source(found.source).roots
        if found.path in roots:
            return Say(f"{shown} is one of its places already.")
        untold = "" if each.ticked else " once it is ticked"
        changes = {f"sources.{found.source}.roots": [*roots, found.path]}
        return Save(changes, f"{each.title} is also read in {shown}{untold}.")

    def _remove(self, found: _Removed) -> Wish:
        place, shown = self._place, from_home(found.path, str(self._place.home))

        def remove() -> str:
            place.purge_place(found.source, found.path, PATIENCE)
            roots = [root for root in place.config().source(found.source).roots if root != found.path]
            configuration.change(place.folder, {f"sources.{found.source}.roots": roots})
            return f"{shown} is no longer read."

        removes = f"This removes {counted(found.sessions, 'session')} from there from the index; your files stay."
        return Job(remove, removes if found.sessions else "")

    def _sessions_below(self, source: str, path: str) -> int:
        """How many sessions were read in a place."""
        below = os.fsencode(os.path.realpath(path))
        try:
            db = self._place.store.read()
        except NoIndex:
            return 0
        with closing(db):
            return db.value(
                """SELECT count(DISTINCT session) FROM turns WHERE file IN (
                     SELECT id FROM files WHERE source = ? AND (path = ? OR path > ? AND path < ?))""",
                source, below, below.rstrip(b"/") + b"/", below.rstrip(b"/") + b"0",
            )  # fmt: skip

    def _status(self, name: str) -> SourceStatus | None:
        return next((each for each in self._facts.sources if each.name == name), None) if self._facts else None


def _head(names: int, width: int) -> str:
    cells = [f"{'source':<{names}}", f"{'files':>7}", f"{'sessions':>8}"]
    cells += [f"{'turns':>9}", f"{'skipped':>7}"] if width >= 80 else []
    cells += ["last read"] if width >= 60 else []
    return " " * 7 + "  ".join([*cells, *(["where"] if width >= 100 else [])])


def _cells(each: SourceStatus, names: int, width: int, now: int, home: str) -> str:
    """One source in a line, with as many columns as there is room for."""
    known = each.ticked and (each.last_run is not None or each.sessions > 0)
    if width <= TINY:
        return each.title
    if width < NARROW:
        many, of_what = (each.sessions, "session") if known else (each.files, "file")
        room = width - BEFORE
        much = counted(many, of_what) if names + len("  12,345 sessions") <= room else f"{many:,}"
        left = max(1, min(names, room - 2 - len(much)))
        return f"{crop(each.title, (), left)[0]:<{left}}  {much if many or known else ''}".rstrip()

    def number(value: int, cells: int) -> str:
        return f"{value:>{cells},}" if known and value else " " * cells

    cells = [f"{each.title:<{names}}", f"{each.files:>7,}" if each.files else " " * 7, number(each.sessions, 8)]
    if width >= 80:
        cells += [number(each.turns, 9), number(each.skipped, 7)]
    if width >= 60:
        last = (age(each.last_run, now) or "not yet") if each.ticked else ""
        cells.append(f"{last:<9}")
    if width >= 100 and len(each.roots) > 0:
        more = f" and {len(each.roots) - 1} more" if len(each.roots) > 1 else ""
        where = short_path(each.roots[0], home, max(8, width - 65 - names - len(more)))
        cells.append(where + more if each.found else "not found here")
    return "  ".join(cells).rstrip()


def _full(path: str, home: str) -> str:
    """A typed path in full. Raises ConfigError for one that config.toml can't hold."""
    if path == "~" or path.startswith("~/"):
        path = home + path[1:]
    full = os.path.abspath(path)  # noqa: PTH100, `..` must not stay in the configuration
    if "\0" in full or not full.isprintable():
        raise ConfigError(f"{full!r} can't be a path in config.toml; nothing was changed")
    return full
