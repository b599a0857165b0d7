"""Live updates: a real child that stays alive, real files that grow under it, the app over both."""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest
from engine import Engine, check, turn
from harkback.core import config as configuration
from harkback.core import watch
from harkback.core.config import Limits
from harkback.core.live import LONGEST_PAUSE, _pause
from harkback.core.lock import exclusive
from harkback.core.report import Report
from harkback.core.results import Hit
from harkback.core.watch import Watcher
from harkback.core.worker import Done, Event, Failed, Watching, Worker
from harkback.tui.app import HarkbackApp
from harkback.tui.demo import surroundings, write_home
from harkback.tui.search_screen import SearchScreen
from harkback.tui.surroundings import Surroundings
from samples import write as write_store
from textual.pilot import Pilot

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PATIENCE = 60
"""Seconds after which a child is taken to hang."""


class Child:
    """A live child and what it says, one event after the other."""

    def __init__(self, place: Surroundings) -> None:
        self._said: queue.Queue[Event] = queue.Queue()
        self.ended = threading.Event()
        command, environ = place.worker_command(live=True), place.worker_environ()
        self.worker = Worker(command, self._said.put, environ, self.ended.set)

    def next(self, kind: type[Any]) -> Any:
        """The next event of a kind, however long it takes."""
        while not isinstance(event := self._said.get(timeout=PATIENCE), kind):
            pass
        return event

    def close(self) -> None:
        self.worker.cancel()
        assert self.ended.wait(PATIENCE)


@pytest.fixture
def samples(tmp_path: Path) -> Surroundings:
    write_home(tmp_path / "person", NOW)
    return surroundings(tmp_path / "person")


@pytest.fixture
def child(samples: Surroundings) -> Iterator[Child]:
    child = Child(samples)
    yield child
    child.close()


def session_file(place: Surroundings) -> Path:
    return sorted(place.home.glob(".claude/projects/*/*.jsonl"))[0]


def turn_line(path: Path, text: str) -> bytes:
    message = {"role": "user", "content": text}
    facts = {"type": "user", "uuid": text, "timestamp": "2026-11-30T11:59:00.000Z", "sessionId": path.stem}
    return json.dumps({**facts, "message": message}).encode() + b"\n"


def append(path: Path, more: bytes) -> None:
    with path.open("ab") as file:
        file.write(more)


def found(place: Surroundings, word: str) -> int:
    db = place.store.read()
    try:
        return db.value("SELECT count(*) FROM words WHERE words MATCH ?", f'"{word}"')
    finally:
        db.close()


def test_an_appended_line_is_found_and_nothing_else_is_read(samples: Surroundings, child: Child) -> None:
    assert child.next(Watching) == Watching("")
    assert child.next(Done).report.turns == 100
    path = session_file(samples)
    for word in ("wombat", "numbat"):
        line = turn_line(path, word)
        append(path, line)
        while (report := child.next(Done).report).read == 0:
            pass
        assert (report.read, report.bytes_read) == (1, len(line))
        assert found(samples, word) == 1


def test_a_message_in_a_database_that_its_agent_has_open_is_found_and_no_file_is_looked_at(
    samples: Surroundings,
) -> None:
    write_store("opencode", samples.home)
    configuration.change(samples.folder, {"sources.opencode.enabled": True})
    agent: Any = apsw.Connection(str(samples.home / ".local" / "share" / "opencode" / "opencode.db"))
    agent.execute("PRAGMA journal_mode=WAL")
    child = Child(samples)
    while not child.next(Done).report.turns:
        pass
    for number, word in enumerate(("wombat", "numbat")):
        at = 1_793_700_000_000 + number
        with agent:
            message = json.dumps({"role": "user", "time": {"created": at}})
            agent.execute("INSERT INTO message VALUES (?, 'ses_6f0f', ?, ?, ?)", (word, at, at, message))
            part = json.dumps({"type": "text", "text": word})
            agent.execute("INSERT INTO part VALUES (?, ?, 'ses_6f0f', ?, ?, ?)", (word, word, at, at, part))
            agent.execute("UPDATE session SET time_updated = ? WHERE id = 'ses_6f0f'", (at,))
        while not (report := child.next(Done).report).read:
            pass
        assert found(samples, word) == 1
        assert report.seen == 1
    child.close()
    agent.close()


def test_a_session_in_a_folder_that_was_not_there_is_found(samples: Surroundings, child: Child) -> None:
    child.next(Done)
    new = session_file(samples).parent.parent / "-new-folder" / "sub.jsonl"
    new.parent.mkdir()
    new.write_bytes(turn_line(new, "quokka"))
    while child.next(Done).report.read == 0:
        pass
    assert found(samples, "quokka") == 1


def test_a_pass_can_be_asked_for(child: Child) -> None:
    child.next(Done)
    child.worker.ask()
    assert child.next(Done).report.read == 0


def test_closing_its_input_ends_it_while_it_waits(samples: Surroundings) -> None:
    child = Child(samples)
    child.next(Done)
    child.close()
    child.worker.ask()  # nobody is there: no error
    assert not samples.store.being_written()


def test_while_another_process_is_indexing_it_says_so_and_waits(samples: Surroundings) -> None:
    samples.folder.mkdir(exist_ok=True)
    with exclusive(samples.store.lock_path):
        child = Child(samples)
        assert child.next(Failed) == Failed("another harkback is indexing", busy=True)
    assert child.next(Done).report.turns == 100
    child.close()


def test_a_broken_config_ends_nothing(samples: Surroundings, child: Child) -> None:
    child.next(Done)
    config = samples.folder / "config.toml"
    good = config.read_bytes()
    config.write_text("limits.preset = 'most'")
    child.worker.ask()
    assert "allowed: everything, recent" in child.next(Failed).message
    config.write_bytes(good)
    child.worker.ask()
    assert child.next(Done).report.turns == 100


# ---- a pass over what changed ----


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    engine = Engine(tmp_path / "engine")
    for name in "abc":
        engine.write(name, turn(f"zebra in {name}"))
    engine.run()
    return engine


def pass_over(engine: Engine, *names: str) -> Report:
    return engine._reconciler(engine.store).run(touched=[str(engine.path(name)) for name in names])


def test_only_the_files_that_changed_are_looked_at(engine: Engine) -> None:
    more = engine.append("a", turn("okapi"))
    engine.append("b", turn("okapi"))
    report = pass_over(engine, "a")
    assert (report.seen, report.read, report.bytes_read, report.turns) == (1, 1, more, 4)
    assert engine.places("okapi") == [("a", 2)]
    assert engine.run().read == 1
    assert len(engine.places("okapi")) == 2
    check(engine)
    assert engine.contents() == engine.fresh().contents()


def test_what_is_new_or_gone_or_unknown_has_everything_looked_at(engine: Engine) -> None:
    engine.write("d", turn("okapi"))
    assert pass_over(engine, "a", "d").seen == 4
    assert engine.places("okapi") == [("d", 1)]
    engine.path("b").unlink()
    assert pass_over(engine, "b").gone == 1
    assert pass_over(engine, "never-there").seen == 3
    assert pass_over(engine).seen == 3


def test_another_configuration_has_everything_looked_at(engine: Engine) -> None:
    engine.limits = Limits("everything", turns_total=2)
    assert pass_over(engine, "a").seen == 3
    assert pass_over(engine, "a").seen == 1
    engine.ticked = ()
    assert pass_over(engine, "a").sessions == 0


# ---- noticing ----


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path


def test_folders_that_appear_or_are_made_anew_are_noticed(folder: Path) -> None:
    watcher, root, late = Watcher(folder / "own"), folder / "root", folder / "late"
    assert watcher.follow([root, late])
    assert not watcher.follow([root, late])
    late.mkdir()
    assert watcher.follow([root, late])
    root.rename(folder / "old")
    root.mkdir()
    assert watcher.follow([root, late])
    (root / "a").touch()
    assert watcher.wait(PATIENCE, threading.Event())
    assert watcher.follow([])
    assert watcher.wait(0.01, threading.Event()) is None


def test_what_we_write_ourselves_is_no_change(folder: Path) -> None:
    own = folder / "root" / "own"
    own.mkdir()
    watcher = Watcher(own)
    watcher.follow([folder / "root"])
    (own / "index.db").touch()
    assert watcher.wait(PATIENCE, threading.Event()) is None
    (folder / "root" / "own-not").touch()
    assert watcher.wait(PATIENCE, threading.Event()) == {str(folder / "root" / "own-not")}


def test_a_sign_ends_the_wait(folder: Path) -> None:
    watcher, sign = Watcher(folder / "own"), threading.Event()
    sign.set()
    for roots in ([], [folder / "root"]):
        watcher.follow(roots)
        assert watcher.wait(PATIENCE, sign) is None


def test_thousands_of_folders_are_watched(folder: Path) -> None:
    for number in range(3_000):
        (folder / "root" / str(number % 50) / str(number)).mkdir(parents=True)
    watcher = Watcher(folder / "own")
    watcher.follow([folder / "root"])
    if watcher.trouble:
        pytest.skip("this system watches less")
    (folder / "root" / "49" / "2999" / "a").touch()
    assert watcher.wait(PATIENCE, threading.Event())


LIMITED = """
import sys, threading
sys.path[:0] = {path!r}
from pathlib import Path
from harkback.core import watch
watch.POLL_SECONDS = 0.01
watcher = watch.Watcher(Path("own"))
watcher.follow([Path({root!r})])
print(watcher.trouble)
print(watcher.wait(60, threading.Event()))
"""


@pytest.mark.skipif(not shutil.which("unshare"), reason="needs a user namespace of its own")
@pytest.mark.parametrize("limit", ["max_inotify_watches", "max_inotify_instances"])
def test_where_the_system_watches_no_more_folders_it_says_so_and_looks_now_and_then(folder: Path, limit: str) -> None:
    (folder / "root" / "a" / "b" / "c").mkdir(parents=True)
    most = 2 if limit.endswith("watches") else 0
    shell = f'echo {most} > /proc/sys/user/{limit} || exit 9; exec "$0" "$@"'
    code = LIMITED.format(path=sys.path, root=os.fspath(folder / "root"))
    command = ["unshare", "-Ur", "sh", "-c", shell, sys.executable, "-c", code]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    if ended.returncode in (1, 9) and "Traceback" not in ended.stderr:
        pytest.skip("no user namespaces here")
    trouble, changed = ended.stdout.splitlines()
    assert "can't be watched" in trouble
    assert changed == "set()"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may look anywhere")
def test_a_folder_that_may_not_be_looked_into_keeps_the_others_watched(folder: Path) -> None:
    (folder / "root" / "closed").mkdir(mode=0)
    watcher = Watcher(folder / "own")
    watcher.follow([folder / "root"])
    assert not watcher.trouble
    (folder / "root" / "a").touch()
    assert watcher.wait(PATIENCE, threading.Event())


def test_passes_that_read_nothing_come_ever_more_slowly() -> None:
    pause, pauses = 0.0, []
    for _ in range(12):
        pause = _pause(Done(Report(seconds=0.01)), pause)
        pauses.append(pause)
    assert pauses == sorted(pauses)
    assert pauses[-1] == LONGEST_PAUSE
    assert _pause(Done(Report(seconds=0.01, read=1)), pause) < 1
    assert _pause(Done(Report(seconds=0.5, read=1)), 0.0) == 2.0
    assert watch.LONGEST_MS < 1_000


# ---- the app ----


async def until(pilot: Pilot[Any], condition: Callable[[], Any]) -> None:
    """Let the app work until something holds."""
    for _ in range(100 * PATIENCE):
        if condition():
            return
        await pilot.pause(0.01)
    raise AssertionError("it never came")


async def test_the_app_shows_what_is_said_while_it_is_open_and_keeps_the_cursor(samples: Surroundings) -> None:
    app = HarkbackApp(samples)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = app.screen
        assert isinstance(screen, SearchScreen)

        def total() -> int:
            answer = screen.results.answer
            return answer.total if answer and answer.exact and answer.request.text == "clipboard" else 0

        await until(pilot, lambda: screen._live._had and not screen._live.busy)
        screen.query_input.value = "clipboard"
        await until(pilot, total)
        before = total()
        screen.results.list.cursor = 1
        await pilot.pause()
        chosen = screen.results.item
        assert isinstance(chosen, Hit)
        app.clear_notifications()  # of the first pass, which was asked for
        append(session_file(samples), turn_line(session_file(samples), "clipboard clipboard"))
        await until(pilot, lambda: total() > before)
        await pilot.pause()
        assert total() == before + 1
        assert isinstance(screen.results.item, Hit)
        assert screen.results.item.turn_id == chosen.turn_id
        assert not app._notifications


async def test_the_status_line_says_who_else_is_indexing_until_it_is_done(samples: Surroundings) -> None:
    app = HarkbackApp(samples)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = app.screen
        assert isinstance(screen, SearchScreen)
        await until(pilot, lambda: screen._live._had and not screen._live.busy)
        with exclusive(samples.store.lock_path):
            await pilot.press("f5")
            await until(pilot, lambda: "another harkback is indexing" in str(screen._bar.render()))
        await until(pilot, lambda: "another harkback" not in str(screen._bar.render()))
