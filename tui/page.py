"""A conversation as a page of lines at one width: what stands where, found by bisection, and the text behind it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, tzinfo
from typing import Literal, NamedTuple

from ..core.results import Conversation, Session, Span, Turn
from .layout import Block, Line, blocks, height, unfold, wrap
from .wording import MONTHS, local_time

INDENT = 2
"""How many cells the text of a turn is set in from its heading."""

Needles = Callable[[str], Iterable[Span]]
"""Finds the stretches of a turn's text that a query matches."""

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_NO_BLOCK = Block(0, 0, in_code=False)


class Piece(NamedTuple):
    """Some lines of a page that belong together."""

    what: Literal["earlier", "later", "day", "heading", "folded", "text", "blank", "agent"]
    turn: int
    """Index of the turn in the conversation's `turns`; for `day` the turn below it."""
    block: Block = _NO_BLOCK
    """For `text`: the stretch of the turn's text that is laid out here; for `folded`: all that is not."""
    agent: int = 0
    """For `agent`: index of the session in the page's `agents`."""


class Match(NamedTuple):
    """A stretch of the text of the turn at index `turn` that a query matches."""

    turn: int
    start: int
    end: int


class Place(NamedTuple):
    """An offset in the text of the turn at index `turn`."""

    turn: int
    offset: int


class Anchor(NamedTuple):
    """A line by what it shows, so that it is found again on another page of the same session."""

    turn_id: int
    offset: int | None
    """The offset in the turn's text that the line begins with; None for its heading."""
    below: int
    """How many lines below that the line is."""


@dataclass(frozen=True, slots=True)
class Page:
    """Every line of a conversation. Lines are counted from 0."""

    conversation: Conversation
    width: int
    """Cells of a whole line."""
    pieces: Sequence[Piece]
    tops: Sequence[int]
    """The first line of each piece, and at the end the height of the page."""
    headings: Sequence[int]
    """For each turn the index of its heading, or of its one folded line, among the pieces."""
    agents: Sequence[Session] = ()
    """Sessions that this one started."""

    @property
    def turns(self) -> Sequence[Turn]:
        return self.conversation.turns

    @property
    def height(self) -> int:
        return self.tops[-1]

    def piece_at(self, y: int) -> int:
        """The index of the piece that line `y` belongs to."""
        return bisect_right(self.tops, y) - 1

    def top(self, turn: int) -> int:
        """The line of a turn's heading."""
        return self.tops[self.headings[turn]]

    def bottom(self, turn: int) -> int:
        """The line below a turn's last line of text."""
        return self.tops[self.text_pieces(turn).stop]

    def text(self, piece: int) -> str:
        """The text that a piece shows."""
        _, turn, block, _ = self.pieces[piece]
        return self.turns[turn].text[block.start : block.end]

    def lines(self, piece: int) -> list[Line]:
        """The lines of a piece, with offsets in its `text`."""
        return wrap(self.text(piece), _room(self.width), in_code=self.pieces[piece].block.in_code)

    def text_pieces(self, turn: int) -> range:
        """The pieces that hold the text of a turn."""
        first = last = self.headings[turn] + 1
        while last < len(self.pieces) and self.pieces[last].what == "text":
            last += 1
        return range(first, last)

    def piece_of(self, place: Place) -> int:
        """The piece that shows a place, or the folded line of its turn."""
        pieces = self.text_pieces(place.turn)
        if not pieces:
            return self.headings[place.turn]
        return pieces[bisect_right(pieces, place.offset, key=lambda piece: self.pieces[piece].block.start) - 1]

    def line_of(self, place: Place) -> int:
        """The line that shows a place."""
        piece = self.piece_of(place)
        if self.pieces[piece].what != "text":
            return self.tops[piece]
        offset = place.offset - self.pieces[piece].block.start
        return self.tops[piece] + bisect_right(self.lines(piece), offset, key=lambda line: line.start) - 1

    def place_at(self, y: int, x: int = 0) -> Place:
        """The place that line `y` shows at character `x` of its text; a line without text leads to the nearest one."""
        if y >= self.height:
            return Place(len(self.turns) - 1, len(self.turns[-1].text)) if self.turns else Place(0, 0)
        index = self.piece_at(max(0, y))
        what, turn, block, _ = self.pieces[index]
        if what in ("blank", "later", "agent"):
            return Place(turn, len(self.turns[turn].text))
        if what != "text":
            return Place(turn, 0)
        text = self.text(index)
        line = self.lines(index)[y - self.tops[index]]
        return Place(turn, block.start + line.start + min(bisect_left(unfold(text, line)[1], x), line.end - line.start))

    def anchor(self, y: int) -> Anchor | None:
        """What line `y` shows; None on a page without turns."""
        if not self.turns:
            return None
        turn, offset = self.place_at(y)
        what = self.pieces[self.piece_at(min(y, self.height - 1))].what
        if what in ("earlier", "day", "heading", "folded"):
            return Anchor(self.turns[turn].id, None, y - self.top(turn))
        return Anchor(self.turns[turn].id, offset, y - self.line_of(Place(turn, offset)))

    def find(self, anchor: Anchor) -> int | None:
        """The line that shows what `anchor` says; None where its turn is not on the page."""
        for index, turn in enumerate(self.turns):
            if turn.id == anchor.turn_id:
                line = self.top(index) if anchor.offset is None else self.line_of(Place(index, anchor.offset))
                return line + anchor.below
        return None

    def stretches(self, first: Place, last: Place) -> list[tuple[Turn, int, int]]:
        """What of each turn lies between two places, without turns of which that is nothing."""
        found = [
            (turn, first.offset if index == first.turn else 0, last.offset if index == last.turn else len(turn.text))
            for index, turn in enumerate(self.turns[first.turn : last.turn + 1], first.turn)
        ]
        return [(turn, start, stop) for turn, start, stop in found if start < stop]

    def between(self, first: Place, last: Place) -> str:
        """The text from one place to another, with an empty line between turns."""
        texts = [turn.text for turn in self.turns[first.turn : last.turn + 1]]
        if texts:
            texts[-1] = texts[-1][: last.offset]
            texts[0] = texts[0][first.offset :]
        return "\n\n".join(text for text in texts if text)


def lay_out(
    conversation: Conversation,
    width: int,
    zone: tzinfo | None = None,
    stop: Callable[[], bool] = lambda: False,
    *,
    folded: Collection[int] = (),
    agents: Sequence[Session] = (),
) -> Page | None:
    """Lay out a conversation in lines of `width` (at least 1) cells; None as soon as `stop` says so.

    A day line stands wherever the date in `zone` (None: the local one) changes. Turns whose ids are `folded` are one
    line each; a line for each of `agents` stands where it was started.
    """
    below = _below(conversation.turns, agents)
    pieces: list[Piece] = []
    tops = [0]
    headings: list[int] = []

    def put(piece: Piece, lines: int) -> None:
        pieces.append(piece)
        tops.append(tops[-1] + lines)

    day: date | None = None
    if conversation.before:
        put(Piece("earlier", 0), 2)
    for index, turn in enumerate(conversation.turns):
        if stop():
            return None
        moment = local_time(turn.time, zone)
        if moment is not None and moment.date() != day:
            day = moment.date()
            put(Piece("day", index), 1)
        is_folded = turn.id in folded
        if index and not is_folded and pieces[-1].what in ("folded", "agent"):
            put(Piece("blank", index - 1), 1)
        headings.append(len(pieces))
        if is_folded:
            put(Piece("folded", index, Block(0, len(turn.text), in_code=False)), 1)
        else:
            put(Piece("heading", index), 1)
            for block in blocks(turn.text):
                put(Piece("text", index, block), height(turn.text[block.start : block.end], _room(width)))
        for agent in below.get(index, ()):
            put(Piece("agent", index, agent=agent), 1)
        if not is_folded:
            put(Piece("blank", index), 1)
    if conversation.after:
        put(Piece("later", max(0, len(conversation.turns) - 1)), 1)
    return Page(conversation, width, pieces, tops, headings, agents)


def _below(turns: Sequence[Turn], agents: Sequence[Session]) -> dict[int, list[int]]:
    """Index of a turn → the agents that were started after it and before the next one."""
    found: dict[int, list[int]] = {}
    for number, agent in enumerate(agents):
        earlier = [i for i, turn in enumerate(turns) if agent.started and turn.time and turn.time <= agent.started]
        if turns and (earlier or not agent.started):
            found.setdefault(earlier[-1] if earlier else len(turns) - 1, []).append(number)
    return found


def day_name(day: date) -> str:
    """A date for people: Thu 12 Nov 2026."""
    return f"{_DAYS[day.weekday()]} {day.day} {MONTHS[day.month - 1]} {day.year}"


def _room(width: int) -> int:
    return max(1, width - INDENT)
