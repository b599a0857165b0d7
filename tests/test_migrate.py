"""An index of an older format is brought up to this one in place, step by step, and survives being stopped there."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import apsw
import pytest
from command_line import run_code
from engine import Engine, check, turn
from harkback.core.migrate import APPLICATION_ID, MIGRATIONS, NEW_COLUMNS, SCHEMA_VERSION

WIDER = {"turns": (", 'tool', 'memory'))", "))"), "sessions": (", 'memory'))", "))")}
"""The checks of format 4 and what they were before, by their ends."""
OLDER = {
    2: ["DROP TABLE tombstones"],
    3: ["DROP TABLE hidden"],
    4: [
        "DROP TABLE deleted",
        "DROP TABLE listed",
        *(f"ALTER TABLE {table} DROP COLUMN {name}" for table, names in NEW_COLUMNS.items() for name in names),
    ],
    5: ["DROP TRIGGER vectors_go_with_chunks", "DROP TABLE vectors", "DROP TABLE models"],
}
"""What makes of each format the one before."""

KILLED = """
import os, signal, sys
sys.path[:0] = {path!r}
import apsw
from pathlib import Path
from engine import Engine

def watch(connection):
    def step(cursor, sql, values):
        if sql.startswith({statement!r}):
            os.kill(os.getpid(), signal.SIGKILL)
        return True
    connection.exec_trace = step

apsw.connection_hooks.append(watch)
Engine(Path({place!r})).run()
"""


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    engine = Engine(tmp_path / "engine")
    engine.write("a", ["facts", {"title": "stripes"}], turn("zebra"), turn("okapi", role="assistant"))
    engine.write("b", turn("wombat"))
    engine.run()
    return engine


def age(engine: Engine, version: int) -> None:
    """Make the index one of an older format."""
    db = apsw.Connection(str(engine.store.path))
    for newer in range(SCHEMA_VERSION, version, -1):
        for statement in OLDER[newer]:
            db.execute(statement)
    db.execute("PRAGMA writable_schema=ON")
    for table, change in WIDER.items() if version < 4 else ():
        db.execute("UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = ?", (*change, table))
    db.execute("PRAGMA writable_schema=RESET")
    db.execute(f"PRAGMA user_version={version}")
    db.close()


def layout(engine: Engine) -> list[tuple[str, str]]:
    """Every table and index with its columns, however its SQL is spelt."""
    tables = engine.rows("SELECT type, name FROM sqlite_master WHERE name NOT GLOB 'sqlite_*' ORDER BY 2")
    return [(f"{kind} {name}", repr(engine.rows("SELECT * FROM pragma_table_xinfo(?)", name))) for kind, name in tables]


def version(engine: Engine) -> int:
    return engine.rows("PRAGMA user_version")[0][0]


@pytest.mark.parametrize("old", range(1, SCHEMA_VERSION))
def test_an_older_index_is_migrated_in_place_and_nothing_is_read_again(engine: Engine, old: int) -> None:
    age(engine, old)
    before = engine.contents()
    assert engine.run().bytes_read == 0
    check(engine)
    assert version(engine) == SCHEMA_VERSION
    assert engine.contents() == before
    assert layout(engine) == layout(engine.fresh())


@pytest.mark.parametrize("old", range(1, SCHEMA_VERSION))
def test_a_migrated_index_takes_what_is_new(engine: Engine, old: int) -> None:
    age(engine, old)
    engine.write("a", ["facts", {"kind": "memory", "agent": "north"}], turn("quokka", role="tool", cite="L1-L2"))
    assert engine.run().quarantined == 0
    assert engine.rows("SELECT cite FROM turns WHERE role = 'tool'") == [("L1-L2",)]
    assert engine.contents() == engine.fresh().contents()


def test_an_older_index_answers_before_it_is_migrated(engine: Engine) -> None:
    age(engine, 1)
    assert engine.places("okapi") == [("a", 2)]
    assert version(engine) == 1


def test_every_format_has_its_step() -> None:
    assert sorted(MIGRATIONS) == list(range(2, SCHEMA_VERSION + 1)) == sorted(OLDER)


def test_a_new_index_says_what_it_is(engine: Engine) -> None:
    assert engine.rows("PRAGMA application_id") == [(APPLICATION_ID,)]
    assert version(engine) == SCHEMA_VERSION


@pytest.mark.parametrize("statement", ["CREATE TABLE tombstones", "PRAGMA user_version=", "COMMIT"])
def test_killed_in_the_middle_of_a_step_it_is_made_again(engine: Engine, statement: str) -> None:
    before = engine.contents()
    age(engine, 1)
    code = KILLED.format(path=[os.fspath(Path(__file__).parent)], statement=statement, place=os.fspath(engine.place))
    ended = run_code(code)
    assert ended.code == -signal.SIGKILL, ended.err
    assert version(engine) == 1
    assert engine.places("okapi") == [("a", 2)]
    engine.run()
    check(engine)
    assert version(engine) == SCHEMA_VERSION
    assert engine.contents() == before
