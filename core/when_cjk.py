"""The words of time in Chinese, Japanese and Korean; when_language.py says how they are written down."""

from __future__ import annotations

from .when_language import AFTERNOON, EVENING, MORNING, NIGHT, NOON, Language, counted, phrases

_HAN = counted("一 二 三 四 五 六 七 八 九 十 十一 十二") | {"两": 2, "几": 3, "数": 3}
_HAN_MONTHS = tuple(
    (f"0?{number}月", f"{name}月") for number, name in enumerate("一 二 三 四 五 六 七 八 九 十 十一 十二".split(), 1)
)

CHINESE = Language(
    days={"今天": 0, "今日": 0, "昨天": 1, "昨日": 1, "前天": 2, "大前天": 3},
    parts={
        "早上": MORNING,
        "早晨": MORNING,
        "上午": MORNING,
        "中午": NOON,
        "下午": AFTERNOON,
        "傍晚": EVENING,
        "晚上": EVENING,
        "晚": EVENING,
        "夜里": NIGHT,
    },
    units={
        "个?小时": "h",
        "天": "d",
        "日": "d",
        "周": "w",
        "个?星期": "w",
        "个?礼拜": "w",
        "个月": "m",
        "个?季度": "q",
        "年": "y",
        "星期": "w",
    },
    numbers=_HAN,
    weekdays=tuple(
        tuple(f"{word}{each}" for word in ("周", "星期", "礼拜") for each in day)
        for day in ("一", "二", "三", "四", "五", "六", "日天")
    ),
    months=_HAN_MONTHS,
    phrases=phrases(
        """
        day: {day}
        day part: {day}{part}
        this part: 今{part}
        last night: 昨(?:晚|夜)
        this part: 今(?:天)?{part}
        ago: {n}{unit}(?:之|以)?前
        since: (?:最近|过去|近)的?{n}{unit}
        this: (?:这个?|本){unit}
        last: 上个?{unit}
        before last: 上上个?{unit}
        this month: 本月
        last month of all: 上月
        this year: 今年
        last year: 去年
        before last year: 前年
        last weekend: (?:上个?|这个?|本)?周末
        weekday last week: 上个?{weekday}
        weekday this week: (?:这个?|本){weekday}
        weekday: {weekday}
        month: (?:{year}年)?{month}份?
        month last year: 去年的?{month}份?
        month this year: 今年的?{month}份?
        date: (?:{year}年)?{month}{date}[日号號]
        year: {year}年
        length: {n} ?{unit}
        """
    ),
    spaced=False,
)

JAPANESE = Language(
    days={"今日": 0, "きょう": 0, "本日": 0, "昨日": 1, "きのう": 1, "一昨日": 2, "おととい": 2},
    parts={
        "の?朝": MORNING,
        "の?午前中?": MORNING,
        "の?昼": NOON,
        "の?午後": AFTERNOON,
        "の?夕方": EVENING,
        "の?夜": EVENING,
        "の?晩": EVENING,
    },
    units={"時間": "h", "日": "d", "週間": "w", "[かヶケカ箇]月": "m", "四半期": "q", "年": "y"},
    numbers=_HAN,
    weekdays=tuple((f"{day}曜日?",) for day in "月火水木金土日"),
    months=_HAN_MONTHS,
    phrases=phrases(
        """
        day: {day}
        day part: {day}{part}
        this morning: 今朝
        tonight: 今夜|今晩
        last night: 昨夜|昨晩|ゆうべ
        ago: {n}{unit}(?:以|ほど)?前
        since: (?:ここ|この|過去|直近)の?{n}{unit}
        this week: 今週
        last week: 先週
        before last week: 先々週|先先週
        this month: 今月
        last month of all: 先月
        before last month: 先々月
        this year: 今年|本年
        last year: 去年|昨年
        before last year: 一昨年|おととし
        last weekend: (?:先週の?|今週の?|この)?週末
        weekday last week: 先週の?{weekday}
        weekday this week: 今週の?{weekday}
        weekday: {weekday}
        month: (?:{year}年の?)?{month}
        month last year: (?:去年|昨年)の?{month}
        month this year: 今年の?{month}
        date: (?:{year}年の?)?{month}{date}日
        year: {year}年
        length: {n} ?{unit}
        """
    ),
    spaced=False,
)

KOREAN = Language(
    days={"오늘": 0, "어제": 1, "그제": 2, "그저께": 2, "엊그제": 2},
    parts={
        " ?아침": MORNING,
        " ?오전": MORNING,
        " ?점심": NOON,
        " ?오후": AFTERNOON,
        " ?저녁": EVENING,
        " ?밤": EVENING,
    },
    units={"시간": "h", "일": "d", "주일?": "w", "개월": "m", "달": "m", "분기": "q", "년": "y"},
    numbers={
        "하루": 1,
        "한": 1,
        "두": 2,
        "세": 3,
        "네": 4,
        "다섯": 5,
        "여섯": 6,
        "일곱": 7,
        "여덟": 8,
        "아홉": 9,
        "열": 10,
        "몇": 3,
    },
    weekdays=tuple((f"{day}요일",) for day in "월화수목금토일"),
    months=tuple((f"0?{number}월",) for number in range(1, 13)),
    phrases=phrases(
        """
        day: {day}
        day part: {day}{part}
        last night: 어젯밤|간밤
        ago: {n} ?{unit} ?전
        since: (?:최근|지난) ?{n} ?{unit}(?:간|동안)?
        this week: 이번 ?주
        last week: 지난 ?주|저번 ?주
        before last week: 지지난 ?주
        this month: 이번 ?달
        last month of all: 지난 ?달|저번 ?달
        this year: 올해|금년
        last year: 작년|지난 ?해
        before last year: 재작년
        last weekend: (?:지난 ?주?|이번 ?)?주말
        weekday last week: (?:지난|저번) ?주 ?{weekday}
        weekday this week: 이번 ?주 ?{weekday}
        last weekday: 지난 ?{weekday}
        weekday: {weekday}
        month: (?:{year}년 ?)?{month}
        month last year: (?:작년|지난 ?해) ?{month}
        month this year: 올해 ?{month}
        date: (?:{year}년 ?)?{month} ?{date}일
        year: {year}년
        length: {n} ?{unit}
        """
    ),
    spaced=False,
)
