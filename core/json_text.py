"""JSON text changed in place: whatever is not meant keeps every byte, comments and trailing commas included. Pure.

Settings files of agents are JSON that people edit, often with comments, which their agents take out before they parse.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

_BLANK = re.compile(r"(?:[ \t\r\n]++|//[^\r\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)*+")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*+"')
_SCALAR = re.compile(r"-?[0-9][0-9.eE+-]*+|true|false|null")
_INDENT = re.compile(r'^([ \t]+)["/\[{]', re.MULTILINE)
_BESIDE = re.compile(r"[ \t]*+(?=\r?\n|\Z)")


class NotJson(Exception):
    """A text that is no JSON, or says one thing twice; the message says where."""


@dataclass(frozen=True, slots=True)
class Item:
    """A member of an object, or an element of an array."""

    key: str | None
    start: int
    """Where it begins: its key, if it has one."""
    value: Node


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it stands."""

    data: Any
    start: int
    stop: int
    depth: int
    items: tuple[Item, ...] = ()

    def at(self, *keys: str) -> Node | None:
        """The value at the end of a path of keys of objects; None where the path breaks."""
        node: Node | None = self
        for key in keys:
            node = next((item.value for item in node.items if item.key == key), None) if node else None
        return node


def parse(text: str) -> Node:
    """The value that a text holds. Raises NotJson."""
    try:
        node = _Reader(text).value(_blank(text, 0), 0)
    except RecursionError:
        raise NotJson("it is nested too deeply") from None
    end = _blank(text, node.stop)
    if end < len(text):
        _fail(text, end, "there is more than one value")
    return node


def with_element(text: str, keys: Sequence[str], element: Any) -> str:
    """A text with one more element at the end of the array at `keys`, which is made if it is not there.

    Raises NotJson, also where something other than an object or an array stands in the way.
    """
    node = parse(text)
    for number, key in enumerate(keys):
        inner = node.at(key)
        if not isinstance(node.data, dict):
            _fail(text, node.start, "there should be an object")
        if inner is None:
            value: Any = [element]
            for outer in reversed(keys[number + 1 :]):
                value = {outer: value}
            return _insert(text, node, value, key)
        node = inner
    if not isinstance(node.data, list):
        _fail(text, node.start, "there should be an array")
    return _insert(text, node, element)


def without_item(text: str, container: Node, index: int) -> str:
    """A text without one item of an object or an array that it holds."""
    items = container.items
    item = items[index]
    start, stop = item.start, item.value.stop
    comma = _blank(text, stop)
    if text[comma] == ",":
        gap = text[stop:comma]
        kept, stop = ("", comma + 1) if not gap.strip() else (gap, comma + 1)
    else:
        kept = ""
        if index > 0:
            before = _blank(text, items[index - 1].value.stop)
            text, start, stop = text[:before] + text[before + 1 :], start - 1, stop - 1
    line = len(text[:start].rstrip(" \t"))
    if not kept and (rest := _BESIDE.match(text, stop)) and text[line - 1 : line] == "\n":
        line -= 2 if text[line - 2 : line] == "\r\n" else 1
        start, stop = line, rest.end()
    text = text[:start] + kept + text[stop:]
    if len(items) == 1:
        close = _close(text, container.start)
        inside = text[container.start + 1 : close]
        text = text if inside.strip() else text[: container.start + 1] + text[close:]
    return text


# ---- reading ----


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def value(self, at: int, depth: int) -> Node:
        text = self._text
        opening = text[at : at + 1]
        if opening in ("{", "["):
            return self._container(at, depth, "}" if opening == "{" else "]")
        found = _STRING.match(text, at) or _SCALAR.match(text, at)
        if found is None:
            _fail(text, at, "there should be a value")
        try:
            return Node(json.loads(found[0]), at, found.end(), depth)
        except ValueError:
            _fail(text, at, "this is no value")

    def _container(self, start: int, depth: int, closing: str) -> Node:
        text = self._text
        items: list[Item] = []
        at = _blank(text, start + 1)
        while text[at : at + 1] != closing:
            key, begin = None, at
            if closing == "}":
                key, at = self._key(at)
            value = self.value(at, depth + 1)
            items.append(Item(key, begin, value))
            at = _blank(text, value.stop)
            if text[at : at + 1] == ",":
                at = _blank(text, at + 1)
            elif text[at : at + 1] != closing:
                _fail(text, at, f"there should be a comma or {closing}")
        if closing == "]":
            return Node([item.value.data for item in items], start, at + 1, depth, tuple(items))
        data = {item.key: item.value.data for item in items}
        if len(data) < len(items):
            _fail(text, start, "a key stands in here twice")
        return Node(data, start, at + 1, depth, tuple(items))

    def _key(self, at: int) -> tuple[str, int]:
        node = self.value(at, 0)
        colon = _blank(self._text, node.stop)
        if not isinstance(node.data, str) or self._text[colon : colon + 1] != ":":
            _fail(self._text, at, "there should be a key")
        return node.data, _blank(self._text, colon + 1)


def _blank(text: str, at: int) -> int:
    """Where blanks and comments from `at` on end."""
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _close(text: str, start: int) -> int:
    """Where the bracket is that closes an empty container."""
    return _blank(text, start + 1)


def _fail(text: str, at: int, message: str) -> NoReturn:
    raise NotJson(f"line {text.count(chr(10), 0, at) + 1}: {message}")


# ---- writing ----


def _insert(text: str, container: Node, value: Any, key: str | None = None) -> str:
    """A text with one more item at the end of a container, on lines of its own, indented as the text is."""
    indent = found[1] if (found := _INDENT.search(text)) else "  "
    newline = "\r\n" if "\r\n" in text else "\n"
    own, inner = newline + indent * container.depth, newline + indent * (container.depth + 1)
    shown = json.dumps(value, ensure_ascii=False, indent=indent).replace("\n", inner)
    item = shown if key is None else f"{json.dumps(key, ensure_ascii=False)}: {shown}"
    close = container.stop - 1
    end = len(text[:close].rstrip(" \t\r\n"))
    tail = "" if "\n" in text[end:close] else own
    if not container.items:
        return text[:end] + inner + item + tail + text[end:]
    last = container.items[-1].value.stop
    if text[_blank(text, last)] == ",":
        return text[:end] + inner + item + "," + tail + text[end:]
    return text[:last] + "," + text[last:end] + inner + item + tail + text[end:]
