"""Times in words → ranges of UTC milliseconds: dates, `7d`, yesterday, last week, march, 昨天, 上周.

Pure: `now` is passed in. Without a zone it is the system's own time, whose clock changes are then heeded.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_UNITS = {"d": 1, "w": 7, "m": 30, "y": 365}
"""Days, about."""
_UNIT_WORDS = {
    "day": "d", "days": "d", "week": "w", "weeks": "w", "month": "m", "months": "m", "year": "y", "years": "y",
    "天": "d", "日": "d", "일": "d", "周": "w", "星期": "w", "个星期": "w", "週間": "w", "주": "w",
    "个月": "m", "か月": "m", "ヶ月": "m", "개월": "m", "年": "y", "년": "y",
}  # fmt: skip
_CJK_NUMBERS = "一二三四五六七八九十"
_NUMBERS = {
    "a": 1, "an": 1, "两": 2,
    **{word: n for n, word in enumerate("one two three four five six seven eight nine ten".split(), 1)},
    **{sign: n for n, sign in enumerate(_CJK_NUMBERS, 1)},
}  # fmt: skip
_DAYS_AGO = {
    "today": 0, "yesterday": 1, "今天": 0, "昨天": 1, "前天": 2,
    "今日": 0, "昨日": 1, "一昨日": 2, "오늘": 0, "어제": 1, "그제": 2,
}  # fmt: skip
_WEEKS_AGO = {
    "this week": 0, "last week": 1,
    "本周": 0, "这周": 0, "上周": 1, "今週": 0, "先週": 1, "이번주": 0, "지난주": 1,
}  # fmt: skip
_MONTHS_AGO = {
    "this month": 0, "last month": 1, "本月": 0, "这个月": 0, "上个月": 1, "上月": 1, "今月": 0, "先月": 1, "지난달": 1,
}  # fmt: skip
_YEARS_AGO = {"this year": 0, "last year": 1, "今年": 0, "去年": 1, "昨年": 1, "올해": 0, "작년": 1}

_ISO_DAY = re.compile(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?")
_YEAR = re.compile(r"(20\d\d)[年년]?")
_LENGTH = re.compile(r"(?:last |past )?(\d{1,4}) ?([dwmy]|days?|weeks?|months?|years?)")
_AGO = re.compile(
    rf"(\d{{1,4}}|[a-z]+|[两{_CJK_NUMBERS}]) ?({'|'.join(_UNIT_WORDS)}) ?(?:ago|前|之前|以前|전)",
)
_MONTH_NAMED = re.compile(r"(?:in |on )?(?:(\d{1,2}) )?([a-z]{3,9})\.?(?: (\d{1,2}))?(?:,? ?(20\d\d))?")
_MONTH_NUMBERED = re.compile(r"(?:(20\d\d)[年년] ?)?(\d{1,2})[月월](?: ?(\d{1,2})[日号號일])?")


@dataclass(frozen=True, slots=True)
class Period:
    """From `start` up to `stop`, which is no longer in it; UTC milliseconds."""

    start: int
    stop: int


def parse(text: str, now: datetime) -> Period | None:
    """The period that `text` names; None when it names none.

    A length such as `7d` is the day so long ago up to now; a bare month or weekday is the latest one that has begun.
    """
    wanted = " ".join(text.strip().lower().split())
    for reader in (_iso, _length, _named, _ago, _month_named, _month_numbered, _weekday):
        try:
            if found := reader(wanted, now):
                return found
        except (ValueError, OverflowError, OSError):
            return None
    return None


def _iso(text: str, now: datetime) -> Period | None:
    if match := _ISO_DAY.fullmatch(text):
        year, month = int(match[1]), int(match[2])
        return _days(date(year, month, int(match[3])), now) if match[3] else _one_month(year, month, now)
    if match := _YEAR.fullmatch(text):
        return _one_year(int(match[1]), now)
    return None


def _length(text: str, now: datetime) -> Period | None:
    if match := _LENGTH.fullmatch(text):
        start = now.date() - timedelta(days=int(match[1]) * _UNITS[match[2][0]])
        return _range(start, now.date() + timedelta(days=1), now)
    return None


def _named(text: str, now: datetime) -> Period | None:
    today = now.date()
    if text in _DAYS_AGO:
        return _days(today - timedelta(days=_DAYS_AGO[text]), now)
    if text in _WEEKS_AGO:
        monday = today - timedelta(days=today.weekday(), weeks=_WEEKS_AGO[text])
        return _range(monday, monday + timedelta(days=7), now)
    if text in _MONTHS_AGO:
        index = today.year * 12 + today.month - 1 - _MONTHS_AGO[text]
        return _one_month(index // 12, index % 12 + 1, now)
    if text in _YEARS_AGO:
        return _one_year(today.year - _YEARS_AGO[text], now)
    return None


def _ago(text: str, now: datetime) -> Period | None:
    if not (match := _AGO.fullmatch(text)):
        return None
    count = int(match[1]) if match[1].isdigit() else _NUMBERS.get(match[1])
    if count is None:
        return None
    unit = _UNIT_WORDS[match[2]]
    day = now.date() - timedelta(days=count * _UNITS[unit])
    around = {"d": 0, "w": 3, "m": 15, "y": 180}[unit]
    return _range(day - timedelta(days=around), day + timedelta(days=around + 1), now)


def _month_named(text: str, now: datetime) -> Period | None:
    if not (match := _MONTH_NAMED.fullmatch(text)) or (match[1] and match[3]):
        return None
    month = _one_of(match[2], _MONTHS)
    return _latest(match[4], month + 1, match[1] or match[3], now) if month is not None else None


def _month_numbered(text: str, now: datetime) -> Period | None:
    match = _MONTH_NUMBERED.fullmatch(text)
    return _latest(match[1], int(match[2]), match[3], now) if match else None


def _latest(year: str | None, month: int, day: str | None, now: datetime) -> Period:
    """A month, or a day of it: without a year the latest that has begun."""
    begun = (month, int(day or 1)) <= (now.month, now.day)
    in_year = int(year) if year else now.year if begun else now.year - 1
    return _days(date(in_year, month, int(day)), now) if day else _one_month(in_year, month, now)


def _weekday(text: str, now: datetime) -> Period | None:
    last = text.startswith("last ")
    day = _one_of(text.removeprefix("last ").removeprefix("on "), _WEEKDAYS)
    if day is None:
        return None
    back = (now.weekday() - day) % 7
    return _days(now.date() - timedelta(days=back or (7 if last else 0)), now)


def _one_of(word: str, words: tuple[str, ...]) -> int | None:
    """The place of a word that is written out or cut short, to three letters at least."""
    return next((i for i, whole in enumerate(words) if len(word) >= 3 and whole.startswith(word)), None)


def _one_year(year: int, now: datetime) -> Period:
    return _range(date(year, 1, 1), date(year + 1, 1, 1), now)


def _one_month(year: int, month: int, now: datetime) -> Period:
    return _range(date(year, month, 1), date(year + month // 12, month % 12 + 1, 1), now)


def _days(day: date, now: datetime) -> Period:
    return _range(day, day + timedelta(days=1), now)


def _range(start: date, stop: date, now: datetime) -> Period:
    return Period(_midnight(start, now.tzinfo), _midnight(stop, now.tzinfo))


def _midnight(day: date, zone: tzinfo | None) -> int:
    return int(datetime.combine(day, time(), zone).timestamp() * 1000)


Clock = Callable[[], datetime]
"""Gives the time now."""


def local_now() -> datetime:
    """Now, in the system's own zone."""
    return datetime.now()  # noqa: DTZ005, the system's own zone is meant
