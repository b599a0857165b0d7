"""More than half of a source gone at once: it is kept, and the person is asked."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from command_line import CommandLine
from engine import Engine, Lines, check, turn
from harkback.core import store as stores
from harkback.core.forget import forget
from harkback.core.forget_plan import Request
from harkback.core.held import Held, confirm, has_to_wait, questions, too_many_gone
from harkback.core.ledger import RENEWED
from hypothesis import given
from hypothesis import strategies as st
from ready_place import ReadySurroundings
from test_app import running, settled, status
from textual.widgets import Static


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """Ten files, all indexed."""
    engine = Engine(tmp_path)
    for number in range(10):
        engine.write(f"s{number}", turn(f"zebra {number}"))
    engine.run()
    yield engine
    check(engine)


def lose(engine: Engine, *numbers: int) -> None:
    """As when a folder is moved: the files can come back."""
    for number in numbers:
        path = engine.path(f"s{number}")
        path.rename(engine.home / path.name)


def bring_back(engine: Engine) -> None:
    for path in list(engine.home.glob("s*.jsonl")):
        path.rename(engine.root / path.name)


def asked(engine: Engine) -> list[tuple[str, int, int]]:
    db = engine.store.read()
    with closing(db):
        return [(each.source, each.missing, each.known) for each in questions(db)]


def agree(engine: Engine, source: str = "lines") -> list[Held]:
    with engine.store.write() as db:
        return confirm(db, source)


def gone(engine: Engine) -> int:
    return engine.rows("SELECT count(*) FROM sessions WHERE gone")[0][0]


@given(st.integers(0, 1000), st.integers(0, 1000))
def test_more_than_half_of_four_or_more_is_too_many(known: int, missing: int) -> None:
    assert too_many_gone(known, missing) == (known >= 4 and missing > known - missing)


@pytest.mark.parametrize("retention", ["keep", "forget"])
def test_more_than_half_gone_at_once_is_neither_marked_nor_forgotten_but_asked_about(
    engine: Engine, retention: str
) -> None:
    engine.retention = retention
    lose(engine, *range(6))
    report = engine.run()
    assert [(each.missing, each.known, each.place) for each in report.held] == [(6, 10, "")]
    assert report.held[0].example == os.fspath(engine.path("s0"))
    assert report.gone == 6
    assert len(engine.places("zebra")) == 10
    assert gone(engine) == 0
    assert engine.run().held == report.held, "the question stays as it was, with its time"


@pytest.mark.parametrize("retention", ["keep", "forget"])
def test_half_of_it_is_not_asked_about(engine: Engine, retention: str) -> None:
    engine.retention = retention
    lose(engine, *range(5))
    report = engine.run()
    assert report.held == []
    assert report.sessions == (10 if retention == "keep" else 5)
    assert gone(engine) == (5 if retention == "keep" else 0)


def test_what_comes_back_takes_the_question_back(engine: Engine) -> None:
    lose(engine, *range(6))
    engine.run()
    bring_back(engine)
    report = engine.run()
    assert (report.held, report.gone, report.bytes_read) == ([], 0, 0)
    assert asked(engine) == []


def test_new_files_are_no_answer(engine: Engine) -> None:
    engine.retention = "forget"
    lose(engine, *range(6))
    engine.run()
    for number in range(20, 60):
        engine.write(f"s{number}", turn("zebra"))
        engine.run()
    assert asked(engine) == [("lines", 6, 10)]
    assert len(engine.places("zebra")) == 50


@pytest.mark.parametrize("retention", ["keep", "forget"])
def test_when_the_person_agrees_they_are_gone(engine: Engine, retention: str) -> None:
    engine.retention = retention
    lose(engine, *range(6))
    engine.run()
    assert [each.missing for each in agree(engine)] == [6]
    assert asked(engine) == []
    report = engine.run()
    assert report.held == []
    assert report.sessions == (10 if retention == "keep" else 4)
    assert gone(engine) == (6 if retention == "keep" else 0)
    assert agree(engine) == []


def test_an_answer_holds_for_what_was_asked_and_no_more(engine: Engine) -> None:
    lose(engine, *range(6))
    engine.run()
    agree(engine)
    lose(engine, 7, 8)
    assert [(each.missing, each.known) for each in engine.run().held] == [(8, 10)]
    assert gone(engine) == 0


def test_files_that_went_one_by_one_are_not_asked_about(engine: Engine) -> None:
    for number in range(9):
        lose(engine, number)
        assert engine.run().held == []
    assert gone(engine) == 9


def test_an_empty_or_absent_root_is_no_deletion_and_no_question(engine: Engine) -> None:
    lose(engine, *range(10))
    assert engine.run().held == []
    shutil.rmtree(engine.root)
    assert engine.run().held == []
    assert (gone(engine), len(engine.places("zebra"))) == (0, 10)


def test_without_the_source_there_is_no_question(engine: Engine) -> None:
    engine.adapters = (Lines(), Lines("other"))
    lose(engine, *range(6))
    engine.run()
    engine.ticked = ("other",)
    assert engine.run().held == []


def test_what_is_forgotten_is_no_longer_asked_about(engine: Engine) -> None:
    lose(engine, *range(6))
    engine.run()
    forget(engine.store, Request(source="lines"))
    assert engine.run().held == []
    assert engine.places("zebra") == []


def test_newer_rules_for_secrets_reach_what_waits(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    lose(engine, *range(6))
    engine.run()
    monkeypatch.setitem(stores.VERSIONS, "redaction", 10_000)
    assert engine.run().held
    assert engine.rows("SELECT count(*) FROM files WHERE adapter_version = ?", RENEWED) == [(6,)]
    assert len(engine.places("zebra")) == 10


def test_each_place_has_a_question_of_its_own_and_is_read_again_for_the_answer(engine: Engine) -> None:
    place = os.fsencode(engine.path("s1"))
    with engine.store.write() as db:
        assert has_to_wait(db, "lines", 10, 6, "one", place=place)
        assert not has_to_wait(db, "lines", 10, 5, "one", place=b"/other\xff")
        assert has_to_wait(db, "lines", 100, 60, "two", place=b"/other\xff")
        assert [(each.place, each.known) for each in questions(db)] == [
            ("/other\udcff", 100), (os.fsdecode(place), 10)
        ]  # fmt: skip
    agree(engine)
    with engine.store.write() as db:
        assert not has_to_wait(db, "lines", 10, 6, "one", place=place)
    report = engine.run()
    assert (report.read, report.bytes_read) == (1, engine.path("s1").stat().st_size)


def test_a_damaged_index_does_not_answer_for_the_person(engine: Engine) -> None:
    engine.retention = "forget"
    lose(engine, *range(6))
    engine.run()
    damage = bytearray(engine.store.path.read_bytes())
    damage[100:108] = b"\xff" * 8
    engine.store.path.write_bytes(damage)
    for suffix in ("-wal", "-shm"):
        engine.store.path.with_name(engine.store.path.name + suffix).unlink(missing_ok=True)
    report = engine.run()
    assert "saved" in report.mended
    assert report.held
    assert len(engine.places("zebra")) == 10


# ---- on the command line ----


@pytest.fixture
def harkback(tmp_path: Path) -> CommandLine:
    """Five sessions of Claude Code, of which four have just gone."""
    home = tmp_path / "home"
    folder = home / ".claude" / "projects" / "-work"
    folder.mkdir(parents=True)
    for number in range(5):
        text = f'"role":"user","content":"zebra {number}"'
        time = '"timestamp":"2026-01-01T12:00:00Z"'
        record = f'{{"type":"user","uuid":"u{number}","sessionId":"s{number}",{time},"message":{{{text}}}}}\n'
        (folder / f"s{number}.jsonl").write_text(record)
    harkback = CommandLine(home)
    harkback("sources", "enable", "claude")
    harkback("config", "set", "limits.preset", "everything")
    assert harkback("index").code == 0
    for number in range(4):
        (folder / f"s{number}.jsonl").unlink()
    return harkback


def test_the_question_is_asked_wherever_somebody_looks(harkback: CommandLine) -> None:
    sentence = "4 of 5 files of Claude Code are gone at once; what was indexed of them stays"
    indexed = harkback("index")
    assert indexed.code == 0
    assert sentence in indexed.err
    assert "harkback sources confirm claude" in indexed.err
    for command in ("status", "sources"):
        said = harkback(command).out
        assert sentence in said
        assert "-work/s0.jsonl" in said
        assert "harkback sources confirm claude" in said
    assert "4 of 5 files are gone at once" in harkback("doctor").out
    assert "harkback sources confirm claude" in harkback("doctor").out
    (held,) = harkback("index", "--json").json["held"]
    assert (held["source"], held["place"], held["missing"], held["known"]) == ("claude", None, 4, 5)
    assert held["example"].endswith("s0.jsonl")
    assert harkback("status", "--json").json["held"] == [held]
    (row,) = (row for row in harkback("sources", "--json").json["sources"] if row["name"] == "claude")
    assert row["held"] == [held]
    found = harkback("search", "zebra", "--json").json
    assert found["total"] == 5
    assert not any(hit["gone_at_source"] for hit in found["hits"])


@pytest.mark.parametrize("retention", ["keep", "forget"])
def test_one_command_answers_it(harkback: CommandLine, retention: str) -> None:
    harkback("config", "set", "retention.when_source_vanishes", retention)
    harkback("index")
    answered = harkback("sources", "confirm", "claude")
    assert answered.code == 0
    assert "4 of claude" in answered.out
    assert harkback("status", "--json").json["held"] == []
    hits = harkback("search", "zebra", "--json").json["hits"]
    assert len(hits) == (5 if retention == "keep" else 1)
    assert sum(hit["gone_at_source"] for hit in hits) == (4 if retention == "keep" else 0)
    again = harkback("sources", "confirm", "claude")
    assert (again.code, "nothing is asked" in again.out) == (1, True)
    assert harkback("sources", "confirm", "nonsense").code == 2


# ---- in the app ----


async def test_the_app_asks_in_its_bottom_line_and_on_f3(harkback: CommandLine) -> None:
    place = ReadySurroundings(harkback.folder, harkback.home, harkback.environ)
    async with running(place) as pilot:
        assert "4 of 5 files of Claude Code are gone at once (f3)" in status(pilot)
        await pilot.press("f3")
        await settled(pilot)
        page = "\n".join(str(each.render()) for each in pilot.app.screen.query(Static))
        assert page.startswith("Gone at once, and kept until you say that it is meant")
        assert "4 of 5 files of Claude Code are gone at once; what was indexed of them stays" in page
        assert "s0.jsonl" in page
        assert "harkback sources confirm claude" in page
    place.confirm("claude")
    async with running(place) as pilot:
        assert "gone at once" not in status(pilot)
