"""The command that searches."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence

import click

from ..core.clean import clean, clean_line
from ..core.database import Database
from ..core.meaning import Meaning
from ..core.memory import citation
from ..core.rank import Why
from ..core.results import Excerpt, Hit
from ..core.store import NoIndex
from .answers import Reply, Wish, reply, why_line
from .cli import NOTHING, as_typed, cli, home_option, place
from .output import note, on_terminal, print_json, say, short_path
from .refresh import refresh
from .surroundings import Surroundings
from .wording import counted, short_time

ROLES = {"user": "you", "assistant": "assistant", "tool": "tool", "memory": "memory"}

NOT_BY_WORDS: Mapping[tuple[str, ...], str] = {("nearby",): "beside a match", ("semantic",): "by meaning"}


@cli.command(
    short_help="Find turns in past sessions.",
    # A query may hold `-word`, so no short option may be in its way.
    context_settings={"help_option_names": ["--help"], "ignore_unknown_options": True},
)
@click.argument("words", nargs=-1, metavar="QUERY...")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 1_000), help="Hits at most.")
@click.option(
    "--mode",
    type=click.Choice(["auto", "lexical", "hybrid", "semantic"]),
    default="auto",
    show_default=True,
    help="Match words, meaning, or both.",
)
@click.option(
    "--sort",
    type=click.Choice(["relevance", "recent"]),
    default="relevance",
    show_default=True,
    help="Best first, or newest first.",
)
@click.option(
    "--group",
    type=click.Choice(["turn", "session"]),
    default="turn",
    show_default=True,
    help="Every turn that matches, or the best one of each session.",
)
@click.option("--no-refresh", is_flag=True, help="Answer from the index as it is, without reading what is new.")
@click.option("--explain", is_flag=True, help="Show for each hit what made its score.")
@click.option("--stdin", "from_stdin", is_flag=True, help="One query a line in, one JSON object a line out.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@home_option
@click.pass_context
def search(
    context: click.Context,
    words: tuple[str, ...],
    limit: int,
    mode: str,
    sort: str,
    group: str,
    no_refresh: bool,
    explain: bool,
    from_stdin: bool,
    as_json: bool,
) -> None:
    """Find turns in past sessions.

    \b
    words            all of them wanted; of a question, any
    "a phrase"       as it stands; quote it for your shell too: '"a phrase"'
    -word            without it
    word*            anything that begins so
    a OR b           either
    key:value        source project role model branch title session kind
                     before after on has:code; -key:value for the opposite,
                     a,b for any of them
    after:7d         2w, 2026-03-01, yesterday, "last week", march, 上周
    """
    refuse_options(words)
    if from_stdin == bool(words):
        raise click.UsageError(
            "--stdin takes its queries from standard input" if words else "Missing argument 'QUERY...'."
        )
    here = place()
    wish = Wish(limit, mode, recent=sort == "recent", by_session=group == "session", explain=explain)
    indexing, notes = (here.store.being_written(), list[str]()) if no_refresh else refresh(here)
    try:
        db = here.store.read()
    except NoIndex:
        db = None
    meaning = here.meaning() if mode != "lexical" else None
    try:
        if from_stdin:
            for each in notes:
                note(each)
            any_hit = _answer_lines(db, here, wish, meaning)
        else:
            found = reply(db, as_typed(" ".join(words)), here.now, wish, meaning)
            found.notes[:0] = notes
            any_hit = bool(found.hits)
            if as_json:
                print_json(found.as_json(indexing=indexing))
            else:
                print_reply(found, here, group)
    finally:
        if db:
            db.close()
    if not any_hit:
        context.exit(NOTHING)


# ---- parts ----


def _answer_lines(db: Database | None, here: Surroundings, wish: Wish, meaning: Meaning | None) -> bool:
    """One JSON object a line for each line of standard input, as soon as it is read; gives whether any has a hit."""
    any_hit = False
    for line in sys.stdin.buffer:
        if text := line.decode("utf-8", "replace").strip():
            found = reply(db, text, here.now, wish, meaning)
            any_hit = any_hit or bool(found.hits)
            print_json(found.as_json(indexing=here.store.being_written()))
    return any_hit


def print_reply(found: Reply, here: Surroundings, group: str = "turn") -> None:
    """Hits on stdout, and what there is to say about them on stderr."""
    for hit in found.hits:
        _print_hit(hit, found.why.get(hit.turn_id), here)
    if found.found.suggestion:
        note(f"did you mean: {found.found.suggestion}")
    for line in [_summary(found, group), *found.notes, *_left_out(found.left_out)]:
        note(line)


def refuse_options(words: Sequence[str], command: str = "search") -> None:
    """A misspelt option must not become a part of the query."""
    for word in words:
        if word.startswith("--") and " " not in word:
            name = word.partition("=")[0]
            quoted = shlex.quote(f'"{word}"')
            raise click.UsageError(f"there is no option {name}; to search for it: harkback {command} {quoted}")


def _print_hit(hit: Hit, why: Why | None, here: Surroundings) -> None:
    session = hit.session
    facts = [here.titles.get(session.source, session.source), ROLES[hit.role]]
    facts += [short_path(session.project, str(here.home))] if session.project else []
    facts += [session.branch] if session.branch else []
    facts += [f"also in {counted(len(hit.also_in), 'other')}"] if hit.also_in else []
    facts += ["gone at source"] if session.gone_at_source else []
    facts += ["some of the words"] if hit.partial else []
    command = f"harkback show {shlex.quote(session.key)}{f' --turn {hit.number}' if hit.number else ''}"
    if cited := citation(session, hit.cite):
        cited = short_path(cited, str(here.home))
        facts.append(cited)
        command = f"harkback memory get {shlex.quote(cited)}"
    click.echo(f"{click.style(clean_line(session.title), bold=True)}  {short_time(hit.time, here.now())}")
    for line in _excerpt_lines(hit.excerpt):
        click.echo(f"  {line}")
    facts += [NOT_BY_WORDS[hit.arms]] if hit.arms in NOT_BY_WORDS else []
    say(f"  {' · '.join(facts)}")
    if why:
        say(f"  {hit.score:.2f} = {why_line(why)}")
    say(f"  {command}\n")


def _excerpt_lines(excerpt: Excerpt) -> list[str]:
    """An excerpt with its matches marked; on a terminal as lines that fit its width, else as one."""
    if not on_terminal(sys.stdout):
        return [clean(excerpt.text)]
    from .layout import wrap  # measures cells, which takes loading, and only a terminal has them

    lines = wrap(excerpt.text, max(20, shutil.get_terminal_size().columns - 2))
    return [_marked(excerpt, line.start, line.end) for line in lines]


def _marked(excerpt: Excerpt, start: int, stop: int) -> str:
    """The stretch of an excerpt between two of its characters, its matches bold and underlined."""
    parts: list[str] = []
    at = start
    for first, last in excerpt.spans:
        first, last = max(first, at), min(last, stop)
        if first < last:
            match = click.style(clean(excerpt.text[first:last]), bold=True, underline=True)
            parts += [clean(excerpt.text[at:first]), match]
            at = last
    return "".join([*parts, clean(excerpt.text[at:stop])])


def _summary(found: Reply, group: str) -> str:
    shown, total = len(found.hits), found.found.total
    if shown:
        if group == "session":
            return f"{counted(shown, 'session')}, of {counted(total, 'hit')}"
        return f"{shown} of {counted(total, 'hit')}" if total > shown else counted(total, "hit")
    if found.query.is_empty() and not found.query.filters:
        return 'There is nothing to look for: give a word, "a phrase" or a filter such as after:7d.'
    return f"Nothing says {found.query.text!r}."


def _left_out(counts: Mapping[str, int]) -> list[str]:
    if not (total := sum(counts.values())):
        return []
    return [f"{counted(total, 'session')} left out by limits, in whole or in part; see `harkback status`"]
