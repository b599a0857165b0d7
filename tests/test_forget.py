"""Forgetting: nothing is left, nothing comes back, nobody is disturbed, and a full disk does not keep it from being
done."""

from __future__ import annotations

import functools
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import apsw
import pytest
from command_line import run_code
from engine import Engine, Lines, check, turn
from harkback.core import residue
from harkback.core.forget import Outcome, forget
from harkback.core.forget_plan import Request, is_within, plan
from harkback.core.history import NotFound
from harkback.core.lock import exclusive
from harkback.core.store import Busy, Newer, Store, StoreError
from hypothesis import given, settings
from hypothesis import strategies as st

LETTERS = "bcdfghjklmnpqrstvwxz"
RUN = re.compile(f"[{LETTERS}]{{6,}}".encode())


@functools.cache
def prose(seed: object, words: int = 30) -> str:
    """Words that stand nowhere else."""
    dice = random.Random(repr(seed))
    return " ".join("".join(dice.choices(LETTERS, k=9)) for _ in range(words))


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return Engine(tmp_path / "engine", (Lines(), Lines("other", "Other")))


def fill(engine: Engine) -> None:
    """Six sessions; `s1` has a sub-agent and a fork with ids of its store, `s3` a fork without."""
    for i in range(6):
        turns = [
            turn(prose((i, k)), role=("user", "assistant")[k % 2], native_id=f"{i}-{k}" if i < 3 else None)
            for k in range(5)
        ]
        turns.append(turn(prose((i, "long"), 900), role="assistant", native_id=f"{i}-5" if i < 3 else None))
        facts = {"title": f"title {prose((i, 't'), 3)}", "title_rank": 3, "project": f"/work/p{i // 2}"}
        engine.write(f"s{i}", ["facts", facts], *turns)
    engine.write("agent", ["facts", {"parent": "s1", "kind": "subagent"}], turn(prose("agent")))
    copies = [turn(prose((1, k)), native_id=f"1-{k}") for k in range(2)]
    engine.write("fork", ["facts", {"parent": "s1"}], *copies, turn(prose("fork"), native_id="f-9"))
    engine.write("plain", ["facts", {"parent": "s3"}], turn(prose((3, 0))), turn(prose("plain")))


def bytes_of(engine: Engine) -> dict[str, bytes]:
    files = {path.name: path for path in engine.store.home.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in files.items()}


def words_left(engine: Engine, *texts: str) -> set[tuple[str, str]]:
    """(file, word) of every word of some texts that stands in harkback's files; the index compresses beginnings."""
    ends = {word[3:].encode(): word for text in texts for word in text.split()}
    assert all(len(end) == 6 and RUN.fullmatch(end) for end in ends)
    return {
        (name, ends[run[at : at + 6]])
        for name, raw in bytes_of(engine).items()
        for run in RUN.findall(raw)
        for at in range(len(run) - 5)
        if run[at : at + 6] in ends
    }


def texts_of(i: int) -> list[str]:
    return [prose((i, k)) for k in range(5)] + [prose((i, "long"), 900), prose((i, "t"), 3)]


def keys(engine: Engine) -> set[str]:
    return {row[0] for row in engine.rows("SELECT native_id FROM sessions WHERE turns > 0")}


def do(engine: Engine, **wish: Any) -> Outcome:
    outcome = forget(engine.store, Request(**wish))
    check(engine)
    return outcome


# ---- nothing is left ----


def test_a_forgotten_session_leaves_no_byte(engine: Engine) -> None:
    fill(engine)
    engine.run()
    packed = [row[0] for row in engine.rows("SELECT text FROM turns WHERE typeof(text) = 'blob' AND native_id = '0-5'")]
    assert packed
    assert words_left(engine, *texts_of(0))
    before = engine.listing()
    outcome = do(engine, session="s0")
    assert (outcome.sessions, outcome.turns, outcome.rewritten) == (1, 6, True)
    assert outcome.remains.samples > 10
    assert outcome.remains.files == outcome.remains.sessions == ()
    assert words_left(engine, *texts_of(0)) == set()
    assert not any(packed[0][:40] in raw or packed[0][-40:] in raw for raw in bytes_of(engine).values())
    assert keys(engine) == {"s1", "s2", "s3", "s4", "s5", "agent", "fork", "plain"}
    assert engine.search(prose((0, 2)).split()[0]) == []
    assert engine.listing() == before


def test_its_sub_agents_go_with_it_and_the_others_stay(engine: Engine) -> None:
    fill(engine)
    engine.run()
    outcome = do(engine, session="lines:s1")
    assert (outcome.sessions, outcome.turns) == (2, 7)
    assert words_left(engine, prose("agent"), prose((1, 4)), prose((1, "long"), 900)) == set()
    assert keys(engine) == {"s0", "s2", "s3", "s4", "s5", "fork", "plain"}


def test_a_project_goes_with_what_lies_below_it(engine: Engine) -> None:
    fill(engine)
    engine.write("deep", ["facts", {"project": "/work/p0/inner"}], turn(prose("deep")))
    engine.write("beside", ["facts", {"project": "/work/p01"}], turn(prose("beside")))
    engine.run()
    outcome = do(engine, project="/work/p0/")
    assert outcome.sessions == 4
    assert words_left(engine, *texts_of(0), prose("deep")) == set()
    assert keys(engine) == {"s2", "s3", "s4", "s5", "fork", "plain", "beside"}


def test_a_source_goes_and_the_other_stays(engine: Engine) -> None:
    fill(engine)
    path = engine.home / ".other" / "o1.jsonl"
    path.parent.mkdir()
    shutil.copy(engine.path("s0"), path)
    engine.run()
    outcome = do(engine, source="lines")
    assert outcome.sessions == 9
    assert outcome.remains.sessions == ("other:o1",)
    assert engine.rows("SELECT source, native_id FROM sessions") == [("other", "o1")]
    assert engine.run().bytes_read == 0
    assert keys(engine) == {"o1"}
    do(engine, source="other")
    assert words_left(engine, *texts_of(0)) == set()


def test_everything_goes_with_logs_and_copies_of_damaged_indexes(engine: Engine) -> None:
    fill(engine)
    engine.run()
    for name in ("logs/harkback.log", "index.db.corrupt-20260101", "index.db.damaged-20260101T000000-wal"):
        path = engine.store.home / name
        path.parent.mkdir(exist_ok=True, mode=0o700)
        path.write_text(prose((0, 0)))
        path.chmod(0o600)
    (engine.store.home / "config.toml").write_text("# mine\n")
    (engine.store.home / "config.toml").chmod(0o600)
    outcome = forget(engine.store, Request(everything=True))
    assert (outcome.sessions, outcome.turns) == (9, 42)
    assert outcome.remains.files == ()
    assert words_left(engine, *(text for i in range(6) for text in texts_of(i))) == set()
    assert sorted(bytes_of(engine)) == ["config.toml", "index.db", "index.lock"]
    engine.run()
    assert keys(engine) == set()
    assert engine.rows("SELECT sum(count) FROM skips WHERE reason = 'forgotten'") == [(42,)]


@pytest.mark.parametrize("wish", [{"session": "s0"}, {"everything": True}])
def test_an_index_that_lies_elsewhere_behind_a_link_stays_there(
    engine: Engine, tmp_path: Path, wish: dict[str, Any]
) -> None:
    fill(engine)
    engine.run()
    there = tmp_path / "big disk" / "index"
    there.parent.mkdir(mode=0o700)
    engine.store.path.rename(there)
    (engine.store.home / "index.db").symlink_to(there)
    engine.store = Store(engine.store.home)
    assert words_left(engine, prose((0, 1)))
    assert forget(engine.store, Request(**wish)).remains.files == ()
    assert (engine.store.home / "index.db").readlink() == there
    assert [path.name for path in there.parent.iterdir()] == ["index"]
    check(engine)
    assert words_left(engine, prose((0, 1))) == set()
    assert "s0" not in keys(engine)


def test_what_is_left_elsewhere_is_said(engine: Engine) -> None:
    fill(engine)
    engine.run()
    notes = engine.store.home / "notes.txt"
    notes.write_text(prose((0, 1)))
    notes.chmod(0o600)
    assert do(engine, session="s0").remains.files == ("notes.txt",)


def test_a_sample_over_the_border_of_a_block_is_found(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(residue, "_BLOCK", 64)
    engine.store.home.mkdir()
    needle = prose("needle", 4)[: residue.SIZE].encode()
    for before in range(0, 130, 7):
        (engine.store.home / "file").write_bytes(b"." * before + needle + b"." * 99)
        assert residue.remains(None, engine.store.home, engine.store.path, [needle]).files == ("file",)


def test_the_scan_finds_what_a_plain_delete_leaves(engine: Engine) -> None:
    fill(engine)
    engine.run()
    db = engine.store.read()
    rows = [row[0] for row in db.rows("SELECT id FROM sessions WHERE native_id = 's0'")]
    looked_for = residue.samples(db, rows)
    found = residue.remains(db, engine.store.home, engine.store.path, looked_for)
    db.close()
    assert found.sessions == ("lines:s0",)
    assert found.files == ()
    found = residue.remains(None, engine.store.home, engine.store.path, looked_for)
    assert found.files == ("index.db",)


# ---- copies ----


@pytest.mark.parametrize(("session", "copy"), [("s1", "fork"), ("s3", "plain")])
def test_copies_in_forks_are_named_and_stay_unless_asked_for(engine: Engine, session: str, copy: str) -> None:
    fill(engine)
    engine.run()
    outcome = do(engine, session=session)
    assert outcome.copies == outcome.remains.sessions == (f"lines:{copy}",)
    assert outcome.remains.files == ()
    word = prose((int(session[1]), 0)).split()[0]
    assert engine.places(word) == [(copy, 1)]
    engine.run(rebuild=True)
    check(engine)
    assert engine.places(word) == [(copy, 1)]
    assert session not in keys(engine)


@pytest.mark.parametrize(("session", "copy"), [("s1", "fork"), ("s3", "plain")])
def test_with_copies_forks_go_too(engine: Engine, session: str, copy: str) -> None:
    fill(engine)
    engine.run()
    outcome = do(engine, session=session, copies=True)
    assert outcome.copies == outcome.remains.sessions == ()
    assert words_left(engine, prose(copy), *texts_of(int(session[1]))) == set()
    engine.run(rebuild=True)
    assert keys(engine).isdisjoint({session, copy})


def test_forgetting_a_fork_leaves_what_it_was_forked_from(engine: Engine) -> None:
    fill(engine)
    engine.run()
    whole = engine.texts("s1")
    assert do(engine, session="fork").copies == ("lines:s1",)
    assert engine.texts("s1") == whole
    engine.run(rebuild=True)
    assert engine.texts("s1") == whole


@pytest.mark.parametrize("ids", [True, False])
def test_a_fork_made_afterwards_brings_only_what_is_new(engine: Engine, ids: bool) -> None:
    old = [turn(prose(k), **({"native_id": f"a-{k}"} if ids else {})) for k in range(3)]
    engine.write("a", *old)
    engine.run()
    do(engine, session="a")
    new = turn(prose("new"), **({"native_id": "b-1"} if ids else {}))
    engine.write("b", ["facts", {"parent": "a", "title": "later"}], *old, new)
    engine.run()
    check(engine)
    assert engine.texts("b") == [prose("new")]
    assert words_left(engine, *(prose(k) for k in range(3))) == set()
    engine.append("b", turn(prose("more")))
    engine.run()
    assert engine.texts("b") == [prose("new"), prose("more")]


def test_the_same_words_in_a_session_of_its_own_are_no_copy(engine: Engine) -> None:
    engine.write("a", turn("please run the tests again"))
    engine.write("b", turn("please run the tests again"))
    engine.run()
    assert do(engine, session="a").copies == ()
    engine.run(rebuild=True)
    assert engine.texts("b") == ["please run the tests again"]


# ---- nothing comes back ----


def test_it_stays_away_however_its_file_is_read_again(engine: Engine) -> None:
    fill(engine)
    engine.run()
    do(engine, session="s0")
    content = engine.path("s0").read_bytes()

    def is_away() -> None:
        check(engine)
        assert "s0" not in keys(engine)
        assert words_left(engine, *texts_of(0), prose("later")) == set()

    assert engine.run().bytes_read == 0
    is_away()
    engine.run(rebuild=True)
    is_away()
    engine.append("s0", turn(prose("later")))
    engine.run()
    is_away()
    engine.path("s0").unlink()
    engine.run()
    is_away()
    engine.replace("s0", content)
    engine.run()
    is_away()
    moved = engine.root / "elsewhere" / "s0.jsonl"
    moved.parent.mkdir()
    engine.path("s0").rename(moved)
    engine.run()
    is_away()
    engine.ticked = ()
    engine.run()
    engine.ticked = None
    engine.run()
    is_away()
    assert keys(engine) == {"s1", "s2", "s3", "s4", "s5", "agent", "fork", "plain"}


def test_what_is_kept_out_is_counted(engine: Engine) -> None:
    fill(engine)
    engine.run()
    do(engine, session="s0")
    count = "SELECT count, example FROM skips WHERE reason = 'forgotten'"
    at_once = engine.rows(count)
    engine.run(rebuild=True)
    assert at_once == engine.rows(count)
    assert [row[0] for row in at_once] == [6]


def test_a_sub_agent_that_comes_later_is_forgotten_too(engine: Engine) -> None:
    engine.write("a", turn(prose("a")))
    engine.run()
    do(engine, session="a")
    engine.write("late", turn(prose("first")), ["facts", {"parent": "a", "kind": "subagent"}], turn(prose("then")))
    engine.run()
    engine.append("late", turn(prose("last")))
    engine.run()
    check(engine)
    assert keys(engine) == set()
    assert words_left(engine, *map(prose, ("first", "then", "last"))) == set()


def test_a_title_for_it_in_another_file_stays_away(engine: Engine) -> None:
    title = f"title {prose('summary', 3)}"
    engine.write("a", turn(prose("a"), native_id="leaf"))
    engine.write("b", turn(prose("b")), ["title", {"turn_id": "leaf", "title": title, "title_rank": 2}])
    engine.run()
    assert engine.rows("SELECT title FROM sessions WHERE native_id = 'a'") == [(title,)]
    do(engine, session="a")
    assert words_left(engine, title[6:]) == set()
    engine.run(rebuild=True)
    assert words_left(engine, title[6:]) == set()


def test_a_session_whose_file_is_gone_is_forgotten_with_the_file(engine: Engine) -> None:
    fill(engine)
    engine.run()
    engine.path("s0").unlink()
    engine.run()
    do(engine, session="s0")
    assert engine.rows("SELECT count(*) FROM files WHERE path = ?", os.fsencode(engine.path("s0"))) == [(0,)]


def test_forgetting_and_building_anew_are_the_same(engine: Engine) -> None:
    fill(engine)
    engine.run()
    for wish in ({"session": "s1"}, {"project": "/work/p2"}, {"session": "plain"}):
        do(engine, **wish)
    kept = engine.contents()
    engine.run(rebuild=True)
    assert engine.contents() == kept


@settings(max_examples=12)
@given(st.lists(st.sampled_from(["s0", "s1", "s3", "agent", "fork", "plain", "run", "rebuild", "grow"]), max_size=6))
def test_in_whatever_order_what_was_forgotten_is_gone_and_the_rest_is_there(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    engine = Engine(tmp_path_factory.mktemp("steps"))
    fill(engine)
    engine.run()
    away: set[str] = set()
    for count, step in enumerate(steps):
        if step in ("run", "rebuild"):
            engine.run(rebuild=step == "rebuild")
        elif step == "grow":
            for name in ("s0", "fork"):
                engine.append(name, turn(prose(count), native_id=f"{name}-{count}"))
        elif step not in away:
            do(engine, session=step)
            away |= {step} | ({"agent"} if step == "s1" else set())
        check(engine)
        assert keys(engine).isdisjoint(away)
    engine.run()
    check(engine)
    assert keys(engine) == {"s0", "s1", "s2", "s3", "s4", "s5", "agent", "fork", "plain"} - away


# ---- a wish in words ----


def test_an_unknown_session_is_told(engine: Engine) -> None:
    fill(engine)
    engine.run()
    with pytest.raises(NotFound):
        forget(engine.store, Request(session="nobody"))


def test_a_plan_says_what_will_go_and_changes_nothing(engine: Engine) -> None:
    fill(engine)
    engine.run()
    db = engine.store.read()
    wanted = plan(db, Request(session="s1"))
    db.close()
    assert (wanted.sessions, wanted.turns, wanted.copies) == (2, 7, ("lines:fork",))
    assert "s1" in keys(engine)


@pytest.mark.parametrize(
    ("project", "folder", "within"),
    [
        ("/a/b", "/a/b", True),
        ("/a/b/c", "/a/b/", True),
        ("/a/bc", "/a/b", False),
        ("/a", "/a/b", False),
        ("C:\\work\\x", "C:\\work", True),
        ("/anything", "/", True),
    ],
)
def test_a_project_is_a_folder_and_what_is_below(project: str, folder: str, within: bool) -> None:
    assert is_within(project, folder) is within


# ---- others at the same time ----


def test_a_reader_goes_on_while_its_index_is_replaced(engine: Engine) -> None:
    fill(engine)
    engine.run()
    reader = engine.store.read()
    with reader.snapshot():
        before = reader.value("SELECT count(*) FROM turns")
        do(engine, session="s0")
        assert reader.value("SELECT count(*) FROM turns") == before
    reader.close()
    assert engine.rows("SELECT count(*) FROM turns") == [(before - 6,)]
    assert words_left(engine, *texts_of(0)) == set()


def test_searches_all_the_while_find_what_is_kept(engine: Engine) -> None:
    fill(engine)
    engine.run()
    word = prose((5, 1)).split()[0]
    failures: list[object] = []
    stop = threading.Event()

    def search() -> None:
        while not stop.is_set():
            try:
                if engine.places(word) != [("s5", 2)]:
                    failures.append("not found")
            except (StoreError, apsw.Error) as error:
                failures.append(error)

    threads = [threading.Thread(target=search) for _ in range(2)]
    for thread in threads:
        thread.start()
    for name in ("s0", "s1", "s2", "s3", "s4"):
        forget(engine.store, Request(session=name))
    stop.set()
    for thread in threads:
        thread.join()
    assert failures == []
    check(engine)


def test_a_reader_that_has_just_opened_the_old_file_is_given_the_new_one(engine: Engine) -> None:
    fill(engine)
    engine.run()
    asked: list[str] = []

    def watch(connection: apsw.Connection) -> None:
        if connection.open_flags & apsw.SQLITE_OPEN_READONLY and not asked:
            asked.append("once")
            forget(engine.store, Request(everything=True))

    apsw.connection_hooks.append(watch)
    try:
        assert engine.rows("SELECT count(*) FROM turns") == [(0,)]
    finally:
        apsw.connection_hooks.remove(watch)
    assert asked


def test_another_writer_is_waited_for(engine: Engine) -> None:
    fill(engine)
    engine.run()
    taken, release = threading.Event(), threading.Event()

    def hold() -> None:
        with exclusive(engine.store.lock_path):
            taken.set()
            release.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    taken.wait(10)
    with pytest.raises(Busy), engine.store.write(0.2):
        pass
    threading.Timer(0.3, release.set).start()
    assert forget(engine.store, Request(session="s0")).sessions == 1
    thread.join()


# ---- stopped, or without room ----

CHILD = """
import os, resource, signal, sys
sys.path[:0] = {path!r}
import apsw
from pathlib import Path
from harkback.core import rewrite
from harkback.core.forget import forget
from harkback.core.forget_plan import Request
from harkback.core.store import Store, StoreError

kill_at, most_bytes, count = {kill_at}, {most_bytes}, 0

def step(*_):
    global count
    count += 1
    if count == kill_at:
        os.kill(os.getpid(), signal.SIGKILL)
    return True

def watch(connection):
    connection.exec_trace = step

apsw.connection_hooks.append(watch)
unlink, replace = Path.unlink, Path.replace
Path.unlink = lambda self, missing_ok=False: (step(), unlink(self, missing_ok=missing_ok))[1]
Path.replace = lambda self, to: (step(), replace(self, to))[1]
if most_bytes:
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
try:
    outcome = forget(Store(Path({home!r})), Request({wish}))
    print(outcome.rewritten, outcome.remains.files, outcome.sessions)
except StoreError as error:
    print("StoreError:", error)
print(count)
"""


def in_child(home: Path, wish: str, kill_at: int = 0, most_bytes: int = 0) -> tuple[int, list[str]]:
    code = CHILD.format(
        path=[os.fspath(Path(__file__).parent)],
        kill_at=kill_at,
        most_bytes=most_bytes,
        home=os.fspath(home),
        wish=wish,
    )
    ended = run_code(code)
    assert not ended.err, ended.err
    return ended.code, ended.out.splitlines()


@pytest.mark.parametrize("wish", ["session='s1'", "everything=True"])
def test_killed_at_any_point_it_is_all_there_or_all_gone(engine: Engine, wish: str) -> None:
    fill(engine)
    engine.run()
    kept = engine.store.home.with_name("kept")
    shutil.copytree(engine.store.home, kept)
    code, printed = in_child(engine.store.home, wish)
    assert code == 0
    steps = int(printed[-1])
    for kill_at in sorted({*range(max(1, steps - 25), steps + 1, 3), *range(1, steps, max(1, steps // 9))}):
        shutil.rmtree(engine.store.home)
        shutil.copytree(kept, engine.store.home)
        assert in_child(engine.store.home, wish, kill_at)[0] == -signal.SIGKILL
        engine.run()
        check(engine)
        assert sorted(bytes_of(engine)) == ["index.db", "index.lock"]
        if "s1" in keys(engine):
            assert len(keys(engine)) == 9
        else:
            assert len(keys(engine)) == (7 if "s1" in wish else 0)
            assert words_left(engine, prose((1, 4)), prose((1, "long"), 900)) == set()


def test_without_room_to_write_anew_it_is_said_and_made_up_for(engine: Engine) -> None:
    fill(engine)
    for i in range(20):
        engine.write(f"more{i}", *(turn(prose((i, k, "more"), 200)) for k in range(10)))
    engine.run()
    size = engine.store.path.stat().st_size
    code, printed = in_child(engine.store.home, "session='s0'", most_bytes=size // 2)
    assert code == 0
    assert printed[0].startswith("False ")
    check(engine)
    assert "s0" not in keys(engine)
    assert not [name for name in bytes_of(engine) if ".new" in name]
    engine.run()
    check(engine)
    assert words_left(engine, *texts_of(0)) == set()
    assert engine.rows("SELECT * FROM meta WHERE key = 'rewrite'") == []


def test_without_any_room_nothing_is_half_forgotten(engine: Engine) -> None:
    fill(engine)
    engine.run()
    code, printed = in_child(engine.store.home, "session='s0'", most_bytes=33_000)
    assert code == 0
    assert printed[0].startswith("StoreError: ")
    check(engine)
    assert "s0" in keys(engine)


FULL = """
set -e
mount -t tmpfs -o size=3m none "$1"
cp -r "$2" "$1/index"
head -c 9m /dev/zero > "$1/filler" 2> /dev/null || true
exec "$3" -c "$4"
"""
ON_FULL_DISK = """
import sys
from pathlib import Path
from harkback.core.forget import forget
from harkback.core.forget_plan import Request
from harkback.core.store import Store, StoreError
import os
store = Store(Path({folder!r}) / "index")
print(os.statvfs({folder!r}).f_bavail)
try:
    outcome = forget(store, Request(everything=True))
    db = store.read()
    print(outcome.sessions, outcome.remains.files, outcome.remembered, db.value("SELECT count(*) FROM tombstones") > 9)
except StoreError as error:
    print(error)
"""


def test_everything_is_forgotten_on_a_full_disk(engine: Engine, tmp_path: Path) -> None:
    fill(engine)
    engine.run()
    disk = tmp_path / "disk"
    disk.mkdir()
    words = ["unshare", "-rm", "/bin/sh", "-c", FULL, "sh", os.fspath(disk), os.fspath(engine.store.home)]
    code = ON_FULL_DISK.format(folder=os.fspath(disk))
    ended = subprocess.run([*words, sys.executable, code], capture_output=True, text=True, timeout=60)
    if "unshare" in ended.stderr or "mount" in ended.stderr:
        pytest.skip("no disk of its own may be made here")
    assert not ended.stderr, ended.stderr
    assert ended.stdout.splitlines() == ["0", "9 () True True"]


# ---- other indexes ----


def test_an_index_of_a_newer_harkback_is_left_alone(engine: Engine) -> None:
    fill(engine)
    engine.run()
    db = apsw.Connection(str(engine.store.path))
    db.execute("PRAGMA user_version=99")
    db.close()
    before = bytes_of(engine)
    for wish in (Request(everything=True), Request(session="s0")):
        with pytest.raises(Newer):
            forget(engine.store, wish)
    assert bytes_of(engine) == before


def test_everything_of_a_damaged_index_goes_and_that_it_may_come_back_is_said(engine: Engine) -> None:
    fill(engine)
    engine.run()
    engine.store.path.write_bytes(b"\xa5" * 9_000)
    outcome = forget(engine.store, Request(everything=True))
    assert not outcome.remembered
    assert engine.rows("SELECT count(*) FROM sessions") == [(0,)]


def test_everything_of_no_index_is_nothing(engine: Engine) -> None:
    assert forget(engine.store, Request(everything=True)).sessions == 0


def test_a_replacement_that_was_interrupted_is_ended_by_the_next_writer(engine: Engine) -> None:
    fill(engine)
    engine.run()
    engine.store.path.rename(engine.store.path.with_name("index.db.new"))
    assert engine.run().bytes_read == 0
    check(engine)


def test_a_title_for_a_turn_that_is_not_here_goes_with_the_session_whose_title_it_repeats(engine: Engine) -> None:
    words = "Repairing the observatory dome"
    engine.write("a", turn("zebra", native_id="x"), ["facts", {"title": words, "title_rank": 4}])
    engine.write("b", turn("okapi"), *(["title", {"turn_id": each, "title": words, "title_rank": 2}] for each in "wx"))
    engine.run()
    outcome = forget(engine.store, Request(session="lines:a"))
    assert outcome.remains.files == ()
    assert engine.rows("SELECT * FROM titles") == []
