"""What is remembered of a Claude Code session between two passes: ids, counts and hashes, never what was said."""

from __future__ import annotations

import msgspec
import zstandard

from ..core.model import Kind, Reread, Role, SessionRecord, TurnRecord
from .claude_text import unsaid
from .turn_ids import digest

KEPT_LINKS = 64
KEPT_MESSAGES = 8
KEPT_BLOCKS = 32
KEPT_PROMPTS = 32
KEPT_THREADS = 16


class Message(msgspec.Struct, array_like=True):
    """A reply, which is written line by line: the turn it became and what of it is known."""

    turn: str | None
    parent: str | None
    blocks: list[tuple[int, int]]
    """(characters, hash) of each text."""

    def news(self, text: str) -> str:
        """What `text` adds to this reply; it is known from then on."""
        said = 0
        for size, mark in self.blocks:
            if said < size <= len(text) and mark == digest(text[:size]):
                said = size
        if said < len(text):
            self.blocks = [*self.blocks[1 - KEPT_BLOCKS :], (len(text), digest(text))]
        return unsaid(text, said) if said else text


class Held(msgspec.Struct, array_like=True):
    """A bare slash command that becomes a turn when something is said after it."""

    order: int
    native_id: str | None
    parent: str | None
    time: int | None
    command: str


class Thread(msgspec.Struct, array_like=True):
    """One session on its way through a file."""

    session: str
    links: dict[str, str | None] = {}
    """Each record's id → the nearest turn at or before it on its branch, in file order."""
    partial: bool = False
    """Whether `links` lacks records of an earlier pass."""
    settled: str = ""
    """The latest time of the records that `links` may lack."""
    unsettled: str = ""
    unsettled_count: int = 0
    leaf: str | None = None
    latest: str | None = None
    """The newest turn that has an id."""
    has_turns: bool = False
    messages: dict[str, Message] = {}
    prompts: list[int] = []
    """Hashes of what the person said since the last reply."""
    loose: list[int] = []
    """Hashes of steering prompts of which the proper record may still come."""
    held: list[Held] = []
    project: str | None = None
    branch: str | None = None
    model: str | None = None
    parent: str | None = None
    subagent: bool = False
    typed: bool = False
    by_program: bool = False
    tails: dict[str, str] = {}
    """Turn, or nothing → the last turn of a tool between it and what follows it; only where those are read."""

    def before(self, parent: str | None) -> str | None:
        """The turn that a record with this parent follows: its parent's, else the newest, so that no text is lost."""
        if parent in self.links:
            return self.links[parent]
        if parent is not None and self.partial:
            raise Reread
        return self.leaf

    def knows(self, native_id: str, time: str) -> bool:
        """Whether this record was there before; copies keep their id and time."""
        if native_id in self.links:
            return True
        if self.partial and time <= self.settled:
            raise Reread
        return False

    def link(self, native_id: str, turn: str | None, time: str) -> None:
        if native_id not in self.links:
            self.unsettled = max(self.unsettled, time)
            self.unsettled_count += 1
            if self.unsettled_count == KEPT_LINKS:
                self.settled, self.unsettled = max(self.settled, self.unsettled), ""
                self.unsettled_count = 0
        self.links[native_id] = turn

    def message(self, key: str) -> Message | None:
        """The reply of this id, which is then the one used last."""
        found = self.messages.pop(key, None)
        if found:
            self.messages[key] = found
        return found

    def add_message(self, key: str, message: Message) -> None:
        self.messages[key] = message
        if len(self.messages) > KEPT_MESSAGES:
            del self.messages[next(iter(self.messages))]

    def said(self, mark: int) -> None:
        """Note what a person said."""
        self.prompts = [*self.prompts[1 - KEPT_PROMPTS :], mark]

    def turn(
        self,
        role: Role,
        text: str,
        time: int | None,
        order: int,
        uuid: str | None,
        parent: str | None,
        more: bool = False,
    ) -> TurnRecord:
        return TurnRecord(
            self.session,
            role,
            text,
            time,
            order,
            uuid,
            self.tails.get(parent or "", parent) if uuid else None,
            more,
            "none" if time is None else "exact",
        )

    def give(self, turn: TurnRecord) -> list[TurnRecord]:
        """The turn, after the bare commands that came before it."""
        due = [command for command in self.held if command.order < turn.order]
        if due:
            self.held = [command for command in self.held if command.order > turn.order]
        given = [*(self.turn("user", c.command, c.time, c.order, c.native_id, c.parent) for c in due), turn]
        for one in given:
            self.latest = one.native_id or self.latest
        self.has_turns = True
        return given

    def facts(self) -> SessionRecord:
        kind: Kind = "subagent" if self.subagent else "automated" if self.by_program and not self.typed else "main"
        return SessionRecord(
            self.session, project=self.project, branch=self.branch, model=self.model, parent=self.parent, kind=kind,
            leaf=self._spoken_leaf(),
        )  # fmt: skip

    def _spoken_leaf(self) -> str | None:
        """The leaf, passing over commands that are no turns yet."""
        held = {command.native_id: command.parent for command in self.held}
        leaf = self.leaf
        while leaf is not None and leaf in held:
            leaf = held.pop(leaf)
        leaf = leaf or self.latest
        return self.tails.get(leaf or "", leaf)

    def shortened(self) -> Thread:
        """A copy of bounded size."""
        thread = self
        if (surplus := len(self.tails) - KEPT_LINKS) > 0:
            thread = msgspec.structs.replace(thread, tails=dict(list(self.tails.items())[surplus:]))
        if (surplus := len(self.links) - KEPT_LINKS) > 0:
            links = dict(list(self.links.items())[surplus:])
            thread = msgspec.structs.replace(thread, links=links, partial=True)
        return thread


class State(msgspec.Struct, array_like=True):
    """Everything that one pass leaves to the next."""

    threads: dict[str, Thread] = {}
    """By the agent's id; the file's own session is ``""``."""
    partial: bool = False
    """Whether `threads` lacks some of an earlier pass."""
    subagent: bool | None = None
    """Whether the whole file is a sub-agent's; None until a record tells."""

    def pack(self) -> bytes:
        names = ["", *[name for name in self.threads if name][1 - KEPT_THREADS :]]
        threads = {name: self.threads[name].shortened() for name in names if name in self.threads}
        partial = self.partial or len(threads) < len(self.threads)
        return zstandard.compress(_ENCODER.encode(State(threads, partial, self.subagent)), 1)

    @staticmethod
    def unpack(packed: bytes) -> State:
        """Raises `Reread` for what `pack` did not write."""
        try:
            return _DECODER.decode(zstandard.decompress(packed))
        except (zstandard.ZstdError, msgspec.MsgspecError) as error:
            raise Reread from error


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(State)
