"""Times among the words of a query: they raise what is from then; the other words are looked for without them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache

from .clean import clean_line
from .term import Term
from .tokens import has_cjk, needle
from .when import Mention, mentions

BEFORE, AFTER = 86_400_000, 7 * 86_400_000
"""Milliseconds around a named time in which an answer still lies: people speak of a thing soon after it was."""
_PARTICLES = "的の에는은을를가、，。にはでと"
"""What joins a time to the words beside it."""

_SLIP_PRONE = """
    yesterday tomorrow weekend monday tuesday wednesday thursday friday saturday sunday
    january february august september october november december
""".split()
_WORD = re.compile(r"[a-z]{5,}", re.IGNORECASE)

Groups = Sequence[Sequence[Term]]


@dataclass(frozen=True, slots=True)
class Parted:
    """The words of a query, those that name a time apart."""

    groups: tuple[tuple[Term, ...], ...]
    timed: tuple[Term, ...] = ()
    """Words of times: good to find, but not wanted."""
    times: tuple[tuple[int, int], ...] = ()
    """UTC milliseconds, end exclusive."""


def part(text: str, groups: Groups, now: datetime) -> Parted:
    """Where a query is nothing but a time, its words are wanted all the same."""
    if not groups:
        return Parted(())
    plain = [group[0] for group in groups if len(group) == 1 and not group[0].quoted]
    named = [each for each in _mentions(text, now) if _is_of(each, text, plain)]
    times = tuple((each.period.start - BEFORE, each.period.stop + AFTER) for each in named)
    kept: list[tuple[Term, ...]] = []
    timed: list[Term] = []
    for group in groups:
        inside = [each for each in named if each.start < group[0].stop and each.stop > group[0].start]
        if not inside or group[0] not in plain:
            kept.append(tuple(group))
            continue
        kept += ((piece,) for piece in _pieces(text, group[0], inside))
        timed += _named(text, group[0], inside)
    return Parted(tuple(kept), tuple(timed), times) if kept else Parted(tuple(map(tuple, groups)), (), times)


def _mentions(text: str, now: datetime) -> list[Mention]:
    """The times that a text names, with a slip of the fingers or without: `last tuseday`."""
    slips = [(match, meant) for match in _WORD.finditer(text) if (meant := _slips().get(match[0].lower()))]
    if not slips:
        return mentions(text, now)
    mended, places, done = "", list[int](), 0
    for match, meant in slips:
        mended += text[done : match.start()] + meant
        places += [*range(done, match.start()), *([match.start()] * len(meant))]
        done = match.end()
    mended += text[done:]
    places += range(done, len(text) + 1)
    return [replace(each, start=places[each.start], stop=places[each.stop]) for each in mentions(mended, now)]


@cache
def _slips() -> dict[str, str]:
    """Names of times with a letter after the first missing or doubled or two in the wrong order, and what is meant."""
    return {
        slip: word
        for word in _SLIP_PRONE
        for at in range(1, len(word))
        for slip in (
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
            word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :],
        )
        if slip not in _SLIP_PRONE
    }


def _is_of(mention: Mention, text: str, terms: Sequence[Term]) -> bool:
    """Whether a time is made of plain words alone, not of a phrase, a filter or a part of a longer word."""
    return all(
        text[at].isspace() or any(term.start <= at < term.stop for term in terms)
        for at in range(mention.start, mention.stop)
    )


def _pieces(text: str, term: Term, inside: Sequence[Mention]) -> list[Term]:
    """What is left of a word when the times in it are taken out: much, where words aren't set apart by blanks."""
    if not has_cjk(term.text):
        return []
    borders = [term.start, *(border for each in inside for border in (each.start, each.stop)), term.stop]
    return _cut_out(text, term, zip(borders[::2], borders[1::2], strict=True))


def _named(text: str, term: Term, inside: Sequence[Mention]) -> list[Term]:
    """The times themselves, without the words that they are written together with."""
    if not has_cjk(term.text):
        meant = _slips().get(term.text.lower().strip("?!.,;:"))
        return [replace(term, similar=(meant,)) if meant else term]
    return _cut_out(text, term, ((max(each.start, term.start), min(each.stop, term.stop)) for each in inside))


def _cut_out(text: str, term: Term, places: Iterable[tuple[int, int]]) -> list[Term]:
    pieces: list[Term] = []
    for start, stop in places:
        raw = text[start:stop].strip(_PARTICLES) if stop > start else ""
        if raw and needle(piece := clean_line(raw, len(raw))):
            at = text.index(raw, start)
            pieces.append(replace(term, text=piece, start=at, stop=at + len(raw)))
    return pieces
