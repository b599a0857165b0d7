"""What is never opened, and what of a person's sessions is not to be found: a fixed list, and the rules of config.toml.

A rule is a line: a path pattern, or `project:PATTERN`, `source:NAME`, `title:REGEX`, `session:KEY`.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from .glob import Glob, globs, path_names
from .title_pattern import title_pattern

SECRET_NAMES = (
    ".env*", "*credentials*", "*.pem", "*.key", "*.p12", "*.pfx", "*.kdbx", "*.jks", "id_*",
    ".netrc", ".npmrc", ".pypirc", ".pgpass", ".git-credentials",
)  # fmt: skip
SECRET_FOLDERS = frozenset(
    (".ssh", ".gnupg", ".aws", ".azure", ".gcloud", ".kube", ".docker", ".password-store", "keychains")
)
"""Where other programs keep keys and passwords: files of these names, and all files in these folders."""
LIST_VERSION = 1
"""Raised whenever the two above change."""
KINDS = ("project", "source", "title", "session")
LONGEST_RULE, MOST_RULES = 500, 1_000

_secret_name = re.compile("|".join(map(fnmatch.translate, SECRET_NAMES))).match


class BadRule(ValueError):
    """A rule that can't be used; the message says why."""


def is_secret(path: str) -> bool:
    """Whether a path is on the fixed list, in capital letters or not."""
    *folders, name = path.replace(os.sep, "/").lower().split("/")
    return _secret_name(name) is not None or not SECRET_FOLDERS.isdisjoint(folders)


class Rules:
    """The rules of one configuration."""

    def __init__(self, patterns: Iterable[str] = (), home: Path | None = None) -> None:
        """`home` is what `~` stands for; without it nothing is looked up on the disk. Raises BadRule."""
        self.patterns = tuple(patterns)
        if len(self.patterns) > MOST_RULES:
            raise BadRule(f"more than {MOST_RULES:,} rules")
        self._home = os.fspath(home) if home else None
        self._paths: list[Glob] = []
        self._projects: list[Glob] = []
        self._titles: list[Callable[[str], bool]] = []
        self._sources: set[str] = set()
        self._sessions: set[str] = set()
        for pattern in self.patterns:
            self._add(pattern)

    def _add(self, pattern: str) -> None:
        kind, value = parts(pattern)
        try:
            match kind:
                case "project":
                    self._projects += globs(value, self._home)
                case "title":
                    self._titles.append(title_pattern(value))
                case "source":
                    self._sources.add(value)
                case "session":
                    self._sessions.add(value)
                case _:
                    self._paths += globs(value, self._home)
        except ValueError as error:
            raise BadRule(f"{pattern!r}: {error}") from error

    def hide_file(self, source: str, path: str) -> bool:
        """Whether a rule hides a file of a source, by name alone."""
        if source in self._sources:
            return True
        names = path_names(path) if self._paths else []
        return any(glob.covers(names) for glob in self._paths)

    def hide_session(self, source: str, native_id: str, title: str, project: str | None) -> bool:
        """Whether a rule hides a session, by what is known of it."""
        return (
            f"{source}:{native_id}" in self._sessions
            or any(matches(title) for matches in self._titles)
            or (project is not None and any(glob.covers(path_names(project)) for glob in self._projects))
        )

    @property
    def look_into_sessions(self) -> bool:
        """Whether a file must be read to know whether it is hidden."""
        return bool(self._titles or self._projects or self._sessions)


def parts(pattern: str) -> tuple[str, str]:
    """(kind, value) of a rule; the kind of a path pattern is empty. Raises BadRule."""
    if not pattern.strip():
        raise BadRule("a rule is empty")
    if len(pattern) > LONGEST_RULE:
        raise BadRule(f"a rule is longer than {LONGEST_RULE} characters")
    if not pattern.isprintable():
        raise BadRule(f"{pattern!r}: a control character, or one that is no text, is not allowed")
    named = re.match("([a-z_-]{2,}):(.*)", pattern)
    if named is None:
        return "", pattern
    kind, value = named[1], named[2]
    if kind not in KINDS:
        raise BadRule(f"{pattern!r}: there is no kind `{kind}`; there are {', '.join(KINDS)}, and path patterns")
    if not value.strip():
        raise BadRule(f"{pattern!r}: nothing stands after `{kind}:`")
    if kind == "session" and not all(value.partition(":")[::2]):
        raise BadRule(f"{pattern!r}: a session is named by its key, as in session:claude:ID")
    return kind, value
