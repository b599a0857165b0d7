"""The rows of one OpenClaw transcript as records; they are the same JSON in a file and in a database."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

import msgspec

from ..core.model import TITLE_GIVEN, Record, Role, SessionRecord, SkipRecord, TurnRecord, UndoRecord
from .base import parse_time
from .content import as_list, field, identifier, label, texts, tool_text
from .json_lines import decode
from .line_pass import Taker, restored
from .openclaw_branch import ORDINARY, Branch, Cursor, Node
from .openclaw_text import answer, prompt
from .turn_ids import digest

CALLS = frozenset({"toolCall", "tool_use", "toolUse", "tool_call", "functionCall"})
PARTS = 64
"""The most turns that one row gives: what is said, and each tool that is called."""
OWN_PROVIDER = "openclaw"
"""Names no model: answers that were only delivered or injected by OpenClaw have it."""
_STAMPED = re.compile(r"\d{4}-\d\d-\d\dT[\dZ-]+_(?=.)")


class Row(msgspec.Struct, rename="camel"):
    """A line or an event; the message is only looked into where it may say something."""

    type: object = None
    id: object = None
    parent_id: object = msgspec.UNSET
    target_id: object = msgspec.UNSET
    append_parent_id: object = msgspec.UNSET
    append_mode: object = msgspec.UNSET
    timestamp: object = None
    message: msgspec.Raw = msgspec.Raw()
    cwd: object = None
    parent_session: object = None
    branched_from: object = None
    model_id: object = None
    name: object = None


class _Message(msgspec.Struct, rename="camel"):
    role: object = None
    content: object = None
    text: object = None
    timestamp: object = None
    provider: object = None
    model: object = None
    stop_reason: object = None
    tool_name: object = None


@dataclass(frozen=True, slots=True)
class _At:
    """Which row a turn is from."""

    row: int
    id: str | None
    time: int | None


ROWS = msgspec.json.Decoder(Row)
_MESSAGE = msgspec.json.Decoder(_Message)


class _State(msgspec.Struct, array_like=True):
    """What reading on depends on: ids, counts, times and a hash, never text."""

    session: str | None = None
    is_described: bool = False
    next_row: int = 0
    time: int | None = None
    model: str | None = None
    asked: int | None = None
    """A hash of the last prompt, until anything answers it."""
    has_failed: bool = False
    """Whether an answer to it came to nothing."""
    cursor: Cursor = msgspec.field(default_factory=Cursor)


class Transcript(Taker[Row]):
    """Takes the rows of a transcript one by one and gives their records; raises `Reread` if `state` is of no use.

    `name` is the session's id: in a database for certain, in a file where no header tells it.
    """

    def __init__(
        self, name: str, agent: str | None, state: bytes = b"", *, tools: bool = False, in_database: bool = False
    ) -> None:
        super().__init__()
        self._state = restored(state, _State)
        self._name, self._agent, self._tools, self._in_database = name, agent, tools, in_database
        self._branch = Branch(self._state.cursor)
        self._turns: list[tuple[int, int]] = []
        """(row, order) of every turn that was given."""
        self._is_finished = False

    @property
    def state(self) -> bytes | None:
        """What another `Transcript` needs to go on from here; None while some turns may be on no branch."""
        if not self._branch.is_plain and not self._is_finished:
            return None
        self._state.cursor = self._branch.cursor
        return msgspec.msgpack.encode(self._state)

    @property
    def place(self) -> str:
        """What a row's position counts."""
        return "event" if self._in_database else "byte"

    @property
    def session(self) -> str:
        if self._state.session is None:
            self._state.session = self._name
        return self._state.session

    def take(self, at: int, row: Row, time: int | None = None) -> Iterable[Record]:
        """The records of the row at a byte of a file, or of the event `at` of a database, stored at `time`."""
        state = self._state
        number = at if self._in_database else state.next_row
        state.next_row = number + 1
        if row.type == "session":
            yield from self._take_header(row)
            return
        node = Node(row.type, row.id, row.parent_id, row.target_id, row.append_parent_id, row.append_mode)
        goes_on = self._branch.add(number, node)
        found = _At(number, identifier(row.id), parse_time(row.timestamp) or time)
        match row.type:
            case "message":
                yield from self._take_message(f"{self.place} {at}", row, found, goes_on=goes_on)
            case "model_change":
                yield from self._use_model(row.model_id)
            case "session_info" if title := label(row.name):
                yield SessionRecord(self.session, title=title, title_rank=TITLE_GIVEN)
            case "leaf":
                state.asked = None
            case kind if not isinstance(kind, str) or kind not in ORDINARY:
                self.unknown.count(kind, f"{self.place} {at}")
            case _:
                pass

    def finish(self, is_visible: Callable[[int], bool] | None = None) -> Iterator[Record]:
        """The turns that are not on the active branch, by the store's own account or by the rows'."""
        if is_visible is None:
            visible = self._branch.visible()
            is_visible = (lambda _: True) if visible is None else visible.__contains__
        since: int | None = None
        for row, order in self._turns:
            if is_visible(row):
                if since is not None:
                    yield UndoRecord(self.session, since, order)
                since = None
            elif since is None:
                since = order
        if since is not None:
            yield UndoRecord(self.session, since, self._turns[-1][1] + 1)
        self._is_finished = True

    def _take_header(self, row: Row) -> Iterable[Record]:
        state = self._state
        if state.is_described:
            return
        state.is_described = True
        if state.session is None:
            state.session = (None if self._in_database else identifier(row.id)) or self._name
        state.time = parse_time(row.timestamp)
        parent = parent_of(row.parent_session) or parent_of(row.branched_from)
        yield SessionRecord(
            state.session,
            project=label(row.cwd),
            parent=parent if parent != state.session else None,
            agent=self._agent,
        )

    def _take_message(self, place: str, row: Row, at: _At, *, goes_on: bool) -> Iterable[Record]:
        state = self._state
        try:
            message = decode(row.message, _MESSAGE)
        except ValueError:
            yield SkipRecord("unexpected-shape", place)
            return
        at = replace(at, time=at.time or parse_time(message.timestamp))
        said = "\n".join(texts(message.content) or texts(message.text))
        match message.role:
            case "user":
                said = prompt(said)
                asked = digest(said)
                is_again = bool(said) and goes_on and state.has_failed and asked == state.asked
                state.asked, state.has_failed = asked, False
                if is_again:  # asked anew of another model, when the first one failed
                    yield SkipRecord("repeated-prompt", place)
                else:
                    yield from self._turn("user", at, said)
            case "assistant":
                said = answer(said)
                if message.provider != OWN_PROVIDER:
                    yield from self._use_model(message.model)
                if message.stop_reason == "error" and not said and goes_on:
                    state.has_failed = True
                else:
                    state.asked, state.has_failed = None, False
                yield from self._turn("assistant", at, said)
                if self._tools:
                    for part, call in enumerate(islice(_calls(message.content), PARTS - 1), 1):
                        yield from self._turn("tool", at, call, part)
            case "toolResult":
                state.asked = None
                if self._tools:
                    yield from self._turn("tool", at, tool_text(message.tool_name, _result(message.content)))
            case _:
                pass

    def _turn(self, role: Role, at: _At, text: str, part: int = 0) -> Iterable[TurnRecord]:
        if not text:
            return
        # A row's number is its place: the same in a file and in the database that the file was imported into.
        order = PARTS * at.row + part
        self._turns.append((at.row, order))
        quality = "exact" if at.time else "file" if self._state.time else "none"
        # Ids of eight digits meet by chance among many sessions, but not with the same text.
        native_id = f"{at.id}-{digest(text):x}" if at.id else None
        yield TurnRecord(self.session, role, text, at.time or self._state.time, order, native_id, quality=quality)

    def _use_model(self, value: object) -> Iterable[SessionRecord]:
        model = label(value)
        if model and model != self._state.model:
            self._state.model = model
            yield SessionRecord(self.session, model=model)


def parent_of(value: object) -> str | None:
    """The id of a session that another names as its parent, by its id or by the path of its file on any system."""
    if not isinstance(value, str):
        return None
    name = re.split(r"[/\\]", value)[-1].removesuffix(".jsonl")
    return identifier(_STAMPED.sub("", name, count=1))


def _calls(content: object) -> Iterator[str]:
    for block in as_list(content):
        kind = field(block, "type")
        if isinstance(kind, str) and kind in CALLS:
            arguments = field(block, "arguments")
            yield tool_text(field(block, "name"), field(block, "input") if arguments is None else arguments)


def _result(content: object) -> str:
    kinds = {"text", "input_text", "output_text", "toolResult", "tool_result"}
    return "\n".join(texts(content, kinds))
