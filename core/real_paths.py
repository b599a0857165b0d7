"""Where paths really lead, each folder looked up once: thousands of places lie in a few folders."""

from __future__ import annotations

import os
from pathlib import Path

# Paths are plain strings here: they are asked for by the thousand.


class RealPaths:
    """Remembers what it saw, so it is made anew for every look at the disk."""

    def __init__(self) -> None:
        self._real: dict[str, str] = {}
        self._there: dict[str, bool] = {}

    def of(self, path: Path) -> str:
        """The path with every link in it followed, as `os.path.realpath` gives it."""
        name = os.fspath(path)
        return os.path.realpath(name) if not path.is_absolute() or ".." in path.parts else self._followed(name)

    def has_folder(self, path: Path) -> bool:
        """Whether the folder is there that a path lies in."""
        folder = os.path.dirname(path)  # noqa: PTH120
        if folder not in self._there:
            self._there[folder] = os.path.isdir(folder)  # noqa: PTH112
        return self._there[folder]

    def _followed(self, name: str) -> str:
        folder, base = os.path.split(name)
        if folder == name:
            return os.path.realpath(name)
        if folder not in self._real:
            self._real[folder] = self._followed(folder)
        place = os.path.join(self._real[folder], base)  # noqa: PTH118
        return os.path.realpath(place) if os.path.islink(place) else place  # noqa: PTH114
