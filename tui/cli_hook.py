"""The commands about hooks: the one that agents call, and those that put it into their settings and take it out."""

from __future__ import annotations

import difflib
import os
import shlex
import subprocess
import sys
from pathlib import Path

import click

from ..core import config as configuration
from ..core.clean import clean
from ..core.hook_log import last_line
from ..core.json_text import NotJson
from ..core.redact import redact
from .cli import FAILED, NOTHING, cli, home_option, place
from .hook_files import Refused, Settings, not_json, read_settings, replace_settings
from .hook_settings import AGENTS, Agent, installed, removed, state, turned_off
from .output import columns, note, on_terminal, print_json, say, short_path, silence_output
from .surroundings import Surroundings

STATES = {"installed": "installed", "differs": "installed otherwise than now", "absent": "not installed"}


class _Hooks(click.Group):
    """A word that is no command is an event, as agents name it."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] in self.commands:
            return super().resolve_command(ctx, args)
        return "event", self.commands["event"], args


@cli.group(cls=_Hooks, short_help="Tell agents of past sessions, by their hooks.")
@home_option
def hook() -> None:
    """Tell agents of past sessions as they begin, and read new ones as they end, by the hooks of those agents.

    `harkback hook EVENT` is what an agent calls: it reads the agent's JSON and answers in kind, or not at all.
    """


@hook.command(hidden=True, context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def event(context: click.Context, words: tuple[str, ...]) -> None:
    """Answer an agent's hook. Whatever it says and whatever goes wrong, this ends with 0 and says no word too much."""
    from .hook import run  # brings the search along

    name, *rest = [*words, ""]
    agent = rest[rest.index("--agent") + 1] if "--agent" in rest[:-1] else ""
    run(name, agent, context.obj)
    silence_output()


@hook.command()
@click.argument("agent", type=click.Choice(list(AGENTS)))
@click.option("--remove", is_flag=True, help="Take out what was put in, and nothing else.")
@click.option("--yes", is_flag=True, help="Don't ask.")
@home_option
@click.pass_context
def install(context: click.Context, agent: str, remove: bool, yes: bool) -> None:
    """Put hooks of harkback into an agent's settings; shows what it would write and asks.

    At the beginning of a session the agent is told of the last sessions in its project, with a prompt of what was said
    about it, if that is found; and the index is brought up to date. All else in the settings stays as it is. What an
    agent is told goes to its model, like everything it reads.
    """
    here, of = place(), AGENTS[agent]
    try:
        old = read_settings(of.settings(here.home, here.environ))
        text = _changed(here, of, old, remove=remove)
        if text is None:
            note(f"there is no hook of harkback's in {old.path}" if remove else f"{old.path} has these hooks already")
            context.exit(NOTHING if remove else 0)
        for line in _difference(old, text):
            say(line)
        if not yes:
            if not on_terminal(sys.stdin):
                raise click.UsageError(f"there is no terminal to ask on; --yes writes {old.path} without asking")
            if not click.confirm(f"Write this to {old.path}?", err=True):
                note("nothing was changed")
                context.exit(NOTHING)
        backup = replace_settings(old, text, here.folder / "backups", here.now())
    except Refused as error:
        note(f"harkback: {error}")
        context.exit(FAILED)
    note(f"written{f'; what was there before is kept in {backup}' if backup else ''}")
    if not remove:
        for line in _advice(here, of, text):
            note(line)


@hook.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@home_option
def status(as_json: bool) -> None:
    """Say which agents have hooks of harkback, and what went wrong last in one."""
    here = place()
    rows: list[dict[str, str]] = []
    for of in AGENTS.values():
        path = of.settings(here.home, here.environ)
        try:
            found = _state(here, of, read_settings(path))
        except Refused as error:
            found = str(error)
        rows.append({"agent": of.name, "title": of.title, "settings": str(path), "state": found})
    trouble = last_line(here.folder)
    if as_json:
        print_json({"agents": rows, "last_error": trouble})
        return
    home = str(here.home)
    shown = [
        [row["agent"], row["title"], STATES.get(row["state"], row["state"]), short_path(row["settings"], home)]
        for row in rows
    ]
    for line in columns(shown):
        say(line)
    if trouble:
        note(f"last error: {trouble}")


# ---- parts ----


def _commands(here: Surroundings, of: Agent) -> dict[str, str]:
    """Event → the command line that an agent's shell is given."""
    program = Path(sys.argv[0])
    is_script = program.stem == "harkback" and program.is_absolute() and program.is_file()
    words = [program.as_posix()] if is_script else [Path(sys.executable).as_posix(), "-P", "-m", "harkback.tui"]
    if here.folder != configuration.home_folder(None, {}):
        words += ["--home", here.folder.as_posix()]
    join = subprocess.list2cmdline if os.name == "nt" else shlex.join
    return {event: join([*words, "hook", event, "--agent", of.name]) for event in of.events}


def _changed(here: Surroundings, of: Agent, old: Settings, *, remove: bool) -> str | None:
    """The settings as they should be; None if they are."""
    try:
        text = removed(old.text) if remove else installed(old.text, of, _commands(here, of))
    except NotJson as error:
        raise not_json(old.path, error) from error
    return text if text != old.text else None


def _state(here: Surroundings, of: Agent, settings: Settings) -> str:
    try:
        return state(settings.text, of, _commands(here, of))
    except NotJson as error:
        raise not_json(settings.path, error) from error


def _difference(old: Settings, text: str) -> list[str]:
    """The lines that go and those that come; settings may hold keys, and none of them is shown."""
    before, after = old.text.splitlines(), text.splitlines()
    name = str(old.path)
    lines = difflib.unified_diff(before, after, name, name, n=0, lineterm="")
    return redact(clean("\n".join(lines))).text.split("\n")


def _advice(here: Surroundings, of: Agent, text: str) -> list[str]:
    lines = [of.advice] if of.advice else []
    if turned_off(text):
        lines.append("all hooks are turned off in these settings: disableAllHooks")
    if not here.config().ticked(here.titles):
        lines.append("no source is ticked yet, so there is nothing to tell: harkback sources enable NAME")
    return [*lines, f"{of.title} uses them from its next session on; `harkback hook install {of.name} --remove` undoes"]
