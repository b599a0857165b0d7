"""Notices changes below folders as the system reports them; where it can't report them, says so and is patient."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

QUIET_MS = 150
"""Changes are waited out until none came for so long, ..."""
LONGEST_MS = 450
"""... but no longer than this."""
POLL_SECONDS = 15.0
"""Between two looks where the system reports no changes."""

MOST_IN_FOLDER = 200
"""So many files of a folder are glanced at."""

State = tuple[int, int, int] | None
"""Inode, size and time of change; None for what is not there."""
Place = tuple[str, int, int]
"""A folder or file, its device and inode: one that was made anew has to be watched anew."""


class Sign(Protocol):
    """What may end a wait early."""

    def is_set(self) -> bool: ...
    def wait(self, timeout: float | None = None) -> bool: ...


class Watcher:
    """Watches the folders that it is told to follow; those that are not there yet are no error."""

    def __init__(self, own: Path) -> None:
        """`own` is our folder, whose changes are ours."""
        self._own = os.path.realpath(own)
        self._places: frozenset[Place] = frozenset()
        self._notify: Any = None
        self.trouble = ""
        """Why changes are looked for only now and then; empty when the system reports them."""

    def follow(self, roots: Iterable[Path]) -> bool:
        """Watch these from now on; gives whether they are others than before, or were made anew."""
        places = frozenset(place for root in roots if (place := _place(root)))
        if places == self._places:
            return False
        self._places = places
        self._notify, self.trouble = None, ""
        if places:
            self._watch(sorted(path for path, _, _ in places))
        return True

    def wait(self, seconds: float, sign: Sign) -> set[str] | None:
        """What changed within `seconds`; None for nothing, an empty set for what is not known; `sign` ends it early."""
        if self._notify is None:
            ended = sign.wait(POLL_SECONDS if self.trouble else seconds)
            return set() if self.trouble and not ended else None
        changes = self._notify.watch(LONGEST_MS, QUIET_MS, int(seconds * 1000), sign)
        if isinstance(changes, str):
            return None
        return {path for _, path in changes if not self._is_own(path)} or None

    def _watch(self, paths: list[str]) -> None:
        from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError  # it costs a start 50 ms

        try:
            try:
                self._notify = RustNotify(paths, False, False, 0, True, False)
            except PermissionError:  # of one folder; with this forgiven, a limit that is reached would go unsaid
                self._notify = RustNotify(paths, False, False, 0, True, True)
        except (OSError, WatchfilesRustInternalError) as error:
            reason = "it would be too many folders for this system" if "limit" in str(error) else type(error).__name__
            self.trouble = f"new sessions show within {POLL_SECONDS:.0f} s, since folders can't be watched: {reason}"

    def _is_own(self, path: str) -> bool:
        return path == self._own or path.startswith(self._own + os.sep)


class Glance:
    """Notices changes of a few files and small folders by looking at them: what lies around is too much to watch."""

    def __init__(self) -> None:
        self._states: dict[str, State] | None = None

    def changes(self, places: Iterable[Path]) -> set[str]:
        """The paths that are not as they were at the last look; of a folder that is itself and what is right in it."""
        states: dict[str, State] = {}
        for place in places:
            states[os.fspath(place)] = _state(place)
            with suppress(OSError):
                if stat.S_ISDIR(place.lstat().st_mode):
                    with os.scandir(place) as entries:
                        states |= {entry.path: _state(Path(entry.path)) for entry in islice(entries, MOST_IN_FOLDER)}
        before, self._states = self._states, states
        if before is None:
            return set()
        return {path for path in before.keys() | states.keys() if before.get(path) != states.get(path)}


def _state(path: Path) -> State:
    try:
        status = path.lstat()
    except (OSError, ValueError):
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _place(root: Path) -> Place | None:
    path = os.path.realpath(root)
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return None
    return path, status.st_dev, status.st_ino
