"""What editors built on VS Code keep for each workspace: a folder with a hash for a name, and what folder it is for."""

from __future__ import annotations

import os
import re
from pathlib import Path

import msgspec

from ..core.model import Unreadable
from .content import label
from .json_file import read_json
from .listing import is_plain_folder, plain_folders_in

STORAGE, MANIFEST = "workspaceStorage", "workspace.json"
LIMIT = 1 << 20
URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*(/[^?#]*)")
ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")
DRIVE = re.compile(r"/[A-Za-z]:")


class _Manifest(msgspec.Struct):
    folder: object = None
    workspace: object = None


_DECODER = msgspec.json.Decoder(_Manifest)


def workspaces(user: Path) -> list[Path]:
    """The folders of all workspaces below an editor's `User` folder, no link among them."""
    storage = user / STORAGE
    return plain_folders_in(storage) if is_plain_folder(storage) else []


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
    found = URI.match(uri) if isinstance(uri, str) else None
    if found is None:
        return None
    path = ESCAPE.sub(lambda escape: bytes.fromhex(escape[1].decode()), found[1].encode("utf-8", "replace"))
    text = path.decode("utf-8", "replace")
    return label(text[1:] if DRIVE.match(text) else text)
