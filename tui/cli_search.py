"""Commands that answer: search and show."""

from __future__ import annotations

import shlex
import shutil
import sys
import time
from collections.abc import Mapping, Sequence

import click

from ..core import ledger
from ..core.clean import clean, clean_line
from ..core.database import Database
from ..core.history import around, find_session
from ..core.model import Excerpt, Hit
from ..core.query import Query, parse
from ..core.search import Found, Search
from ..core.store import NoIndex
from .cli import NOTHING, as_typed, cli, home_option, place
from .output import conversation_json, hit_json, note, on_terminal, print_json, say, session_json, short_path
from .refresh import refresh
from .surroundings import Surroundings
from .wording import counted, short_time

MOST_TURNS = 100_000
ROLES = {"user": "you", "assistant": "assistant", "tool": "tool", "memory": "memory"}
MARKS = {"user": "▸ you", "assistant": "◆ assistant", "tool": "› tool", "memory": "§ memory"}


@cli.command(
    short_help="Find turns in past sessions.",
    # A query may hold `-word`, so no short option may be in its way.
    context_settings={"help_option_names": ["--help"], "ignore_unknown_options": True},
)
@click.argument("words", nargs=-1, required=True, metavar="QUERY...")
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
    _refuse_options(words)
    here = place()
    text = clean_line(as_typed(" ".join(words)), 10_000)
    query = parse(text, here.now())
    indexing, notes = (here.store.being_written(), list[str]()) if no_refresh else refresh(here)
    began = time.perf_counter()
    if mode in ("hybrid", "semantic"):
        notes.append(f"there is no embedding model, so this {mode} search is by words alone")
    notes += [f"{query.text[problem.start : problem.stop]}: {problem.message}" for problem in query.problems]
    try:
        db = here.store.read()
    except NoIndex:
        db = None
        notes.append("nothing is indexed yet")
    try:
        found, hits = _search(db, query, limit, recent=sort == "recent", by_session=group == "session")
        left_out = ledger.left_out_counts(db) if db else {}
    finally:
        if db:
            db.close()
    if as_json:
        print_json(
            {
                "query": text,
                "mode": "lexical",
                "indexing": indexing,
                "total": found.total,
                "total_exact": found.total_exact,
                "elapsed_ms": round((time.perf_counter() - began) * 1000, 1),
                "left_out": left_out,
                "notes": notes,
                "suggestion": None,
                "hits": [hit_json(hit) for hit in hits],
            }
        )
    else:
        for hit in hits:
            _print_hit(hit, here)
        for line in [_summary(query, found, len(hits), group), *notes, *_left_out(left_out)]:
            note(line)
    if not hits:
        context.exit(NOTHING)


@cli.command()
@click.argument("session")
@click.option("--turn", type=click.IntRange(1), help="The turn to show, counted from 1.")
@click.option("--context", "beside", type=click.IntRange(0, MOST_TURNS), help="Turns on each side of it [default: 2].")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@home_option
@click.pass_context
def show(context: click.Context, session: str, turn: int | None, beside: int | None, as_json: bool) -> None:
    """Print a session, or one turn with what stands around it. SESSION: source:id, an id, or its beginning."""
    here = place()
    db = here.store.read()
    try:
        found = find_session(db, as_typed(session))
        if turn is None:
            conversation = around(db, found.key, 1, 0, MOST_TURNS)
        else:
            conversation = around(db, found.key, turn, 2 if beside is None else beside, 2 if beside is None else beside)
    finally:
        db.close()
    if turn is not None and turn > found.turns:
        note(f"{found.key} has {counted(found.turns, 'turn')}, so there is no turn {turn}")
        if as_json:
            print_json({"session": session_json(found), "turns": [], "before": found.turns, "after": 0})
        context.exit(NOTHING)
    if as_json:
        print_json(conversation_json(conversation, turn))
        return
    project = short_path(found.project, str(here.home)) if found.project else "no project"
    say(f"{found.title}\n{found.key} · {project} · {counted(found.turns, 'turn')}")
    if conversation.before:
        say(f"\n… {counted(conversation.before, 'earlier turn')}")
    for each in conversation.turns:
        say(f"\n{MARKS[each.role]}  [{each.number}]  {short_time(each.time, here.now())}\n")
        say("\n".join(f"  {line}".rstrip() for line in each.text.split("\n")))
    if conversation.after:
        say(f"\n… {counted(conversation.after, 'later turn')}")


# ---- parts ----


def _refuse_options(words: Sequence[str]) -> None:
    """A misspelt option must not become a part of the query."""
    for word in words:
        if word.startswith("--") and " " not in word:
            name = word.partition("=")[0]
            quoted = shlex.quote(f'"{word}"')
            raise click.UsageError(f"there is no option {name}; to search for it: harkback search {quoted}")


def _search(
    db: Database | None, query: Query, limit: int, *, recent: bool, by_session: bool
) -> tuple[Found, list[Hit]]:
    if db is None:
        return Found(), []
    with db.snapshot():
        return _search_now(db, query, limit, recent=recent, by_session=by_session)


def _search_now(db: Database, query: Query, limit: int, *, recent: bool, by_session: bool) -> tuple[Found, list[Hit]]:
    engine = Search(db)
    found = engine.rest(query, engine.best(query, recent=recent))
    matches = [*found.ranked, *found.others]
    if not by_session:
        return found, engine.hits(query, matches[:limit])
    hits: dict[str, Hit] = {}
    for start in range(0, len(matches), 100):
        for hit in engine.hits(query, matches[start : start + 100]):
            hits.setdefault(hit.session.key, hit)
        if len(hits) >= limit:
            break
    return found, list(hits.values())[:limit]


def _print_hit(hit: Hit, here: Surroundings) -> None:
    session = hit.session
    facts = [here.titles.get(session.source, session.source), ROLES[hit.role]]
    facts += [short_path(session.project, str(here.home))] if session.project else []
    facts += [session.branch] if session.branch else []
    facts += [f"also in {counted(len(hit.also_in), 'other')}"] if hit.also_in else []
    facts += ["gone at source"] if session.gone_at_source else []
    facts += ["some of the words"] if hit.partial else []
    turn = f" --turn {hit.number}" if hit.number else ""
    click.echo(f"{click.style(clean_line(session.title), bold=True)}  {short_time(hit.time, here.now())}")
    for line in _excerpt_lines(hit.excerpt):
        click.echo(f"  {line}")
    say(f"  {' · '.join(facts)}")
    say(f"  harkback show {shlex.quote(session.key)}{turn}\n")


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


def _summary(query: Query, found: Found, shown: int, group: str) -> str:
    if shown:
        if group == "session":
            return f"{counted(shown, 'session')}, of {counted(found.total, 'hit')}"
        return f"{shown} of {counted(found.total, 'hit')}" if found.total > shown else counted(found.total, "hit")
    if query.is_empty() and not query.filters:
        return 'There is nothing to look for: give a word, "a phrase" or a filter such as after:7d.'
    return f"Nothing says {query.text!r}."


def _left_out(counts: Mapping[str, int]) -> list[str]:
    if not (total := sum(counts.values())):
        return []
    return [f"{counted(total, 'session')} left out by limits, in whole or in part; see `harkback status`"]
