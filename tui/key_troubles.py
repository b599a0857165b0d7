"""What is wrong with the keys that a person has chosen: names of no action or no key, and keys that two actions share.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, product

from textual.binding import Binding

from .key_spelling import is_text, spelled, why_not_sent
from .keys import ANYWHERE, KNOWN, PLACES, SEARCH, Key, key_names
from .query_input import QueryInput

_EDITING = frozenset(name for each in QueryInput.BINDINGS if isinstance(each, Binding) for name in each.key.split(","))


def key_troubles(chosen: Mapping[str, str]) -> list[str]:
    """One sentence for each; `chosen` is action → keys, as in config.toml."""
    troubles: list[str] = []
    if unknown := sorted(set(chosen) - KNOWN):
        troubles.append(f"there is no {', '.join(unknown)}; f1 shows the keys, README their names.")
    for id_, keys in chosen.items():
        names = spelled(keys).split(",")
        if names == [""]:
            troubles.append(f"{id_} has no key there, so it keeps its own.")
        troubles += (f"{id_}: {why}" for name in names if name and (why := why_not_sent(name)))
    troubles += dict.fromkeys(_clashes(chosen))
    troubles += _typed(chosen)
    return troubles


def _clashes(chosen: Mapping[str, str]) -> Iterator[str]:
    """Keys that do another thing now than a table says; what shares a key of old does not count."""
    for place, layers in PLACES:
        for layer in layers:
            for one, two in combinations(layer, 2):
                for name in _both(chosen, one, two):
                    taker, loser = (one, two) if one.id in chosen else (two, one)
                    yield f"{key_names(name)} is now for {taker.id}, and no longer for {loser.id}."
        for near, far in combinations(layers, 2):
            for one, two in product(near, far):
                for name in _both(chosen, one, two):
                    yield f"{place}, {key_names(name)} is for {one.id}, and not for {two.id}."


def _both(chosen: Mapping[str, str], one: Key, two: Key) -> list[str]:
    """The keys that two actions share since at least one of them has others."""
    if one.id == two.id or not {one.id, two.id} & chosen.keys():
        return []
    of_old = {*one.keys.split(",")} & {*two.keys.split(",")}
    theirs = _names(chosen, two)
    return [name for name in _names(chosen, one) if name in theirs and name not in of_old]


def _typed(chosen: Mapping[str, str]) -> Iterator[str]:
    """Keys that the search box has for itself, although what they are for is wanted there too."""
    for key in (*SEARCH, *ANYWHERE):
        for name in set(_names(chosen, key)) - {*key.keys.split(",")}:
            if is_text(name):
                yield f"{key_names(name)} is text in the search box; {key.id} works outside it alone."
            elif name in _EDITING:
                yield f"{key_names(name)} edits the text in the search box; {key.id} works outside it alone."


def _names(chosen: Mapping[str, str], key: Key) -> list[str]:
    return (spelled(chosen.get(key.id, "")) or key.keys).split(",")
