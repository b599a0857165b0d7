"""Turns as text for a prompt, in four styles, each turn with a line that says where it is from; what it costs. Pure."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import cache
from itertools import accumulate
from typing import Any, Literal, get_args

from .results import Session, Span, Turn
from .tokens import CJK

Style = Literal["quoted", "plain", "fenced", "json"]
STYLES: tuple[Style, ...] = get_args(Style)

CHARACTERS_A_TOKEN = 4.0
CJK_A_TOKEN = 1.5
"""The rule of thumb that tokens are counted by: no agent's own tokenizer is at hand, and they differ by a fifth."""

SPEAKERS = {"user": "user", "assistant": "assistant", "tool": "tool", "memory": "memory"}
_FENCE = re.compile(r"^ {0,3}(`{3,})", re.MULTILINE)


@cache
def _wide() -> re.Pattern[str]:
    return re.compile(f"[{CJK}\u3000-\u303f\uff00-\uffef]+")


@dataclass(frozen=True, slots=True)
class Piece:
    """Turns of one session that follow each other; with `part` only that stretch of the one turn."""

    session: Session
    turns: tuple[Turn, ...]
    part: Span | None = None

    def texts(self) -> list[str]:
        """What is said in it, a text a turn."""
        return [turn.text[slice(*self.part)] if self.part else turn.text for turn in self.turns]


@dataclass(frozen=True, slots=True)
class Packed:
    """Pieces as one text."""

    text: str
    starts: tuple[int, ...]
    """Where in `text` each piece begins."""

    @property
    def tokens(self) -> int:
        return estimated_tokens(self.text)


def estimated_tokens(text: str) -> int:
    """About how many tokens a text is: 4 characters each, 1.5 where it is Chinese, Japanese or Korean."""
    wide = 0 if text.isascii() else sum(map(len, _wide().findall(text)))
    return math.ceil(wide / CJK_A_TOKEN + (len(text) - wide) / CHARACTERS_A_TOKEN)


def pack(pieces: Sequence[Piece], style: Style, titles: Mapping[str, str], zone: tzinfo | None = None) -> Packed:
    """All pieces in their order; `titles` maps source names to names for people, `zone` None is the local one."""
    if style == "json":
        head, between, tail = '{"schema": 1, "items": [\n', ",\n", "\n]}\n"
        shown = [json.dumps(piece_json(each, zone), ensure_ascii=False, indent=1) for each in pieces]
    else:
        head, between, tail = "", "\n\n", "\n" if pieces else ""
        shown = [as_text(each, style, titles, zone) for each in pieces]
    lengths = [len(each) + len(between) for each in shown]
    starts = tuple(accumulate(lengths, initial=len(head)))[: len(shown)]
    return Packed(head + between.join(shown) + tail, starts)


def as_text(piece: Piece, style: Style, titles: Mapping[str, str], zone: tzinfo | None = None) -> str:
    """A piece in any style but JSON, without a line end after it."""
    lines: list[str] = []
    for number, (turn, text) in enumerate(zip(piece.turns, piece.texts(), strict=True)):
        source = source_line(piece.session, turn, titles, zone) if number == 0 else _further(turn, zone)
        lines.append(_WRITERS[style](source, SPEAKERS[turn.role], text.strip("\n")))
    return ("\n>\n" if style == "quoted" else "\n\n").join(lines)


def source_line(session: Session, turn: Turn, titles: Mapping[str, str], zone: tzinfo | None = None) -> str:
    """Where a turn is from, but for who spoke: `web (Claude Code), 2026-11-12 14:32, claude:ID turn 3`."""
    source = titles.get(session.source, session.source)
    project = re.split(r"[/\\]", (session.project or "").rstrip("/\\"))[-1]
    place = f"{project} ({source})" if project else source
    return ", ".join(part for part in (place, when(turn, zone), cited(session, turn)) if part)


def cited(session: Session, turn: Turn) -> str:
    """A turn by what finds it again: its session's key and its number, or the lines of a memory file."""
    if turn.cite:
        return f"{session.native_id}#{turn.cite}"
    return f"{session.key} turn {turn.number}" if turn.number else session.key


def when(turn: Turn, zone: tzinfo | None = None) -> str:
    """Day and minute of a turn; the day alone, marked as about right, where only its file has a time; else nothing."""
    moment = _moment(turn.time, zone) if turn.quality != "none" else None
    if moment is None:
        return ""
    return f"{moment:%Y-%m-%d %H:%M}" if turn.quality == "exact" else f"about {moment:%Y-%m-%d}"


def iso(time: int | None, zone: tzinfo | None = None) -> str | None:
    """A time as ISO 8601 with its zone."""
    moment = _moment(time, zone)
    return moment.isoformat(timespec="seconds") if moment else None


def _moment(time: int | None, zone: tzinfo | None) -> datetime | None:
    """UTC milliseconds as a moment in `zone`; None for times that no calendar holds."""
    if time is None:
        return None
    try:
        return datetime.fromtimestamp(time / 1000, UTC).astimezone(zone)
    except (OverflowError, ValueError, OSError):
        return None


def piece_json(piece: Piece, zone: tzinfo | None = None) -> dict[str, Any]:
    """A piece as an object."""
    session = piece.session
    return {
        "session": session.key,
        "source": session.source,
        "title": session.title,
        "project": session.project,
        "turns": [
            {"turn": turn.number, "role": turn.role, "time": iso(turn.time, zone), "text": text}
            | ({"cite": turn.cite} if turn.cite else {})
            for turn, text in zip(piece.turns, piece.texts(), strict=True)
        ],
    }


def _further(turn: Turn, zone: tzinfo | None) -> str:
    """The line of a turn that follows another one of its piece."""
    number = f"turn {turn.number}" if turn.number else ""
    return ", ".join(part for part in (when(turn, zone), number) if part)


def _quoted(source: str, speaker: str, text: str) -> str:
    head = f"> **{speaker}**, {source}" if source else f"> **{speaker}**"
    return "\n".join([head, ">", *(f"> {line}".rstrip() for line in text.split("\n"))])


def _plain(source: str, speaker: str, text: str) -> str:
    return f"{speaker}, {source}:\n{text}" if source else f"{speaker}:\n{text}"


def _fenced(source: str, speaker: str, text: str) -> str:
    """Within a fence longer than any in the text."""
    longest = max((len(fence) for fence in _FENCE.findall(text)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{_plain(source, speaker, '')}{fence}\n{text}\n{fence}"


_WRITERS = {"quoted": _quoted, "plain": _plain, "fenced": _fenced}
