"""The words of Chinese, Japanese and Korean that make a question or a request of what is asked about. Pure."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_CHINESE = """
    请问 请帮我 帮我 麻烦 告诉我 介绍一下 看一下 一下
    是为什么 为什么 为何 是什么样的 什么样的 什么样 什么时候 什么地方 是什么 什么
    怎么样 怎么办 怎么回事 怎么 怎样的 怎样 如何
    是谁 谁 是多少 多少 多久 多长时间 是否
    是?哪(?![怕吒])[一两几]?[些个里儿年种位天次项类家部]? 几[个次天点条张种] [吗呢](?![一-鿿]) 么(?=\\W|\\Z)
""".split()
_JAPANESE = """
    どうすれば(?:いい|よい|良い)? どうやって どうやったら どのように どのような どうして どういう どんな
    (?:(?<![ぁ-ん])|(?<=[はがをにでとも]))(?:どう|どれ|どこ|どの|いつ(?![もか]))
    なぜ だれ なに 何[年月日人回番件個時度歳] 何(?=[がをはかのでにと]) 何(?=\\W|\\Z) 誰
    (?:の|ん)?で(?:しょう|した|す)か(?!ら) のか(?=\\W|\\Z) ま(?:した|す|せん)か(?!ら) について に関して 教えて
    (?:して)?(?:ください|下さい|ほしい) (?:です|ます)よね
""".split()
_KOREAN = """
    (?<![가-힣])(?:왜|어떻게|무엇[을이은]?|뭐[가를야지]?|뭘|언제|어디(?:에서|에|서|로)?|누가|누구|어느|어떤|몇|얼마나)(?![가-힣])
    (?<![가-힣])(?:해줘|알려줘|주세요|있나요|하나요|인가요|있어|할까)(?![가-힣])
    (?:인가요|나요|까요|습니까|는지|해줘|해주세요|하세요)(?![가-힣])
""".split()
_PARTICLE = r"(?<=[가-힣]{2})(?:에서는|에서|에는|으로|까지|부터|하고|[은는이가을를의에도만와과로])(?![가-힣])"
"""What a Korean noun is joined to a sentence with."""
_WORDY = re.compile(r"[^\W_]")
_ASKS_FOR = re.compile("原因|理由|方法|やり方|이유|원인|방법|是不是|有没有|能不能|可不可以|会不会|要不要|该不该")
"""Words that make a question, but that an answer may well have: the reason, 不能, 没有."""


def asks(text: str) -> bool:
    """Whether a text asks something, in words of one of these languages."""
    return not text.isascii() and (_words_that_ask().search(text) or _ASKS_FOR.search(text)) is not None


def asked_about(text: str) -> str:
    """The text with blanks for what only makes it a question; blank if it is nothing else. NFKC."""
    if text.isascii():
        return text
    pieces = [piece for piece in _noise().sub(" ", unicodedata.normalize("NFKC", text)).split() if _WORDY.search(piece)]
    longer = [piece for piece in pieces if len(piece) > 1]  # of a cut, a single one is mostly a particle
    return " ".join(longer or pieces)


@cache
def _words_that_ask() -> re.Pattern[str]:
    return re.compile("|".join((*_CHINESE, *_JAPANESE, *_KOREAN)))


@cache
def _noise() -> re.Pattern[str]:
    return re.compile("|".join((*_CHINESE, *_JAPANESE, *_KOREAN, _PARTICLE)))
