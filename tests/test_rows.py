"""Rows as text: three lines a hit, three lines a session, and the short forms of times, paths and counts."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from harkback.core.results import Excerpt, Hit, Session
from harkback.tui.rows import MATCH, crop, hit_row, session_row, short_path
from harkback.tui.wording import age, byte_size, counted, local_time
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

TITLES = {"claude": "Claude Code"}


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


NOW = at("2026-11-14T12:00")

SESSION = Session(
    key="claude:1",
    source="claude",
    native_id="1",
    title="How did we fix the clipboard over ssh",
    project="/home/ada/src/web",
    branch="main",
    model="opus",
    started=at("2026-11-12T14:02"),
    updated=at("2026-11-12T15:40"),
    parent=None,
    kind="main",
    turns=42,
    gone_at_source=False,
)
HIT = Hit(
    session=SESSION,
    turn_id=7,
    number=18,
    role="assistant",
    time=at("2026-11-14T10:00"),
    excerpt=Excerpt("set-clipboard on, otherwise tmux drops it: the clipboard stays empty", ((47, 56),)),
    score=1.0,
)


def lines(hit: Hit, width: int = 60) -> list[str]:
    return [line.plain for line in hit_row(hit, width, NOW, titles=TITLES, zone=UTC)]


def session_lines(session: Session, width: int = 60, **more: str) -> list[str]:
    row = session_row(session, width, NOW, titles=TITLES, home="/home/ada", zone=UTC, **more)
    return [line.plain for line in row]


def test_a_hit_shows_title_project_age_then_excerpt_then_facts() -> None:
    assert lines(HIT) == [
        "How did we fix the clipboard over ssh   web               2h",
        "set-clipboard on, otherwise tmux drops it: the clipboard st…",
        "Claude Code · assistant · main",
    ]


def test_what_is_unusual_about_a_hit_is_said() -> None:
    odd = replace(
        HIT, role="user", also_in=("a", "b"), partial=True, session=replace(SESSION, gone_at_source=True, branch=None)
    )
    assert lines(odd, 80)[2] == "Claude Code · you · also in 2 others · gone at source · some words"
    assert lines(replace(HIT, also_in=("a",)))[2] == "Claude Code · assistant · main · also in 1 other"


def test_a_part_of_a_memory_file_is_cited_by_its_lines() -> None:
    file = replace(SESSION, source="memory", native_id="/home/ada/src/web/docs/MEMORY.md", branch=None)
    hit = replace(HIT, role="memory", cite="L12-L30", session=file)
    row = hit_row(hit, 70, NOW, titles={"memory": "Memory files"}, home="/home/ada", zone=UTC)
    assert row[2].plain == "Memory files · ~/src/web/docs/MEMORY.md#L12-L30"
    short = hit_row(hit, 44, NOW, titles={"memory": "Memory files"}, home="/home/ada", zone=UTC)
    assert short[2].plain == "Memory files · …/MEMORY.md#L12-L30"


def test_a_row_that_stands_for_more_or_beside_a_match_says_so() -> None:
    row = hit_row(replace(HIT, arms=("nearby",)), 80, NOW, titles=TITLES, in_session=3, zone=UTC)
    assert row[2].plain == "Claude Code · assistant · main · 3 hits · beside a match"


def test_the_branch_goes_before_anything_else_is_cut() -> None:
    assert lines(replace(HIT, partial=True), 36)[2] == "Claude Code · assistant · some words"


def test_a_narrow_row_leaves_out_the_project_then_the_age() -> None:
    assert lines(HIT, 30)[0] == "How did we fix the clipbo…  2h"
    assert lines(HIT, 16)[0] == "How did we fix …"


def test_the_match_is_marked_where_it_is_shown() -> None:
    excerpt = hit_row(HIT, 30, NOW, titles=TITLES, zone=UTC)[1]
    assert [(excerpt.plain[first:last], style) for first, last, style in excerpt.spans] == [("clipboard", MATCH)]


def test_markup_in_what_people_wrote_stays_text() -> None:
    hostile = "[red]no[/red] [@click=app.quit]x[/]"
    hit = replace(HIT, excerpt=Excerpt(hostile, ((0, 5),)), session=replace(SESSION, title=hostile, branch="[b]"))
    assert lines(hit, 80)[0].startswith(hostile)
    assert lines(hit, 80)[1:] == [hostile, "Claude Code · assistant · [b]"]


def test_cjk_is_counted_in_cells() -> None:
    text = "需要把序列包在里，否则外层终端收不到剪贴板的内容"
    start = text.index("剪贴板")
    hit = replace(
        HIT,
        session=replace(SESSION, title="剪贴板在终端里不工作而且很久了"),
        excerpt=Excerpt(text, ((start, start + 3),)),
    )
    assert lines(hit, 24) == ["剪贴板在终端里不工…   2h", "…终端收不到剪贴板的内容", "Claude Code · assistant"]


def test_a_session_shows_its_path_or_its_first_line() -> None:
    assert session_lines(SESSION) == [
        "How did we fix the clipboard over ssh   web               1d",
        "~/src/web",
        "Claude Code · 42 turns · main",
    ]
    assert session_lines(SESSION, first_line="why is it\nempty?")[1] == "why is it empty?"


def test_a_session_with_nothing_known_is_still_a_row() -> None:
    bare = replace(SESSION, title="", project=None, branch=None, updated=None, turns=1, kind="subagent", source="new")
    assert session_lines(bare, 40) == ["(untitled)" + " " * 30, "", "new · 1 turn · subagent"]


@given(st.text(max_size=40), st.integers(0, 50), st.integers(0, 40), st.integers(0, 40))
def test_no_row_is_wider_than_it_may_be(text: str, width: int, first: int, last: int) -> None:
    span = (min(first, len(text)), min(max(first, last), len(text)))
    hit = replace(HIT, excerpt=Excerpt(text, (span,)), session=replace(SESSION, title=text, branch=text, project=text))
    for line in hit_row(hit, width, NOW, titles=TITLES, zone=UTC):
        assert cell_len(line.plain) <= width


@given(st.text(st.sampled_from("ab 中é\u0301"), max_size=60), st.integers(1, 30), st.integers(0, 60), st.integers(1, 9))
def test_a_crop_shows_what_its_spans_say(text: str, width: int, first: int, size: int) -> None:
    first = min(first, len(text))
    last = min(first + size, len(text))
    shown, spans = crop(text, [(first, last)], width)
    assert cell_len(shown) <= width
    for a, b in spans:
        assert shown[a:b] in text[first:last]
    if first < last and width > 2 * cell_len(text[first:last]) + 6:
        assert [shown[a:b] for a, b in spans] == [text[first:last]]


def test_a_crop_keeps_some_of_what_led_to_the_first_match_and_drops_earlier_spans() -> None:
    text = "alpha beta gamma delta epsilon zeta eta theta iota kappa"
    shown, spans = crop(text, [(23, 30), (36, 39), (0, 5)], 24)
    assert shown == "…delta epsilon zeta eta…"
    assert [shown[a:b] for a, b in spans] == ["epsilon", "eta"]


@pytest.mark.parametrize(
    ("ago", "said"),
    [
        (timedelta(seconds=59), "now"),
        (timedelta(minutes=1), "1m"),
        (timedelta(minutes=59, seconds=59), "59m"),
        (timedelta(hours=23), "23h"),
        (timedelta(days=6, hours=23), "6d"),
        (timedelta(days=7), "7 Nov"),
        (timedelta(days=400), "Oct 2025"),
        (timedelta(seconds=-30), "now"),
        (timedelta(days=-40), "24 Dec"),
    ],
)
def test_ages_are_short(ago: timedelta, said: str) -> None:
    assert age(NOW - int(ago.total_seconds() * 1000), NOW, UTC) == said


def test_dates_are_those_of_the_zone() -> None:
    late = at("2026-10-31T23:30")
    assert age(late, NOW, UTC) == "31 Oct"
    assert age(late, NOW, timezone(timedelta(hours=2))) == "1 Nov"


@given(st.integers() | st.none())
def test_no_time_is_too_strange_for_an_age(time: int | None) -> None:
    assert len(age(time, NOW, UTC)) <= 8
    assert local_time(10**18, UTC) is None


@pytest.mark.parametrize(
    ("path", "width", "shown"),
    [
        ("/home/ada/src/web", 30, "~/src/web"),
        ("/home/ada", 30, "~"),
        ("/home/adam/src", 30, "/home/adam/src"),
        ("/home/ada/src/clients/acme/web", 14, "…/acme/web"),
        ("/home/ada/averyveryverylongname", 10, "…ylongname"),
        ("C:\\Users\\ada\\src", 8, "…\\src"),
        ("/home/ada/项目/剪贴板", 8, "…/剪贴板"),
        ("/home/ada", 0, ""),
        ("", 5, ""),
    ],
)
def test_paths_are_shortened_at_the_left(path: str, width: int, shown: str) -> None:
    assert short_path(path, "/home/ada", width) == shown


def test_counts_and_sizes_read_well() -> None:
    assert [counted(0, "turn"), counted(1, "turn"), counted(12480, "turn")] == ["0 turns", "1 turn", "12,480 turns"]
    sizes = [0, 999, 1200, 45_600, 999_700, 155_000_000, 2_500_000_000, 3 * 10**15]
    assert [byte_size(size) for size in sizes] == [
        "0 B",
        "999 B",
        "1.2 kB",
        "46 kB",
        "1.0 MB",
        "155 MB",
        "2.5 GB",
        "3,000.0 TB",
    ]
