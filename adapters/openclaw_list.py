"""`sessions.json`: which session each key of an OpenClaw agent stands for, and what kind of session a key names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from ..core.model import (
    TITLE_GENERATED,
    TITLE_GIVEN,
    Checkpoint,
    Kind,
    ListRecord,
    Record,
    SessionRecord,
    SkipRecord,
)
from .content import identifier, label
from .json_file import read_json
from .json_lines import decode

LIMIT = 64 << 20
"""Bytes of the largest list; each entry repeats all the agent's skills, which are never looked at."""


class _Entry(msgspec.Struct, rename="camel"):
    session_id: object = None
    label: object = None
    display_name: object = None
    model: object = None
    spawned_by: object = None
    parent_session_key: object = None


LIST = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ENTRY = msgspec.json.Decoder(_Entry)


def read_list(path: Path, agent: str | None) -> Iterator[Record]:
    """The facts that the list has of its sessions, and the list as a whole."""
    raw, size = read_json(path, LIST, LIMIT)
    entries: dict[str, tuple[str, _Entry]] = {}
    for key, value in raw.items():
        try:
            entry = decode(value, _ENTRY)
        except ValueError:
            yield SkipRecord("unexpected-shape", "an entry of the list")
            continue
        if session := identifier(entry.session_id):
            entries[key] = session, entry
    for key, (session, entry) in entries.items():
        spawner = entry.spawned_by or entry.parent_session_key
        parent = entries[spawner][0] if isinstance(spawner, str) and spawner in entries else None
        title, rank = title_of(entry.label, entry.display_name)
        yield SessionRecord(
            session,
            title=title,
            title_rank=rank,
            model=label(entry.model),
            parent=parent if parent != session else None,
            kind=kind_of(key, is_spawned=entry.spawned_by is not None),
            agent=agent,
            handle=key,
        )
    yield ListRecord(tuple((key, session) for key, (session, _) in entries.items()))
    yield Checkpoint(size)


def title_of(given: object, display_name: object) -> tuple[str | None, int]:
    """A session's title and its rank: what the person called it, else what its channel is called."""
    if title := label(given):
        return title, TITLE_GIVEN
    title = label(display_name)
    return title, TITLE_GENERATED if title else 0


def kind_of(key: str, *, is_spawned: bool) -> Kind:
    """What a session key such as `agent:main:cron:daily` says of who began the session."""
    parts = key.lower().split(":")
    rest = parts[2:] if parts[0] == "agent" else parts
    if "subagent" in rest or is_spawned:
        return "subagent"
    if rest and (rest[0] in ("cron", "hook") or rest[-1] == "heartbeat"):
        return "automated"
    return "main"
