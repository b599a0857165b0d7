"""The store that WorkBuddy and CodeBuddy share: JSONL sessions below `projects/`, and `workbuddy.db` with their titles.

Neither writer is public; the rules are those that third-party readers agree on.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from ..core.model import TITLE_GIVEN, Checkpoint, Place, Record, SessionRecord, SkipRecord
from .base import files_below, is_jsonl
from .buddy_rows import ROWS, Rows
from .content import identifier, label
from .foreign_sqlite import SchemaMismatch, fitting, open_foreign
from .line_pass import line_records

DATABASE, PROJECTS = "workbuddy.db", "projects"
CONFIG_VARIABLE = "CODEBUDDY_CONFIG_DIR"
PLAIN_ID = re.compile(r"(?!-|agent-)[A-Za-z0-9_-]{1,128}")
"""Of a session that can be resumed: those of sub-agents have a dot."""


def config_folders(home: Path, named: Path | None, *names: str) -> list[Path]:
    """The folders of one product: the one that its variable names in place of the first of `names`, and the others."""
    return list(dict.fromkeys([named or home / names[0], *(home / name for name in names[1:])]))


def sessions_below(root: Path) -> Iterator[Path | Place | SkipRecord]:
    """The sessions in a config folder, or in a folder of projects, and the database of titles beside them."""
    database = root / DATABASE
    if database.is_file() and not database.is_symlink():
        yield Place(database, beside=(root / f"{DATABASE}-wal",))
    projects = root if root.name == PROJECTS else root / PROJECTS
    if projects.is_symlink():
        yield SkipRecord("symbolic-link", os.fspath(projects))
    elif projects.is_dir():
        for item in files_below(projects, is_jsonl):
            if not isinstance(item, Path) or "tool-results" not in item.relative_to(projects).parts:
                yield item


def records(path: Path, since: Checkpoint | None, usual: str | None, *, tools: bool) -> Iterator[Record]:
    """What a file of `sessions_below` holds; sessions in a folder named `usual` are resumed by their id alone."""
    if path.name == DATABASE:
        yield from _titles(path)
        return
    folder = next((folder.parent for folder in path.parents if folder.name == PROJECTS), None)
    handle = f"{folder}{os.sep}" if folder and folder.name != usual and str(folder).isprintable() else None
    taker = Rows(path, since.state if since else b"", handle, tools=tools)
    yield from line_records(path, since, ROWS, taker)


def resume_command(native_id: str, usual: Path | None) -> list[str] | None:
    """CodeBuddy's command line on a session; an id alone is one in the folder `usual`, None being CodeBuddy's own."""
    place = Path(native_id)
    folder, name = (place.parent, place.name) if place.is_absolute() else (usual, native_id)
    if not PLAIN_ID.fullmatch(name) or not native_id.isprintable():
        return None
    command = ["codebuddy", "--resume", name]
    return command if folder is None else ["env", f"{CONFIG_VARIABLE}={folder}", *command]


def _titles(path: Path) -> Iterator[Record]:
    """A row a session: its title, where it ran, and whether the person deleted or archived it."""
    with open_foreign(path) as store:
        columns = store.columns("sessions")
        if "id" not in columns:
            raise SchemaMismatch("sessions.id")
        wanted = ("id", "title", "custom_title", "cwd", "status", "is_background_automation", "deleted_at")
        chosen = [fitting(name, 64 << 10) if name in columns else "NULL" for name in wanted]
        sql = f"SELECT rowid, {', '.join(chosen)} FROM sessions WHERE rowid > ?1 ORDER BY rowid"  # noqa: S608
        for _, name, title, custom, cwd, status, automated, deleted_at in store.scan(sql, -(1 << 63)):
            if session := identifier(name):
                best = label(custom) or label(title)
                gone = deleted_at not in (None, "", 0) or (isinstance(status, str) and status.lower() == "archived")
                yield SessionRecord(
                    session, title=best, title_rank=TITLE_GIVEN if best else 0, project=label(cwd),
                    kind="automated" if automated in (1, "1", "true") else None, deleted=True if gone else None,
                )  # fmt: skip
    yield Checkpoint(path.stat(follow_symlinks=False).st_size)
