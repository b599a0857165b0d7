"""Databases of many sessions, and files that depend on others: what is read again, what is kept, what is counted."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest
from engine import DAY, NOON, Engine, Library, Lines, Shelf, check, turn
from harkback.adapters.foreign_sqlite import within
from harkback.core import mounts, taking
from harkback.core.config import Config, Exclude, Limits
from harkback.core.dividing import RETRIED
from harkback.core.exclude_preview import preview
from harkback.core.forget import forget
from harkback.core.forget_plan import Request
from harkback.core.model import Place, SkipRecord, Unreadable
from harkback.core.report import Report
from harkback.core.status import sources
from harkback.core.why import Answer
from harkback.core.why_path import WhyPath


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(taking, "BUSY_PAUSE", 0)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = Engine(tmp_path / "engine", (Shelf(),))
    yield engine
    if engine.store.exists():
        check(engine)


@pytest.fixture
def library(engine: Engine) -> Library:
    library = Library(engine.home / ".shelf" / "store.db")
    library.say("old", turn("zebra"), turn("okapi"), changed=NOON - DAY)
    library.say("new", turn("quokka"))
    settle(library)
    return library


def settle(library: Library) -> None:
    """As if its last change were some time ago."""
    for suffix in ("", "-wal"):
        if (path := Path(f"{library.path}{suffix}")).exists():
            os.utime(path, (1_790_000_000, 1_790_000_000 + path.stat().st_size % 1000))


def shelf(engine: Engine) -> Shelf:
    (adapter,) = engine.adapters
    assert isinstance(adapter, Shelf)
    return adapter


def asked(engine: Engine) -> tuple[int, list[str]]:
    """How often databases were listed, and which sessions were read, since the last time."""
    adapter = shelf(engine)
    asked = len(adapter.listed), sorted(adapter.opened)
    adapter.listed.clear()
    adapter.opened.clear()
    return asked


def shelf_texts(engine: Engine, session: str) -> list[str]:
    return engine.texts(session, "shelf")


def same_as_fresh(engine: Engine) -> None:
    assert engine.contents() == engine.fresh().contents()


def test_each_session_is_found_and_an_unchanged_database_is_not_even_listed(engine: Engine, library: Library) -> None:
    report = engine.run()
    assert (report.seen, report.read, report.sessions, report.turns) == (1, 1, 2, 3)
    assert asked(engine) == (1, ["new", "old"])
    assert engine.places("okapi") == [("old", 2)]
    report = engine.run()
    assert (report.seen, report.read, report.unchanged, report.bytes_read) == (1, 0, 1, 0)
    assert asked(engine) == (0, [])


def test_only_the_session_that_changed_is_read_again(engine: Engine, library: Library) -> None:
    engine.run()
    asked(engine)
    library.say("old", turn("wombat"), changed=NOON + 1)
    report = engine.run()
    assert asked(engine) == (1, ["old"])
    assert (report.read, report.turns) == (1, 4)
    assert shelf_texts(engine, "old") == ["zebra", "okapi", "wombat"]
    same_as_fresh(engine)


def test_a_token_alone_makes_a_session_another(engine: Engine, library: Library) -> None:
    engine.run()
    asked(engine)
    library.say("new", turn("wombat"))
    engine.run()
    assert asked(engine) == (1, ["new"])


def test_the_newest_session_is_read_first(engine: Engine, library: Library) -> None:
    engine.run(batches=2)
    assert shelf(engine).opened == ["new"]
    asked(engine)
    engine.run()
    assert asked(engine) == (1, ["old"])
    engine.run()
    assert asked(engine) == (0, [])


def test_a_session_that_is_gone_from_its_database_is_kept(engine: Engine, library: Library) -> None:
    engine.run()
    library.drop("old")
    assert engine.run().gone == 1
    assert [hit.session.gone_at_source for hit in engine.search("zebra")] == [True]
    library.say("old", turn("zebra"), turn("okapi"), changed=NOON - DAY)
    assert engine.run().gone == 0
    assert [hit.session.gone_at_source for hit in engine.search("zebra")] == [False]
    same_as_fresh(engine)


def test_a_session_that_is_gone_is_forgotten_where_that_is_wanted(engine: Engine, library: Library) -> None:
    engine.retention = "forget"
    engine.run()
    library.drop("old")
    engine.run()
    assert engine.places("zebra") == []
    assert engine.places("quokka") == [("new", 1)]


@pytest.mark.parametrize("how", ["emptied", "no table", "no database", "not a file"])
def test_a_database_that_tells_nothing_makes_nobody_gone(engine: Engine, library: Library, how: str) -> None:
    engine.retention = "forget"
    (engine.home / ".shelf" / "other.db").write_bytes(library.path.read_bytes())
    engine.run()
    if how == "emptied":
        library.drop("old")
        library.drop("new")
    elif how == "no table":
        library.db.execute("DROP TABLE session")
    library.close()
    if how == "no database":
        library.path.write_bytes(b"nothing of the kind" * 100)
    if how == "not a file":
        library.path.unlink()
        os.mkfifo(library.path)
    settle(library) if how != "not a file" else None
    for _ in range(2):
        report = engine.run()
        assert (report.gone, report.sessions) == (0, 2)
        assert report.quarantined == (how != "emptied")
    reasons = {"emptied": [], "no table": ["schema"], "no database": ["sqlite-notadb"], "not a file": ["not-a-file"]}
    assert [row[0] for row in engine.rows("SELECT reason FROM files WHERE reason IS NOT NULL")] == reasons[how]
    assert list(report.skips) == reasons[how]


def test_a_database_that_can_not_be_read_is_not_opened_again_until_it_changes(engine: Engine, library: Library) -> None:
    library.db.execute("DROP TABLE record")
    settle(library)
    assert engine.run().quarantined == 1
    assert asked(engine)[0] == 1
    assert engine.run().quarantined == 1
    assert asked(engine)[0] == 0
    library.db.execute("CREATE TABLE record (seq INTEGER PRIMARY KEY, session TEXT, line TEXT)")
    library.say("new", turn("wombat"))
    report = engine.run()
    assert (report.quarantined, report.skips) == (0, {})
    assert engine.places("wombat") == [("new", 1)]


@dataclass(frozen=True)
class Held(Shelf):
    """Its agent holds it so often: first for the list, then for one session."""

    times: int = 1
    session: str = ""

    def places(self, path: Path) -> Iterator[Place | SkipRecord]:
        places = list(super().places(path))
        if not self.session and len(self.listed) <= self.times:
            raise Unreadable("busy")
        yield from places

    def read(self, path: Path, since: object) -> Iterator[object]:  # type: ignore[override]
        records = list(super().read(path, None))
        if path.name == self.session and self.opened.count(self.session) <= self.times:
            raise Unreadable("busy")
        yield from records


@pytest.mark.parametrize("session", ["", "new"])
def test_what_its_agent_holds_is_tried_again_at_the_end_of_the_pass(
    engine: Engine, library: Library, session: str
) -> None:
    engine.adapters = (Held(session=session),)
    report = engine.run()
    assert (report.quarantined, report.read, report.sessions, report.skips) == (0, 1, 2, {})
    assert len(shelf(engine).listed) == (1 if session else 2)
    asked(engine)
    engine.run()
    assert asked(engine)[0] == 0


@pytest.mark.parametrize("session", ["", "new"])
def test_what_stays_held_is_counted_and_tried_at_each_pass(engine: Engine, library: Library, session: str) -> None:
    engine.adapters = (Held(times=2, session=session),)
    report = engine.run()
    assert (report.skips, report.sessions) == ({"busy": 1}, 1 if session else 0)
    assert "busy" in RETRIED
    report = engine.run()
    assert (report.skips, report.sessions) == ({}, 2)
    same_as_fresh(engine)


def test_what_a_limit_left_out_is_read_when_there_is_room(engine: Engine, library: Library) -> None:
    engine.limits = Limits("everything", turns_total=2)
    report = engine.run()
    assert (report.turns, report.left_out["total"]) == (2, 1)
    assert shelf_texts(engine, "old") == ["okapi"]
    asked(engine)
    assert engine.run().unchanged == 1
    assert asked(engine) == (0, [])
    engine.limits = Limits("everything")
    assert engine.run().turns == 3
    assert asked(engine) == (1, ["old"]) or asked(engine) == (0, [])
    same_as_fresh(engine)


def test_a_session_of_an_unknown_time_is_never_too_old(engine: Engine, library: Library) -> None:
    library.say("undated", turn("wombat"), changed=0)
    engine.limits = Limits("everything", window_days=7)
    report = engine.run()
    assert (report.sessions, report.left_out["window"]) == (1, 2)
    assert engine.places("wombat") == [("undated", 1)]


def test_skips_of_the_list_are_counted_once(engine: Engine, library: Library) -> None:
    library.say("odd", turn("never"))
    assert engine.run().skips == {"odd": 1}
    library.say("new", turn("wombat"))
    assert engine.run().skips == {"odd": 1}
    library.drop("odd")
    assert engine.run().skips == {}


@pytest.mark.parametrize("pattern", ["store.db", "store.db/old"])
def test_what_is_excluded_goes_and_comes_back_with_the_rule(
    engine: Engine, library: Library, pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.run()
    plain = Engine.config
    monkeypatch.setattr(
        Engine,
        "config",
        property(lambda self: replace_config(plain.fget(self), pattern)),  # type: ignore[misc]
    )
    report = engine.run()
    assert (report.sessions, engine.places("zebra")) == (0 if pattern == "store.db" else 1, [])
    assert engine.run().sessions == report.sessions
    monkeypatch.setattr(Engine, "config", plain)
    assert engine.run().sessions == 2
    assert engine.places("zebra") == [("old", 1)]


def replace_config(config: Config, pattern: str) -> Config:
    return Config(config.sources, config.limits, config.retention, Exclude((pattern,)))


def test_names_that_look_like_keys_are_no_files_and_are_read(engine: Engine, library: Library) -> None:
    library.say("id_4711", turn("wombat"))
    library.say("a/b.key", turn("numbat"))
    assert engine.run().sessions == 4


def test_unticking_drops_all_of_it(engine: Engine, library: Library) -> None:
    engine.run()
    engine.ticked = ()
    engine.run()
    assert engine.rows("SELECT 1 FROM files UNION ALL SELECT 1 FROM sessions") == []


def test_a_removed_root_that_is_the_database_is_purged(engine: Engine, library: Library) -> None:
    from harkback.core.writer import Writer

    engine.run()
    with engine.store.write() as db:
        Writer(db).purge_below("shelf", os.fsencode(library.path))
    assert engine.rows("SELECT 1 FROM files UNION ALL SELECT 1 FROM sessions") == []


def test_a_database_that_is_gone_alone_or_among_others(engine: Engine, library: Library) -> None:
    engine.run()
    library.close()
    moved = library.path.rename(library.path.with_suffix(".away"))
    assert engine.run().gone == 0  # an empty root says nothing
    Library(engine.home / ".shelf" / "other.db").say("other", turn("wombat"))
    report = engine.run()
    assert (report.gone >= 2, report.sessions) == (True, 3)
    moved.rename(library.path)
    assert engine.run().sessions == 3
    assert [hit.session.gone_at_source for hit in engine.search("zebra")] == [False]


def test_another_version_of_its_adapter_reads_it_again(engine: Engine, library: Library) -> None:
    engine.run()
    engine.adapters = (replace(shelf(engine), version=2),)
    asked(engine)
    engine.run()
    assert asked(engine) == (1, ["new", "old"])
    engine.run()
    assert asked(engine) == (0, [])


def test_a_database_on_a_network_drive_is_set_aside(
    engine: Engine, library: Library, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    engine.run()
    told = tmp_path / "mountinfo"
    told.write_text("22 1 0:20 / / rw shared:1 - nfs4 server:/ rw\n")
    monkeypatch.setattr(mounts, "_MOUNTS", told)
    report = engine.run()
    assert (report.skips, report.quarantined, report.sessions) == ({"network-drive": 1}, 1, 2)
    monkeypatch.undo()
    assert engine.run().skips == {}


def test_reading_changes_nothing_beside_a_database(engine: Engine, library: Library) -> None:
    library.db.execute("PRAGMA journal_mode=WAL")
    library.say("new", turn("wombat"))

    def state() -> dict[str, object]:  # access times move as SQLite reads beside a program, and here both are one
        return {path: (*row[:3], row[4]) for path, row in engine.listing().items() if not path.endswith("-shm")}

    before = state()
    engine.run()
    assert state() == before
    assert engine.places("wombat") == [("new", 2)]


# ---- files beside a file ----


@dataclass(frozen=True)
class Sidecars(Lines):
    """What is read of a file ends with the names that lie in the folder and the text of the file beside it."""

    def find(self, root: Path) -> Iterator[Path | Place | SkipRecord]:  # type: ignore[override]
        for found in super().find(root):
            if isinstance(found, SkipRecord):
                yield found
            else:
                yield Place(found, beside=(found.with_suffix(".side"), found.with_suffix(".d")))

    def read(self, path: Path, since: object) -> Iterator[object]:  # type: ignore[override]
        side = path.with_suffix(".side")
        text = side.read_text() if side.exists() else "nothing"
        for record in super().read(path, since):  # type: ignore[arg-type]
            yield replace(record, text=f"{record.text} {text}") if hasattr(record, "text") else record  # type: ignore[call-arg]


def test_a_file_is_read_again_when_what_lies_beside_it_changes(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "engine", (Sidecars(),))
    path = engine.write("a", turn("zebra"), turn("okapi"))
    engine.run()
    assert engine.texts("a") == ["zebra nothing", "okapi nothing"]
    assert engine.run().unchanged == 1
    side = path.with_suffix(".side")
    for text in ("one", "another"):
        side.write_text(text)
        assert engine.run().read == 1
        assert engine.texts("a") == [f"zebra {text}", f"okapi {text}"]
        assert engine.run().unchanged == 1
    path.with_suffix(".d").mkdir()
    assert engine.run().read == 1
    side.unlink()
    engine.append("a", turn("wombat"))
    engine.run()
    assert engine.texts("a") == ["zebra nothing", "okapi nothing", "wombat nothing"]
    check(engine)
    same_as_fresh(engine)


def test_a_path_below_a_database_is_its_session(engine: Engine, library: Library) -> None:
    engine.run()
    paths = [os.fsdecode(row[0]) for row in engine.rows("SELECT path FROM files ORDER BY path")]
    assert paths == [str(library.path), str(within(library.path, "new")), str(within(library.path, "old"))]


# ---- while the app is open ----


def pass_over(engine: Engine, *paths: object) -> Report:
    return engine._reconciler(engine.store).run(touched=[str(path) for path in paths])


def test_a_log_that_grows_beside_a_database_has_that_alone_looked_at(engine: Engine, library: Library) -> None:
    engine.adapters = (Lines(), *engine.adapters)
    for name in "abc":
        engine.write(name, turn("one"))
    library.db.execute("PRAGMA journal_mode=WAL")
    library.say("new", turn("wombat"))
    engine.run()
    adapter = engine.adapters[1]
    assert isinstance(adapter, Shelf)
    adapter.opened.clear()
    library.say("new", turn("numbat"), changed=NOON + 1)
    report = pass_over(engine, f"{library.path}-wal", f"{library.path}-shm")
    assert (report.seen, report.read, adapter.opened) == (1, 1, ["new"])
    assert engine.places("numbat") == [("new", 3)]
    library.say("newest", turn("ibex"))
    assert pass_over(engine, f"{library.path}-wal").seen == 1
    assert engine.places("ibex") == [("newest", 1)]
    assert pass_over(engine, f"{library.path}-wal").read in (0, 1)  # within the tick of a clock it may have changed
    same_as_fresh(engine)


def test_a_session_that_is_gone_from_a_database_has_everything_looked_at(engine: Engine, library: Library) -> None:
    engine.run()
    library.drop("old")
    assert pass_over(engine, library.path).gone == 1


def test_a_file_that_depends_on_others_is_read_on_when_it_alone_was_touched(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "engine", (Sidecars(),))
    path = engine.write("a", turn("zebra"))
    engine.run()
    more = engine.append("a", turn("okapi"))
    assert pass_over(engine, path).bytes_read == more
    path.with_suffix(".side").write_text("one")
    assert pass_over(engine, path.with_suffix(".side")).read == 1
    assert engine.texts("a") == ["zebra one", "okapi one"]


# ---- what is told of them ----


def why(engine: Engine, path: object) -> Answer:
    db = engine.store.read()
    try:
        return WhyPath(engine.adapters, engine.config, engine.home, {}).answer(db, str(path))
    finally:
        db.close()


def test_why_tells_of_a_database_and_of_each_session_in_it(engine: Engine, library: Library) -> None:
    engine.limits = Limits("everything", turns_total=2)
    engine.run()
    whole = why(engine, library.path)
    assert (whole.state, whole.source, whole.turns) == ("folder", "shelf", 2)
    assert [part.slug for part in whole.parts] == ["total"]
    assert why(engine, within(library.path, "new")).state == "indexed"
    assert why(engine, within(library.path, "old")).state == "indexed-in-part"
    assert why(engine, within(library.path, "never")).state == "absent"
    library.close()
    library.path.write_bytes(b"rubbish" * 100)
    engine.run()
    assert {part.slug for part in why(engine, library.path).parts} == {"total", "sqlite-notadb"}


def test_before_it_is_read_a_database_is_a_file_that_waits(engine: Engine, library: Library) -> None:
    engine.ticked = ()
    engine.run()
    engine.ticked = None
    assert why(engine, library.path).state == "not-yet"


def test_a_database_counts_as_one_file(engine: Engine, library: Library) -> None:
    told = partial(sources, adapters=engine.adapters, config=engine.config, home=engine.home, environ={}, now=NOON)
    assert [each.files for each in told(None)] == [1]
    engine.run()
    db = engine.store.read()
    assert [(each.files, each.sessions) for each in told(db)] == [(1, 2)]
    rule = preview(db, engine.adapters, engine.config, engine.home, {}, "**/store.db")
    assert (rule.files, rule.sessions) == (1, 2)
    db.close()
    assert shelf(engine).listed == [library.path]  # a preview opens nothing


def test_a_forgotten_session_of_a_database_stays_out(engine: Engine, library: Library) -> None:
    engine.run()
    forget(engine.store, Request(session="shelf:old"))
    library.say("old", turn("wombat"), changed=NOON + 1)
    report = engine.run()
    assert (report.sessions, engine.places("zebra"), engine.places("wombat")) == (1, [], [])
    assert report.skips == {"forgotten": 3}


def test_a_damaged_index_is_built_anew_from_databases_too(engine: Engine, library: Library) -> None:
    engine.run()
    library.drop("old")
    engine.run()
    before = engine.contents()
    engine.store.path.write_bytes(engine.store.path.read_bytes()[: 8 * 4_096] + bytes(40 * 4_096))
    engine.run()
    assert "new" in {hit.session.native_id for hit in engine.search("quokka")}
    assert set(engine.contents()) <= set(before)


def test_a_database_that_loses_most_of_its_sessions_at_once_waits_for_the_persons_word(
    engine: Engine, library: Library
) -> None:
    engine.retention = "forget"
    for number in range(4):
        library.say(f"s{number}", turn(f"okapi {number}"))
    engine.run()
    for number in range(4):
        library.drop(f"s{number}")
    (held,) = engine.run().held
    assert (held.place, held.missing, held.known) == (os.fspath(library.path), 4, 6)
    assert held.example == os.fspath(within(library.path, "s0"))
    assert len(engine.places("okapi")) == 5
    library.say("s0", turn("okapi 0"))
    assert engine.run().held == [], "half of them is no longer most"
    assert len(engine.places("okapi")) == 2
