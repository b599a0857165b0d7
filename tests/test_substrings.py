"""Every piece of a Chinese, Japanese, Korean or mixed text is found, through the whole engine, and nothing else."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from engine import DAY, NOON, Engine, turn
from harkback.core.query import parse
from harkback.core.search import Search
from harkback.core.tokens import has_cjk

NOW = datetime(2026, 3, 1, tzinfo=UTC)
TEXTS = {
    "chinese": "昨天下午数据库迁移失败了，因为订单表的索引太大。先把任务停掉，再分批重建索引；之后检查主从延迟。",
    "japanese": "昨日のデプロイでデータベースの接続が切れました。「タイムアウト」より、プールを見直すべきです。",
    "korean": "어제 배포한 뒤에 데이터베이스 연결이 끊어집니다. 제한을 늘리기보다 풀을 다시 설정하는 것이 좋겠습니다.",
    "mixed": "在SQLite里用FTS5做全文検索、トークンはporterです。검색은 v1.2版からOK，错误码是E0277，User名は3文字。",
}
OTHERS = ["全然关系のない話", "다른 이야기", "没有别的内容", "plain english words", "検索と无关", "数据", "데이터"]
PIECES, LONGEST = 250, 6


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    engine = Engine(tmp_path_factory.mktemp("substrings") / "engine")
    rng = random.Random(5)
    lines = [part for text in TEXTS.values() for part in cut(text, rng)] + OTHERS
    engine.write("a", *(turn(line, time=NOON + at * DAY // 24) for at, line in enumerate(lines)))
    engine.run()
    return engine


def cut(text: str, rng: random.Random) -> list[str]:
    """The text itself and pieces of it, so that many turns have the same characters in other orders."""
    places = sorted(rng.sample(range(len(text)), 6))
    return [text, *(text[start:stop] for start, stop in pairwise(places)), text[::-1]]


@pytest.mark.parametrize("kind", TEXTS)
def test_every_piece_of_a_text_is_found_wherever_it_stands(engine: Engine, kind: str) -> None:
    """As typed, every turn that has the piece comes; as a phrase these and no others."""
    db = engine.store.read()
    search = Search(db)
    texts = dict(enumerate(engine.texts("a"), 1))
    for piece in pieces(TEXTS[kind], random.Random(kind)):
        having = {place for place, text in texts.items() if piece in text}
        assert having
        assert having <= found(search, piece), piece
        as_phrase = found(search, f'"{piece}"')
        assert having <= as_phrase, piece
        assert having == as_phrase or piece[-1].isascii(), piece  # of a word in Latin letters its other endings as well
    db.close()


def found(search: Search, typed: str) -> set[int | None]:
    best = search.rest(search.best(parse(typed, NOW)))
    return {hit.number for hit in search.hits(best.query, [*best.ranked, *best.others])}


def pieces(text: str, rng: random.Random) -> list[str]:
    """Random pieces, without blanks and signs; of a word in Latin letters they may have the beginning, not the end."""
    found: list[str] = []
    while len(found) < PIECES:
        size = rng.randint(1, LONGEST)
        at = rng.randrange(1, len(text) - size)
        piece = text[at : at + size]
        begins_within = piece[0].isascii() and text[at - 1].isascii() and text[at - 1].isalnum()
        if piece.isalnum() and has_cjk(piece) and not begins_within:
            found.append(piece)
    return found
