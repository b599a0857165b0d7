"""Which line of a request log holds each message of the conversation last, by the places that its windows name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from ..core.model import SkipRecord
from .base import parse_time
from .content import count
from .json_lines import ANY, decode
from .zcode_requests import MESSAGE, Answer, Line, answer_of, directory_of, model_of, request_of
from .zcode_text import prompt

MOST_MESSAGES = 200_000
MOST_SOURCES = 8
MOST_UNPLACED = 64 << 20
"""Characters of an older log, whose messages have no places."""
REQUESTS_KEPT = 1_000
"""So many requests are remembered: a retry follows soon."""
LINES_PEEKED = 20
"""In so many lines the working directory is looked for."""
MAIN = "main"


@dataclass(slots=True)
class Slot:
    """Where one message of the conversation stands."""

    line: int
    """Byte of the last line that has it."""
    number: int
    """Its place in that line's window."""
    asked: int | None
    """When the request began that first had it."""
    answered: int | None
    """When the answer before that request came."""
    is_own: bool
    """Whether that request was made because of it, so that these times are its own."""
    mark: int
    """A hash of it, for this process only."""


@dataclass(slots=True)
class _Track:
    """The requests of one kind; a request for a title, say, has windows of its own."""

    slots: dict[int, Slot] = field(default_factory=dict[int, Slot])
    lines: int = 0
    answered: int | None = None
    last: tuple[int, Answer] | None = None
    first: int = 0


@dataclass(frozen=True, slots=True)
class Unplaced:
    role: Literal["user", "assistant"]
    text: str
    time: int | None


class Windows:
    """Takes the lines of a log one by one."""

    def __init__(self) -> None:
        self.directory: str | None = None
        self.model: str | None = None
        self._tracks: dict[str, _Track] = {}
        self._attempts: dict[object, float] = {}
        self._unplaced: list[Unplaced] = []
        self._size = self._too_many = self._peeked = 0
        self._question: str | None = None
        self._pending: tuple[object, Answer] | None = None
        """The answer to the last request of an older log, until it is known that no retry follows."""

    def take(self, at: int, line: Line) -> None:
        """Raises ValueError for what is no request."""
        messages, first = request_of(line)
        if self._is_outdone(line):
            return
        self.model = model_of(line) or self.model
        if self.directory is None and self._peeked < LINES_PEEKED:
            self._peeked += 1
            self.directory = directory_of(line, messages)
        offset = count(first)
        if offset is None:
            self._take_unplaced(line, messages)
        else:
            self._take_placed(at, line, messages, offset)

    # ---- what came of it ----

    @property
    def slots(self) -> dict[int, Slot]:
        return self._own.slots

    @property
    def last(self) -> tuple[int, Answer] | None:
        """The answer to the last request, and a place after all messages."""
        own = self._own
        return own.last and (max(own.last[0], max(own.slots, default=-1) + 1), own.last[1])

    @property
    def unplaced(self) -> list[Unplaced]:
        """The turns of an older log."""
        self._flush()
        return self._unplaced

    def skips(self) -> Iterator[SkipRecord]:
        for track in self._tracks.values():
            if track is not self._own:
                yield SkipRecord("side-request", f"byte {track.first}", track.lines)
        if self._too_many:
            yield SkipRecord("too-many-messages", f"more than {MOST_MESSAGES:,}", self._too_many)

    @property
    def _own(self) -> _Track:
        """The requests that make the conversation: those that say so, else the kind with the most messages."""
        if MAIN in self._tracks:
            return self._tracks[MAIN]
        return max(self._tracks.values(), key=lambda track: len(track.slots), default=_Track())

    # ---- one line ----

    def _is_outdone(self, line: Line) -> bool:
        """Whether a later attempt at the same request was seen already."""
        request = line.request_id
        if not isinstance(request, str):
            return False
        attempt = line.attempt if isinstance(line.attempt, int | float) else 0
        best = self._attempts.pop(request, attempt)
        self._attempts[request] = max(best, attempt)
        if len(self._attempts) > REQUESTS_KEPT:
            del self._attempts[next(iter(self._attempts))]
        return attempt < best

    def _take_placed(self, at: int, line: Line, messages: list[msgspec.Raw], offset: int) -> None:
        source = line.query_source if isinstance(line.query_source, str) else ""
        if source not in self._tracks and len(self._tracks) >= MOST_SOURCES:
            source = next(reversed(self._tracks))
        track = self._tracks.setdefault(source, _Track(first=at))
        track.lines += 1
        asked, end = parse_time(line.started_at), offset + len(messages)
        for number, raw in enumerate(messages):
            place, mark = offset + number, hash(bytes(raw))
            known = track.slots.get(place)
            if known is not None and known.mark == mark:
                known.line, known.number = at, number
            elif known is None and len(track.slots) >= MOST_MESSAGES:
                self._too_many += 1
            else:
                is_own = track.lines > 1 or place == end - 1
                track.slots[place] = Slot(at, number, asked, track.answered or asked, is_own, mark)
        answer = answer_of(line)
        if answer is not None:
            track.answered = answer.time or track.answered
            track.last = end, answer
        else:
            track.last = None

    def _take_unplaced(self, line: Line, messages: list[msgspec.Raw]) -> None:
        """An older log names no places: a question counts once until another is asked, and so does an answer."""
        if self._pending is not None and self._pending[0] != (line.request_id or line):
            self._flush()
        for raw in reversed(messages):
            message = decode(raw, MESSAGE)
            text = prompt(decode(message.content, ANY)) if message.role == "user" else ""
            if text:
                if text != self._question:
                    self._question = text
                    self._add(Unplaced("user", text, parse_time(line.started_at)))
                break
        if answer := answer_of(line):
            self._pending = line.request_id or line, answer

    def _flush(self) -> None:
        pending, self._pending = self._pending, None
        if pending and (text := pending[1].text):
            last = next((turn.text for turn in reversed(self._unplaced) if turn.role == "assistant"), None)
            if text != last:
                self._add(Unplaced("assistant", text, pending[1].time))

    def _add(self, turn: Unplaced) -> None:
        self._size += len(turn.text)
        if self._size <= MOST_UNPLACED:
            self._unplaced.append(turn)
        else:
            self._too_many += 1
