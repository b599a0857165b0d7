"""Commands about the index: bringing it up to date, and what is in it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict

import click

from ..core import status as statuses
from ..core.config import ConfigError
from ..core.embedding import Embedded
from ..core.live import serve_live
from ..core.lock import Busy
from ..core.no_model import NoModel
from ..core.report import Report
from ..core.results import Progress
from ..core.semantic_status import SemanticStatus, semantic_status
from ..core.store import StoreError
from ..core.sweep import swept_by_source
from ..core.worker import Done, Failed, serve
from .cli import FAILED, NOTHING, cli, home_option, place
from .embed import SpareEmbedding, embed_all
from .known_sources import check_names, how_to_tick
from .output import LIMITS, listed, note, on_terminal, print_json, report_json, say, short_path, status_json
from .surroundings import Surroundings
from .wording import counted, held, how_to_confirm, short_time, swept_soon


@cli.command()
@click.option("--source", "names", multiple=True, metavar="NAME", help="Only this source; may be repeated.")
@click.option("--rebuild", is_flag=True, help="Read every file again; what only the index still holds is kept.")
@click.option("--verify", is_flag=True, help="Hash again all that was read, and read again what differs.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--events", is_flag=True, hidden=True)
@click.option("--watch", is_flag=True, hidden=True)
@home_option
@click.pass_context
def index(
    context: click.Context,
    names: tuple[str, ...],
    rebuild: bool,
    verify: bool,
    as_json: bool,
    events: bool,
    watch: bool,
) -> None:
    """Bring the index in line with the session files."""
    here = place()
    only = list(names) or None
    if events:
        _serve(here, only, rebuild, watch)
        return
    check_names(here, names)
    ticked = here.config().ticked(here.titles)
    if not ticked:
        if as_json:
            print_json(report_json(Report()))
        for line in how_to_tick(here):
            note(line)
        context.exit(NOTHING)
    if unticked := [name for name in names if name not in ticked]:
        raise ConfigError(f"not ticked: {', '.join(unticked)}; `harkback sources enable {' '.join(unticked)}` ticks it")
    show = _draw_bar if on_terminal(sys.stderr) and not as_json else None
    report = here.reconcile(only=only, rebuild=rebuild, verify=verify, on_progress=show)
    if show:
        click.echo("\r\x1b[K", nl=False, err=True)
    if report.mended:
        note(report.mended)
    if as_json:
        print_json(report_json(report))
    else:
        _print_report(here, report)
    _embed(here)
    for each in report.held:
        note(f"{held(each, here.titles.get(each.source, each.source))}; {how_to_confirm(each)}")
    if report.errors and len(report.errors) == len(only or ticked):
        context.exit(FAILED)


@cli.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@home_option
def status(as_json: bool) -> None:
    """Print what the index holds, what was skipped and what limits left out."""
    here = place()
    db = here.store.read()
    try:
        state = statuses.index_status(db, here.store.path)
        at = int(here.now().timestamp() * 1000)
        semantic = semantic_status(db, here.config().semantic, here.folder)
        swept = swept_by_source(db, here.adapters, here.home, here.environ, at)
    finally:
        db.close()
    if as_json:
        print_json(
            {
                **status_json(state),
                "swept_soon": swept,
                "indexing": here.store.being_written(),
                "semantic": asdict(semantic),
            }
        )
        return
    now = here.now()
    gone = f", {state.gone_at_source:,} of them gone at their source and kept here" if state.gone_at_source else ""
    stays = "; what was indexed of them stays" if state.quarantined else ""
    say(f"index       {short_path(state.path, str(here.home))}, {state.bytes / 1e6:,.1f} MB")
    say(f"sessions    {state.sessions:,}{gone}")
    say(f"turns       {state.turns:,}, from {short_time(state.oldest, now)} to {short_time(state.newest, now)}")
    say(f"unreadable  {counted(state.quarantined, 'file')}{stays}")
    say(f"excluded    {counted(state.excluded, 'file')}, {counted(state.hidden, 'session')}")
    say(f"skipped     {listed(state.skips)}")
    say(f"left out    {_left_out(state.left_out)}")
    say(f"masked      {listed(state.redacted)}")
    say(f"meaning     {_meaning(semantic)}")
    for name, number in swept.items():
        if number:
            say(f"swept soon  {swept_soon(number, here.titles[name])}")
    for each in state.held:
        say(f"held        {held(each, here.titles.get(each.source, each.source))}")
        say(f"            such as {short_path(each.example, str(here.home))}; {how_to_confirm(each)}")
    if here.store.being_written():
        note("another harkback is indexing now")


# ---- parts ----


def _embed(here: Surroundings) -> None:
    """Give what is indexed its vectors, where meaning is on; what keeps it from that is a note, never a failure."""
    show = _draw_embedding if on_terminal(sys.stderr) else _draw_nothing
    try:
        state = embed_all(here, show)
    except (NoModel, StoreError) as error:
        note(f"nothing was embedded: {error}; words are searched all the same")
    except Busy:
        note("another harkback is embedding")
    else:
        if state and show is _draw_embedding:
            click.echo("\r\x1b[K", nl=False, err=True)
        if state:
            note(f"meaning: {state.done:,} of {counted(state.total, 'chunk')} embedded")


def _draw_embedding(state: Embedded) -> None:
    click.echo(f"\r\x1b[Kmeaning: {state.done:,} of {state.total:,}", nl=False, err=True)


def _draw_nothing(state: Embedded) -> None:
    pass


def _serve(here: Surroundings, only: list[str] | None, rebuild: bool, watch: bool) -> None:
    """Be the app's child: what a person would read goes out as events."""
    output = sys.stdout.buffer
    if hasattr(os, "nice"):
        os.nice(5)

    def attempt(
        progress: Callable[[Progress], None], stopped: Callable[[], bool], touched: Collection[str]
    ) -> Done | Failed:
        try:
            report = here.reconcile(only=only, rebuild=rebuild, touched=touched, on_progress=progress, stopped=stopped)
            return Done(report)
        except Busy:
            return Failed("another harkback is indexing", busy=True)
        except (StoreError, ConfigError) as error:
            return Failed(str(error))

    if watch:
        serve_live(attempt, here.watched, here.folder, output, here.glanced, SpareEmbedding(here))
    else:
        serve(attempt, output)


def _draw_bar(progress: Progress) -> None:
    done = progress.bytes_done / progress.bytes_total if progress.bytes_total else 1.0
    left = f" · {progress.seconds_left:.0f} s left" if progress.seconds_left is not None else ""
    line = (
        f"\r\x1b[K{progress.source:<12} ▕{'█' * round(20 * done):<20}▏ "
        f"{progress.files_done:,} / {progress.files_total:,} files · {counted(progress.turns, 'turn')}{left}"
    )
    click.echo(line, nl=False, err=True)


def _print_report(here: Surroundings, report: Report) -> None:
    added = report.turns - report.turns_before
    change = f" ({added:+,})" if added else ""
    say(
        f"{counted(report.sessions, 'session')}, {counted(report.turns, 'turn')}{change}; read {report.read:,} of "
        f"{counted(report.seen, 'file')}, {report.bytes_read / 1e6:,.1f} MB, in {report.seconds:.1f} s"
    )
    if report.verified:
        differed = f"{report.differed:,} differed and were read again" if report.differed else "none differed"
        say(f"verified {counted(report.verified, 'file')} byte by byte: {differed}")
    if report.quarantined:
        say(f"{counted(report.quarantined, 'file')} can't be read now; what was indexed of them stays")
    if report.skips:
        say(f"skipped: {listed(report.skips)}")
    if any(report.left_out.values()):
        say(f"left out: {_left_out(report.left_out)}")
    for name, error in report.errors.items():
        note(f"{here.titles[name]} could not be read ({error}); what was indexed of it stays")


def _meaning(state: SemanticStatus) -> str:
    if not state.enabled:
        return "off; `harkback config set semantic.enabled true` turns it on"
    if state.trouble:
        return f"words alone are searched: {state.trouble}"
    waiting = f"; {state.waiting:,} of another model wait to be made anew" if state.waiting else ""
    return f"{state.done:,} of {counted(state.total, 'chunk')}, by {state.model}{waiting}"


def _left_out(counts: Mapping[str, int]) -> str:
    if not any(counts.values()):
        return "nothing"
    sessions = f"{listed(counts, LIMITS)} (sessions, in whole or in part)"
    return f"{sessions}; `harkback config set limits.preset everything` takes all"
