"""README says what is true: its commands run, its lines are the ones that are checked, nothing is left out."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest
from harkback.adapters import ADAPTERS
from harkback.core.query import FILTERS
from harkback.tui import keys
from harkback.tui.cli import COMMANDS, cli

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
LINES = [line for block in BLOCKS for line in block.splitlines()]

for name in COMMANDS:
    import_module(f"harkback.tui.{name}")  # so that every command is known


def commands(group: click.Group = cli, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The path of every command that is not hidden."""
    for name, command in group.commands.items():
        if not command.hidden:
            yield (*path, name)
            if isinstance(command, click.Group):
                yield from commands(command, (*path, name))


def named_commands() -> list[list[str]]:
    """Every `harkback …` in README, as words."""
    quoted = re.findall(r"`(harkback [^`\n]+)`", README)
    listed = [part for line in LINES if line.startswith("harkback ") for part in re.split(r"\s{2,}", line)]
    return [shlex.split(command) for command in (*quoted, *listed)]


def test_one_line_runs_the_demo_and_one_the_tests() -> None:
    demo = [line for line in LINES if line.endswith("/harkback demo")]
    tests = [line for line in LINES if line.endswith(" -m pytest")]
    assert len(demo) == len(tests) == 1
    for line in demo + tests:
        assert line.startswith("python3 -m venv .venv && .venv/bin/pip install -q -c constraints.txt ")


def test_ci_runs_the_test_line_word_for_word() -> None:
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    (found,) = re.findall(r"^tests=\$\((.*)\)$", script, re.MULTILINE)
    extracted = subprocess.run(["/bin/sh", "-c", found], cwd=ROOT, capture_output=True, text=True, check=True)
    assert extracted.stdout.splitlines() == [line for line in LINES if line.endswith(" -m pytest")]
    assert '-c "$tests"' in script
    for tool in ("ruff format --check .", "ruff check .", "pyright ", "lint-imports"):
        assert f"\n{tool}" in script


def test_every_command_that_is_named_exists() -> None:
    known = set(commands())
    named = named_commands()
    assert len(named) > 8
    for _, *words in named:
        if words[0] not in ("demo", "COMMAND"):
            assert any(tuple(words[:length]) in known for length in (1, 2)), words
        for option in (word for word in words if word.startswith("--") and words[0] != "COMMAND"):
            command: click.Command = cli
            for word in words:
                if isinstance(command, click.Group) and word in command.commands:
                    command = command.commands[word]
            assert option in {name for parameter in command.params for name in parameter.opts}, (words, option)


@pytest.mark.parametrize("path", sorted(commands()), ids=" ".join)
def test_every_command_has_a_help_text_in_plain_words(path: tuple[str, ...]) -> None:
    command: click.Command = cli
    for name in path:
        assert isinstance(command, click.Group)
        command = command.commands[name]
    text = command.help or ""
    assert text.strip().endswith((".", "上周", "'", "."))
    assert "\x08" not in command.get_short_help_str()
    for parameter in command.params:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            assert parameter.help, (path, parameter.name)


def test_each_module_adds_the_commands_it_is_known_for() -> None:
    assert {name for names in COMMANDS.values() for name in names} | {"demo"} == set(cli.commands)
    for module, names in COMMANDS.items():
        defined = {
            name for name, command in cli.commands.items()
            if command.callback and command.callback.__module__ == f"harkback.tui.{module}"
        }  # fmt: skip
        assert defined == set(names), module


def test_every_top_level_command_is_mentioned() -> None:
    missing = [path[0] for path in commands() if len(path) == 1 and f"harkback {path[0]}" not in README]
    assert missing == []


def test_every_source_and_every_filter_is_named() -> None:
    assert [adapter.name for adapter in ADAPTERS if f"`{adapter.name}`: {adapter.title}" not in README] == []
    assert [name for name in FILTERS if f"`{name}:" not in README] == []


def test_the_five_keys_are_what_they_are_said_to_be() -> None:
    bound = {key for table in (keys.SEARCH, keys.READING) for each in table for key in each.keys.split(",")}
    table = README.partition("## Five keys")[2].partition("##")[0]
    named = {key for row in table.splitlines()[4:] if row.startswith("|") for key in re.findall(r"`([^`]+)`", row)}
    assert named - {"↑", "↓", "config.toml", "[keys]", "f1"} <= bound
    assert "f1" in {key for each in keys.ANYWHERE for key in each.keys.split(",")}


def test_pictures_and_files_that_are_named_exist() -> None:
    for path in re.findall(r"\]\(([^)]+)\)", README):
        assert (ROOT / path).is_file(), path
    for path in re.findall(r"`((?:core|adapters|tui|tests|screenshots|\.ci)/[^`]*)`", README):
        assert (ROOT / path).exists(), path


def test_the_numbers_of_the_limits_are_the_ones_in_force() -> None:
    from harkback.core.config import Limits

    limits = Limits().effective()
    assert f"the last {limits.window_days} days" in README
    assert f"{limits.turns_per_source:,} turns of a source and {limits.turns_total:,} in all" in README
    assert f"{limits.text_per_file >> 20} MB of text of one file" in README
