"""GitHub Copilot CLI: one append-only log of events a session below `session-state/`, and a few facts beside it."""

from __future__ import annotations

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
    Role,
    SessionRecord,
    SkipRecord,
    TurnRecord,
)
from .base import files_below, open_file, parse_time, printable
from .content import as_list, field, identifier, label, resumable, text_of
from .copilot_events import LINES, Events
from .environment import named_folder
from .json_file import read_json
from .line_pass import line_records
from .listing import is_plain_file

FOLDERS = ("session-state", "history-session-state")
EVENTS, FACTS = "events.jsonl", "workspace.yaml"
SUFFIXES = {"history-session-state": (".jsonl", ".json")}
ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant"}
FACTS_LIMIT = 1 << 20


class _Document(msgspec.Struct):
    """The oldest form: one JSON object a session."""

    session: object = msgspec.field(default=None, name="sessionId")
    started: object = msgspec.field(default=None, name="startTime")
    messages: object = msgspec.field(default=None, name="chatMessages")


DOCUMENTS = msgspec.json.Decoder(_Document)


@dataclass(frozen=True, slots=True)
class Copilot:
    """The sessions of GitHub Copilot CLI."""

    name: str = "copilot"
    title: str = "Copilot CLI"
    version: int = 1
    tools: bool = False

    def with_tools(self) -> Copilot:
        return replace(self, tools=True, version=self.version + 1000)

    def roots(self, home: Path, environ: Mapping[str, str]) -> list[Path]:
        base = named_folder(home, environ, "COPILOT_HOME") or home / ".copilot"
        return [base / folder for folder in FOLDERS]

    def find(self, root: Path) -> Iterator[Path | SkipRecord]:
        """Logs of both layouts; a session that was only opened has its facts but no log."""
        for found in files_below(root, lambda name: name.endswith((".jsonl", ".json")) or name == FACTS):
            if isinstance(found, SkipRecord):
                yield found
            elif found.name == FACTS:
                if is_plain_file(found.with_name(EVENTS)):
                    yield found
            elif found.name == EVENTS or (
                found.parent == root and found.suffix in SUFFIXES.get(root.name, (".jsonl",))
            ):
                yield found  # what else lies there was made by the agent

    def read(self, path: Path, since: Checkpoint | None) -> Iterator[Record]:
        if path.name == FACTS or path.suffix == ".json":
            if since is not None:
                raise Reread  # both are written anew as a whole
            yield from _read_facts(path) if path.name == FACTS else _read_document(path)
            return
        folder_or_file = path.parent.name if path.name == EVENTS else path.stem
        events = Events(printable(folder_or_file), since.state if since else b"", with_tools=self.tools)
        yield from line_records(path, since, LINES, events)

    def resume(self, native_id: str) -> list[str] | None:
        return ["copilot", "--resume", native_id] if resumable(native_id) else None


def _read_facts(path: Path) -> Iterator[Record]:
    with open_file(path) as stream:
        data = stream.read(FACTS_LIMIT)
    facts = plain_values(data.decode("utf-8", "replace"))
    session = printable(path.parent.name)
    title = label(facts.get("name")) or label(facts.get("summary"))
    rank = TITLE_GIVEN if facts.get("user_named") == "true" else TITLE_GENERATED
    yield SessionRecord(
        session, title=title, title_rank=rank if title else 0,
        project=label(facts.get("cwd")), branch=label(facts.get("branch")),
    )  # fmt: skip
    yield Checkpoint(len(data))


def _read_document(path: Path) -> Iterator[Record]:
    document, size = read_json(path, DOCUMENTS)
    session = identifier(document.session) or printable(path.stem)
    started = parse_time(document.started)
    messages = as_list(document.messages)
    if not messages:
        yield SkipRecord("no-messages", "the document")
    for order, message in enumerate(messages):
        role = ROLES.get(str(field(message, "role")))
        if role and (text := text_of(field(message, "content"))):
            yield TurnRecord(session, role, text, started, order, quality="file" if started else "none")
    yield Checkpoint(size)


def plain_values(text: str) -> dict[str, str]:
    """The `key: value` lines at the outermost level of a YAML mapping; lists, blocks and nested values are left out."""
    values: dict[str, str] = {}
    for line in text.splitlines():
        key, colon, value = line.partition(":")
        value = value.strip()
        if not colon or not key or key != key.strip() or key[0] in "#-" or not value or value[0] in "|>[{&*!#":
            continue
        if value[0] in "\"'":
            quote, end = value[0], value.rfind(value[0])
            value = value[1:end] if end else value[1:]
            value = value.replace("''", "'") if quote == "'" else _unescaped(value)
        else:
            value = value.partition(" #")[0].rstrip()
        values.setdefault(key, value)
    return values


def _unescaped(value: str) -> str:
    for escaped, plain in (('\\"', '"'), ("\\n", " "), ("\\t", " "), ("\\\\", "\\")):
        value = value.replace(escaped, plain)
    return value
