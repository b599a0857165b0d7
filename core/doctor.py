"""An examination of harkback itself: each finding is ok, a warning or a problem, with what to do. Changes nothing."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from . import config as configuration
from .config import Config, ConfigError
from .damage import when_set_aside
from .database import SQLITE_VERSION, Database, Error
from .discover import roots_of
from .held import questions
from .migrate import SCHEMA_VERSION
from .model import Adapter
from .mounts import is_network, kind_of
from .renewal import waiting as unredacted
from .rewrite import is_due
from .store import VERSIONS, Newer, NoIndex, Store, StoreError

SQLITE_SOUND = (3, 51, 3)
"""Before this, two connections that write at once can lose what is in the log (the WAL-reset bug)."""
LEAST_FREE = 100_000_000
"""Bytes; below this, indexing and forgetting may stop half-way."""

CONFIRM = "if they come back nothing needs to be done; if they are really gone: harkback sources confirm {}"

Level = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    name: str
    level: Level
    found: str
    advice: str = ""
    """What to do; empty where nothing needs to be done."""


def examine(store: Store, adapters: Iterable[Adapter], home: Path, environ: Mapping[str, str]) -> list[Finding]:
    """Look at everything, in this order: program, folder, configuration, sources, index. Raises nothing."""
    findings = [*_program(), *_folder(store)]
    try:
        config = configuration.load(store.home)
    except ConfigError as error:
        findings.append(Finding("configuration", "problem", str(error), "correct that line of config.toml"))
    else:
        findings.append(Finding("configuration", "ok", "config.toml is as it should be"))
        findings += _sources(adapters, config, home, environ)
    return [*findings, *_index(store)]


# ---- the program and its folder ----


def _program() -> Iterator[Finding]:
    from importlib import metadata  # brings half of the mail library along

    python = ".".join(map(str, sys.version_info[:3]))
    yield Finding("harkback", "ok", f"{metadata.version('harkback')}, Python {python}, {sys.platform}")
    sound = tuple(int(part) for part in SQLITE_VERSION.split(".")) >= SQLITE_SOUND
    advice = "" if sound else "update apsw: pip install --upgrade apsw"
    yield Finding("sqlite", "ok" if sound else "problem", SQLITE_VERSION, advice)


def _folder(store: Store) -> Iterator[Finding]:
    folder = store.home
    if not folder.is_dir():
        yield Finding("folder", "ok", f"{folder} is not there yet; the first index makes it")
        return
    if hasattr(os, "getuid"):
        yield _access(folder)
    kind = kind_of(folder)
    if kind and is_network(kind):
        advice = "choose a local folder: HARKBACK_HOME or --home; SQLite can lose data over a network"
        yield Finding("file system", "problem", f"{folder} is on a network drive ({kind})", advice)
    else:
        yield Finding("file system", "ok", kind or "not known")
    free = shutil.disk_usage(folder).free
    size = store.path.stat().st_size if store.path.exists() else 0
    wanted = max(LEAST_FREE, size)
    advice = f"make room: forgetting writes the index anew, which takes {wanted / 1e6:,.0f} MB"
    enough = free >= wanted
    yield Finding("disk", "ok" if enough else "warning", f"{free / 1e6:,.0f} MB free", "" if enough else advice)


def _access(folder: Path) -> Finding:
    """Whether nobody but the owner can read what is in the folder."""
    open_to_others: list[str] = []
    foreign: list[str] = []
    for path in (folder, *sorted(folder.rglob("*"))):
        status = path.lstat()
        if not stat.S_ISLNK(status.st_mode) and status.st_mode & 0o077:
            open_to_others.append(f"{path} ({stat.S_IMODE(status.st_mode):04o})")
        if status.st_uid != os.getuid():
            foreign.append(str(path))
    if foreign:
        advice = "make yourself the owner: chown"
        return Finding("access", "problem", f"not yours: {', '.join(foreign[:5])}", advice)
    if open_to_others:
        found = f"open to others: {', '.join(open_to_others[:5])}"
        return Finding("access", "problem", found, f"chmod -R go-rwx {folder}")
    return Finding("access", "ok", f"{folder} is yours alone")


# ---- sources ----


def _sources(adapters: Iterable[Adapter], config: Config, home: Path, environ: Mapping[str, str]) -> Iterator[Finding]:
    known = list(adapters)
    ticked = [adapter for adapter in known if config.source(adapter.name).enabled]
    if not ticked:
        yield Finding("sources", "warning", "no source is ticked, so nothing is read", "harkback sources enable NAME")
    for name in sorted(set(config.sources) - {adapter.name for adapter in known}):
        yield Finding(f"source {name}", "warning", "config.toml names a source that there is not", "harkback sources")
    for adapter in ticked:
        name = f"source {adapter.name}"
        try:
            roots = roots_of(adapter, config, home, environ)
        except Exception as error:  # an adapter's fault costs its source, not the examination
            yield Finding(name, "problem", f"its places can't be told ({type(error).__name__})", "please report it")
            continue
        there = [root for root in roots if root.exists()]
        closed = [root for root in there if not os.access(root, os.R_OK | (os.X_OK if root.is_dir() else 0))]
        if closed:
            found, advice = f"may not be read: {', '.join(map(str, closed))}", "make it readable for you: chmod u+rx"
            yield Finding(name, "problem", found, advice)
        elif not there:
            found = f"none of its places is there: {', '.join(map(str, roots))}"
            yield Finding(name, "warning", found, f"harkback sources add {adapter.name} PATH, or untick it")
        else:
            yield Finding(name, "ok", ", ".join(map(str, there)))


# ---- the index ----


def _index(store: Store) -> Iterator[Finding]:
    busy = store.being_written()
    yield Finding("lock", "ok", "another harkback is indexing now" if busy else "nobody is writing")
    if since := when_set_aside(store.path):
        found = f"a damaged index was set aside on {since:%Y-%m-%d} and is still kept in {store.path.parent}"
        yield Finding("damage", "warning", found, "check the disk; remove the .damaged- file when you miss nothing")
    try:
        db = store.read()
    except NoIndex:
        yield Finding("index", "ok", "nothing is indexed yet")
        return
    except StoreError as error:
        advice = "update harkback" if isinstance(error, Newer) else "harkback index repairs what can be repaired"
        yield Finding("index", "problem", str(error), advice)
        return
    with closing(db):
        try:
            with db.snapshot():
                yield from _contents(db, busy=busy)
        except Error as error:
            yield Finding("index", "problem", f"it can't be read: {error}", "harkback index repairs what can be")


def _contents(db: Database, *, busy: bool) -> Iterator[Finding]:
    version = db.value("PRAGMA user_version")
    old = version < SCHEMA_VERSION
    found = f"format {version}" + (f", this harkback writes {SCHEMA_VERSION}" if old else "")
    yield Finding("format", "warning" if old else "ok", found, "harkback index brings it up to date" if old else "")
    have = dict(db.rows("SELECT key, value FROM meta WHERE key IN ('tokenizer', 'redaction')"))
    differ = [f"{name} {have.get(name)}, now {now}" for name, now in VERSIONS.items() if have.get(name) != now]
    rules = ", ".join(differ or (f"{name} {now}" for name, now in VERSIONS.items()))
    advice = "harkback index reads everything again by today's rules" if differ else ""
    yield Finding("rules", "warning" if differ else "ok", rules, advice)
    mode = db.value("PRAGMA journal_mode")
    advice = "move it to a local folder: HARKBACK_HOME or --home" if mode != "wal" else ""
    yield Finding("journal", "ok" if mode == "wal" else "problem", mode, advice)
    wrong = [row[0] for row in db.rows("PRAGMA integrity_check(5)") if row[0] != "ok"]
    wrong += [f"a row of {row[0]} refers to nothing" for row in db.rows("PRAGMA foreign_key_check")][:5]
    advice = "harkback index --rebuild makes it anew; sessions that exist nowhere else are kept"
    yield Finding("integrity", "problem", "; ".join(wrong), advice) if wrong else Finding("integrity", "ok", "sound")
    yield _full_text(db, advice)
    waiting = db.value("SELECT count(*) FROM files WHERE adapter_version < 0 AND state = 'ok'")
    if waiting and not busy:
        found = f"{waiting:,} files are to be read again by newer rules"
        yield Finding("pending", "warning", found, "harkback index")
    if hidden := unredacted(db):
        found = f"{hidden:,} files are not shown until newer rules for secrets have been over them"
        yield Finding("redaction", "warning", found, "" if busy else "harkback index")
    if is_due(db):
        found = "deleted text may still be in the file: there was no room to write it anew"
        yield Finding("rewrite", "warning", found, "make room on the disk, then: harkback index")
    if unreadable := db.value("SELECT count(*) FROM files WHERE state = 'quarantined'"):
        found = f"{unreadable:,} can't be read; what was indexed of them stays"
        yield Finding("files", "warning", found, "harkback status, then harkback why PATH")
    for each in questions(db):
        what = "sessions of a database or list" if each.place else "files"
        found = f"{each.missing:,} of {each.known:,} {what} are gone at once; what was indexed of them stays"
        yield Finding(f"source {each.source}", "warning", found, CONFIRM.format(each.source))
    for source, error in db.rows("SELECT source, error FROM runs WHERE error IS NOT NULL ORDER BY source"):
        found = f"its last run ended with {error}"
        yield Finding(f"source {source}", "warning", found, f"harkback index --source {source}")


def _full_text(db: Database, advice: str) -> Finding:
    """Whether every chunk has its row in the full text, and every row its chunk."""
    lost = db.value("SELECT count(*) FROM chunks WHERE id NOT IN (SELECT id FROM words_docsize)")
    stray = db.value("SELECT count(*) FROM words_docsize WHERE id NOT IN (SELECT id FROM chunks)")
    mute = db.value("SELECT count(*) FROM turns WHERE number IS NOT NULL AND id NOT IN (SELECT turn FROM chunks)")
    if lost or stray or mute:
        found = f"{lost:,} chunks without words, {stray:,} words without a chunk, {mute:,} turns without chunks"
        return Finding("full text", "problem", found, advice)
    chunks = db.value("SELECT count(*) FROM chunks")
    return Finding("full text", "ok", f"{chunks:,} chunks, all with their words")
