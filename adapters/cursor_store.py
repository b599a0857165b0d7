"""The chats of Cursor's command line: one `store.db` each, blobs named by their hash, and a root that lists them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field as default
from pathlib import Path

import msgspec

from ..core.model import (
    TITLE_GENERATED,
    Checkpoint,
    Record,
    Role,
    SessionRecord,
    SkipRecord,
    TurnRecord,
    Unreadable,
)  # fmt: skip
from .base import parse_time, printable
from .content import as_list, field, identifier, label
from .cursor_composer import as_bytes
from .cursor_transcript import FOLDER, Line, line_turns, tool_of, transcript_turns
from .cursor_turns import TurnNames, model_of, title_of
from .foreign_sqlite import ForeignStore, fitting, open_foreign
from .json_file import read_json
from .json_lines import decode
from .listing import is_plain_file, is_plain_folder, plain_folders_in
from .unknown_types import UnknownTypes

STORE, FACTS = "store.db", "meta.json"
AT_ONCE = 500
"""How many blobs are asked for in one query."""


class _Meta(msgspec.Struct):
    """The store's own head. It also holds a key, which is not even decoded."""

    agent: object = msgspec.field(default=None, name="agentId")
    root: object = msgspec.field(default=None, name="latestRootBlobId")
    name: object = None
    created: object = msgspec.field(default=None, name="createdAt")
    model: object = msgspec.field(default=None, name="lastUsedModel")


class _Facts(msgspec.Struct):
    cwd: object = None
    title: object = None
    created: object = msgspec.field(default=None, name="createdAtMs")
    updated: object = msgspec.field(default=None, name="updatedAtMs")
    is_subagent: object = msgspec.field(default=None, name="isSubagent")


class _Blob(msgspec.Struct):
    role: object = None
    content: object = None


_METAS = msgspec.json.Decoder(_Meta)
_FACTS = msgspec.json.Decoder(_Facts)
_BLOBS = msgspec.json.Decoder(_Blob)


@dataclass(slots=True)
class _Chat:
    meta: _Meta = default(default_factory=_Meta)
    turns: list[tuple[Role, str]] = default(default_factory=list[tuple[Role, str]])
    skips: list[SkipRecord] = default(default_factory=list[SkipRecord])


def read_store(path: Path, *, with_tools: bool) -> Iterator[Record]:
    """The records of a chat. Its transcript, where there is one, takes the place of a store that holds less."""
    facts, problem = _facts_beside(path), None
    try:
        chat = _chat_in(path, with_tools=with_tools)
    except Unreadable as error:
        chat, problem = _Chat(), error
    turns = chat.turns
    for transcript in transcripts_of(path):
        try:
            said = transcript_turns(transcript, with_tools=with_tools)
        except (OSError, Unreadable):
            continue
        if _prompts(said) > _prompts(turns):
            turns = said
    if problem and (problem.reason == "busy" or not turns):
        raise problem
    meta = chat.meta
    session = identifier(meta.agent) or printable(path.parent.name)
    title = title_of(meta.name, facts.title)
    begun = parse_time(meta.created) or parse_time(facts.created)
    latest = parse_time(facts.updated) or path.stat(follow_symlinks=False).st_mtime_ns // 1_000_000
    yield SessionRecord(
        session, title=title, title_rank=TITLE_GENERATED if title else 0, project=label(facts.cwd),
        model=model_of(meta.model), kind="subagent" if facts.is_subagent is True else "main",
    )  # fmt: skip
    names = TurnNames(session)
    for order, (role, text) in enumerate(turns):
        time = max(begun or 0, latest) if order else begun or latest
        yield TurnRecord(session, role, text, time, order, names.name(role, text), quality="file")
    yield from chat.skips
    if problem:
        yield SkipRecord(problem.reason, "the store; its transcript was read")
    yield Checkpoint(0)


def transcripts_of(path: Path) -> list[Path]:
    """The transcripts of the chat whose store this is, in whichever project's folder."""
    name, projects = path.parent.name, path.parents[3] / "projects" if len(path.parents) > 3 else path.parent
    if not identifier(name) or not is_plain_folder(projects):
        return []
    folders = [folder / FOLDER for folder in (projects, *plain_folders_in(projects))]
    own = [each for folder in folders if is_plain_folder(folder) for each in (folder, folder / name)]
    files = [folder / f"{name}{ending}" for folder in own if is_plain_folder(folder) for ending in (".jsonl", ".txt")]
    return [file for file in files if is_plain_file(file)]


def child_ids(root: bytes) -> list[str]:
    """The ids in field 1 of a protobuf message, 32 bytes each, in order; what makes no sense ends the list."""
    ids: list[str] = []
    at = 0
    while at < len(root):
        tag, at = _varint(root, at)
        match tag & 7:
            case 0:
                _, at = _varint(root, at)
            case 1:
                at += 8
            case 2:
                size, at = _varint(root, at)
                if tag >> 3 == 1 and size == 32 and at + size <= len(root):
                    ids.append(root[at : at + size].hex())
                at += size
            case 5:
                at += 4
            case _:
                break
    return ids


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number and where it ends; one that is cut short or too long is past everything."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            break
        byte = data[at]
        value, at = value | (byte & 127) << shift, at + 1
        if byte < 128:
            return value, at
    return 7, len(data)


def _chat_in(path: Path, *, with_tools: bool) -> _Chat:
    with open_foreign(path) as store:
        chat = _Chat(_meta_in(store))
        root = identifier(chat.meta.root)
        rows = store.rows(f"SELECT {fitting('data')} FROM blobs WHERE id = ?", root) if root else []  # noqa: S608
        if not rows or rows[0][0] is None:
            chat.skips.append(SkipRecord("no-root", "the root blob"))
            return chat
        ids, unknown = child_ids(as_bytes(rows[0][0])), UnknownTypes()
        lines = dict(_lines(store, sorted(set(ids))))
        for blob in ids:
            if (line := lines.get(blob)) is None:
                chat.skips.append(SkipRecord("unreadable-blob", f"blob {blob[:12]}"))
            elif line.role != "tool":
                chat.turns += line_turns(line, f"blob {blob[:12]}", unknown, with_tools=with_tools)
            elif with_tools:
                tools = (tool_of(block) for block in as_list(field(line.message, "content")))
                for tool in filter(None, tools):
                    chat.turns.append(("tool", tool))
        chat.skips += unknown.told()
        return chat


def _meta_in(store: ForeignStore) -> _Meta:
    for (value,) in store.rows(f"SELECT {fitting('value', 1 << 20)} FROM meta WHERE key = '0'"):  # noqa: S608
        data = as_bytes(value)
        try:
            data = data if data.lstrip().startswith(b"{") else bytes.fromhex(data.decode("ascii"))
            return decode(data, _METAS)
        except ValueError:
            continue
    raise Unreadable("no-meta")


def _lines(store: ForeignStore, ids: list[str]) -> Iterator[tuple[str, Line]]:
    for start in range(0, len(ids), AT_ONCE):
        chosen = ", ".join(f"'{blob}'" for blob in ids[start : start + AT_ONCE])  # hexadecimal, so nothing to quote
        sql = f"SELECT id, {fitting('data')} FROM blobs WHERE id > ? AND id IN ({chosen}) ORDER BY id"  # noqa: S608
        for blob, data in store.scan(sql, ""):
            try:
                message = decode(as_bytes(data), _BLOBS)
            except ValueError:
                continue
            yield blob, Line(message.role, None, {"content": message.content})


def _facts_beside(path: Path) -> _Facts:
    try:
        return read_json(path.with_name(FACTS), _FACTS, 1 << 20)[0]
    except (OSError, Unreadable):
        return _Facts()


def _prompts(turns: list[tuple[Role, str]]) -> int:
    return sum(role == "user" for role, _ in turns)
