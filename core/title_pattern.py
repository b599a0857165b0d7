"""Regular expressions that a person may type for titles: only those that can't take for ever on a line of text."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable

LONGEST = 200
"""Characters of the expression, and of the title that it sees."""
MOST_WAYS = 50_000
"""So many ways there may be for an expression to match from one place: two times `.*`, and some `?`."""

_TOKEN = re.compile(
    r"""(?P<class>\[\^?\]?(?:\\.|[^\]\\])*\])
      | (?P<reference>\\[1-9])
      | (?P<escape>\\.)
      | (?P<special>\(\?(?!:))
      | (?P<open>\((?:\?:)?)
      | (?P<close>\))
      | (?P<choice>\|)
      | (?P<repeat>[*+?]|\{(?!\})(?P<least>[0-9]*)(?:(?P<comma>,)(?P<most>[0-9]*))?\})[?+]?
      | (?P<plain>.)""",
    re.VERBOSE | re.DOTALL,
)


def title_pattern(text: str) -> Callable[[str], bool]:
    """Whether a title matches anywhere in its first characters, capital letters or not. Raises ValueError with why not.

    Refused is what makes Python's `re` slow: a repeat of a repeat or of a choice, references, and too many repeats.
    """
    if not text:
        raise ValueError("the expression is empty")
    if len(text) > LONGEST:
        raise ValueError(f"the expression is longer than {LONGEST} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about brackets in brackets, which mean what they say
            search = re.compile(text, re.IGNORECASE).search
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"not a regular expression: {error}") from error
    _check(text)
    return lambda title: search(title[:LONGEST]) is not None


class _Group:
    """What is known of an open group: the ways of its finished branches, those of the current one, of its last item."""

    def __init__(self) -> None:
        self.branches, self.ways, self.last = 0, 1, 1
        self.repeats = self.last_repeats = False
        """Whether it holds a repeat or a choice, and whether its last item does."""

    def add(self, ways: int, *, repeats: bool = False) -> None:
        self.ways, self.last, self.last_repeats = self.ways * ways, ways, repeats
        self.repeats |= repeats


def _check(text: str) -> None:
    groups = [_Group()]
    for token in _TOKEN.finditer(text):
        group = groups[-1]
        match token.lastgroup:
            case "reference":
                raise ValueError("a reference to another part is not allowed")
            case "special":
                raise ValueError("of all that begins with (? only (?: is allowed")
            case "open":
                groups.append(_Group())
            case "close":
                groups.pop()
                groups[-1].add(group.branches + group.ways, repeats=group.repeats)
            case "choice":
                group.branches, group.ways, group.last, group.repeats = group.branches + group.ways, 1, 1, True
            case "repeat":
                _repeat(group, *_bounds(token))
            case _:
                group.add(1)
        if sum(each.branches + each.ways for each in groups) > MOST_WAYS:
            raise ValueError("too many repeats: two times .* are allowed")


def _repeat(group: _Group, least: int, most: int) -> None:
    if most > 1 and group.last_repeats:
        raise ValueError("a repeat of a repeat, or of a choice, is not allowed")
    if max(least, most) > LONGEST:
        raise ValueError(f"a repeat of more than {LONGEST} times is not allowed")
    group.ways = group.ways // group.last
    group.add(most - least + group.last, repeats=True)


def _bounds(token: re.Match[str]) -> tuple[int, int]:
    """How often at least and at most; without end counts as LONGEST."""
    sign = token["repeat"][0]
    if sign != "{":
        return {"*": (0, LONGEST), "+": (1, LONGEST), "?": (0, 1)}[sign]
    least = int(token["least"] or 0)
    return least, int(token["most"] or LONGEST) if token["comma"] else least
