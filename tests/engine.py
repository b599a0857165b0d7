"""A store made for testing the engine on its own, and what must hold of every index."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw
import msgspec
from harkback.adapters.foreign_sqlite import change_token, open_foreign, split, within
from harkback.core import model
from harkback.core.chunk import ID_BITS, day_of
from harkback.core.config import Config, Limits, Retention, SourceConfig
from harkback.core.database import Database
from harkback.core.query import parse
from harkback.core.reconcile import Reconciler, Report
from harkback.core.results import Hit
from harkback.core.search import Search
from harkback.core.store import NoIndex, Store, unpack
from harkback.core.tokens import segment

DAY = 86_400_000
NOON = 1_767_268_800_000
"""2026-01-01 12:00 UTC."""
KINDS: dict[str, type] = {
    "turn": model.TurnRecord,
    "facts": model.SessionRecord,
    "title": model.TitleRecord,
    "undo": model.UndoRecord,
    "cut": model.CutRecord,
    "list": model.ListRecord,
    "skip": model.SkipRecord,
}


@dataclass(frozen=True)
class Lines:
    """A store of JSONL files; each line is `[kind, {fields of the record}]`. `["fail", ...]` makes `read` raise."""

    name: str = "lines"
    title: str = "Lines"
    version: int = 1
    every: int = 3
    """Lines between two checkpoints."""

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        return [home / f".{self.name}"]

    def find(self, root: Path) -> Iterator[Path | model.SkipRecord]:
        skips: list[model.SkipRecord] = []

        def unlisted(error: OSError) -> None:
            skips.append(model.SkipRecord("unreadable-folder", error.filename))

        for folder, _, names in os.walk(root, onerror=unlisted):
            yield from skips
            skips.clear()
            yield from (Path(folder, name) for name in sorted(names) if name.endswith(".jsonl"))
        yield from skips

    def read(self, path: Path, since: model.Checkpoint | None) -> Iterator[model.Record]:
        if not stat.S_ISREG(path.lstat().st_mode):
            raise model.Unreadable("not-a-file")
        offset = since.offset if since else 0
        with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NOATIME", 0)), "rb", buffering=0) as file:
            file.seek(offset)
            lines = file.read().splitlines(keepends=True)
        for count, line in enumerate(lines, 1):
            if not line.endswith(b"\n"):
                yield model.SkipRecord("unfinished-line", f"byte {offset}")
                break
            yield from self._record(path, offset, line)
            offset += len(line)
            if count % self.every == 0:
                yield model.Checkpoint(offset, b"%d" % offset)
        yield model.Checkpoint(offset, b"%d" % offset)

    def _record(self, path: Path, offset: int, line: bytes) -> Iterator[model.Record]:
        try:
            kind, fields = json.loads(line)
        except ValueError:
            yield model.SkipRecord("not-json", f"byte {offset}")
            return
        if kind == "fail":
            raise {"crash": ZeroDivisionError(), "reread": model.Reread()}.get(fields, model.Unreadable(str(fields)))
        if kind in ("turn", "facts", "undo", "cut"):
            fields.setdefault("session", path.stem.split(".")[0])
        if kind == "turn":
            fields = {"order": offset, "time": None, "role": "user"} | fields
        if kind == "undo":
            fields.setdefault("until", offset)
        yield msgspec.convert(fields, KINDS[kind], strict=False)

    def resume(self, native_id: str) -> list[str] | None:
        return None


@dataclass(frozen=True)
class Shelf(Lines):
    """A store of SQLite databases, `*.db`, with many sessions each: what `read` gives of one is its rows, as lines."""

    name: str = "shelf"
    title: str = "Shelf"
    listed: list[Path] = field(default_factory=list[Path], compare=False)
    """Databases whose sessions were asked for, each time."""
    opened: list[str] = field(default_factory=list[str], compare=False)
    """Sessions that were read, each time."""

    def find(self, root: Path) -> Iterator[Path | model.Place | model.SkipRecord]:  # type: ignore[override]
        yield from sorted(root.rglob("*.db"))

    def is_divided(self, path: Path) -> bool:
        return path.suffix == ".db"

    def token(self, path: Path) -> bytes:
        return change_token(path)

    def places(self, path: Path) -> Iterator[model.Place | model.SkipRecord]:
        self.listed.append(path)
        with open_foreign(path) as store:
            for name, changed, count in store.rows(
                """SELECT id, changed, (SELECT count(*) FROM record WHERE session = id) FROM session
                   ORDER BY changed DESC"""
            ):
                if name == "odd":
                    yield model.SkipRecord("odd", name)
                else:
                    yield model.Place(within(path, name), changed=changed, token=f"{changed} {count}".encode())

    def read(self, path: Path, since: model.Checkpoint | None) -> Iterator[model.Record]:
        assert since is None
        database, name = split(path)
        self.opened.append(name)
        with open_foreign(database) as store:
            for at, line in store.rows("SELECT seq, line FROM record WHERE session = ? ORDER BY seq", name):
                yield from self._record(Path(name), at, line.encode())
        yield model.Checkpoint(0)


class Library:
    """A database that a `Shelf` reads, and the agent that writes it."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.db: Any = apsw.Connection(str(path))
        self.db.execute("CREATE TABLE IF NOT EXISTS session (id TEXT PRIMARY KEY, changed INTEGER)")
        self.db.execute("CREATE TABLE IF NOT EXISTS record (seq INTEGER PRIMARY KEY, session TEXT, line TEXT)")

    def say(self, session: str, *records: Any, changed: int = NOON) -> None:
        """Add to a session."""
        with self.db:
            self.db.execute("REPLACE INTO session VALUES (?, ?)", (session, changed))
            for each in records:
                self.db.execute("INSERT INTO record (session, line) VALUES (?, ?)", (session, json.dumps(each)))

    def drop(self, session: str) -> None:
        with self.db:
            self.db.execute("DELETE FROM session WHERE id = ?", (session,))
            self.db.execute("DELETE FROM record WHERE session = ?", (session,))

    def close(self) -> None:
        self.db.close()


def turn(text: str, **fields: Any) -> list[Any]:
    return ["turn", {"text": text} | fields]


def line(record: Any) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


@dataclass
class Engine:
    """A home with a store of lines in it, and the index of it."""

    place: Path
    adapters: tuple[Lines, ...] = (Lines(),)
    limits: Limits = field(default_factory=lambda: Limits("everything"))
    retention: str = "keep"
    ticked: tuple[str, ...] | None = None
    roots: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.home = self.place / "home"
        self.root = self.home / ".lines"
        self.root.mkdir(parents=True, exist_ok=True)
        self.store = Store(self.place / "index")
        self.tick = 1_790_000_000 * 10**9

    # ---- the store ----

    def path(self, name: str) -> Path:
        return self.root / f"{name}.jsonl"

    def write(self, name: str, *records: Any) -> Path:
        """Write a file anew, in place."""
        self.path(name).parent.mkdir(parents=True, exist_ok=True)
        self.path(name).write_bytes(b"".join(map(line, records)))
        return self.touch(name)

    def append(self, name: str, *records: Any) -> int:
        """Add records to a file; gives how many bytes that were."""
        return self.append_bytes(name, b"".join(map(line, records)))

    def append_bytes(self, name: str, more: bytes) -> int:
        with self.path(name).open("ab") as file:
            file.write(more)
        self.touch(name)
        return len(more)

    def replace(self, name: str, content: bytes) -> None:
        """Put a new file in the place of an old one, as editors do."""
        new = self.root / f"{name}.new"
        new.write_bytes(content)
        new.replace(self.path(name))
        self.touch(name)

    def touch(self, name: str) -> Path:
        """Each change is a second later than the one before."""
        self.tick += 10**9
        os.utime(self.path(name), ns=(self.tick, self.tick))
        return self.path(name)

    def listing(self) -> dict[str, Any]:
        """Every entry of the home with everything that reading must not change."""
        entries: dict[str, Any] = {}
        for folder, folders, names in os.walk(self.home):
            for name in [".", *folders, *names]:
                path = Path(folder, name)
                status = path.lstat()
                content = b""
                if stat.S_ISREG(status.st_mode) and os.access(path, os.R_OK):
                    number = os.open(path, os.O_RDONLY | getattr(os, "O_NOATIME", 0))
                    with os.fdopen(number, "rb") as file:
                        content = file.read()
                digest = hashlib.sha256(content).hexdigest()
                atime = status.st_atime_ns if stat.S_ISREG(status.st_mode) else 0
                entries[os.fspath(path)] = (status.st_mode, status.st_ino, status.st_mtime_ns, atime, digest)
        return entries

    # ---- the index ----

    @property
    def config(self) -> Config:
        names = [each.name for each in self.adapters] if self.ticked is None else self.ticked
        sources = {name: SourceConfig(True, self.roots) for name in names}
        return Config(sources=sources, limits=self.limits, retention=Retention(self.retention))  # type: ignore[arg-type]

    def run(self, only: list[str] | None = None, *, rebuild: bool = False, batches: int | None = None) -> Report:
        """Reconcile; with `batches` stop after about so many."""
        return self._reconciler(self.store, batches).run(only, rebuild=rebuild)

    def indexed(self) -> bool:
        """Whether there is an index; a first build that was killed at once is none."""
        try:
            self.store.read().close()
        except NoIndex:
            return False
        return True

    def _reconciler(self, store: Store, batches: int | None = None) -> Reconciler:
        asked = [0]

        def stopped() -> bool:
            asked[0] += 1
            return batches is not None and asked[0] > batches

        return Reconciler(store, self.adapters, self.config, self.home, {}, stopped=stopped)

    def fresh(self) -> Engine:
        """The same home indexed from nothing, in another place."""
        other = replace(self)
        for number in range(10_000):
            if not (folder := self.place / f"fresh-{number}").exists():
                break
        other.store = Store(folder)
        other.run()
        return other

    def search(self, text: str, **options: Any) -> list[Hit]:
        """All hits, in order."""
        db = self.store.read()
        search, query = Search(db), parse(text, datetime(2026, 1, 10))  # noqa: DTZ001
        found = search.rest(search.best(query, **options))
        assert found.total_exact
        assert found.total == len(found.ranked) + len(found.others)
        hits = search.hits(found.query, [*found.ranked, *found.others])
        assert len(hits) == found.total
        db.close()
        return hits

    def places(self, text: str, **options: Any) -> list[tuple[str, int | None]]:
        """Where the hits are: (native id of the session, number of the turn)."""
        return [(hit.session.native_id, hit.number) for hit in self.search(text, **options)]

    def texts(self, session: str, source: str = "lines") -> list[str]:
        """The active turns of a session."""
        rows = self.rows(
            """SELECT text FROM turns JOIN sessions ON sessions.id = turns.session
               WHERE sessions.native_id = ? AND source = ? AND number IS NOT NULL ORDER BY number""",
            session,
            source,
        )
        return [unpack(row[0]) for row in rows]

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        db = self.store.read()
        try:
            return list(db.rows(sql, *values))
        finally:
            db.close()

    def contents(self, leave: Callable[[str], bool] = lambda key: False) -> dict[str, Any]:
        """All that the index says, without its row numbers; `leave` names sessions that don't count."""
        sessions: dict[str, Any] = {}
        db = self.store.read()
        for row, key, *facts in list(
            db.rows(
                """SELECT s.id, s.source || ':' || s.native_id, s.title, s.project, s.branch, s.model, s.kind,
                     s.started, s.updated, s.turns, s.gone, (SELECT native_id FROM sessions p WHERE p.id = s.parent)
                   FROM sessions s WHERE turns > 0"""
            )
        ):
            shown: list[tuple[Any, ...]] = []
            for *columns, text, number in db.rows(
                """SELECT number, role, time, quality, native_id, undone, size, code, hash, text, turns.id
                   FROM turns WHERE session = ? ORDER BY number IS NULL, number, seq""",
                row,
            ):
                chunks = db.rows("SELECT start, stop, id >> ? FROM chunks WHERE turn = ? ORDER BY 1", ID_BITS, number)
                shown.append((*columns, unpack(text), list(chunks)))
            active = [each for each in shown if each[0] is not None]
            if not leave(key):
                sessions[key] = (facts, active, sorted(map(repr, shown[len(active) :])))
        db.close()
        return sessions


def check(engine: Engine) -> None:
    """What must hold of every index at every time."""
    folder, path = engine.store.home, engine.store.path
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for file in folder.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    db = apsw.Connection(str(path))

    def rows(sql: str, *values: Any) -> list[tuple[Any, ...]]:
        return list(db.execute(sql, values))

    assert rows("PRAGMA integrity_check") == [("ok",)]
    assert rows("PRAGMA foreign_key_check") == []
    db.execute("INSERT INTO words (words) VALUES ('integrity-check')")
    assert rows("SELECT id FROM chunks ORDER BY 1") == rows("SELECT id FROM words_docsize ORDER BY 1")
    assert rows("SELECT id FROM turns WHERE number IS NOT NULL AND id NOT IN (SELECT turn FROM chunks)") == []
    numbers = "SELECT session, count(number), max(number), count(DISTINCT number) FROM turns GROUP BY session"
    for session, count, highest, distinct in rows(numbers):
        assert count == distinct == (highest or 0)
        assert rows("SELECT turns FROM sessions WHERE id = ?", session) == [(count,)]
    assert rows("SELECT id FROM sessions WHERE turns > 0 AND id NOT IN (SELECT session FROM turns)") == []
    lost = """SELECT id FROM sessions WHERE id NOT IN (SELECT session FROM turns UNION SELECT session FROM facts
              UNION SELECT session FROM cuts UNION SELECT coalesce(parent, -1) FROM facts)"""
    assert rows(lost) == []
    assert rows("SELECT path FROM skips WHERE path != x'' AND path NOT IN (SELECT path FROM files)") == []
    sums = """SELECT id, text_size, (SELECT coalesce(sum(size), 0) FROM turns WHERE file = files.id) AS have
              FROM files WHERE text_size != have"""
    assert rows(sums) == []
    assert rows("SELECT seq FROM turns GROUP BY file, session, seq HAVING count(*) > 1") == []
    _check_words(db)
    db.close()


def _check_words(db: apsw.Connection) -> None:
    """The full text holds the words of each chunk, and no others."""
    db.execute("CREATE VIRTUAL TABLE temp.have USING fts5vocab(main, words, instance)")
    have: dict[int, list[str]] = {}
    for word, chunk in db.execute("SELECT term, doc FROM temp.have WHERE col = 'text' ORDER BY doc, offset"):
        have.setdefault(chunk, []).append(word)
    tokenizer = Database(None).tokenizer("porter", ["unicode61", "remove_diacritics", "2"])
    for chunk, start, stop, time, text, size in db.execute(
        "SELECT chunks.id, start, stop, time, text, size FROM chunks JOIN turns ON turns.id = chunks.turn"
    ):
        whole = unpack(text)
        assert len(whole) == size
        assert chunk >> ID_BITS == day_of(time)
        words = tokenizer(segment(whole[start:stop]).encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False)
        assert have.pop(chunk, []) == [each if isinstance(each, str) else each[0] for each in words]
    assert not have
