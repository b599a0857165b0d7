"""What is wrong with the keys that a person has chosen: names of no action, and keys that two actions share. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from .keys import KNOWN, TOGETHER, Key, key_names


def key_troubles(chosen: Mapping[str, str]) -> list[str]:
    """One sentence for each; `chosen` is action → keys, as in config.toml."""
    troubles: list[str] = []
    if unknown := sorted(set(chosen) - KNOWN):
        troubles.append(f"there is no {', '.join(unknown)}; f1 shows the keys, README their names.")
    for taker, loser, key in _clashes(chosen):
        troubles.append(f"{key_names(key)} is now for {taker}, and no longer for {loser}.")
    return troubles


def _clashes(chosen: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """(who has the key, who has lost it, the key); what shares a key of old, in another place, does not count."""
    told: set[tuple[str, str, str]] = set()
    for keys in TOGETHER:
        for key, other in product(keys, keys):
            if key.id == other.id or key.id not in chosen:
                continue
            for name in _names(chosen, key):
                first, second = sorted((key.id, other.id)) if other.id in chosen else (key.id, other.id)
                if name in _names(chosen, other) and (first, second, name) not in told:
                    told.add((first, second, name))
                    yield first, second, name


def _names(chosen: Mapping[str, str], key: Key) -> list[str]:
    return [name.strip() for name in chosen.get(key.id, key.keys).split(",")]
