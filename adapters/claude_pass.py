"""One pass over a session file of Claude Code: records in, turns and facts out, and a state to read on from."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from ..core.model import (
    TITLE_GENERATED,
    TITLE_GIVEN,
    TITLE_SUMMARY,
    Checkpoint,
    Record,
    Reread,
    SessionRecord,
    SkipRecord,
    TitleRecord,
    TurnRecord,
)
from .base import parse_time
from .claude_record import LINE, META, SPOKEN, Line, asked, is_all_aside, name_of, replied, steered
from .claude_text import is_bare_command, is_summary, prompt, title_from_rename
from .claude_thread import Held, Message, State, Thread
from .claude_tools import tool_turns
from .json_lines import JsonLines
from .turn_ids import digest
from .unknown_types import UnknownTypes

CHECKPOINT_EVERY, MOST_HELD = 2_000, 16
BY_PROGRAM = ("sdk-cli", "sdk-ts", "sdk-py")


class Pass:
    """One pass over a session file."""

    def __init__(
        self, path: Path, stream: BinaryIO, since: Checkpoint | None, native_id: str, parent: str | None, tools: bool
    ) -> None:
        """`stream` is the file at `path`; `parent`: the session in whose folder of sub-agents it lies."""
        self._path, self._stream, self._tools = path, stream, tools
        self._start = since.offset if since else 0
        if os.fstat(stream.fileno()).st_size < self._start:
            raise Reread
        self._state = State.unpack(since.state) if since and since.offset else State()
        self._id = native_id
        self._out: list[Record] = []
        self._given = 0
        self._waiting: list[tuple[int, TurnRecord]] = []
        """Steering prompts whose proper record may still come, with their hashes."""
        self._skips, self._unknown = dict[str, SkipRecord](), UnknownTypes()
        self._is_agent_file = native_id.startswith("agent-") or parent is not None
        if "" not in self._state.threads:
            self._state.subagent = True if self._is_agent_file else None
            self._state.threads[""] = Thread(self._id, parent=parent, subagent=self._is_agent_file)
        self._own = self._state.threads[""]
        self._touched = {self._id: self._own}

    def records(self) -> Iterator[Record]:
        lines = JsonLines(self._stream, LINE, self._start)
        count = 0
        for item in lines:
            if isinstance(item, SkipRecord):
                yield item
                continue
            self._take(*item)
            yield from self._out
            self._out.clear()
            count += 1
            if count >= CHECKPOINT_EVERY and not self._waiting:
                yield from self._checkpoint(lines.offset)
                count = 0
        loose = [*self._own.loose, *(mark for mark, _ in self._waiting)]
        self._let_go()
        self._own.loose = loose[-MOST_HELD:]
        yield from self._out
        yield from self._checkpoint(lines.offset)

    def _checkpoint(self, offset: int) -> Iterator[Record]:
        yield from self._skips.values()
        yield from self._unknown.told()
        self._skips.clear()
        yield from (thread.facts() for thread in self._touched.values() if thread.has_turns)
        yield Checkpoint(offset, self._state.pack())

    # ---- one record ----

    def _take(self, place: int, line: Line) -> None:
        kind = line.type
        if kind in SPOKEN or isinstance(line.uuid, str):
            self._take_linked(place, line)
            if kind in SPOKEN:
                return
        else:
            self._note_facts(self._own, line)
        match kind:
            case "custom-title":
                self._title(self._own, line.custom_title, TITLE_GIVEN)
            case "ai-title":
                self._title(self._own, line.ai_title, TITLE_GENERATED)
            case "agent-name" if self._own.subagent:
                self._title(self._own, line.agent_name, TITLE_GENERATED)
            case "summary":
                self._summary(line)
            case "relocated" if isinstance(line.relocated_cwd, str) and line.relocated_cwd:
                self._own.project = line.relocated_cwd[:4096]
            case "queue-operation" if line.operation == "remove":
                self._steering(place, line)
            case str() if kind in META:
                pass
            case _:
                self._unknown.count(kind, f"byte {place}")

    def _take_linked(self, place: int, line: Line) -> None:
        """Takes a record that has a place on a branch."""
        kind, thread = line.type, self._thread(place, line)
        self._note_facts(thread, line)
        uuid, time = name_of(line.uuid), line.timestamp[:40] if isinstance(line.timestamp, str) else ""
        parent = thread.before(name_of(line.parent_uuid) or name_of(line.logical_parent_uuid))
        known = uuid is not None and thread.knows(uuid, time)
        turn, given = parent, self._given
        if kind == "assistant":
            turn = self._reply(thread, place, line, uuid, parent, known)
        elif (
            kind in SPOKEN
            and not (uuid and known and thread.links[uuid] == uuid)
            and (text := self._asked(place, line))
        ):
            self._prompt(thread, line, thread.turn("user", text, parse_time(line.timestamp), place, uuid, parent))
            turn = uuid or parent
        if uuid is not None and (not known or given != self._given):
            thread.link(uuid, turn, time)
            if kind == "user" or kind == "assistant" or turn == uuid:
                thread.leaf = turn or thread.leaf
        if self._tools and kind in ("user", "assistant") and not known and line.is_meta is not True:
            self._out += tool_turns(thread, place, line, uuid, turn)

    def _give(self, thread: Thread, turn: TurnRecord) -> None:
        self._out += thread.give(turn)
        self._given += 1

    # ---- what a person said ----

    def _asked(self, place: int, line: Line) -> str:
        """The words of a person in a user or attachment record; empty where there are none."""
        try:
            texts = asked(line)
        except ValueError:
            self._skip("unexpected-shape", place)
            return ""
        if texts and (line.is_compact_summary is True or is_summary(texts)):
            self._skip("summary", place)
            return ""
        return prompt(texts)

    def _prompt(self, thread: Thread, line: Line, turn: TurnRecord) -> None:
        text, source = turn.text, line.prompt_source
        if source == "sdk" or (source is None and line.entrypoint in BY_PROGRAM):
            thread.by_program = True
        elif source != "system":
            thread.typed = True
        if is_bare_command(text) and len(thread.held) < MOST_HELD:
            thread.held = [*thread.held, Held(turn.order, turn.native_id, turn.parent_id, turn.time, text)]
            self._given += 1
            return
        mark = digest(text)
        if thread is self._own:
            if mark in thread.loose:
                raise Reread
            if not self._is_awaited(mark):
                self._let_go()
        self._give(thread, turn)
        thread.said(mark)
        self._title(thread, title_from_rename(text), TITLE_GIVEN)

    def _steering(self, place: int, line: Line) -> None:
        """A prompt typed while the agent worked; newer versions also write it as a proper record, before or after."""
        try:
            text = prompt(steered(line))
        except ValueError:
            self._skip("unexpected-shape", place)
            return
        mark = digest(text)
        if text and mark not in self._own.prompts and all(mark != waiting for waiting, _ in self._waiting):
            self._waiting.append((mark, self._own.turn("user", text, parse_time(line.timestamp), place, None, None)))
        if len(self._waiting) > MOST_HELD:
            self._let_go()

    def _is_awaited(self, mark: int) -> bool:
        """Whether this is the proper record of a waiting prompt, which it then replaces."""
        rest = [waiting for waiting in self._waiting if waiting[0] != mark] if self._waiting else self._waiting
        awaited, self._waiting = len(rest) < len(self._waiting), rest
        return awaited

    def _let_go(self) -> None:
        """Yields the waiting prompts as they are: their proper records do not come any more."""
        for mark, turn in self._waiting:
            self._give(self._own, turn)
            self._own.said(mark)
        self._waiting, self._own.loose = [], []

    # ---- what the agent said ----

    def _reply(
        self, thread: Thread, place: int, line: Line, uuid: str | None, parent: str | None, known: bool
    ) -> str | None:
        """Takes an assistant record; returns the turn that what follows it follows."""
        try:
            key, model, texts = replied(line)
        except ValueError:
            self._skip("unexpected-shape", place)
            return parent
        thread.model = model or thread.model
        message = thread.message(key) if key else None
        if not texts or (known and message is None and (key or thread.links[uuid or ""] == uuid)):
            return parent
        if message is None:
            message = Message(None, parent, [])
            if key:
                thread.add_message(key, message)
        if text := "\n\n".join(filter(None, [message.news(text) for text in texts])):
            if thread is self._own:
                self._let_go()
            more, time = message.turn is not None, parse_time(line.timestamp)
            if not more:
                message.turn, message.parent = uuid, parent
            before = None if more else parent
            self._give(thread, thread.turn("assistant", text, time, place, message.turn, before, more))
            thread.prompts = []
        # A prompt may have come between two lines of one reply; what follows then follows the prompt.
        return message.turn if parent in (None, message.turn, message.parent) else parent

    # ---- which session, and what is known of it ----

    def _thread(self, place: int, line: Line) -> Thread:
        """The session that a record belongs to: old versions wrote sub-agents into the file of their parent."""
        aside = line.is_sidechain is True
        if self._state.subagent is None:
            self._own.subagent = self._state.subagent = aside and is_all_aside(self._path, place)
        if not aside and self._own.subagent and not self._is_agent_file:
            raise Reread
        if not aside or self._own.subagent:
            return self._own
        agent = name_of(line.agent_id) or "sidechain"
        thread = self._state.threads.pop(agent, None)
        if thread is None:
            if self._state.partial:
                raise Reread
            thread = Thread(f"{self._id}.{agent}", parent=self._id, subagent=True)
        self._state.threads[agent] = self._touched[thread.session] = thread
        return thread

    def _note_facts(self, thread: Thread, line: Line) -> None:
        if thread.project is None and isinstance(line.cwd, str) and line.cwd:
            thread.project = line.cwd[:4096]
        if isinstance(line.git_branch, str) and line.git_branch not in ("", "HEAD"):
            thread.branch = line.git_branch[:200]
        if thread.subagent and thread.parent is None:
            session = name_of(line.session_id)
            thread.parent = session if session not in (self._id, self._id.removeprefix("agent-")) else None

    def _title(self, thread: Thread, title: Any, rank: int) -> None:
        if isinstance(title, str) and title.strip():
            self._out.append(SessionRecord(thread.session, title=title.strip(), title_rank=rank))

    def _summary(self, line: Line) -> None:
        leaf, title = name_of(line.leaf_uuid), line.summary
        for thread in self._state.threads.values():
            if leaf in (None, self._id) or leaf in thread.links:
                return self._title(thread, title, TITLE_SUMMARY)
        if any(thread.partial for thread in self._state.threads.values()) or self._state.partial:
            raise Reread
        if leaf is not None and isinstance(title, str) and title.strip():
            self._out.append(TitleRecord(leaf, title.strip(), TITLE_SUMMARY))
        return None

    def _skip(self, reason: str, place: int) -> None:
        known = self._skips.get(reason) or SkipRecord(reason, f"byte {place}", 0)
        self._skips[reason] = SkipRecord(reason, known.example, known.count + 1)
