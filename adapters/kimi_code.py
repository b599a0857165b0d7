"""kimi-code: the wire of each of a session's agents, and the session's state; an import from kimi-cli counts once.

An import is a copy without times: it is read only where the original is not there. What was said in it since has times.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from ..core.model import (
    TITLE_GENERATED,
    TITLE_GIVEN,
    Checkpoint,
    Record,
    Role,
    SessionRecord,
    SkipRecord,
    TimeQuality,
    TurnRecord,
    UndoRecord,
    Unreadable,
)
from .base import parse_time, printable
from .content import as_list, count, field, identifier, label, text_of, texts, tool_text
from .json_file import read_json
from .json_lines import ANY, NULL, decode
from .kimi_cli import SMALL_FILE, STATE, TEXT
from .line_pass import Taker, line_records, restored

MAIN = "main"
SILENT = frozenset(
    """metadata forked turn.prompt turn.steer turn.cancel turn.ended turn.step.interrupted turn.step.retrying
    prompt.accepted prompt.steered prompt.completed prompt.aborted agent.turn.started agent.turn.ended agent.switched
    agent.message.appended permission.set_mode permission.record_approval_result permission.rules.add profile.bind
    runtime.set_binding full_compaction.begin full_compaction.cancel full_compaction.complete micro_compaction.apply
    plan_mode.enter plan_mode.cancel plan_mode.exit plan.revision swarm_mode.enter swarm_mode.exit
    tools.register_user_tool tools.unregister_user_tool tools.set_active_tools tools.update_store mcp.tools_discovered
    goal.create goal.update goal.clear cron.add cron.cursor cron.delete task.started task.terminated task.waitDelivered
    subagent.spawned subagent.started subagent.completed subagent.cancelled skill.activate plugin.session_start
    context.update_token_count context_size.measured token_counting.measured token_counting.turn_recorded
    token_counting.truncated token_counting.rebased llm.request llm.tools_snapshot interaction.request
    interaction.resolved file_history.tracked file_history.checkpoint staleGuard.recorded context.undone""".split()
)
PROMPTS_KEPT = 500
"""So many prompts can be undone at once."""
MOST_CALLS = 64
"""Tool calls of one message that are told apart."""
LONG_ID = 16
"""Characters of an id that is unique everywhere; shorter ones count the steps of one file."""


# ---- Which session ----


@dataclass(frozen=True, slots=True)
class Origin:
    """What a session's state says, and whether it is an import whose original is still there."""

    session: str
    state: object
    original: str | None
    is_copy: bool

    @staticmethod
    def of(folder: Path) -> Origin:
        state: object = None
        with suppress(OSError, Unreadable):
            state, _ = read_json(folder / STATE, ANY, SMALL_FILE)
        original = None
        if field(state, "custom", "imported_from_kimi_cli") is True:
            original = identifier(field(state, "custom", "kimi_cli_session_id")) or folder.name.removeprefix("ses_")
        return Origin(printable(folder.name), state, original, bool(original) and _exists(folder, state, original))

    def name_of(self, agent: object) -> str:
        """The native id of one of the session's agents."""
        return self.session if agent == MAIN else f"{self.session}.{agent}"

    @property
    def time(self) -> int | None:
        """When it was made; of an import, when it was last changed."""
        return parse_time(field(self.state, "createdAt"))


def _exists(folder: Path, state: object, original: str) -> bool:
    """Whether the session that was imported is still where it was, or in the folder of sessions beside this one's."""
    source = field(state, "custom", "kimi_cli_source_path")
    places = [Path(source)] if isinstance(source, str) and "\0" not in source and Path(source).is_absolute() else []
    with suppress(OSError, IndexError):
        places += [each / original for each in (folder.parents[2].parent / ".kimi" / "sessions").iterdir()]
    for place in places:
        with suppress(OSError):
            if any((place / name).is_file() for name in ("wire.jsonl", "context.jsonl")) or place.is_file():
                return True
    return False


# ---- Its title ----


def code_state_records(path: Path) -> Iterator[Record]:
    """The title in a session's state, and what it was forked from."""
    size = path.stat(follow_symlinks=False).st_size
    origin = Origin.of(path.parent)
    if origin.state is None:
        yield SkipRecord("not-json", STATE)
    title, state = label(field(origin.state, "title")), origin.state
    given = field(state, "isCustomTitle") is True or field(state, "titleKind") in ("custom", "user", "manual")
    parent = identifier(field(state, "forkedFrom")) or (origin.original if origin.is_copy else None)
    if title or parent:
        rank = (TITLE_GIVEN if given else TITLE_GENERATED) if title else 0
        yield SessionRecord(origin.session, title=title, title_rank=rank, parent=parent)
    yield Checkpoint(size)


# ---- What was said ----


class Row(msgspec.Struct, rename="camel"):
    type: object = None
    time: object = None
    created_at: object = msgspec.field(default=None, name="created_at")
    message: msgspec.Raw = NULL
    event: msgspec.Raw = NULL
    cwd: object = None
    model_alias: object = None
    model: object = None
    count: object = None


ROWS = msgspec.json.Decoder(Row)


class _State(msgspec.Struct, array_like=True):
    has_project: bool = False
    model: str | None = None
    time: int | None = None
    step: str = ""
    """The step that the last turn was given for."""
    prompts: list[int] = []
    """Orders of the prompts since the last compaction or clearing."""


def code_wire_records(path: Path, since: Checkpoint | None, *, tools: bool) -> Iterator[Record]:
    """The records of one agent's wire. Raises OSError, `Unreadable` and `Reread`."""
    origin, agent = Origin.of(path.parents[2]), printable(path.parent.name)
    session = origin.name_of(agent)
    if agent != MAIN:
        above = field(origin.state, "agents", agent, "parentAgentId")
        parent = origin.name_of(above) if isinstance(above, str) and above != agent else origin.session
        yield SessionRecord(session, parent=parent, kind="subagent")
    taker = Wire(session, origin, since.state if since else b"", tools=tools)
    yield from line_records(path, since, ROWS, taker)


class Wire(Taker[Row]):
    """Makes turns of one agent's records."""

    def __init__(self, session: str, origin: Origin, state: bytes, *, tools: bool) -> None:
        super().__init__()
        self._session, self._origin, self._tools = session, origin, tools
        self._state = restored(state, _State)
        self._copied: tuple[int, int] = 0, 0
        """The first turn that the original has as well, and how many there are."""

    @property
    def state(self) -> bytes:
        return msgspec.msgpack.encode(self._state)

    def finish(self) -> Iterator[Record]:
        first, times = self._copied
        if times:
            yield SkipRecord("imported-copy", f"byte {first}", times)

    def take(self, at: int, row: Row) -> Iterator[Record]:
        self._state.time = parse_time(row.time) or parse_time(row.created_at) or self._state.time
        try:
            match row.type:
                case "context.append_message":
                    yield from self._message(at, row, decode(row.message, ANY))
                case "context.append_loop_event":
                    yield from self._event(at, row, decode(row.event, ANY))
                case "config.update" | "usage.record":
                    yield from self._facts(row)
                case "context.undo":
                    yield from self._undo(at, count(row.count) or 0)
                case "context.clear" | "context.apply_compaction":
                    self._state.prompts = []
                case kind:
                    if not isinstance(kind, str) or kind not in SILENT:
                        self.unknown.count(kind, f"byte {at}")
        except ValueError:
            yield SkipRecord("unexpected-shape", f"byte {at}")

    def _facts(self, row: Row) -> Iterator[Record]:
        state, project = self._state, label(row.cwd)
        if project and not state.has_project:
            state.has_project = True
            yield SessionRecord(self._session, project=project)
        model = label(row.model_alias) or label(row.model)
        if model and model != state.model:
            state.model = model
            yield SessionRecord(self._session, model=model)

    def _message(self, at: int, row: Row, message: object) -> Iterator[Record]:
        role, origin = field(message, "role"), field(message, "origin", "kind")
        text = text_of(field(message, "content"), TEXT).strip()
        if role == "user" and origin == "compaction_summary":
            self._state.prompts = []
        elif role == "user" and origin in (None, "user"):
            self._state.prompts = [*self._state.prompts, at][-PROMPTS_KEPT:]
            yield from self._turn(at, row, "user", text)
        elif role == "assistant" and origin in (None, "user"):
            yield from self._turn(at, row, "assistant", text)
            if self._tools:
                for number, call in enumerate(as_list(field(message, "toolCalls"))[:MOST_CALLS], 1):
                    name = field(call, "function", "name") or field(call, "name")
                    given = field(call, "function", "arguments") or field(call, "arguments")
                    yield from self._turn(at + number, row, "tool", tool_text(name, given))
        elif role == "tool" and self._tools:
            yield from self._turn(at, row, "tool", tool_text(None, text))

    def _event(self, at: int, row: Row, event: object) -> Iterator[Record]:
        kind = field(event, "type")
        if kind == "content.part":
            text = text_of(field(event, "part"), TEXT).strip()
            step = identifier(field(event, "stepUuid"))
            step = step if step and len(step) >= LONG_ID else None
            more = step is not None and step == self._state.step
            if text:
                self._state.step = step or ""
            yield from self._turn(at, row, "assistant", text, step, more=more)
        elif kind == "tool.call" and self._tools:
            yield from self._turn(at, row, "tool", tool_text(field(event, "name"), field(event, "args")))
        elif kind == "tool.result" and self._tools:
            output = field(event, "result", "output")
            yield from self._turn(at, row, "tool", tool_text(field(event, "name"), "\n".join(texts(output)) or output))

    def _undo(self, at: int, turns: int) -> Iterator[Record]:
        prompts = self._state.prompts
        if turns and prompts:
            since = prompts[-min(turns, len(prompts))]
            self._state.prompts = [order for order in prompts if order < since]
            yield UndoRecord(self._session, since, at)

    def _turn(
        self, at: int, row: Row, role: Role, text: str, native_id: str | None = None, *, more: bool = False
    ) -> Iterator[TurnRecord]:
        if not text:
            return
        exact = parse_time(row.time)
        if exact is None and self._origin.is_copy:
            first, times = self._copied
            self._copied = first if times else at, times + 1
            return
        time = exact or (self._origin.time if self._origin.original else self._state.time)
        quality: TimeQuality = "exact" if exact else "file" if time else "none"
        yield TurnRecord(self._session, role, text, time, at, native_id, more=more, quality=quality)
