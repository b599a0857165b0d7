"""Memory files: CLAUDE.md, AGENTS.md, MEMORY.md, rules and dated notes, of agents and of the projects worked in."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import islice
from pathlib import Path

from ..core.model import (
    TITLE_GENERATED,
    TITLE_GIVEN,
    Checkpoint,
    Record,
    Reread,
    SessionRecord,
    SkipRecord,
    TurnRecord,
    Unreadable,
)
from .base import EARLIEST, LATEST, files_below, open_file
from .content import label
from .json_lines import FOREIGN
from .listing import is_plain_file, is_plain_folder, plain_folders_in
from .markdown import Chunk, chunks, first_heading, front_matter, lines_of
from .memory_places import (
    HIDDEN_FILES,
    MEMORY,
    agents_places,
    is_claude_projects,
    project_of,
    project_places,
)

LARGEST = 4 << 20
"""Bytes of a memory file: what is larger nobody wrote for an agent to read."""
MOST_LINES, MOST_CHUNKS = 200_000, 5_000
LONGEST_NAME = 900
DATED = re.compile(r"(\d{4}-\d{2}-\d{2})(?![\d])")
FILE_NAME = re.compile(r"`?[\w.-]+\.mdc?`?", re.IGNORECASE)
UTF_16 = re.compile(rb"\xff\xfe|\xfe\xff|(?:\0[^\0]){8}|(?:[^\0]\0){8}")


@dataclass(frozen=True, slots=True)
class MemoryFiles:
    """Each file is a session of the kind `memory`, its turns are the chunks; `cite` says which lines they are."""

    name: str = "memory"
    title: str = "Memory files"
    version: int = 1
    lasts: bool = True
    """What was written down a year ago holds until it is changed."""

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        return list(dict.fromkeys(agents_places(home, environ)))

    def project_roots(self, project: Path) -> list[Path]:
        return project_places(project)

    def find(self, root: Path) -> Iterator[Path | SkipRecord]:
        """A file, or all notes in a folder; of Claude Code's projects what it keeps for each, and nothing else."""
        if root.is_symlink():
            yield SkipRecord("symbolic-link", os.fspath(root))
        elif is_plain_file(root):
            if _is_note(root.name):
                yield root
        elif is_claude_projects(root):
            for project in plain_folders_in(root):
                if is_plain_folder(project / MEMORY):
                    yield from _notes_below(project / MEMORY)
        elif is_plain_folder(root):
            yield from _notes_below(root)

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        if since is not None:
            raise Reread  # these files are rewritten
        with open_file(path) as stream:
            changed = int(os.fstat(stream.fileno()).st_mtime * 1000)
            data = stream.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise Unreadable("too-large")
        text, is_whole = _decoded(data)
        if not is_whole:
            yield SkipRecord("replaced-bytes", "some of its bytes")
        lines = lines_of(text)
        facts, start = front_matter(lines)
        found = list(islice(chunks(lines[:MOST_LINES], start), MOST_CHUNKS + 1))
        if len(found) > MOST_CHUNKS or len(lines) > MOST_LINES:
            found = found[:MOST_CHUNKS]
            yield SkipRecord("note-cut", f"line {found[-1].last + 1 if found else MOST_LINES}")
        session = session_name(path)
        time = _day(path) or (changed if EARLIEST <= changed <= LATEST else None)
        if found:
            yield _session(session, path, facts, lines, start)
            yield from _turns(session, lines, found, time)
        yield Checkpoint(len(data))

    def resume(self, native_id: str) -> list[str] | None:
        """There is nothing to go on with."""
        return None


def session_name(path: Path) -> str:
    """The file's path; where that is not safe to show or to store, its hash and a name."""
    name = os.fspath(path)
    if name.isprintable() and len(name) <= LONGEST_NAME:
        return name
    digest = blake2b(os.fsencode(path), digest_size=8).hexdigest()
    return f"{digest}/{re.sub(r'[^A-Za-z0-9._-]', '_', path.name)[:80]}"


# ---- parts ----


def _is_note(name: str) -> bool:
    return (name.lower().endswith((".md", ".mdc")) and not name.startswith(".")) or name in HIDDEN_FILES


def _notes_below(folder: Path) -> Iterator[Path | SkipRecord]:
    """Hidden folders, such as `.git` and `.obsidian`, and what packages bring along are nobody's notes."""
    return files_below(folder, _is_note, lambda name: not name.startswith(".") and name != "node_modules")


def _decoded(data: bytes) -> tuple[str, bool]:
    """The text, and whether all bytes were text. Raises `Unreadable` for another kind of file."""
    if UTF_16.match(data):
        raise Unreadable("encoding")
    if re.match(FOREIGN["compressed"], data):
        raise Unreadable("compressed")
    if b"\0" in data.strip(b"\0"):
        raise Unreadable("not-text")
    try:
        return data.decode(), True
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace"), False


def _session(session: str, path: Path, facts: Mapping[str, str], lines: Sequence[str], start: int) -> SessionRecord:
    project = project_of(path)
    title = _title(path, facts, lines, start)
    return SessionRecord(
        session,
        title=label(title or _place_in(project, path)),
        title_rank=TITLE_GIVEN if title else TITLE_GENERATED,
        project=label(os.fspath(project)) if project else None,
        kind="memory",
    )


def _title(path: Path, facts: Mapping[str, str], lines: Sequence[str], start: int) -> str | None:
    """What the file calls itself; the name of a file tells nobody which of many it is."""
    given = (facts.get("title"), facts.get("description"), first_heading(lines[:MOST_LINES], start), facts.get("name"))
    return next((each for each in given if each and each != path.stem and not FILE_NAME.fullmatch(each)), None)


def _place_in(project: Path | None, path: Path) -> str:
    """The file's name with its project's, else with its folder's."""
    if project is None:
        return f"{path.parent.name}/{path.name}"
    inside = path.relative_to(project).as_posix() if path.is_relative_to(project) else path.name
    return f"{project.name}/{inside}"


def _turns(session: str, lines: Sequence[str], found: Sequence[Chunk], time: int | None) -> Iterator[TurnRecord]:
    """Chunks are known by what they say: one that stays is not indexed again, the same in another file is a copy."""
    seen: Counter[str] = Counter()
    for chunk in found:
        text = "\n".join(lines[chunk.first - 1 : chunk.last])
        digest = blake2b(text.encode("utf-8", "replace"), digest_size=12).hexdigest()
        seen[digest] += 1
        yield TurnRecord(
            session,
            "memory",
            text,
            time,
            order=chunk.first,
            native_id=digest if seen[digest] == 1 else f"{digest}-{seen[digest]}",
            quality="none" if time is None else "file",
            cite=f"L{chunk.first}-L{chunk.last}",
        )


def _day(path: Path) -> int | None:
    """Noon of the day that a note in a folder `memory` is named for, in UTC: that is the same day nearly everywhere."""
    found = DATED.match(path.name) if MEMORY in path.parts[:-1] else None
    try:
        time = int(datetime.fromisoformat(f"{found[1]}T12:00").replace(tzinfo=UTC).timestamp() * 1000) if found else 0
    except ValueError:
        return None
    return time if EARLIEST <= time <= LATEST else None
