"""Stores → index over real files: what is read again, what is kept, what is counted."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import apsw
import pytest
from engine import DAY, NOON, Engine, Lines, check, line, turn
from harkback.core import store as stores
from harkback.core.config import Limits
from harkback.core.forget import forget
from harkback.core.forget_plan import Request, plan
from harkback.core.history import NotFound
from harkback.core.model import SkipRecord
from harkback.core.store import Store
from harkback.core.tombstones import bury, hashes
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = Engine(tmp_path / "engine")
    yield engine
    if engine.store.exists():
        check(engine)


def same_as_fresh(engine: Engine) -> None:
    assert engine.contents() == engine.fresh().contents()


# ---- what is read ----


def test_an_unchanged_home_is_not_read(engine: Engine) -> None:
    engine.write("a", turn("one"))
    engine.write("b", turn("two"))
    first = engine.run()
    again = engine.run()
    assert (first.read, first.unchanged, first.sessions, first.turns) == (2, 0, 2, 2)
    assert first.bytes_read == sum(engine.path(name).stat().st_size for name in "ab")
    assert (again.seen, again.read, again.unchanged, again.bytes_read) == (2, 0, 2, 0)


def test_reading_changes_nothing_in_the_store(engine: Engine) -> None:
    engine.write("a", turn("one"), turn("two"))
    engine.write("sub/b", turn("three"))
    os.mkfifo(engine.path("pipe"))
    before = engine.listing()
    engine.run()
    engine.append("a", turn("four"))
    changed = engine.listing()
    engine.run()
    engine.run(rebuild=True)
    assert engine.listing() == changed
    assert set(changed) == set(before)


def test_an_added_line_is_all_that_is_read(engine: Engine) -> None:
    engine.write("a", *(turn(f"number {i}") for i in range(20)))
    engine.run()
    size = engine.append("a", turn("a zebra came by"))
    report = engine.run()
    assert (report.read, report.bytes_read) == (1, size)
    assert engine.places("zebra") == [("a", 21)]
    same_as_fresh(engine)


def test_a_torn_last_line_waits(engine: Engine) -> None:
    whole = line(turn("a zebra came by"))
    engine.write("a", turn("first"))
    engine.append_bytes("a", whole[:10])
    assert engine.run().skips == {"unfinished-line": 1}
    engine.append_bytes("a", whole[10:20])
    report = engine.run()
    assert (report.skips, report.bytes_read) == ({"unfinished-line": 1}, 0)
    engine.append_bytes("a", whole[20:])
    report = engine.run()
    assert (report.skips, report.bytes_read) == ({}, len(whole))
    assert engine.texts("a") == ["first", "a zebra came by"]


def test_a_turn_that_goes_on_is_one_turn(engine: Engine) -> None:
    engine.write("a", turn("alpha", native_id="n", role="assistant", time=NOON))
    engine.run()
    engine.append("a", turn("omega", native_id="n", role="assistant", time=NOON + DAY, more=True))
    engine.run()
    assert engine.texts("a") == ["alpha\n\nomega"]
    assert engine.places('"alpha omega"') == [("a", 1)]
    same_as_fresh(engine)


def test_a_turn_that_is_written_again_before_it_goes_on_loses_nothing(engine: Engine) -> None:
    first = turn("first", native_id="m")
    engine.write("a", first)
    engine.run()
    engine.append("a", first, turn("second", native_id="m", more=True))
    engine.run()
    assert engine.texts("a") == ["first\n\nsecond"]
    check(engine)
    assert engine.contents() == engine.fresh().contents()


def test_a_shortened_file_is_read_again(engine: Engine) -> None:
    engine.write("a", turn("zebra"), turn("quokka"))
    engine.run()
    engine.write("a", turn("zebra"))
    assert engine.run().turns == 1
    assert engine.places("quokka") == []
    same_as_fresh(engine)


def test_an_emptied_file_is_an_empty_session(engine: Engine) -> None:
    engine.write("a", ["facts", {"title": "Zebras", "title_rank": 4}], turn("zebra"))
    engine.run()
    engine.write("a")
    report = engine.run()
    assert (report.sessions, report.turns) == (0, 0)
    assert engine.rows("SELECT * FROM sessions") == []


def test_a_rewrite_in_place_is_read_again(engine: Engine) -> None:
    engine.write("a", *(turn(f"before {i}") for i in range(10)))
    engine.run()
    engine.write("a", *(turn(f"after {i} with more") for i in range(20)))
    engine.run()
    assert engine.places("before") == []
    assert len(engine.places("after")) == 20
    same_as_fresh(engine)


def test_an_edit_that_keeps_size_and_both_ends_is_seen_when_nothing_was_added(engine: Engine) -> None:
    filler = [turn("x" * 200) for _ in range(40)]
    engine.write("a", *filler, turn("zebra"), *filler)
    engine.run()
    engine.write("a", *filler, turn("okapi"), *filler)
    engine.run()
    assert (engine.places("zebra"), len(engine.places("okapi"))) == ([], 1)


def test_a_file_replaced_by_itself_and_more_is_read_on(engine: Engine) -> None:
    path = engine.write("a", turn("one"), turn("two"))
    engine.run()
    more = line(turn("three"))
    engine.replace("a", path.read_bytes() + more)
    assert engine.run().bytes_read == len(more)
    same_as_fresh(engine)


def test_a_file_replaced_with_an_edit_in_the_middle_is_read_again(engine: Engine) -> None:
    filler = [turn("x" * 200) for _ in range(40)]
    path = engine.write("a", *filler, turn("zebra"), *filler)
    engine.run()
    engine.replace("a", path.read_bytes().replace(b"zebra", b"okapi") + line(turn("more")))
    assert engine.run().bytes_read == path.stat().st_size
    assert (engine.places("zebra"), len(engine.places("okapi"))) == ([], 1)
    same_as_fresh(engine)


def test_a_file_copied_away_emptied_and_grown_beyond_its_size_is_read_again(engine: Engine) -> None:
    path = engine.write("a", turn("zebra"), turn("two"))
    engine.run()
    shutil.copy(path, engine.root / "a.bak")
    engine.write("a", *(turn(f"okapi {i}") for i in range(9)))
    engine.run()
    assert (engine.places("zebra"), len(engine.places("okapi"))) == ([], 9)
    same_as_fresh(engine)


def test_a_touched_file_is_known_again(engine: Engine) -> None:
    engine.write("a", turn("one"))
    engine.run()
    engine.touch("a")
    assert (engine.run().bytes_read, engine.run().unchanged) == (0, 1)


def test_a_store_can_ask_for_the_whole_file(engine: Engine) -> None:
    engine.write("a", turn("one"), turn("two"))
    engine.run()
    engine.append("a", turn("three"), ["fail", "reread"])
    report = engine.run()  # it asks again while reading the whole, which no store should
    assert report.quarantined == 1
    assert engine.texts("a") == ["one", "two"]


# ---- sessions over several files ----


def test_a_session_may_lie_in_several_files(engine: Engine) -> None:
    engine.write("a.1", turn("first", time=NOON), ["facts", {"model": "old", "title": "Zebras", "title_rank": 3}])
    engine.write("a.2", turn("second", time=NOON + 60_000), ["facts", {"model": "new", "branch": "main"}])
    engine.run()
    assert engine.texts("a") == ["first", "second"]
    assert engine.rows("SELECT title, model, branch, turns FROM sessions") == [("Zebras", "new", "main", 2)]
    engine.append("a.1", turn("late", time=NOON + 120_000))
    engine.run()
    same_as_fresh(engine)


def test_a_moved_file_is_not_gone(engine: Engine) -> None:
    path = engine.write("old/a", turn("zebra", native_id="1"), turn("no id"))
    engine.write("b", turn("another"))
    engine.run()
    engine.path("new/a").parent.mkdir()
    path.rename(engine.path("new/a"))
    report = engine.run()
    assert (report.gone, report.sessions, report.turns) == (1, 2, 3)
    assert [hit.session.gone_at_source for hit in engine.search("zebra")] == [False]
    engine.append("new/a", turn("more"))
    engine.run()
    assert engine.texts("a") == ["zebra", "no id", "more"]


def test_a_copied_file_adds_nothing_and_stands_in_when_the_first_is_forgotten(engine: Engine) -> None:
    engine.retention = "forget"
    engine.write("a", turn("zebra", native_id="1"), turn("no id"))
    engine.write("b", turn("another"))
    shutil.copytree(engine.root, engine.root / "backup")
    engine.run()
    assert len(engine.places("zebra")) == 1
    engine.path("a").unlink()
    engine.run()
    assert engine.texts("a") == ["zebra", "no id"]
    same_as_fresh(engine)


def test_a_parent_that_is_known_by_name_alone_goes_with_its_last_child(engine: Engine) -> None:
    engine.write("a", ["facts", {"parent": "p"}], turn("one"))
    engine.write("b", ["facts", {"parent": "p"}], turn("two"))
    engine.run()
    engine.write("a", ["facts", {"parent": "q"}], turn("one"))
    engine.run()
    names = "SELECT native_id FROM sessions ORDER BY 1"
    assert engine.rows(names) == [("a",), ("b",), ("p",), ("q",)]
    engine.write("b", turn("two"))
    engine.run()
    assert engine.rows(names) == [("a",), ("b",), ("q",)]


def test_a_parent_that_two_files_named_goes_when_both_name_another(engine: Engine) -> None:
    for name in ("a.1", "a.2"):
        engine.write(name, turn("one"), ["facts", {"parent": "p"}])
    engine.run()
    for name in ("a.2", "a.1"):
        engine.append(name, ["facts", {"parent": "q"}], turn("two"), turn("three"), ["facts", {"parent": "r"}])
        engine.run(batches=3)
    engine.run()
    assert engine.rows("SELECT native_id FROM sessions ORDER BY 1") == [("a",), ("r",)]


def test_a_title_in_another_file_is_taken_whichever_is_read_first(engine: Engine) -> None:
    engine.write("titles", ["title", {"turn_id": "n", "title": "About zebras", "title_rank": 3}])
    engine.write("a", turn("striped horses?", native_id="n"))
    engine.run()
    assert engine.rows("SELECT title FROM sessions WHERE turns") == [("About zebras",)]
    engine.write("titles", ["title", {"turn_id": "n", "title": "About okapis", "title_rank": 3}])
    engine.run()
    assert engine.rows("SELECT title FROM sessions WHERE turns") == [("About okapis",)]
    engine.write("titles")
    engine.run()
    assert engine.rows("SELECT title FROM sessions WHERE turns") == [("striped horses?",)]


def test_of_titles_for_abandoned_turns_that_of_the_later_turn_wins(engine: Engine) -> None:
    titles = [["title", {"turn_id": name, "title": f"of {name}", "title_rank": 3}] for name in "xy"]
    taken_back = [turn("zebra", native_id="x"), turn("okapi", native_id="y"), ["undo", {"since": 0}]]
    engine.write("a", *taken_back, *titles, turn("ibex"))
    engine.run()
    assert engine.rows("SELECT title FROM sessions") == [("of y",)]


def test_what_was_taken_back_stays_as_an_abandoned_branch(engine: Engine) -> None:
    engine.write("a", turn("keep"), turn("zebra"))
    engine.run()
    engine.append("a", ["undo", {"since": len(line(turn("keep")))}], turn("instead"))
    engine.run()
    assert engine.texts("a") == ["keep", "instead"]
    assert engine.places("zebra") == []
    assert engine.places("zebra branch:any") == [("a", None)]
    same_as_fresh(engine)


# ---- gone, kept, forgotten ----


def test_a_vanished_file_is_kept_and_comes_back(engine: Engine) -> None:
    path = engine.write("a", turn("zebra"))
    engine.write("b", turn("two"))
    engine.run()
    content, status = path.read_bytes(), path.stat()
    path.unlink()
    assert engine.run().gone == 1
    assert engine.run().gone == 1
    assert [hit.session.gone_at_source for hit in engine.search("zebra")] == [True]
    path.write_bytes(content)
    os.utime(path, ns=(status.st_mtime_ns, status.st_mtime_ns))
    report = engine.run()
    assert (report.gone, report.bytes_read) == (0, 0)
    assert [hit.session.gone_at_source for hit in engine.search("zebra")] == [False]
    same_as_fresh(engine)


def test_a_file_that_comes_back_with_nothing_but_a_torn_line_more_is_there(engine: Engine) -> None:
    path = engine.write("a", turn("zebra"))
    engine.write("b", turn("two"))
    engine.run()
    content = path.read_bytes()
    path.unlink()
    engine.run()
    path.write_bytes(content + b'["tur')
    engine.run()
    assert [hit.session.gone_at_source for hit in engine.search("zebra")] == [False]


@pytest.mark.parametrize("how", ["emptied", "missing", "renamed"])
def test_an_empty_root_is_never_taken_for_deletion(engine: Engine, how: str) -> None:
    engine.retention = "forget"
    engine.write("a", turn("zebra"))
    engine.write("b", turn("two"))
    engine.run()
    shutil.rmtree(engine.root)
    if how == "emptied":
        engine.root.mkdir()
    if how == "renamed":
        engine.root.mkdir()
        (engine.root / "README").write_text("moved")
    report = engine.run()
    assert (report.gone, report.sessions) == (0, 2)
    assert [hit.session.gone_at_source for hit in engine.search("zebra")] == [False]


def test_one_of_two_roots_that_is_empty_is_not_taken_for_deletion(engine: Engine) -> None:
    drive = engine.place / "drive"
    drive.mkdir()
    (drive / "far.jsonl").write_bytes(line(turn("zebra")))
    engine.roots = (os.fspath(drive),)
    engine.write("near", turn("two"))
    assert engine.run().sessions == 2
    (drive / "far.jsonl").unlink()
    assert engine.run().gone == 0
    drive.rmdir()
    assert engine.run().gone == 0
    assert engine.places("zebra") == [("far", 1)]


def test_one_broken_root_does_not_keep_the_others_out(engine: Engine, tmp_path: Path) -> None:
    class Picky(Lines):
        def find(self, root: Path) -> Iterator[Path | SkipRecord]:
            if root.name == "bad":
                raise RuntimeError("no such thing")
            return super().find(root)

    (tmp_path / "bad").mkdir()
    engine.adapters = (Picky(), Lines("other"))
    engine.roots = (os.fspath(tmp_path / "bad"),)
    engine.write("a", turn("zebra"))
    report = engine.run()
    assert report.errors == {"lines": "RuntimeError", "other": "RuntimeError"} or "lines" in report.errors
    assert engine.places("zebra") == [("a", 1)]


def test_forgetting_drops_what_vanished_with_all_its_words(engine: Engine) -> None:
    engine.retention = "forget"
    engine.write("a", ["facts", {"title": "Secret zebra", "title_rank": 4, "parent": "p"}], turn("zebra"))
    engine.write("b", turn("two"))
    engine.run()
    engine.path("a").unlink()
    report = engine.run()
    assert (report.sessions, report.turns) == (1, 1)
    assert engine.places("zebra") == []
    assert engine.rows("SELECT native_id FROM sessions") == [("b",)]


def test_forgetting_waits_when_most_is_gone_at_once(engine: Engine) -> None:
    engine.retention = "forget"
    for name in "abcde":
        engine.write(name, turn(f"in {name}"))
    engine.run()
    for name in "abc":
        engine.path(name).unlink()
    report = engine.run()
    assert (report.gone, report.sessions) == (3, 5)


def test_turning_forgetting_on_forgets_what_was_kept(engine: Engine) -> None:
    for name in "abc":
        engine.write(name, turn(f"in {name}"))
    engine.run()
    engine.path("a").unlink()
    assert engine.run().sessions == 3
    engine.retention = "forget"
    assert engine.run().sessions == 2


def test_unticking_purges(engine: Engine) -> None:
    engine.adapters = (Lines(), Lines("other"))
    engine.write("a", ["facts", {"parent": "nobody"}], turn("zebra"), ["skip", {"reason": "odd", "example": "here"}])
    other = engine.home / ".other"
    other.mkdir()
    (other / "b.jsonl").write_bytes(line(turn("okapi")))
    assert engine.run().sessions == 2
    engine.ticked = ("other",)
    report = engine.run()
    assert (report.sessions, report.seen, report.skips) == (1, 1, {})
    assert (engine.places("zebra"), engine.places("okapi")) == ([], [("b", 1)])
    assert engine.rows("SELECT 1 FROM files, sessions WHERE files.source = 'lines' OR sessions.source = 'lines'") == []
    assert b"zebra" not in engine.store.path.read_bytes()


def test_only_the_named_sources_are_read(engine: Engine) -> None:
    engine.adapters = (Lines(), Lines("other"))
    engine.write("a", turn("zebra"))
    assert engine.run(only=["other"]).seen == 0
    assert engine.run(only=["lines"]).sessions == 1


# ---- again, by other rules ----


def test_a_rebuild_reads_everything_and_keeps_what_is_gone(engine: Engine) -> None:
    engine.write("a", turn("zebra"))
    engine.write("b", turn("two"))
    engine.run()
    engine.path("a").unlink()
    report = engine.run(rebuild=True)
    assert (report.read, report.bytes_read) == (1, engine.path("b").stat().st_size)
    assert engine.places("zebra") == [("a", 1)]
    assert engine.run().read == 0


def test_another_version_of_a_store_reads_its_files_again(engine: Engine) -> None:
    engine.adapters = (Lines(), Lines("other"))
    engine.write("a", turn("zebra"))
    (engine.home / ".other").mkdir()
    (engine.home / ".other" / "b.jsonl").write_bytes(line(turn("okapi")))
    engine.run()
    engine.adapters = (Lines(version=2), Lines("other"))
    report = engine.run()
    assert (report.read, report.unchanged, report.turns) == (1, 1, 2)
    assert engine.run().read == 0


def test_a_file_that_fails_under_a_new_version_is_read_whole_when_it_is_well_again(engine: Engine) -> None:
    path = engine.write("a", turn("zebra"), turn("two"))
    engine.run()
    good = path.read_bytes()
    engine.adapters = (Lines(version=2),)
    engine.append("a", ["fail", "broken"])
    assert engine.run().quarantined == 1
    assert engine.places("zebra") == [("a", 1)]
    path.write_bytes(good + line(turn("three")))
    engine.touch("a")
    assert engine.run().bytes_read == path.stat().st_size
    same_as_fresh(engine)


def test_other_rules_for_words_read_everything_again_while_the_old_rows_answer(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abc":
        engine.write(name, turn(f"zebra in {name}"))
    engine.run()
    engine.path("c").unlink()
    engine.run()
    monkeypatch.setitem(stores.VERSIONS, "tokenizer", 99)
    assert engine.run(batches=0).read == 0
    assert len(engine.places("zebra")) == 3
    assert engine.run().read == 2
    assert engine.run().read == 0
    assert len(engine.places("zebra")) == 3


def test_other_rules_for_text_reach_what_can_no_longer_be_read(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    token = "ghp_" + "".join(chr(97 + i * 7 % 26) + str(i * 3 % 10) for i in range(18))
    engine.write("a", ["facts", {"title": "about it", "title_rank": 4}], turn("zebra"))
    engine.write("b", turn("two"))
    engine.run()
    engine.path("a").unlink()
    engine.run()
    db = apsw.Connection(str(engine.store.path))  # as rules that did not know the token would have left it
    db.execute("UPDATE turns SET text = ?, size = ? WHERE text = 'zebra'", (f"zebra {token}", 6 + len(token)))
    db.execute("UPDATE facts SET title = ? WHERE title IS NOT NULL", (token,))
    db.close()
    monkeypatch.setitem(stores.VERSIONS, "redaction", 99)
    engine.run()
    assert "[redacted:" in engine.texts("a")[0]
    assert engine.rows("SELECT 1 FROM sessions WHERE title GLOB 'ghp_*'") == []
    assert engine.places("zebra") == [("a", 1)]


# ---- stopped, and gone on ----


def test_a_file_of_which_a_part_was_read_is_read_on(engine: Engine) -> None:
    path = engine.write("a", *(turn(f"number {i}") for i in range(30)))
    first = engine.run(batches=4)
    assert not first.finished
    assert 0 < first.turns < 30
    second = engine.run()
    assert second.turns == 30
    assert first.bytes_read + second.bytes_read == path.stat().st_size
    same_as_fresh(engine)


def test_the_newest_files_come_first(engine: Engine) -> None:
    for name in "abc":
        engine.write(name, turn(name))
    engine.run(batches=2)
    assert engine.rows("SELECT native_id FROM sessions") == [("c",)]


# ---- bad files ----


def test_a_store_that_crashes_costs_one_file(engine: Engine) -> None:
    engine.write("a", turn("okapi"))
    engine.write("b", *(turn(f"zebra {i}") for i in range(7)), ["fail", "crash"], turn("never"))
    engine.write("c", turn("quokka"))
    report = engine.run()
    assert (report.seen, report.read, report.quarantined, report.skips) == (3, 2, 1, {"adapter-error": 1})
    assert len(engine.places("zebra")) == 6  # up to the last checkpoint
    assert len(engine.places("okapi")) + len(engine.places("quokka")) == 2
    again = engine.run()
    assert (again.quarantined, again.bytes_read, again.skips) == (1, 0, {"adapter-error": 1})
    engine.write("b", *(turn(f"zebra {i}") for i in range(7)))
    report = engine.run()
    assert (report.quarantined, report.skips) == (0, {})
    same_as_fresh(engine)


def test_what_an_earlier_harkback_failed_on_is_tried_again_once(engine: Engine) -> None:
    engine.write("b", *(turn(f"zebra {i}") for i in range(7)), ["fail", "crash"])  # so many that some are read first
    engine.run()
    assert engine.run().bytes_read == 0
    with engine.store.write() as db:
        db.run("UPDATE meta SET value = '0.0.1' WHERE key = 'program'")
    assert engine.run().bytes_read > 0
    assert engine.run().bytes_read == 0


def test_a_rewritten_file_that_fails_keeps_its_old_rows(engine: Engine) -> None:
    engine.write("a", *(turn(f"zebra {i}") for i in range(9)))
    engine.run()
    engine.write("a", *(turn(f"okapi {i}") for i in range(9)), ["fail", "broken"])
    assert engine.run().skips == {"broken": 1}
    assert (len(engine.places("zebra")), engine.places("okapi")) == (9, [])


def test_what_the_index_cannot_take_costs_one_file(engine: Engine) -> None:
    engine.write("a", turn("okapi"))
    engine.write("b", turn("zebra", role="system"))
    engine.write("c", turn("quokka", order=2**70))
    engine.write("d", turn("wombat"))
    report = engine.run()
    assert (report.read, report.quarantined, report.sessions) == (2, 2, 2)
    assert engine.run().quarantined == 2


def test_skips_are_counted_once(engine: Engine) -> None:
    engine.write("a", turn("one"), ["skip", {"reason": "odd", "example": "here", "count": 2}])
    engine.append_bytes("a", b"nonsense\n")
    assert engine.run().skips == {"not-json": 1, "odd": 2}
    engine.append("a", ["fail", "broken"])
    assert engine.run().skips == {"broken": 1, "not-json": 1, "odd": 2}
    engine.write("a", turn("one"), ["skip", {"reason": "odd", "example": "here"}])
    assert engine.run().skips == {"odd": 1}


def test_what_is_no_file_is_set_aside(engine: Engine) -> None:
    os.mkfifo(engine.path("pipe"))
    engine.path("link").symlink_to(engine.write("a", turn("one")))
    report = engine.run()
    assert (report.seen, report.read, report.quarantined) == (3, 1, 2)


def test_an_unreadable_file_is_tried_again(engine: Engine) -> None:
    path = engine.write("a", turn("zebra"))
    engine.write("b", turn("two"))
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("root reads everything")
    report = engine.run()
    assert (report.quarantined, report.skips, report.sessions) == (1, {"no-permission": 1}, 1)
    path.chmod(0o600)
    assert engine.run().skips == {}
    assert engine.places("zebra") == [("a", 1)]


def test_what_lies_in_an_unreadable_folder_is_not_gone(engine: Engine) -> None:
    engine.write("sub/a", turn("zebra"))
    engine.write("b", turn("two"))
    engine.write("c", turn("three"))
    engine.run()
    (engine.root / "sub").chmod(0)
    if os.access(engine.root / "sub", os.R_OK):
        pytest.skip("root reads everything")
    engine.path("b").unlink()
    report = engine.run()
    (engine.root / "sub").chmod(0o700)
    assert (report.gone, report.skips) == (1, {"unreadable-folder": 1})


def test_names_that_are_no_text_are_taken(engine: Engine) -> None:
    path = Path(os.fsdecode(os.fsencode(engine.root) + b"/z\xff\nebra.jsonl"))
    path.write_bytes(line(["turn", {"text": "zebra", "session": "s"}]))
    assert engine.run().sessions == 1
    engine.limits = Limits("everything", turns_total=1)
    engine.write("newer", turn("one"))
    assert engine.run().left_out["total"] == 1


def test_a_file_that_vanishes_while_it_is_read_is_nothing(engine: Engine) -> None:
    class Hasty(Lines):
        def find(self, root: Path) -> Iterator[Path | SkipRecord]:
            found = list(super().find(root))
            yield from found
            for path in found:
                if isinstance(path, Path) and path.stem == "b":
                    path.unlink()

    engine.adapters = (Hasty(),)
    engine.write("a", turn("one"))
    engine.write("b", turn("two"))
    report = engine.run()
    assert (report.seen, report.read, report.quarantined) == (1, 1, 0)


# ---- limits ----


def recent(**fields: int) -> Limits:
    return Limits("everything", **fields)


def test_a_limit_keeps_the_newest_turns_of_a_source(engine: Engine) -> None:
    for name in "abcd":  # d is the newest
        engine.write(name, *(turn(f"{name}{i}") for i in range(10)))
    engine.limits = recent(turns_per_source=25)
    report = engine.run()
    assert (report.turns, report.left_out) == (25, {"window": 0, "per_source": 2, "total": 0, "per_file": 0})
    assert engine.texts("b") == [f"b{i}" for i in range(5, 10)]
    assert engine.run().bytes_read == 0
    engine.append("a", turn("a10"))  # now a is the newest, and what is the oldest makes room for it
    report = engine.run()
    assert (report.turns, report.left_out["per_source"]) == (25, 2)
    assert [len(engine.texts(name)) for name in "abcd"] == [11, 0, 4, 10]
    same_as_fresh(engine)
    engine.limits = recent(turns_per_source=41)
    assert (report := engine.run()).turns == 41
    assert report.left_out["per_source"] == 0
    same_as_fresh(engine)


def test_a_narrower_limit_drops_the_oldest(engine: Engine) -> None:
    for name in "abcd":
        engine.write(name, *(turn(f"{name}{i}") for i in range(10)))
    engine.run()
    engine.limits = recent(turns_total=15)
    report = engine.run()
    assert (report.turns, report.left_out["total"], report.bytes_read) == (15, 3, 0)
    same_as_fresh(engine)


def test_the_total_is_of_all_sources(engine: Engine) -> None:
    engine.adapters = (Lines(), Lines("other"))
    engine.write("a", *(turn(f"a{i}") for i in range(10)))
    other = engine.home / ".other"
    other.mkdir()
    (other / "b.jsonl").write_bytes(b"".join(line(turn(f"b{i}")) for i in range(10)))
    os.utime(other / "b.jsonl", (1_000_000_000, 1_000_000_000))
    engine.limits = recent(turns_total=12)
    report = engine.run()
    assert (report.turns, report.left_out["total"], report.left_out["per_source"]) == (12, 1, 0)


def test_room_that_becomes_free_is_used(engine: Engine) -> None:
    for name in "abc":
        engine.write(name, *(turn(f"{name}{i}") for i in range(10)))
    engine.limits = recent(turns_total=15)
    engine.run()
    engine.write("c", turn("short"))
    report = engine.run()
    assert report.turns == 15
    assert [len(engine.texts(name)) for name in "abc"] == [4, 10, 1]
    same_as_fresh(engine)


def test_the_window_is_of_turns_and_a_wider_one_reads_what_was_left_out(engine: Engine) -> None:
    days = [200, 100, 50, 1]
    engine.write("a", *(turn(f"{day} days", time=_now() - day * DAY) for day in days))
    old = engine.write("b", turn("very old", time=_now() - 300 * DAY))
    os.utime(engine.path("a"), ns=(_now() * 10**6,) * 2)
    os.utime(old, ns=((_now() - 300 * DAY) * 10**6,) * 2)
    engine.limits = recent(window_days=90)
    report = engine.run()
    assert (engine.texts("a"), report.left_out["window"]) == (["50 days", "1 days"], 2)
    assert engine.run().bytes_read == 0
    engine.limits = recent(window_days=150)
    report = engine.run()
    assert (len(engine.texts("a")), report.left_out["window"]) == (3, 2)
    engine.limits = recent()
    report = engine.run()
    assert (len(engine.texts("a")), len(engine.texts("b")), report.left_out["window"]) == (4, 1, 0)


def test_a_file_with_very_much_text_keeps_its_newest(engine: Engine) -> None:
    engine.limits = recent(megabytes_per_file=1)
    engine.write("a", *(turn(f"{i} " + "word " * 50_000) for i in range(8)), turn("the end"))
    report = engine.run()
    assert report.left_out["per_file"] == 1
    kept = engine.texts("a")
    assert kept[-1] == "the end"
    assert len(kept) == 5
    engine.limits = recent(megabytes_per_file=4)
    report = engine.run()
    assert (len(engine.texts("a")), report.left_out["per_file"]) == (9, 0)


def _now() -> int:
    return int(time.time() * 1000)


# ---- whatever happens ----

NAMES = ("a", "b", "sub/c", "a.2")
WORDS = ("zebra", "okapi", "quokka 熊猫", "数据库迁移", "wombat\n\n```\ncode\n```")
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
ids = st.none() | st.sampled_from("xyz")


@st.composite
def records(draw: st.DrawFn) -> object:
    kind = draw(st.sampled_from(("turn", "turn", "turn", "turn", "facts", "title", "undo", "skip")))
    if kind == "turn":
        times = st.none() | st.integers(0, 3).map(lambda days: NOON + days * DAY)
        role = draw(st.sampled_from(("user", "assistant")))
        made = turn(draw(texts), role=role, time=draw(times), native_id=draw(ids), parent_id=draw(ids))
        made[1]["more"] = made[1]["native_id"] is not None and draw(st.booleans())
        return made
    if kind == "facts":
        names = st.none() | st.sampled_from(("one", "two"))
        facts = {key: draw(names) for key in ("title", "project", "branch", "model", "parent")}
        return [
            kind,
            facts
            | {
                "leaf": draw(ids),
                "title_rank": draw(st.integers(1, 4)),
                "kind": draw(st.sampled_from((None, "subagent"))),
            },
        ]
    if kind == "title":
        return [kind, {"turn_id": draw(st.sampled_from("xyz")), "title": draw(texts), "title_rank": 3}]
    if kind == "undo":
        return [kind, {"since": draw(st.integers(0, 400))}]
    return [kind, {"reason": "odd", "example": "here"}]


contents = st.lists(records(), max_size=8)


class AnythingHappens(RuleBasedStateMachine):
    """Files change in every way, the source is unticked, sessions are forgotten, whoever indexes is killed.

    In the end the index is as a fresh one that knows what was forgotten, but for sessions whose files are gone.
    """

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.engine = Engine(Path(self.folder.name))
        self.engine.write("always", turn("here"))
        self.forgotten: set[str] = set()

    def there(self, name: str) -> bool:
        return self.engine.path(name).exists()

    # ---- files ----

    @rule(name=st.sampled_from(NAMES), content=contents)
    def write(self, name: str, content: list[object]) -> None:
        self.engine.write(name, *content)

    @rule(name=st.sampled_from(NAMES), content=contents, torn=st.booleans())
    def append(self, name: str, content: list[object], torn: bool) -> None:
        if self.there(name):
            more = b"".join(map(line, content))
            self.engine.append_bytes(name, more[:-5] if torn else more)

    @rule(name=st.sampled_from(NAMES), share=st.floats(0, 1))
    def truncate(self, name: str, share: float) -> None:
        if self.there(name):
            path = self.engine.path(name)
            os.truncate(path, int(path.stat().st_size * share))
            self.engine.touch(name)

    @rule(name=st.sampled_from(NAMES), content=contents)
    def replace(self, name: str, content: list[object]) -> None:
        if self.there(name):
            self.engine.replace(name, self.engine.path(name).read_bytes() + b"".join(map(line, content)))

    @rule(name=st.sampled_from(NAMES), other=st.sampled_from(NAMES))
    def copy(self, name: str, other: str) -> None:
        if self.there(name) and name != other:
            self.engine.path(other).parent.mkdir(exist_ok=True)
            shutil.copy(self.engine.path(name), self.engine.path(other))
            self.engine.touch(other)

    @rule(name=st.sampled_from(NAMES), other=st.sampled_from(NAMES), content=contents)
    def rotate(self, name: str, other: str, content: list[object]) -> None:
        if self.there(name) and name != other:
            self.engine.path(other).parent.mkdir(exist_ok=True)
            self.engine.path(name).replace(self.engine.path(other))
            self.engine.write(name, *content)

    @rule(name=st.sampled_from(NAMES))
    def delete(self, name: str) -> None:
        self.engine.path(name).unlink(missing_ok=True)

    # ---- what harkback does ----

    @rule(batches=st.integers(0, 12))
    def stop_early(self, batches: int) -> None:
        self.engine.run(batches=batches)
        check(self.engine)

    @rule()
    def reconcile(self) -> None:
        self.engine.run()
        check(self.engine)

    @rule()
    def untick(self) -> None:
        self.engine.ticked = ()
        self.engine.run()
        check(self.engine)
        self.engine.ticked = None
        assert self.engine.contents() == {}

    @rule(session=st.sampled_from(("a", "b", "c")))
    def forget_session(self, session: str) -> None:
        self.forget(Request(session=f"lines:{session}"))

    @rule(project=st.sampled_from(("one", "two")))
    def forget_project(self, project: str) -> None:
        self.forget(Request(project=project))

    @rule(step=st.integers(1, 300))
    def kill_indexing(self, step: int) -> None:
        killed_at(step, self.engine.run)
        if self.engine.indexed():
            check(self.engine)

    @rule(step=st.integers(1, 120), session=st.sampled_from(("a", "b", "c")))
    def kill_forgetting(self, step: int, session: str) -> None:
        request = Request(session=f"lines:{session}")
        killed_at(step, lambda: forget(self.engine.store, request))
        if self.engine.indexed():
            check(self.engine)
        self.forget(request)

    def forget(self, request: Request) -> None:
        """In full; what was half forgotten before may be gone already."""
        if not self.engine.indexed():
            return
        try:
            with closing(self.engine.store.read()) as db:
                find = "SELECT native_id FROM sessions WHERE id = ?"
                names = {db.value(find, row) for row in plan(db, request).rows}
        except NotFound:
            return
        assert forget(self.engine.store, request).remains.files == ()
        check(self.engine)
        self.forgotten |= names
        assert not self.forgotten & self.sessions()

    def sessions(self) -> set[str]:
        return {key.removeprefix("lines:") for key in self.engine.contents()}

    # ---- the model ----

    def teardown(self) -> None:
        engine = self.engine
        engine.run()
        check(engine)
        assert not self.forgotten & self.sessions()
        with closing(engine.store.read()) as db:
            known = hashes(db)
        fresh = self.fresh(known)
        check(fresh)
        files = [row[0] for row in engine.rows("SELECT id, path FROM files") if not Path(os.fsdecode(row[1])).exists()]
        gone = {
            row[0]
            for file in files
            for row in engine.rows(
                """SELECT source || ':' || native_id FROM sessions WHERE id IN (
                     SELECT session FROM turns WHERE file = ?1 UNION SELECT session FROM facts WHERE file = ?1
                     UNION SELECT t.session FROM turns t JOIN titles ON titles.turn_id = t.native_id
                           WHERE titles.file = ?1)""",
                file,
            )
        }
        assert engine.contents(gone.__contains__) == fresh.contents(gone.__contains__)
        if not gone:
            if not known:
                assert engine.run().skips == fresh.run().skips
            for word in ("zebra", "熊猫", '"quokka 熊猫 zebra"'):
                assert sorted(engine.places(word), key=repr) == sorted(fresh.places(word), key=repr)
        self.folder.cleanup()

    def fresh(self, known: set[bytes]) -> Engine:
        """The same home indexed from nothing but what was forgotten."""
        other = replace(self.engine)
        other.store = Store(self.engine.place / "fresh")
        with other.store.write() as db, db.transaction():
            bury(db, known)
        other.run()
        return other


def killed_at(step: int, do: Callable[[], object]) -> None:
    """Do something in a child that is killed when it is about to give SQLite its statement number `step`."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    seen = itertools.count(1)

    def trace(cursor: object, sql: str, values: object) -> bool:
        if next(seen) == step:
            os.kill(os.getpid(), signal.SIGKILL)
        return True

    def watch(connection: apsw.Connection) -> None:
        connection.exec_trace = trace  # type: ignore[assignment]

    try:
        apsw.connection_hooks.append(watch)
        do()
    finally:
        os._exit(0)


TestAnythingHappens = AnythingHappens.TestCase
TestAnythingHappens.settings = settings(max_examples=25, stateful_step_count=15, deadline=None)
