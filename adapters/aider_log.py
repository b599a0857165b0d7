"""The lines of an Aider log as records: runs, what the person typed, what the model answered, what Aider said itself.

Aider writes what was typed as `#### ` lines after an empty one, its own messages as `> ` lines, both ending in two
blanks, and an answer as it is, with an empty line before and after (`io.py`). An answer may hold all of these marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

from ..core.model import Record, Reread, Role, SessionRecord, TurnRecord
from .base import parse_time
from .content import label, tool_text
from .line_pass import restored

HEADER = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\s*")
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
MODEL = re.compile(r"> (?:Main model|Models?): ([^\s,]+)")
FOLDER = re.compile(r"> (?:Git working dir|Working directory): (.*\S)")
COSTS = "> Tokens: "
"""How the message begins that follows every answer."""
END = "  "
NOTHING_TYPED = "<blank>"

Kind = Literal["", "user", "assistant", "tool"]


class State(msgspec.Struct, array_like=True):
    run: int = 0
    """How many runs have begun."""
    stamp: str = "start"
    time: int | None = None
    described: bool = False
    """Whether the run has a turn, and its facts were told."""
    model: str | None = None
    folder: str | None = None
    last: Kind = ""
    """What the last line with anything in it was part of."""
    blanks: int = 0
    """Empty lines since then."""
    fence: str = ""
    """What opened the block of code that the answer is in."""
    message_open: bool = False
    """Whether a message of several lines is still to end in two blanks."""
    prompts_end: bool | None = None
    """Whether what was typed ends in two blanks in this file: editors take them away."""
    messages_end: bool | None = None


class Log:
    """Takes the lines of a log one by one; a turn is given when the next one begins."""

    def __init__(self, digest: str, project: str | None, state: bytes, tools: bool) -> None:
        self._digest, self._project, self._tools = digest, project, tools
        self._state = restored(state, State)
        self._turn: list[str] = []
        self._at = 0

    @property
    def is_idle(self) -> bool:
        """Whether no turn waits, so that `state` stands for all that was taken."""
        return not self._turn

    @property
    def state(self) -> bytes:
        return msgspec.msgpack.encode(self._state)

    def take(self, at: int, line: str) -> Iterator[Record]:
        state = self._state
        if not line.strip() and not state.message_open:
            state.blanks += 1
            if state.last == "assistant" and self._turn:
                self._turn.append("")
            return
        if (header := HEADER.fullmatch(line)) and self._is_header(header):
            yield from self.finish()
            self._begin_run(header)
            return
        kind = self._kind(line)
        if kind == state.last and (kind == "assistant" or not state.blanks):
            if not self._turn and (kind != "tool" or self._tools):
                raise Reread  # it goes on with a turn that was given
        else:
            yield from self.finish()
            self._at = at
        if kind == "tool":
            yield from self._notice(line)
        if kind != "tool" or self._tools:
            self._turn.append(line.removeprefix("#### ").rstrip() if kind == "user" else line)
        state.last, state.blanks = kind, 0

    def finish(self) -> Iterator[Record]:
        """The turn that waits, if any."""
        state, lines, self._turn = self._state, self._turn, []
        text = "\n".join(lines).strip("\n").rstrip()
        if state.last == "tool":
            text = tool_text(None, "\n".join(line.removeprefix("> ").rstrip() for line in lines))
        if not text.strip() or (state.last == "user" and text == NOTHING_TYPED):
            return
        role: Role = state.last or "assistant"
        if not state.described:
            state.described = True
            yield SessionRecord(
                self._session, project=state.folder or self._project, model=state.model, kind="main"
            )  # fmt: skip
        yield TurnRecord(self._session, role, text, state.time, self._at, quality="file" if state.time else "none")

    @property
    def _session(self) -> str:
        return f"{self._digest}-{self._state.stamp}-{self._state.run}"

    def _begin_run(self, header: re.Match[str]) -> None:
        old = self._state
        self._state = State(
            run=old.run + 1,
            stamp=re.sub(r"\D", "", header[1] + header[2]),
            time=parse_time(f"{header[1]}T{header[2]}"),
            prompts_end=old.prompts_end,
            messages_end=old.messages_end,
        )

    def _is_header(self, header: re.Match[str]) -> bool:
        """In a block of code only a later run's: what is quoted there is older."""
        time = parse_time(f"{header[1]}T{header[2]}")
        return not self._state.fence or (time or 0) > (self._state.time or 0)

    def _kind(self, line: str) -> Kind:
        """What a line is part of; notes how the file is written, and where blocks of code begin and end."""
        state = self._state
        if line.startswith("#### ") and self._is_prompt(line):
            state.fence, state.message_open = "", False
            return "user"
        if state.message_open:
            state.message_open = not line.endswith(END)
            return "tool"
        if line.startswith("> ") and self._is_message(line):
            state.fence = ""
            return "tool"
        if found := FENCE.fullmatch(line):
            if not state.fence:
                state.fence = found[1]
            elif found[1].startswith(state.fence) and not found[2].strip():
                state.fence = ""
        return "assistant"

    def _is_prompt(self, line: str) -> bool:
        state = self._state
        ends = line.endswith(END)
        if state.last == "user" and not state.blanks:
            return ends or not state.prompts_end
        after = state.blanks > 0 or state.last in ("", "tool")
        if state.prompts_end is None and after and not state.fence:
            state.prompts_end = ends
        if state.fence:  # an answer that was broken off leaves it open; two empty lines follow an answer
            return bool(state.prompts_end) and ends and state.blanks > 1
        return after and (ends or not state.prompts_end)

    def _is_message(self, line: str) -> bool:
        state = self._state
        ends = line.endswith(END)
        if state.last == "assistant" and not state.blanks and (state.fence or not ends or state.messages_end is False):
            return False  # a quotation
        if state.messages_end is None and not state.fence:
            state.messages_end = ends
        if state.messages_end and not ends:  # the first of several lines, or a quotation
            follows_directly = state.last in ("user", "tool") and not state.blanks and not state.fence
            state.message_open = follows_directly or line.startswith(COSTS)
            return state.message_open
        return bool(state.messages_end) or not state.fence

    def _notice(self, line: str) -> Iterator[Record]:
        """Facts in what Aider says when it starts, or when it is told to change."""
        state = self._state
        if found := MODEL.match(line):
            state.model = label(found[1])
            if state.described:
                yield SessionRecord(self._session, model=state.model)
        elif found := FOLDER.fullmatch(line.rstrip()):
            state.folder = label(found[1])
