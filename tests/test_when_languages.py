"""Times in seven languages, by a calendar and in passing: one table, a frozen clock, several zones, clock changes."""

# ruff: noqa: DTZ001, zones are given apart from the times

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from harkback.core.query import parse as parse_query
from harkback.core.when import first_weekday, mentions, parse
from hypothesis import given
from hypothesis import strategies as st

BERLIN, NEW_YORK, SHANGHAI = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York"), ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 3, 18, 14, 30)  # a Wednesday
ZONES = (UTC, BERLIN, NEW_YORK, SHANGHAI)

TABLE = """
the day before yesterday       | 2026-03-16 | 2026-03-17
last tuesday                   | 2026-03-17 | 2026-03-18
on monday                      | 2026-03-16 | 2026-03-17
three weeks ago                | 2026-02-22 | 2026-03-01
a couple of days ago           | 2026-03-16 | 2026-03-17
a few days ago                 | 2026-03-15 | 2026-03-16
3d ago                         | 2026-03-15 | 2026-03-16
the last 3 days                | 2026-03-15 | 2026-03-19
in the past two weeks          | 2026-03-04 | 2026-03-19
last quarter                   | 2025-10-01 | 2026-01-01
this quarter                   | 2026-01-01 | 2026-04-01
this morning                   | 2026-03-18 00:00 | 2026-03-18 12:00
this afternoon                 | 2026-03-18 12:00 | 2026-03-18 18:00
yesterday evening              | 2026-03-17 17:00 | 2026-03-18 00:00
yesterday morning              | 2026-03-17 00:00 | 2026-03-17 12:00
last night                     | 2026-03-17 18:00 | 2026-03-18 05:00
tonight                        | 2026-03-18 18:00 | 2026-03-19 05:00
tuesday afternoon              | 2026-03-17 12:00 | 2026-03-17 18:00
last friday morning            | 2026-03-13 00:00 | 2026-03-13 12:00
2 hours ago                    | 2026-03-18 12:00 | 2026-03-18 13:00
24h                            | 2026-03-17 14:30 | 2026-03-18 14:30
last weekend                   | 2026-03-14 | 2026-03-16
last march                     | 2025-03-01 | 2025-04-01
in march                       | 2026-03-01 | 2026-04-01
since february                 | 2026-02-01 | 2026-03-01
early december                 | 2025-12-01 | 2026-01-01
october last year              | 2025-10-01 | 2025-11-01
in may 2025                    | 2025-05-01 | 2025-06-01
march 5th                      | 2026-03-05 | 2026-03-06
the 5th of march               | 2026-03-05 | 2026-03-06
5th march 2024                 | 2024-03-05 | 2024-03-06
on Dec 31                      | 2025-12-31 | 2026-01-01
in 2025                        | 2025-01-01 | 2026-01-01
昨天下午                       | 2026-03-17 12:00 | 2026-03-17 18:00
今天早上                       | 2026-03-18 00:00 | 2026-03-18 12:00
今早上                         | 2026-03-18 00:00 | 2026-03-18 12:00
昨晚                           | 2026-03-17 18:00 | 2026-03-18 05:00
大前天                         | 2026-03-15 | 2026-03-16
三天前                         | 2026-03-15 | 2026-03-16
两周前                         | 2026-03-01 | 2026-03-08
三个月前                       | 2025-12-03 | 2026-01-03
最近三天                       | 2026-03-15 | 2026-03-19
过去两周                       | 2026-03-04 | 2026-03-19
近7天                          | 2026-03-11 | 2026-03-19
7天                            | 2026-03-11 | 2026-03-19
上周                           | 2026-03-09 | 2026-03-16
上星期                         | 2026-03-09 | 2026-03-16
这周                           | 2026-03-16 | 2026-03-23
上上周                         | 2026-03-02 | 2026-03-09
上周末                         | 2026-03-14 | 2026-03-16
上周五                         | 2026-03-13 | 2026-03-14
上周日                         | 2026-03-15 | 2026-03-16
这周一                         | 2026-03-16 | 2026-03-17
周一                           | 2026-03-16 | 2026-03-17
星期天                         | 2026-03-15 | 2026-03-16
礼拜三                         | 2026-03-18 | 2026-03-19
本月                           | 2026-03-01 | 2026-04-01
上个月                         | 2026-02-01 | 2026-03-01
上上个月                       | 2026-01-01 | 2026-02-01
上个季度                       | 2025-10-01 | 2026-01-01
今年                           | 2026-01-01 | 2027-01-01
去年                           | 2025-01-01 | 2026-01-01
前年                           | 2024-01-01 | 2025-01-01
去年十月                       | 2025-10-01 | 2025-11-01
今年1月                        | 2026-01-01 | 2026-02-01
十二月                         | 2025-12-01 | 2026-01-01
3月份                          | 2026-03-01 | 2026-04-01
2025年10月                     | 2025-10-01 | 2025-11-01
2025年10月3日                  | 2025-10-03 | 2025-10-04
3月12号                        | 2026-03-12 | 2026-03-13
两小时前                       | 2026-03-18 12:00 | 2026-03-18 13:00
昨日                           | 2026-03-17 | 2026-03-18
おととい                       | 2026-03-16 | 2026-03-17
昨日の午後                     | 2026-03-17 12:00 | 2026-03-17 18:00
今朝                           | 2026-03-18 00:00 | 2026-03-18 12:00
昨夜                           | 2026-03-17 18:00 | 2026-03-18 05:00
先週                           | 2026-03-09 | 2026-03-16
今週                           | 2026-03-16 | 2026-03-23
先々週                         | 2026-03-02 | 2026-03-09
先週の火曜日                   | 2026-03-10 | 2026-03-11
火曜日                         | 2026-03-17 | 2026-03-18
三日前                         | 2026-03-15 | 2026-03-16
2週間前                        | 2026-03-01 | 2026-03-08
3ヶ月前                        | 2025-12-03 | 2026-01-03
過去7日                        | 2026-03-11 | 2026-03-19
直近2週間                      | 2026-03-04 | 2026-03-19
先月                           | 2026-02-01 | 2026-03-01
先々月                         | 2026-01-01 | 2026-02-01
去年の10月                     | 2025-10-01 | 2025-11-01
昨年                           | 2025-01-01 | 2026-01-01
一昨年                         | 2024-01-01 | 2025-01-01
週末                           | 2026-03-14 | 2026-03-16
2025年の12月                   | 2025-12-01 | 2026-01-01
12月24日                       | 2025-12-24 | 2025-12-25
어제                           | 2026-03-17 | 2026-03-18
그저께                         | 2026-03-16 | 2026-03-17
어제 오후                      | 2026-03-17 12:00 | 2026-03-17 18:00
오늘 아침                      | 2026-03-18 00:00 | 2026-03-18 12:00
어젯밤                         | 2026-03-17 18:00 | 2026-03-18 05:00
지난주                         | 2026-03-09 | 2026-03-16
지난 주                        | 2026-03-09 | 2026-03-16
이번 주                        | 2026-03-16 | 2026-03-23
지지난주                       | 2026-03-02 | 2026-03-09
지난주 화요일                  | 2026-03-10 | 2026-03-11
지난 화요일                    | 2026-03-17 | 2026-03-18
월요일                         | 2026-03-16 | 2026-03-17
3일 전                         | 2026-03-15 | 2026-03-16
두 달 전                       | 2026-01-02 | 2026-02-02
최근 7일                       | 2026-03-11 | 2026-03-19
지난달                         | 2026-02-01 | 2026-03-01
작년                           | 2025-01-01 | 2026-01-01
작년 10월                      | 2025-10-01 | 2025-11-01
2025년 10월 3일                | 2025-10-03 | 2025-10-04
재작년                         | 2024-01-01 | 2025-01-01
gestern                        | 2026-03-17 | 2026-03-18
vorgestern                     | 2026-03-16 | 2026-03-17
gestern Abend                  | 2026-03-17 17:00 | 2026-03-18 00:00
heute früh                     | 2026-03-18 00:00 | 2026-03-18 12:00
letzte Nacht                   | 2026-03-17 18:00 | 2026-03-18 05:00
letzte Woche                   | 2026-03-09 | 2026-03-16
diese Woche                    | 2026-03-16 | 2026-03-23
vor drei Tagen                 | 2026-03-15 | 2026-03-16
vor einer Woche                | 2026-03-08 | 2026-03-15
vor 2 Monaten                  | 2026-01-02 | 2026-02-02
in den letzten 7 Tagen         | 2026-03-11 | 2026-03-19
letzten Dienstag               | 2026-03-17 | 2026-03-18
am Montag                      | 2026-03-16 | 2026-03-17
im März                        | 2026-03-01 | 2026-04-01
im Oktober 2025                | 2025-10-01 | 2025-11-01
am 3. Oktober                  | 2025-10-03 | 2025-10-04
letztes Jahr                   | 2025-01-01 | 2026-01-01
letzten Monat                  | 2026-02-01 | 2026-03-01
letztes Wochenende             | 2026-03-14 | 2026-03-16
hier                           | 2026-03-17 | 2026-03-18
avant-hier                     | 2026-03-16 | 2026-03-17
hier soir                      | 2026-03-17 17:00 | 2026-03-18 00:00
ce matin                       | 2026-03-18 00:00 | 2026-03-18 12:00
la semaine dernière            | 2026-03-09 | 2026-03-16
cette semaine                  | 2026-03-16 | 2026-03-23
il y a trois jours             | 2026-03-15 | 2026-03-16
il y a 2 semaines              | 2026-03-01 | 2026-03-08
ces 7 derniers jours           | 2026-03-11 | 2026-03-19
mardi dernier                  | 2026-03-17 | 2026-03-18
lundi                          | 2026-03-16 | 2026-03-17
en mars                        | 2026-03-01 | 2026-04-01
octobre 2025                   | 2025-10-01 | 2025-11-01
le 3 octobre                   | 2025-10-03 | 2025-10-04
le 1er mars                    | 2026-03-01 | 2026-03-02
le mois dernier                | 2026-02-01 | 2026-03-01
l'année dernière               | 2025-01-01 | 2026-01-01
ayer                           | 2026-03-17 | 2026-03-18
anteayer                       | 2026-03-16 | 2026-03-17
ayer por la tarde              | 2026-03-17 12:00 | 2026-03-17 18:00
anoche                         | 2026-03-17 18:00 | 2026-03-18 05:00
la semana pasada               | 2026-03-09 | 2026-03-16
esta semana                    | 2026-03-16 | 2026-03-23
hace tres días                 | 2026-03-15 | 2026-03-16
hace 2 semanas                 | 2026-03-01 | 2026-03-08
los últimos 7 días             | 2026-03-11 | 2026-03-19
el martes pasado               | 2026-03-17 | 2026-03-18
el lunes                       | 2026-03-16 | 2026-03-17
en marzo                       | 2026-03-01 | 2026-04-01
octubre de 2025                | 2025-10-01 | 2025-11-01
el 3 de octubre                | 2025-10-03 | 2025-10-04
el mes pasado                  | 2026-02-01 | 2026-03-01
el año pasado                  | 2025-01-01 | 2026-01-01
"""
ROWS = [tuple(cell.strip() for cell in line.split("|")) for line in TABLE.strip().splitlines()]


def test_the_table_is_long_enough() -> None:
    assert len(ROWS) >= 150
    assert len({text for text, _, _ in ROWS}) == len(ROWS)


@pytest.mark.parametrize("zone", ZONES, ids=str)
def test_each_time_names_its_stretch_in_every_zone(zone) -> None:
    now = NOW.replace(tzinfo=zone)
    wrong = {}
    for text, first, after in ROWS:
        period = parse(text, now, week=0)
        ends = [datetime.fromtimestamp(at / 1000, zone) for at in (period.start, period.stop)] if period else []
        shown = [f"{end:%Y-%m-%d %H:%M}" for end in ends]
        wanted = [each if ":" in each else f"{each} 00:00" for each in (first, after)]
        if shown != wanted:
            wrong[text] = shown
    assert not wrong


@pytest.mark.parametrize("text", [row[0] for row in ROWS if not row[0].endswith("天") or len(row[0]) > 2])
def test_each_time_is_seen_in_passing(text: str) -> None:
    now = NOW.replace(tzinfo=UTC)
    cjk = not text.isascii() and text[0] > "\u1100"
    sentence = f"我们{text}讨论的 sqlite" if cjk else f"what we said {text} about sqlite"
    if text.isdigit():
        return
    seen = mentions(sentence, now, week=0)
    assert parse(text, now, week=0) in [each.period for each in seen]
    query = parse_query(sentence, now)
    assert query.times
    assert "sqlite" in [term.text for group in query.wanted for term in group]


@pytest.mark.parametrize(
    "text",
    [
        "we may have sat in the sun", "error 2024 in module 12", "a mon ami", "the marshall plan", "todayish",
        "port 8080", "v1.2.3", "10.0.0.7", "top 10 list", "sha 7d4e", "the week", "一天到晚没有", "monthly report",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    assert mentions(text, NOW.replace(tzinfo=UTC), week=0) == []


def test_the_longest_of_what_overlaps_counts() -> None:
    (only,) = mentions("last tuesday afternoon", NOW.replace(tzinfo=UTC), week=0)
    assert (only.start, only.stop) == (0, 22)


@pytest.mark.parametrize(
    ("locale", "first"),
    [("en_US.UTF-8", 6), ("de_DE.UTF-8", 0), ("ja_JP", 6), ("ar_EG", 5), ("C.UTF-8", 0), ("", 0), ("fr_CA@euro", 6)],
)
def test_weeks_begin_as_the_locale_has_it(locale: str, first: int) -> None:
    assert first_weekday(locale) == first


def test_a_week_that_begins_on_sunday() -> None:
    period = parse("last week", NOW.replace(tzinfo=UTC), week=6)
    assert period is not None
    assert datetime.fromtimestamp(period.start / 1000, UTC).date().isoformat() == "2026-03-08"


@pytest.mark.parametrize(
    ("zone", "now", "text", "hours"),
    [
        (BERLIN, datetime(2026, 3, 29, 20), "this morning", 11),  # the clock goes forward at two
        (BERLIN, datetime(2026, 10, 25, 20), "heute früh", 13),
        (NEW_YORK, datetime(2026, 3, 8, 20), "this afternoon", 6),
        (BERLIN, datetime(2026, 3, 29, 8), "last night", 10),
        (SHANGHAI, datetime(2026, 3, 29, 8), "昨晚", 11),
        (BERLIN, datetime(2027, 1, 1, 9), "letzte Woche", 7 * 24),
        (BERLIN, datetime(2027, 1, 1, 9), "last quarter", 92 * 24 + 1),
    ],
)
def test_clock_changes_and_ends_of_years(zone, now, text, hours) -> None:
    period = parse(text, now.replace(tzinfo=zone), week=0)
    assert period is not None
    assert (period.stop - period.start) / 3_600_000 == hours


fragments = st.sampled_from(
    "last week ago three 天 前 上 周 月 日 の 先 vor tagen hace il y a 3 31 2026 may - . 전 주".split()
)


@given(
    st.one_of(st.text(max_size=60), st.lists(fragments, max_size=12).map(" ".join), st.lists(fragments).map("".join))
)
def test_nothing_typed_raises_and_places_are_in_the_text(text: str) -> None:
    seen = mentions(text[:512], NOW.replace(tzinfo=UTC), week=0)
    at = 0
    for each in seen:
        assert at <= each.start < each.stop <= len(text)
        assert each.period.start <= each.period.stop
        at = each.stop
