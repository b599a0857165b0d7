"""Where agents keep what they are told to remember: in their own folders, and in the folders that people work in."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from ..core.model import Unreadable
from .buddy import CONFIG_VARIABLE, config_folders
from .claude import Claude
from .content import label
from .environment import named_folder
from .json_file import read_json
from .listing import is_plain_folder, plain_folders_in
from .openclaw import OpenClaw

PROJECTS, MEMORY, SETTINGS = "projects", "memory", "settings.json"
WORKTREES = "worktrees"
"""In an agent's folder it has copies of repositories, which are projects of their own."""
MANAGED = (Path("etc", "claude-code"), Path("Library", "Application Support", "ClaudeCode"))
"""Where an organisation puts what holds for all users of Claude Code, on Linux and macOS."""
IN_PROJECT = (
    "CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", ".claude/rules",
    "AGENTS.md", "AGENTS.override.md", "AGENTS.local.md",
    "GEMINI.md",
    ".cursor/rules", ".cursorrules",
    "CODEBUDDY.md", "CODEBUDDY.local.md", ".codebuddy/CODEBUDDY.md", ".codebuddy/rules",
    ".github/copilot-instructions.md", ".github/instructions",
    ".windsurfrules", ".windsurf/rules",
    "MEMORY.md", MEMORY,
)  # fmt: skip
IN_PARENTS = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md")
"""What agents read in the folders above a project as well, up to the top of its repository."""
MOST_ABOVE = 8
HIDDEN_FILES = frozenset((".cursorrules", ".windsurfrules"))
AGENT_FOLDERS = frozenset((".claude", ".cursor", ".codebuddy", ".github", ".windsurf"))
"""Folders in a project that belong to one agent."""
OWN_FOLDERS = frozenset((".codex", ".gemini", ".agents", ".kimi-code", ".codeium"))
"""Folders that lie in a home and in no project."""

_SLUG = re.compile(r"-|[A-Za-z]--")
"""How the name of a project's folder begins at Claude Code: it is its path, all but letters and digits as dashes."""
_LARGEST_SETTINGS = 1 << 20


class _Settings(msgspec.Struct):
    folder: object = msgspec.field(default=None, name="autoMemoryDirectory")


_SETTINGS_FILE = msgspec.json.Decoder(_Settings)


def agents_places(home: Path, environ: Mapping[str, str]) -> list[Path]:
    """The files and folders of all agents, by their own environment variables and by default."""
    codex = named_folder(home, environ, "CODEX_HOME") or home / ".codex"
    gemini = (named_folder(home, environ, "GEMINI_CLI_HOME") or home) / ".gemini"
    kimi = named_folder(home, environ, "KIMI_CODE_HOME") or home / ".kimi-code"
    buddy, *_ = config_folders(home, named_folder(home, environ, CONFIG_VARIABLE), ".codebuddy")
    programs = named_folder(home, environ, "PROGRAMFILES")
    return [
        *_of_claude(home, environ),
        *(Path(home.anchor) / folder for folder in MANAGED),
        *((programs / "ClaudeCode",) if programs else ()),
        *(codex / name for name in ("AGENTS.md", "AGENTS.override.md", "memories")),
        gemini / "GEMINI.md",
        kimi / "AGENTS.md",
        home / ".agents" / "AGENTS.md",
        *(buddy / name for name in ("CODEBUDDY.md", "rules")),
        *_of_openclaw(home, environ),
        home / ".codeium" / "windsurf" / "memories",
    ]


def project_places(project: Path) -> list[Path]:
    """The same for a working directory; links that lead out of it, or out of its repository, are left out."""
    above = _above(project)
    top = os.path.realpath(above[-1] if above else project)
    places = [*(project / name for name in IN_PROJECT), *(folder / name for folder in above for name in IN_PARENTS)]
    return [place for place in places if not os.path.lexists(place) or _is_inside(os.path.realpath(place), top)]


def is_claude_projects(folder: Path) -> bool:
    """Whether a folder is the one in which Claude Code keeps something for each project."""
    return folder.name == PROJECTS and any(_SLUG.match(each.name) for each in plain_folders_in(folder))


def project_of(path: Path) -> Path | None:
    """The project that a memory file lies in or is about; None for what holds everywhere."""
    folders = path.parts[:-1]
    if path.parent in (Path(path.anchor) / folder for folder in MANAGED):
        return None
    if folders[-1:] == (MEMORY,) and folders[-3:-2] == (PROJECTS,) and _SLUG.match(folders[-2]):
        return _by_slug(path.anchor, folders[-2])
    for number in range(len(folders) - 1, 0, -1):
        agents = Path(*folders[: number + 1])
        if agents.name in AGENT_FOLDERS | OWN_FOLDERS and folders[number + 1 : number + 2] != (WORKTREES,):
            return None if agents.name in OWN_FOLDERS or (agents / PROJECTS).is_dir() else agents.parent
        if agents.name == MEMORY and (number == len(folders) - 1 or path.name not in IN_PROJECT):
            return agents.parent
    return path.parent


# ---- parts ----


def _of_claude(home: Path, environ: Mapping[str, str]) -> Iterator[Path]:
    for projects in Claude().roots(home, environ):
        if projects.name == PROJECTS:
            folder = projects.parent
            yield from (folder / "CLAUDE.md", folder / "rules")
            if any(is_plain_folder(each / MEMORY) for each in plain_folders_in(projects)):
                yield projects
            if own := _own_folder(folder / SETTINGS):
                yield home / own.removeprefix("~/")


def _own_folder(path: Path) -> str | None:
    """Where a person has Claude Code keep its own notes, if not in the usual place."""
    try:
        target = path.resolve(strict=True)  # people link their settings from a folder of dot files
        return label(read_json(target, _SETTINGS_FILE, _LARGEST_SETTINGS)[0].folder)
    except (OSError, RuntimeError, ValueError, Unreadable):
        return None


def _of_openclaw(home: Path, environ: Mapping[str, str]) -> Iterator[Path]:
    """What agents remember in their workspaces; one that lies elsewhere is known as the project of its sessions."""
    for state in OpenClaw().roots(home, environ):
        others = [folder for folder in plain_folders_in(state) if folder.name.startswith("workspace-")]
        for workspace in (state / "workspace", *others):
            yield from (workspace / name for name in ("MEMORY.md", "USER.md", MEMORY))


def _above(project: Path) -> list[Path]:
    """The folders above a project, up to the top of the repository that it is a part of; none if it is of none."""
    for number, folder in enumerate((project, *list(project.parents)[:MOST_ABOVE])):
        if os.path.lexists(folder / ".git"):
            return list(project.parents)[:number]
    return []


def _is_inside(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip(os.sep) + os.sep)


def _by_slug(anchor: str, slug: str) -> Path | None:
    """The folder whose path Claude Code has made a name of, if it is still there; the name alone is ambiguous."""
    found = [(Path(anchor), _SLUG.sub("", slug, count=1))]
    for _ in range(64):
        if not found:
            return None
        folder, rest = found.pop()
        for inner in reversed(plain_folders_in(folder)):
            name = re.sub(r"[^A-Za-z0-9]", "-", inner.name)
            if rest == name:
                return inner
            if rest.startswith(f"{name}-"):
                found.append((inner, rest[len(name) + 1 :]))
    return None
