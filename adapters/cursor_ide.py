"""The databases of Cursor's editor: which composers there are, when they changed, and whose folder they belong to."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

import msgspec

from ..core.model import TITLE_GENERATED, Checkpoint, Place, Record, SessionRecord, SkipRecord
from .base import parse_time
from .content import as_list, field, identifier, label
from .cursor_composer import COMPOSER, TABLE, as_bytes, read_composer
from .cursor_turns import title_of
from .foreign_places import within
from .foreign_sqlite import ForeignStore, fitting, open_foreign
from .json_lines import decode
from .vscode_storage import folder_of

HEADS = ("composer.composerHeaders", "composer.composerData")
"""Keys of `ItemTable` that list composers, with their names and folders."""
LISTED = 1 << 20
"""Bytes of the largest composer of which more than the length is looked at to see whether it changed."""


class _Listed(msgspec.Struct):
    """Of a composer what tells whether it changed; its texts are not decoded."""

    updated: object = msgspec.field(default=None, name="lastUpdatedAt")
    created: object = msgspec.field(default=None, name="createdAt")
    headers: msgspec.Raw = msgspec.field(default=msgspec.Raw(), name="fullConversationHeadersOnly")
    inline: msgspec.Raw = msgspec.field(default=msgspec.Raw(), name="conversation")


_LISTED = msgspec.json.Decoder(_Listed)
_OBJECTS = msgspec.json.Decoder(dict[str, object])


def places(path: Path) -> Iterator[Place | SkipRecord]:
    """All composers that hold anything, the newest first, and one place more for the list of names and folders.

    Where that list has their times, nothing of a composer is read but its length.
    """
    found: list[Place] = []
    with open_foreign(path) as store:
        heads = _heads(store)
        times = {_id(head): parse_time(field(head, "lastUpdatedAt")) or 0 for head in heads}
        if heads:
            digest = blake2b(msgspec.json.encode([_head_facts(head) for head in heads]), digest_size=16).digest()
            found.append(Place(within(path, HEADS[0]), changed=max(times.values(), default=0), token=digest))
        cell = "NULL" if any(times.values()) else f"CAST({fitting('value', LISTED)} AS BLOB)"
        columns = f"key, octet_length(value), {cell}"
        sql = f"SELECT {columns} FROM {TABLE} WHERE key > ? AND key < 'composerData;' ORDER BY key"  # noqa: S608
        for key, size, value in store.scan(sql, COMPOSER) if TABLE in _tables(store) else ():
            composer = identifier(str(key).removeprefix(COMPOSER))
            if composer is None:
                yield SkipRecord("unexpected-shape", "the key of a composer")
            elif size is not None and (place := _place(within(path, composer), size, value, times.get(composer, 0))):
                found.append(place)
    yield from sorted(found, key=lambda place: place.changed or 0, reverse=True)


def read_place(path: Path, name: str, *, with_tools: bool) -> Iterator[Record]:
    """The records of one of the places: of a composer, or of the list of all."""
    with open_foreign(path) as store:
        if name == HEADS[0]:
            yield from _facts_of(_heads(store), None)
        elif identifier(name):
            yield from read_composer(store, name, with_tools=with_tools)
        yield Checkpoint(0)


def _place(path: Path, size: int, value: bytes | None, updated: int) -> Place | None:
    """None for a composer without anything in it."""
    if value is None:
        return Place(path, changed=updated, token=f"{updated} {size}".encode())
    try:
        listed = decode(value, _LISTED)
    except ValueError:
        return Place(path, changed=updated, token=blake2b(value, digest_size=16).digest())
    if len(listed.headers) <= len("[]") and len(listed.inline) <= len("[]"):
        return None
    updated = parse_time(listed.updated) or parse_time(listed.created) or updated
    return Place(path, changed=updated, token=f"{updated} {size} {bytes(listed.headers).count(b'bubbleId')}".encode())


def read_workspace(path: Path) -> Iterator[Record]:
    """What a workspace's own database says of composers: their names, and that they belong to its folder."""
    with open_foreign(path) as store:
        yield from _facts_of(_heads(store), folder_of(path.parent))
        yield Checkpoint(0)


def _facts_of(heads: list[object], folder: str | None) -> Iterator[SessionRecord]:
    for head in heads:
        session, title, project = _head_facts(head)
        project = project or folder
        if session and (title or project):
            yield SessionRecord(session, title=title, title_rank=TITLE_GENERATED if title else 0, project=project)


def _head_facts(head: object) -> tuple[str | None, str | None, str | None]:
    project = field(head, "workspaceIdentifier", "uri", "fsPath")
    return _id(head), title_of(field(head, "name")), label(project)


def _id(head: object) -> str | None:
    return identifier(field(head, "composerId"))


def _heads(store: ForeignStore) -> list[object]:
    if "ItemTable" not in _tables(store):
        return []
    found: list[object] = []
    sql = f"SELECT {fitting('value')} FROM ItemTable WHERE key IN (?, ?) ORDER BY key DESC"  # noqa: S608
    for (value,) in store.rows(sql, *HEADS):
        try:
            found += as_list(decode(as_bytes(value), _OBJECTS).get("allComposers"))
        except ValueError:
            continue
    return found


def _tables(store: ForeignStore) -> set[str]:
    return {table for table in ("ItemTable", TABLE) if {"key", "value"} <= set(store.columns(table))}
