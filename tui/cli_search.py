"""Commands that answer: search and show."""

from __future__ import annotations

import time
from typing import Any

import click

from ..core import ledger
from ..core.database import Database
from ..core.history import around, find_session
from ..core.model import Hit
from ..core.query import Query, parse
from ..core.search import Found, Search
from ..core.store import NoIndex
from ..core.when import local_now
from .cli import NOTHING, cli, home_option, place
from .output import conversation_json, hit_json, note, print_json, session_json, short_time
from .refresh import refresh

MOST_TURNS = 100_000


@cli.command()
@click.argument("words", nargs=-1, required=True, metavar="QUERY...")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 1_000), help="Hits at most.")
@click.option("--mode", type=click.Choice(["auto", "lexical", "hybrid", "semantic"]), default="auto", show_default=True)
@click.option("--sort", type=click.Choice(["relevance", "recent"]), default="relevance", show_default=True)
@click.option("--group", type=click.Choice(["turn", "session"]), default="turn", show_default=True)
@click.option("--no-refresh", is_flag=True, help="Answer from the index as it is.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
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
    """Find turns: words, "a phrase", -without, word*, a OR b, source:codex project:web role:user after:7d …"""
    here = place()
    indexing, notes = (here.store.being_written(), list[str]()) if no_refresh else refresh(here)
    began = time.perf_counter()
    text = " ".join(words)
    query = parse(text, local_now())
    if mode in ("hybrid", "semantic"):
        notes.append(f"there is no embedding model, so {mode} search is by words alone")
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
            _print_hit(hit, here.titles)
        shown = f"{len(hits)} of {found.total:,}" if found.total > len(hits) else f"{found.total:,}"
        note(f"{shown} hits" if hits else f"Nothing says {text!r}.")
        for line in notes:
            note(line)
        if sum(left_out.values()):
            note(f"{sum(left_out.values()):,} sessions are left out by limits; see `harkback status`")
    if not hits:
        context.exit(NOTHING)


@cli.command()
@click.argument("session")
@click.option("--turn", type=click.IntRange(1), help="The turn to show, counted from 1.")
@click.option("--context", "beside", type=click.IntRange(0, MOST_TURNS), help="Turns on each side of it [default: 2].")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@home_option
@click.pass_context
def show(context: click.Context, session: str, turn: int | None, beside: int | None, as_json: bool) -> None:
    """Print a session, or one turn with what stands around it. SESSION: source:id, an id, or its beginning."""
    db = place().store.read()
    try:
        found = find_session(db, session)
        if turn is None:
            conversation = around(db, found.key, 1, 0, MOST_TURNS)
        else:
            conversation = around(db, found.key, turn, 2 if beside is None else beside, 2 if beside is None else beside)
    finally:
        db.close()
    if turn is not None and turn > found.turns:
        note(f"{found.key} has {found.turns:,} turns, so there is no turn {turn}")
        if as_json:
            print_json({"session": session_json(found), "turns": [], "before": found.turns, "after": 0})
        context.exit(NOTHING)
    if as_json:
        print_json(conversation_json(conversation, turn))
        return
    click.echo(f"{found.title}\n{found.key} · {found.project or 'no project'} · {found.turns:,} turns")
    if conversation.before:
        click.echo(f"\n… {conversation.before:,} earlier turns")
    for each in conversation.turns:
        mark = "▸ you" if each.role == "user" else "◆ assistant"
        click.echo(f"\n{mark}  [{each.number}]  {short_time(each.time)}\n")
        click.echo("\n".join(f"  {line}" for line in each.text.splitlines()))
    if conversation.after:
        click.echo(f"\n… {conversation.after:,} later turns")


def _search(
    db: Database | None, query: Query, limit: int, *, recent: bool, by_session: bool
) -> tuple[Found, list[Hit]]:
    if db is None:
        return Found(), []
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


def _print_hit(hit: Hit, titles: dict[str, str]) -> None:
    session = hit.session
    facts: list[Any] = [titles.get(session.source, session.source), "you" if hit.role == "user" else "assistant"]
    facts += [each for each in (session.project, session.branch) if each]
    facts += [f"also in {len(hit.also_in)} more"] if hit.also_in else []
    facts += ["gone at source"] if session.gone_at_source else []
    facts += ["some of the words"] if hit.partial else []
    click.echo(f"{click.style(session.title, bold=True)}  {short_time(hit.time)}")
    click.echo(f"  {_marked(hit)}")
    click.echo(f"  {' · '.join(facts)}")
    click.echo(f"  harkback show {session.key} --turn {hit.number}\n")


def _marked(hit: Hit) -> str:
    text, at, parts = hit.excerpt.text, 0, list[str]()
    for start, stop in hit.excerpt.spans:
        parts += [text[at:start], click.style(text[start:stop], bold=True, underline=True)]
        at = stop
    return "".join([*parts, text[at:]])
