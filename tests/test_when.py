"""Times in words: exact to the midnight, in every zone, over clock changes and the ends of years."""

# ruff: noqa: DTZ001, zones are given apart from the times

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from harkback.core.when import local_now, parse
from hypothesis import given
from hypothesis import strategies as st

BERLIN, NEW_YORK, SHANGHAI = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York"), ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 3, 18, 12, tzinfo=UTC)  # a Wednesday


def days(text: str, now: datetime = NOW) -> tuple[str, str] | None:
    """The period as the first day in it and the first day after it, which both begin at midnight there."""
    period = parse(text, now)
    if period is None:
        return None
    ends = [datetime.fromtimestamp(at / 1000, now.tzinfo) for at in (period.start, period.stop)]
    assert all(end.time().isoformat() == "00:00:00" for end in ends)
    return ends[0].date().isoformat(), ends[1].date().isoformat()


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("2026-03-01", "2026-03-01", "2026-03-02"),
        ("2026/3/1", "2026-03-01", "2026-03-02"),
        ("2025.12.31", "2025-12-31", "2026-01-01"),
        ("2024-02-29", "2024-02-29", "2024-03-01"),
        ("2025-12", "2025-12-01", "2026-01-01"),
        ("2025", "2025-01-01", "2026-01-01"),
        ("2025年", "2025-01-01", "2026-01-01"),
        ("0d", "2026-03-18", "2026-03-19"),
        ("7d", "2026-03-11", "2026-03-19"),
        ("2w", "2026-03-04", "2026-03-19"),
        ("1m", "2026-02-16", "2026-03-19"),
        ("1y", "2025-03-18", "2026-03-19"),
        (" 7 D ", "2026-03-11", "2026-03-19"),
        ("7 days", "2026-03-11", "2026-03-19"),
        ("last 2 weeks", "2026-03-04", "2026-03-19"),
        ("today", "2026-03-18", "2026-03-19"),
        ("Yesterday", "2026-03-17", "2026-03-18"),
        ("今天", "2026-03-18", "2026-03-19"),
        ("昨天", "2026-03-17", "2026-03-18"),
        ("前天", "2026-03-16", "2026-03-17"),
        ("昨日", "2026-03-17", "2026-03-18"),
        ("一昨日", "2026-03-16", "2026-03-17"),
        ("어제", "2026-03-17", "2026-03-18"),
        ("this week", "2026-03-16", "2026-03-23"),
        ("last  week", "2026-03-09", "2026-03-16"),
        ("上周", "2026-03-09", "2026-03-16"),
        ("先週", "2026-03-09", "2026-03-16"),
        ("지난주", "2026-03-09", "2026-03-16"),
        ("this month", "2026-03-01", "2026-04-01"),
        ("last month", "2026-02-01", "2026-03-01"),
        ("上个月", "2026-02-01", "2026-03-01"),
        ("先月", "2026-02-01", "2026-03-01"),
        ("지난달", "2026-02-01", "2026-03-01"),
        ("last year", "2025-01-01", "2026-01-01"),
        ("去年", "2025-01-01", "2026-01-01"),
        ("作年", None, None),
        ("작년", "2025-01-01", "2026-01-01"),
        ("3 days ago", "2026-03-15", "2026-03-16"),
        ("a day ago", "2026-03-17", "2026-03-18"),
        ("三天前", "2026-03-15", "2026-03-16"),
        ("3天前", "2026-03-15", "2026-03-16"),
        ("三日前", "2026-03-15", "2026-03-16"),
        ("3일 전", "2026-03-15", "2026-03-16"),
        ("两天之前", "2026-03-16", "2026-03-17"),
        ("十天前", "2026-03-08", "2026-03-09"),
        ("ten days ago", "2026-03-08", "2026-03-09"),
        ("two weeks ago", "2026-03-01", "2026-03-08"),
        ("两个星期前", "2026-03-01", "2026-03-08"),
        ("2週間前", "2026-03-01", "2026-03-08"),
        ("2주 전", "2026-03-01", "2026-03-08"),
        ("a month ago", "2026-02-01", "2026-03-04"),
        ("一个月前", "2026-02-01", "2026-03-04"),
        ("1か月前", "2026-02-01", "2026-03-04"),
        ("1개월 전", "2026-02-01", "2026-03-04"),
        ("a year ago", "2024-09-19", "2025-09-15"),
        ("march", "2026-03-01", "2026-04-01"),
        ("in March", "2026-03-01", "2026-04-01"),
        ("april", "2025-04-01", "2025-05-01"),
        ("Dec.", "2025-12-01", "2026-01-01"),
        ("sept", "2025-09-01", "2025-10-01"),
        ("december 2024", "2024-12-01", "2025-01-01"),
        ("march 5", "2026-03-05", "2026-03-06"),
        ("5 march", "2026-03-05", "2026-03-06"),
        ("march 19", "2025-03-19", "2025-03-20"),
        ("30 November 2025", "2025-11-30", "2025-12-01"),
        ("Nov 30, 2025", "2025-11-30", "2025-12-01"),
        ("3月", "2026-03-01", "2026-04-01"),
        ("4月", "2025-04-01", "2025-05-01"),
        ("3月5日", "2026-03-05", "2026-03-06"),
        ("2025年12月31日", "2025-12-31", "2026-01-01"),
        ("2025년 12월", "2025-12-01", "2026-01-01"),
        ("wednesday", "2026-03-18", "2026-03-19"),
        ("last wednesday", "2026-03-11", "2026-03-12"),
        ("on thursday", "2026-03-12", "2026-03-13"),
        ("last tue", "2026-03-17", "2026-03-18"),
        ("thurs", "2026-03-12", "2026-03-13"),
    ],
)
def test_a_time_names_these_days(text, first, after):
    assert days(text) == (None if first is None else (first, after))


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "soon", "d", "-7d", "7", "7x", "99999d", "9999y", "9999 years ago", "2026-13-01", "2026-02-30",
        "2026-00-01", "2026-1-1-1", "9999-99-99", "9999-12-31", "0000-01-01", "0001-01-01x", "13月", "3月32日",
        "feb 30", "5 march 6", "ma", "march 99999", "some days ago", "days ago", "ago", "last", "on", "in",
        "last last monday", "week", "\0", "\ud800", "7d 7d", "zero days ago", "1990", "march 1990",
    ],
)  # fmt: skip
def test_nonsense_names_no_time(text):
    assert parse(text, NOW) is None


words = st.sampled_from(
    "7d 2026-03-01 last week day days ago in on march may mon 5 32 2026 3月 5日 上周 前 天 年 - / . , 9999 三 ٣".split()
)


@given(
    st.one_of(
        st.text(max_size=20), st.lists(words, max_size=5).map(" ".join), st.lists(words, max_size=5).map("".join)
    ),
    st.one_of(
        st.datetimes(min_value=datetime(1970, 1, 2), max_value=datetime(2200, 1, 1), timezones=st.timezones()),
        st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))])),
        st.datetimes(),
    ),
)
def test_nothing_typed_raises_and_no_period_ends_before_it_begins(text, now):
    period = parse(text, now)
    assert period is None or period.start <= period.stop


@pytest.mark.parametrize(
    ("zone", "start"),
    [(UTC, "2026-03-17T00:00+00:00"), (BERLIN, "2026-03-17T00:00+01:00"), (SHANGHAI, "2026-03-17T00:00+08:00")],
)
def test_a_day_begins_at_midnight_there(zone, start):
    period = parse("yesterday", datetime(2026, 3, 18, 12, tzinfo=zone))
    assert period
    assert period.start == datetime.fromisoformat(start).timestamp() * 1000
    assert period.stop - period.start == 86_400_000


@pytest.mark.parametrize(
    ("zone", "now", "text", "hours"),
    [
        (BERLIN, datetime(2026, 3, 30, 9), "yesterday", 23),
        (BERLIN, datetime(2026, 10, 26, 9), "yesterday", 25),
        (BERLIN, datetime(2026, 3, 30, 9), "last week", 7 * 24 - 1),
        (BERLIN, datetime(2026, 10, 25, 23), "this week", 7 * 24 + 1),
        (BERLIN, datetime(2026, 4, 2), "march", 31 * 24 - 1),
        (BERLIN, datetime(2026, 4, 2), "last year", 365 * 24),
        (NEW_YORK, datetime(2026, 3, 9, 9), "yesterday", 23),
        (NEW_YORK, datetime(2026, 11, 1, 23), "today", 25),
        (SHANGHAI, datetime(2026, 3, 30, 9), "yesterday", 24),
        (ZoneInfo("America/Sao_Paulo"), datetime(2018, 11, 5, 9), "yesterday", 23),  # midnight itself was left out
        (ZoneInfo("America/Havana"), datetime(2026, 11, 2, 9), "yesterday", 25),  # midnight came twice
        (ZoneInfo("Australia/Lord_Howe"), datetime(2026, 4, 6, 9), "yesterday", 24.5),
        (ZoneInfo("Pacific/Apia"), datetime(2012, 1, 1, 9), "2011-12-29", 24),
    ],
)
def test_a_day_is_as_long_as_its_clock_makes_it(zone, now, text, hours):
    period = parse(text, now.replace(tzinfo=zone))
    assert period
    assert (period.stop - period.start) / 3_600_000 == hours


@pytest.mark.parametrize(
    ("now", "text", "first", "after"),
    [
        (datetime(2026, 1, 1), "yesterday", "2025-12-31", "2026-01-01"),
        (datetime(2026, 1, 1), "last week", "2025-12-22", "2025-12-29"),
        (datetime(2026, 1, 1), "this week", "2025-12-29", "2026-01-05"),
        (datetime(2026, 1, 31), "last month", "2025-12-01", "2026-01-01"),
        (datetime(2026, 12, 31), "this month", "2026-12-01", "2027-01-01"),
        (datetime(2026, 12, 31, 23, 59, 59), "7d", "2026-12-24", "2027-01-01"),
        (datetime(2026, 1, 1), "december", "2025-12-01", "2026-01-01"),
        (datetime(2026, 1, 1), "january", "2026-01-01", "2026-02-01"),
        (datetime(2024, 2, 29), "1y", "2023-03-01", "2024-03-01"),
        (datetime(2026, 3, 2), "monday", "2026-03-02", "2026-03-03"),
        (datetime(2026, 3, 1), "sunday", "2026-03-01", "2026-03-02"),
        (datetime(2026, 3, 1), "this week", "2026-02-23", "2026-03-02"),
    ],
)
@pytest.mark.parametrize("zone", [UTC, BERLIN, SHANGHAI])
def test_years_and_months_end_where_they_should(zone, now, text, first, after):
    assert days(text, now.replace(tzinfo=zone)) == (first, after)


def test_without_a_zone_now_is_the_systems_own_time(monkeypatch: pytest.MonkeyPatch):
    now = datetime(2026, 3, 30, 9)
    seen = {}
    for name in ("UTC", "Europe/Berlin", "America/New_York"):
        monkeypatch.setenv("TZ", name)
        time.tzset()
        assert parse("yesterday", now) == parse("yesterday", now.replace(tzinfo=ZoneInfo(name)))
        assert parse("last month", now) == parse("last month", now.replace(tzinfo=ZoneInfo(name)))
        seen[name] = parse("yesterday", now)
    assert len(set(seen.values())) == 3
    assert seen["Europe/Berlin"].stop - seen["Europe/Berlin"].start == 23 * 3_600_000


def test_local_now_has_no_zone_of_its_own():
    assert local_now().tzinfo is None
