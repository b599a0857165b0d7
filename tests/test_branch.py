"""Which turns are on the active branch: what was abandoned is off it, what is merely unlinked stays."""

from __future__ import annotations

import pytest
from harkback.core.branch import Cut, Link, active
from hypothesis import given
from hypothesis import strategies as st


def link(name: str | None, parent: str | None = None, *, file=1, seq=0, time: int | None = 0, undone=False) -> Link:
    return Link(file, seq, time, name, parent, undone)


def chain(text: str) -> list[Link]:
    """`a-b b-c` : a, then b after a, then c after b; `?x` is without an id."""
    links: list[Link] = []
    for seq, part in enumerate(text.split()):
        parent, _, name = part.rpartition("-")
        links.append(link(None if name.startswith("?") else name, parent or None, seq=seq, time=seq))
    return links


def on(links: list[Link], leaf: str | None, *cuts: Cut) -> list[str | int]:
    """The names (or places) of the active turns."""
    return [each.native_id or i for i, each in enumerate(links) if active(links, leaf, cuts)[i]]


@pytest.mark.parametrize(
    ("links", "leaf", "expected"),
    [
        ("a a-b b-c", "c", ["a", "b", "c"]),
        ("a a-b b-c", "b", ["a", "b"]),
        ("a a-b a-c c-d", "d", ["a", "c", "d"]),
        ("a a-b a-c c-d b-e", "e", ["a", "b", "e"]),
        ("a a-b b-c a-d d-e d-f", "f", ["a", "d", "f"]),
        ("a a-b a-b2 a-b3", "b2", ["a", "b2"]),
        # a missing link: what came before stays
        ("a a-b x-c c-d", "d", ["a", "b", "c", "d"]),
        ("a a-b b2 b2-c", "c", ["a", "b", "b2", "c"]),
        ("a a-b x-c b-d d-e", "e", ["a", "b", "d", "e"]),
        # no leaf, or one that is not there: everything stays
        ("a a-b a-c", None, ["a", "b", "c"]),
        ("a a-b a-c", "gone", ["a", "b", "c"]),
        ("", "gone", []),
        # turns without an id stay wherever they are
        ("a a-?x a-c c-?y", "c", ["a", 1, "c", 3]),
        ("?x ?y a", "a", [0, 1, "a"]),
        # circles end
        ("a-a", "a", ["a"]),
        ("c-a a-b b-c c-d", "d", ["a", "b", "c", "d"]),
        ("b-a a-b a-c", "b", ["a", "b"]),
    ],
)
def test_the_branch_leads_back_from_its_leaf(links, leaf, expected):
    assert on(chain(links), leaf) == expected


def test_what_its_own_file_took_back_is_off():
    links = [link(None), link(None, undone=True), link(None)]
    assert active(links, None) == [True, False, True]
    links = [link("a"), link("b", "a", undone=True), link("c", "b")]
    assert on(links, "c") == ["a", "c"]
    assert on(links, None) == ["a", "c"]


def test_a_file_stands_in_place_of_what_others_hold_from_there_on():
    first = [link(None, file=1, seq=n, time=n) for n in range(4)]
    second = [link(None, file=2, seq=n, time=10 + n) for n in (2, 3)]
    assert active([*first, *second], None, [Cut(2, 2, 10)]) == [True, True, False, False, True, True]


def test_two_reverts_in_a_row_leave_only_the_last_continuation():
    turns = [
        *[link(None, file=1, seq=n, time=n) for n in range(5)],
        *[link(None, file=2, seq=n, time=10 + n) for n in (3, 4, 5)],
        *[link(None, file=3, seq=n, time=20 + n) for n in (4, 5)],
    ]
    cuts = [Cut(2, 3, 10), Cut(3, 4, 20)]
    expected = [True, True, True, False, False, True, False, False, True, True]
    assert active(turns, None, cuts) == expected
    assert active(turns, None, cuts[::-1]) == expected


def test_a_second_revert_may_go_back_further_than_the_first():
    turns = [
        *[link(None, file=1, seq=n, time=n) for n in range(4)],
        *[link(None, file=2, seq=n, time=10 + n) for n in (2, 3)],
        *[link(None, file=3, seq=n, time=20 + n) for n in (1, 2)],
    ]
    assert active(turns, None, [Cut(2, 2, 10), Cut(3, 1, 20)]) == [True, False, False, False, False, False, True, True]


def test_what_was_said_after_a_cut_in_the_old_file_stays():
    turns = [link(None, file=1, seq=0, time=0), link(None, file=1, seq=1, time=50), link(None, file=2, seq=1, time=20)]
    assert active(turns, None, [Cut(2, 1, 20)]) == [True, True, True]
    undated = [link(None, file=1, seq=1, time=None)]
    assert active(undated, None, [Cut(2, 1, 20)]) == [False]


names = st.one_of(st.none(), st.sampled_from("abcdefgh"))


@given(
    st.lists(
        st.builds(
            Link,
            st.integers(1, 3),
            st.integers(0, 9),
            st.one_of(st.none(), st.integers(0, 9)),
            names,
            names,
            st.booleans(),
        ),
        max_size=12,
    ),
    names,
    st.lists(st.builds(Cut, st.integers(1, 3), st.integers(0, 9), st.integers(0, 9)), max_size=3),
)
def test_every_turn_gets_an_answer_and_a_lost_parent_loses_no_text(links, leaf, cuts):
    answer = active(links, leaf, cuts)
    assert len(answer) == len(links)
    plain = active(links, None, cuts)
    assert all(a <= b for a, b in zip(answer, plain, strict=True))
    orphans = [Link(each.file, each.seq, each.time, each.native_id, None, each.undone) for each in links]
    last = max((i for i, each in enumerate(links) if each.native_id is not None), default=None)
    if last is not None:
        kept = active(orphans, links[last].native_id, cuts)
        assert kept == plain
