"""What the person deleted in an agent goes from the index, stays out, and comes back when that is taken back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from engine import NOON, Engine, check, turn
from harkback.core.deleting import entries_gone
from harkback.core.held import confirm
from harkback.core.model import ListRecord
from harkback.core.why import why_session


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = Engine(tmp_path / "engine")
    engine.write("a", ["facts", {"title": "About zebras", "title_rank": 4}], turn("zebra"), turn("okapi"))
    engine.write("b", turn("quokka"))
    yield engine
    check(engine)


def same_as_fresh(engine: Engine) -> None:
    assert engine.contents() == engine.fresh().contents()


def marks(name: str, *sessions: str, deleted: Any = True) -> list[list[Any]]:
    return [["facts", {"session": each, "deleted": deleted}] for each in sessions]


def listed(**entries: str) -> list[Any]:
    return ["list", {"entries": list(entries.items())}]


def names(engine: Engine) -> list[str]:
    return sorted(row[0] for row in engine.rows("SELECT native_id FROM sessions WHERE turns"))


def test_a_marker_in_another_file_drops_a_session_whole(engine: Engine) -> None:
    engine.write("a.2", turn("wombat", time=NOON))
    engine.run()
    assert names(engine) == ["a", "b"]
    engine.write("marks", *marks("marks", "a"))
    report = engine.run()
    assert (names(engine), report.skips) == (["b"], {"deleted-at-source": 3})
    assert engine.places("zebra") == engine.places("wombat") == []
    assert engine.rows("SELECT title FROM sessions UNION ALL SELECT title FROM facts WHERE title IS NOT NULL") == [
        ("quokka",)
    ]
    same_as_fresh(engine)


def test_what_is_added_later_stays_out(engine: Engine) -> None:
    engine.write("marks", *marks("marks", "a"))
    engine.run()
    engine.append("a", turn("wombat"))
    engine.write("a.2", turn("numbat"))
    report = engine.run()
    assert (names(engine), report.skips) == (["b"], {"deleted-at-source": 3})
    assert engine.run().read == 0
    same_as_fresh(engine)


@pytest.mark.parametrize("how", ["rewritten", "said", "removed from the file"])
def test_what_is_no_longer_deleted_comes_back_in_one_pass(engine: Engine, how: str) -> None:
    engine.write("marks", *marks("marks", "a"), turn("also here"))
    engine.run()
    engine.append("a", turn("wombat"))
    engine.run()
    assert names(engine) == ["b", "marks"]
    if how == "rewritten":
        engine.write("marks", *marks("marks", "a", deleted=False), turn("also here"))
    elif how == "said":
        engine.append("marks", *marks("marks", "a", deleted=False))
    else:
        engine.write("marks", turn("also here"))
    report = engine.run()
    assert (names(engine), report.skips) == (["a", "b", "marks"], {})
    assert engine.texts("a") == ["zebra", "okapi", "wombat"]
    same_as_fresh(engine)


def test_a_file_that_changes_in_the_pass_that_takes_it_back_is_whole(engine: Engine) -> None:
    engine.write("marks", *marks("marks", "a"))
    engine.run()
    engine.write("marks", *marks("marks", "a", deleted=False))
    engine.append("a", *(turn(f"wombat {n}") for n in range(9)))
    engine.run()
    assert len(engine.texts("a")) == 11
    same_as_fresh(engine)


@pytest.mark.parametrize("batches", range(1, 12))
def test_stopped_at_any_point_it_all_comes_back(engine: Engine, batches: int) -> None:
    engine.write("marks", *marks("marks", "a"))
    engine.run()
    engine.append("a", *(turn(f"wombat {n}") for n in range(9)))
    engine.write("marks", *marks("marks", "a", deleted=False))
    engine.run(batches=batches)
    check(engine)
    engine.run()
    same_as_fresh(engine)


def test_a_file_that_says_so_again_and_again_changes_nothing(engine: Engine) -> None:
    engine.write("marks", *marks("marks", "a"))
    engine.run()
    for _ in range(2):
        engine.write("marks", ["skip", {"reason": "odd", "example": "here"}], *marks("marks", "a"))
        report = engine.run()
        assert (report.read, names(engine)) == (1, ["b"])


def test_sub_agents_go_with_it_and_forks_stay(engine: Engine) -> None:
    engine.write("agent", ["facts", {"parent": "a", "kind": "subagent"}], turn("wombat"))
    engine.write("deeper", ["facts", {"parent": "agent", "kind": "subagent"}], turn("numbat"))
    engine.write("fork", ["facts", {"parent": "a"}], turn("ibex"))
    engine.run()
    engine.write("marks", *marks("marks", "a"))
    engine.run()
    assert names(engine) == ["b", "fork"]
    engine.append("agent", turn("more"))
    engine.append("deeper", turn("more"))
    engine.write("late", ["facts", {"parent": "agent", "kind": "subagent"}], turn("late"))
    engine.run()
    assert names(engine) == ["b", "fork"]
    same_as_fresh(engine)
    engine.write("marks", *marks("marks", "a", deleted=False))
    engine.run()
    engine.run()
    assert names(engine) == ["a", "agent", "b", "deeper", "fork", "late"]
    same_as_fresh(engine)


def test_the_marker_of_a_file_that_is_gone_still_counts(engine: Engine) -> None:
    engine.retention = "forget"
    engine.write("marks", *marks("marks", "a"))
    engine.run()
    engine.path("marks").unlink()
    engine.run()
    engine.append("a", turn("wombat"))
    engine.run()
    assert names(engine) == ["b"]


def test_an_entry_that_leaves_its_list_takes_every_session_it_ever_named(engine: Engine) -> None:
    engine.write("list", listed(north="a", south="b"))
    engine.run()
    engine.write("c", turn("wombat"))
    engine.write("list", listed(north="c", south="b"))
    engine.run()
    assert names(engine) == ["a", "b", "c"]
    engine.write("list", listed(south="b"))
    report = engine.run()
    assert (names(engine), report.skips) == (["b"], {"deleted-at-source": 2})
    engine.write("list", listed(south="b", north="d"))
    engine.run()
    assert names(engine) == ["a", "b", "c"]


def test_a_session_that_another_entry_names_stays(engine: Engine) -> None:
    engine.write("list", listed(north="a", south="b", west="a"))
    engine.run()
    engine.write("list", listed(south="b", west="a"))
    engine.run()
    assert names(engine) == ["a", "b"]


@pytest.mark.parametrize("how", ["empty", "gone"])
def test_an_empty_list_or_one_that_is_gone_says_nothing(engine: Engine, how: str) -> None:
    engine.write("list", listed(north="a", south="b"))
    engine.run()
    engine.write("list", listed()) if how == "empty" else engine.path("list").unlink()
    engine.run()
    assert names(engine) == ["a", "b"]
    engine.write("list", listed(south="b"))
    engine.run()
    assert names(engine) == ["b"]


def test_a_list_that_loses_most_at_once_waits_for_the_persons_word(engine: Engine) -> None:
    for name in "cde":
        engine.write(name, turn(f"in {name}"))
    engine.write("list", listed(north="a", south="b", west="c", east="d", middle="e"))
    engine.run()
    engine.write("list", listed(north="a", south="b"))
    report = engine.run()
    assert len(names(engine)) == 5
    assert [(each.place, each.known, each.missing) for each in report.held] == [(str(engine.path("list")), 5, 3)]
    assert engine.run().held == report.held
    with engine.store.write() as db:
        confirm(db, "lines")
    report = engine.run()
    assert (names(engine), report.held, report.skips) == (["a", "b"], [], {"deleted-at-source": 3})


def test_a_list_that_has_its_entries_again_asks_no_more(engine: Engine) -> None:
    for name in "cde":
        engine.write(name, turn(f"in {name}"))
    engine.write("list", listed(north="a", south="b", west="c", east="d", middle="e"))
    engine.run()
    engine.write("list", listed(north="a", south="b"))
    assert engine.run().held
    engine.write("list", listed(north="a", south="b", west="c"))
    report = engine.run()
    assert (names(engine), report.held) == (["a", "b", "c"], [])


def test_what_is_gone_can_be_asked_for(engine: Engine) -> None:
    engine.write("list", listed(north="a", south="b"))
    engine.run()
    with engine.store.write() as db:
        (file,) = next(db.rows("SELECT id FROM files WHERE CAST(path AS TEXT) GLOB '*list.jsonl'"))
        assert entries_gone(db, file, ListRecord((("south", "b"),))) == (2, ["north"])
        assert entries_gone(db, file, ListRecord(())) == (2, [])


def test_why_says_who_deleted_it(engine: Engine) -> None:
    engine.write("marks", *marks("marks", "a"))
    engine.run()
    db = engine.store.read()
    answer = why_session(db, "lines:a", {"lines": True})
    db.close()
    assert (answer.state, [part.slug for part in answer.parts]) == ("deleted", ["deleted-at-source"])
