"""Going on with a session: in its folder or the nearest that is left, with a checked id, as its agent."""

from __future__ import annotations

import json
import shlex
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from command_line import CommandLine
from conftest import NOW
from harkback.core.private import write_private
from harkback.tui import demo
from harkback.tui.demo import write_home
from harkback.tui.resume import Resume
from harkback.tui.surroundings import Surroundings
from ready_place import ReadySurroundings
from test_app import ask, running


@pytest.fixture
def samples(harkback: CommandLine) -> CommandLine:
    write_home(harkback.home, datetime.now(UTC))
    write_private(harkback.folder / "config.toml", "sources.claude.enabled = true\n")
    assert harkback("index").code == 0
    return harkback


def found(run: CommandLine) -> tuple[str, Path]:
    hit = run("search", "clipboard ssh", "--limit", "1", "--json", "--no-refresh").json["hits"][0]
    return hit["session"], Path(hit["project"])


def test_the_command_is_printed_for_a_shell_and_nothing_is_run(samples: CommandLine) -> None:
    session, folder = found(samples)
    ran = samples("resume", session, "--print")
    native_id = session.partition(":")[2]
    assert (ran.code, ran.out) == (0, f"cd {shlex.quote(str(folder))} && claude --resume {native_id}\n")


def test_the_agent_runs_in_the_folder_of_the_session(samples: CommandLine, tmp_path: Path) -> None:
    session, folder = found(samples)
    agent = tmp_path / "bin" / "claude"
    agent.parent.mkdir()
    agent.write_text('#!/bin/sh\npwd\nfor each in "$@"; do echo "$each"; done\nexit 7\n')
    agent.chmod(0o755)
    ran = samples("resume", session, PATH=f"{agent.parent}:/usr/bin:/bin")
    assert ran.out.splitlines() == [str(folder), "--resume", session.partition(":")[2]]
    assert ran.code == 7


def test_a_folder_that_is_gone_gives_way_to_the_nearest_above_and_that_is_said(samples: CommandLine) -> None:
    session, folder = found(samples)
    shutil.rmtree(folder)
    ran = samples("resume", session, "--print")
    assert ran.out.startswith(f"cd {folder.parent} && ")
    assert f"{folder} is no longer there: going to {folder.parent} instead" in ran.err


def test_an_agent_that_is_not_installed_is_named_with_what_to_run(samples: CommandLine) -> None:
    session, _ = found(samples)
    ran = samples("resume", session)
    assert ran.code == 3
    assert "claude could not be started" in ran.err
    assert "claude --resume" in ran.out


def test_a_session_that_does_not_exist_ends_in_1(samples: CommandLine) -> None:
    ran = samples("resume", "claude:nowhere")
    assert (ran.code, ran.out) == (1, "")


def test_an_id_that_could_be_taken_for_an_option_is_refused(harkback: CommandLine) -> None:
    folder = harkback.home / ".claude" / "projects" / "-src"
    folder.mkdir(parents=True)
    record = {"type": "user", "sessionId": "--help", "message": {"role": "user", "content": "what is a kumquat?"}}
    (folder / "--help.jsonl").write_text(json.dumps(record) + "\n")
    write_private(harkback.folder / "config.toml", "sources.claude.enabled = true\n")
    assert harkback("index").code == 0
    ran = harkback("resume", "claude:--help", "--print")
    assert (ran.code, ran.out) == (1, "")
    assert "no command that reopens" in ran.err


@pytest.fixture
def at_home(tmp_path: Path) -> Surroundings:
    """The samples on a machine that has Claude Code."""
    demo.write_home(tmp_path, NOW.replace(tzinfo=UTC))
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    place = ReadySurroundings.of(demo.surroundings(tmp_path))
    place = replace(place, now=lambda: NOW, environ={"PATH": str(program.parent)})
    place.reconcile()
    return place


async def test_the_app_does_not_leave_for_an_agent_that_is_not_there(at_home: Surroundings) -> None:
    (at_home.home / "bin" / "claude").unlink()
    async with running(at_home) as pilot:
        await ask(pilot, "clipboard ssh")
        await pilot.press("ctrl+o")
        await pilot.pause()
        assert pilot.app.is_running
        assert "There is no claude on this machine" in [note.message for note in pilot.app._notifications][-1]


async def test_the_app_leaves_for_the_nearest_folder_that_is_left(tmp_path: Path, at_home: Surroundings) -> None:
    place = at_home
    shutil.rmtree(tmp_path / "src" / "web")
    async with running(place) as pilot:
        await ask(pilot, "clipboard ssh")
        await pilot.press("ctrl+o")
        await pilot.pause()
        resume = pilot.app.return_value
    assert isinstance(resume, Resume)
    assert resume.folder == str(tmp_path / "src")
    assert resume.note == f"{tmp_path / 'src' / 'web'} is no longer there: going to {tmp_path / 'src'} instead"


def test_without_a_folder_it_stays_where_it_is() -> None:
    found = Resume(("claude",), "relative/and/gone").in_what_is_left()
    assert found.folder == "."
    assert found.note == "relative/and/gone is no longer there: going to . instead"
    assert Resume(("claude",), None).in_what_is_left() == Resume(("claude",), None)
