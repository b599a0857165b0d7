"""What adapters report of one file, cleaned, redacted and ready for the writer: the one way into the index."""

from __future__ import annotations

import time as clock
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from hashlib import blake2b

from .clean import clean, clean_line
from .model import (
    Checkpoint,
    CutRecord,
    Record,
    Role,
    SessionRecord,
    SkipRecord,
    TimeQuality,
    TitleRecord,
    TurnRecord,
    UndoRecord,
)
from .redact import redact

LONGEST_TURN = 2_000_000
"""Characters kept of one turn."""
JOINT = "\n\n"
"""Between the parts of a turn that its store keeps apart."""


@dataclass(frozen=True, slots=True)
class NewTurn:
    """A turn on its way into the index, its text final; with `more` it continues a turn that is already there."""

    session: str
    role: Role
    text: str
    time: int | None
    quality: TimeQuality
    seq: int
    native_id: str | None
    parent_id: str | None
    more: bool


@dataclass(slots=True)
class Batch:
    """Everything up to one checkpoint of one file; it is written in one transaction."""

    sessions: dict[str, SessionRecord] = field(default_factory=dict[str, SessionRecord])
    turns: list[NewTurn] = field(default_factory=list[NewTurn])
    titles: list[TitleRecord] = field(default_factory=list[TitleRecord])
    undos: list[UndoRecord] = field(default_factory=list[UndoRecord])
    cuts: list[CutRecord] = field(default_factory=list[CutRecord])
    skips: dict[str, SkipRecord] = field(default_factory=dict[str, SkipRecord])
    left_out: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    """(session, reason)"""
    redacted: Counter[str] = field(default_factory=Counter[str])
    checkpoint: Checkpoint = field(default_factory=lambda: Checkpoint(0))

    @property
    def text_size(self) -> int:
        return sum(len(turn.text) for turn in self.turns)


class Intake:
    """Collects the records of one file; `take` gives a batch at each checkpoint."""

    def __init__(self, oldest: int | None = None) -> None:
        """Turns from before `oldest` (UTC ms) are left out, and counted."""
        self._oldest = oldest
        self._batch = Batch()
        self._open: dict[str, _Open] = {}

    def take(self, record: Record) -> Batch | None:
        batch = self._batch
        match record:
            case TurnRecord():
                self._add(record)
            case SessionRecord():
                known = batch.sessions.get(record.session)
                batch.sessions[record.session] = _merged(known, self._clean_facts(record))
            case SkipRecord():
                self._skip(record)
            case TitleRecord():
                batch.titles.append(replace(record, title=self._line(record.title)))
            case UndoRecord():
                batch.undos.append(record)
            case CutRecord():
                batch.cuts.append(record)
            case Checkpoint():
                batch.checkpoint = record
                self._close()
                self._batch = Batch()
                return batch
        return None

    def _add(self, record: TurnRecord) -> None:
        if self._oldest is not None and record.time is not None and record.time < self._oldest:
            self._batch.left_out.add((record.session, "window"))
            return
        if record.more and record.native_id in self._open:
            self._open[record.native_id].parts.append(record.text)
            return
        key = record.native_id or f"\0{len(self._open)}"
        self._open[f"\0{len(self._open)}" if key in self._open else key] = _Open(record, [record.text])

    def _close(self) -> None:
        for pending in self._open.values():
            record = pending.record
            text = self._text(JOINT.join(pending.parts), record)
            if text.strip():
                self._batch.turns.append(
                    NewTurn(
                        record.session, record.role, text, record.time, record.quality,
                        record.order, record.native_id, record.parent_id, record.more,
                    )
                )  # fmt: skip
        self._open = {}

    def _text(self, raw: str, record: TurnRecord) -> str:
        if len(raw) > LONGEST_TURN:
            self._skip(SkipRecord("turn-cut", f"at {record.order}, {len(raw):,} characters"))
            raw = raw[:LONGEST_TURN]
        return self._redacted(clean(raw).strip("\n"))

    def _redacted(self, text: str) -> str:
        outcome = redact(text)
        self._batch.redacted.update(outcome.counts)
        return outcome.text

    def _line(self, text: str, limit: int = 200) -> str:
        return self._redacted(clean_line(text, limit))

    def _clean_facts(self, record: SessionRecord) -> SessionRecord:
        def line(text: str | None, limit: int = 200) -> str | None:
            return self._line(text, limit) or None if text else None

        return replace(
            record,
            title=line(record.title),
            project=line(record.project, 4_096),
            branch=line(record.branch),
            model=line(record.model),
        )

    def _skip(self, record: SkipRecord) -> None:
        known = self._batch.skips.get(record.reason)
        count = record.count + (known.count if known else 0)
        example = known.example if known else self._line(record.example)
        self._batch.skips[record.reason] = SkipRecord(record.reason, example, count)


@dataclass(slots=True)
class _Open:
    record: TurnRecord
    parts: list[str]


def rejoined(stored: str, more: str) -> str:
    """A stored turn with its continuation, redacted as one message."""
    return redact((stored + JOINT + more)[:LONGEST_TURN]).text


def text_hash(role: Role, text: str) -> int:
    """A signed 64-bit hash by which copies of a turn are found."""
    digest = blake2b(text.encode(), digest_size=8, person=role.encode()).digest()
    return int.from_bytes(digest, "big", signed=True)


def oldest_allowed(window_days: int, now: Callable[[], float] = clock.time) -> int | None:
    """The time before which turns are left out; None without a window."""
    return int(now() * 1000) - window_days * 86_400_000 if window_days else None


def _merged(old: SessionRecord | None, new: SessionRecord) -> SessionRecord:
    """Later facts over earlier ones; a title only yields to one that is at least as good."""
    if old is None:
        return new
    better = new.title is not None and (old.title is None or new.title_rank >= old.title_rank)
    return SessionRecord(
        session=new.session,
        title=new.title if better else old.title,
        title_rank=new.title_rank if better else old.title_rank,
        project=new.project or old.project,
        branch=new.branch or old.branch,
        model=new.model or old.model,
        parent=new.parent or old.parent,
        kind=new.kind or old.kind,
        leaf=new.leaf or old.leaf,
    )
