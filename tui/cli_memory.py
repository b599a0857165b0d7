"""The commands about memory files: search in them, and print their lines."""

from __future__ import annotations

import click

from ..core.database import Database
from ..core.memory import NoSuchFile, Passage, passage
from ..core.store import NoIndex
from .answers import Wish, reply
from .cli import NOTHING, as_typed, cli, home_option, place
from .cli_search import print_reply, refuse_options
from .output import note, print_json, say, short_path
from .refresh import refresh
from .surroundings import Surroundings
from .wording import counted


@cli.group()
@home_option
def memory() -> None:
    """Memory files: CLAUDE.md, AGENTS.md, MEMORY.md and their like, rules and dated notes."""


@memory.command(
    short_help="Find what memory files say.",
    # A query may hold `-word`, so no short option may be in its way.
    context_settings={"help_option_names": ["--help"], "ignore_unknown_options": True},
)
@click.argument("words", nargs=-1, required=True, metavar="QUERY...")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 1_000), help="Hits at most.")
@click.option("--no-refresh", is_flag=True, help="Answer from the index as it is, without reading what is new.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@home_option
@click.pass_context
def search(context: click.Context, words: tuple[str, ...], limit: int, no_refresh: bool, as_json: bool) -> None:
    """Find what memory files and observations say; the query is that of `harkback search`.

    Each hit in a file names its lines, as in path#L12-L30, and `harkback memory get` prints them.
    """
    refuse_options(words, "memory search")
    here = place()
    indexing, notes = (here.store.being_written(), list[str]()) if no_refresh else refresh(here)
    db = _index(here)
    try:
        found = reply(db, as_typed(" ".join(words)), here.now, Wish(limit, only_memory=True), here.meaning())
    finally:
        if db:
            db.close()
    found.notes[:0] = notes
    if as_json:
        print_json(found.as_json(indexing=indexing))
    else:
        print_reply(found, here)
    if not found.hits:
        context.exit(NOTHING)


@memory.command()
@click.argument("path")
@click.option("--from", "first", type=int, metavar="N", help="The first line [default: 1, or that of the citation].")
@click.option("--lines", "count", type=int, metavar="N", help="How many lines [default: all, at most 80 kB].")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@home_option
@click.pass_context
def get(context: click.Context, path: str, first: int | None, count: int | None, as_json: bool) -> None:
    """Print lines of a memory file, from the index. PATH: as `search` gives it, with or without its lines."""
    here = place()
    db = _index(here)
    try:
        if db is None:
            raise NoSuchFile(path)
        found = passage(db, here.config(), here.home, as_typed(path), first, count, folder=here.working_folder)
    except NoSuchFile:
        note(f"harkback: no such memory file: {as_typed(path)}")
        context.exit(NOTHING)
    finally:
        if db:
            db.close()
    if as_json:
        print_json(_passage_json(found))
        return
    say(found.text)
    rest = f"; go on with --from {found.last + 1}" if found.cut else ""
    note(f"{short_path(found.citation, str(here.home))} of {counted(found.lines, 'line')}{rest}")


def _index(here: Surroundings) -> Database | None:
    try:
        return here.store.read()
    except NoIndex:
        return None


def _passage_json(found: Passage) -> dict[str, object]:
    return {
        "path": found.session.native_id,
        "cite": found.citation,
        "title": found.session.title,
        "project": found.session.project,
        "from": found.first,
        "to": found.last,
        "lines": found.lines,
        "text": found.text,
        "truncated": found.cut,
        "gone_at_source": found.session.gone_at_source,
    }
