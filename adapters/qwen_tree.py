"""The records of a Qwen Code session as a tree: what is said at each place, and where its active branch ends."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ..core.model import TITLE_GIVEN, Record, Reread, Role, SessionRecord, SkipRecord, TurnRecord, UndoRecord
from .base import parse_time
from .content import field, identifier, label, tool_text
from .genai_parts import said, tools
from .line_pass import Taker, restored
from .tags import stripped
from .turn_ids import digest, turn_id

HOOK = "qwen:user-prompt-submit-context"
FOLDED = frozenset({"notification", "cron", "goal_runtime", "agent_bootstrap", "agent_launch_prompt", "agent_retry"})
"""Of user records those that no person typed."""
ARTIFACT = "session_artifact_"
NOWHERE = "?"
"""Stands for a parent that is no id; no record has it."""
KEPT = 100
"""How many of the newest records are remembered between two passes."""


class Line(msgspec.Struct):
    """One record."""

    uuid: object = None
    parent_uuid: object = msgspec.field(default=None, name="parentUuid")
    timestamp: object = None
    type: object = None
    subtype: object = None
    cwd: object = None
    branch: object = msgspec.field(default=None, name="gitBranch")
    message: object = None
    model: object = None
    payload: object = msgspec.field(default=None, name="systemPayload")
    forked_from: object = msgspec.field(default=None, name="forkedFrom")
    is_sidechain: object = msgspec.field(default=None, name="isSidechain")


LINES = msgspec.json.Decoder(Line)


class _Place(msgspec.Struct, array_like=True):
    """A record: the turn at or before it on its branch, how many turns it became, and a hash of what it said last."""

    turn: str | None
    turns: int = 0
    said: int = 0
    is_rooted: bool = True
    """Whether nothing is missing on the way back to the beginning."""


class _State(msgspec.Struct, array_like=True):
    places: dict[str, _Place] = {}
    cut: bool = False
    """Whether `places` lacks records of an earlier pass."""
    latest: str | None = None
    """The newest record that may be a leaf."""
    has_turns: bool = False
    project: str | None = None
    branch: str | None = None
    model: str | None = None
    parent: str | None = None


class Tree(Taker[Line]):
    """Takes the records of a session one by one and gives what they lead to. Raises `Reread` if `state` is no use."""

    def __init__(self, session: str, state: bytes = b"", *, with_tools: bool) -> None:
        super().__init__()
        self._state = restored(state, _State)
        self._session, self._with_tools = session, with_tools

    @property
    def state(self) -> bytes:
        """What another `Tree` needs to go on from here."""
        kept = dict(list(self._state.places.items())[-KEPT:])
        cut = self._state.cut or len(kept) < len(self._state.places)
        return msgspec.msgpack.encode(msgspec.structs.replace(self._state, places=kept, cut=cut))

    def pause(self) -> Iterator[Record]:
        """What is known of the session by now; it comes before a checkpoint."""
        state = self._state
        leaf = state.places[state.latest].turn if state.latest in state.places else None
        yield SessionRecord(
            self._session, project=state.project, branch=state.branch, model=state.model, parent=state.parent, leaf=leaf
        )
        yield from self.unknown.told()

    def take(self, at: int, line: Line) -> Iterator[Record]:
        """The records that one line leads to."""
        role = self._role(at, line)
        if field(line.payload, "customTitle") is not None and line.subtype == "custom_title":
            title = label(field(line.payload, "customTitle"))
            yield SessionRecord(self._session, title=title, title_rank=TITLE_GIVEN if title else 0)
        if not _is_aside(line):
            self._learn(line)
        uuid = identifier(line.uuid)
        parent = None if line.parent_uuid is None else identifier(line.parent_uuid) or NOWHERE
        place = self._place(uuid, parent, line)
        name = turn_id(self._session, uuid)
        time = parse_time(line.timestamp)
        for number, (speaker, text) in enumerate(self._turns(line, role)):
            mark = digest(text)
            more = speaker != "tool" and place.said != 0
            if speaker != "tool":
                if mark == place.said:
                    continue  # the same fragment again
                place.said = mark
            native_id = name if speaker != "tool" else name and f"{name}:{place.turns}"
            before = place.turn if place.turn != native_id else None
            if place.turn is None and place.is_rooted and self._state.has_turns:
                yield UndoRecord(self._session, 0, at)  # it was begun anew: no turn of before is on the branch
            quality = "exact" if time else "none"
            yield TurnRecord(
                self._session, speaker, text, time, at + number, native_id, before, more and name is not None, quality
            )
            place.turns += 1
            self._state.has_turns = True
            if not more:
                place.turn = native_id or place.turn
        if line.is_sidechain is True:
            yield SkipRecord("subagent-turn", f"byte {at}")
        elif line.type == "user" and isinstance(line.subtype, str) and line.subtype in FOLDED:
            yield SkipRecord("not-typed", f"byte {at}")

    def _role(self, at: int, line: Line) -> Role | None:
        match line.type, line.subtype:
            case _ if line.is_sidechain is True:
                return None
            case "user", None | "mid_turn_user_message":
                return "user"
            case "assistant", _:
                return "assistant"
            case "tool_result", _:
                return "tool"
            case "system", _:
                return None
            case "user", str(subtype) if subtype in FOLDED:
                return None
            case "user", subtype:
                self.unknown.count(subtype, f"byte {at}")
            case kind, _:
                self.unknown.count(kind, f"byte {at}")
        return None

    def _learn(self, line: Line) -> None:
        state = self._state
        state.project = label(line.cwd) or state.project
        state.branch = label(line.branch) or state.branch
        state.parent = (
            identifier(field(line.payload, "parentSessionId") or field(line.forked_from, "sessionId")) or state.parent
        )
        if line.type == "assistant":
            state.model = label(line.model) or state.model

    def _place(self, uuid: str | None, parent: str | None, line: Line) -> _Place:
        """Where a record stands; one without an id of its own stands nowhere."""
        state = self._state
        if uuid is None:
            return _Place(None, is_rooted=False)
        if (place := state.places.get(uuid)) is None:
            before = state.places.get(parent) if parent else None
            if before is None and parent and state.cut:
                raise Reread  # it goes back behind what is remembered
            turn, is_rooted = (before.turn, before.is_rooted) if before else (None, parent is None)
            place = state.places[uuid] = _Place(turn, is_rooted=is_rooted)
        if not _is_aside(line):
            state.latest = uuid
        return place

    def _turns(self, line: Line, role: Role | None) -> Iterator[tuple[Role, str]]:
        parts = field(line.message, "parts")
        if role == "user":
            shown = field(line.payload, "displayText")
            pieces = [shown] if isinstance(shown, str) and shown.strip() else said(parts)
            if text := "\n\n".join(piece for each in pieces if (piece := stripped(each, HOOK))):
                yield "user", text
        elif role == "assistant" and (texts := said(parts)):
            yield "assistant", "\n\n".join(texts)
        if self._with_tools and role in ("assistant", "tool"):
            for name, payload in tools(parts):
                if text := tool_text(name, payload):
                    yield "tool", text


def _is_aside(line: Line) -> bool:
    """Whether a record is no part of the conversation's own thread, so that it never is its end."""
    return line.is_sidechain is True or (isinstance(line.subtype, str) and line.subtype.startswith(ARTIFACT))
