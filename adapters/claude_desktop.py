"""Claude Desktop's local agents: the same session files as Claude Code's, each with a file beside that titles it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from ..core.model import TITLE_GENERATED, Checkpoint, Record, SessionRecord
from .claude_record import name_of
from .content import label
from .environment import application_folders
from .json_file import read_json

FOLDER = "local-agent-mode-sessions"
_LARGEST = 16 << 20


class _SideFile(msgspec.Struct, rename="camel"):
    cli_session_id: object = None
    title: object = None


_SIDE_FILE = msgspec.json.Decoder(_SideFile)


def desktop_roots(home: Path, environ: Mapping[str, str]) -> list[Path]:
    """Where Claude Desktop keeps its agents, on each kind of system."""
    return [folder / "Claude" / FOLDER for folder in application_folders(home, environ)]


def is_side_file(name: str) -> bool:
    """Whether a file says something of a session, by its name: `local_ID.json`."""
    return name.startswith("local_") and name.endswith(".json")


def read_side_file(path: Path) -> Iterator[Record]:
    """The title that a session has in Claude Desktop. Raises OSError and `Unreadable`."""
    side, size = read_json(path, _SIDE_FILE, _LARGEST)
    if (session := name_of(side.cli_session_id)) and (title := label(side.title)):
        yield SessionRecord(session, title=title, title_rank=TITLE_GENERATED)
    yield Checkpoint(size)
