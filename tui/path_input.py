"""A box for the path of a folder or a file: names are completed as in a shell, with `tab`."""

from __future__ import annotations

import asyncio
import os
from itertools import islice
from typing import ClassVar

from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.suggester import Suggester
from textual.widgets import Input

MOST_NAMES = 10_000
"""So many names of a folder are looked at."""


def completed(typed: str, home: str) -> str | None:
    """`typed` with its last name completed, folders before files; None where nothing begins so.

    `home` is what `~` stands for. Looks at the disk; raises nothing.
    """
    head, separator, name = typed.rpartition("/")
    if not separator:
        return f"{typed}/" if typed == "~" else None
    folder = head or "/"
    if folder == "~" or folder.startswith("~/"):
        folder = home + folder[1:]
    try:
        with os.scandir(folder) as found:
            names = [
                (not entry.is_dir(), entry.name)
                for entry in islice(found, MOST_NAMES)
                if entry.name.startswith(name) and (name or not entry.name.startswith(".")) and entry.name.isprintable()
            ]
    except (OSError, ValueError):
        return None
    if not names:
        return None
    is_file, best = min(names)
    whole = f"{head}/{best}" + ("" if is_file else "/")
    return whole if whole != typed else None


class PathSuggester(Suggester):
    """Asks the disk in a thread."""

    def __init__(self, home: str) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._home = home
        self.known: LRUCache[str, str | None] = LRUCache(64)
        """What was typed → how it goes on, as it was last seen."""

    async def get_suggestion(self, value: str) -> str | None:
        found = await asyncio.to_thread(completed, value, self._home)
        self.known[value] = found
        return found


class PathInput(Input):
    """`tab` takes what is suggested; where nothing is, it does what it does elsewhere."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("tab", "complete", "complete", show=False)]

    def __init__(self, home: str, value: str = "", placeholder: str = "", *, name: str | None = None) -> None:
        self._paths = PathSuggester(home)
        super().__init__(value, placeholder, suggester=self._paths, select_on_focus=False, compact=True, name=name)

    def action_complete(self) -> None:
        if found := self._paths.known.get(self.value):
            self.value = found
            self.cursor_position = len(self.value)
        else:
            raise SkipAction
