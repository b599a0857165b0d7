"""The program that is ready does as the installed one does; here each command is started as a person starts it."""

from __future__ import annotations

import os
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import click
from command_line import CommandLine, Ran, ready, ready_command
from harkback.core.private import write_private
from harkback.tui import cli
from harkback.tui.demo import write_home
from ready_ask import ask

NOW = datetime.now(UTC)
TICKED = """
limits.preset = "everything"
sources.claude.enabled = true
"""
COMMANDS = (
    "", "demo", "nonsense", "--version", "config path", "config set interface.theme nord", "config get",
    "sources", "sources enable codex", "sources add claude ~", "sources remove claude ~", "sources confirm claude",
    "sources disable codex", "exclude add title:salary", "exclude list", "exclude test title:clipboard",
    "exclude remove title:salary", "index", "search clipboard --no-refresh", "search xylophone --no-refresh",
    "search --stdin --no-refresh", "context clipboard --no-refresh", "show nonsense",
    "memory search clipboard --no-refresh", "memory get nonsense", "resume nonsense", "hook status",
    "hook event SessionStart", "hook install codex --yes",
    "why nonsense", "doctor", "mcp", "forget --source codex --yes", "forget --source claude --yes", "status",
)  # fmt: skip
"""In this order, in one home; each command at least once."""


def without_figures(ran: Ran, home: CommandLine) -> Ran:
    """What two runs in two homes have in common."""
    out, err = (re.sub(r"[\d.,]+", "0", said.replace(str(home.home), "~")) for said in (ran.out, ran.err))
    return Ran(ran.code, out, err)


def test_every_command_says_what_the_installed_one_says(tmp_path: Path) -> None:
    homes = [CommandLine(tmp_path / name) for name in ("ready", "anew")]
    for home in homes:
        write_home(home.home, NOW)
        write_private(home.folder / "config.toml", TICKED)
    for words in COMMANDS:
        ran, anew = homes[0](*words.split()), homes[1].anew(*words.split())
        assert without_figures(ran, homes[0]) == without_figures(anew, homes[1]), words


def test_no_command_is_left_out() -> None:
    context = click.Context(cli.cli)
    commands = {name: cli.cli.get_command(context, name) for name in cli.cli.list_commands(context)}
    there = {
        f"{name} {each}".strip()
        for name, command in commands.items()
        for each in (command.commands if isinstance(command, click.Group) else [""])
    }
    assert {command for command in there if not any(f"{each} ".startswith(f"{command} ") for each in COMMANDS)} == set()


def test_words_streams_folder_and_end_are_the_commands_own(harkback: CommandLine, tmp_path: Path) -> None:
    words = ("search", "--stdin", "--home", "here")
    (tmp_path / "here").mkdir()
    for config in ("", "[limits\n"):
        (tmp_path / "here" / "config.toml").write_text(config)
        ready, anew = (
            subprocess.run(command, env=harkback.environ, cwd=tmp_path, input=b"a \xff b", capture_output=True)
            for command in (ready_command(*words), [harkback.program, *words])
        )
        assert ready.returncode == anew.returncode == (2 if config else 1)
        assert ready.stderr == anew.stderr
        assert re.sub(rb"\d", b"", ready.stdout) == re.sub(rb"\d", b"", anew.stdout)


def test_a_command_ends_with_whoever_asked_for_it(harkback: CommandLine) -> None:
    given, typing = os.pipe()
    reading, said = os.pipe()
    asked = ask(ready(), ["harkback", "mcp"], harkback.environ, (given, said, said))
    os.close(given)
    os.close(said)
    asked.close()
    assert os.read(reading, 1) == b""  # nobody has it open any more
    os.close(typing)
    os.close(reading)
