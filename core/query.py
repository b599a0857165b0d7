"""What a person typed → Query: `codex "flaky test" -docs source:codex after:7d`. Pure; nothing typed ever raises."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from .asking import asked_about, asks
from .clean import clean_line
from .query_times import part
from .term import Term, Unit, any_of, with_days
from .tokens import STOP_WORDS, Needle, needle
from .when import parse as parse_time

MOST_CHARACTERS, MOST_TERMS = 512, 32

FILTERS = ("source", "project", "role", "model", "branch", "title", "session", "kind", "before", "after", "on", "has")
TIMES = ("before", "after", "on")
ALLOWED = {
    "role": ("user", "assistant", "tool", "memory"),
    "kind": ("main", "subagent", "automated", "memory"),
    "has": ("code",),
}
# A filter may still lack its value; `--amend` is a word. Input methods type curly quotes and wide colons.
_PART = re.compile(
    rf"""(?P<minus>-(?!-))?(?:(?P<key>{"|".join(FILTERS)})[:：])?
    (?:["“”](?P<quoted>[^"“”]*)(?:["“”]|\Z)|(?P<word>[^\s"“”]+)|(?(key)|(?!)))""",
    re.IGNORECASE | re.VERBOSE,
)
_CONTRACTION = re.compile(r"(?:n['’]t|['’](?:s|d|m|ll|re|ve))\Z")
_SENTENCE_WORDS = 6
"""So many words are a sentence even without a question mark."""


@dataclass(frozen=True, slots=True)
class Filter:
    """`key:value,value` or its negation; for times `period` says what was meant."""

    key: str
    values: tuple[str, ...]
    negated: bool
    start: int
    stop: int
    since: int | None = None
    until: int | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """A part of the query that was not understood and is ignored; underlined, with its reason."""

    start: int
    stop: int
    message: str


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for. Each group of `wanted` is a choice: any of its terms will do."""

    text: str
    wanted: tuple[tuple[Term, ...], ...] = ()
    unwanted: tuple[Term, ...] = ()
    filters: tuple[Filter, ...] = ()
    problems: tuple[Problem, ...] = ()
    sentence: bool = False
    """Any of the words will do, fuller matches first."""
    timed: tuple[Term, ...] = ()
    """Words that name a time: good to find, but not wanted."""
    times: tuple[tuple[int, int], ...] = ()
    """Stretches of UTC milliseconds that its words name; matches from then come first."""

    def is_empty(self) -> bool:
        """Whether there is nothing to look for but perhaps something to filter by."""
        return not self.wanted

    def all_of_it(self) -> str:
        """The FTS5 expression for chunks with every wanted term."""
        groups = [any_of([term.expression() for term in group]) for group in self.wanted]
        return self._without_unwanted(" AND ".join(groups))

    def any_of_it(self) -> str:
        """The FTS5 expression for chunks with any unit of what is wanted; its first phrases are those of `units`."""
        return self.any_of(self.units())

    def any_of(self, units: Sequence[Unit]) -> str:
        """The FTS5 expression for chunks with any of these."""
        return self._without_unwanted(any_of([unit.expression() for unit in units]))

    def units(self) -> list[Unit]:
        """Everything wanted, in its smallest parts."""
        terms = [*(term for group in self.wanted for term in group), *self.timed]
        return with_days([unit for term in terms for unit in term.units()])

    def needles(self, *, loose: bool = False) -> list[Needle]:
        """What to highlight."""
        terms = [*(term for group in self.wanted for term in group), *(self.timed if loose else ())]
        return [found for term in terms for found in term.needles(loose=loose)]

    def _without_unwanted(self, wanted: str) -> str:
        if not self.unwanted:
            return wanted
        return f"({wanted}) NOT {any_of([term.expression() for term in self.unwanted])}"


def parse(text: str, now: datetime, *, typing: bool = False) -> Query:
    """Read a query. While `typing`, the last word may be unfinished: it matches as a beginning, one letter not yet."""
    problems: list[Problem] = []
    if len(text) > MOST_CHARACTERS:
        problems.append(Problem(MOST_CHARACTERS, len(text), f"only the first {MOST_CHARACTERS} characters count"))
        text = text[:MOST_CHARACTERS]
    groups: list[list[Term]] = []
    unwanted: list[Term] = []
    filters: list[Filter] = []
    joined = False
    for match in _PART.finditer(text):
        key, word, start, stop = (match["key"] or "").lower(), match["word"], match.start(), match.end()
        quoted = match["quoted"] is not None
        value = match["quoted"] or word or ""
        if key:
            made = _filter(key, [value] if quoted else value.split(","), bool(match["minus"]), (start, stop), now)
            (filters if isinstance(made, Filter) else problems).append(made)  # pyright: ignore[reportArgumentType]
            joined = False
            continue
        if word == "OR" and not match["minus"] and groups:
            joined = True
            continue
        starred = not quoted and len(value) > 1 and value.endswith("*")
        plain = clean_line(value.rstrip("*") if starred else value, MOST_CHARACTERS)
        last = typing and not quoted and stop == len(text)
        if needle(plain) is None or (last and len(plain) == 1 and plain.isascii()):
            continue
        # While it is typed, `-do` would hide whatever has `docs` or `done`.
        unfinished = last and not match["minus"]
        if sum(map(len, groups)) + len(unwanted) >= MOST_TERMS:
            problems.append(Problem(start, len(text), f"only the first {MOST_TERMS} words count"))
            break
        term = Term(plain, start, stop, quoted, starred or unfinished)
        if match["minus"]:
            unwanted.append(term)
        elif joined:
            groups[-1].append(term)
        else:
            groups.append([term])
        joined = False
    parted = part(text, groups, now)
    return Query(
        text=text,
        wanted=_without_stop_words(parted.groups),
        unwanted=tuple(unwanted),
        filters=tuple(filters),
        problems=tuple(problems),
        sentence=_is_sentence(text, groups),
        timed=tuple(term for term in parted.timed if not _is_stop_word(term)),
        times=parted.times,
    )


def _without_stop_words(groups: Sequence[Sequence[Term]]) -> tuple[tuple[Term, ...], ...]:
    telling = tuple(tuple(group) for group in groups if len(group) > 1 or not _is_stop_word(group[0]))
    return telling or tuple(tuple(group) for group in groups)


def _is_stop_word(term: Term) -> bool:
    if term.quoted:
        return False
    return _CONTRACTION.sub("", term.text.lower().strip("?!.,;:")) in STOP_WORDS or not asked_about(term.text)


def _is_sentence(text: str, groups: Sequence[Sequence[Term]]) -> bool:
    if any(term.quoted for group in groups for term in group) or any(len(group) > 1 for group in groups):
        return False
    stop_words = sum(_is_stop_word(group[0]) for group in groups)
    words = sum(_length(group[0].text) for group in groups)
    asked = text.rstrip().endswith(("?", "？")) or asks(text)
    return len(groups) >= _SENTENCE_WORDS or (words >= 3 and (asked or stop_words >= 2))


def _length(text: str) -> float:
    """How many words a term is about: two ideographs make one, Korean sets its words apart by itself."""
    return 1 if text.isascii() else max(1, len(_ideographs().findall(text)) / 2)


@cache
def _ideographs() -> re.Pattern[str]:
    return re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


def _filter(key: str, given: Sequence[str], negated: bool, place: tuple[int, int], now: datetime) -> Filter | Problem:
    values = tuple(value for each in given if (value := clean_line(each)))
    if not values:
        return Problem(*place, f"{key}: wants a value")
    if key in TIMES:
        period = parse_time(values[0], now) if len(values) == 1 else None
        if period is None:
            return Problem(
                *place, f'"{",".join(values)}" is not a time: try 7d, 2026-03-01, yesterday, "last week", 上周'
            )
        since, until = {
            "after": (period.start, None),
            "before": (None, period.start),
            "on": (period.start, period.stop),
        }[key]
        return Filter(key, values, negated, *place, since, until)
    allowed = ALLOWED.get(key)
    if allowed and (wrong := [each for each in values if each.lower() not in allowed]):
        return Problem(*place, f"{key}:{wrong[0]} is unknown; there are {', '.join(allowed)}")
    return Filter(key, values, negated, *place)
