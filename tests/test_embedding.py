"""Embedding in the background: newest first, resumable wherever it was killed, beside whoever writes."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from command_line import run_code
from engine import Engine, check, turn
from harkback.core.embedding import STEP, Embedded, Embedding, alone
from harkback.core.lock import Busy
from hashed_words import HashedWords


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    engine = Engine(tmp_path / "engine")
    for number in range(4):
        engine.write(f"s{number}", *(turn(f"text {number} {n}", time=n * 86_400_000) for n in range(30)))
    engine.run()
    return engine


def all_of(engine: Engine, embedder: HashedWords) -> Embedded:
    work = Embedding(engine.store, embedder)
    work.begin()
    while work.step():
        pass
    return work.progress


def vectors(engine: Engine) -> list[tuple[Any, ...]]:
    return engine.rows("SELECT chunk, vector FROM vectors ORDER BY chunk")


def test_every_chunk_gets_one_and_then_there_is_nothing_to_do(engine: Engine) -> None:
    embedder = HashedWords()
    progress = all_of(engine, embedder)
    assert progress == Embedded(120, 120)
    assert progress.is_finished
    assert engine.rows("SELECT count(*) FROM vectors") == [(120,)]
    again = Embedding(engine.store, embedder)
    assert again.begin() == Embedded(120, 120)
    assert not again.step()
    assert embedder.embedded == 120
    check(engine)


def test_the_newest_come_first(engine: Engine) -> None:
    work = Embedding(engine.store, HashedWords())
    work.begin()
    assert work.step()
    assert work.progress == Embedded(STEP, 120)
    newest = engine.rows("SELECT id FROM chunks ORDER BY id DESC LIMIT ?", STEP)
    assert [(chunk,) for chunk, _ in reversed(vectors(engine))] == newest


def test_asked_to_stop_it_keeps_what_it_has_and_goes_on_there(engine: Engine) -> None:
    embedder = HashedWords()
    asked = iter([False, True])
    work = Embedding(engine.store, embedder)
    work.begin()
    assert work.step(lambda: next(asked))
    done = work.progress.done
    assert 0 < done < STEP
    while work.step():
        pass
    assert (work.progress, embedder.embedded) == (Embedded(120, 120), 120)


KILLED = """
import os, signal, sys
sys.path[:0] = {path!r}
from pathlib import Path
from engine import Engine
from harkback.core.embedding import Embedding
from hashed_words import HashedWords

class Killed(HashedWords):
    def passages(self, texts):
        if self.embedded >= {after}:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().passages(texts)

work = Embedding(Engine(Path({place!r})).store, Killed())
work.begin()
while work.step():
    pass
"""


@pytest.mark.parametrize("after", [0, 40, 100])
def test_killed_anywhere_it_goes_on_where_it_was(engine: Engine, after: int) -> None:
    code = KILLED.format(path=[os.fspath(Path(__file__).parent)], place=os.fspath(engine.place), after=after)
    ended = run_code(code)
    assert ended.code == -signal.SIGKILL, ended.err
    kept = len(vectors(engine))
    assert kept == after // STEP * STEP
    embedder = HashedWords()
    assert all_of(engine, embedder).is_finished
    assert embedder.embedded == 120 - kept
    check(engine)


def test_another_model_takes_the_place_of_the_old_vectors_one_by_one(engine: Engine) -> None:
    all_of(engine, HashedWords("1"))
    work = Embedding(engine.store, HashedWords("2"))
    assert work.begin() == Embedded(0, 120)
    work.step()
    by_model = dict(engine.rows("SELECT revision, count(*) FROM vectors JOIN models ON models.id = model GROUP BY 1"))
    assert by_model == {"1": 120 - STEP, "2": STEP}
    while work.step():
        pass
    assert engine.rows("SELECT DISTINCT revision FROM vectors JOIN models ON models.id = model") == [("2",)]


def test_what_was_dropped_or_rewritten_meanwhile_gets_no_vector_of_its_old_text(engine: Engine) -> None:
    class Slow(HashedWords):
        """While it works the index is brought up to date."""

        def passages(self, texts: Any) -> Any:
            if not self.embedded:
                engine.write("s3", *(turn(f"other {n}", time=n * 86_400_000) for n in range(30)))
                engine.write("s2")
                engine.run()
            return super().passages(texts)

    all_of(engine, Slow())
    embedder = HashedWords()
    all_of(engine, embedder)
    texts = {
        row[0]: row[1] for row in engine.rows("SELECT chunks.id, text FROM chunks JOIN turns ON turns.id = chunks.turn")
    }
    from harkback.core.vectors import quantise

    for chunk, vector in vectors(engine):
        assert vector == quantise(embedder.passages([texts[chunk]]))[0].tobytes()
    check(engine)


def test_what_tools_said_is_not_embedded(engine: Engine) -> None:
    engine.write("tools", turn("a long listing", role="tool"), turn("short"))
    engine.run()
    assert all_of(engine, HashedWords()).total == 121


def test_before_anything_is_indexed_there_is_nothing_to_do(tmp_path: Path) -> None:
    work = Embedding(Engine(tmp_path / "none").store, HashedWords())
    assert work.begin() == Embedded(0, 0)


def test_only_one_embeds_at_a_time(engine: Engine) -> None:
    with alone(engine.store.home), pytest.raises(Busy), alone(engine.store.home):
        pass
