"""The command that prints a session, or one turn with what stands around it."""

from __future__ import annotations

import click

from ..core.history import around, find_session
from ..core.scope import allowed_now
from .cli import NOTHING, as_typed, cli, home_option, place
from .output import conversation_json, note, print_json, say, session_json, short_path
from .wording import counted, short_time

MOST_TURNS = 100_000
MARKS = {"user": "▸ you", "assistant": "◆ assistant", "tool": "› tool", "memory": "§ memory"}


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
        found = find_session(db, as_typed(session), allowed_now(db, here.config(), here.home).where())
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
        place_in_file = f"  {each.cite}" if each.cite else ""
        say(f"\n{MARKS[each.role]}  [{each.number}]{place_in_file}  {short_time(each.time, here.now())}\n")
        say("\n".join(f"  {line}".rstrip() for line in each.text.split("\n")))
    if conversation.after:
        say(f"\n… {counted(conversation.after, 'later turn')}")
