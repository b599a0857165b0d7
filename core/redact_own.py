"""What a person adds to the rules in config.toml: the shapes of tokens of their own, and values that are no secrets."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .redact_find import Own
from .redact_rules import TokenRule

MOST_REPEATS = 1_000
_LITERAL = r"[A-Za-z0-9_\-/:=@#%~ ]|\\[^A-Za-z0-9]"
_CLASS = r"\[(?:[^\[\]\\]|\\[dw\-\]\\])+\]|\\[dw]"
_REPEAT = r"\{(\d{1,4})(?:,(\d{0,4}))?\}"
_BEGINNING = re.compile(rf"(?:{_LITERAL})+(?!\{{)", re.ASCII)
_PART = re.compile(rf"(?:{_LITERAL}|{_CLASS})(?:{_REPEAT})?", re.ASCII)


class BadPattern(ValueError):
    """A pattern is not of the kind that can be looked for in any text without delay; the message says what is."""


def own(patterns: Iterable[str], allowed: Iterable[str]) -> Own:
    """Rules for these patterns, and the values that are never masked. Raises BadPattern."""
    return Own(tuple(map(_rule, patterns)), tuple(allowed))


def _rule(pattern: str) -> TokenRule:
    """A pattern begins with three or more letters, digits or signs as they are; sets of characters may follow."""
    beginning = _BEGINNING.match(pattern)
    anchor = re.sub(r"\\(.)", r"\1", beginning[0]) if beginning else ""
    if len(anchor) < 3:
        raise BadPattern(f"{pattern!r} must begin with three characters or more that always stand there, as in acme_")
    at = beginning.end() if beginning else 0
    while at < len(pattern):
        part = _PART.match(pattern, at)
        if part is None:
            raise BadPattern(f"{pattern!r}: not {pattern[at:]!r}; allowed is, for example, acme_[A-Za-z0-9]{{32}}")
        at = part.end()
        least, most = int(part[1] or 1), int(part[2] or 0)
        if max(least, most) > MOST_REPEATS or (part[2] and most < least):
            raise BadPattern(f"{pattern!r}: {part[0]!r} does not repeat up to {MOST_REPEATS:,} times")
        if part[2] == "" and at < len(pattern):
            raise BadPattern(f"{pattern!r}: only the last part may be without an upper bound")
    try:
        re.compile(pattern)
    except re.error as error:
        raise BadPattern(f"{pattern!r}: {error}") from error
    tail = pattern[beginning.end() :] if beginning else ""
    return TokenRule("own", anchor, tail, boundary=False, distinct=0)
