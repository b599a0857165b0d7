"""How well the right turn is found, over sessions and questions of our own: no class of questions may get worse."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from engine import Engine, turn
from harkback.core.query import parse
from harkback.core.search import Search

CORPUS = Path(__file__).parent / "corpus" / "relevance"
LEAST = {
    "exact error": (0.98, 0.69),
    "identifier part": (0.97, 0.90),
    "typo": (0.97, 0.68),
    "paraphrase": (0.55, 0.33),
    "chinese": (0.87, 0.58),
    "japanese or korean": (0.86, 0.50),
    "time": (0.88, 0.40),
    "decision": (0.92, 0.58),
}
"""A little under what words alone reach: the share of answers among the best ten, the mean reciprocal rank."""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    engine = Engine(tmp_path_factory.mktemp("relevance") / "engine")
    for name, turns in json.loads((CORPUS / "sessions.json").read_text("utf-8")).items():
        engine.write(name, *(turn(text, role=role, time=milliseconds(when)) for role, text, when in turns))
    engine.run()
    return engine


def milliseconds(when: str) -> int:
    return int(datetime.fromisoformat(when).timestamp() * 1000)


def test_no_class_of_questions_is_answered_worse_than_its_floor(engine: Engine) -> None:
    recalls: defaultdict[str, list[float]] = defaultdict(list)
    ranks: defaultdict[str, list[float]] = defaultdict(list)
    for kind, places in asked(engine):
        recalls[kind].append(sum(0 < place <= 10 for place in places) / len(places))
        ranks[kind].append(max((1 / place for place in places if place), default=0))
    reached = {kind: (mean(recalls[kind]), mean(ranks[kind])) for kind in LEAST}
    worse = {kind: now for kind, now in reached.items() if any(a < b for a, b in zip(now, LEAST[kind], strict=True))}
    assert not worse
    assert recalls.keys() == LEAST.keys()
    assert min(map(len, recalls.values())) >= 25


def asked(engine: Engine) -> Iterator[tuple[str, list[int]]]:
    """(kind, the rank of each turn of the answer, 0 for not found) of every question."""
    questions = json.loads((CORPUS / "questions.json").read_text("utf-8"))
    now = datetime.fromisoformat(questions["now"])
    db = engine.store.read()
    try:
        search = Search(db)
        turns = {
            turn: [session, number]
            for turn, session, number in db.rows(
                """SELECT turns.id, sessions.native_id, turns.number
                   FROM turns JOIN sessions ON sessions.id = turns.session"""
            )
        }
        for kind, each in questions["questions"].items():
            for text, gold in each:
                order = [turns[found.turn] for found in search.best(parse(text, now)).ranked[:50]]
                yield kind, [order.index(answer) + 1 if answer in order else 0 for answer in gold]
    finally:
        db.close()


def mean(values: list[float]) -> float:
    return sum(values) / len(values)
