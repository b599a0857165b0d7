"""A damaged index: found out, read out for what only it holds, set aside, built anew."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest
from command_line import CommandLine, run_code
from engine import Engine, check, turn
from harkback.core import damage
from harkback.core.damage import is_damaged, is_suspected, suspect, when_set_aside
from harkback.core.packing import unpack
from harkback.core.store import DamagedIndex, Newer, NoIndex, Store, StoreError
from harkback.tui.demo import write_home

PAGE = 4_096
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return filled(tmp_path / "engine")


def filled(place: Path) -> Engine:
    """Sessions of which three are gone at their source."""
    engine = Engine(place)
    for name in ("gone1", "here1", "gone2", "here2", "gone3"):
        facts = ["facts", {"title": f"title of {name}", "title_rank": 3, "project": f"/src/{name}"}]
        words = (f"{name} says {number} " + "some more words " * 30 for number in range(12))
        engine.write(name, facts, *(turn(text, role="assistant", native_id=f"{name}-{text[:14]}") for text in words))
    engine.run()
    for number in (1, 2, 3):
        engine.path(f"gone{number}").unlink()
        engine.run()  # one by one: nobody is asked about that
    settle_log(engine)
    return engine


def settle_log(engine: Engine) -> None:
    """All of the index in one file, as after a clean end."""
    assert sorted(path.name for path in engine.store.home.iterdir()) == ["index.db", "index.lock"]


def hurt(engine: Engine, at: int, content: bytes) -> None:
    with engine.store.path.open("r+b") as file:
        file.seek(at)
        file.write(content)


def asides(engine: Engine) -> list[Path]:
    return sorted(path for path in engine.store.home.glob("index.db.damaged-*") if not path.name.endswith("-wal"))


def saved_turns(engine: Engine) -> int:
    texts = [unpack(row[0]) for row in engine.rows("SELECT text FROM turns WHERE number IS NOT NULL")]
    assert len(texts) == len(engine.places("says"))
    return sum(text.startswith("gone") for text in texts)


def here_turns(engine: Engine) -> int:
    return sum(name.startswith("here") for name, _ in engine.places("says"))


def random_bytes(number: int) -> bytes:
    return random.Random(number).randbytes(PAGE)


def hurt_unnoticed(engine: Engine) -> None:
    """Where only the full text is, which a pass does not read; a search has met it."""
    db = engine.store.read()
    (root,) = db.row("SELECT rootpage FROM sqlite_schema WHERE name = 'words_data'") or (0,)
    db.close()
    hurt(engine, (root - 1) * PAGE, random_bytes(1))
    suspect(engine.store.path)


HURTS: dict[str, Callable[[Engine], None]] = {
    "the full text": hurt_unnoticed,
    "a garbage header": lambda engine: hurt(engine, 0, random_bytes(2)[:100]),
    "a header of zeros": lambda engine: hurt(engine, 0, bytes(100)),
    "a first page of zeros": lambda engine: hurt(engine, 0, bytes(PAGE)),
}


@pytest.mark.parametrize("how", HURTS)
def test_what_only_the_index_holds_is_saved_and_the_rest_is_read_again(engine: Engine, how: str) -> None:
    before = engine.contents()
    HURTS[how](engine)
    hurt_bytes = engine.store.path.read_bytes()
    report = engine.run()
    assert "damaged" in report.mended
    assert "is kept as index.db.damaged-" in report.mended
    assert "could not be read" not in report.mended
    check(engine)
    assert saved_turns(engine) == 36
    assert here_turns(engine) == 24
    assert engine.contents() == before
    (aside,) = asides(engine)
    assert aside.read_bytes() == hurt_bytes
    assert not engine.run().mended


def test_each_page_in_turn_may_be_damaged(engine: Engine, tmp_path: Path) -> None:
    whole = engine.store.path.read_bytes()
    pages = len(whole) // PAGE
    assert pages > 40
    lost: dict[int, int] = {}
    for page in range(pages):
        for path in engine.store.home.iterdir():
            path.unlink()
        engine.store.path.write_bytes(whole)
        engine.store.path.chmod(0o600)
        hurt(engine, page * PAGE, random_bytes(page))
        report = engine.run(rebuild=True)
        check(engine)
        assert here_turns(engine) == 24
        if saved_turns(engine) < 36:
            lost[page] = 36 - saved_turns(engine)
            assert report.mended
    # A page of turns costs the turns in it; no other page costs any.
    assert all(lost_turns <= 10 for lost_turns in lost.values()), lost
    assert sum(lost.values()) <= 36


@pytest.mark.parametrize("kept", [0, 1, 100, 3_000, 5 * PAGE, 20 * PAGE, 40 * PAGE + 17])
def test_a_truncated_index_is_built_anew(engine: Engine, kept: int) -> None:
    os.truncate(engine.store.path, kept)
    engine.run()
    check(engine)
    assert here_turns(engine) == 24


@pytest.mark.parametrize("seed", range(6))
def test_random_bytes_all_over_it_are_survived(engine: Engine, seed: int) -> None:
    chance = random.Random(seed)
    size = engine.store.path.stat().st_size
    for _ in range(200):
        hurt(engine, chance.randrange(100, size), bytes([chance.randrange(256)]))
    engine.run(rebuild=True)
    check(engine)
    assert here_turns(engine) == 24


def test_an_index_of_nothing_but_rubbish_is_built_anew(engine: Engine) -> None:
    engine.store.path.write_bytes(b"no database" * 1_000)
    engine.run()
    check(engine)
    assert saved_turns(engine) == 0
    assert here_turns(engine) == 24


def test_a_changed_text_is_not_taken_for_what_was_said(engine: Engine) -> None:
    content = engine.store.path.read_bytes()
    at = content.index(b"gone2 says 7 some")
    hurt(engine, at, b"GONE2")
    suspect(engine.store.path)
    report = engine.run()
    assert "1 turns that only it held could not be read" in report.mended
    assert saved_turns(engine) == 35
    assert not any("GONE2" in text for text in engine.texts("gone2"))


# ---- suspicion ----


def test_a_reader_that_meets_damage_has_the_next_writer_look(engine: Engine) -> None:
    hurt(engine, 0, random_bytes(2)[:100])
    with pytest.raises(DamagedIndex, match=r"damaged.*untouched.*harkback index"):
        engine.store.read()
    assert is_suspected(engine.store.path)
    engine.run()
    assert not is_suspected(engine.store.path)
    assert saved_turns(engine) == 36


def test_a_suspicion_that_comes_to_nothing_changes_nothing(engine: Engine) -> None:
    suspect(engine.store.path)
    before = engine.contents()
    report = engine.run()
    assert (report.mended, report.read) == ("", 0)
    assert not is_suspected(engine.store.path)
    assert asides(engine) == []
    assert engine.contents() == before


def test_damage_to_the_full_text_alone_is_found_when_somebody_looks(engine: Engine) -> None:
    assert not is_damaged(engine.store.path)
    whole = engine.store.path.read_bytes()
    found = 0
    for page in range(1, len(whole) // PAGE):
        hurt(engine, page * PAGE, random_bytes(page))
        found += is_damaged(engine.store.path)
        engine.store.path.write_bytes(whole)
    assert found == len(whole) // PAGE - 1


def test_an_index_of_a_newer_harkback_is_no_damaged_one(engine: Engine) -> None:
    hurt(engine, 60, (900).to_bytes(4, "big"))
    before = engine.store.path.read_bytes()
    with pytest.raises(Newer):
        engine.run()
    assert engine.store.path.read_bytes() == before


# ---- once a day, one kept ----


def test_damaged_again_within_a_day_it_waits_for_a_word(engine: Engine) -> None:
    hurt(engine, 0, random_bytes(1)[:100])
    engine.run()
    first = asides(engine)
    hurt(engine, 0, random_bytes(2)[:100])
    with pytest.raises(StoreError, match=r"damaged again.*`harkback index --rebuild`.*untouched"):
        engine.run()
    assert asides(engine) == first
    assert engine.run(rebuild=True).mended
    assert saved_turns(engine) == 36


def test_after_a_day_it_is_built_anew_by_itself_and_one_damaged_file_is_kept(engine: Engine) -> None:
    hurt(engine, 0, random_bytes(1)[:100])
    engine.run()
    (aside,) = asides(engine)
    old = aside.with_name("index.db.damaged-20200101T000000")
    aside.rename(old)
    assert when_set_aside(engine.store.path).year == 2020
    hurt(engine, 0, random_bytes(2)[:100])
    assert engine.run().mended
    (kept,) = asides(engine)
    assert kept != old
    check(engine)  # 0600 as everything there


def test_what_is_purged_does_not_live_on_in_the_damaged_file(engine: Engine) -> None:
    hurt(engine, 0, random_bytes(1)[:100])
    engine.run()
    engine.ticked = ()
    engine.run()
    assert asides(engine) == []
    for path in engine.store.home.iterdir():
        assert b"gone2" not in path.read_bytes()


# ---- interrupted ----

CHILD = """
import os, signal, sys
sys.path[:0] = {path!r}
from pathlib import Path
from engine import Engine
left = {left}
def hook(event, args):
    global left
    if event in ("os.rename", "os.remove", "open", "os.chmod") and "index.db" in str(args[0]):
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
engine = Engine(Path({place!r}))
sys.addaudithook(hook)
engine.run()
"""


def test_killed_at_any_step_the_damaged_file_or_what_was_saved_of_it_is_there(engine: Engine) -> None:
    hurt(engine, 0, random_bytes(1)[:100])
    content = engine.store.path.read_bytes()
    for left in range(100):
        code = CHILD.format(path=[os.fspath(Path(__file__).parent)], left=left, place=os.fspath(engine.place))
        ended = run_code(code)
        if ended.code == 0:
            break
        assert ended.code == -signal.SIGKILL, ended.err
        kept = [path for path in engine.store.home.iterdir() if path.read_bytes() == content]
        assert kept, left
    assert left > 5
    engine.run()
    check(engine)
    assert saved_turns(engine) == 36
    assert here_turns(engine) == 24


def test_a_disk_without_room_for_a_new_index_loses_nothing(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    hurt(engine, 0, random_bytes(1)[:100])
    content = engine.store.path.read_bytes()
    code = f"""
import resource, sys
sys.path[:0] = {[os.fspath(Path(__file__).parent)]!r}
from pathlib import Path
from engine import Engine
from harkback.core.store import StoreError
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    Engine(Path({os.fspath(engine.place)!r})).run()
except StoreError as error:
    print("StoreError")
"""
    ended = run_code(code)
    assert (ended.code, ended.out) == (0, "StoreError\n"), ended.err
    assert engine.store.path.read_bytes() == content
    engine.run()
    assert saved_turns(engine) == 36


# ---- rebuild ----


def test_a_rebuild_keeps_the_sessions_that_are_gone(engine: Engine) -> None:
    before = engine.contents()
    report = engine.run(rebuild=True)
    assert report.read == 2
    assert engine.contents() == before
    check(engine)


def test_an_absent_index_is_none_and_no_damage(tmp_path: Path) -> None:
    with pytest.raises(NoIndex):
        Store(tmp_path).read()
    assert not is_suspected(tmp_path / "index.db")
    assert damage.when_set_aside(tmp_path / "index.db") is None


def test_rows_of_other_tables_are_not_told_as_broken_turns(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "many")
    for number in range(30):
        engine.write(f"s{number}", turn(f"zebra {number}"))
    engine.run()
    engine.path("s0").unlink()
    engine.run()
    hurt(engine, 0, bytes(PAGE))
    report = engine.run()
    assert "1 turns of 1 sessions that only it held were saved" in report.mended
    assert "could not be read" not in report.mended
    assert len(engine.places("zebra")) == 30


# ---- the command line ----


@pytest.fixture
def indexed(harkback: CommandLine) -> CommandLine:
    write_home(harkback.home, NOW)
    harkback.environ["HARKBACK_HOME"] = str(harkback.home / ".harkback")
    assert harkback("sources", "enable", "claude", "codex").code == 0
    assert harkback("index").code == 0
    return harkback


def full_text_root(index: Path) -> int:
    db = apsw.Connection(str(index))
    (root,) = next(iter(db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'words_data'")))
    db.close()
    return root


def test_a_search_that_meets_damage_says_so_and_the_next_one_is_answered(indexed: CommandLine) -> None:
    index = indexed.home / ".harkback" / "index.db"
    with index.open("r+b") as file:
        file.seek((full_text_root(index) - 1) * PAGE)
        file.write(random_bytes(1))
    ran = indexed("search", "clipboard", "--no-refresh")
    assert ran.code == 3
    assert "is damaged" in ran.err
    assert "untouched" in ran.err
    again = indexed("search", "clipboard")
    assert again.code == 0
    assert "the index was damaged and is built anew" in again.err
    assert "is kept as index.db.damaged-" in again.err
    last = indexed("search", "clipboard")
    assert (last.code, last.out) == (0, again.out)
    assert "damaged" not in last.err


def test_bytes_in_a_text_that_are_no_text_are_damage_to_whoever_meets_them(
    indexed: CommandLine,
) -> None:
    db = apsw.Connection(str(indexed.home / ".harkback" / "index.db"))
    db.execute("UPDATE sessions SET title = CAST(x'7469746c6520ff' AS TEXT)")
    db.close()
    for command in (("search", "clipboard"), ("search", "--group", "session", "clipboard")):
        said = indexed(*command, "--no-refresh")
        assert said.code == 3
        assert "is damaged" in said.err
        assert "harkback index" in said.err
    mended = indexed("index")
    assert mended.code == 0
    assert "was damaged and is built anew" in mended.err
    assert indexed("search", "clipboard").code == 0
