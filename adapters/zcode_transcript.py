"""ZCode's older transcripts: one message a line, a sub-agent's in its own folder, others below `projects/`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from ..core.model import Checkpoint, Record, Role, SessionRecord, SkipRecord, TurnRecord
from .base import parse_time, printable
from .content import label, tool_text
from .json_lines import ANY, NULL, decode
from .line_pass import Taker, line_records, restored
from .zcode_database import DATABASE, holds, kind_of
from .zcode_text import answer, prompt

TRANSCRIPT = "transcript.jsonl"
SILENT = frozenset({"system", "summary", "metadata", "session_meta", "file-history-snapshot", "progress"})


class Row(msgspec.Struct, rename="camel"):
    type: object = None
    role: object = None
    content: msgspec.Raw = NULL
    message: msgspec.Raw = NULL
    timestamp: object = None
    created_at: object = None
    cwd: object = None
    is_meta: object = None
    model: object = None
    tool_name: object = None


class _Message(msgspec.Struct):
    role: object = None
    content: msgspec.Raw = NULL
    model: object = None


class _State(msgspec.Struct, array_like=True):
    described: bool = False
    has_project: bool = False
    model: str | None = None
    time: int | None = None


ROWS, MESSAGE = msgspec.json.Decoder(Row), msgspec.json.Decoder(_Message | None)


def transcript_records(path: Path, since: Checkpoint | None, *, tools: bool) -> Iterator[Record]:
    """The records of one transcript; none of a sub-agent's that the database or a request log holds as well."""
    session, parent = _names(path)
    if parent is not None:
        cli = path.parents[3]
        if (cli / "rollout" / f"model-io-{session}.jsonl").exists() or holds(cli / "db" / DATABASE, session):
            yield Checkpoint(path.stat(follow_symlinks=False).st_size)
            return
    taker = Rows(session, parent, since.state if since else b"", tools=tools)
    yield from line_records(path, since, ROWS, taker)


class Rows(Taker[Row]):
    """Makes turns of a transcript's lines."""

    def __init__(self, session: str, parent: str | None, state: bytes, *, tools: bool) -> None:
        super().__init__()
        self._session, self._parent, self._tools = session, parent, tools
        self._state = restored(state, _State)

    @property
    def state(self) -> bytes:
        return msgspec.msgpack.encode(self._state)

    def take(self, at: int, row: Row) -> Iterator[Record]:
        state = self._state
        try:
            inner = decode(row.message, MESSAGE) or _Message(row.role, row.content, row.model)
            content = decode(inner.content, ANY)
        except ValueError:
            yield SkipRecord("unexpected-shape", f"byte {at}")
            return
        if not state.described:
            state.described = True
            if self._parent or kind_of(self._session):
                yield SessionRecord(self._session, parent=self._parent, kind=kind_of(self._session))
        if not state.has_project and (project := label(row.cwd)):
            state.has_project = True
            yield SessionRecord(self._session, project=project)
        model = label(inner.model)
        if model and model != state.model:
            state.model = model
            yield SessionRecord(self._session, model=model)
        yield from self._turn(at, row, inner.role or row.role or row.type, content)

    def _turn(self, at: int, row: Row, speaker: object, content: object) -> Iterator[TurnRecord]:
        exact = parse_time(row.timestamp) or parse_time(row.created_at)
        self._state.time = time = exact or self._state.time
        role: Role = "user"
        if speaker == "user":
            text = "" if row.is_meta is True else prompt(content)
        elif speaker == "assistant":
            role, text = "assistant", answer(content)
        elif speaker == "tool":
            role, text = "tool", tool_text(row.tool_name, content) if self._tools else ""
        else:
            if not isinstance(speaker, str) or speaker not in SILENT:
                self.unknown.count(speaker, f"byte {at}")
            return
        if text:
            quality = "exact" if exact else "file" if time else "none"
            yield TurnRecord(self._session, role, text, time, at, quality=quality)


def _names(path: Path) -> tuple[str, str | None]:
    """The session's id, and for the transcript at agents/PARENT/AGENT the parent's."""
    if path.name == TRANSCRIPT and path.parent.parent.parent.name == "agents":
        return f"sess_subagent_{printable(path.parent.name)}", printable(path.parent.parent.name)
    return printable(path.stem), None
