"""Commands about what may be read: sources, and ticking and unticking them."""

from __future__ import annotations

import os
from pathlib import Path

import click

from ..core import config as configuration
from ..core.config import ConfigError
from ..core.lock import Busy
from ..core.store import StoreError
from .cli import NOTHING, cli, home_option, place
from .known_sources import check_names, how_to_tick, source_rows
from .output import note, print_json, say, source_json
from .source_table import source_lines


@cli.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@home_option
@click.pass_context
def sources(context: click.Context, as_json: bool) -> None:
    """List every source: is it there, is it ticked, what is in the index of it."""
    if context.invoked_subcommand is not None:
        return
    here = place()
    rows = source_rows(here)
    if as_json:
        print_json({"sources": [source_json(row) for row in rows]})
        return
    for line in source_lines(rows, str(here.home), here.now()):
        say(line)
    if not any(row.ticked for row in rows):
        note(how_to_tick(here)[-1])


@sources.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@home_option
def enable(names: tuple[str, ...]) -> None:
    """Tick sources: they may be read from now on."""
    here = place()
    check_names(here, names)
    configuration.change(here.folder, {f"sources.{name}.enabled": True for name in names})
    say(f"ticked: {', '.join(names)}; `harkback index` reads them now, and so does the next search")


@sources.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@home_option
def disable(names: tuple[str, ...]) -> None:
    """Untick sources: what was indexed of them is removed."""
    here = place()
    check_names(here, names)
    configuration.change(here.folder, {f"sources.{name}.enabled": False for name in names})
    try:
        if here.store.exists():
            here.reconcile(only=[])
    except (Busy, StoreError) as error:
        note(f"unticked, but still in the index ({_why(error)}); the next `harkback index` removes it")
        return
    say(f"unticked, and no longer in the index: {', '.join(names)}")


@sources.command("confirm")
@click.argument("name")
@home_option
@click.pass_context
def confirm_gone(context: click.Context, name: str) -> None:
    """Say that what is gone of a source is really gone.

    When more than half of a source goes at once, harkback keeps all of it and asks, since a disk may not be mounted or
    a folder may have moved. If it comes back, nothing needs to be said.
    """
    here = place()
    check_names(here, [name])
    asked = here.confirm(name)
    if not asked:
        say(f"nothing is asked about {name}: `harkback status` tells what is")
        context.exit(NOTHING)
    forgets = here.config().retention.when_source_vanishes == "forget"
    done = "no longer in the index" if forgets else "marked as gone at their source; their text is kept"
    missing = sum(each.missing for each in asked)
    try:
        here.reconcile(only=[name])
    except Busy:
        note("another harkback is indexing; the next `harkback index` goes by your answer")
        return
    say(f"{missing:,} of {name}: {done}")


@sources.command()
@click.argument("name")
@click.argument("path")
@home_option
def add(name: str, path: str) -> None:
    """Read a source in one more place."""
    here = place()
    check_names(here, [name])
    full = _full(path)
    if not os.path.exists(full):  # noqa: PTH110, a Path refuses some of the names that may be typed here
        raise ConfigError(f"{full} does not exist; nothing was changed")
    roots = [*here.config().source(name).roots]
    if full not in roots:
        configuration.change(here.folder, {f"sources.{name}.roots": [*roots, full]})
    hint = "" if here.config().source(name).enabled else f"; tick it with `harkback sources enable {name}`"
    say(f"{name} is now also looked for in {full}{hint}")


@sources.command()
@click.argument("name")
@click.argument("path")
@home_option
def remove(name: str, path: str) -> None:
    """Take back a place that `add` gave."""
    here = place()
    check_names(here, [name])
    full = _full(path)
    roots = [*here.config().source(name).roots]
    if full not in roots:
        raise ConfigError(f"{full} is none of the added places of {name}: {', '.join(roots) or 'there are none'}")
    try:
        here.purge_place(name, full)
    except (Busy, StoreError) as error:
        raise StoreError(f"{full} is still a place of {name}: {_why(error)}; try again when that is over") from error
    configuration.change(here.folder, {f"sources.{name}.roots": [root for root in roots if root != full]})
    say(f"{name} is no longer looked for in {full}; what was indexed from there is removed")


def _why(error: Busy | StoreError) -> str:
    return str(error) or "another harkback is indexing"


def _full(path: str) -> str:
    """A path in full. Raises ConfigError for one that config.toml can't hold."""
    full = os.path.abspath(Path(path).expanduser())  # noqa: PTH100, `..` must not stay in the configuration
    try:
        full.encode()
    except UnicodeEncodeError as error:
        raise ConfigError(f"{full} is not valid UTF-8, which config.toml must be; nothing was changed") from error
    return full
