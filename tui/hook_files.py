"""Writes an agent's settings at the person's wish: what is there is kept, in step with the agent, and a copy of it."""

from __future__ import annotations

import contextlib
import os
import stat
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ..core.json_text import NotJson
from ..core.private import Unwritten, write_private

_BOM = "\ufeff"


class Refused(Exception):
    """The settings are left alone; the message says why."""


@dataclass(frozen=True, slots=True)
class Settings:
    """A settings file as it is."""

    path: Path
    text: str
    """Without its byte order mark; empty if there is no file."""
    raw: bytes | None
    """None where there is no file."""


def read_settings(path: Path) -> Settings:
    """Raises Refused."""
    try:
        raw = path.read_bytes()
        return Settings(path, raw.decode("utf-8-sig"), raw)
    except FileNotFoundError:
        return Settings(path, "", None)
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{path} can't be read: {error}") from error


def replace_settings(old: Settings, text: str, backups: Path, now: datetime) -> Path | None:
    """Write a settings file anew in one step and give the copy of the old one, which only its owner may read.

    Its mode stays, and a link to it. Raises Refused, also if the file is not what it was when it was read.
    """
    target = Path(os.path.realpath(old.path))
    if not target.parent.is_dir():
        raise Refused(f"{target.parent} is not there, so there seems to be nothing to set up")
    backup = None
    new = target.with_name(f".{target.name}.harkback-new")
    try:
        if old.raw is not None:
            backup = backups / f"{target.parent.name.lstrip('.')}-{now:%Y%m%d-%H%M%S}-{target.name}"
            write_private(backup, old.text)
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o600
        new.unlink(missing_ok=True)
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(((_BOM if (old.raw or b"").startswith(_BOM.encode()) else "") + text).encode())
            file.flush()
            os.fsync(file.fileno())
        new.chmod(mode)
        if read_settings(old.path).raw != old.raw:
            raise Refused(f"{old.path} was changed meanwhile; try again")
        new.replace(target)
    except (OSError, Unwritten, UnicodeEncodeError) as error:
        raise Refused(f"{old.path} can't be written: {error}") from error
    finally:
        with contextlib.suppress(OSError):
            new.unlink(missing_ok=True)
    return backup


def not_json(path: Path, error: NotJson) -> Refused:
    """Why a file is left alone that is not understood."""
    return Refused(f"{path} is left alone, as it is not the JSON that it should be: {error}")
