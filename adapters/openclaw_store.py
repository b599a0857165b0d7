"""OpenClaw's database of one agent: a session is one window of a session key, and its events are a transcript's rows.

Credentials lie in the same file: nothing is read but the tables named here.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import zstandard

from ..core.model import ListRecord, Place, Record, SessionRecord, SkipRecord, Unreadable
from .content import count, identifier, label
from .foreign_sqlite import ForeignStore, SchemaMismatch, fitting, open_foreign, within
from .foreign_tables import Tables, cell_skip, decode_cell, name_of, newest, row_token
from .json_lines import LINE_LIMIT
from .openclaw_list import kind_of, title_of
from .openclaw_rows import ROWS, Transcript
from .zstd_frames import MAGIC
from .zstd_stream import ZSTD_WINDOW

EVENTS, ACTIVE, STATE = "transcript_events", "session_transcript_active_events", "session_transcript_index_state"
REWRITES, ARCHIVES = "transcript_rewrite_watermarks", "session_transcript_archives"
WINDOWS, NODES = ("session_windows", "sessions"), ("session_nodes", "session_entries")
"""Each with the name that it had at first."""
PAYLOADS = ("event_json", "event_blob", "payload", "payload_zstd")
KEYS = "all keys"
"""Stands for the list of keys where a session's name does; no session has one with a space."""
COPYING = frozenset({"fork", "rewind", "switch", "recovery", "compaction"})
"""Why a window began that has a copy of the one before it."""

_IDS = f"""SELECT min(session_id) FROM {EVENTS} UNION ALL
    SELECT (SELECT min(session_id) FROM {EVENTS} WHERE session_id > ids.id) FROM ids WHERE ids.id IS NOT NULL"""  # noqa: S608
"""Every session that has events, with one look into the index for each."""
_COLUMNS = (
    ("w", "session_key"), ("w", "reason"), ("w", "previous_session_id"), ("w", "model"), ("w", "display_name"),
    ("w", "spawned_by"), ("w", "parent_session_key"), ("w", "hook_external_content_source"), ("w", "created_at"),
    ("w", "updated_at"), ("w", "transcript_updated_at"), ("n", "current"), ("n", "label"), ("n", "display_name"),
    ("n", "spawned_by"), ("n", "parent_session_key"), ("n", "fork_source_session_id"), ("s", "needs_rebuild"),
    ("s", "indexed_seq"), ("s", "leaf_event_id"), ("s", "active_event_count"), ("r", "generation"),
)  # fmt: skip
Facts = dict[str, Any]


class _Layout:
    """Which tables this database has, under which names."""

    def __init__(self, store: ForeignStore) -> None:
        self.tables = tables = Tables(store, EVENTS, ACTIVE, STATE, REWRITES, ARCHIVES, *WINDOWS, *NODES)
        windows = next((name for name in WINDOWS if tables.has(name, "session_id")), "")
        nodes = next((name for name in NODES if tables.has(name, "session_key")), "")
        self.names = {"w": windows, "n": nodes, "s": STATE, "r": REWRITES}
        self.current = "current_session_id" if tables.has(nodes, "current_session_id") else "session_id"

    @property
    def has_sessions(self) -> bool:
        """Whether sessions are kept in this database yet: the file is older than that."""
        return any(self.tables.has(EVENTS, column) for column in ("session_id", "seq", *PAYLOADS))

    def facts(self, store: ForeignStore, ids: str, *values: object) -> Iterator[Facts]:
        """What the tables say of some sessions."""
        self.tables.need(EVENTS, "session_id", "seq")
        columns = ", ".join(self._column(*each) for each in _COLUMNS)
        sql = f"""WITH RECURSIVE ids(id) AS ({ids})
            SELECT ids.id, (SELECT max(seq) FROM {EVENTS} e WHERE e.session_id = ids.id), {columns}
            FROM ids {self._joins()} WHERE ids.id IS NOT NULL"""  # noqa: S608, names of ours
        names = ["id", "last", *(".".join(each) for each in _COLUMNS)]
        for row in store.rows(sql, *values):
            yield dict(zip(names, row, strict=True))

    def _column(self, alias: str, name: str) -> str:
        table = self.names[alias]
        if name == "label" and not self.tables.has(table, name) and self.tables.has(table, "entry_json"):
            entry = fitting(f"{alias}.entry_json")  # where the first schemas have it
            return f"CASE WHEN json_valid({entry}) THEN json_extract({entry}, '$.label') END"
        return self.tables.column(table, self.current if name == "current" else name, alias)

    def _joins(self) -> str:
        on = {each: f"{each}.session_id = ids.id" for each in "wsr"}
        on["n"] = f"n.{self.current} = ids.id"
        if self.tables.has(self.names["w"], "session_key"):
            on["n"] = "n.session_key = w.session_key"
        needed = {"n": ("session_key", self.current)}
        there = [a for a in "wnsr" if self.tables.has(self.names[a], *needed.get(a, ("session_id",)))]
        return " ".join(f"LEFT JOIN {self.names[alias]} {alias} ON {on[alias]}" for alias in there)


def places(path: Path) -> Iterator[Place | SkipRecord]:
    """All sessions of a database, the newest first, and the list of its keys."""
    with open_foreign(path) as store:
        layout = _Layout(store)
        if not layout.has_sessions:
            return
        found: dict[str, tuple[int, bytes]] = {}
        for facts in layout.facts(store, _IDS):
            name = name_of(facts["id"])
            if name is None or name == KEYS:
                yield SkipRecord("unexpected-shape", "a session without an id")
                continue
            changed = newest(facts["w.transcript_updated_at"], facts["w.updated_at"], facts["w.created_at"])
            found[name] = changed, row_token(list(facts.values()))
        keys, deleted = _keys(store, layout), _deleted(store, layout)
    if keys or deleted:
        latest = max((changed for changed, _ in found.values()), default=0)
        yield Place(within(path, KEYS), changed=latest, token=row_token((keys, deleted)))
    for name, (changed, token) in sorted(found.items(), key=lambda item: -item[1][0]):
        yield Place(within(path, name), changed=changed, token=token)


def read(path: Path, session: str, agent: str | None, *, tools: bool) -> Iterator[Record]:
    """The records of one session, or of the list of keys, without a checkpoint.

    Raises FileNotFoundError for a session that is no longer there.
    """
    with open_foreign(path) as store:
        layout = _Layout(store)
        if session == KEYS:
            yield ListRecord(tuple(_keys(store, layout)))
            yield from (SessionRecord(each, deleted=True) for each in _deleted(store, layout))
            return
        for facts in layout.facts(store, "SELECT ?1", session):
            if facts["last"] is None:
                raise FileNotFoundError(errno.ENOENT, "no such session", os.fspath(within(path, session)))
            yield _session(store, layout, session, agent, facts)
            yield from _events(store, layout, Transcript(session, agent, tools=tools, in_database=True), facts)


def _session(store: ForeignStore, layout: _Layout, session: str, agent: str | None, facts: Facts) -> SessionRecord:
    key = label(facts["w.session_key"])
    spawner = facts["w.spawned_by"] or facts["n.spawned_by"]
    kind = kind_of(key or "", is_spawned=spawner is not None)
    if facts["w.hook_external_content_source"] is not None:
        kind = "automated"
    title, rank = title_of(facts["n.label"], facts["w.display_name"] or facts["n.display_name"])
    return SessionRecord(
        session,
        title=title,
        title_rank=rank,
        model=label(facts["w.model"]),
        parent=_parent(store, layout, session, spawner, facts),
        kind=kind,
        agent=agent,
        handle=key if facts["n.current"] in (None, session) else None,
    )


def _parent(store: ForeignStore, layout: _Layout, session: str, spawner: object, facts: Facts) -> str | None:
    """The session that spawned this one, was forked to it, or is copied in it."""
    reason, found = facts["w.reason"], None
    spawner = spawner or facts["w.parent_session_key"] or facts["n.parent_session_key"]
    windows = layout.names["w"]
    if isinstance(spawner, str) and layout.tables.has(windows, "session_key", "created_at"):
        # The window that the spawner's key stood for at that time; the key may stand for a later one by now.
        sql = f"SELECT session_id FROM {windows} WHERE session_key = ?1 AND created_at <= ?2 ORDER BY created_at DESC"  # noqa: S608
        rows = store.rows(f"{sql} LIMIT 1", spawner, facts["w.created_at"])
        found = rows[0][0] if rows else None
    if found is None and reason in (None, "initial", "fork"):
        found = facts["n.fork_source_session_id"]
    if found is None and isinstance(reason, str) and reason in COPYING:
        found = facts["w.previous_session_id"]
    parent = identifier(found)
    return parent if parent != session else None


def _events(store: ForeignStore, layout: _Layout, transcript: Transcript, facts: Facts) -> Iterator[Record]:
    payloads = [name for name in PAYLOADS if layout.tables.has(EVENTS, name)]
    if not payloads:
        raise SchemaMismatch(f"{EVENTS}.{PAYLOADS[0]}")
    active = _active(store, layout, transcript.session, facts)
    columns = ", ".join(fitting(name) for name in payloads)
    sql = f"""SELECT session_id, seq, {layout.tables.column(EVENTS, "created_at")}, {columns} FROM {EVENTS}
        WHERE session_id = ?1 AND seq > ?2 ORDER BY seq"""  # noqa: S608, names of ours
    for _, seq, stored, *cells in store.scan(sql, transcript.session, -1):
        cell = next((cell for cell in cells if cell is not None), None)
        place = f"event {seq}" if isinstance(seq, int) else "an event"
        try:
            row = decode_cell(_unpacked(cell), ROWS)
        except ValueError as error:
            yield cell_skip(cell, error, place)
            continue
        except Unreadable as error:
            yield SkipRecord(error.reason, place)
            continue
        if (number := count(seq)) is None:
            yield SkipRecord("unexpected-shape", place)
        else:
            yield from transcript.take(number, row, newest(stored) or None)
    yield from transcript.finish(active.__contains__ if active is not None else None)
    yield from transcript.pause()


def _active(store: ForeignStore, layout: _Layout, session: str, facts: Facts) -> set[int] | None:
    """The events on the active branch by the store's own account; None where that is missing or behind."""
    is_kept = layout.tables.has(ACTIVE, "session_id", "event_seq") and facts["s.needs_rebuild"] == 0
    indexed, last = count(facts["s.indexed_seq"]), count(facts["last"])
    if not is_kept or indexed is None or last is None or indexed < last:
        return None
    rows = store.rows(f"SELECT event_seq FROM {ACTIVE} WHERE session_id = ?1", session)  # noqa: S608
    active = {row[0] for row in rows}
    return active if len(active) == facts["s.active_event_count"] else None


def _keys(store: ForeignStore, layout: _Layout) -> list[tuple[str, str]]:
    """Every key that the store has, with each session that it stands or stood for."""
    nodes, windows = layout.names["n"], layout.names["w"]
    if not layout.tables.has(nodes, "session_key", layout.current):
        return []
    sql = f"SELECT session_key, {layout.current} FROM {nodes}"  # noqa: S608, names of ours
    if layout.tables.has(windows, "session_key", "session_id"):
        sql += f" UNION SELECT w.session_key, w.session_id FROM {windows} w JOIN {nodes} USING (session_key)"  # noqa: S608
    pairs = [(name_of(key), name_of(session)) for key, session in store.rows(f"{sql} ORDER BY 1, 2")]
    return [(key, session) for key, session in pairs if key is not None and session is not None]


def _deleted(store: ForeignStore, layout: _Layout) -> list[str]:
    """The sessions of which nothing is left but an archive of something deleted."""
    if not layout.tables.has(ARCHIVES, "session_id", "reason") or not layout.tables.has(EVENTS, "session_id"):
        return []
    sql = f"""SELECT DISTINCT session_id FROM {ARCHIVES} a WHERE reason = 'deleted'
        AND NOT EXISTS (SELECT 1 FROM {EVENTS} e WHERE e.session_id = a.session_id) ORDER BY 1"""  # noqa: S608
    return [name for row in store.rows(sql) if (name := name_of(row[0])) is not None]


def _unpacked(cell: object) -> object:
    """An event's JSON, which newer schemas may keep packed. Raises ValueError and `Unreadable`."""
    if not isinstance(cell, bytes) or not cell.startswith(MAGIC):
        return cell
    try:
        with zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW).stream_reader(cell) as reader:
            data = reader.read(LINE_LIMIT + 1)
    except zstandard.ZstdError as error:
        raise ValueError("damaged") from error
    if len(data) > LINE_LIMIT:
        raise Unreadable("too-large")
    return data
