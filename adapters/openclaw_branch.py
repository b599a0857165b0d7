"""Which rows of an OpenClaw transcript are on its active branch, by the rules of OpenClaw's own reader.

Rows come in file order. The last ordinary row is the leaf; a row of type `leaf` moves it, a side row does not.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from ..core.model import Reread

ORDINARY = frozenset(
    """message thinking_level_change model_change compaction reset branch_summary custom custom_message label
    session_info""".split()
)
LONGEST_ID = 256
"""Characters; those of OpenClaw have 8 or 36."""


@dataclass(frozen=True, slots=True)
class Node:
    """What counts of a row; a parent or target is an id, None for none, or UNSET where the row has no such key."""

    type: object
    id: object
    parent: object = msgspec.UNSET
    target: object = msgspec.UNSET
    append_parent: object = msgspec.UNSET
    mode: object = msgspec.UNSET


class Cursor(msgspec.Struct, array_like=True):
    """Where a transcript stood: what reading it on depends on."""

    leaf: str | None = None
    append: str | None = None
    """What the next row is physically appended to, which may be a side row or one of no known type."""
    is_begun: bool = False
    has_reset: bool = False
    is_below_reset: bool = True
    """Whether the leaf follows the last reset, if there was one."""
    has_control: bool = False


class Branch:
    """Takes rows one by one. With a `cursor` it goes on where another left off, whose rows it knows nothing of.

    `add` and `visible` raise `Reread` where more would have to be known of those.
    """

    def __init__(self, cursor: Cursor | None = None) -> None:
        self._start = cursor if cursor and cursor.is_begun else None
        self._at = msgspec.structs.replace(cursor) if cursor else Cursor()
        self._parents: dict[str, str | None] = {}
        self._rows: dict[str, int] = {}
        """The last row of each id."""
        self._controls: set[str] = set()
        self._invalid: set[str] = set()
        self._below_reset: set[str] = set()
        self.is_plain = True
        """Whether every row so far follows the one before it."""
        if self._start and self._start.leaf is not None:
            self._parents[self._start.leaf] = None
            if self._start.has_reset and self._start.is_below_reset:
                self._below_reset.add(self._start.leaf)

    @property
    def cursor(self) -> Cursor:
        """What another `Branch` needs to go on from here."""
        is_below = not self._at.has_reset or self._at.leaf in self._below_reset
        return msgspec.structs.replace(self._at, is_below_reset=is_below)

    def add(self, row: int, node: Node) -> bool:
        """Take the row of number `row`; gives whether it is the new leaf and follows the old one."""
        at, before = self._at, self._at.leaf
        at.is_begun = True
        if not (own := _id(node.id)):
            self.is_plain = False
            return False
        if node.type == "leaf":
            self.is_plain = False
            if _is_control(node):
                self._move(own, node)
            return False
        is_ordinary = isinstance(node.type, str) and node.type in ORDINARY
        is_side = node.mode == "side"
        if node.parent is msgspec.UNSET:
            if not is_ordinary:
                return False
            parent = before
        elif node.parent is None or _id(node.parent):
            parent = node.parent if isinstance(node.parent, str) else None
            if is_ordinary:
                parent = self._through_controls(self._resolved(parent, is_side=is_side))
        else:
            return False
        is_first = before is None and parent not in self._parents
        if own in self._parents or is_side or (is_ordinary and parent != before and not is_first):
            self.is_plain = False
        at.append = own
        if self._start is None or parent is None or parent in self._parents:
            self._link(own, parent, row)
        if node.type == "reset":
            at.has_reset = True
            self._below_reset = {own}
        elif parent is not None and parent in self._below_reset:
            self._below_reset.add(own)
        if not is_ordinary or is_side:
            return False
        at.leaf = own
        return parent == before

    def visible(self) -> set[int] | None:
        """The rows on the active branch, as far as they were added here; None: all of them.

        A branch that runs in a circle has no rows, and is none at all where nothing moved the leaf.
        """
        at, start = self._at, self._start
        was_tree = start is not None and (start.leaf is not None or start.has_control)
        if start is not None and not was_tree and (at.leaf is not None or at.has_control):
            raise Reread  # until now there was no tree, and all was visible
        path: set[int] = set()
        seen: set[str] = set()
        here = at.leaf
        while here is not None and here in self._parents:
            if here in seen:
                path = set()
                break
            seen.add(here)
            if here in self._rows and here not in self._controls:
                path.add(self._rows[here])
            here = self._parents[here]
        if start is not None and start.leaf is not None and start.leaf not in seen:
            raise Reread
        return path if path or at.has_control or was_tree else None

    def _resolved(self, parent: str | None, *, is_side: bool) -> str | None:
        """The row that an ordinary row follows, where it names another one."""
        at = self._at
        if is_side:
            return parent
        if at.has_reset and (parent is None or parent not in self._below_reset):
            if self._start and parent not in self._parents and parent not in (None, at.append):
                raise Reread
            return at.leaf
        if parent == at.append and at.leaf != at.append:
            return at.leaf
        if parent is None:
            if self._start and self._start.leaf is not None:
                raise Reread
        elif parent not in self._parents:
            if self._start and parent != at.leaf:
                raise Reread
            return at.leaf if at.leaf is not None else parent
        return parent

    def _through_controls(self, parent: str | None) -> str | None:
        seen: set[str] = set()
        while parent is not None and parent in self._controls and parent not in seen:
            seen.add(parent)
            parent = self._parents.get(parent)
        return parent

    def _move(self, own: str, node: Node) -> None:
        """A row that moves the leaf; above the last reset it moves nothing, and to an unknown row neither."""
        at = self._at
        target = _id(node.target)
        append = target if node.append_parent is msgspec.UNSET else _id(node.append_parent)
        if at.has_reset and at.leaf is not None and (target is None or target not in self._below_reset):
            if self._start and target is not None and target not in self._parents:
                raise Reread
            target = append = at.leaf
        for each in (target, append):
            if self._start and (each is None or each not in self._parents):
                raise Reread
        if any(each is not None and (each not in self._parents or each in self._invalid) for each in (target, append)):
            self._invalid.add(own)
            self._parents[own] = _id(node.parent)
            self._controls.add(own)
            return
        self._parents[own] = target
        self._rows.pop(own, None)
        self._controls.add(own)
        if target is not None and target in self._below_reset:
            self._below_reset.add(own)
        at.append, at.leaf, at.has_control = append, target, True

    def _link(self, own: str, parent: str | None, row: int) -> None:
        self._parents[own] = parent
        self._rows[own] = row
        self._controls.discard(own)
        self._invalid.discard(own)


def _id(value: object) -> str | None:
    return value if isinstance(value, str) and len(value) <= LONGEST_ID and value.strip() else None


def _is_control(node: Node) -> bool:
    """Whether a row of type `leaf` has everything that such a row needs."""
    for value in (node.parent, node.target):
        if value is not None and not _id(value):
            return False
    append = node.append_parent
    return (append is msgspec.UNSET or append is None or _id(append) is not None) and node.mode in (
        msgspec.UNSET,
        "side",
    )
