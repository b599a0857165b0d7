"""Amp: threads as JSON documents, as its releases until spring 2026 left them; newer threads live on its server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from ..core.model import (
    TITLE_GENERATED,
    Checkpoint,
    Record,
    Reread,
    Role,
    SessionRecord,
    SkipRecord,
    TurnRecord,
)
from .base import files_below, parse_time, printable
from .content import as_list, field, identifier, label, resumable, text_of, tool_text
from .environment import data_folder
from .json_file import read_json
from .json_lines import decode
from .unknown_types import UnknownTypes
from .vscode_storage import path_of


class _Thread(msgspec.Struct):
    id: object = None
    title: object = None
    created: object = None
    messages: list[msgspec.Raw] = []
    env: object = None


class _Message(msgspec.Struct):
    role: object = None
    content: object = None
    meta: object = None
    usage: object = None


_THREAD = msgspec.json.Decoder(_Thread)
_MESSAGE = msgspec.json.Decoder(_Message)


@dataclass(frozen=True, slots=True)
class Amp:
    """Threads of Amp that are still on this machine."""

    name: str = "amp"
    title: str = "Amp"
    version: int = 1
    tools: bool = False

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        return [data_folder(home, environ) / "amp" / "threads"]

    def find(self, root: Path) -> Iterator[Path | SkipRecord]:
        return files_below(root, lambda name: name.startswith("T-") and name.endswith(".json"))

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        if since is not None:
            raise Reread
        thread, size = read_json(path, _THREAD)
        session, unknown = identifier(thread.id) or printable(path.stem), UnknownTypes()
        yield _facts(session, thread)
        if not thread.messages:
            yield SkipRecord("on-server", session)
        time, order = parse_time(thread.created), 0
        for number, raw in enumerate(thread.messages, 1):
            try:
                message = decode(raw, _MESSAGE)
            except ValueError:
                yield SkipRecord("unexpected-shape", f"message {number}")
                continue
            sent = parse_time(field(message.meta, "sentAt"))
            time = sent or time
            if model := label(field(message.usage, "model")):
                yield SessionRecord(session, model=model)
            if message.role not in ("user", "assistant"):
                unknown.count(message.role, f"message {number}")
                continue
            quality = "exact" if sent else "file" if time else "none"
            for role, text in _said("user" if message.role == "user" else "assistant", message.content, self.tools):
                yield TurnRecord(session, role, text, time, order, quality=quality)
                order += 1
        yield from unknown.told()
        yield Checkpoint(size)

    def resume(self, native_id: str) -> list[str] | None:
        return ["amp", "threads", "continue", native_id] if resumable(native_id) else None

    def with_tools(self) -> Amp:
        return replace(self, tools=True, version=self.version + 1000)


def _facts(session: str, thread: _Thread) -> SessionRecord:
    tree = next(iter(as_list(field(thread.env, "initial", "trees"))), None)
    branch = label(field(tree, "repository", "ref"))
    return SessionRecord(
        session,
        title=label(thread.title),
        title_rank=TITLE_GENERATED,
        project=path_of(field(tree, "uri")),
        branch=branch.removeprefix("refs/heads/") if branch else None,
        kind="main",
    )


def _said(role: Role, content: object, tools: bool) -> Iterator[tuple[Role, str]]:
    if text := text_of(content):
        yield role, text
    for block in as_list(content) if tools else ():
        if field(block, "type") == "tool_use":
            text = tool_text(field(block, "name"), field(block, "input"))
        elif field(block, "type") == "tool_result":
            text = tool_text(None, field(block, "run", "result") or field(block, "content"))
        else:
            continue
        if text:
            yield "tool", text
