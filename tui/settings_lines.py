"""What a section of the settings is made of, as data, and what it may wish for when the person does something."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from .settings_facts import Facts


@dataclass(frozen=True, slots=True)
class Heading:
    """What the lines below are about."""

    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """Something to know; nothing to do."""

    text: str
    indent: int = 1
    faint: bool = False


@dataclass(frozen=True, slots=True)
class Box:
    """Something to tick."""

    key: str
    text: str
    on: bool
    indent: int = 0
    folds: bool = False
    """Enter, and a click beside the box, unfold it or fold it up."""


@dataclass(frozen=True, slots=True)
class Pick:
    """One of several, of which exactly one is chosen."""

    key: str
    text: str
    on: bool


@dataclass(frozen=True, slots=True)
class Press:
    """Something to do, or to unfold."""

    key: str
    text: str
    indent: int = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """Something to type; enter takes it."""

    key: str
    label: str
    value: str = ""
    hint: str = ""
    paths: bool = False
    """It is a folder or a file: names are completed."""
    indent: int = 1


Line = Heading | Note | Box | Pick | Press | Entry


@dataclass(frozen=True, slots=True)
class Save:
    """Change config.toml; what is indexed follows at once."""

    changes: Mapping[str, object]
    said: str
    """What has happened then, in a sentence."""
    question: str = ""
    """What to ask first, above all where something would be removed; empty: it is done without asking."""
    yes: str = "remove"
    before: Callable[[], object] | None = None
    """What has to succeed first, in a thread ..."""
    doing: str = ""
    """... and what to call it meanwhile."""


@dataclass(frozen=True, slots=True)
class Look:
    """Find something out in a thread; the section hears of it. A later one takes its place."""

    find: Callable[[], object]


@dataclass(frozen=True, slots=True)
class Job:
    """Do something with the index in a thread, with nobody else writing; gives what came of it, in a sentence."""

    run: Callable[[], str]
    question: str = ""
    yes: str = "remove"
    doing: str = "working …"


@dataclass(frozen=True, slots=True)
class Say:
    """Tell the person, and do nothing."""

    text: str


Wish = Save | Look | Job | Say | None


class Section(Protocol):
    """One page of the settings. It holds what is unfolded and typed, and knows neither widgets nor threads."""

    @property
    def title(self) -> str: ...

    def lines(self, facts: Facts, width: int) -> list[Line]:
        """The page from top to bottom; `width` is what a line may have in cells."""
        ...

    def toggled(self, key: str, on: bool) -> Wish:
        """A `Box` or a `Pick` was ticked or unticked."""
        ...

    def pressed(self, key: str) -> Wish: ...

    def typed(self, key: str, text: str) -> Wish:
        """An `Entry` has another text."""
        ...

    def entered(self, key: str, text: str) -> Wish:
        """An `Entry` is to be taken."""
        ...

    def removed(self, key: str) -> Wish:
        """`x` or `delete` on a line."""
        ...

    def heard(self, found: object) -> Wish:
        """What a `Look` of this section found."""
        ...


class Quiet:
    """A section that wishes for nothing: what others leave out."""

    def toggled(self, key: str, on: bool) -> Wish:
        return None

    def pressed(self, key: str) -> Wish:
        return None

    def typed(self, key: str, text: str) -> Wish:
        return None

    def entered(self, key: str, text: str) -> Wish:
        return None

    def removed(self, key: str) -> Wish:
        return None

    def heard(self, found: object) -> Wish:
        return None
