"""What only makes a question or a request of Chinese, Japanese and Korean words is not looked for."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from harkback.core.asking import asked_about, asks
from harkback.core.query import parse
from hypothesis import given
from hypothesis import strategies as st

NOW = datetime(2026, 3, 18, tzinfo=UTC)


@pytest.mark.parametrize(
    ("asked", "about"),
    [
        ("数据库迁移为什么失败", "数据库迁移 失败"),
        ("怎么减小打包体积？", "减小打包体积?"),
        ("操场的定义是什么", "操场的定义"),
        ("请问有哪些缓存方案吗", "缓存方案"),
        ("开会了吗", "开会了"),
        ("哪吒是谁", "哪吒"),
        ("能不能关掉限速", "能不能关掉限速"),
        ("成立于哪一年", "成立于"),
        ("何小明的任何邮件", "何小明的任何邮件"),
        ("会社の設立は何年ですか", "会社の設立は"),
        ("誰が設計したのか。", "が設計した"),
        ("マイグレーションはなぜ失敗しましたか", "マイグレーションは 失敗し"),
        ("どうすればいいですか", ""),
        ("遅いですから待ちますか", "遅いですから待ち"),
        ("いつも遅いテスト", "いつも遅いテスト"),
        ("챗봇이 왜 느려지나요", "챗봇 느려지"),
        ("파티션은 어떻게 만드나요?", "파티션 만드"),
        ("나이", "나이"),
        ("why did the 测试 fail", "why did the 测试 fail"),
        ("plain words", "plain words"),
        ("什么", ""),
        ("猫是什么", "猫"),
    ],
)
def test_what_is_asked_about_is_told_from_the_asking(asked: str, about: str) -> None:
    assert asked_about(asked) == about


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("数据库迁移为什么失败", True),
        ("接口变慢的原因", True),
        ("能不能关掉限速", True),
        ("数据库迁移失败", False),
        ("为什么", False),
        ("カーソルがずれる原因", True),
        ("全文検索", False),
        ("챗봇이 왜 느려지나요", True),
        ("챗봇이 점점 느려지는 이유", True),
        ("메모리 누수", False),
        ('"数据库迁移为什么失败"', False),
    ],
)
def test_a_question_without_blanks_is_a_sentence_too(text: str, sentence: bool) -> None:
    assert parse(text, NOW).sentence == sentence


def test_words_that_only_ask_stay_where_nothing_else_is() -> None:
    assert [unit.text for unit in parse("什么", NOW).units()] == ["什么"]
    assert [unit.text for unit in parse("왜 느려", NOW).units()] == ["느려"]
    assert [unit.text for unit in parse("왜 어떻게", NOW).units()] == ["왜", "어떻", "떻게"]


@given(st.text(st.sampled_from("什么是吗どうしてですか왜나요数据 a?"), max_size=12))
def test_asking_never_leaves_a_query_empty(words, text: str) -> None:
    query = parse(text, NOW)
    if not query.is_empty():
        table = words(text)
        assert table.matching(query.any_of_it()) == table.matching(query.all_of_it()) == {1}
        assert asks(text) or asked_about(text).split() == [each for each in asked_about(text).split() if each]
