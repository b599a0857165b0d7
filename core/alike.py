"""Near-identical texts among the best: the first two keep their place, the others follow behind what is different."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .tokens import segment

LOOKED_AT = 40
"""So many of the best are compared: what a page shows, twice."""
ALLOWED = 2
ALIKE = 0.85
"""Two texts are alike with so great a share of all their words in common; digits count as equal."""
_DIGITS = re.compile(r"\d+")
_EXCERPT = 1_000
"""Characters that are compared."""


def spread(texts: Sequence[str]) -> list[int]:
    """The numbers of the texts in a new order, in which no more than two alike ones come before all others."""
    kinds: list[tuple[frozenset[str], int]] = []
    places: list[tuple[bool, int]] = []
    for number, text in enumerate(texts):
        words = frozenset(_DIGITS.sub("0", segment(text[:_EXCERPT]).lower()).split())
        at = next((i for i, (other, _) in enumerate(kinds) if _alike(words, other)), None)
        if at is None:
            kinds.append((words, 1))
            places.append((False, number))
        else:
            kinds[at] = (kinds[at][0], kinds[at][1] + 1)
            places.append((kinds[at][1] > ALLOWED, number))
    return [number for _, number in sorted(places)]


def _alike(words: frozenset[str], other: frozenset[str]) -> bool:
    smaller, greater = sorted((len(words), len(other)))
    if smaller < ALIKE * greater:
        return False
    common = len(words & other)
    return common >= ALIKE * (smaller + greater - common)
