"""What adapters report of one file, cleaned, redacted and ready for the writer: the one way into the index."""

from __future__ import annotations

import time as clock
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from .cited import Part, redacted_together
from .clean import clean, clean_line
from .injected import without_ours
from .model import (
    Checkpoint,
    CutRecord,
    ListRecord,
    Record,
    Role,
    SessionRecord,
    SkipRecord,
    TimeQuality,
    TitleRecord,
    TurnRecord,
    UndoRecord,
)
from .packing import text_hash
from .redact import Redacted, redact
from .tombstones import Forgotten

LONGEST_TURN = 2_000_000
"""Characters kept of one turn."""
JOINT = "\n\n"
"""Between the parts of a turn that its store keeps apart."""
_EDGE = 4_096
"""Characters before the end of a cut turn that go as well: half a secret is not known for one."""
_LATEST = 253_402_300_800_000
"""The year 10000; what claims to be later has no time."""


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
    cite: str | None = None
    rest: str = ""
    """What of the text continues the turn, not yet redacted: all that counts of a turn that is there already."""


@dataclass(slots=True)
class Batch:
    """Everything up to one checkpoint of one file; it is written in one transaction."""

    sessions: dict[str, SessionRecord] = field(default_factory=dict[str, SessionRecord])
    turns: list[NewTurn] = field(default_factory=list[NewTurn])
    titles: list[TitleRecord] = field(default_factory=list[TitleRecord])
    undos: list[UndoRecord] = field(default_factory=list[UndoRecord])
    cuts: list[CutRecord] = field(default_factory=list[CutRecord])
    lists: list[ListRecord] = field(default_factory=list[ListRecord])
    skips: dict[str, SkipRecord] = field(default_factory=dict[str, SkipRecord])
    left_out: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    """(session, reason)"""
    forgotten: set[str] = field(default_factory=set[str])
    """Sub-agents' sessions of a forgotten one: forgotten as well."""
    redacted: Counter[str] = field(default_factory=Counter[str])
    checkpoint: Checkpoint = field(default_factory=lambda: Checkpoint(0))

    @property
    def text_size(self) -> int:
        return sum(len(turn.text) for turn in self.turns)


class Intake:
    """Collects the records of one file; `take` gives a batch at each checkpoint."""

    def __init__(self, oldest: int | None = None, forgotten: Forgotten = Forgotten()) -> None:  # noqa: B008, frozen
        """Turns from before `oldest` (UTC ms) are left out, and counted; so is what was forgotten."""
        self._oldest, self._forgotten = oldest, forgotten
        self._forks: set[str] = set()
        """Sessions that continue or serve a forgotten one."""
        self._batch = Batch()
        self._open: dict[tuple[str, str | int], _Open] = {}

    def take(self, record: Record) -> Batch | None:
        batch = self._batch
        match record:
            case TurnRecord():
                self._add(record)
            case SessionRecord():
                if not self._is_forgotten(_id(record.session)):
                    facts = self._clean_facts(record)
                    batch.sessions[facts.session] = _merged(batch.sessions.get(facts.session), facts)
            case SkipRecord():
                self._skip(record)
            case TitleRecord():
                if not self._forgotten.turn(_id(record.turn_id)):
                    batch.titles.append(replace(record, turn_id=_id(record.turn_id), title=self._line(record.title)))
            case UndoRecord():
                batch.undos.append(replace(record, session=_id(record.session)))
            case CutRecord():
                batch.cuts.append(replace(record, session=_id(record.session)))
            case ListRecord():
                named = [(_id(entry), _id(session)) for entry, session in record.entries]
                kept = tuple(pair for pair in named if not self._is_forgotten(pair[1]))
                batch.lists.append(ListRecord(kept))
            case Checkpoint():
                batch.checkpoint = record
                if self._forgotten.hashes:
                    self._leave_the_forgotten()
                self._close()
                self._batch = Batch()
                return batch
        return None

    def _add(self, record: TurnRecord) -> None:
        session, native_id = _id(record.session), _id(record.native_id or "") or None
        if self._is_forgotten(session) or self._forgotten.turn(native_id):
            self._skip_forgotten(record.order, 0 if record.more else 1)
            return
        time = record.time if record.time is not None and 0 <= record.time < _LATEST else None
        if self._oldest is not None and time is not None and time < self._oldest:
            self._batch.left_out.add((session, "window"))
            return
        key = session, native_id or len(self._open)
        if record.more and key in self._open:
            self._open[key].parts.append(record.text)
            return
        if key in self._open:
            key = session, len(self._open)
        turn = NewTurn(
            session, record.role, "", time, record.quality if time is not None else "none",
            record.order, native_id, _id(record.parent_id or "") or None, record.more,
            record.cite and self._line(record.cite),
        )  # fmt: skip
        self._open[key] = _Open(turn, [record.text])

    def _close(self) -> None:
        parts = ((key, Part(each.turn.session, each.turn.cite, each.parts)) for key, each in self._open.items())
        together, counts = redacted_together(parts)
        self._batch.redacted.update(counts)
        for key, pending in self._open.items():
            is_part = key in together
            cleaned = [together[key]] if is_part else [without_ours(clean(part)).strip("\n") for part in pending.parts]
            text = JOINT.join(part for part in cleaned if part.strip())
            if len(text) > LONGEST_TURN:
                self._skip(SkipRecord("turn-cut", f"at {pending.turn.seq}, {len(text):,} characters"))
            if not text:
                continue
            rest = "" if pending.turn.more else JOINT.join(part for part in cleaned[1:] if part.strip())
            text = text[:LONGEST_TURN] if is_part else self._counted(_masked(text))
            turn = replace(pending.turn, text=text, rest=rest)
            if turn.session in self._forks and self._forgotten.copy(text_hash(turn.role, turn.text)):
                self._skip_forgotten(turn.seq)
            else:
                self._batch.turns.append(turn)
        self._open = {}

    # ---- what was forgotten ----

    def _is_forgotten(self, session: str) -> bool:
        return self._forgotten.session(session) or session in self._batch.forgotten

    def _leave_the_forgotten(self) -> None:
        """Drop what the batch has of forgotten sessions, now that it is known which sessions serve them."""
        batch = self._batch
        for name, facts in list(batch.sessions.items()):
            if self._forgotten.session(facts.parent):
                self._forks.add(name)
                if facts.kind == "subagent":
                    batch.forgotten.add(name)
                    del batch.sessions[name]
        for key, pending in list(self._open.items()):
            if key[0] in batch.forgotten:
                self._skip_forgotten(pending.turn.seq)
                del self._open[key]
        batch.undos = [undo for undo in batch.undos if not self._is_forgotten(undo.session)]
        batch.cuts = [cut for cut in batch.cuts if not self._is_forgotten(cut.session)]

    def _skip_forgotten(self, place: int, count: int = 1) -> None:
        if count:
            self._skip(SkipRecord("forgotten", f"at {place}", count))

    # ---- making harmless ----

    def _counted(self, outcome: Redacted) -> str:
        self._batch.redacted.update(outcome.counts)
        return outcome.text

    def _line(self, text: str, limit: int = 200) -> str:
        return clean_line(self._counted(redact(clean_line(text, len(text)))), limit)

    def _clean_facts(self, record: SessionRecord) -> SessionRecord:
        def line(text: str | None, limit: int = 200) -> str | None:
            return self._line(text, limit) or None if text else None

        return replace(
            record,
            session=_id(record.session),
            parent=_id(record.parent or "") or None,
            leaf=_id(record.leaf or "") or None,
            title=line(record.title),
            project=line(record.project, 4_096),
            branch=line(record.branch),
            model=line(record.model),
            agent=line(record.agent),
            about=line(record.about, 1_000),
            handle=line(record.handle, 1_000),
        )

    def _skip(self, record: SkipRecord) -> None:
        reason = self._line(record.reason, 80)
        known = self._batch.skips.get(reason)
        count = record.count + (known.count if known else 0)
        example = known.example if known else self._line(record.example)
        self._batch.skips[reason] = SkipRecord(reason, example, count)


@dataclass(slots=True)
class _Open:
    """A turn whose parts are still coming; its text is theirs."""

    turn: NewTurn
    parts: list[str]


def _id(text: str) -> str:
    """A store's own id, harmless to store and to show."""
    return text if text.isascii() and text.isprintable() else clean_line(text, 1_000)


def _masked(text: str) -> Redacted:
    """A turn's text without its secrets, and at most LONGEST_TURN characters of it."""
    outcome = redact(text[:LONGEST_TURN])
    return outcome if len(text) <= LONGEST_TURN else replace(outcome, text=outcome.text[:-_EDGE])


def rejoined(stored: str, more: str) -> str:
    """A stored turn with its continuation, redacted as one message."""
    return _masked(stored + JOINT + more).text


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
        agent=new.agent or old.agent,
        about=new.about or old.about,
        handle=new.handle or old.handle,
        deleted=old.deleted if new.deleted is None else new.deleted,
    )
