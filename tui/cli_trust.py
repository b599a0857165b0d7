"""Commands of trust: why something is or is not found, whether all is well, and forgetting for good."""

from __future__ import annotations

import os
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import click

from ..core.config import ConfigError
from ..core.database import Database, Error
from ..core.doctor import Finding, examine
from ..core.forget import Outcome, forget
from ..core.forget_plan import Plan, Request, plan
from ..core.history import NotFound
from ..core.store import Newer, NoIndex, StoreError
from ..core.why import Answer, why_session
from ..core.why_path import WhyPath
from .cli import FAILED, NOTHING, as_typed, cli, home_option, place
from .known_sources import check_names
from .output import columns, note, on_terminal, print_json, say
from .surroundings import Surroundings
from .wording import counted

MOST_NAMED = 5
"""So many sessions are named when more are meant."""


@cli.command("forget")
@click.option("--session", metavar="KEY", help="This session, with those of its sub-agents.")
@click.option("--project", metavar="DIR", help="The sessions that were held in this folder or below it.")
@click.option("--source", metavar="NAME", help="All sessions of this source.")
@click.option("--all", "everything", is_flag=True, help="All sessions, with logs and copies of damaged indexes.")
@click.option("--copies", is_flag=True, help="Also the sessions that hold copies of their turns: forks and resumes.")
@click.option("--yes", is_flag=True, help="Don't ask.")
@home_option
@click.pass_context
def forget_command(
    context: click.Context,
    session: str | None,
    project: str | None,
    source: str | None,
    everything: bool,
    copies: bool,
    yes: bool,
) -> None:
    """Remove sessions from the index for good, and prove that nothing of them is left.

    Their text is removed from every file of harkback's, and they are not indexed again, even by a rebuild. Your agents'
    own files are not touched; backups, snapshots and worn-out blocks of an SSD are beyond harkback's reach.
    """
    here = place()
    if sum((session is not None, project is not None, source is not None, everything)) != 1:
        raise click.UsageError("say what to forget: one of --session, --project, --source and --all")
    if source is not None:
        check_names(here, [source])
    request = Request(as_typed(session) if session else session, project, source, everything, copies)
    try:
        wanted = _plan(here, request)
    except NotFound:
        if session is None or _answer(here, session).state != "forgotten":
            raise
        say("it was forgotten already")
        context.exit(NOTHING)
    if wanted is not None and not wanted.rows:
        say("nothing of that is in the index")
        context.exit(NOTHING)
    for line in _announced(here, request, wanted):
        note(line)
    if not yes:
        if not on_terminal(sys.stdin):
            raise click.UsageError("there is no terminal to ask on; --yes forgets without asking")
        if not click.confirm("Forget them?", err=True):
            note("nothing was forgotten")
            context.exit(NOTHING)
    if not _told(forget(here.store, request)):
        context.exit(FAILED)


@cli.command()
@click.argument("what", metavar="PATH|SESSION")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@home_option
@click.pass_context
def why(context: click.Context, what: str, as_json: bool) -> None:
    """Say why a file or a session is, or is not, wholly in the index, and what can be done."""
    answer = _answer(place(), what)
    if as_json:
        print_json(_answer_json(answer))
    else:
        for line in _answer_lines(answer):
            say(line)
    if answer.state in ("unknown", "absent"):
        context.exit(NOTHING)


@cli.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@home_option
@click.pass_context
def doctor(context: click.Context, as_json: bool) -> None:
    """Examine harkback itself: versions, access, configuration, sources and the soundness of the index."""
    here = place()
    findings = examine(here.store, here.adapters, here.home, here.environ)
    sound = not any(finding.level == "problem" for finding in findings)
    if as_json:
        print_json({"ok": sound, "findings": [_finding_json(finding) for finding in findings]})
    else:
        for line in _finding_lines(findings):
            say(line)
    if not sound:
        context.exit(FAILED)


# ---- forget ----


def _plan(here: Surroundings, request: Request) -> Plan | None:
    """What would go; None where an index can't be read and all of it is to go anyway."""
    try:
        with closing(here.store.read()) as db:
            return plan(db, request)
    except (NoIndex, Newer):
        raise
    except (StoreError, Error):
        if not request.everything:
            raise
    return None


def _announced(here: Surroundings, request: Request, wanted: Plan | None) -> list[str]:
    if wanted is None:
        return ["This removes all that is indexed; the index can't be read, so nobody knows what that is."]
    lines = [f"This forgets {counted(wanted.sessions, 'session')} with {counted(wanted.turns, 'turn')}:"]
    lines += [f"  {line}" for line in _titles(here, wanted)]
    lines.append("Your agents' own files stay as they are.")
    if wanted.copies:
        lines.append(f"Copies of some turns stay in {_named(wanted.copies)}; --copies forgets those sessions too.")
    elif request.copies:
        lines.append("Sessions that hold copies are among them.")
    return lines


def _titles(here: Surroundings, wanted: Plan) -> list[str]:
    with closing(here.store.read()) as db:
        find = "SELECT source || ':' || native_id, title FROM sessions WHERE id = ? AND turns > 0"
        rows = [row for each in wanted.rows[-200:] if (row := db.row(find, each))]
    more = wanted.sessions - MOST_NAMED
    return [*columns(rows[:MOST_NAMED]), *([f"and {more:,} more"] if more > 0 else [])]


def _told(outcome: Outcome) -> bool:
    """Say what was done; gives whether all of it was."""
    left = outcome.remains
    say(f"forgot {counted(outcome.sessions, 'session')} with {counted(outcome.turns, 'turn')}")
    if left.files:
        note(f"text of them is still in {', '.join(left.files)}")
    elif left.samples:
        say(f"looked for {counted(left.samples, 'piece')} of their text in all of harkback's files: none is left")
    if left.sessions:
        say(f"the same words stand in {_named(left.sessions)}, which you did not ask to forget")
    if not outcome.rewritten:
        note("there was no room to write the index anew, so traces may remain in its unused parts")
        note("make room on the disk, then run `harkback index`, which does it")
    if not outcome.remembered:
        note("what was there could not be noted, so it is indexed again unless its source is unticked")
    return outcome.rewritten and not left.files


def _named(keys: tuple[str, ...]) -> str:
    more = f" and {len(keys) - MOST_NAMED:,} more" if len(keys) > MOST_NAMED else ""
    return f"{', '.join(keys[:MOST_NAMED])}{more}"


# ---- why ----


def _answer(here: Surroundings, what: str) -> Answer:
    try:
        config = here.config()
    except ConfigError as error:
        raise ConfigError(f"{error}; `harkback doctor` says more") from error
    db: Database | None = None
    with suppress(NoIndex):
        db = here.store.read()
    try:
        sources = {adapter.name: config.source(adapter.name).enabled for adapter in here.adapters}
        answer: Answer | None = None
        if os.sep in what or what.startswith(("~", ".")) or Path(what).exists():
            answer = WhyPath(here.adapters, config, here.home, here.environ).answer(db, what)
        if db is not None and (answer is None or answer.state == "absent"):
            session = why_session(db, as_typed(what), sources)
            return answer if answer and session.state == "unknown" else session
        return answer or Answer(as_typed(what), "unknown")
    finally:
        if db is not None:
            db.close()


def _answer_lines(answer: Answer) -> list[str]:
    lines = [answer.about, f"  {answer.words.sentence}"]
    if answer.turns:
        lines.append(f"  {counted(answer.turns, 'turn')} of it in the index")
    for part in answer.parts:
        where = f" ({part.example})" if part.example else ""
        lines += [f"  {part.count:,} × {part.words.sentence}{where}", f"      → {part.words.remedy}"]
    if not answer.parts:
        lines.append(f"      → {answer.words.remedy}")
    lines += [f"  {each}" for each in answer.related]
    return lines


def _answer_json(answer: Answer) -> dict[str, Any]:
    return {
        "about": answer.about,
        "state": answer.state,
        "sentence": answer.words.sentence,
        "remedy": answer.words.remedy,
        "source": answer.source,
        "turns": answer.turns,
        "reasons": [
            {
                "reason": part.slug,
                "count": part.count,
                "example": part.example,
                "sentence": part.words.sentence,
                "remedy": part.words.remedy,
            }
            for part in answer.parts
        ],
        "related": list(answer.related),
    }


# ---- doctor ----


def _finding_lines(findings: list[Finding]) -> list[str]:
    rows = columns([(finding.level, finding.name, finding.found) for finding in findings])
    lines: list[str] = []
    for row, finding in zip(rows, findings, strict=True):
        lines += [row, *([f"         → {finding.advice}"] if finding.advice else [])]
    return lines


def _finding_json(finding: Finding) -> dict[str, str]:
    return {"name": finding.name, "level": finding.level, "found": finding.found, "advice": finding.advice}
