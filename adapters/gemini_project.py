"""Which working directory a folder below Gemini's `tmp` stands for; it is named by a slug or by a hash."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import cast

import msgspec

from ..core.model import Unreadable
from .base import open_file
from .content import label
from .json_file import read_json

PROJECTS = "projects.json"
LIMIT = 4 << 20


class _Projects(msgspec.Struct):
    projects: object = None


_DECODER = msgspec.json.Decoder(_Projects)


def project_of(folder: Path) -> str | None:
    """The working directory of `.gemini/tmp/PROJECT`, from the files that say so; None where none does."""
    home = folder.parent.parent
    return _root_in(folder) or _root_in(home / "history" / folder.name) or _listed(home / PROJECTS, folder.name)


def _root_in(folder: Path) -> str | None:
    try:
        with open_file(folder / ".project_root") as stream:
            return label(stream.read(4096).decode("utf-8", "replace").strip("\ufeff \t\r\n\0"))
    except (OSError, Unreadable, ValueError):
        return None


def _listed(path: Path, name: str) -> str | None:
    try:
        projects = read_json(path, _DECODER, LIMIT)[0].projects
    except (OSError, Unreadable, ValueError):
        return None
    for project, slug in cast(dict[str, object], projects if isinstance(projects, dict) else {}).items():
        if name in (slug, sha256(project.encode("utf-8", "surrogatepass")).hexdigest()):
            return label(project)
    return None
