"""What harkback does with its index, to be disturbed at it; and what must hold of the index however that ended."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from engine import Engine, check
from faults_home import FORGOTTEN, FORGOTTEN_SESSION, MARK, SECRET
from harkback.core.database import Error
from harkback.core.fingerprint import checksum, open_quietly
from harkback.core.forget import forget
from harkback.core.forget_plan import Request
from harkback.core.fulltext import merge
from harkback.core.history import NotFound
from harkback.core.query import parse
from harkback.core.rewrite import rewrite
from harkback.core.search import Search
from harkback.core.store import NoIndex, StoreError, unpack

NOT_REMEMBERED = "everything is gone, but that could not be noted, so that what is still there is indexed again"
LASTING_FILES = {"index.db", "index.db-wal", "index.db-shm", "index.lock"}


@dataclass
class Stage:
    """Something that harkback does with an index that lies in `start`."""

    name: str
    start: Path | None
    act: Callable[[Engine], object]
    answers: bool = True
    """Whether what stands in the index must be found at every moment."""
    gone: bytes = b""
    """What no file may hold when it is done."""
    again: Callable[[Engine], object] | None = None
    """How it is taken up again; None: done once more."""
    expected: dict[str, Any] = field(default_factory=dict[str, Any])
    seconds: float = 0.0
    calls: tuple[int, ...] = (0,) * 7
    """How many calls of each kind an undisturbed run makes."""


def stages(before: Path, after: Path, old: Path) -> list[Stage]:
    """All of them, on indexes of the home before the changes, after them, and before them in an old format."""
    run = Engine.run
    return [
        Stage("first build", None, run, answers=False),
        Stage("changes", before, run),
        Stage("migration", old, run),
        Stage("rebuild", after, lambda engine: engine.run(rebuild=True)),
        Stage("forget a session", after, forget_one, gone=FORGOTTEN.encode(), again=and_reconcile(forget_one)),
        Stage("forget everything", after, forget_all, False, gone=MARK.encode(), again=and_reconcile(forget_all)),
        Stage("optimize, vacuum", after, optimize),
    ]


def forget_one(engine: Engine) -> None:
    forget(engine.store, Request(session=FORGOTTEN_SESSION))


def forget_all(engine: Engine) -> None:
    if not forget(engine.store, Request(everything=True)).remembered:
        raise StoreError(NOT_REMEMBERED)


def and_reconcile(do: Callable[[Engine], object]) -> Callable[[Engine], object]:
    def again(engine: Engine) -> None:
        with suppress(NotFound):
            do(engine)
        engine.run()

    return again


def optimize(engine: Engine) -> None:
    with engine.store.write() as db:
        merge(db, all_of_it=True)
        rewrite(db, engine.store.path)


def copied(source: Path | None, target: Path) -> None:
    """Put a copy of a folder, or nothing, in the place of another."""
    shutil.rmtree(target, ignore_errors=True)
    if source is not None and source.exists():  # killed before it made its folder
        shutil.copytree(source, target)
        target.chmod(0o700)


def answers(engine: Engine) -> int:
    """How many turns a search finds. Raises StoreError."""
    try:
        with closing(engine.store.read()) as db, db.snapshot():
            search, query = Search(db), parse(MARK, datetime(2026, 3, 31))  # noqa: DTZ001
            found = search.best(query)
            return len(search.hits(found.query, [*found.ranked, *found.others]))
    except Error as error:
        raise engine.store.trouble(error) from error


def look_at(engine: Engine) -> None:
    """What must hold of an index whether or not its work is done."""
    for path, content in contents(engine.store.home).items():
        assert not SECRET.search(content), f"a secret in {path.name}"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, f"{path.name} is for others to read"
    try:
        texts = [unpack(text).encode() for (text,) in engine.rows("SELECT text FROM turns")]
    except NoIndex:
        return
    assert not any(map(SECRET.search, texts)), "a secret in a turn"
    check(engine)
    cursors(engine)


def look_at_finished(engine: Engine, stage: Stage) -> None:
    """What must hold of an index when all that was disturbed was taken up again."""
    there = contents(engine.store.home)
    names = {path.name for path in there}
    assert names <= LASTING_FILES, f"left behind: {names - LASTING_FILES}"
    assert not stage.gone or not any(stage.gone in content for content in there.values()), "not forgotten"
    assert engine.contents() == stage.expected, "not what undisturbed work gives"


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def cursors(engine: Engine) -> None:
    """What the index says of the files that are as they were is true of their bytes."""
    of_files = "SELECT path, device, inode, size, mtime_ns, offset, prefix_crc FROM files WHERE state = 'ok'"
    for name, *stamp, offset, crc in engine.rows(of_files):
        path = Path(os.fsdecode(name))
        if path.exists():
            status = path.stat()
            now = [status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns]
            if now == stamp or (stamp[2] == -1 and now[3] == stamp[3]):
                assert offset <= now[2], f"{path.name} is not so long as its cursor says"
                with open_quietly(path) as file:
                    assert checksum(file, 0, offset) == crc, f"{path.name} does not begin with what was read of it"
