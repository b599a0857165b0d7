"""Embeddings go with their chunks, whatever makes those go, and a chunk that gets the id of an old one has none."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest
from engine import Engine, check, turn
from harkback.core.forget import forget
from harkback.core.forget_plan import Request


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    engine = Engine(tmp_path / "engine")
    engine.write("a", turn("zebra"), turn("okapi", role="assistant"))
    engine.write("b", turn("wombat"))
    engine.run()
    embed(engine)
    return engine


def embed(engine: Engine) -> None:
    """Give every chunk a vector whose bytes spell its text."""
    db = apsw.Connection(str(engine.store.path))
    db.execute("INSERT OR IGNORE INTO models VALUES (1, 'm', 'r', 384, 'mean', '', '', 'q', 0)")
    for chunk, text in list(db.execute("SELECT chunks.id, text FROM chunks JOIN turns ON turns.id = turn")):
        db.execute("REPLACE INTO vectors (chunk, model, vector) VALUES (?, 1, ?)", (chunk, sign(text)))
    db.close()


def sign(text: str) -> bytes:
    return (f"vector of {text} ".encode() * 40)[:384]


def embedded(engine: Engine) -> set[bytes]:
    return {row[0] for row in engine.rows("SELECT vector FROM vectors")}


def bytes_of(engine: Engine) -> bytes:
    return b"".join(path.read_bytes() for path in engine.store.home.rglob("*") if path.is_file())


def test_forgetting_a_session_leaves_no_byte_of_its_vectors(engine: Engine) -> None:
    assert sign("zebra") in bytes_of(engine)
    outcome = forget(engine.store, Request(session="lines:a"))
    assert outcome.sessions == 1
    assert not outcome.remains.files
    assert embedded(engine) == {sign("wombat")}
    assert b"vector of zebra" not in bytes_of(engine)
    assert b"vector of okapi" not in bytes_of(engine)


def test_forgetting_everything_leaves_no_vector(engine: Engine) -> None:
    forget(engine.store, Request(everything=True))
    assert b"vector of" not in bytes_of(engine)


def test_a_file_that_is_read_again_gets_no_old_vectors(engine: Engine) -> None:
    engine.write("b", turn("numbat"))
    engine.run()
    check(engine)
    assert embedded(engine) == {sign("zebra"), sign("okapi")}


def test_a_source_that_is_unticked_loses_its_vectors(engine: Engine) -> None:
    engine.ticked = ()
    engine.run()
    assert embedded(engine) == set()
    assert b"vector of" not in bytes_of(engine)


def test_no_id_is_given_twice(engine: Engine) -> None:
    last = engine.rows("SELECT max(id) FROM vectors")[0][0]
    forget(engine.store, Request(session="lines:a"))
    forget(engine.store, Request(session="lines:b"))
    engine.write("c", turn("numbat"))
    engine.run()
    embed(engine)
    assert engine.rows("SELECT min(id) FROM vectors")[0][0] > last
