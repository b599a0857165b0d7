"""The command line. Data goes to stdout, notes to stderr; Textual is imported only to open the app.

Ends 0 (found or done), 1 (nothing found), 2 (usage or configuration), 3 (could not do it).
"""

from __future__ import annotations

import gc
import os
import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar, cast

import click

from ..core.config import ConfigError
from ..core.database import Error
from ..core.history import NotFound
from ..core.lock import Busy
from ..core.no_model import NoModel
from ..core.store import NoIndex, StoreError
from .output import note, on_terminal, silence_output
from .surroundings import Surroundings

FOUND, NOTHING, USAGE, FAILED = 0, 1, 2, 3
STOPPED, READER_GONE = 130, 141
"""As a shell says it of a program that was interrupted, and of one whose pipe was closed."""

_FRAMES = "TEXTUAL_FPS"

F = TypeVar("F", bound=Callable[..., Any])


class _ReaderGone(Exception):
    """Whoever read our output has closed it."""


COMMANDS = {
    "cli_config": ("config",),
    "cli_context": ("context",),
    "cli_exclude": ("exclude",),
    "cli_hook": ("hook",),
    "cli_index": ("index", "status"),
    "cli_mcp": ("mcp",),
    "cli_memory": ("memory",),
    "cli_resume": ("resume",),
    "cli_search": ("search",),
    "cli_show": ("show",),
    "cli_sources": ("sources",),
    "cli_trust": ("doctor", "forget", "why"),
}
"""Module → the commands that it adds as it is imported, which is when one of them is called."""


class _Commands(click.Group):
    """The commands; keeps a closed pipe out of the hands of click, which would call it an error."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *(name for names in COMMANDS.values() for name in names)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        for module, names in COMMANDS.items():
            if cmd_name in names:
                import_module(f".{module}", __package__)
        return super().get_command(ctx, cmd_name)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise _ReaderGone from None
        except Error as error:
            raise Surroundings.here(ctx.obj).store.trouble(error) from error


def home_option(function: F) -> F:
    """`--home` for a command; given twice, the later one counts."""

    def remember(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
        if value is not None:
            context.obj = context.find_root().obj = value

    return click.option(
        "--home",
        metavar="DIR",
        expose_value=False,
        callback=remember,
        help="The folder with harkback's config.toml and index (also HARKBACK_HOME).",
    )(function)


def place() -> Surroundings:
    """What the running command works on."""
    return Surroundings.here(cast("str | None", click.get_current_context().obj))


def as_typed(text: str) -> str:
    """A word of the command line as text: in the C locale Python keeps the bytes of other letters as surrogates."""
    return os.fsencode(text).decode("utf-8", "replace")


@click.group(cls=_Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="harkback", prog_name="harkback")
@home_option
@click.pass_context
def cli(context: click.Context) -> None:
    """Find what was said in your past AI-agent sessions.

    Without a command: opens the app. It reads your agents' session files, never writes to them, and sends nothing.
    """
    if context.invoked_subcommand is None:
        _need_terminal("`harkback search QUERY` works without one, and so does --json")
        context.exit(_app().run_app(place()))


@cli.command()
@click.pass_context
def demo(context: click.Context) -> None:
    """Open the app on sample sessions, in a temporary home."""
    _need_terminal("run it in one")
    _app()
    from .demo import run_demo

    context.exit(run_demo())


def main() -> None:
    """The console script: every error in a sentence, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            cast(Any, stream).reconfigure(errors="backslashreplace")
    sys.exit(_run())


def _need_terminal(instead: str) -> None:
    if not (on_terminal(sys.stdin) and on_terminal(sys.stderr)):
        raise click.UsageError(f"the app needs a terminal; {instead}")


def _app() -> ModuleType:
    """Load the app, which is to paint soon after each change.

    At Textual's own pace a letter and its results would each wait for half of a 60th of a second.
    """
    frames = os.environ.get(_FRAMES)
    os.environ.setdefault(_FRAMES, "240")
    gc.disable()  # nothing that is loaded is garbage
    try:
        from . import app

        return app
    finally:
        gc.enable()
        if frames is None:  # an agent that is started from the app has its own
            del os.environ[_FRAMES]


def _run() -> int:
    try:
        outcome = cli.main(prog_name="harkback", standalone_mode=False)
        if sys.stdout:
            sys.stdout.flush()
        return outcome if isinstance(outcome, int) else FOUND
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        return _say(_usage(error), USAGE)
    except ConfigError as error:
        return _say(str(error), USAGE)
    except NotFound as error:
        near = f"; did you mean {', '.join(error.near)}?" if error.near else ""
        return _say(f"there is no session {error.wanted!r} in the index{near}", NOTHING)
    except NoIndex as error:
        return _say(str(error), NOTHING)
    except NoModel as error:
        return _say(str(error), FAILED)
    except Busy:
        return _say("another harkback is indexing; nothing was changed, try again when it is done", FAILED)
    except StoreError as error:
        return _say(str(error), FAILED)
    except (KeyboardInterrupt, click.Abort):
        return _say("stopped; what was done so far is kept", STOPPED)
    except (_ReaderGone, BrokenPipeError):
        silence_output()
        return READER_GONE
    except Exception as error:
        return _say(describe(error), FAILED)


def _say(text: str, code: int) -> int:
    try:
        note(f"harkback: {text}")
        if sys.stdout:
            sys.stdout.flush()
    except OSError:
        silence_output()
    return code


def _usage(error: click.ClickException) -> str:
    """What was wrong with the command line, and where it is explained."""
    message = error.format_message()
    context = error.ctx if isinstance(error, click.UsageError) else None
    return f"{message[:1].lower()}{message[1:]}\n`{context.command_path} --help` explains it" if context else message


def describe(error: Exception) -> str:
    """Where an error of ours happened; its message is left out, since it may quote a conversation."""
    if isinstance(error, OSError):
        return f"could not go on: {error.strerror or type(error).__name__}; the index is as it was"
    last = traceback.extract_tb(error.__traceback__)[-1]
    place_in_code = f"{last.filename.rsplit('/', 1)[-1]}:{last.lineno}"
    return f"something went wrong inside ({type(error).__name__} at {place_in_code}); the index is as it was"
