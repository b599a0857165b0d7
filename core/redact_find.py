"""Finds secrets in a text: at every literal of the rules a look at what stands there, never a scan."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from operator import itemgetter
from typing import NamedTuple

from ahocorasick_rs import AhoCorasick, Implementation

from .redact_armour import ARMOUR, key_ends_at
from .redact_fields import field_at
from .redact_names import FIELD_ANCHORS
from .redact_places import PLACES, Place
from .redact_rules import TOKEN_RULES, TokenRule
from .redact_unnamed import unnamed
from .redact_values import LONGEST_JUDGED, is_hex, is_placeholder, is_random

MARK = re.compile(r"\[redacted:[a-z0-9\-]{1,40}\]", re.ASCII)
_WORK = 8_000
_CHARACTERS_A_LOOK = 2
"""So many characters of text pay for one look, beyond what every text may take."""
_DEAR, _DEAR_LOOK = frozenset(":=>('\"`：＝是为為は는은"), 8
"""Before these a value may stand, and reading that takes longer than seeing that there is none."""
_COLOUR = re.compile(r"\[[0-9;]{0,12}\Z", re.ASCII)
# Base64 of a digest or a file: a prefix within it is chance.
_IN_BLOB = re.compile(
    r"sha(?:1|256|384|512)[-=:][A-Za-z0-9+/_\-]{0,88}\Z|(?P<before>[A-Za-z0-9+/]{24})[A-Za-z0-9+/]{0,64}[+/]\Z",
    re.ASCII,
)
_REST = re.compile(r"[A-Za-z0-9_\-]*", re.ASCII)
_PART = re.compile(r"[A-Za-z0-9]{8,}", re.ASCII)
_HEX_DIGITS = frozenset("0123456789abcdefABCDEF")


class Span(NamedTuple):
    """What is masked: `text[start:end]`, under which name."""

    start: int
    end: int
    kind: str


class TooMuch(Exception):
    """A text is made of hardly anything but the beginnings of secrets."""


class Own(NamedTuple):
    """What a person adds to the rules: tokens of their own, and values that are none though they look like some."""

    rules: tuple[TokenRule, ...] = ()
    allowed: tuple[str, ...] = ()


def find(text: str, own: Own = Own()) -> list[Span]:  # noqa: B008, frozen
    """The secrets of `text` in order, apart from each other and from the marks that are already there.

    Raises TooMuch.
    """
    # The dotted capital I is the one letter whose lower case is longer.
    lowered = text.replace("\u0130", "i").lower()
    spans = _scan(text, *_tokens(own.rules), text)
    spans += _scan(text, *_fields(), lowered)
    spans += [Span(*each) for each in unnamed(text)]
    if own.allowed:
        spans = [span for span in spans if text[span.start : span.end] not in own.allowed]
    if not spans:
        return []
    merged = _merge(spans)
    return list(_outside_marks(text, merged)) if "[redacted:" in text else merged


Look = Callable[[str, int, int, bool], "Span | None"]
"""What stands where an anchor has `text[start:end]`; the last argument says whether a secret ended right before."""


def _scan(text: str, anchors: AhoCorasick, looks: Sequence[Look], searched: str) -> list[Span]:
    """What the looks of anchors see, from left to right; anchors inside a secret are passed over.

    Raises TooMuch where there is a place to look at for every few characters, as in no text of a person's or program's.
    """
    marked = "[redacted:" in text
    spans: list[Span] = []
    covered = 0
    hits = anchors.find_matches_as_indexes(searched, overlapping=True)
    # Hits come by their end: from the back, and sorted by their start, the longest of those at one place is first.
    hits.reverse()
    hits.sort(key=itemgetter(1))
    left = _WORK + len(text) // _CHARACTERS_A_LOOK
    for anchor, start, end in hits:
        if start < covered or (marked and _in_mark(text, start)):
            continue
        left -= _DEAR_LOOK if text[end : end + 1] in _DEAR else 1
        if left < 0:
            raise TooMuch
        span = looks[anchor](text, start, end, start == covered)
        if span is not None:
            covered = span.end
            if span.kind:
                spans.append(span)
    return spans


def _token_look(rule: TokenRule) -> Look:
    def look(text: str, start: int, end: int, after_secret: bool) -> Span | None:
        if rule.boundary and not after_secret and not _is_boundary(text, start):
            return None
        tail = _pattern(rule.tail).match(text, end)
        if tail is None:
            return None
        if rule.random and not is_random(tail[0]):
            return None
        head = _pattern(f"(?:{rule.head})\\Z").search(text, max(0, start - 81), start) if rule.head else None
        if rule.head and head is None:
            return None
        begin, stop = head.start() if head else start, tail.end()
        shown = text[end:stop]
        if rule.distinct and is_placeholder(shown, rule.distinct):
            # A long one is passed over as a whole: anchors within it would each read it to its end again.
            return Span(begin, stop, "") if len(shown) > LONGEST_JUDGED else None
        if rule.random:
            stop = _REST.match(text, stop).end()  # type: ignore[union-attr]
        if rule.boundary and _is_in_blob(text, begin):
            return None
        return Span(begin, stop, rule.kind)

    return look


def _is_in_blob(text: str, at: int) -> bool:
    blob = _IN_BLOB.search(text, max(0, at - 100), at)
    return blob is not None and (blob["before"] is None or is_random(blob["before"]))


def _place_look(place: Place) -> Look:
    def look(text: str, _start: int, end: int, _after_secret: bool) -> Span | None:
        tail = _pattern(place.tail).match(text, end)
        if tail is None:
            return None
        begin, stop = next(tail.span(name) for name in tail.re.groupindex if tail[name] is not None)
        secret = text[begin:stop]
        if is_placeholder(secret, 3) or (place.random and not (is_hex(secret) or _has_random_part(secret))):
            return Span(begin, stop, "") if len(secret) > LONGEST_JUDGED else None
        return Span(begin, stop, place.kind)

    return look


def _has_random_part(text: str) -> bool:
    return any(is_random(part) for part in _PART.findall(text))


def _key_look(text: str, start: int, end: int, _after_secret: bool) -> Span | None:
    stop = key_ends_at(text, end)
    return Span(start, stop, "private-key") if stop else None


def _field_look(text: str, start: int, end: int, _after_secret: bool) -> Span | None:
    field = field_at(text, start, end)
    return field and Span(*field)


def _first_of(looks: Sequence[Look]) -> Look:
    def look(text: str, start: int, end: int, after_secret: bool) -> Span | None:
        return next((span for each in looks if (span := each(text, start, end, after_secret))), None)

    return looks[0] if len(looks) == 1 else look


@cache
def _tokens(own: tuple[TokenRule, ...]) -> tuple[AhoCorasick, list[Look]]:
    return _prepared([(ARMOUR, _key_look), *((rule.anchor, _token_look(rule)) for rule in (*own, *TOKEN_RULES))])


@cache
def _fields() -> tuple[AhoCorasick, list[Look]]:
    places = [(place.anchor, _place_look(place)) for place in PLACES]
    return _prepared([*((anchor, _field_look) for anchor in FIELD_ANCHORS), *places])


def _prepared(pairs: list[tuple[str, Look]]) -> tuple[AhoCorasick, list[Look]]:
    """An automaton for the anchors, and for each of them what looks there."""
    by_anchor: dict[str, list[Look]] = {}
    for anchor, look in pairs:
        by_anchor.setdefault(anchor, []).append(look)
    automaton = AhoCorasick(list(by_anchor), implementation=Implementation.DFA)
    return automaton, [_first_of(looks) for looks in by_anchor.values()]


def _is_boundary(text: str, at: int) -> bool:
    """Whether a token can begin at `at`: not within an ASCII word, save for an escape that only looks like one."""
    lead = text[max(0, at - 6) : at]
    before = lead[-1:]
    if not (before.isascii() and (before.isalnum() or before == "_")):
        return True
    if before == "_":  # emphasis, where no word stands before it
        word = lead.rstrip("_")[-1:]
        return not (word.isascii() and word.isalnum())
    if before == "m":
        return _COLOUR.search(text, max(0, at - 14), at - 1) is not None
    if before in "nrtfb" and lead[-2:-1] == "\\":
        return True
    if lead[-3:-2] == "%":
        return _HEX_DIGITS.issuperset(lead[-2:])
    return lead[:2] == "\\u" and _HEX_DIGITS.issuperset(lead[2:])


def _in_mark(text: str, at: int) -> bool:
    opening = text.rfind("[redacted:", max(0, at - 50), at + 1)
    mark = MARK.match(text, opening) if opening >= 0 else None
    return mark is not None and mark.end() > at


def _merge(spans: list[Span]) -> list[Span]:
    """`spans` in order, overlapping ones made one under the name of the first in the list, tokens before fields."""
    names = {span: place for place, span in reversed(list(enumerate(spans)))}
    merged: list[Span] = []
    best = 0
    for span in sorted(spans):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            kind = span.kind if names[span] < best else last.kind
            best = min(best, names[span])
            merged[-1] = Span(last.start, max(last.end, span.end), kind)
        else:
            merged.append(span)
            best = names[span]
    return merged


def _outside_marks(text: str, spans: list[Span]) -> Iterator[Span]:
    for span in spans:
        start = span.start
        for mark in MARK.finditer(text, span.start, span.end):
            if any(map(str.isalnum, text[start : mark.start()])):
                yield Span(start, mark.start(), span.kind)
            start = mark.end()
        if any(map(str.isalnum, text[start : span.end])):
            yield Span(start, span.end, span.kind)


@cache
def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(source, re.ASCII)
