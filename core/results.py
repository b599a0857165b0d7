"""What the index gives: sessions and their turns, what a search found in them, how far reading has come.

Times are milliseconds since 1970 in UTC. All text is cleaned and redacted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .model import Kind, Role, TimeQuality


# ---- What the index holds ----


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation."""

    key: str
    """`source:native-id`."""
    source: str
    native_id: str
    title: str
    project: str | None
    """The working directory, as the session itself recorded it."""
    branch: str | None
    model: str | None
    started: int | None
    updated: int | None
    parent: str | None
    """Key of the session that this one was forked from or spawned by."""
    kind: Kind
    turns: int
    """How many turns the active branch has."""
    gone_at_source: bool
    """The store no longer holds it; the text here is all there is."""
    agent: str | None = None
    """Which of several agents of one installation held it."""
    about: str | None = None
    """Key of the session of another source that it was drawn from."""
    handle: str | None = None
    """What reopens it in its agent, in place of its native id."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a session."""

    id: int
    """The turn's row in the index; not stable over a rebuild."""
    number: int | None
    """From 1 in the session's active order; None on an abandoned branch."""
    role: Role
    time: int | None
    quality: TimeQuality
    text: str
    cite: str | None = None
    """Where a memory file has it, as in `L12-L30`."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A stretch of one session's active turns."""

    session: Session
    turns: tuple[Turn, ...]
    before: int
    """How many earlier turns are not in `turns`."""
    after: int
    """How many later turns are not in `turns`."""


# ---- What a search answers ----

Span = tuple[int, int]
"""A stretch of code points, end exclusive."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The part of a turn that shows why it matched, on one line, with the stretches to highlight."""

    text: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """A turn that matches."""

    session: Session
    turn_id: int
    number: int | None
    """The turn's number in its session; None on an abandoned branch."""
    role: Role
    time: int | None
    excerpt: Excerpt
    score: float
    arms: tuple[str, ...] = ("lexical",)
    """How it was found: `lexical`, `semantic`; or `nearby`: it only stands beside a turn that was."""
    also_in: tuple[str, ...] = ()
    """Keys of other sessions that hold a copy of this turn."""
    partial: bool = False
    """Only some of the query's words matched."""
    cite: str | None = None
    """Where a memory file has it, as in `L12-L30`."""


# ---- What reconciling reports ----


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a reconcile has come."""

    source: str
    files_done: int
    files_total: int
    bytes_done: int
    bytes_total: int
    turns: int
    seconds_left: float | None
