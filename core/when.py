"""Times in words → ranges of UTC milliseconds: dates, `7d`, yesterday, last week, 昨天下午, 上周, "vor drei Tagen".

Pure: `now` is passed in. Without a zone it is the system's own time, whose clock changes are then heeded.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from typing import TypeVar

from .when_cjk import CHINESE, JAPANESE, KOREAN
from .when_european import ENGLISH, FRENCH, GERMAN, SPANISH
from .when_language import DATE, DIGITS, YEAR, Language
from .when_meaning import Meaning, Period

T = TypeVar("T")

_ISO_DAY = re.compile(r"(\d{4})([-/.])(\d{1,2})(?:\2(\d{1,2}))?")
_ISO_IN_TEXT = re.compile(r"(?<![\d./-])20\d\d-\d{1,2}(?:-\d{1,2})?(?![\d./-])")
_SHORT = re.compile(rf"({DIGITS}) ?([hdwmy])( ago)?", re.IGNORECASE)
_SHORT_IN_TEXT = re.compile(r"(?<![\w./-])\d{1,3}[hdw](?: ago)?(?![\w-])")
_YEAR_ALONE = re.compile(r"(20\d\d)[年년]?")

LANGUAGES = (ENGLISH, CHINESE, JAPANESE, KOREAN, GERMAN, FRENCH, SPANISH)
"""The earlier one wins where two read the same words differently."""

SUNDAY_FIRST = frozenset("US CA MX BR JP KR TW HK IL IN ZA PH CO PE VE AR_SA".split())
"""Countries whose calendars begin the week on Sunday (Unicode CLDR, weekData)."""
SATURDAY_FIRST = frozenset("AE AF BH DJ DZ EG IQ IR JO KW LY OM QA SD SY".split())


@dataclass(frozen=True, slots=True)
class Mention:
    """A time that a text names in passing, and where: code points, end exclusive."""

    start: int
    stop: int
    period: Period


Clock = Callable[[], datetime]
"""Gives the time now."""


def local_now() -> datetime:
    """Now, in the system's own zone."""
    return datetime.now()  # noqa: DTZ005, the system's own zone is meant


def first_weekday(locale: str) -> int:
    """On what day a calendar begins its weeks under a locale such as `en_US.UTF-8`; 0 is Monday."""
    country = locale.partition(".")[0].partition("@")[0].rpartition("_")[2]
    return 6 if country in SUNDAY_FIRST else 5 if country in SATURDAY_FIRST else 0


def local_week() -> int:
    """The same for the locale of this process's environment."""
    return first_weekday(os.environ.get("LC_ALL") or os.environ.get("LC_TIME") or os.environ.get("LANG") or "")


def parse(text: str, now: datetime, week: int | None = None) -> Period | None:
    """The period that `text` names and nothing else; None when it names none.

    A length such as `7d` is the day so long ago up to now; a bare month or weekday is the latest one that has begun.
    Weeks begin on the day `week`, 0 for Monday; without it as the locale has it.
    """
    wanted = " ".join(text.split()).lower()
    meaning = Meaning(now, local_week() if week is None else week)
    try:
        if found := _iso(wanted, meaning) or _length(wanted, meaning):
            return found
        for language in LANGUAGES:
            for kind, pattern in _patterns(language):
                if (match := pattern.fullmatch(wanted)) and (found := meaning.read(kind, match, language)):
                    return found
    except (ValueError, OverflowError, OSError):
        pass
    return None


def prepare() -> None:
    """Compile the phrases of every language: the first who types need not wait for that."""
    for language in LANGUAGES:
        _patterns(language)


def mentions(text: str, now: datetime, week: int | None = None) -> list[Mention]:
    """The times that a text names in passing, in order; of those that overlap the longest."""
    meaning = Meaning(now, local_week() if week is None else week)
    found: list[tuple[int, int, Period]] = []
    for match, read in _candidates(text.lower(), meaning):
        try:
            if period := read():
                found.append((*match.span(), period))
        except (ValueError, OverflowError, OSError):
            continue
    found.sort(key=lambda each: (each[0] - each[1], each[0]))
    taken: list[Mention] = []
    for start, stop, period in found:
        if all(stop <= each.start or start >= each.stop for each in taken):
            taken.append(Mention(start, stop, period))
    return sorted(taken, key=lambda each: each.start)


def _candidates(text: str, meaning: Meaning) -> Iterator[tuple[re.Match[str], Callable[[], Period | None]]]:
    for match in _ISO_IN_TEXT.finditer(text):
        yield match, lambda found=match: _iso(found[0], meaning)
    for match in _SHORT_IN_TEXT.finditer(text):
        yield match, lambda found=match: _length(found[0], meaning)
    for language in LANGUAGES:
        if not language.spaced and text.isascii():
            continue
        for kind, pattern in _patterns(language):
            for match in pattern.finditer(text):
                if kind != "length" and match[0] not in language.risky and not match[0].isdigit():
                    yield match, lambda kind=kind, match=match, language=language: meaning.read(kind, match, language)


def _iso(text: str, meaning: Meaning) -> Period | None:
    if match := _ISO_DAY.fullmatch(text):
        year, month = int(match[1]), int(match[3])
        return meaning.days(date(year, month, int(match[4]))) if match[4] else meaning.month(year, month)
    if match := _YEAR_ALONE.fullmatch(text):
        return meaning.year(int(match[1]))
    return None


def _length(text: str, meaning: Meaning) -> Period | None:
    if not (match := _SHORT.fullmatch(text)):
        return None
    return meaning.ago(int(match[1]), match[2]) if match[3] else meaning.since(int(match[1]), match[2])


@cache
def _patterns(language: Language) -> list[tuple[str, re.Pattern[str]]]:
    """A language's phrases, ready to match; the longer words of each kind first, so that none hides another."""
    words = {
        "n": [DIGITS, *language.numbers],
        "unit": language.units,
        "day": language.days,
        "part": language.parts,
        "weekday": [form for forms in language.weekdays for form in forms],
        "month": [form for forms in language.months for form in forms],
        "year": [YEAR],
        "date": [DATE],
    }
    groups = {name: f"(?P<{name}>{'|'.join(sorted(each, key=len, reverse=True))})" for name, each in words.items()}
    edge = (r"(?<![^\W_])", r"(?![^\W_])") if language.spaced else (r"(?<!\d)", r"(?!\d)")
    return [
        (kind, re.compile(edge[0] + f"(?:{_filled(phrase, groups)})" + edge[1])) for kind, phrase in language.phrases
    ]


def _filled(phrase: str, groups: dict[str, str]) -> str:
    return re.sub(r"\{([a-z]+)\}", lambda name: groups[name[1]], phrase.replace(" ", r"\s+").replace(r"\s+?", " ?"))
