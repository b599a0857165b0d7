"""Which of the files that were found may be opened; answered by their names and by where links lead, nothing else."""

from __future__ import annotations

import os
from collections.abc import Iterable, Set
from dataclasses import dataclass

from .exclude import Rules, is_secret
from .ledger import Stamp

SECRET, EXCLUDED, OTHER_SOURCE, OUTSIDE_ROOT = "secret-name", "excluded", "other-source", "outside-root"
"""Why a file stays closed, as slugs."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A file that may not be opened, and why, as a slug; without a stamp it is no longer there."""

    source: str
    path: bytes
    stamp: Stamp | None
    reason: str

    @property
    def is_file(self) -> bool:
        """Whether it is a file that is there, not a session in one."""
        return self.stamp is not None and not self.stamp.is_place


class Gate:
    """Asked before a file is opened."""

    def __init__(self, rules: Rules, others: Set[bytes] = frozenset()) -> None:
        """`others` are files of sources that may not be read."""
        self._rules, self._others = rules, others
        self._folders: dict[str, str] = {}

    def refusal_within(self, source: str, path: bytes) -> str | None:
        """Why a session of a database may not be read, None if it may; the database itself may be opened."""
        return EXCLUDED if self._rules.hide_file(source, os.fsdecode(path)) else None

    def refusal(self, source: str, path: bytes, places: Iterable[bytes] = (b"/",)) -> str | None:
        """Why a file may not be opened, None if it may; `places` are the folders that a link may lead into."""
        name = os.fsdecode(path)
        is_link = os.path.islink(path)  # noqa: PTH114, this is asked of every file
        real = os.path.realpath(name) if is_link else self._real(name)
        names = {name, real}
        if any(map(is_secret, names)):
            return SECRET
        if any(self._rules.hide_file(source, each) for each in names):
            return EXCLUDED
        if path in self._others:
            return OTHER_SOURCE
        if is_link and not any(is_below(os.fsencode(real), place) for place in places):
            return OUTSIDE_ROOT
        return None

    def _real(self, path: str) -> str:
        """A path with the links among its folders followed."""
        folder, name = os.path.split(path)
        if folder not in self._folders:
            self._folders[folder] = os.path.realpath(folder)
        return os.path.join(self._folders[folder], name)  # noqa: PTH118


def is_below(path: bytes, place: bytes) -> bool:
    """Whether a path is a place or something in it."""
    return path == place or path.startswith(place.rstrip(b"/") + b"/")
