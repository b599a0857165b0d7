"""Databases of many sessions: each session is known and read by itself; a database that did not change isn't listed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from . import ledger
from .database import Database
from .fingerprint import token_hash
from .found import Found, OnDisk
from .gate import Gate, Refused
from .ledger import KnownFile, Prefix, Stamp
from .model import Adapter, Dividing, Place, SkipRecord, Unreadable
from .mounts import is_network, kind_of
from .reasons import reason_of

RETRIED = ("busy", "no-permission", "io-error", "no-space", "network-drive")
"""Why something is quarantined that can get well without changing; it is tried again every time."""
_MOST_MS = ((1 << 63) - 1) // 1_000_000


@dataclass(slots=True)
class Divided:
    """One database in one pass."""

    adapter: Adapter
    path: Path
    stamp: Stamp
    known: KnownFile | None
    token: bytes = b""
    """A hash of the token that it had before it was listed; empty when there was none to be had."""
    reason: str | None = None
    """Why it could not be listed, or not to its end, as a slug; what is known of it then stays."""
    is_listed: bool = False
    found: dict[bytes, Found] = field(default_factory=dict[bytes, Found])
    """Its sessions."""
    refused: list[Refused] = field(default_factory=list[Refused])
    """Those that may not be read."""
    skips: list[SkipRecord] = field(default_factory=list[SkipRecord])

    @property
    def tells_who_is_missing(self) -> bool:
        """Whether a session that it does not show is no longer there; one that shows none at all tells nothing."""
        return self.reason is None and bool(self.token) and bool(self.found or self.refused)

    def add(self, place: OnDisk, known: KnownFile | None, gate: Gate) -> None:
        path = os.fsencode(place.path)
        if refusal := gate.refusal_within(self.adapter.name, path):
            self.refused.append(Refused(self.adapter.name, path, place.stamp, refusal))
        else:
            self.found[path] = Found(self.adapter, place.path, place.stamp, known, place.beside)


def divide(adapter: Adapter, file: OnDisk, known: KnownFile | None, below: Iterable[KnownFile], gate: Gate) -> Divided:
    """The sessions of a database; those `below` it were known before. Whatever is wrong with it is told as a reason."""
    divided = Divided(adapter, file.path, file.stamp, known)
    try:
        if isinstance(adapter, Dividing):
            _look(divided, adapter, {each.path: each for each in below}, gate)
    except FileNotFoundError:  # it vanished since it was found
        divided.token = b""
    except Exception as error:  # an adapter's fault or the database's
        divided.reason = reason_of(error)
    return divided


def note(db: Database, divided: Divided, *, whole: bool) -> None:
    """Note how a database was found; when `whole`, all that it showed was read, and it need not be listed again."""
    source, path, version = divided.adapter.name, os.fsencode(divided.path), divided.adapter.version
    if not divided.is_listed and (divided.reason is None or _is_as_it_was(divided)):
        return
    with db.transaction():
        if divided.reason is not None:
            kept = b"" if divided.reason in RETRIED else divided.token
            ledger.set_aside(db, source, path, divided.stamp, version, "quarantined", divided.reason, kept)
        else:
            kept = divided.token if whole else b""
            ledger.save_file(db, source, path, divided.stamp, Prefix(0, 0, b""), version, b"", kept)
        ledger.set_skips(db, source, path, divided.skips)


def _is_as_it_was(divided: Divided) -> bool:
    known = divided.known
    return (
        known is not None
        and known.beside == divided.token != b""
        and known.adapter_version == divided.adapter.version
        and (known.state == "ok" or (known.state == "quarantined" and known.reason not in RETRIED))
    )


def _look(divided: Divided, adapter: Dividing, before: dict[bytes, KnownFile], gate: Gate) -> None:
    if is_network(kind_of(divided.path.parent) or ""):
        raise Unreadable("network-drive")
    divided.token = token_hash(adapter.token(divided.path))
    if not _is_as_it_was(divided):
        divided.is_listed = True
        _list(divided, adapter, before, gate)
    elif divided.known and divided.known.state == "quarantined":
        divided.reason = divided.known.reason
    else:
        for each in before.values():
            if each.state != "gone":
                divided.add(OnDisk(Path(os.fsdecode(each.path)), each.stamp, each.beside), each, gate)


def _list(divided: Divided, adapter: Dividing, before: dict[bytes, KnownFile], gate: Gate) -> None:
    for place in adapter.places(divided.path):
        if isinstance(place, SkipRecord):
            divided.skips.append(place)
        elif place.path.parent == divided.path:
            divided.add(_on_disk(place), before.get(os.fsencode(place.path)), gate)


def _on_disk(place: Place) -> OnDisk:
    changed = min(max(place.changed or 0, 0), _MOST_MS) * 1_000_000
    return OnDisk(place.path, Stamp(0, 0, 0, changed), token_hash(place.token))
