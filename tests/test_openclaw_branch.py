"""The active branch of OpenClaw's transcripts, rule by rule, and read on from anywhere."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from harkback.adapters.openclaw_branch import Branch, Cursor, Node
from harkback.core.model import Reread
from hypothesis import given, settings
from hypothesis import strategies as st


def say(own: object, parent: object = msgspec.UNSET, **more: Any) -> Node:
    return Node("message", own, parent, **more)


def leaf(own: object, target: object, **more: Any) -> Node:
    return Node("leaf", own, None, target, **more)


def seen(*nodes: Node) -> str:
    """The ids of the visible rows, in order."""
    branch = Branch()
    for number, node in enumerate(nodes):
        branch.add(number, node)
    visible = branch.visible()
    return " ".join(str(node.id) for number, node in enumerate(nodes) if visible is None or number in visible)


def test_a_plain_chain_is_all_visible_with_or_without_parents() -> None:
    assert seen(say("a", None), say("b", "a"), say("c", "b")) == "a b c"
    assert seen(say("a"), say("b"), say("c")) == "a b c"
    assert seen(say("a", None), say("b"), say("c", "b")) == "a b c"


def test_rows_without_any_id_are_all_visible() -> None:
    assert seen(say(None), say(None)) == "None None"


def test_a_second_answer_to_the_same_row_takes_the_branch_over() -> None:
    assert seen(say("a", None), say("b", "a"), say("c", "a"), say("d", "c")) == "a c d"


def test_a_leaf_row_moves_the_branch_back_and_is_not_on_it_itself() -> None:
    assert seen(say("a", None), say("b", "a"), leaf("l", "a")) == "a"
    assert seen(say("a", None), say("b", "a"), leaf("l", "a"), say("c", "l")) == "a c"
    assert seen(say("a", None), say("b", "a"), leaf("l", "a"), say("c")) == "a c"


def test_a_leaf_row_may_empty_the_branch() -> None:
    assert seen(say("a", None), leaf("l", None)) == ""
    assert seen(say("a", None), leaf("l", None), say("b", None)) == "b"


def test_a_leaf_row_to_an_unknown_row_is_ignored() -> None:
    assert seen(say("a", None), say("b", "a"), leaf("l", "nowhere")) == "a b"
    assert seen(say("a", None), say("b", "a"), leaf("l", "a", append_parent="nowhere")) == "a b"
    assert seen(say("a", None), say("b", "a"), leaf("l", "c"), say("c", "b")) == "a b c"


@pytest.mark.parametrize(
    "odd", [Node("leaf", "l", None), Node("leaf", "l", None, 7), Node("leaf", "l", msgspec.UNSET, "a"), leaf(None, "a")]
)
def test_a_leaf_row_that_lacks_something_is_none(odd: Node) -> None:
    branch = Branch()
    for number, node in enumerate([say("a", None), say("b", "a")]):
        branch.add(number, node)
    branch.add(2, odd)
    if odd.parent is not msgspec.UNSET:
        assert branch.visible() == {0, 1}


def test_a_side_row_is_kept_and_not_seen_and_what_follows_it_joins_the_branch() -> None:
    side = say("s", "a", mode="side")
    assert seen(say("a", None), side) == "a"
    assert seen(say("a", None), side, say("b", "s")) == "a b"
    assert seen(say("a", None), side, say("b", "a")) == "a b"


def test_what_follows_the_place_where_a_leaf_row_said_to_append_joins_the_branch() -> None:
    rows = [say("a", None), say("b", "a"), leaf("l", "a", append_parent="b")]
    assert seen(*rows, say("c", "b")) == "a c"
    assert seen(*rows, say("c", "b"), say("d", "b")) == "a b d", "but only the row that comes next"


def test_a_row_of_no_known_type_is_transparent() -> None:
    opaque = Node("plugin_note", "p", "a")
    assert seen(say("a", None), opaque, say("b", "p")) == "a b"


def test_a_row_whose_parent_is_unknown_follows_the_row_before_it() -> None:
    assert seen(say("a", None), say("b", "lost"), say("c", "b")) == "a b c"
    assert seen(say("a", "lost"), say("b", "a")) == "a b"


def test_nothing_is_attached_above_a_reset() -> None:
    reset = Node("reset", "r", "b")
    rows = [say("a", None), say("b", "a"), reset]
    assert seen(*rows, say("c", "a")) == "a b r c"
    assert seen(*rows, say("c", None)) == "a b r c"
    assert seen(*rows, say("c", "r"), leaf("l", "a"), say("d", "l")) == "a b r c d"
    assert seen(*rows, say("c", "r"), leaf("l", None)) == "a b r c"
    assert seen(*rows, say("c", "r"), say("d", "c"), leaf("l", "c"), say("e", "c")) == "a b r c e"


def test_a_circle_is_empty_where_a_leaf_row_chose_it_and_no_tree_otherwise() -> None:
    circle = [say("a", None), say("b", "a"), say("a", "b")]
    assert seen(*circle) == "a b a"
    assert seen(*circle, leaf("l", "b")) == ""


def test_a_row_written_twice_counts_once() -> None:
    assert seen(say("a", None), say("b", "a"), say("b", "a"), say("c", "b")) == "a b c"


# ---- read on ----


@st.composite
def transcripts(draw: st.DrawFn) -> list[Node]:
    """Rows with ids of their own, that refer to earlier ones, to none, or to what is not there."""
    nodes: list[Node] = []
    for number in range(draw(st.integers(0, 14))):
        earlier = [f"r{n}" for n in range(number)]
        last = st.just(f"r{number - 1}" if number else None)
        parent = draw(last | last | st.sampled_from([None, msgspec.UNSET, "lost", *earlier]))
        kind = draw(st.sampled_from(["message"] * 6 + ["leaf", "reset", "custom", "plugin_note"]))
        mode = draw(st.sampled_from([msgspec.UNSET] * 5 + ["side"])) if kind != "leaf" else msgspec.UNSET
        target = draw(st.sampled_from([None, "lost", *earlier])) if kind == "leaf" else msgspec.UNSET
        append = (
            draw(st.sampled_from([msgspec.UNSET, msgspec.UNSET, None, *earlier])) if kind == "leaf" else msgspec.UNSET
        )
        nodes.append(Node(kind, f"r{number}", parent, target, append, mode))
    return nodes


def _whole(nodes: list[Node]) -> set[int]:
    branch = Branch()
    for number, node in enumerate(nodes):
        branch.add(number, node)
    visible = branch.visible()
    return set(range(len(nodes))) if visible is None else visible


@settings(max_examples=80, deadline=None)
@given(nodes=transcripts(), data=st.data())
def test_reading_on_gives_what_reading_whole_gives_or_asks_for_that(nodes: list[Node], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(nodes)))
    messages = {number for number, node in enumerate(nodes) if node.type == "message"}
    first = Branch()
    for number, node in enumerate(nodes[:cut]):
        first.add(number, node)
    visible = _whole(nodes[:cut])
    on = Branch(msgspec.convert(msgspec.to_builtins(first.cursor), Cursor))
    try:
        for number, node in enumerate(nodes[cut:], cut):
            on.add(number, node)
        more = on.visible()
    except Reread:
        return
    visible |= set(range(cut, len(nodes))) if more is None else more
    assert visible & messages == _whole(nodes) & messages


@settings(max_examples=50, deadline=None)
@given(nodes=transcripts())
def test_a_branch_that_is_plain_shows_every_message(nodes: list[Node]) -> None:
    branch = Branch()
    for number, node in enumerate(nodes):
        branch.add(number, node)
        visible = branch.visible()
        if branch.is_plain and visible is not None:
            assert {n for n, each in enumerate(nodes[: number + 1]) if each.type == "message"} <= visible
