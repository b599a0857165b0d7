"""Path patterns: `*` and `?` stay within a name, `**` spans folders, and what matches a folder matches all below it."""

from __future__ import annotations

import fnmatch
import glob
import os
import re
import sys
import unicodedata
from collections.abc import Callable, Sequence

IGNORES_CASE = sys.platform in ("darwin", "win32")
"""Whether the file systems that are usual here take `Work` and `work` for one name."""

Name = Callable[[str], object]
"""Whether the name of one file or folder matches, as truth."""

_WILD = re.compile(r"[*?\[]")


class Glob:
    """One pattern. Matching takes at most (names in the pattern) x (names in the path) comparisons of names."""

    def __init__(self, pattern: str) -> None:
        """A pattern that does not begin with `/` matches at any depth."""
        anywhere = not re.match("/|[a-zA-Z]:[/\\\\]", pattern)
        parts: list[Name | None] = [None if part == "**" else _name(part) for part in path_names(pattern)]
        self._names: tuple[Name | None, ...] = (*([None] if anywhere else []), *parts, None)

    def covers(self, names: Sequence[str]) -> bool:
        """Whether the pattern matches an absolute path or a folder above it, given as `path_names`."""
        return matches(self._names, names)


def path_names(path: str) -> list[str]:
    """A path as patterns are compared with it: the ways to write one name are one."""
    return [part for part in _plain(path).split("/") if part not in ("", ".")]


def globs(pattern: str, home: str | None) -> list[Glob]:
    """The pattern as it is written, `~` being `home`; and as its folders are really called, if there are links in it.

    Raises ValueError for one that can match nothing.
    """
    parts = pattern.split("/")
    if ".." in parts:
        raise ValueError("`..` is not allowed: write where it leads to")
    if parts[0].startswith("~") and parts[0] != "~":
        raise ValueError("only your own home can be written with ~, as in ~/work")
    if home is None:
        return [Glob(pattern)]
    if parts[0] == "~":
        parts[:1] = glob.escape(home).split("/")
    stop = next((at for at, part in enumerate(parts) if _WILD.search(part)), len(parts))
    folder = "/".join(parts[:stop])
    found = [Glob("/".join(parts))]
    if folder.startswith("/") and (real := os.path.realpath(folder)) != folder:
        found.append(Glob("/".join([glob.escape(real), *parts[stop:]])))
    return found


def matches(wanted: Sequence[Name | None], names: Sequence[str]) -> bool:
    """Whether names match in their order; None stands for any number of names.

    To go back to the last None is enough: what stands before it matched at its earliest place.
    """
    at = of = 0
    star, resume = -1, 0
    while at < len(names):
        name = wanted[of] if of < len(wanted) else _nothing
        if name is None:
            if of == len(wanted) - 1:
                return True
            star, resume = of, at
            of += 1
        elif name(names[at]):
            at, of = at + 1, of + 1
        elif star >= 0:
            resume += 1
            at, of = resume, star + 1
        else:
            return False
    return all(name is None for name in wanted[of:])


def _nothing(_: str) -> bool:
    return False


def _name(part: str) -> Name:
    return re.compile(fnmatch.translate(part)).match if _WILD.search(part) else part.__eq__


def _plain(path: str) -> str:
    path = unicodedata.normalize("NFC", path.replace("\\", "/") if sys.platform == "win32" else path)
    return path.casefold() if IGNORES_CASE else path
