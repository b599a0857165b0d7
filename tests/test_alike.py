"""Near-identical texts do not fill the page."""

from __future__ import annotations

from harkback.core.alike import ALLOWED, spread
from hypothesis import given
from hypothesis import strategies as st

PROMPT = "run the nightly benchmark number {} on the staging machine and report what changed since the last one"


def test_the_third_of_its_kind_stands_behind_what_is_different() -> None:
    texts = [PROMPT.format(n) for n in range(4)] + ["the benchmark of the parser", "another thing entirely"]
    assert spread(texts) == [0, 1, 4, 5, 2, 3]


def test_ideographs_are_compared_as_well() -> None:
    same = "请帮我把数据库迁移到新的服务器上然后运行所有的测试"
    assert spread([same, same + "。", same, "数据库迁移失败怎么办"]) == [0, 1, 3, 2]


def test_texts_that_share_some_words_are_not_alike() -> None:
    assert spread(["fix the parser", "fix the lexer", "fix the tests", "fix the docs"]) == [0, 1, 2, 3]


@given(st.lists(st.text(st.sampled_from("ab 数1 "), max_size=12), max_size=12))
def test_nothing_is_lost_and_the_first_ones_keep_their_order(texts: list[str]) -> None:
    order = spread(texts)
    assert sorted(order) == list(range(len(texts)))
    assert order[:ALLOWED] == list(range(len(texts)))[:ALLOWED]
    assert spread([texts[number] for number in order]) == list(range(len(texts)))
