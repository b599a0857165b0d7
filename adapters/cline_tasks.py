"""The task folders of Cline and its forks in the storage of an editor: one a conversation, named by its id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from ..core.model import Checkpoint, Place, Record, SkipRecord, Unreadable
from .base import parse_time, printable
from .cline_messages import HISTORY, Times, history_records, shown_lines, shown_records
from .environment import user_folders
from .json_file import read_json
from .listing import files_in, folders_in

EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
SERVERS = (".vscode-server", ".vscode-server-insiders", ".vscode-remote", ".cursor-server", ".windsurf-server")
"""Where these editors keep their data on the other end of a remote connection, below the home."""
HISTORY_FILE = "api_conversation_history.json"
PANEL_FILES = ("ui_messages.json", "claude_messages.json")
"""The second is what the first was called before."""
LINES = msgspec.json.Decoder(list[msgspec.Raw])


def storage_folders(home: Path, environ: Mapping[str, str], extension: str) -> list[Path]:
    """The folders in which each editor lets an extension keep its data."""
    users = [*user_folders(home, environ, EDITORS), *(home / name / "data" / "User" for name in SERVERS)]
    return [user / "globalStorage" / extension for user in users]


def find_tasks(root: Path, *facts: str) -> Iterator[Path | Place | SkipRecord]:
    """The history of every task, else what its panel showed; and the files named `facts` beside it."""
    wanted = {HISTORY_FILE, *PANEL_FILES, *facts}
    for folder in folders_in(root if root.name == "tasks" else root / "tasks"):
        if isinstance(folder, SkipRecord):
            yield folder
            continue
        there: dict[str, Path] = {}
        for found in files_in(folder, wanted.__contains__):
            if isinstance(found, SkipRecord):
                yield found
            else:
                there[found.name] = found
        panel = next((there[name] for name in PANEL_FILES if name in there), None)
        if HISTORY_FILE in there:
            yield Place(there[HISTORY_FILE], (panel or folder / PANEL_FILES[0],))
        elif panel:
            yield panel
        yield from (there[name] for name in facts if name in there)


def read_task(path: Path, tools: bool) -> Iterator[Record]:
    """The records of a task, with the checkpoint at the end. Raises OSError and `Unreadable`."""
    session = name_of(path)
    if path.name != HISTORY_FILE:
        lines, size = read_json(path, LINES)
        yield from shown_records(session, lines)
    else:
        history, size = read_json(path, HISTORY)
        started = parse_time(int(session)) if session.isdecimal() and len(session) == len("1767225600000") else None
        yield from history_records(session, history, _times(path), started, tools)
    yield Checkpoint(size)


def name_of(path: Path) -> str:
    """The id of the task that a file is of."""
    return printable(path.parent.name)


def _times(path: Path) -> Times:
    for name in PANEL_FILES:
        with suppress(OSError, Unreadable):
            return Times(shown_lines(read_json(path.with_name(name), LINES)[0]))
    return Times()
