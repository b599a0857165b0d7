"""Commands about what is read: sources, index, status, config."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import click

from ..core import config as configuration
from ..core import status as statuses
from ..core.config import ConfigError
from ..core.lock import Busy
from ..core.model import Progress
from ..core.reconcile import Report
from ..core.store import NoIndex, StoreError
from ..core.worker import Failed, serve, tell
from .cli import FAILED, NOTHING, cli, home_option, place
from .output import is_terminal, note, print_json, report_json, short_time, source_json, status_json
from .surroundings import Surroundings


@cli.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@home_option
@click.pass_context
def sources(context: click.Context, as_json: bool) -> None:
    """Every source: is it there, is it ticked, what is in the index."""
    if context.invoked_subcommand is not None:
        return
    here = place()
    rows = _sources(here)
    if as_json:
        print_json({"sources": [source_json(row) for row in rows]})
        return
    for row in rows:
        mark = "x" if row.ticked else " "
        held = f"{row.sessions:,} sessions, {row.turns:,} turns" if row.ticked else f"{row.files:,} files"
        skipped = f", {row.skipped:,} skipped" if row.skipped else ""
        state = held + skipped if row.found else "not found"
        click.echo(f"[{mark}] {row.name:<12} {state:<34} {', '.join(row.roots)}")
        if row.last_error:
            click.echo(f"    last run failed: {row.last_error}")
    if not any(row.ticked for row in rows):
        note("Nothing is ticked, so nothing is read. Tick one: harkback sources enable NAME")


@sources.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@home_option
def enable(names: tuple[str, ...]) -> None:
    """Tick sources: they may be read from now on."""
    here = place()
    _known(here, names)
    configuration.change(here.folder, {f"sources.{name}.enabled": True for name in names})
    click.echo(f"ticked: {', '.join(names)}. Run `harkback index`, or just open harkback.")


@sources.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@home_option
def disable(names: tuple[str, ...]) -> None:
    """Untick sources: what was indexed of them is removed."""
    here = place()
    _known(here, names)
    configuration.change(here.folder, {f"sources.{name}.enabled": False for name in names})
    if here.store.exists():
        try:
            here.reconcile(only=[])
        except (Busy, StoreError) as error:
            why = str(error) or "another harkback is indexing"
            note(f"unticked, but still in the index ({why}); it goes at the next `harkback index`")
            return
    click.echo(f"unticked and removed from the index: {', '.join(names)}")


@sources.command()
@click.argument("name")
@click.argument("path")
@home_option
def add(name: str, path: str) -> None:
    """Read a source in one more place."""
    here = place()
    _known(here, [name])
    full = str(Path(path).expanduser().absolute())
    if not os.path.exists(full):  # noqa: PTH110, broken links and odd names are all right here
        raise ConfigError(f"{full} does not exist; nothing was changed")
    roots = [*here.config().source(name).roots]
    if full not in roots:
        configuration.change(here.folder, {f"sources.{name}.roots": [*roots, full]})
    click.echo(f"{name} is now also read in {full}")


@sources.command()
@click.argument("name")
@click.argument("path")
@home_option
def remove(name: str, path: str) -> None:
    """Take back a place that `add` gave."""
    here = place()
    _known(here, [name])
    full = str(Path(path).expanduser().absolute())
    roots = [*here.config().source(name).roots]
    if full not in roots:
        raise ConfigError(f"{full} is none of the added places of {name}: {', '.join(roots) or 'there are none'}")
    configuration.change(here.folder, {f"sources.{name}.roots": [root for root in roots if root != full]})
    click.echo(f"{name} is no longer read in {full}")


@cli.command()
@click.option("--source", "names", multiple=True, metavar="NAME", help="Only this source; may be repeated.")
@click.option("--rebuild", is_flag=True, help="Read every file again; what only the index still holds is kept.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option("--events", is_flag=True, hidden=True, help="For the app: JSON lines of progress.")
@home_option
@click.pass_context
def index(context: click.Context, names: tuple[str, ...], rebuild: bool, as_json: bool, events: bool) -> None:
    """Bring the index in line with the session files."""
    here = place()
    only = list(names) or None
    if events:
        _serve(here, only, rebuild)
        return
    _known(here, names)
    ticked = here.config().ticked(here.titles)
    if not ticked:
        _say_how_to_tick(here, as_json)
        context.exit(NOTHING)
    if unticked := [name for name in names if name not in ticked]:
        raise ConfigError(f"{', '.join(unticked)} is not ticked; `harkback sources enable {' '.join(unticked)}`")
    show = _bar if is_terminal() and not as_json else None
    report = here.reconcile(only=only, rebuild=rebuild, on_progress=show)
    if show:
        click.echo("\r\x1b[K", nl=False, err=True)
    if as_json:
        print_json(report_json(report))
    else:
        _print_report(here, report)
    if report.errors and len(report.errors) == len(only or ticked):
        context.exit(FAILED)


@cli.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@home_option
def status(as_json: bool) -> None:
    """What the index holds, what was skipped and what limits left out."""
    here = place()
    db = here.store.read()
    try:
        state = statuses.index_status(db, here.store.path)
    finally:
        db.close()
    if as_json:
        print_json({**status_json(state), "indexing": here.store.being_written()})
        return
    click.echo(f"index        {state.path} ({state.bytes / 1e6:,.1f} MB)")
    click.echo(f"sessions     {state.sessions:,} ({state.gone_at_source:,} gone at their source, kept here)")
    click.echo(f"turns        {state.turns:,}, from {short_time(state.oldest)} to {short_time(state.newest)}")
    click.echo(f"unreadable   {state.quarantined:,} files; what was indexed of them stays")
    click.echo(f"skipped      {_listed(state.skips)}")
    click.echo(f"left out     {_listed(state.left_out)} (sessions, by limit)")
    click.echo(f"masked       {_listed(state.redacted)} (secrets, by kind)")
    if here.store.being_written():
        note("another harkback is indexing now")


@cli.group()
@home_option
def config() -> None:
    """Show or change config.toml."""


@config.command("path")
@home_option
def config_path() -> None:
    """Where config.toml is."""
    click.echo(place().folder / "config.toml")


@config.command("get")
@click.argument("key", default="")
@home_option
def config_get(key: str) -> None:
    """The value of a setting such as limits.preset, as JSON; without KEY all of them."""
    click.echo(json.dumps(configuration.get(place().config(), key), ensure_ascii=False, indent=None if key else 2))


@config.command("set")
@click.argument("key")
@click.argument("value")
@home_option
def config_set(key: str, value: str) -> None:
    """Change a setting; VALUE is TOML or plain text: 30, true, everything."""
    here = place()
    configuration.change(here.folder, {key: _value(value)})
    click.echo(f"{key} = {json.dumps(configuration.get(here.config(), key), ensure_ascii=False)}")


# ---- parts ----


def _known(here: Surroundings, names: tuple[str, ...] | list[str]) -> None:
    if wrong := [name for name in names if here.adapter(name) is None]:
        raise ConfigError(f"there is no source {wrong[0]!r}; there are {', '.join(here.titles)}")


def _sources(here: Surroundings) -> list[statuses.SourceStatus]:
    try:
        db = here.store.read()
    except NoIndex:
        db = None
    try:
        return statuses.sources(db, here.adapters, here.config(), here.home, here.environ)
    finally:
        if db:
            db.close()


def _say_how_to_tick(here: Surroundings, as_json: bool) -> None:
    rows = _sources(here)
    found = [row for row in rows if row.found and row.files]
    if as_json:
        print_json({"sources": [source_json(row) for row in rows], "ticked": 0})
    if not found:
        looked = "; ".join(f"{row.title} in {', '.join(row.roots)}" for row in rows)
        note(f"No agent's sessions were found. Looked for {looked}. Another place: harkback sources add NAME PATH")
        return
    note("Nothing is ticked, so nothing was read. Found on this machine:")
    for row in found:
        note(f"  {row.name:<12} {row.files:,} files in {', '.join(row.roots)}")
    note(f"Tick what may be read: harkback sources enable {' '.join(row.name for row in found)}")


def _serve(here: Surroundings, only: list[str] | None, rebuild: bool) -> None:
    output = sys.stdout.buffer
    try:
        if hasattr(os, "nice"):
            os.nice(5)
        serve(
            lambda progress, stopped: here.reconcile(only=only, rebuild=rebuild, on_progress=progress, stopped=stopped),
            output,
        )
    except Busy:
        tell(Failed("another harkback is indexing", busy=True), output)
    except (StoreError, ConfigError) as error:
        tell(Failed(str(error)), output)


def _bar(progress: Progress) -> None:
    done = progress.bytes_done / progress.bytes_total if progress.bytes_total else 1.0
    left = f" · {progress.seconds_left:.0f} s left" if progress.seconds_left is not None else ""
    bar = "█" * round(20 * done)
    line = (
        f"\r\x1b[K{progress.source:<12} ▕{bar:<20}▏ {progress.files_done:,} of {progress.files_total:,} files · "
        f"{progress.turns:,} turns{left}"
    )
    click.echo(line, nl=False, err=True)


def _print_report(here: Surroundings, report: Report) -> None:
    added, read = report.turns - report.turns_before, report.bytes_read / 1e6
    click.echo(
        f"{report.sessions:,} sessions, {report.turns:,} turns ({added:+,}) from {report.seen:,} files; "
        f"read {report.read:,} files, {read:,.1f} MB, in {report.seconds:.1f} s"
    )
    if report.quarantined:
        click.echo(f"{report.quarantined:,} files can't be read; what was indexed of them stays")
    if report.skips:
        click.echo(f"skipped: {_listed(report.skips)}")
    if any(report.left_out.values()):
        click.echo(
            f"left out by limits: {_listed(report.left_out)} sessions; `harkback config set limits.preset everything` "
            "takes all"
        )
    for name, error in report.errors.items():
        note(f"{here.titles[name]} could not be read ({error}); what was indexed of it stays")


def _listed(counts: Any) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items() if count) or "nothing"


def _value(text: str) -> object:
    """A command-line word as a TOML value, else as the text that it is."""
    import tomllib

    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
