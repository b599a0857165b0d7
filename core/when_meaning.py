"""What each kind of phrase means at one moment: days, weeks and months as a calendar has them, in UTC milliseconds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TypeVar

from .when_language import Language

T = TypeVar("T")

_ROUGHLY = {"h": 1 / 24, "d": 1, "w": 7, "m": 30, "q": 91, "y": 365}
"""Days, about."""
_AROUND = {"h": 0, "d": 0, "w": 3, "m": 15, "q": 45, "y": 180}
"""Days on either side that "three weeks ago" leaves open."""


@dataclass(frozen=True, slots=True)
class Period:
    """From `start` up to `stop`, which is no longer in it; UTC milliseconds."""

    start: int
    stop: int


class Meaning:
    """What the kinds of phrases mean at one moment."""

    def __init__(self, now: datetime, week: int) -> None:
        self._now, self._today, self._week = now, now.date(), week

    def read(self, kind: str, match: re.Match[str], language: Language) -> Period | None:
        """Raises ValueError, OverflowError or OSError for a day that no calendar has."""
        words = match.groupdict()
        find = _Words(language, words)
        today = self._today
        match kind:
            case "day":
                return self.days(today - timedelta(days=find.day()))
            case "day part" | "this part":
                back = find.day() if words.get("day") else 0
                return self._part(today - timedelta(days=back), *find.part())
            case "this morning":
                return self._part(today, 0, 12)
            case "tonight":
                return self._part(today, 18, 29)
            case "last night":
                return self._part(today - timedelta(days=1), 18, 29)
            case "ago":
                return self.ago(find.number(), find.unit())
            case "since" | "length":
                return self.since(find.number(), find.unit())
            case "this" | "last" | "before last":
                return self._unit(find.unit(), ("this", "last", "before last").index(kind))
            case "this week" | "last week" | "before last week":
                return self._unit("w", ("this week", "last week", "before last week").index(kind))
            case "this month" | "last month of all" | "before last month":
                return self._unit("m", ("this month", "last month of all", "before last month").index(kind))
            case "this year" | "last year" | "before last year":
                return self._unit("y", ("this year", "last year", "before last year").index(kind))
            case "last weekend":
                saturday = today - timedelta(days=(today.weekday() - 5) % 7)
                return self.range(saturday, saturday + timedelta(days=2))
            case "weekday" | "last weekday" | "weekday part":
                back = (today.weekday() - find.weekday()) % 7
                day = today - timedelta(days=back or (7 if kind == "last weekday" else 0))
                return self._part(day, *find.part()) if kind == "weekday part" else self.days(day)
            case "weekday last week" | "weekday this week":
                monday = today - timedelta(days=today.weekday() + (7 if kind == "weekday last week" else 0))
                return self.days(monday + timedelta(days=find.weekday()))
            case "month" | "month last year" | "month this year" | "last month":
                return self._named_month(find.month(), words.get("year"), kind)
            case "date":
                return self._date(find.month(), int(words["date"]), words.get("year"))
            case "year":
                return self.year(int(words["year"]))
            case _:
                raise AssertionError(kind)

    def since(self, count: int, unit: str) -> Period:
        """From so long ago up to now; from the beginning of that day, but for hours."""
        if unit == "h":
            stop = self._stamp(self._now)
            return Period(stop - count * 3_600_000, stop + 1)
        start = self._today - timedelta(days=count * round(_ROUGHLY[unit]))
        return self.range(start, self._today + timedelta(days=1))

    def days(self, day: date) -> Period:
        return self.range(day, day + timedelta(days=1))

    def month(self, year: int, month: int) -> Period:
        return self.range(date(year, month, 1), date(year + month // 12, month % 12 + 1, 1))

    def year(self, year: int) -> Period:
        return self.range(date(year, 1, 1), date(year + 1, 1, 1))

    def range(self, start: date, stop: date) -> Period:
        return Period(self._midnight(start), self._midnight(stop))

    def ago(self, count: int, unit: str) -> Period | None:
        if count < 1:
            return None
        if unit == "h":
            at = self._stamp(self._now) - count * 3_600_000
            return Period(at - 1_800_000, at + 1_800_000)
        day = self._today - timedelta(days=count * round(_ROUGHLY[unit]))
        return self.range(day - timedelta(days=_AROUND[unit]), day + timedelta(days=_AROUND[unit] + 1))

    def _unit(self, unit: str, back: int) -> Period | None:
        """This day, week, month, quarter or year, or the one `back` before."""
        today = self._today
        match unit:
            case "d":
                return self.days(today - timedelta(days=back))
            case "w":
                first = today - timedelta(days=(today.weekday() - self._week) % 7, weeks=back)
                return self.range(first, first + timedelta(days=7))
            case "m":
                index = today.year * 12 + today.month - 1 - back
                return self.month(index // 12, index % 12 + 1)
            case "q":
                index = today.year * 4 + (today.month - 1) // 3 - back
                first, after = (date(at // 4, at % 4 * 3 + 1, 1) for at in (index, index + 1))
                return self.range(first, after)
            case "y":
                return self.year(today.year - back)
            case _:
                return self.since(1, "h")

    def _named_month(self, month: int, year: str | None, kind: str) -> Period:
        """Without a year the latest that has begun."""
        latest = self._today.year - (month > self._today.month)
        if kind == "month last year":
            latest = self._today.year - 1
        elif kind == "month this year":
            latest = self._today.year
        elif kind == "last month" and month == self._today.month:
            latest -= 1
        return self.month(int(year) if year else latest, month)

    def _date(self, month: int, day: int, year: str | None) -> Period:
        begun = (month, day) <= (self._today.month, self._today.day)
        return self.days(date(int(year) if year else self._today.year - (not begun), month, day))

    def _part(self, day: date, start: int, stop: int) -> Period:
        return Period(*(self._hour(day, hour) for hour in (start, stop)))

    def _hour(self, day: date, hour: int) -> int:
        at = datetime.combine(day + timedelta(days=hour // 24), time(hour % 24), self._now.tzinfo)
        return self._stamp(at)

    def _midnight(self, day: date) -> int:
        return self._stamp(datetime.combine(day, time(), self._now.tzinfo))

    @staticmethod
    def _stamp(at: datetime) -> int:
        return int(at.timestamp() * 1000)


class _Words:
    """The words of one match as values."""

    def __init__(self, language: Language, words: dict[str, str | None]) -> None:
        self._language, self._words = language, words

    def day(self) -> int:
        return _value(self._language.days, self._words["day"])

    def part(self) -> tuple[int, int]:
        return _value(self._language.parts, self._words["part"])

    def unit(self) -> str:
        return _value(self._language.units, self._words["unit"])

    def number(self) -> int:
        word = self._words["n"] or ""
        return int(word) if word.isdigit() else _value(self._language.numbers, word)

    def weekday(self) -> int:
        return _place(self._language.weekdays, self._words["weekday"])

    def month(self) -> int:
        return _place(self._language.months, self._words["month"]) + 1


def _value(words: Mapping[str, T], text: str | None) -> T:
    """What the word stands for that is `text`, or a pattern that it fits."""
    return next(value for word, value in words.items() if re.fullmatch(word, text or ""))


def _place(words: Sequence[Sequence[str]], text: str | None) -> int:
    return next(place for place, forms in enumerate(words) if any(re.fullmatch(form, text or "") for form in forms))
