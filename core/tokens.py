"""What is a word: the same for indexing, for querying and for highlighting.

Runs of Han, Kana and Hangul become overlapping bigrams and their last character, so that every substring of one or more
characters is found; everything else is left to FTS5's own `porter unicode61 remove_diacritics 2`.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, cast

from .database import FTS5_TOKENIZE_DOCUMENT, Database
from .identifiers import parts
from .results import Span

TOKENIZER_VERSION = 2
"""Raised whenever the same text would give other words; the index is then built again."""

# The ideographs, kana, hangul and their marks as NFKC leaves them, by block; all are letters to FTS5 as well.
CJK = (
    "\u1100-\u11ff\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3041-\u3096\u309d-\u309f\u30a1-\u30fa"
    "\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f"
    "\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\U00020000-\U000323af"
)
# Characters that NFKC leaves as they are, whatever stands before them; the others, with what stands before.
_STEADY = "\x00-\x7f\xc0-\xff\u3001-\u3029\u3041-\u3096\u30a1-\u30fa\u30fc-\u30fe\u4e00-\u9fff\uac00-\ud7a3"

STOP_WORDS = frozenset(
    """
    a about after all also am an and any are as at be because been being but by can could did do does doing for from
    had has have having he her him his how i if in into is it its just me might must my no nor not of on or our out
    please regarding shall she should so some than that the their them then there these they this those to too us
    was we were what when where whether which while who whom whose why will with would you your
    """.split()
)
"""Words that a question holds and its answer need not; left out of queries that have other words."""


# Sets as large as these take milliseconds to compile, and who writes English never needs them.


@cache
def _run() -> re.Pattern[str]:
    return re.compile(f"[{CJK}]+")


@cache
def _piece() -> re.Pattern[str]:
    return re.compile(f"([{CJK}]+)|[^{CJK}]+")


@cache
def _unsteady() -> re.Pattern[str]:
    return re.compile(f".?[^{_STEADY}]+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Token:
    """A word as the index has it, and where it stands in the text."""

    text: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Needle:
    """Something to highlight: tokens that follow each other, the last one open-ended with `prefix`."""

    tokens: tuple[str, ...]
    prefix: bool = False


def has_cjk(text: str) -> bool:
    """Whether any part of `text` is cut into bigrams."""
    return not text.isascii() and _run().search(unicodedata.normalize("NFKC", text)) is not None


def segment(text: str) -> str:
    """`text` as it is handed to FTS5 for indexing."""
    if text.isascii():
        return text
    return _run().sub(lambda run: f" {' '.join(_bigrams(run[0], last=True))} ", unicodedata.normalize("NFKC", text))


def phrase(word: str) -> tuple[str, bool]:
    """What to quote in an FTS5 query so that `word` is found as a substring, and whether its end is open.

    An ideograph on its own, or after letters, matches as the beginning of a bigram; letters that end a mixed word match
    as a beginning too. Signs on either end count for nothing.
    """
    if word.isascii():
        return word, False
    pieces = [
        piece for piece in _piece().finditer(unicodedata.normalize("NFKC", word)) if piece[1] or _words(piece[0])
    ]  # fmt: skip
    parts: list[str] = []
    for piece in pieces:
        run = piece[1]
        parts += _bigrams(run, last=piece is not pieces[-1] or len(run) == 1) if run else [piece[0]]
    open_end = bool(pieces) and (len(pieces[-1][1]) == 1 if pieces[-1][1] else len(pieces) > 1)
    return " ".join(parts), open_end


def bag(word: str) -> list[str]:
    """The bigrams of the CJK runs in `word` and the words around them, each to be found on its own."""
    text = unicodedata.normalize("NFKC", word)
    found: list[str] = []
    for piece in _piece().finditer(text):
        found += _bigrams(piece[0], last=len(piece[0]) == 1) if piece[1] else piece[0].split()
    return list(dict.fromkeys(found))


def tokenize(text: str) -> list[Token]:
    """The tokens of `text` in order, with their places in code points."""
    if text.isascii():
        return [Token(word, start, stop) for start, stop, word in _words(text)]
    folded, starts, stops = _fold(text)
    tokens: list[Token] = []
    for piece in _piece().finditer(folded):
        at, end = piece.span()
        if piece[1]:
            found = [(i, i + 2, folded[i : i + 2]) for i in range(at, end - 1)]
            found.append((end - 1, end, folded[end - 1]))
        else:
            found = [(at + start, at + stop, word) for start, stop, word in _words(piece[0])]
        tokens += [Token(word, starts[start], stops[stop - 1]) for start, stop, word in found]
    return tokens


@lru_cache(1024)
def needle(word: str, *, prefix: bool = False) -> Needle | None:
    """What to highlight for a query's `word`; None when it holds nothing that the index knows as a word."""
    text, open_end = phrase(word)
    tokens = tuple(word for _, _, word in _words(text))
    return Needle(tokens, prefix or open_end) if tokens else None


def find(text: str, needles: Iterable[Needle]) -> list[Span]:
    """Where `needles` stand in `text`, in order, overlapping and touching ones joined; within identifiers too."""
    wanted = list(needles)
    found = spans_in(tokenize(text), wanted)
    for name in parts(text):
        words = [Token(word, start, stop) for start, stop in name for _, _, word in _words(text[start:stop])]
        found += spans_in(words, wanted)
    return join(found)


def spans_in(tokens: Sequence[Token], needles: Iterable[Needle]) -> list[Span]:
    """Like `find`, over the tokens of the text."""
    by_first: dict[str, list[int]] = {}
    for i, token in enumerate(tokens):
        by_first.setdefault(token.text, []).append(i)
    found: list[Span] = []
    for each in needles:
        first, rest = each.tokens[0], each.tokens[1:]
        if not rest and each.prefix:
            starts = [i for i, token in enumerate(tokens) if token.text.startswith(first)]
        else:
            starts = by_first.get(first, [])
        found += [
            (tokens[i].start, _stop(tokens, i + len(rest), each.tokens[-1]))
            for i in starts
            if _follows(tokens, i, each)
        ]
    return join(found)


def join(spans: Iterable[Span]) -> list[Span]:
    """Spans in order, with those that overlap or touch made one."""
    joined: list[Span] = []
    for start, stop in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(stop, joined[-1][1]))
        else:
            joined.append((start, stop))
    return joined


def _follows(tokens: Sequence[Token], at: int, wanted: Needle) -> bool:
    last = len(wanted.tokens) - 1
    if at + last >= len(tokens):
        return False
    for k, word in enumerate(wanted.tokens):
        have = tokens[at + k].text
        if not (have.startswith(word) if wanted.prefix and k == last else have == word):
            return False
    return True


def _stop(tokens: Sequence[Token], at: int, word: str) -> int:
    """Where the match of `word` with a token ends: of a bigram that it only begins, after the first character."""
    token = tokens[at]
    if len(word) == 1 and len(token.text) == 2 and _run().fullmatch(word) and tokens[at + 1].start > token.start:
        return tokens[at + 1].start
    return token.stop


def _bigrams(run: str, *, last: bool) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] + ([run[-1]] if last else [])


def _fold(text: str) -> tuple[str, Sequence[int], Sequence[int]]:
    """NFKC of `text`, and for each of its characters where that which it was made of begins and ends in `text`."""
    if unicodedata.is_normalized("NFKC", text):
        return text, range(len(text)), range(1, len(text) + 1)
    folded: list[str] = []
    starts: list[int] = []
    stops: list[int] = []
    done = 0
    for start, stop in [*map(re.Match[str].span, _unsteady().finditer(text)), (len(text), len(text))]:
        folded.append(text[done:start])
        starts += range(done, start)
        stops += range(done + 1, start + 1)
        for first, after in _clusters(text, start, stop):
            new = unicodedata.normalize("NFKC", text[first:after])
            folded.append(new)
            starts += [first] * len(new)
            stops += [after] * len(new)
        done = stop
    return "".join(folded), starts, stops


def _clusters(text: str, start: int, stop: int) -> Iterator[Span]:
    """The stretches of text that NFKC changes each on its own."""
    first = start
    for i in range(start + 1, stop):
        if not _joins(text[first:i], text[i]):
            yield first, i
            first = i
    if stop > first:
        yield first, stop


def _joins(before: str, character: str) -> bool:
    """Whether NFKC may make one of a character and those before it."""
    if unicodedata.combining(unicodedata.normalize("NFKD", character)[0]):
        return True
    apart = unicodedata.normalize("NFKC", before) + unicodedata.normalize("NFKC", character)
    return unicodedata.normalize("NFKC", before + character) != apart


# Endings that may still follow what was typed so far and that porter takes off again, with some of what was typed.
_ENDINGS = """
    n on ion tion g ng ing s es d ed e y ly r er t nt ent ment l ul ful ty ity lity ss ess us m ve ive tive ble pe
""".split()
_UNFINISHED = re.compile(r"[A-Za-z]{4,}\Z")


@lru_cache(128)
def finished(word: str) -> tuple[str, ...]:
    """What an unfinished English `word` may become that its own stem is no beginning of, one word a stem."""
    begun = needle(word) if _UNFINISHED.search(word) else None
    if begun is None:
        return ()
    whole: dict[str, str] = {}
    for ending in _ENDINGS:
        made = needle(word + ending)
        if made and not made.tokens[-1].startswith(begun.tokens[-1]):
            whole.setdefault(made.tokens[-1], word + ending)
    return tuple(whole.values())


_local = threading.local()


def _words(text: str) -> list[tuple[int, int, str]]:
    """FTS5's tokens of a text without CJK runs, with their places in code points."""
    tokenizer: Any = getattr(_local, "tokenizer", None)
    if tokenizer is None:
        _local.database = Database(None)
        tokenizer = _local.tokenizer = _local.database.tokenizer("porter", ["unicode61", "remove_diacritics", "2"])
    raw = text.encode("utf-8", "replace")
    found = cast(
        list[tuple[int, int, str]],
        tokenizer(raw, FTS5_TOKENIZE_DOCUMENT, None, include_colocated=False),
    )
    if len(raw) == len(text):
        return found
    places, at = [0] * (len(raw) + 1), 0
    for i, character in enumerate(text):
        places[at] = i
        at += len(character.encode("utf-8", "replace"))
    places[at] = len(text)
    return [(places[start], places[stop], word) for start, stop, word in found]
