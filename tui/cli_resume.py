"""The command that reopens a session in its agent."""

from __future__ import annotations

import click

from ..core.history import find_session
from .cli import FAILED, NOTHING, as_typed, cli, home_option, place
from .output import note
from .resume import resume_of


@cli.command()
@click.argument("session")
@click.option("--print", "print_only", is_flag=True, help="Print the command as a line for a shell, and run nothing.")
@home_option
@click.pass_context
def resume(context: click.Context, session: str, print_only: bool) -> None:
    """Go on with a session in its agent, in its own folder. SESSION: source:id, an id, or its beginning."""
    here = place()
    db = here.store.read()
    try:
        found = find_session(db, as_typed(session))
    finally:
        db.close()
    title = here.titles.get(found.source, found.source)
    resume = resume_of(found, here.adapter(found.source))
    if resume is None:
        note(f"harkback: {title} has no command that reopens {found.key}; `harkback show {found.key}` prints it")
        context.exit(NOTHING)
    if found.gone_at_source:
        note(f"{title} no longer has this session itself, so it may not find it")
    resume = resume.in_what_is_left()
    if resume.note:
        note(resume.note)
    if print_only:
        click.echo(resume.shell())
        return
    try:
        resume.run()
    except OSError as error:
        note(f"harkback: {resume.argv[0]} could not be started ({error.strerror}); run it yourself:")
        click.echo(resume.shell())
        context.exit(FAILED)
