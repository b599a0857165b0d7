"""Mistral Vibe: a folder a session with `meta.json` and `messages.jsonl`; older ones are one JSON document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from ..core.model import (
    TITLE_GENERATED,
    TITLE_GIVEN,
    Checkpoint,
    Record,
    Reread,
    SessionRecord,
    SkipRecord,
    TurnRecord,
    Unreadable,
)
from .base import files_below, parse_time, printable
from .chat_message import ChatMessage, said
from .content import field, identifier, label, resumable
from .environment import named_folder
from .json_file import read_json
from .json_lines import decode
from .line_pass import Taker, line_records
from .turn_ids import turn_id

META, MESSAGES, AGENTS = "meta.json", "messages.jsonl", "agents"
NAMED = re.compile(r".*_(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)_.*", re.DOTALL)


class _Meta(msgspec.Struct):
    session_id: object = None
    parent_session_id: object = None
    start_time: object = None
    git_branch: object = None
    environment: object = None
    title: object = None
    title_source: object = None
    model: object = None
    config: object = None


class _Whole(msgspec.Struct):
    metadata: _Meta = msgspec.field(default_factory=_Meta)
    messages: list[msgspec.Raw] = []


_META = msgspec.json.Decoder(_Meta)
_WHOLE = msgspec.json.Decoder(_Whole)
_LINE = msgspec.json.Decoder(ChatMessage)


@dataclass(frozen=True, slots=True)
class Vibe:
    """Sessions of Mistral Vibe."""

    name: str = "vibe"
    title: str = "Mistral Vibe"
    version: int = 1
    tools: bool = False

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        return [(named_folder(home, environ, "VIBE_HOME") or home / ".vibe") / "logs" / "session"]

    def find(self, root: Path) -> Iterator[Path | SkipRecord]:
        return files_below(root, _is_wanted)

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        if path.suffix != ".jsonl":
            if since is not None:
                raise Reread
            return self._read_meta(path) if path.name == META else self._read_whole(path)
        return self._read_messages(path, since)

    def resume(self, native_id: str) -> list[str] | None:
        return ["vibe", "--resume", native_id] if resumable(native_id) else None

    def with_tools(self) -> Vibe:
        return replace(self, tools=True, version=self.version + 1000)

    def _read_meta(self, path: Path) -> Iterator[Record]:
        meta, size = read_json(path, _META)
        yield _facts(_session_of(path.parent, meta), meta)
        yield Checkpoint(size)

    def _read_messages(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        meta = _meta_in(path.parent)
        session = _session_of(path.parent, meta)
        if since is not None and since.state not in (b"", session.encode()):
            raise Reread
        if since is None and AGENTS in path.parent.parts[-3:-1]:
            outer = path.parent.parent if path.parent.parent.name != AGENTS else path.parent.parent.parent
            yield SessionRecord(session, kind="subagent", parent=_session_of(outer, _meta_in(outer)))
        messages = _Messages(session, parse_time(meta.start_time) or _time_in(path.parent.name), self.tools)
        yield from line_records(path, since, _LINE, messages)

    def _read_whole(self, path: Path) -> Iterator[Record]:
        document, size = read_json(path, _WHOLE)
        meta = document.metadata
        session = identifier(meta.session_id) or printable(path.stem)
        yield _facts(session, meta)
        messages = _Messages(session, parse_time(meta.start_time) or _time_in(path.stem), self.tools)
        for number, raw in enumerate(document.messages):
            try:
                message = decode(raw, _LINE)
            except ValueError:
                yield SkipRecord("unexpected-shape", f"message {number + 1}")
            else:
                yield from messages.said(number << 20, message, f"message {number + 1}")
        yield from messages.pause()
        yield Checkpoint(size)


class _Messages(Taker[ChatMessage]):
    """Makes turns of messages; they have no times but that of the session's start."""

    def __init__(self, session: str, time: int | None, tools: bool) -> None:
        super().__init__()
        self._session, self._time, self._tools = session, time, tools

    @property
    def state(self) -> bytes:
        return self._session.encode("utf-8", "replace")

    def take(self, at: int, line: ChatMessage) -> Iterator[Record]:
        return self.said(at, line, f"byte {at}")

    def said(self, at: int, line: ChatMessage, place: str) -> Iterator[Record]:
        """The turns of one message, in order from `at` on; `place` says where it stands."""
        if line.injected is True:
            return
        try:
            spoken = said(line, self._tools)
        except ValueError:
            yield SkipRecord("unexpected-shape", place)
            return
        if spoken is None:
            self.unknown.count(line.role, place)
        quality = "file" if self._time else "none"
        for index, (role, text) in enumerate(spoken or ()):
            native = turn_id(self._session, line.message_id) if role != "tool" else None
            yield TurnRecord(self._session, role, text, self._time, at + index, native, quality=quality)


def _is_wanted(name: str) -> bool:
    return name in (META, MESSAGES) or (name.startswith("session_") and name.endswith(".json"))


def _meta_in(folder: Path) -> _Meta:
    try:
        return read_json(folder / META, _META)[0]
    except (OSError, Unreadable):
        return _Meta()


def _session_of(folder: Path, meta: _Meta) -> str:
    """A session's id; without its meta data the name of its folder."""
    return identifier(meta.session_id) or printable(folder.name)


def _time_in(name: str) -> int | None:
    """The start of a session as the name of its folder has it, in UTC."""
    found = NAMED.fullmatch(name)
    return parse_time("{}-{}-{}T{}:{}:{}Z".format(*found.groups())) if found else None


def _facts(session: str, meta: _Meta) -> SessionRecord:
    return SessionRecord(
        session,
        title=label(meta.title),
        title_rank=TITLE_GIVEN if meta.title_source in ("manual", "user") else TITLE_GENERATED,
        project=label(field(meta.environment, "working_directory")),
        branch=label(meta.git_branch),
        model=label(meta.model) or label(field(meta.config, "active_model")),
        parent=identifier(meta.parent_session_id),
    )
