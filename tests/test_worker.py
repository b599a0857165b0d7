"""Reconciling in a child process: a real child, real pipes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest
from harkback.core.lock import exclusive
from harkback.core.status import index_status
from harkback.core.worker import Done, Event, Failed, Worker, Working
from harkback.tui import refresh as refreshing
from harkback.tui.demo import surroundings, write_home
from harkback.tui.surroundings import Surroundings

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PATIENCE = 60
"""Seconds after which a child is taken to hang."""


class Heard:
    """What a worker said, in order, and a way to wait until it is in the middle of its work."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.busy = threading.Event()

    def __call__(self, event: Event) -> None:
        self.events.append(event)
        if isinstance(event, Done | Failed) or event.progress.turns > 3_000:
            self.busy.set()


@pytest.fixture
def samples(tmp_path: Path) -> Surroundings:
    write_home(tmp_path / "person", NOW)
    return surroundings(tmp_path / "person")


@pytest.fixture
def many(samples: Surroundings) -> Surroundings:
    """A home that takes a child long enough to be interrupted in the middle of it."""
    folder = samples.home / ".claude" / "projects" / "-many"
    folder.mkdir(parents=True)
    for number in range(60):
        lines = (
            {
                "type": "user",
                "uuid": f"{number}-{turn}",
                "timestamp": f"2026-11-{1 + number % 28:02}T10:00:{turn % 60:02}.000Z",
                "message": {"role": "user", "content": f"walrus {number} {turn} " + "and some more words " * 60},
            }
            for turn in range(300)
        )
        (folder / f"{number:08}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return samples


def work(place: Surroundings, heard: Heard) -> Worker:
    return Worker(place.worker_command(), heard, place.worker_environ())


def turns(place: Surroundings) -> int:
    db = place.store.read()
    try:
        return index_status(db, place.store.path).turns
    finally:
        db.close()


def test_a_child_reports_what_it_did(samples: Surroundings) -> None:
    heard = Heard()
    assert work(samples, heard).wait(PATIENCE)
    *before, last = heard.events
    assert all(isinstance(event, Working) for event in before)
    assert isinstance(last, Done)
    assert (last.report.sessions, last.report.turns, last.report.finished) == (16, 100, True)
    assert turns(samples) == 100


def test_progress_grows_while_it_works(many: Surroundings) -> None:
    heard = Heard()
    assert work(many, heard).wait(PATIENCE)
    steps = [event.progress for event in heard.events if isinstance(event, Working)]
    assert steps
    assert all(step.files_total == 77 and step.bytes_done <= step.bytes_total for step in steps)
    assert [step.turns for step in steps] == sorted(step.turns for step in steps)
    assert isinstance(heard.events[-1], Done)


def test_a_cancelled_child_stops_early_and_keeps_what_it_has_done(many: Surroundings) -> None:
    heard = Heard()
    worker = work(many, heard)
    assert heard.busy.wait(PATIENCE)
    worker.cancel()
    worker.cancel()
    assert worker.wait(PATIENCE)
    last = heard.events[-1]
    assert isinstance(last, Done)
    assert not last.report.finished
    assert 0 < turns(many) < 18_100
    assert many.reconcile().turns == 18_100


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_a_killed_child_is_a_failure_that_keeps_what_was_done(many: Surroundings) -> None:
    heard = Heard()
    worker = work(many, heard)
    assert heard.busy.wait(PATIENCE)
    os.kill(worker._child.pid, signal.SIGKILL)  # pyright: ignore[reportPrivateUsage]
    assert worker.wait(PATIENCE)
    last = heard.events[-1]
    assert last == Failed("indexing ended unexpectedly (exit code -9); what was indexed is kept")
    assert 0 < turns(many) < 18_100
    assert many.reconcile().turns == 18_100


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_a_child_that_is_told_to_end_finishes_its_transaction_and_says_so(many: Surroundings) -> None:
    heard = Heard()
    worker = work(many, heard)
    assert heard.busy.wait(PATIENCE)
    os.kill(worker._child.pid, signal.SIGTERM)  # pyright: ignore[reportPrivateUsage]
    assert worker.wait(PATIENCE)
    last = heard.events[-1]
    assert isinstance(last, Done)
    assert not last.report.finished


def test_a_second_writer_is_busy_and_no_failure_of_the_index(samples: Surroundings) -> None:
    samples.reconcile()
    heard = Heard()
    with exclusive(samples.store.lock_path):
        assert work(samples, heard).wait(PATIENCE)
    assert heard.events == [Failed("another harkback is indexing", busy=True)]


def test_a_broken_config_is_told_in_a_sentence(samples: Surroundings) -> None:
    (samples.folder / "config.toml").write_text("limits.preset = 'most'")
    heard = Heard()
    assert work(samples, heard).wait(PATIENCE)
    (event,) = heard.events
    assert isinstance(event, Failed)
    assert "limits.preset: invalid enum value 'most'; allowed: everything, recent" in event.message


def test_a_child_that_cannot_start_or_talks_nonsense_is_a_failure() -> None:
    for program in ("raise SystemExit(7)", "print('no event'); print('{}'); raise SystemExit(7)"):
        heard = Heard()
        assert Worker([sys.executable, "-c", program], heard).wait(PATIENCE)
        assert heard.events == [Failed("indexing ended unexpectedly (exit code 7); what was indexed is kept")]


def test_a_child_reads_the_home_that_it_is_given_and_not_the_one_it_runs_in(
    samples: Surroundings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_home(tmp_path / "elsewhere", NOW)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "elsewhere" / ".claude"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "elsewhere" / ".codex"))
    (tmp_path / "msgspec.py").write_text("raise SystemExit('a module in the working folder was imported')")
    monkeypatch.chdir(tmp_path)
    heard = Heard()
    assert work(samples, heard).wait(PATIENCE)
    assert isinstance(heard.events[-1], Done)
    db = samples.store.read()
    try:
        paths = [os.fsdecode(path) for (path,) in db.rows("SELECT path FROM files")]
    finally:
        db.close()
    assert len(paths) == 17
    assert all(path.startswith(str(samples.home)) for path in paths)


def test_a_search_that_runs_out_of_patience_goes_on_in_the_background(
    samples: Surroundings, monkeypatch: pytest.MonkeyPatch
) -> None:
    children: list[subprocess.Popen[bytes]] = []
    go_on = refreshing.go_on_in_background
    monkeypatch.setattr(refreshing, "PATIENCE", -1.0)
    monkeypatch.setattr(refreshing, "go_on_in_background", lambda place: children.append(go_on(place)))
    indexing, notes = refreshing.refresh(samples)
    assert indexing
    assert "goes on in the background" in notes[0]
    assert children[0].wait(PATIENCE) == 0
    assert turns(samples) == 100
