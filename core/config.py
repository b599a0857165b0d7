"""config.toml ↔ Config. Errors name the file, the key and what is allowed; edits keep the person's comments."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, cast

import msgspec

from .complaint import complaint
from .exclude import BadRule, Rules
from .private import Unwritten, write_private

MEGABYTE = 1 << 20
MOST = 1_000_000_000
"""The greatest number that a limit may be."""


class ConfigError(Exception):
    """The configuration can't be used; the message says where and what is allowed."""


class SourceConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[sources.NAME]"""

    enabled: bool = False
    roots: tuple[str, ...] = ()
    """Folders or files read besides the agent's own places."""
    tools: bool = False
    """Whether what tools were told and what they answered is read too, where the source knows it."""


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[limits]: how much is kept. A key that is set wins over its preset; 0 means no limit."""

    preset: Literal["recent", "everything"] = "recent"
    window_days: int | None = None
    turns_per_source: int | None = None
    turns_total: int | None = None
    megabytes_per_file: int | None = None

    def effective(self) -> EffectiveLimits:
        recent = self.preset == "recent"
        return EffectiveLimits(
            window_days=_or(self.window_days, 90 if recent else 0),
            turns_per_source=_or(self.turns_per_source, 20_000 if recent else 0),
            turns_total=_or(self.turns_total, 100_000 if recent else 0),
            text_per_file=_or(self.megabytes_per_file, 16) * MEGABYTE,
        )


class EffectiveLimits(msgspec.Struct, frozen=True):
    """The limits in force; 0 means none."""

    window_days: int
    turns_per_source: int
    turns_total: int
    text_per_file: int
    """Characters."""


class Retention(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[retention]"""

    when_source_vanishes: Literal["keep", "forget"] = "keep"


class Exclude(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[exclude]"""

    patterns: tuple[str, ...] = ()
    """One rule a string; exclude.py says what a rule may be."""


class Redaction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[redaction]: what a person adds to the rules for secrets."""

    allow: tuple[str, ...] = ()
    """Values that are never masked, though they look like secrets."""
    patterns: tuple[str, ...] = ()
    """Shapes of secrets besides those that are known; redact_own.py says what a pattern may be."""


class Semantic(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[semantic]: meaning beside words."""

    enabled: bool = False
    model: Literal["english-small", "multilingual-small"] = "english-small"
    model_path: str = ""
    """A folder with the files of one of these models; empty: harkback's own, below its folder."""


class Interface(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[interface]"""

    theme: str = ""
    """One of Textual's theme names; empty: the default."""
    reduced_motion: bool = False
    """Nothing blinks or glides."""


class BasketConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[basket]"""

    budget: int = 2_000
    """Tokens, by pack.py's rule, that a prompt made of past turns should not exceed."""


class Tools(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[tools]"""

    visibility: Literal["self", "tree", "agent", "all"] = "all"
    """What an agent may see through the MCP server; scope.py says what each means."""


class HookConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[hook]: what agents are told by `harkback hook`."""

    scope: Literal["project", "everywhere"] = "project"
    """Which sessions are told of: those of the project that the agent works in, or all."""


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole of config.toml."""

    sources: dict[str, SourceConfig] = {}
    limits: Limits = Limits()
    retention: Retention = Retention()
    exclude: Exclude = Exclude()
    redaction: Redaction = Redaction()
    semantic: Semantic = Semantic()
    interface: Interface = Interface()
    basket: BasketConfig = BasketConfig()
    tools: Tools = Tools()
    hook: HookConfig = HookConfig()
    keys: dict[str, str] = {}
    """Action → keys, as in `open = "enter,l"`."""

    def source(self, name: str) -> SourceConfig:
        return self.sources.get(name, SourceConfig())

    def ticked(self, names: Iterable[str]) -> list[str]:
        """Those of `names` that may be read, in their order."""
        return [name for name in names if self.source(name).enabled]


def _or(value: int | None, default: int) -> int:
    return default if value is None else value


def home_folder(given: str | None, environ: Mapping[str, str]) -> Path:
    """Where config.toml and the index live: `--home`, else HARKBACK_HOME, else the platform's place for user data.

    Raises ConfigError for the home folder of nobody.
    """
    if chosen := given or environ.get("HARKBACK_HOME"):
        try:
            return Path(chosen).expanduser().absolute()
        except RuntimeError as error:
            raise ConfigError(f"{chosen} can't be used: {error}") from error
    import platformdirs  # not needed by those who name their folder

    return Path(platformdirs.user_data_dir("harkback", appauthor=False))


def load(home: Path) -> Config:
    """The configuration of `home`; without a file, the default. Raises ConfigError."""
    path = home / "config.toml"
    return parse(_read(path), path)


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} can't be read: {error}") from error


def parse(text: str, path: Path) -> Config:
    """The configuration that `text` describes; `path` is for messages. Raises ConfigError."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: {error}") from error
    try:
        config = msgspec.convert(values, Config)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{path}: {complaint(values, Config) or error}") from error
    for key, value in msgspec.structs.asdict(config.limits).items():
        if isinstance(value, int) and not 0 <= value <= MOST:
            raise ConfigError(f"{path}: limits.{key}: {value} is not between 0 and {MOST:,}; 0 means no limit")
    if not 1 <= config.basket.budget <= MOST:
        raise ConfigError(f"{path}: basket.budget: {config.basket.budget} is not between 1 and {MOST:,}")
    try:
        Rules(config.exclude.patterns)
    except BadRule as error:
        raise ConfigError(f"{path}: exclude.patterns: {error}") from error
    if config.redaction.patterns:
        from .redact_own import BadPattern, own  # brings all rules along

        try:
            own(config.redaction.patterns, ())
        except BadPattern as error:
            raise ConfigError(f"{path}: redaction.patterns: {error}") from error
    return config


def get(config: Config, key: str) -> object:
    """The value at a dotted `key`, defaults included. Raises ConfigError for a key that does not exist."""
    value: Any = msgspec.to_builtins(config)
    if key.startswith("sources.") and (parts := key.split("."))[1] not in config.sources:
        value["sources"][parts[1]] = msgspec.to_builtins(SourceConfig())
    for part in key.split(".") if key else []:
        if not isinstance(value, dict) or part not in value:
            raise ConfigError(f"there is no setting {key!r}; `harkback config get` lists them all")
        value = cast(dict[str, Any], value)[part]
    return value


def change(home: Path, changes: Mapping[str, object]) -> Config:
    """Set dotted keys in config.toml (`None` removes one) and keep everything else as it is written.

    Raises ConfigError and leaves the file alone when the outcome would not be valid.
    """
    import tomlkit  # costs 20 ms, and only those who change something need it
    from tomlkit.exceptions import TOMLKitError

    path = home / "config.toml"
    load(home)
    try:
        document = tomlkit.parse(_read(path))
        for key, value in changes.items():
            *tables, name = key.split(".")
            if not all((*tables, name)):
                raise ConfigError(f"{path}: there is no setting {key!r}")
            table: Any = document
            for part in tables:
                if part not in table and value is not None:
                    table[part] = tomlkit.table(is_super_table=part == "sources")
                table = table.get(part, {})
            if value is None:
                table.pop(name, None)
            elif not _edited(table.get(name), value):
                table[name] = value
        text = tomlkit.dumps(document)  # pyright: ignore[reportUnknownMemberType]
        text.encode()
    except (TOMLKitError, TypeError, AttributeError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from error
    config = parse(text, path)
    try:
        write_private(path, text)
    except Unwritten as error:
        raise ConfigError(str(error)) from error
    return config


def _edited(old: Any, new: object) -> bool:
    """Make one list of another line by line, so that its comments stay; gives whether that could be done."""
    if not isinstance(old, list) or not isinstance(new, list):
        return False
    lines: list[object] = old  # pyright: ignore[reportUnknownVariableType]
    wanted: list[object] = new  # pyright: ignore[reportUnknownVariableType]
    for each in [each for each in lines if each not in wanted]:
        lines.remove(each)
    for each in [each for each in wanted if each not in lines]:
        lines.append(each)
    return lines == wanted
