"""Whatever an agent does to its database, and wherever a pass is stopped: in the end the index is as a fresh one."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from engine import DAY, NOON, Engine, Library, Shelf, check, turn
from harkback.core import lots, taking
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

NAMES = st.sampled_from(("a", "b", "sub agent", "c/d"))
BOOKS = st.sampled_from(("one", "two"))
WORDS = st.sampled_from(("zebra", "okapi", "数据库迁移", "zebra okapi"))


@st.composite
def records(draw: st.DrawFn) -> Any:
    kind = draw(st.sampled_from(("turn", "turn", "turn", "facts", "deleted")))
    if kind == "turn":
        native_id = draw(st.sampled_from((None, "x", "y")))
        return turn(draw(WORDS), role=draw(st.sampled_from(("user", "assistant"))), native_id=native_id,
                    time=draw(st.sampled_from((None, NOON, NOON + DAY))))  # fmt: skip
    if kind == "deleted":
        return ["facts", {"session": draw(NAMES), "deleted": draw(st.booleans())}]
    parent = draw(st.sampled_from((None, "a", "b")))
    return ["facts", {"title": draw(WORDS), "title_rank": 3, "parent": parent, "kind": draw(
        st.sampled_from((None, "subagent")))}]  # fmt: skip


class AnythingInDatabases(RuleBasedStateMachine):
    """Two databases, which may have something of the same sessions."""

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(taking, "BUSY_PAUSE", 0)
        self.patch.setattr(lots, "FLUSH_TURNS", 3)
        self.folder = tempfile.TemporaryDirectory()
        self.engine = Engine(Path(self.folder.name), (Shelf(every=2),))
        self.books = {name: Library(self.engine.home / ".shelf" / f"{name}.db") for name in ("one", "two")}
        self.changed = NOON

    @rule(book=BOOKS, name=NAMES, content=st.lists(records(), max_size=5))
    def say(self, book: str, name: str, content: list[Any]) -> None:
        self.changed += 1
        self.books[book].say(name, *content, changed=self.changed)

    @rule(book=BOOKS, name=NAMES, content=st.lists(records(), max_size=5))
    def say_anew(self, book: str, name: str, content: list[Any]) -> None:
        self.changed += 1
        self.books[book].drop(name)
        self.books[book].say(name, *content, changed=self.changed)

    @rule(name=NAMES)
    def copy(self, name: str) -> None:
        rows = list(self.books["one"].db.execute("SELECT line FROM record WHERE session = ? ORDER BY seq", (name,)))
        with self.books["two"].db as db:
            self.changed += 1
            db.execute("REPLACE INTO session VALUES (?, ?)", (name, self.changed))
            db.executemany("INSERT INTO record (session, line) VALUES (?, ?)", [(name, row[0]) for row in rows])

    @rule(book=BOOKS, mode=st.sampled_from(("wal", "delete")))
    def journal(self, book: str, mode: str) -> None:
        self.books[book].db.execute(f"PRAGMA journal_mode={mode}")

    @rule(batches=st.integers(0, 9))
    def stop_early(self, batches: int) -> None:
        self.engine.run(batches=batches)
        check(self.engine)

    @rule(book=BOOKS)
    def only_what_was_touched(self, book: str) -> None:
        touched = [f"{self.books[book].path}-wal"]
        self.engine._reconciler(self.engine.store).run(touched=touched)
        check(self.engine)

    @rule()
    def reconcile(self) -> None:
        self.engine.run()
        check(self.engine)

    def teardown(self) -> None:
        self.engine.run()
        check(self.engine)
        fresh = self.engine.fresh()
        check(fresh)
        assert self.engine.contents() == fresh.contents()
        assert self.engine.run().skips == fresh.run().skips
        for book in self.books.values():
            book.close()
        self.folder.cleanup()
        self.patch.undo()


TestAnythingInDatabases = AnythingInDatabases.TestCase
TestAnythingInDatabases.settings = settings(max_examples=15, stateful_step_count=12, deadline=None)
