"""What adapters report, and what makes an adapter: all that they know of harkback.

Times are milliseconds since 1970 in UTC. Text is as raw as a store has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

Role = Literal["user", "assistant", "tool", "memory"]
"""Who speaks: a person, an agent, a tool that was called (only where the person asked for those), a note on file."""
Kind = Literal["main", "subagent", "automated", "memory"]
"""`memory` is a memory file, or a session's observations: not a conversation, but what was kept of one."""
TimeQuality = Literal["exact", "file", "none"]

# How good a title is: a title of a lower rank never replaces one of a higher rank.
TITLE_FIRST_PROMPT, TITLE_SUMMARY, TITLE_GENERATED, TITLE_GIVEN = 1, 2, 3, 4


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """What a record says about its session; `None` leaves a fact as it was."""

    session: str
    title: str | None = None
    title_rank: int = 0
    project: str | None = None
    branch: str | None = None
    model: str | None = None
    parent: str | None = None
    """Native id of the session that this one was forked from or spawned by."""
    kind: Kind | None = None
    leaf: str | None = None
    """Native id of the turn at the end of the active branch; the chain of `TurnRecord.parent_id` leads back from it."""
    agent: str | None = None
    """Which of several agents of one installation held it, for stores that keep them apart."""
    about: str | None = None
    """Key (`source:native-id`) of the session of another source that this one was drawn from."""
    handle: str | None = None
    """What the agent's own commands take in place of the native id; given to `Adapter.resume` instead of it."""
    deleted: bool | None = None
    """The store says that the person deleted it there: nothing of it is kept, whatever else is found of it."""


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """One message, or with `more` the continuation of the turn `native_id`, joined to it by an empty line."""

    session: str
    role: Role
    text: str
    time: int | None
    order: int
    """Place in the session: greater comes later. Unique in its file; a byte offset will do."""
    native_id: str | None = None
    """The store's own id. Two turns with one id in two sessions are copies of each other."""
    parent_id: str | None = None
    """Native id of the turn before this one on its branch; only for stores that keep branches."""
    more: bool = False
    quality: TimeQuality = "exact"
    cite: str | None = None
    """Where a memory file has it, as in `L12-L30`."""


@dataclass(frozen=True, slots=True)
class TitleRecord:
    """A title for whichever session holds the turn `turn_id`; stores write some titles into other sessions' files."""

    turn_id: str
    title: str
    title_rank: int


@dataclass(frozen=True, slots=True)
class UndoRecord:
    """The turns of this file with `since <= order < until` were taken back: they stay as an abandoned branch."""

    session: str
    since: int
    until: int


@dataclass(frozen=True, slots=True)
class CutRecord:
    """This file continues its session in place of everything that other files hold from `since` on, up to `time`."""

    session: str
    since: int
    time: int


@dataclass(frozen=True, slots=True)
class ListRecord:
    """The whole of a store's own list of its sessions as it is now: (entry, native id).

    An entry that was on the list when it was last read and is there no longer was deleted by the person, with every
    session that it ever named. An empty list says nothing.
    """

    entries: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SkipRecord:
    """Something left out on purpose or by need. `reason` is a short slug such as `not-json`; `example` says where."""

    reason: str
    example: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """All records before this one stand for the file's bytes up to `offset`; `state` is the adapter's own memory.

    `state` is stored in the index as it is, so it holds ids, counts and hashes, never conversation text.
    """

    offset: int
    state: bytes = b""


Record = SessionRecord | TurnRecord | TitleRecord | UndoRecord | CutRecord | ListRecord | SkipRecord | Checkpoint


@dataclass(frozen=True, slots=True)
class Place:
    """What `find` gives for what is more, or less, than one plain file; `read` takes its `path` all the same."""

    path: Path
    """A file; for one of the many sessions in a database, the database's path with a name for the session below it."""
    beside: tuple[Path, ...] = ()
    """Files and folders that change what is read of it: when one of them changes, all of it is read again."""
    changed: int | None = None
    """For a session in a database, and only for it: when it last changed, in milliseconds; 0 if that is not known."""
    token: bytes = b""
    """For a session in a database: equal so long as nothing changes that is read of it."""


class Unreadable(Exception):
    """This file cannot be read now (`reason` is a slug): it is quarantined, and what was indexed of it stays."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Reread(Exception):
    """What was appended cannot be understood without the rest of the file: read it from the beginning."""


class Adapter(Protocol):
    """What harkback must know about one kind of store.

    `find` and `read` never write, follow no symbolic link, and raise OSError or `Unreadable` for what they cannot open.
    """

    @property
    def name(self) -> str:
        """The source's name in the index, in filters and on the command line."""
        ...

    @property
    def title(self) -> str:
        """The source's name for people."""
        ...

    @property
    def version(self) -> int:
        """Raised whenever the same bytes would be read differently; its files are then read again."""
        ...

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        """The places where this agent keeps its store, whether they exist or not."""
        ...

    def find(self, root: Path) -> Iterator[Path | Place | SkipRecord]:
        """Every file below `root` that `read` should see, by name alone; a skip for each folder it can't list."""
        ...

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        """The records of one file after `since` (`None`: all), with a `Checkpoint` now and then and one at the end."""
        ...

    def resume(self, native_id: str) -> list[str] | None:
        """The command that reopens a session in its agent, as an argument list; None where there is none."""
        ...


@runtime_checkable
class Sweeping(Protocol):
    """What an adapter can say as well whose agent deletes its own old sessions."""

    def sweep_days(self, root: Path) -> int | None:
        """How many days after its last change the agent deletes a session below `root`; None: never, or not known.

        0 says that every session goes the next time the agent starts. Never raises.
        """
        ...


@runtime_checkable
class Dividing(Protocol):
    """What an adapter can do as well that finds databases of many sessions: each of these is then read by itself."""

    def is_divided(self, path: Path) -> bool:
        """Whether a file that was found is such a database, by its name alone."""
        ...

    def token(self, path: Path) -> bytes:
        """Equal so long as nothing changes in the database. Raises OSError and `Unreadable`."""
        ...

    def places(self, path: Path) -> Iterator[Place | SkipRecord]:
        """All sessions in the database, the newest first. Raises OSError and `Unreadable`."""
        ...


@runtime_checkable
class Lasting(Protocol):
    """What an adapter can say as well whose files count however old they are: no window of days leaves them out."""

    @property
    def lasts(self) -> bool: ...


@runtime_checkable
class PerProject(Protocol):
    """What an adapter can say as well whose agent keeps something in the folders that people work in."""

    def project_roots(self, project: Path) -> list[Path]:
        """The places in a working directory where it may lie, whether they exist or not."""
        ...


@runtime_checkable
class ToolReading(Protocol):
    """What an adapter can do as well that knows tool calls and their results."""

    def with_tools(self) -> Adapter:
        """This adapter, but reading those too, as turns of the role `tool`; its version is another one."""
        ...
