"""The sample sessions: that they read as real ones do, and that `harkback demo` leaves nothing behind."""

from __future__ import annotations

import signal
import stat
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from harkback.core.database import Database
from harkback.core.query import parse
from harkback.core.results import Session
from harkback.core.search import Search
from harkback.core.status import index_status
from harkback.tui import app
from harkback.tui.demo import run_demo, samples, surroundings, write_home
from harkback.tui.surroundings import Surroundings

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def place(tmp_path: Path) -> Surroundings:
    write_home(tmp_path / "person", NOW)
    return surroundings(tmp_path / "person")


def sessions_for(db: Database, query: str) -> list[Session]:
    engine, parsed = Search(db), parse(query, NOW.replace(tzinfo=None))
    return [hit.session for hit in engine.hits(parsed, engine.best(parsed).ranked)]


def test_there_are_a_good_dozen_of_readable_length_over_sources_projects_and_models() -> None:
    all_of_them = [sample for sample in samples() if not sample.agent]
    assert 12 <= len(all_of_them) <= 20
    assert all(4 <= len(sample.turns) <= 14 for sample in all_of_them)
    assert all(bool(turn.user) != bool(turn.assistant) for sample in all_of_them for turn in sample.turns)
    assert all(
        turn.role == ("user", "assistant")[i % 2] for sample in all_of_them for i, turn in enumerate(sample.turns)
    )
    assert {sample.source for sample in all_of_them} == {"claude", "codex"}
    assert len({sample.project for sample in all_of_them}) >= 6
    assert len({sample.model for sample in all_of_them}) >= 4
    assert len({sample.branch for sample in all_of_them}) >= 4


def test_everything_is_indexed_nothing_skipped_masked_or_left_out(place: Surroundings) -> None:
    report = place.reconcile()
    assert (report.sessions, report.turns) == (len(samples()), sum(len(sample.turns) for sample in samples()))
    assert (report.skips, report.errors, report.quarantined) == ({}, {}, 0)
    db = place.store.read()
    try:
        status = index_status(db, place.store.path)
        stored = {row[0] for row in db.rows("SELECT title FROM sessions WHERE turns > 0")}
    finally:
        db.close()
    assert not status.redacted
    assert not any(status.left_out.values())
    assert stored == {sample.title for sample in samples()}
    assert status.newest is not None
    assert NOW - timedelta(hours=3) < datetime.fromtimestamp(status.newest / 1000, UTC) < NOW
    assert status.oldest is not None
    assert datetime.fromtimestamp(status.oldest / 1000, UTC) < NOW - timedelta(days=150)


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("clipboard over ssh", "How did we fix the OSC 52 clipboard over ssh"),
        ("flaky test", "The flaky checkout test"),
        ("database migration fails", "Migration 0042 fails halfway"),
        ("全文搜索", "给笔记应用加中文全文搜索"),
        ("剪贴板 tmux", "剪贴板在 tmux 里不工作"),
        ("終日の予定", "予定が一日ずれる"),
        ("release script", "A release script that can be run twice"),
        ("memory leak", "The worker's memory leak"),
        ("regex hung", "The regex that hung"),
        ("css grid", "The sidebar pushes the CSS grid off the screen"),
        ("parseDate kind:subagent", "Search for callers of parseDate"),
    ],
)
def test_what_a_visitor_tries_first_is_found_first(place: Surroundings, query: str, title: str) -> None:
    place.reconcile()
    db = place.store.read()
    try:
        assert sessions_for(db, query)[0].title == title
    finally:
        db.close()


def test_sessions_know_their_project_branch_model_and_parent(place: Surroundings) -> None:
    place.reconcile()
    db = place.store.read()
    try:
        (agent, *_) = sessions_for(db, "parseDate kind:subagent")
        (codex, *_) = sessions_for(db, "source:codex mosh")
    finally:
        db.close()
    assert agent.parent is not None
    assert agent.parent.startswith("claude:")
    assert (codex.project, codex.branch) == (str(place.home / "src" / "infra"), "main")
    assert codex.model == "gpt-5.2-codex"
    assert Path(codex.project or "").is_dir()


def test_the_temporary_home_is_private_and_gone_when_the_app_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Surroundings] = []

    def look(place: Surroundings) -> int:
        assert stat.S_IMODE(place.home.stat().st_mode) == 0o700
        assert place.folder.is_relative_to(place.home)
        assert place.config().ticked(place.titles)[:2] == ["claude", "codex"]
        assert place.reconcile().turns > 90
        seen.append(place)
        return 5

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(app, "run_app", look)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        assert run_demo() == 5
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    assert not seen[0].home.exists()
    assert not list(tmp_path.glob("harkback-demo-*"))
    assert seen[0].environ == {}
