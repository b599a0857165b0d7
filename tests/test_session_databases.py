"""Databases of many sessions, with any cell turned into anything: no exception but those of the contract."""

from __future__ import annotations

import json
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import apsw
import pytest
from harkback.adapters.crush import Crush
from harkback.adapters.foreign_sqlite import within
from harkback.adapters.goose import Goose
from harkback.adapters.opencode import OpenCode
from harkback.core.model import Checkpoint, Place, Record, SkipRecord, TurnRecord, Unreadable
from hypothesis import given, settings
from hypothesis import strategies as st
from read_sessions import database, settle

STORES = Path(__file__).parent / "corpus" / "stores"
ADAPTERS: dict[str, Any] = {"opencode": OpenCode(), "goose": Goose(), "crush": Crush()}
SAMPLES = sorted(path for name in ADAPTERS for path in (STORES / name / "home").rglob("*.sql"))
every_sample = pytest.mark.parametrize("script", SAMPLES, ids=lambda path: path.stem)

SCALARS = st.one_of(
    st.none(),
    st.integers(-(1 << 63), (1 << 63) - 1),
    st.floats(allow_nan=False),
    st.text(max_size=8),
    st.binary(max_size=8),
    st.sampled_from(
        ["", "[]", "{}", "null", "7", "[[]]", "[7]", '{"type":7}', "{" * 2_000, '{"time":{"created":"x"}}']
    ),
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("type text time data".split()), inner),
    max_leaves=4,
)


@every_sample
@settings(max_examples=12)
@given(data=st.data())
def test_any_cell_may_hold_anything(tmp_path: Path, script: Path, data: st.DataObject) -> None:
    adapter = ADAPTERS[_source(script)]
    path = _built(tmp_path, script)
    try:
        with closing(apsw.Connection(str(path))) as db:
            db.execute("PRAGMA ignore_check_constraints = 1")
            for _ in range(data.draw(st.integers(1, 3))):
                _spoil(db, data)
        settle(path)
        for each in (adapter, adapter.with_tools()):
            _survives(each, path)
    finally:
        path.unlink()


@every_sample
def test_a_column_or_a_table_that_is_missing_costs_no_more_than_what_it_told(tmp_path: Path, script: Path) -> None:
    adapter = ADAPTERS[_source(script)]
    path = _built(tmp_path, script)
    with closing(apsw.Connection(str(path))) as db:
        tables = _tables(db)
        columns = [(table, column) for table in tables for column in _columns(db, table)]
    for table, column in [*columns, *((table, "") for table in tables)]:
        path.unlink()
        _built(tmp_path, script)
        with closing(apsw.Connection(str(path))) as db:
            for (index,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql > ''").fetchall():
                db.execute(f'DROP INDEX "{index}"')
            try:
                db.execute(f'ALTER TABLE "{table}" DROP COLUMN "{column}"' if column else f'DROP TABLE "{table}"')
            except apsw.SQLError:  # a primary key stays
                db.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO "another"')
        settle(path)
        _survives(adapter, path)


@every_sample
def test_no_session_is_told_in_another_ones_place(tmp_path: Path, script: Path) -> None:
    adapter = ADAPTERS[_source(script)]
    path = _built(tmp_path, script)
    places = [place for place in adapter.places(path) if isinstance(place, Place)]
    assert len(places) == len({place.path for place in places}) > 0
    for place in places:
        records = list(adapter.read(place.path, None))
        assert {within(path, record.session) for record in records if isinstance(record, TurnRecord)} <= {place.path}


def _survives(adapter: Any, path: Path) -> None:
    try:
        adapter.token(path)
        places = list(adapter.places(path))
    except (OSError, Unreadable):
        return
    for place in places:
        if isinstance(place, SkipRecord):
            continue
        assert place.changed is not None
        assert place.changed >= 0
        try:
            records: list[Record] = list(adapter.read(place.path, None))
        except (OSError, Unreadable):
            continue
        assert records[-1] == Checkpoint(0)
        turns = [record for record in records if isinstance(record, TurnRecord)]
        assert len({turn.order for turn in turns}) == len(turns)
        assert all(turn.text.strip() and -(1 << 63) <= turn.order < 1 << 63 for turn in turns)
        assert all((turn.time is None) == (turn.quality == "none") for turn in turns)


def _source(script: Path) -> str:
    return script.relative_to(STORES).parts[0]


def _built(folder: Path, script: Path) -> Path:
    return database(folder / script.stem, script.read_text("utf-8"))


def _tables(db: apsw.Connection) -> list[str]:
    return [
        row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    ]


def _columns(db: apsw.Connection, table: str) -> list[str]:
    return [row[0] for row in db.execute("SELECT name FROM pragma_table_info(?)", (table,))]


def _spoil(db: apsw.Connection, data: st.DataObject) -> None:
    table = data.draw(st.sampled_from(_tables(db)))
    column = data.draw(st.sampled_from(_columns(db, table)))
    rows = db.execute(f'SELECT rowid, "{column}" FROM "{table}"').fetchall()  # noqa: S608
    rowid, cell = data.draw(st.sampled_from(rows))
    new: Any = data.draw(SCALARS)
    if isinstance(cell, str) and cell[:1] in "{[" and cell and data.draw(st.booleans()):
        told = json.loads(cell)
        holder, key = data.draw(st.sampled_from(list(_holders(told)) or [(None, None)]))
        if holder is not None:
            holder[key] = data.draw(VALUES)
        new = json.dumps(told)
    with suppress(apsw.ConstraintError, apsw.MismatchError):  # NOT NULL, and row numbers
        db.execute(f'UPDATE OR REPLACE "{table}" SET "{column}" = ? WHERE rowid = ?', (new, rowid))  # noqa: S608


def _holders(value: Any) -> Any:
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(pairs):
        yield value, key
        yield from _holders(inner)
