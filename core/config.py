"""config.toml ↔ Config. Errors name the file, the key and what is allowed; edits keep the person's comments."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, cast

import msgspec

MEGABYTE = 1 << 20


class ConfigError(Exception):
    """The configuration can't be used; the message says where and what is allowed."""


class SourceConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[sources.NAME]"""

    enabled: bool = False
    roots: tuple[str, ...] = ()
    """Folders or files read besides the agent's own places."""


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


class Interface(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[interface]"""

    theme: str = ""
    """One of Textual's theme names; empty: the default."""


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole of config.toml."""

    sources: dict[str, SourceConfig] = {}
    limits: Limits = Limits()
    retention: Retention = Retention()
    interface: Interface = Interface()
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
    """Where config.toml and the index live: `--home`, else HARKBACK_HOME, else the platform's place for user data."""
    if chosen := given or environ.get("HARKBACK_HOME"):
        return Path(chosen).expanduser().absolute()
    import platformdirs  # not needed by those who name their folder

    return Path(platformdirs.user_data_dir("harkback", appauthor=False))


def load(home: Path) -> Config:
    """The configuration of `home`; without a file, the default. Raises ConfigError."""
    path = home / "config.toml"
    try:
        text = path.read_bytes().decode()
    except FileNotFoundError:
        return Config()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} can't be read: {error}") from error
    return parse(text, path)


def parse(text: str, path: Path) -> Config:
    """The configuration that `text` describes; `path` is for messages. Raises ConfigError."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: {error}") from error
    try:
        config = msgspec.convert(values, Config)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `")
        raise ConfigError(f"{path}: {_key(where)}{what[:1].lower()}{what[1:]}{_allowed(where)}") from error
    for key, value in msgspec.structs.asdict(config.limits).items():
        if isinstance(value, int) and value < 0:
            raise ConfigError(f"{path}: limits.{key}: {value} is below 0; 0 means no limit")
    return config


def _key(where: str) -> str:
    where = where.rstrip("`").removeprefix("$").removeprefix(".").replace("[...]", "")
    return f"{where}: " if where else ""


def _allowed(where: str) -> str:
    """What may stand at the place that a validation error names."""
    kind: Any = msgspec.inspect.type_info(Config)
    for part in where.rstrip("`").removeprefix("$").split(".")[1:]:
        name, inside, _ = part.partition("[")
        kind = next((field.type for field in kind.fields if field.name == name), None)
        if inside and isinstance(kind, msgspec.inspect.DictType):
            kind = kind.value_type
    if isinstance(kind, msgspec.inspect.LiteralType):
        return f"; allowed: {', '.join(map(str, kind.values))}"
    if isinstance(kind, msgspec.inspect.StructType):
        return f"; known here: {', '.join(field.name for field in kind.fields)}"
    return ""


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
        document = tomlkit.parse(path.read_text("utf-8")) if path.exists() else tomlkit.document()
        for key, value in changes.items():
            *tables, name = key.split(".")
            table: Any = document
            for part in tables:
                if part not in table:
                    table[part] = tomlkit.table(is_super_table=part == "sources")
                table = table[part]
            if value is None:
                table.pop(name, None)
            else:
                table[name] = value
        text = tomlkit.dumps(document)  # pyright: ignore[reportUnknownMemberType]
    except (TOMLKitError, TypeError, AttributeError) as error:
        raise ConfigError(f"{path}: {error}") from error
    config = parse(text, path)
    write_private(path, text)
    return config


def write_private(path: Path, text: str) -> None:
    """Replace a file of ours in one step, readable by its owner alone. Raises ConfigError."""
    try:
        make_private(path.parent)
        new = path.with_name(path.name + ".new")
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
        new.replace(path)
    except OSError as error:
        raise ConfigError(f"{path} can't be written: {error.strerror or error}; nothing was changed") from error


def make_private(folder: Path) -> None:
    """Make a folder, and its parents, that only its owner may enter."""
    if not folder.is_dir():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
