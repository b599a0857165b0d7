"""Agents that delete their own old sessions: the period they were given, and who is told how many will go."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from command_line import CommandLine
from engine import Engine, Lines, turn
from harkback.adapters.claude import Claude
from harkback.adapters.codex import Codex
from harkback.core.config import Config, SourceConfig
from harkback.core.model import Sweeping
from harkback.core.status import survey
from harkback.core.sweep import SOON_DAYS, swept_soon
from harkback.tui.demo import write_home
from hypothesis import given
from hypothesis import strategies as st

DAY = 86_400_000
NOW = 1_790_000_000_000


# ---- the setting ----


@pytest.fixture
def days(tmp_path: Path) -> Callable[..., int | None]:
    """What the adapter makes of settings files, given by name as what they hold."""

    def read(**files: object) -> int | None:
        for name, content in files.items():
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            (tmp_path / f"{name.replace('_', '.')}.json").write_bytes(data)
        return Claude().sweep_days(tmp_path / "projects")

    return read


def test_without_a_setting_it_is_thirty_days(days: Callable[..., int | None]) -> None:
    assert days() == 30
    assert days(settings={"model": "opus"}) == 30


def test_the_setting_counts_and_the_local_one_first(days: Callable[..., int | None]) -> None:
    assert days(settings={"cleanupPeriodDays": 365}) == 365
    assert days(settings_local={"cleanupPeriodDays": 14}) == 14
    assert days(settings_local={"permissions": {}}) == 365


def test_zero_is_a_period(days: Callable[..., int | None]) -> None:
    assert days(settings={"cleanupPeriodDays": 0}) == 0


@pytest.mark.parametrize("value", ["30", -1, None, [], 1e300, 10**30, True, 1.5])
def test_a_number_that_is_none_is_passed_over(days: Callable[..., int | None], value: object) -> None:
    assert days(settings={"cleanupPeriodDays": value}) == 30


@given(
    content=st.binary(max_size=200) | st.recursive(st.none() | st.integers(), st.lists).map(lambda v: repr(v).encode())
)
def test_no_settings_file_can_break_it(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    folder = tmp_path_factory.mktemp("config")
    (folder / "settings.json").write_bytes(content)
    assert Claude().sweep_days(folder / "projects") == 30


def test_a_folder_or_a_pipe_in_its_place_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "settings.local.json").mkdir()
    os.mkfifo(tmp_path / "settings.json")
    assert Claude().sweep_days(tmp_path / "projects") == 30


def test_linked_settings_are_read_and_a_loop_is_not(tmp_path: Path) -> None:
    (tmp_path / "dotfiles.json").write_text('{"cleanupPeriodDays": 90}')
    (tmp_path / "settings.json").symlink_to("dotfiles.json")
    (tmp_path / "settings.local.json").symlink_to("settings.local.json")
    assert Claude().sweep_days(tmp_path / "projects") == 90


def test_reading_the_setting_leaves_its_access_time(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("{}")
    os.utime(path, (1, 2))
    Claude().sweep_days(tmp_path / "projects")
    assert path.stat().st_atime == 1


def test_of_the_desktop_app_no_period_is_known_and_codex_sweeps_nothing(tmp_path: Path) -> None:
    assert Claude().sweep_days(tmp_path / "local-agent-mode-sessions") is None
    assert isinstance(Claude(), Sweeping)
    assert not isinstance(Codex(), Sweeping)


# ---- how many go ----


@dataclass(frozen=True)
class Swept(Lines):
    """A store of lines whose agent deletes after so many days."""

    days: int | None = 30

    def sweep_days(self, root: Path) -> int | None:
        return self.days


class Home:
    """A store whose files have ages, indexed."""

    def __init__(self, place: Path, **ages: float) -> None:
        self.engine = Engine(place, adapters=(Swept(),))
        for name, age in ages.items():
            self.add(name, age)

    def add(self, name: str, age: float) -> None:
        """A session last changed `age` days before NOW."""
        path = self.engine.write(name, turn("what was said", time=NOW - int(age * DAY)))
        moment = NOW / 1000 - age * 86_400
        os.utime(path, (moment, moment))

    def soon(self, days: int | None = 30, now: int = NOW) -> int:
        self.engine.run()
        db = self.engine.store.read()
        try:
            return swept_soon(db, Swept(days=days), self.engine.home, {}, now)
        finally:
            db.close()


def test_those_count_that_will_be_older_than_the_period_within_a_week(tmp_path: Path) -> None:
    home = Home(tmp_path, new=0, at_ease=30 - SOON_DAYS - 0.1, soon=30 - SOON_DAYS + 0.1, overdue=400)
    assert home.soon() == 2
    assert home.soon(now=NOW + DAY) == 3
    assert home.soon(days=365) == 1
    assert home.soon(days=10_000) == 0


def test_with_a_period_of_zero_all_will_go_and_without_one_none(tmp_path: Path) -> None:
    home = Home(tmp_path, new=0, old=100)
    assert home.soon(days=0) == 2
    assert home.soon(days=None) == 0


def test_a_session_that_is_continued_is_out_of_danger(tmp_path: Path) -> None:
    home = Home(tmp_path, talk=29)
    assert home.soon() == 1
    home.add("talk", 0)
    assert home.soon() == 0


def test_a_session_that_was_swept_no_longer_counts_and_its_text_stays(tmp_path: Path) -> None:
    home = Home(tmp_path, talk=29, other=1)
    assert home.soon() == 1
    home.engine.path("talk").unlink()
    assert home.soon() == 0
    assert home.engine.texts("talk") == ["what was said"]


def test_copies_in_a_place_of_our_own_configuration_are_not_swept(tmp_path: Path) -> None:
    home = Home(tmp_path, talk=1)
    copies = tmp_path / "copies"
    copies.mkdir()
    copy = copies / "copy.jsonl"
    copy.write_bytes(home.engine.path("talk").read_bytes())
    os.utime(copy, (1, 1))
    home.engine.roots = (str(copies),)
    assert home.soon() == 0
    assert home.engine.texts("copy")


def test_a_place_whose_name_begins_alike_is_another_place(tmp_path: Path) -> None:
    home = Home(tmp_path, talk=1)
    beside = tmp_path / "home" / ".lines0"
    beside.mkdir()
    (beside / "copy.jsonl").write_bytes(home.engine.path("talk").read_bytes())
    os.utime(beside / "copy.jsonl", (1, 1))
    home.engine.roots = (str(beside),)
    assert home.soon() == 0


# ---- who is told ----

NOTICE = "will be deleted by Claude Code in the next 7 days; harkback keeps their text"


@pytest.fixture
def aged(harkback: CommandLine) -> CommandLine:
    """A home with the samples, two sessions of Claude Code more than three weeks old and the others new."""
    write_home(harkback.home, datetime.now(UTC))
    paths = sorted((harkback.home / ".claude" / "projects").rglob("*.jsonl"))
    for number, path in enumerate(paths):
        age = time.time() - (25 if number < 2 else 3) * 86_400
        os.utime(path, (age, age))
    harkback("sources", "enable", "claude", "codex")
    harkback("config", "set", "limits.preset", "everything")
    return harkback


def test_sources_and_status_tell_how_many_will_go(aged: CommandLine) -> None:
    assert NOTICE not in aged("sources").out
    aged("index")
    assert f"2 {NOTICE}" in aged("sources").out
    assert f"2 {NOTICE}" in aged("status").out
    claude, codex, *_ = aged("sources", "--json").json["sources"]
    assert (claude["swept_soon"], codex["swept_soon"]) == (2, None)
    assert aged("status", "--json").json["swept_soon"] == {"claude": 2}


def test_a_longer_period_in_the_settings_takes_the_notice_away(aged: CommandLine) -> None:
    aged("index")
    (aged.home / ".claude" / "settings.json").write_text('{"cleanupPeriodDays": 3650}')
    assert NOTICE not in aged("sources").out + aged("status").out
    assert aged("status", "--json").json["swept_soon"] == {"claude": 0}


def test_an_unticked_source_is_not_counted(aged: CommandLine) -> None:
    aged("index")
    aged("sources", "disable", "claude")
    assert NOTICE not in aged("sources").out + aged("status").out
    assert aged("sources", "--json").json["sources"][0]["swept_soon"] is None


def test_a_look_at_the_disk_counts_files_without_an_index(aged: CommandLine) -> None:
    now = int(time.time() * 1000)
    found = survey(Claude(), Config(), aged.home, {}, now, 90)
    assert (found.files, found.swept_soon) == (9, 2)
    assert survey(Codex(), Config(), aged.home, {}, now, 90).swept_soon == 0


def test_on_the_disk_too_only_the_agents_own_places_are_swept(aged: CommandLine, tmp_path: Path) -> None:
    shutil.copytree(aged.home / ".claude" / "projects", tmp_path / "copies")
    config = Config(sources={"claude": SourceConfig(True, (str(tmp_path / "copies"),))})
    found = survey(Claude(), config, aged.home, {}, int(time.time() * 1000), 90)
    assert (found.files, found.swept_soon) == (18, 2)
