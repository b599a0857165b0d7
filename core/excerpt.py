"""The part of a text that shows best why it matched, on one line, with the stretches to highlight. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from .results import Excerpt, Span
from .tokens import Needle, find

WIDTH = 240
"""Characters of an excerpt, about."""
_LEAD = 4
"""A fourth of the window stands before the first match."""


def excerpt(text: str, needles: Sequence[Needle], loose: Sequence[Needle] = (), width: int = WIDTH) -> Excerpt:
    """The window of `text` with the most matches; `loose` is looked for where `needles` stand nowhere."""
    line = " ".join(text.split())
    spans = find(line, needles) or (find(line, loose) if loose else [])
    start = _window(spans, len(line), width)
    stop = min(len(line), start + width)
    if start:
        start = _word_start(line, start, spans)
        start = next((a for a, b in spans if a < start < b <= a + width // _LEAD), start)  # a match is shown whole
        stop = min(stop, start + width)
    if stop < len(line):
        stop = _word_end(line, start, stop, spans)
        first = next((b for a, b in spans if a >= start), stop)
        stop = next((a for a, b in spans if first <= a < stop < b), stop)
    head, tail = ("…" if start else ""), ("…" if stop < len(line) else "")
    shift = len(head) - start
    inside = tuple((max(a, start) + shift, min(b, stop) + shift) for a, b in spans if a < stop and b > start)
    return Excerpt(head + line[start:stop] + tail, inside)


def _window(spans: Sequence[Span], length: int, width: int) -> int:
    """Where a window of `width` begins that holds the most matched characters, the first such one."""
    if not spans or length <= width:
        return 0
    lead = width // _LEAD
    stops = [stop for _, stop in spans]
    sums = [0, *accumulate(stop - start for start, stop in spans)]
    best, most = 0, -1
    for i, (start, _) in enumerate(spans):
        inside = sums[max(i, bisect_right(stops, start - lead + width))] - sums[i]
        if inside > most:
            best, most = start, inside
    return max(0, min(best - lead, length - width))


def _word_start(line: str, start: int, spans: Sequence[Span]) -> int:
    """The next beginning of a word, if there is one before the first match."""
    first = next((a for a, b in spans if b > start), len(line))
    space = line.find(" ", start - 1, min(start + 20, first))
    return space + 1 if space >= 0 else start


def _word_end(line: str, start: int, stop: int, spans: Sequence[Span]) -> int:
    """The last end of a word, if there is one after the last match."""
    last = max((b for a, b in spans if a < stop), default=start)
    space = line.rfind(" ", max(stop - 20, min(last, stop)), stop + 1)
    return space if space > start else stop
