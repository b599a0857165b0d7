"""JSON text changed in place: what is meant changes, and every other byte stays."""

from __future__ import annotations

import json
from typing import Any

import pytest
from harkback.core.json_text import NotJson, parse, with_element, without_item
from hypothesis import given
from hypothesis import strategies as st

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
KEYS = st.text(max_size=6)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=8
)
BLANKS = ("", " ", "\n", "\r\n  ", "\t", '// a "note" }, ]\n', "/* one, {two} */", " // x\n // y\n  ", "\n/**/\n")


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """A value as somebody may have written it, with comments anywhere and commas at the end."""

    def blank() -> str:
        return draw(st.sampled_from(BLANKS))

    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}{blank()}:{blank()}{draw(written(each))}{blank()}" for key, each in value.items()]
    elif isinstance(value, list):
        parts = [draw(written(each)) + blank() for each in value]
    else:
        return json.dumps(value, ensure_ascii=draw(st.booleans()))
    comma = draw(st.sampled_from(["", "," + blank()])) if parts else ""
    inside = blank() + ("," + blank()).join(parts) + comma
    return f"{{{inside}}}" if isinstance(value, dict) else f"[{inside}]"


def comments(text: str) -> list[str]:
    """The comments of a text, told from what is quoted by reading it once more as pieces."""
    found, at = [], 0
    while at < len(text):
        if text[at] == '"':
            at += 1
            while text[at] != '"':
                at += 2 if text[at] == "\\" else 1
        elif text.startswith(("//", "/*"), at):
            end = text.find("\n", at) if text[at + 1] == "/" else text.find("*/", at) + 2
            found.append(text[at : len(text) if end < 0 else end].rstrip("\r"))
            at = len(text) if end < 0 else end - 1
        at += 1
    return found


@given(st.data(), VALUES)
def test_what_was_written_is_read_whatever_stands_between(data: st.DataObject, value: Any) -> None:
    text = data.draw(written(value))
    assert parse(text).data == value


@given(st.text() | st.text(alphabet='{}[]",:/*\\ \n10ea.-tru'))
def test_any_text_is_json_or_it_is_not_and_nothing_else_happens(text: str) -> None:
    try:
        ours: Any = [parse(text).data]
    except NotJson:
        ours = None
    try:
        theirs: Any = [json.loads(text)]
    except ValueError:
        return
    assert ours == theirs or "NaN" in text or "Infinity" in text or "twice" in _why(text)


def _why(text: str) -> str:
    with pytest.raises(NotJson) as raised:
        parse(text)
    return str(raised.value)


@given(st.data(), st.dictionaries(KEYS, VALUES, max_size=4), VALUES)
def test_an_element_is_added_and_taken_away_and_no_comment_is_lost(
    data: st.DataObject, settings: dict[str, Any], element: Any
) -> None:
    lists = [key for key, value in settings.items() if isinstance(value, list)]
    keys = data.draw(st.sampled_from([("hooks", "Stop"), ("a", "b", "c"), *((key,) for key in lists)]))
    if isinstance(settings.get(keys[0]), (str, int, float, type(None), list)) and keys[0] in settings and len(keys) > 1:
        return
    text = data.draw(written(settings))
    try:
        longer = with_element(text, keys, element)
    except NotJson:
        return  # something else stands in the way
    expected = json.loads(json.dumps(settings))
    place = expected
    for key in keys[:-1]:
        place = place.setdefault(key, {})
    place.setdefault(keys[-1], []).append(element)
    assert parse(longer).data == expected
    assert comments(longer) == comments(text)
    array = parse(longer).at(*keys)
    assert array is not None
    shorter = without_item(longer, array, len(array.items) - 1)
    place[keys[-1]].pop()
    assert parse(shorter).data == expected
    assert comments(shorter) == comments(text)


@given(st.data(), st.lists(VALUES, min_size=1, max_size=4) | st.dictionaries(KEYS, VALUES, min_size=1, max_size=4))
def test_any_item_can_be_taken_away(data: st.DataObject, value: Any) -> None:
    text = data.draw(written(value))
    at = data.draw(st.integers(0, len(value) - 1))
    shorter = without_item(text, parse(text), at)
    if isinstance(value, list):
        assert parse(shorter).data == value[:at] + value[at + 1 :]
    else:
        assert parse(shorter).data == dict([*value.items()][:at] + [*value.items()][at + 1 :])


@pytest.mark.parametrize(
    ("text", "shorter"),
    [
        ("[1, // x\n 2 /* c */,\n 3]", "[1, // x\n  /* c */\n 3]"),
        ("[1, // x\n 2, 3]", "[1, // x\n  3]"),
        ("[1, // x\n 2 // y\n]", "[1 // x\n  // y\n]"),
        ("[1,\r\n 2\r\n]", "[1\r\n]"),
        ("[1, 2]", "[1 ]"),
    ],
)
def test_no_comment_runs_into_another_where_an_item_was(text: str, shorter: str) -> None:
    assert without_item(text, parse(text), 1) == shorter


@given(st.dictionaries(KEYS, VALUES, max_size=4), st.sampled_from([2, 4, "\t"]), st.sampled_from(["\n", "\r\n"]))
def test_what_is_added_to_a_well_laid_out_file_is_laid_out_like_it_and_leaves_no_trace(
    settings: dict[str, Any], indent: Any, newline: str
) -> None:
    settings.pop("hooks", None)

    def laid_out(value: Any) -> str:
        return json.dumps(value, indent=indent, ensure_ascii=False).replace("\n", newline) + newline

    text = laid_out(settings)
    longer = with_element(text, ("hooks", "Stop"), {"type": "command"})
    if settings:
        assert longer == laid_out(settings | {"hooks": {"Stop": [{"type": "command"}]}})
    root = parse(longer)
    assert without_item(longer, root, len(root.items) - 1) == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "line 1: there should be a value"),
        ("{", "line 1: there should be a value"),
        ('{\n "a": 1\n "b": 2}', "line 3: there should be a comma or }"),
        ('{"a": 1, "a": 2}', "line 1: a key stands in here twice"),
        ("{} {}", "line 1: there is more than one value"),
        ("[1,,2]", "line 1: there should be a value"),
        ('{"a": "\n"}', "line 1: there should be a value"),
        ("/* {}", "line 1: there should be a value"),
        ("[" * 100_000, "it is nested too deeply"),
        ("[01]", "line 1: this is no value"),
    ],
)
def test_what_is_no_json_is_refused_with_the_place(text: str, why: str) -> None:
    assert _why(text) == why


def test_a_key_that_is_no_object_is_not_written_over() -> None:
    for text in ('{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"hooks": "x"}', "[]", "7"):
        with pytest.raises(NotJson):
            with_element(text, ("hooks", "Stop"), 1)
