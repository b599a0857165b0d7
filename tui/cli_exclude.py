"""Commands about what is never to be found: rules added, taken back, listed, and tried without harm."""

from __future__ import annotations

import click

from ..core import config as configuration
from ..core.config import Config, ConfigError
from ..core.exclude import BadRule, Rules, parts
from ..core.exclude_preview import Preview, preview
from ..core.hiding import hidden_count
from ..core.lock import Busy
from ..core.store import NoIndex, StoreError
from .cli import NOTHING, as_typed, cli, home_option, place
from .known_sources import check_names
from .output import note, print_json, say
from .surroundings import Surroundings
from .wording import counted


@cli.group()
@home_option
def exclude() -> None:
    """Keep files and sessions out of the index by rules of your own.

    PATTERN is the path of a session file or of a folder of such (`~/old/**`, `**/client-x/**`: `*` and `?` stay within
    a name, `**` spans folders), or project:FOLDER for the sessions that were held there (`project:~/work/secret`),
    title:REGEX, source:NAME, session:KEY. What matches a folder matches all below it. Forks and sub-agents go with
    their session.
    """


@exclude.command("add")
@click.argument("pattern")
@home_option
def exclude_add(pattern: str) -> None:
    """Hide what PATTERN matches: it is removed from the index now, and not read again."""
    here, rule = place(), as_typed(pattern)
    before = here.config()
    _check(here, rule)
    hides = _preview(here, before, rule)
    if rule not in before.exclude.patterns:
        configuration.change(here.folder, {"exclude.patterns": [*before.exclude.patterns, rule]})
    try:
        if here.store.exists():
            here.reconcile(only=[])
    except (Busy, StoreError) as error:
        why = str(error) or "another harkback is indexing"
        note(f"excluded, but still in the index ({why}); the next `harkback index` removes it")
        return
    say(f"excluded: {rule}; {_hidden(hides)}")
    _hint(hides, rule)


@exclude.command("remove")
@click.argument("pattern")
@home_option
def exclude_remove(pattern: str) -> None:
    """Take a rule back: what it alone hid is read again."""
    here, rule = place(), as_typed(pattern)
    patterns = here.config().exclude.patterns
    if rule not in patterns:
        raise ConfigError(f"{rule!r} is none of your rules: {', '.join(patterns) or 'there are none'}")
    configuration.change(here.folder, {"exclude.patterns": [each for each in patterns if each != rule]})
    say(f"no longer excluded: {rule}; `harkback index` reads it again, and so does the next search")


@exclude.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@home_option
def exclude_list(as_json: bool) -> None:
    """Print your rules, and how much is kept out in all."""
    here = place()
    patterns = here.config().exclude.patterns
    files = sessions = 0
    try:
        db = here.store.read()
    except NoIndex:
        pass
    else:
        files = db.value("SELECT count(*) FROM files WHERE state = 'excluded'")
        sessions = hidden_count(db)
        db.close()
    if as_json:
        print_json({"patterns": list(patterns), "files": files, "sessions": sessions})
        return
    for pattern in patterns:
        say(pattern)
    note(f"{counted(len(patterns), 'rule')}; kept out: {counted(files, 'file')}, {counted(sessions, 'session')}")
    note("files of keys and passwords, such as .env, *.pem or anything in ~/.ssh, are never opened in any case")


@exclude.command("test")
@click.argument("pattern")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@home_option
@click.pass_context
def exclude_test(context: click.Context, pattern: str, as_json: bool) -> None:
    """Count what PATTERN would hide besides what is hidden already; nothing is changed."""
    here, rule = place(), as_typed(pattern)
    _check(here, rule)
    hides = _preview(here, here.config(), rule)
    if as_json:
        print_json({"pattern": rule, "files": hides.files, "sessions": hides.sessions, "titles": list(hides.titles)})
    else:
        say(f"would hide {counted(hides.sessions, 'session')} of the index, {counted(hides.files, 'file')}")
        for title in hides.titles:
            say(f"  {title}")
        if hides.sessions > len(hides.titles):
            say(f"  and {hides.sessions - len(hides.titles):,} more")
        _hint(hides, rule)
    if not hides.files and not hides.sessions:
        context.exit(NOTHING)


# ---- parts ----


def _check(here: Surroundings, rule: str) -> None:
    """Raises ConfigError for what is no rule."""
    try:
        kind, value = parts(rule)
        Rules([rule], here.home)
    except BadRule as error:
        raise ConfigError(f"{error}; `harkback exclude --help` explains rules") from error
    if kind in ("source", "session"):
        check_names(here, [value.partition(":")[0]])


def _preview(here: Surroundings, config: Config, rule: str) -> Preview:
    try:
        db = here.store.read()
    except NoIndex:
        db = None
    try:
        return preview(db, here.adapters, config, here.home, here.environ, rule)
    finally:
        if db:
            db.close()


def _hidden(hides: Preview) -> str:
    if not hides.files and not hides.sessions:
        return "it matches nothing now, and is kept for later"
    return f"it hides {counted(hides.sessions, 'session')}, {counted(hides.files, 'file')}"


def _hint(hides: Preview, rule: str) -> None:
    """A path is one of session files; a person may have meant the folder that was worked in."""
    if not hides.files and not hides.sessions and not parts(rule)[0]:
        note(f"a path means session files; for the sessions that were held in a folder: 'project:{rule}'")
