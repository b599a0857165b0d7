"""Where agents keep their stores: what an environment variable says, and the data folders of systems and editors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path


def named_folder(home: Path, environ: Mapping[str, str], variable: str) -> Path | None:
    """The folder that an environment variable names, relative ones below `home`; None where it names none."""
    value = environ.get(variable, "").strip()
    return home / value.removeprefix("~/") if value else None


def data_folder(home: Path, environ: Mapping[str, str]) -> Path:
    """Where command line tools keep their data on Linux, and many of them on macOS too."""
    return named_folder(home, environ, "XDG_DATA_HOME") or home / ".local" / "share"


def roaming_folder(home: Path, environ: Mapping[str, str]) -> Path:
    """Where applications keep their data on Windows."""
    return named_folder(home, environ, "APPDATA") or home / "AppData" / "Roaming"


def application_folders(home: Path, environ: Mapping[str, str]) -> tuple[Path, Path, Path]:
    """Where applications keep their data, by the layouts of Linux, macOS and Windows."""
    return (
        named_folder(home, environ, "XDG_CONFIG_HOME") or home / ".config",
        home / "Library" / "Application Support",
        roaming_folder(home, environ),
    )


def user_folders(home: Path, environ: Mapping[str, str], products: Iterable[str]) -> list[Path]:
    """The `User` folders of editors such as `Code` or `Cursor`, by the layouts of Linux, macOS and Windows."""
    return [base / product / "User" for product in products for base in application_folders(home, environ)]
