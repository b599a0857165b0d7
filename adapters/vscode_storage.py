"""What editors built on VS Code keep for each workspace: a folder with a hash for a name, and what folder it is for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import msgspec

from ..core.model import SkipRecord, Unreadable
from .content import label
from .json_file import read_json

STORAGE, MANIFEST = "workspaceStorage", "workspace.json"
LIMIT = 1 << 20
DRIVE = re.compile(r"/[A-Za-z]:")


class _Manifest(msgspec.Struct):
    folder: object = None
    workspace: object = None


_DECODER = msgspec.json.Decoder(_Manifest)


def workspaces(user: Path) -> Iterator[Path | SkipRecord]:
    """The folders of all workspaces below an editor's `User` folder, no link among them."""
    storage = user / STORAGE
    if storage.is_dir() and not storage.is_symlink():
        try:
            with os.scandir(storage) as entries:
                yield from sorted(Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False))
        except OSError:
            yield SkipRecord("unreadable-folder", os.fspath(storage))


def folder_of(workspace: Path) -> str | None:
    """The folder that a workspace is for; None for one of several folders, and where nothing says it."""
    try:
        manifest = read_json(workspace / MANIFEST, _DECODER, LIMIT)[0]
    except (OSError, Unreadable):
        return None
    if folder := path_of(manifest.folder):
        return folder
    file = path_of(manifest.workspace)
    return label(os.path.dirname(file)) if file and file.endswith(".code-workspace") else None  # noqa: PTH120


def path_of(uri: object) -> str | None:
    """The path in a URI such as `file:///c%3A/src`, on whichever machine it is."""
    if not isinstance(uri, str):
        return None
    try:
        path = unquote(urlsplit(uri).path)
    except ValueError:
        return None
    return label(path[1:] if DRIVE.match(path) else path)
