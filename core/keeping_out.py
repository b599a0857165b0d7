"""Exclusions carried out in the index: what is excluded is dropped in the transaction that notes that it is."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from .database import Database
from .dropping import clear_file, drop_file, sessions_of
from .exclude import LIST_VERSION, Rules
from .gate import Gate, Refused
from .hiding import hide, show_again
from .ledger import UNKNOWN, Stamp, set_aside
from .sessions import drop_if_unknown, parents_of, settle

_APPLIED = "SELECT value FROM meta WHERE key = 'exclude'"


def keep_out(db: Database, rules: Rules, files: Sequence[Refused]) -> None:
    """Drop what was read of files that may not be opened, and note why; all or nothing."""
    if files:
        with db.transaction():
            _keep_out(db, rules, files)


def apply_rules(db: Database, rules: Rules) -> bool:
    """Bring the index in line with rules that changed, all or nothing; gives whether they had.

    What a rule hid that is there no longer is read again at the next occasion.
    """
    if is_applied(db, rules):
        return False
    before = db.value(_APPLIED)
    with db.transaction():
        if set(json.loads(before or "[]")[1:]) - set(rules.patterns):
            show_again(db)
        _keep_out(db, rules, list(refused_in(db, Gate(rules)).values()))
        hide(db, rules, [row[0] for row in db.rows("SELECT id FROM sessions WHERE turns > 0")])
        db.run("REPLACE INTO meta VALUES ('exclude', ?)", _described(rules))
    return True


def is_applied(db: Database, rules: Rules) -> bool:
    """Whether the index is in line with these rules."""
    return db.value(_APPLIED) == _described(rules)


def _described(rules: Rules) -> str:
    return json.dumps([LIST_VERSION, *rules.patterns])


def refused_in(db: Database, gate: Gate) -> dict[int, Refused]:
    """The files in the index that may not be opened any more, by row."""
    return {
        row: Refused(source, path, None if state == "gone" else Stamp(*stamp), reason)
        for row, source, path, state, *stamp in db.rows(
            "SELECT id, source, path, state, device, inode, size, mtime_ns FROM files WHERE state != 'excluded'"
        )
        if (reason := _refusal(gate, source, path, Stamp(*stamp)))
    }


def _refusal(gate: Gate, source: str, path: bytes, stamp: Stamp) -> str | None:
    """A session of a database is refused with that, and by its own name."""
    if stamp.is_place:
        return gate.refusal(source, os.path.dirname(path)) or gate.refusal_within(source, path)  # noqa: PTH120
    return gate.refusal(source, path)


def _keep_out(db: Database, rules: Rules, files: Sequence[Refused]) -> None:
    sessions: set[int] = set()
    parents: set[int] = set()
    for file in files:
        row = db.value("SELECT id FROM files WHERE path = ?", file.path)
        if row is not None:
            touched = sessions_of(db, row)
            sessions |= touched
            parents.update(*(parents_of(db, session) for session in touched))
            (clear_file if file.stamp else drop_file)(db, row)
        if file.stamp:
            set_aside(db, file.source, file.path, file.stamp, UNKNOWN, "excluded", file.reason)
    for session in sessions:
        settle(db, session)
    hide(db, rules, sessions)
    for parent in parents:
        drop_if_unknown(db, parent)
