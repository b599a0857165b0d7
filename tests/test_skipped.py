"""What is not in the index, as the index itself tells it: counts, places, reasons."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from engine import DAY, NOON, Engine, Lines, line, turn
from harkback.core.config import Limits
from harkback.core.ledger import anything_skipped
from harkback.core.model import SkipRecord
from harkback.core.skipped import MOST_LISTED, Skipped, skipped


def look(engine: Engine) -> Skipped:
    db = engine.store.read()
    try:
        found = skipped(db)
        assert anything_skipped(db) == bool(
            found.left_out or found.failed or found.folders or found.files or found.records
        )
        return found
    finally:
        db.close()


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return Engine(tmp_path)


def test_where_all_could_be_read_there_is_nothing_to_tell(engine: Engine) -> None:
    engine.write("a", turn("one"))
    engine.run()
    assert not look(engine)
    assert look(engine) == Skipped()


def test_what_is_skipped_inside_files_is_counted_by_reason_with_one_place(engine: Engine) -> None:
    first = engine.write("a", turn("one"))
    engine.append_bytes("a", b"no json\nnone either\n" + line(turn("two")))
    engine.write("b", ["skip", {"reason": "unknown-type", "example": "odd at byte 0"}])
    engine.append_bytes("b", b"not here\n")
    engine.run()
    frequent, rare = look(engine).records
    assert (frequent.source, frequent.reason, frequent.count, frequent.files) == ("lines", "not-json", 3, 2)
    assert (frequent.path, frequent.example) == (os.fspath(first), f"byte {len(line(turn('one')))}")
    assert (rare.reason, rare.count, rare.files, rare.example) == ("unknown-type", 1, 1, "odd at byte 0")


def test_an_unreadable_file_is_listed_with_its_reason_and_what_is_kept_of_it(engine: Engine) -> None:
    engine.write("a", turn("one"), turn("two"))
    engine.write("b", turn("three"))
    engine.run()
    path = engine.write("a", ["fail", "not-jsonl"])
    engine.run()
    found = look(engine)
    assert [(file.path, file.reason, file.turns) for file in found.files] == [(os.fspath(path), "not-jsonl", 2)]
    assert found.files_in_all == 1
    assert not found.records
    engine.write("a", turn("well again"))
    engine.run()
    assert not look(engine)


def test_of_very_many_unreadable_files_the_first_are_listed_and_all_are_counted(engine: Engine) -> None:
    for number in range(MOST_LISTED + 3):
        engine.write(f"f{number:03}", ["fail", "zstd"])
    engine.run()
    found = look(engine)
    assert len(found.files) == MOST_LISTED
    assert found.files_in_all == MOST_LISTED + 3


def test_sessions_count_by_the_limit_that_left_them_out(engine: Engine) -> None:
    engine.write("old", turn("from long ago", time=NOON - 9_000 * DAY))
    os.utime(engine.path("old"), (1, 1))
    engine.write("long", *(turn(f"number {n}") for n in range(9)))
    engine.limits = Limits("everything", window_days=3_650, turns_per_source=4)
    engine.run()
    assert [(each.source, each.limit, each.sessions) for each in look(engine).left_out] == [
        ("lines", "window", 1),
        ("lines", "per_source", 1),
    ]
    engine.limits = Limits("everything")
    engine.run()
    assert not look(engine)


@dataclass(frozen=True)
class Walled(Lines):
    """A store two folders of which can't be listed, whoever asks."""

    def find(self, root: Path) -> Iterator[Path | SkipRecord]:
        yield from super().find(root)
        yield SkipRecord("unreadable-folder", f"{root}/first")
        yield SkipRecord("unreadable-folder", f"{root}/second")


def test_folders_that_cannot_be_listed_are_counted_with_the_first_ones_name(engine: Engine) -> None:
    engine.adapters = (Walled(),)
    engine.write("a", turn("one"))
    engine.run()
    (found,) = look(engine).folders
    assert (found.reason, found.count, found.example) == ("unreadable-folder", 2, f"{engine.root}/first")


def test_files_that_are_never_opened_are_counted_by_reason(engine: Engine) -> None:
    engine.write("a", turn("one"))
    first = engine.write("id_one", turn("a key"))
    engine.write("id_two", turn("another"))
    engine.run()
    found = look(engine)
    (excluded,) = found.excluded
    assert (excluded.reason, excluded.count, excluded.example) == ("secret-name", 2, os.fspath(first))
    assert found == Skipped(excluded=found.excluded)


def test_a_source_that_failed_as_a_whole_is_named(engine: Engine) -> None:
    class Broken(Lines):
        def roots(self, home: Path, environ: object) -> list[Path]:
            raise OSError

    engine.adapters = (Broken(),)
    engine.run()
    assert [(each.source, each.error) for each in look(engine).failed] == [("lines", "OSError")]


def test_sessions_gone_at_their_source_are_counted_and_are_no_fault(engine: Engine) -> None:
    engine.write("a", turn("one"))
    engine.write("b", turn("two"))
    engine.write("c", turn("three"))
    engine.run()
    engine.path("b").unlink()
    engine.run()
    found = look(engine)
    assert [(each.source, each.sessions) for each in found.gone] == [("lines", 1)]
    assert found == Skipped(gone=found.gone)


def test_a_name_that_is_no_text_and_one_with_escapes_are_harmless(engine: Engine) -> None:
    engine.write("a", turn("one"))
    for name in (b"\xff\xfe.jsonl", b"\x1b[31mred.jsonl"):
        Path(os.fsdecode(os.fsencode(engine.root) + b"/" + name)).write_bytes(line(["fail", "zstd"]))
    engine.run()
    for file in look(engine).files:
        file.path.encode()
        assert "\x1b" not in file.path
