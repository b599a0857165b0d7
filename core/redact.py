"""Masks secrets in text: `redact` sees the whole cleaned message before anything is cut, stored or shown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import NamedTuple

from ahocorasick_rs import AhoCorasick

from .redact_fields import FIELD_ANCHORS, LONGEST_JUDGED, field_at, is_placeholder
from .redact_rules import TOKEN_RULES

REDACTION_VERSION = 1
"""Raised whenever the rules change, so that stored text is redacted again."""

_MARK = re.compile(r"\[redacted:[a-z0-9\-]{1,40}\]", re.ASCII)
_ROUNDS = 6
_LONGEST_KEY = 20_000
_ARMOUR = "-----BEGIN "
_ANCHORS = (*(rule.anchor for rule in TOKEN_RULES), _ARMOUR)
_COLOUR = re.compile(r"\[[0-9;]{0,12}\Z", re.ASCII)
# Base64 of a digest or a file: a prefix within it is chance.
_IN_BLOB = re.compile(r"sha(?:1|256|384|512)[-=:][A-Za-z0-9+/_\-]{0,88}\Z|[A-Za-z0-9+/]{64}[+/]\Z", re.ASCII)
_HEX_DIGITS = frozenset("0123456789abcdefABCDEF")
_KEY_LABEL = re.compile(r"(?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----", re.ASCII)
_KEY_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?(?:-----)?", re.ASCII)
_KEY_MATERIAL = re.compile(r"[A-Za-z0-9+/=]{16}", re.ASCII)
# Between two lines of a key that lost its end: line breaks, real or escaped, quotes, diff signs and line numbers.
_KEY_GAP = r"(?:\s|\\{1,7}[nrt]|[\"'+>|,\\→]|\d{1,6}(?=[\t|→:])|(?<=\d):){0,60}+"
_NO_WORD = r"(?=[a-z]{0,15}[A-Z0-9+/=][a-z]{0,15}[A-Z0-9+/=])"
_KEY_REST = re.compile(
    rf"(?:{_KEY_GAP}(?:[A-Za-z0-9+/=]{{16,}}+|(?:Proc-Type|DEK-Info|Version|Comment): ?[^\n\\]{{0,200}}+))*+"
    # A line that breaks off is part of the key when nothing but its quote or end follows, or when it is no word.
    rf"(?:{_KEY_GAP}(?:[A-Za-z0-9+/=]{{1,15}}+(?=\W*\Z|[\"'\\])|{_NO_WORD}[A-Za-z0-9+/=]{{2,15}}+(?=[ \t]*\n)))?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Redacted:
    """Text without the secrets that were found in it, and how many there were of each kind."""

    text: str
    counts: dict[str, int]


class _Span(NamedTuple):
    start: int
    end: int
    kind: str


def redact(text: str) -> Redacted:
    """`text` with each secret replaced by `[redacted:<kind>]`; the same object when there is none.

    Applying it twice changes nothing more. Time is proportional to the length of `text`.
    """
    counts: Counter[str] = Counter()
    # What stands beside a mark can show as a secret only now, so a masked text is read again until nothing is found.
    for _ in range(_ROUNDS):
        spans = _find(text)
        if not spans:
            return Redacted(text, dict(counts))
        counts.update(span.kind for span in spans)
        text = _mask(text, spans)
    # Only text made to defeat redaction gets here; none of it is kept.
    return Redacted("[redacted:message]", {"message": 1})


def _mask(text: str, spans: list[_Span]) -> str:
    parts: list[str] = []
    done = 0
    for span in spans:
        parts += (text[done : span.start], f"[redacted:{span.kind}]")
        done = span.end
    parts.append(text[done:])
    return "".join(parts)


def _find(text: str) -> list[_Span]:
    """The secrets of `text` in order, apart from each other and from the marks that are already there."""
    # The dotted capital I is the one letter whose lower case is longer.
    lowered = text.replace("\u0130", "i").lower()
    tokens = _tokens_automaton().find_matches_as_indexes(text, overlapping=True)
    fields = _fields_automaton().find_matches_as_indexes(lowered, overlapping=True)
    if not tokens and not fields:
        return []
    spans = _scan(text, tokens, _token_at)
    spans += _scan(text, fields, _field_at)
    if not spans:
        return []
    merged = _merge(spans)
    return list(_outside_marks(text, merged)) if "[redacted:" in text else merged


def _scan(
    text: str, hits: list[tuple[int, int, int]], look: Callable[[str, int, int, int, bool], _Span | None]
) -> list[_Span]:
    """What `look` sees at each `(anchor, start, end)`, from left to right; anchors inside a secret are passed over."""
    marked = "[redacted:" in text
    spans: list[_Span] = []
    covered = 0
    # Hits come by their end: from the back, and sorted by their start, the longest of those at one place is first.
    hits.reverse()
    hits.sort(key=itemgetter(1))
    for anchor, start, end in hits:
        if start < covered or (marked and _in_mark(text, start)):
            continue
        span = look(text, anchor, start, end, start == covered)
        if span is not None:
            covered = span.end
            if span.kind:
                spans.append(span)
    return spans


def _token_at(text: str, anchor: int, start: int, end: int, after_secret: bool) -> _Span | None:
    if anchor == len(TOKEN_RULES):
        return _key_block_at(text, start, end)
    rule = TOKEN_RULES[anchor]
    if rule.boundary and not after_secret and not _is_boundary(text, start):
        return None
    tail = _pattern(rule.tail).match(text, end)
    if tail is None:
        return None
    head = _pattern(f"(?:{rule.head})\\Z").search(text, max(0, start - 64), start) if rule.head else None
    if rule.head and head is None:
        return None
    if "secret" in tail.re.groupindex:
        begin, stop = tail.span("secret")
        shown = text[begin:stop]
    else:
        begin, stop = head.start() if head else start, tail.end()
        shown = text[end:stop]
    if rule.distinct and is_placeholder(shown, rule.distinct):
        # A long one is passed over as a whole: anchors within it would each read it to its end again.
        return _Span(begin, stop, "") if len(shown) > LONGEST_JUDGED else None
    if rule.boundary and _IN_BLOB.search(text, max(0, begin - 100), begin):
        return None
    return _Span(begin, stop, rule.kind)


def _field_at(text: str, _anchor: int, start: int, end: int, _after_secret: bool) -> _Span | None:
    field = field_at(text, start, end)
    return field and _Span(*field)


def _key_block_at(text: str, start: int, end: int) -> _Span | None:
    """A private key in armour from its first line to its last, or as far as the lines look like one."""
    label = _KEY_LABEL.match(text, end)
    if label is None:
        return None
    limit = min(len(text), label.end() + _LONGEST_KEY)
    another = text.find(_ARMOUR, label.end(), limit)
    limit = another if another >= 0 else limit
    closing = _KEY_END.search(text, label.end(), limit)
    rest = None if closing else _KEY_REST.match(text, label.end(), limit)
    stop = closing.end() if closing else rest.end() if rest else label.end()
    return _Span(start, stop, "private-key") if _KEY_MATERIAL.search(text, label.end(), stop) else None


def _is_boundary(text: str, at: int) -> bool:
    """Whether a token can begin at `at`: not within an ASCII word, save for an escape that only looks like one."""
    lead = text[max(0, at - 6) : at]
    before = lead[-1:]
    if not (before.isascii() and (before.isalnum() or before == "_")):
        return True
    if before == "m":
        return _COLOUR.search(text, max(0, at - 14), at - 1) is not None
    if before in "nrtfb" and lead[-2:-1] == "\\":
        return True
    if lead[-3:-2] == "%":
        return _HEX_DIGITS.issuperset(lead[-2:])
    return lead[:2] == "\\u" and _HEX_DIGITS.issuperset(lead[2:])


def _in_mark(text: str, at: int) -> bool:
    opening = text.rfind("[redacted:", max(0, at - 50), at + 1)
    mark = _MARK.match(text, opening) if opening >= 0 else None
    return mark is not None and mark.end() > at


def _merge(spans: list[_Span]) -> list[_Span]:
    """`spans` in order, overlapping ones made one under the name of the first in the list, tokens before fields."""
    names = {span: place for place, span in reversed(list(enumerate(spans)))}
    merged: list[_Span] = []
    best = 0
    for span in sorted(spans):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            kind = span.kind if names[span] < best else last.kind
            best = min(best, names[span])
            merged[-1] = _Span(last.start, max(last.end, span.end), kind)
        else:
            merged.append(span)
            best = names[span]
    return merged


def _outside_marks(text: str, spans: list[_Span]) -> Iterator[_Span]:
    for span in spans:
        start = span.start
        for mark in _MARK.finditer(text, span.start, span.end):
            if any(map(str.isalnum, text[start : mark.start()])):
                yield _Span(start, mark.start(), span.kind)
            start = mark.end()
        if any(map(str.isalnum, text[start : span.end])):
            yield _Span(start, span.end, span.kind)


@cache
def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(source, re.ASCII)


@cache
def _tokens_automaton() -> AhoCorasick:
    return AhoCorasick(_ANCHORS)


@cache
def _fields_automaton() -> AhoCorasick:
    return AhoCorasick(FIELD_ANCHORS)
