"""Cursor's agent transcripts: JSONL of bare messages, or in older builds plain text; neither tells a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from ..core.model import Checkpoint, Record, Reread, Role, SessionRecord, SkipRecord, TurnRecord, Unreadable
from .base import open_file, printable
from .content import as_list, field, label, texts, tool_text
from .cursor_turns import TurnNames, prompt
from .json_file import read_json
from .json_lines import LINE_LIMIT, JsonLines
from .line_pass import Taker, line_records
from .unknown_types import UnknownTypes

FOLDER, SUBAGENTS = "agent-transcripts", "subagents"
TRUSTED = ".workspace-trusted"
ENDS = frozenset({"turn_ended", "turn_started", "session_ended"})
CALLS, RESULTS = frozenset({"tool_use", "tool_call", "tool-call"}), frozenset({"tool_result", "tool-result"})
SILENT = CALLS | RESULTS | {"text", "thinking", "reasoning", "redacted-reasoning", "redacted_thinking", "image", "file"}
WITHHELD = "[REDACTED]"
"""Stands for a thought."""
SPEAKER = re.compile(r"^(user|assistant):[ \t]*$", re.MULTILINE)
ASIDE = re.compile(r"\[(Thinking|Tool call|Tool result)\][ ]?(.*)")


class Line(msgspec.Struct):
    """One line of JSONL."""

    role: object = None
    type: object = None
    message: object = None


class _Trusted(msgspec.Struct):
    workspace: object = msgspec.field(default=None, name="workspacePath")


LINES = msgspec.json.Decoder(Line)
_TRUSTED = msgspec.json.Decoder(_Trusted)


def read_transcript(path: Path, since: Checkpoint | None, *, with_tools: bool) -> Iterator[Record]:
    """The records of a transcript; all turns that a pass finds get the file's time."""
    session = printable(path.stem)
    time = path.stat(follow_symlinks=False).st_mtime_ns // 1_000_000
    if since is None:
        yield SessionRecord(session, project=_project_of(path), parent=_parent_of(path), kind=_kind_of(path))
    if path.suffix == ".txt":
        if since is not None:
            raise Reread
        yield from _turns(session, time, 0, plain_turns(path, with_tools=with_tools), TurnNames(session))
        yield Checkpoint(path.stat(follow_symlinks=False).st_size)
        return
    names = TurnNames(session, since.state if since else b"")
    yield from line_records(path, since, LINES, _Transcript(session, time, names, with_tools=with_tools))


class _Transcript(Taker[Line]):
    def __init__(self, session: str, time: int, names: TurnNames, *, with_tools: bool) -> None:
        super().__init__()
        self._session, self._time, self._names, self._with_tools = session, time, names, with_tools

    @property
    def state(self) -> bytes:
        return self._names.state

    def take(self, at: int, line: Line) -> Iterator[Record]:
        turns = line_turns(line, f"byte {at}", self.unknown, with_tools=self._with_tools)
        return _turns(self._session, self._time, at, turns, self._names)


def transcript_turns(path: Path, *, with_tools: bool) -> list[tuple[Role, str]]:
    """All that was said in a transcript, and nothing else of it. Raises OSError and `Unreadable`."""
    if path.suffix == ".txt":
        return list(plain_turns(path, with_tools=with_tools))
    with open_file(path) as stream:
        lines = [found for found in JsonLines(stream, LINES) if not isinstance(found, SkipRecord)]
    return [
        turn for at, line in lines for turn in line_turns(line, f"byte {at}", UnknownTypes(), with_tools=with_tools)
    ]


def line_turns(line: Line, place: str, unknown: UnknownTypes, *, with_tools: bool) -> Iterator[tuple[Role, str]]:
    """Who says what in one message."""
    if line.role not in ("user", "assistant"):
        if not (line.role == "system" or (isinstance(line.type, str) and line.type in ENDS)):
            unknown.count(line.role or line.type, place)
        return
    content = field(line.message, "content")
    text = "\n\n".join(piece for piece in texts(content) if piece != WITHHELD)
    if line.role == "user":
        text = prompt(text)
    if text.strip():
        yield ("user" if line.role == "user" else "assistant"), text
    for block in as_list(content):
        kind = field(block, "type")
        if kind is not None and not (isinstance(kind, str) and kind in SILENT):
            unknown.count(kind, place)
        if with_tools and (tool := tool_of(block)):
            yield "tool", tool


def tool_of(block: object) -> str:
    """A block's tool call or result as text; empty for any other block."""
    kind = field(block, "type")
    name = field(block, "name") or field(block, "toolName")
    if kind in ("tool_use", "tool_call", "tool-call"):
        return tool_text(name, field(block, "input") or field(block, "args"))
    if kind in ("tool_result", "tool-result"):
        content = field(block, "content") if field(block, "content") is not None else field(block, "result")
        return tool_text(name, "\n".join(texts(content)) or content)
    return ""


def plain_turns(path: Path, *, with_tools: bool) -> Iterator[tuple[Role, str]]:
    """Who says what in a transcript of plain text: a speaker stands alone on a line, tools are indented."""
    with open_file(path) as stream:
        data = stream.read(LINE_LIMIT + 1)
    if len(data) > LINE_LIMIT:
        raise Unreadable("too-large")
    pieces = SPEAKER.split(data.decode("utf-8", "replace").replace("\r\n", "\n"))
    for speaker, text in zip(pieces[1::2], pieces[2::2], strict=True):
        if speaker == "user":
            if said := prompt(text).strip():
                yield "user", said
            continue
        said, tools = _without_asides(text)
        if said:
            yield "assistant", said
        for tool in tools if with_tools else ():
            yield "tool", tool


def _without_asides(text: str) -> tuple[str, list[str]]:
    said: list[str] = []
    asides: list[tuple[str, list[str]]] = []
    inside = False
    for line in text.split("\n"):
        if found := ASIDE.match(line):
            asides.append((found[1], [found[2]]))
            inside = True
        elif inside and (not line.strip() or line[0] in " \t"):
            asides[-1][1].append(line.strip())
        else:
            inside = False
            said.append(line)
    tools = [tool_text(None, "\n".join(lines)) for kind, lines in asides if kind != "Thinking"]
    return "\n".join(said).strip(), [tool for tool in tools if tool]


def _turns(
    session: str, time: int, at: int, turns: Iterator[tuple[Role, str]], names: TurnNames
) -> Iterator[TurnRecord]:
    for number, (role, text) in enumerate(turns):
        yield TurnRecord(session, role, text, time, at + number, names.name(role, text), quality="file")


def _parent_of(path: Path) -> str | None:
    """For a file below SESSION/subagents, that session."""
    return printable(path.parent.parent.name) if path.parent.name == SUBAGENTS else None


def _kind_of(path: Path) -> Literal["main", "subagent"]:
    return "subagent" if path.parent.name == SUBAGENTS else "main"


def _project_of(path: Path) -> str | None:
    """The folder that a project's files are for; the name that they lie under has lost too much to say it."""
    folder = next((parent.parent for parent in path.parents if parent.name == FOLDER), None)
    try:
        return label(read_json(folder / TRUSTED, _TRUSTED, 1 << 16)[0].workspace) if folder else None
    except (OSError, Unreadable):
        return None
