"""The list of all adapters, each loaded when it is first needed: most commands want few of them, or only names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import NamedTuple, overload

from ..core.model import Adapter


class Entry(NamedTuple):
    """One source: its names as its class has them, and where the class is."""

    name: str
    title: str
    module: str
    type_name: str


class Registry(Sequence[Adapter]):
    """The adapters in display order."""

    def __init__(self, *entries: Entry) -> None:
        self._entries = entries
        self._loaded: dict[str, Adapter] = {}
        self.titles: Mapping[str, str] = {entry.name: entry.title for entry in entries}
        """Source name → its name for people."""

    def named(self, name: str) -> Adapter | None:
        """The adapter of a source; None for what is no source."""
        return next((self._load(entry) for entry in self._entries if entry.name == name), None)

    def __len__(self) -> int:
        return len(self._entries)

    @overload
    def __getitem__(self, index: int) -> Adapter: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Adapter]: ...
    def __getitem__(self, index: int | slice) -> Adapter | Sequence[Adapter]:
        if isinstance(index, slice):
            return [self._load(entry) for entry in self._entries[index]]
        return self._load(self._entries[index])

    def _load(self, entry: Entry) -> Adapter:
        if entry.name not in self._loaded:
            self._loaded[entry.name] = getattr(import_module(f".{entry.module}", __package__), entry.type_name)()
        return self._loaded[entry.name]
