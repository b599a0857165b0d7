"""Hits → a pack for a prompt within a token budget, at three depths; what does not fit is counted."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Any, Literal, get_args

from .database import Database
from .history import NotFound, around
from .pack import SPEAKERS, Piece, as_text, estimated_tokens, iso, piece_json, source_line
from .results import Conversation, Excerpt, Hit, Turn
from .rounds import round_of

Layer = Literal["index", "timeline", "full"]
LAYERS: tuple[Layer, ...] = get_args(Layer)

NEIGHBOURS = 2
"""Turns on each side of a hit in the layer `timeline`."""
GIST = 120
"""Characters that are shown of a neighbour."""
EXCERPT = 160
"""Characters that are shown of a hit where it is one line of many."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A hit with what its layer shows of it: no turns, those around it, or its round."""

    hit: Hit
    turns: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class Chosen:
    """What fits a budget, newest first."""

    entries: tuple[Entry, ...]
    shown: tuple[str, ...]
    """The text of each entry."""
    did_not_fit: int
    """Entries that found no room, in whole."""
    cut: bool = False
    """There was room only for the beginning of the best one."""

    @property
    def tokens(self) -> int:
        return sum(map(estimated_tokens, self.shown))


def gather(db: Database, hits: Sequence[Hit], layer: Layer) -> list[Entry]:
    """An entry for each hit, best first; one that stands in what an earlier entry shows has none of its own."""
    if layer == "index":
        return [Entry(hit) for hit in hits]
    entries: list[Entry] = []
    seen: set[int] = set()
    with db.snapshot():
        for hit in hits:
            if hit.turn_id in seen:
                continue
            try:
                found = _stretch(db, hit, layer)
            except NotFound:
                continue
            entries.append(Entry(hit, found.turns))
            seen.update(turn.id for turn in found.turns)
    return entries


def _stretch(db: Database, hit: Hit, layer: Layer) -> Conversation:
    if hit.number is None:
        raise NotFound(hit.session.key)  # an abandoned branch has no neighbours by number
    if layer == "full":
        return round_of(db, hit.session.key, hit.number)
    return around(db, hit.session.key, hit.number, NEIGHBOURS, NEIGHBOURS)


def fit(entries: Sequence[Entry], show: Callable[[Entry], str], budget: int) -> Chosen:
    """The best entries that fit in `budget` tokens together, each whole, newest first; `show` makes an entry's text.

    Where not even one fits, the beginning of the best.
    """
    taken: list[tuple[Entry, str]] = []
    left = budget
    for entry in entries:
        text = show(entry)
        if (cost := estimated_tokens(text)) <= left:
            taken.append((entry, text))
            left -= cost
    cut = not taken and bool(entries)
    if cut and (beginning := _beginning(entries[0], show, budget)):
        taken.append((beginning, show(beginning)))
    taken.sort(key=lambda each: each[0].hit.time or 0, reverse=True)
    return Chosen(
        tuple(entry for entry, _ in taken),
        tuple(text for _, text in taken),
        len(entries) - len(taken),
        cut and bool(taken),
    )


def _beginning(entry: Entry, show: Callable[[Entry], str], budget: int) -> Entry | None:
    """As much of an entry as costs no more than `budget`; None if not even its heading does."""
    own = [turn.text for turn in entry.turns if turn.id == entry.hit.turn_id]
    low, high = -1, len(own[0] if own else entry.hit.excerpt.text)
    while low < high:
        middle = (low + high + 1) // 2
        if estimated_tokens(show(_cut(entry, middle))) <= budget:
            low = middle
        else:
            high = middle - 1
    return _cut(entry, low) if low >= 0 else None


def _cut(entry: Entry, length: int) -> Entry:
    """An entry with so many characters of its hit alone."""
    text = entry.hit.excerpt.text
    hit = replace(entry.hit, excerpt=Excerpt(text[:length] + "…" if length < len(text) else text))
    turns = tuple(replace(turn, text=turn.text[:length] + "…") for turn in entry.turns if turn.id == entry.hit.turn_id)
    return Entry(hit, turns)


# ---- as Markdown ----


def markdown(entry: Entry, layer: Layer, titles: Mapping[str, str], zone: tzinfo | None = None) -> str:
    """An entry as text that ends with a line end."""
    hit = entry.hit
    turn = Turn(hit.turn_id, hit.number, hit.role, hit.time, "exact", "", hit.cite)
    head = f"**{SPEAKERS[hit.role]}**, {source_line(hit.session, turn, titles, zone)}"
    title = f"“{hit.session.title}”" if hit.session.title else "untitled"
    if layer == "index":
        return f"- {head}, {title}: {_short(hit.excerpt.text, EXCERPT, around=_first_match(hit))}\n"
    if layer == "full":
        return f"### {title}\n\n{as_text(Piece(hit.session, entry.turns), 'quoted', titles, zone)}\n\n"
    lines = [f"### {title}: {source_line(hit.session, turn, titles, zone)}"]
    for each in entry.turns:
        number = f"{each.number} " if each.number else ""
        if each.id == hit.turn_id:
            lines.append(f"- **{number}{SPEAKERS[each.role]}: {hit.excerpt.text}**")
        else:
            lines.append(f"- {number}{SPEAKERS[each.role]}: {_short(each.text, GIST)}")
    return "\n".join(lines) + "\n\n"


def _first_match(hit: Hit) -> int:
    return hit.excerpt.spans[0][0] if hit.excerpt.spans else 0


def _short(text: str, width: int, around: int = 0) -> str:
    """About `width` characters of a text, on one line, with its character `around` among them."""
    start = max(0, min(around - width // 3, len(text) - width))
    piece = " ".join(text[start : start + width].split())
    return ("…" if start else "") + piece + ("…" if start + width < len(text) else "")


# ---- as JSON ----


def entry_json(entry: Entry, layer: Layer, zone: tzinfo | None = None) -> dict[str, Any]:
    """An entry as an object."""
    hit = entry.hit
    snippet = hit.excerpt.text
    found = piece_json(Piece(hit.session, entry.turns), zone)
    if layer == "index":
        del found["turns"], found["source"]  # the session's key begins with it
        snippet = _short(snippet, EXCERPT, around=_first_match(hit))
    elif layer == "timeline":
        for each in found["turns"]:
            each["text"] = _short(each["text"], GIST)
    found |= {
        "turn": hit.number,
        "role": hit.role,
        "time": iso(hit.time, zone),
        "snippet": snippet,
        "score": round(hit.score, 4),
    }
    return found | ({"cite": hit.cite} if hit.cite else {})


def json_line(entry: Entry, layer: Layer, zone: tzinfo | None = None) -> str:
    """What an entry costs as JSON, and is."""
    return json.dumps(entry_json(entry, layer, zone), ensure_ascii=False)
