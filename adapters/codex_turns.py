"""Which messages of a rollout stand as turns: each text once, from whichever layer has it, less what was undone."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import msgspec

from ..core.model import Reread, TurnRecord, UndoRecord
from .codex_text import comparable
from .turn_ids import digest

HOLD = 1 << 20
"""Characters of turns that wait for a first user event; beyond it the file is taken to have none."""
USERS_KEPT = 256
"""How many user turns the state remembers for a rollback."""
TEXTS_KEPT = 64
"""How many texts of a round wait for their copies from the other sources."""


class Source(IntEnum):
    """Where a file may have one and the same message."""

    ITEM = 0
    EVENT = 1
    ITEM_EVENT = 2


class Layer(IntEnum):
    """Where a file's user turns come from."""

    UNDECIDED = 0
    EVENTS = 1
    ITEMS_SO_FAR = 2
    """A pass ended and gave user turns from the items; a user event would show that to be wrong."""
    ITEMS = 3


class TurnsState(msgspec.Struct, array_like=True):
    """What the turns to come depend on."""

    layer: Layer = Layer.UNDECIDED
    weight: int = 0
    """Characters of turns seen while the layer could still change."""
    last_prompt: int | None = None
    """Hash of the user turn that nothing has followed yet."""
    users: list[int] = []
    """Orders of the user turns that still stand, oldest first."""
    users_cut: bool = False
    round: dict[int, list[int]] = {}
    """Hash of an assistant's text in this round: how often each `Source` has had it."""


@dataclass(frozen=True, slots=True)
class Rollback:
    """The last `count` user turns and all that followed them were taken back, before `order`."""

    session: str
    count: int
    order: int


class Turns:
    """Takes messages in the file's order and gives the turns that stand.

    User turns come from the events if the file has any user event, else from the items. An assistant's text stands as
    often as the one source that has it most often, at the place of its first copy. All this holds however the file is
    cut into passes, so whoever holds back or drops a message must decide by state and order alone.
    """

    def __init__(self, state: TurnsState) -> None:
        self._state = state
        self._held: list[TurnRecord | Rollback] = []
        self._out: list[TurnRecord | UndoRecord] = []

    @property
    def holding(self) -> bool:
        """Whether messages wait, so that `state` does not stand for all that was taken."""
        return bool(self._held)

    @property
    def state(self) -> TurnsState:
        """What another `Turns` needs to go on from here."""
        users, cut = self._state.users[-USERS_KEPT:], self._state.users_cut or len(self._state.users) > USERS_KEPT
        return msgspec.structs.replace(self._state, users=users, users_cut=cut)

    def given(self) -> list[TurnRecord | UndoRecord]:
        """What has come to stand since the last call."""
        out, self._out = self._out, []
        return out

    def wants_prompt(self, source: Source) -> bool:
        """Whether a user's message from this source can be a turn; raises `Reread` if earlier ones should not have."""
        state = self._state
        if source == Source.ITEM:
            return state.layer != Layer.EVENTS
        if state.layer == Layer.ITEMS_SO_FAR:
            raise Reread
        if state.layer == Layer.UNDECIDED:
            state.layer = Layer.EVENTS
            self._held = [held for held in self._held if isinstance(held, Rollback) or held.role != "user"]
            self._release()
        return state.layer == Layer.EVENTS

    def ask(self, turn: TurnRecord) -> None:
        """Takes a user's turn that was wanted."""
        self._state.round = {}
        self._put(turn)

    def wants_answer(self, pieces: list[str], source: Source) -> bool:
        """Whether an assistant's message is no copy of one from another source."""
        fresh = self._is_fresh("\n".join(pieces), source)
        if len(pieces) > 1:  # the events have one message for each piece
            pieces_fresh = [self._is_fresh(piece, source) for piece in pieces]
            fresh = fresh and any(pieces_fresh)
        return fresh

    def answer(self, turn: TurnRecord) -> None:
        """Takes an assistant's turn that was wanted."""
        self._put(turn)

    def roll_back(self, rollback: Rollback) -> None:
        """Takes back the last user turns; raises `Reread` if the state does not reach back that far."""
        if self._state.layer == Layer.UNDECIDED:
            self._held.append(rollback)
        else:
            self._undo(rollback)

    def finish(self) -> None:
        """Lets what waits stand, at the end of the file."""
        if self._state.layer == Layer.UNDECIDED:
            asked = any(isinstance(held, TurnRecord) and held.role == "user" for held in self._held)
            self._release()
            if asked:
                self._state.layer = Layer.ITEMS_SO_FAR

    def _is_fresh(self, text: str, source: Source) -> bool:
        key, texts = digest(comparable(text)), self._state.round
        counts = texts.setdefault(key, [0] * len(Source))
        most = max(counts)
        counts[source] += 1
        if len(texts) > TEXTS_KEPT:
            del texts[next(iter(texts))]
        return counts[source] > most

    def _put(self, turn: TurnRecord) -> None:
        state = self._state
        if state.layer == Layer.UNDECIDED:
            self._held.append(turn)
        else:
            self._stand(turn)
        if state.layer in (Layer.UNDECIDED, Layer.ITEMS_SO_FAR):
            state.weight += len(turn.text)
            if state.weight > HOLD:
                state.layer = Layer.ITEMS
                self._release()

    def _release(self) -> None:
        held, self._held = self._held, []
        for entry in held:
            if isinstance(entry, Rollback):
                self._undo(entry)
            else:
                self._stand(entry)

    def _stand(self, turn: TurnRecord) -> None:
        state, key = self._state, None
        if turn.role == "user":
            key = digest(turn.text)
            if key == state.last_prompt:
                return  # after an abort some builds write the prompt again
            state.users.append(turn.order)
        state.last_prompt = key
        self._out.append(turn)

    def _undo(self, rollback: Rollback) -> None:
        state = self._state
        if rollback.count > len(state.users) and state.users_cut:
            raise Reread
        since = state.users[-rollback.count] if rollback.count <= len(state.users) else 0
        del state.users[-rollback.count :]
        state.last_prompt = None
        self._out.append(UndoRecord(rollback.session, since, rollback.order))
