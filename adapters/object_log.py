"""VS Code's log of the changes to one object: a snapshot, then values set, lists extended and keys deleted."""

from __future__ import annotations

from typing import Any, TypeGuard, cast

import msgspec

from .content import as_list

SNAPSHOT, SET, PUSH, DELETE = range(4)
MISSING = object()


class Operation(msgspec.Struct):
    """One line: what happens (`kind`) at which path (`k`), with which value (`v`), and where a list is cut (`i`)."""

    kind: object = None
    k: object = None
    v: object = None
    i: object = None


OPERATIONS = msgspec.json.Decoder(Operation)


class ObjectLog:
    """Replays the operations one by one; `document` is what they come to."""

    def __init__(self) -> None:
        self.document: dict[str, object] = {}
        self.has_begun = False

    def take(self, operation: Operation) -> bool:
        """Whether the operation made sense; one that does not changes nothing."""
        path, value = as_list(operation.k), operation.v
        if operation.kind == SNAPSHOT or (operation.kind == SET and operation.k == []):
            if not isinstance(value, dict):
                return False
            self.document, self.has_begun = cast(dict[str, object], value), True
            return True
        if not path:
            return False
        parent: Any = self.document
        for key in path[:-1]:
            parent = _at(parent, key)
        if operation.kind == PUSH:
            return _push(parent, path[-1], operation)
        if operation.kind in (SET, DELETE):
            return _put(parent, path[-1], operation.v if operation.kind == SET else None)
        return False


def _at(parent: Any, key: object) -> Any:
    if isinstance(parent, dict) and isinstance(key, str):
        return cast(dict[str, Any], parent).get(key, MISSING)
    if isinstance(parent, list) and _is_index(key) and key < len(cast(list[Any], parent)):
        return cast(list[Any], parent)[key]
    return MISSING


def _put(parent: Any, key: object, value: object) -> bool:
    if isinstance(parent, dict) and isinstance(key, str):
        cast(dict[str, object], parent)[key] = value
        return True
    if isinstance(parent, list) and _is_index(key) and key <= len(items := cast(list[object], parent)):
        items[key : key + 1] = [value]
        return True
    return False


def _push(parent: Any, key: object, operation: Operation) -> bool:
    items, more, cut = _at(parent, key), operation.v, operation.i
    if items is MISSING or items is None:
        return isinstance(more, list) and _put(parent, key, list(cast(list[object], more)))
    if not isinstance(items, list) or not (more is None or isinstance(more, list)):
        return False
    if _is_index(cut):
        del cast(list[object], items)[cut:]
    cast(list[object], items).extend(cast(list[object], more or []))
    return True


def _is_index(key: object) -> TypeGuard[int]:
    return isinstance(key, int) and not isinstance(key, bool) and 0 <= key < 1 << 31
