"""Commands that show and change config.toml."""

from __future__ import annotations

import json
import sys
import tomllib

import click
import msgspec

from ..core import config as configuration
from ..core.config import Config, Semantic
from ..core.embedder import NOT_INSTALLED
from ..core.fetch_model import fetch, is_installed, offer
from ..core.model import ToolReading
from ..core.model_folder import PRESETS, find_model
from ..core.no_model import NoModel
from .cli import as_typed, cli, home_option, place
from .known_sources import check_names
from .output import note, on_terminal, say
from .surroundings import Surroundings


@cli.group()
@home_option
def config() -> None:
    """Show or change config.toml."""


@config.command("path")
@home_option
def config_path() -> None:
    """Print where config.toml is."""
    say(str(place().folder / "config.toml"))


@config.command("get")
@click.argument("key", default="")
@home_option
def config_get(key: str) -> None:
    """Print a setting such as limits.preset, as JSON; without KEY all of them."""
    value = configuration.get(place().config(), key)
    click.echo(json.dumps(value, indent=None if key else 2))


@config.command("set", context_settings={"ignore_unknown_options": True})  # a value may be -1
@click.argument("key")
@click.argument("value")
@click.option("--yes", is_flag=True, help="Fetch a model that semantic.enabled or semantic.model needs; don't ask.")
@home_option
def config_set(key: str, value: str, yes: bool) -> None:
    """Change a setting. VALUE is TOML or plain text: 30, true, everything, '["~/more"]'."""
    here = place()
    if key in ("semantic.enabled", "semantic.model", "semantic.model_path"):
        _have_model(here, as_typed(key), _value(as_typed(value)), yes=yes)
    table, _, rest = key.partition(".")
    if table == "sources" and rest:
        check_names(here, [rest.partition(".")[0]])
    changed = configuration.change(here.folder, {as_typed(key): _value(as_typed(value))})
    say(f"{key} = {json.dumps(configuration.get(changed, as_typed(key)))}")
    if table == "sources" and rest.endswith(".tools"):
        note(_about_tools(here, changed, rest.partition(".")[0]))


def _have_model(here: Surroundings, key: str, value: object, *, yes: bool) -> None:
    """See to the model that a change would need, before it is made. Raises NoModel, UsageError, Abort."""
    try:
        semantic = msgspec.convert(
            {**msgspec.structs.asdict(here.config().semantic), key.partition(".")[2]: value}, Semantic
        )
    except msgspec.ValidationError:
        return  # what is wrong with the value is said when it is set
    if not semantic.enabled:
        return
    if not is_installed():
        raise NoModel(NOT_INSTALLED)
    try:
        find_model(semantic, here.folder)
    except NoModel:
        if semantic.model_path:
            raise
        note(offer(PRESETS[semantic.model]))
        if not yes and not (on_terminal(sys.stdin) and click.confirm("Fetch it now?", err=True)):
            raise click.UsageError("nothing was changed; --yes fetches it without asking") from None
        fetch(semantic, here.folder)
    note("`harkback index` embeds what is indexed; until it has, words alone find the rest")


def _about_tools(here: Surroundings, config: Config, name: str) -> str:
    """What reading tool calls comes to."""
    title = here.titles[name]
    if not any(each.name == name and isinstance(each, ToolReading) for each in here.adapters):
        return f"harkback knows no tool calls of {title}, so this changes nothing"
    if config.source(name).tools:
        return f"what tools of {title} were told and answered is read too from the next `harkback index` on: role:tool"
    return f"what was read of tools of {title} goes with the next `harkback index`"


def _value(text: str) -> object:
    """A command-line word as a TOML value, else as the text that it is."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
