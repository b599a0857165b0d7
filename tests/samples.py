"""The sample stores, `tests/corpus/stores/NAME/home`: a home as one agent leaves it, and what is to be read there.

A `.sql` file becomes a database. In `expected.json` stand the sessions, by native id, and under "environ" the variables
of the environment. `{home}` is the home, `{digest PATH}` a hash of the full path of a file in it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Any

import apsw
from engine import Engine
from harkback.adapters import ADAPTERS
from harkback.core.branch import Cut, Link, active
from harkback.core.clean import clean_line
from harkback.core.config import Config, Limits, SourceConfig
from harkback.core.model import (
    Adapter,
    Checkpoint,
    CutRecord,
    Dividing,
    Place,
    Record,
    Reread,
    SessionRecord,
    SkipRecord,
    TitleRecord,
    TurnRecord,
    UndoRecord,
    Unreadable,
)
from harkback.core.reconcile import Reconciler
from harkback.core.store import Store

STORES = Path(__file__).parent / "corpus" / "stores"
NAMES = [adapter.name for adapter in ADAPTERS if (STORES / adapter.name / "expected.json").is_file()]
WRITTEN = 1_794_000_000 * 10**9
"""When each sample was written last: November 2026."""
SQLITE = b"SQLite format 3\0"


@dataclass
class Sample:
    """A sample store in a home of its own."""

    name: str
    home: Path

    def __post_init__(self) -> None:
        self.adapter = adapter_of(self.name)
        self.expected: dict[str, Any] = json.loads((STORES / self.name / "expected.json").read_text("utf-8"))
        self.environ = {key: self.filled(value) for key, value in self.expected.get("environ", {}).items()}
        self.files = write(self.name, self.home)

    @property
    def sessions(self) -> dict[str, Any]:
        """The expected sessions, by native id."""
        return {self.filled(key): self.filled(value) for key, value in self.expected["sessions"].items()}

    def filled(self, value: Any) -> Any:
        """A text, or a session's facts, with the home's own path."""
        if isinstance(value, dict):
            return {key: self.filled(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self.filled(each) for each in value]
        if not isinstance(value, str):
            return value
        digests = re.sub(r"\{digest ([^}]+)\}", lambda found: digest(self.home / found[1]), value)
        return digests.replace("{home}", str(self.home))

    def put(self, path: Path, content: bytes) -> None:
        """Write one of its files anew, at the same time as before."""
        path.write_bytes(content)
        os.utime(path, ns=(WRITTEN, WRITTEN))

    def items(self, adapter: Adapter | None = None) -> Iterator[Path | Place | SkipRecord]:
        """Everything that the adapter finds, databases by their sessions."""
        adapter = adapter or self.adapter
        for root in adapter.roots(self.home, self.environ):
            if root.exists():
                for item in adapter.find(root):
                    yield from divided(adapter, item)

    def paths(self) -> list[Path]:
        """What the adapter reads, without what it skips."""
        return [path_of(item) for item in self.items() if not isinstance(item, SkipRecord)]

    def told(self, adapter: Adapter | None = None) -> Told:
        """All that is read of it; what cannot be read now is listed."""
        adapter, told = adapter or self.adapter, Told()
        try:
            for item in self.items(adapter):
                if isinstance(item, SkipRecord):
                    told.skips.append(item)
                else:
                    told.read(adapter, path_of(item))
        except (OSError, Unreadable) as error:
            told.unreadable.append(repr(error))
        return told


@dataclass
class Told:
    """What the records of some files add up to, by the rules of the engine."""

    files: dict[Path, list[Record]] = field(default_factory=dict)
    skips: list[SkipRecord] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)

    def read(self, adapter: Adapter, path: Path, since: Checkpoint | None = None) -> Checkpoint | None:
        """Read one file, on from `since` or all of it; gives where it can be read on."""
        kept = self.files.get(path, []) if since else []
        try:
            records = list(adapter.read(path, since))
        except Reread:
            assert since is not None, "only what was read on can have to be read again"
            return self.read(adapter, path)
        except (OSError, Unreadable) as error:
            self.unreadable.append(repr(error))
            return since
        marks = [record for record in records if isinstance(record, Checkpoint)]
        assert isinstance(records[-1], Checkpoint), "a file's records end in a checkpoint"
        assert all(earlier.offset <= later.offset for earlier, later in pairwise(marks))
        self.files[path] = kept + records
        self.skips += [record for record in records if isinstance(record, SkipRecord)]
        return marks[-1]

    def records(self) -> Iterator[Record]:
        for records in self.files.values():
            yield from records

    @property
    def turns(self) -> list[TurnRecord]:
        return [record for record in self.records() if isinstance(record, TurnRecord)]

    @property
    def is_counted(self) -> bool:
        """Whether anything was reported as left out."""
        return bool(self.skips or self.unreadable)

    def sessions(self) -> dict[str, dict[str, Any]]:
        """Each session with turns on its active branch."""
        names = dict.fromkeys(turn.session for turn in self.turns)
        gone = {each.session for each in self.records() if isinstance(each, SessionRecord) and each.deleted}
        titles = [record for record in self.records() if isinstance(record, TitleRecord)]
        return {name: self._session(name, titles) for name in names if name not in gone}

    def _session(self, name: str, titles: list[TitleRecord]) -> dict[str, Any]:
        facts: dict[str, Any] = {"title": None, "project": None, "branch": None, "model": None, "kind": "main"}
        facts |= {"parent": None, "leaf": None, "agent": None, "about": None, "handle": None}
        rank = 0
        rows: list[tuple[int, TurnRecord, bool]] = []
        cuts: list[Cut] = []
        for number, records in enumerate(self.files.values()):
            undone = [each for each in records if isinstance(each, UndoRecord) and each.session == name]
            for record in records:
                if getattr(record, "session", None) != name:
                    continue
                if isinstance(record, SessionRecord):
                    better = record.title is not None and record.title_rank >= rank
                    given = {key: getattr(record, key) for key in facts}
                    facts |= {key: value for key, value in given.items() if value is not None and key != "title"}
                    if better:
                        facts["title"], rank = record.title, record.title_rank
                elif isinstance(record, CutRecord):
                    cuts.append(Cut(number, record.since, record.time))
            for turn in joined(record for record in records if isinstance(record, TurnRecord)):
                if turn.session == name:
                    rows.append((number, turn, any(undo.since <= turn.order < undo.until for undo in undone)))
        begins: dict[int, int] = {}
        for number, turn, _ in rows:
            if turn.time is not None:
                begins[number] = min(turn.time, begins.get(number, turn.time))
        rows.sort(key=lambda row: (begins.get(row[0], 0), row[0], row[1].order))
        if len(begins) > 1:
            rows = without_copies(rows)
        links = [Link(n, turn.order, turn.time, turn.native_id, turn.parent_id, undone) for n, turn, undone in rows]
        on = [row[1] for row, is_on in zip(rows, active(links, facts.pop("leaf"), cuts), strict=True) if is_on]
        for title in titles:
            if title.title_rank >= rank and any(turn.native_id == title.turn_id for turn in on):
                facts["title"], rank = title.title, title.title_rank
        if facts["title"] is None:
            prompts = [turn.text for turn in on if turn.role == "user"] or [turn.text for turn in on]
            facts["title"] = clean_line(prompts[0][:1_000]) if prompts else None
        return facts | {"turns": [[turn.role, turn.text] for turn in on], "times": [turn.time for turn in on]}


def adapter_of(name: str) -> Any:
    return next(adapter for adapter in ADAPTERS if adapter.name == name)


def digest(path: Path) -> str:
    """What stands for a file in the ids of sessions that have none of their own."""
    return blake2b(os.fsencode(path), digest_size=6).hexdigest()


def path_of(item: Path | Place) -> Path:
    return item.path if isinstance(item, Place) else item


def divided(adapter: Adapter, item: Path | Place | SkipRecord) -> Iterator[Path | Place | SkipRecord]:
    """What is found, or the sessions in it where it is a database of many."""
    if isinstance(item, Path) and isinstance(adapter, Dividing) and adapter.is_divided(item):
        adapter.token(item)
        yield from adapter.places(item)
    else:
        yield item


def joined(turns: Iterable[TurnRecord]) -> list[TurnRecord]:
    """Turns with their continuations; blank ones are none."""
    whole: dict[object, TurnRecord] = {}
    for turn in turns:
        key = (turn.session, turn.native_id) if turn.native_id else len(whole)
        first = whole.get(key) if turn.more else None
        if first is not None:
            text = f"{first.text}\n\n{turn.text}"
            whole[key] = TurnRecord(
                first.session, first.role, text, first.time, first.order, first.native_id, first.parent_id
            )
        else:
            whole[key if key not in whole else (key, len(whole))] = turn
    return [turn for turn in whole.values() if turn.text.strip()]


def without_copies(rows: list[tuple[int, TurnRecord, bool]]) -> list[tuple[int, TurnRecord, bool]]:
    """Each turn once that several files of a session have."""
    first: dict[object, tuple[int, TurnRecord, bool]] = {}
    for row in rows:
        first.setdefault(row[1].native_id or (row[1].order, row[1].text), row)
    return list(first.values())


def write(name: str, home: Path) -> list[Path]:
    """Write a sample store into a home; gives its files."""
    written: list[Path] = []
    source = STORES / name / "home"
    for path in sorted(source.rglob("*")):
        target = home / path.relative_to(source)
        if path.is_dir():
            target.mkdir(parents=True, exist_ok=True)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".sql":
            target = target.with_suffix("")
            target.write_bytes(built(path))
        else:
            assert not target.exists(), f"two samples have a file {target}"
            shutil.copyfile(path, target)
        os.utime(target, ns=(WRITTEN, WRITTEN))
        written.append(target)
    return written


@cache
def built(script: Path) -> bytes:
    """The database that an SQL script makes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "store")
        with closing(apsw.Connection(str(path))) as db:
            db.execute("PRAGMA synchronous = off")
            db.execute(script.read_text("utf-8"))
        return path.read_bytes()


def environ_of(samples: Iterable[Sample]) -> Mapping[str, str]:
    """The environment of a home with all these samples."""
    merged: dict[str, str] = {}
    for sample in samples:
        merged |= sample.environ
    return merged


@dataclass
class Everything(Engine):
    """The real engine over a home with all samples."""

    adapters: tuple[Any, ...] = ADAPTERS
    environ: Mapping[str, str] = field(default_factory=dict)
    also: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Source → places where it is read as well."""
    tools: bool = False

    def __post_init__(self) -> None:
        self.home = self.place / "home"
        self.samples = [Sample(name, self.home) for name in NAMES]
        self.environ = environ_of(self.samples)
        self.store = Store(self.place / "index")

    @property
    def config(self) -> Config:
        sources = {
            adapter.name: SourceConfig(True, self.also.get(adapter.name, ()), self.tools) for adapter in self.adapters
        }
        return Config(sources=sources, limits=Limits("everything"))

    def _reconciler(self, store: Store, batches: int | None = None) -> Reconciler:
        return Reconciler(store, self.adapters, self.config, self.home, self.environ)

    def sessions(self) -> dict[str, dict[str, Any]]:
        """What the index has, by key."""
        rows = self.rows(
            """SELECT s.source || ':' || s.native_id, s.native_id, s.source, s.title, s.project, s.branch, s.model,
                 s.kind, (SELECT native_id FROM sessions p WHERE p.id = s.parent)
               FROM sessions s WHERE turns > 0"""
        )
        return {
            key: dict(zip(("title", "project", "branch", "model", "kind", "parent"), facts, strict=True))
            | {"texts": self.texts(native_id, source)}
            for key, native_id, source, *facts in rows
        }
