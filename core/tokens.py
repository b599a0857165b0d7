"""What is a word: the same for indexing, for querying and for highlighting.

Runs of Han, Kana and Hangul become overlapping bigrams and their last character, so that every substring of one or more
characters is found; everything else is left to FTS5's own `porter unicode61 remove_diacritics 2`.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from .database import FTS5_TOKENIZE_DOCUMENT, Database
from .model import Span

TOKENIZER_VERSION = 1
"""Raised whenever the same text would give other words; the index is then built again."""

# The ideographs, kana, hangul and their marks, by block.
CJK = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3041-\u3096\u309d-\u309f\u30a1-\u30fa"
    "\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f"
    "\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\U00020000-\U000323af"
)
_RUN = re.compile(f"[{CJK}]+")
_PIECE = re.compile(f"([{CJK}]+)|[^{CJK}]+")

STOP_WORDS = frozenset(
    """
    a about after all also an and any are as at be because been but by can could did do does doing for from had has have
    he her him his how i if in into is it its just me my no nor not of on or our out she should so some than that the
    their them then there these they this those to too us was we were what when where which while who why will with
    would you your
    """.split()
)
"""Words that a question holds and its answer need not; left out of queries that have other words."""


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
    return not text.isascii() and _RUN.search(unicodedata.normalize("NFKC", text)) is not None


def segment(text: str) -> str:
    """`text` as it is handed to FTS5 for indexing."""
    if text.isascii():
        return text
    return _RUN.sub(lambda run: f" {' '.join(_bigrams(run[0], last=True))} ", unicodedata.normalize("NFKC", text))


def phrase(word: str) -> tuple[str, bool]:
    """What to quote in an FTS5 query so that `word` is found as a substring, and whether its end is open.

    A single ideograph matches as the beginning of a bigram; letters that end a mixed word match as a beginning too.
    """
    if word.isascii():
        return word, False
    text = unicodedata.normalize("NFKC", word)
    parts: list[str] = []
    for piece in _PIECE.finditer(text):
        ends = piece.end() == len(text)
        parts += _bigrams(piece[0], last=not ends or len(piece[0]) == 1) if piece[1] else [piece[0]]
    single = _RUN.fullmatch(text) is not None and len(text) == 1
    mixed = len(parts) > 1 and _RUN.search(text) is not None and _RUN.search(text[-1]) is None
    return " ".join(parts), single or mixed


def bag(word: str) -> list[str]:
    """The bigrams of the CJK runs in `word` and the words around them, each to be found on its own."""
    text = unicodedata.normalize("NFKC", word)
    found: list[str] = []
    for piece in _PIECE.finditer(text):
        found += _bigrams(piece[0], last=len(piece[0]) == 1) if piece[1] else piece[0].split()
    return list(dict.fromkeys(found))


def tokenize(text: str) -> list[Token]:
    """The tokens of `text` in order, with their places in code points."""
    if text.isascii():
        return [Token(word, start, stop) for start, stop, word in _words(text)]
    tokens: list[Token] = []
    for piece in _PIECE.finditer(text):
        begin, part = piece.start(), piece[0]
        folded, places = _fold(part)
        for inner in _PIECE.finditer(folded):
            at = inner.start()
            if inner[1]:
                spans = [(at + i, at + i + 2) for i in range(len(inner[0]) - 1)] + [(inner.end() - 1, inner.end())]
                found = [(start, stop, folded[start:stop]) for start, stop in spans]
            else:
                found = [(at + start, at + stop, word) for start, stop, word in _words(inner[0])]
            tokens += [Token(word, begin + places[start], begin + places[stop - 1] + 1) for start, stop, word in found]
    return tokens


def needle(word: str, *, prefix: bool = False) -> Needle | None:
    """What to highlight for a query's `word`; None when it holds nothing that the index knows as a word."""
    text, open_end = phrase(word)
    tokens = tuple(word for _, _, word in _words(text))
    return Needle(tokens, prefix or open_end) if tokens else None


def find(text: str, needles: Iterable[Needle]) -> list[Span]:
    """Where `needles` stand in `text`, in order, overlapping and touching ones joined."""
    return spans_in(tokenize(text), needles)


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
        one = 1 if len(first) == 1 and not rest and _RUN.fullmatch(first) else None
        for i in starts:
            if _follows(tokens, i, each):
                start = tokens[i].start
                found.append((start, start + one if one else tokens[i + len(rest)].stop))
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


def _bigrams(run: str, *, last: bool) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] + ([run[-1]] if last else [])


def _fold(text: str) -> tuple[str, Sequence[int]]:
    """NFKC of `text` character by character, and for each character of the outcome the place it came from."""
    if text.isascii() or unicodedata.is_normalized("NFKC", text):
        return text, range(len(text))
    folded: list[str] = []
    places: list[int] = []
    for i, character in enumerate(text):
        new = unicodedata.normalize("NFKC", character)
        folded.append(new)
        places += [i] * len(new)
    return "".join(folded), places


# Endings that may still follow what was typed so far and that porter takes off again.
_ENDINGS = ("n", "on", "ion", "g", "ng", "ing", "s", "es", "d", "ed", "e", "y", "ly", "r", "er", "t", "nt", "ment")


def stems_ahead(word: str) -> list[str]:
    """The stems that an unfinished English `word` may get, where the index's stem is shorter than what was typed."""
    if len(word) < 4 or not (word.isascii() and word.isalpha()):
        return []
    low = word.lower()
    stems = {stem for ending in ("", *_ENDINGS) for _, _, stem in _words(low + ending)}
    return sorted(stem for stem in stems if not stem.startswith(low))


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
