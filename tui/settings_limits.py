"""Settings, third page: how much is kept, and what each limit leaves out now."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

import msgspec

from ..core.config import MOST, Limits
from ..core.store import NoIndex
from .settings_facts import Facts
from .settings_lines import Entry, Heading, Line, Look, Note, Pick, Quiet, Save, Say, Wish
from .surroundings import Surroundings
from .wording import byte_size, counted

TRIMMED = ("turns_per_source", "turns_total")
"""Limits that what is indexed has to keep to; by the others it is chosen what is read."""
BUDGET = "basket.budget"
MOST_NAMED = 3
"""So many sources are named of which a limit leaves something out."""
PRESETS = {
    "recent": "recent: the last 90 days, 20,000 turns of a source, 100,000 turns in all",
    "everything": "everything",
}
KEYS = {
    "window_days": ("days back", "window", "the last {} days"),
    "turns_per_source": ("turns of a source", "per_source", "{} turns of a source"),
    "turns_total": ("turns in all", "total", "{} turns in all"),
    "megabytes_per_file": ("MB of text of a file", "per_file", "{} MB of text of a file"),
}


@dataclass(frozen=True, slots=True)
class _Narrowed:
    """What a change would drop."""

    changes: dict[str, object]
    said: str
    turns: int


class LimitsSection(Quiet):
    """Keys: `preset:NAME`, the names of the limits in config.toml, and BUDGET."""

    title = "Limits"

    def __init__(self, place: Surroundings) -> None:
        self._place = place
        self._facts: Facts | None = None

    def lines(self, facts: Facts, width: int) -> list[Line]:
        self._facts = facts
        chosen = facts.config.limits.preset
        adds = ""
        if chosen != "everything" and (left := _left_out(facts)):
            adds = f": adds {counted(left, 'session')} left out now in whole or in part"
            adds += f" (their files have {byte_size(facts.left_out_bytes)})" if facts.left_out_bytes else ""
        return [
            Heading("How much is kept; the newest first"),
            Pick("preset:recent", PRESETS["recent"], chosen == "recent"),
            Pick("preset:everything", PRESETS["everything"] + adds, chosen == "everything"),
            Heading("Each limit by itself (0: no limit; empty: as chosen above)"),
            *self._limits(facts),
            Heading("The basket"),
            Entry(BUDGET, "tokens that a prompt may have", f"{facts.config.basket.budget}", ""),
        ]

    def _limits(self, facts: Facts) -> Iterator[Line]:
        names = max(len(label) for label, _, _ in KEYS.values())
        for key, (label, slug, _) in KEYS.items():
            own = getattr(facts.config.limits, key)
            hint = f"{_in_force(facts.config.limits, key):,}"
            yield Entry(key, f"{label:<{names}}", "" if own is None else str(own), "no limit" if hint == "0" else hint)
            yield Note(f"leaves out {_of_sources(facts, slug) or 'nothing now'}", indent=3, faint=True)

    # ---- what is done ----

    def toggled(self, key: str, on: bool) -> Wish:
        if not on or self._facts is None:
            return None
        preset = key.partition(":")[2]
        if preset == self._facts.config.limits.preset:
            return None
        said = "Everything is kept." if preset == "everything" else "The recent part is kept."
        return self._change({"limits.preset": preset}, said)

    def entered(self, key: str, text: str) -> Wish:
        if self._facts is None:
            return None
        if key == BUDGET:
            return self._budget(text)
        label, _, phrase = KEYS[key]
        if not text.strip():
            return self._change({f"limits.{key}": None}, f"{label}: as the choice says.")
        number = _number(text)
        if number is None:
            return Say(f"{label}: a number from 0 to {MOST:,}; 0 means no limit.")
        if number == getattr(self._facts.config.limits, key):
            return None
        kept = f"Kept are {phrase.format(f'{number:,}')}." if number else f"{label}: no limit."
        return self._change({f"limits.{key}": number}, kept)

    def _budget(self, text: str) -> Wish:
        number = _number(text)
        if not number:
            return Say(f"Tokens of a prompt: a number from 1 to {MOST:,}.")
        return Save({BUDGET: number}, f"The basket tells what is over {counted(number, 'token')}.")

    def _change(self, changes: dict[str, object], said: str) -> Wish:
        """Do it at once where nothing goes; else count first what does."""
        if self._facts is None:
            return None
        old = self._facts.config.limits
        new = msgspec.structs.replace(old, **{key.removeprefix("limits."): value for key, value in changes.items()})
        narrower = [key for key in KEYS if _is_narrower(_in_force(new, key), _in_force(old, key))]
        if narrower and not any(key in TRIMMED for key in narrower):
            said += " What is indexed already stays; what is read from now on goes by it."
        if not any(key in TRIMMED for key in narrower):
            return Save(changes, said)
        return Look(lambda: _Narrowed(changes, said, self._dropped(new)))

    def heard(self, found: object) -> Wish:
        if not isinstance(found, _Narrowed):
            return None
        question = ""
        if found.turns:
            question = (
                f"This removes about {counted(found.turns, 'turn')} from the index, the oldest. Your files stay; "
                "a wider limit reads them again, so far as their agents have kept them."
            )
        return Save(found.changes, found.said, question)

    def _dropped(self, limits: Limits) -> int:
        """About how many turns of the index are beyond these limits."""
        effective = limits.effective()
        try:
            db = self._place.store.read()
        except NoIndex:
            return 0
        with closing(db):
            have = dict(db.rows("SELECT source, sum(turns) FROM sessions WHERE turns > 0 GROUP BY source"))
        of_source, in_all = effective.turns_per_source, effective.turns_total
        kept = [min(number, of_source) if of_source else number for number in have.values()]
        left = min(sum(kept), in_all) if in_all else sum(kept)
        return sum(have.values()) - left


def _number(text: str) -> int | None:
    """A whole number as people type it, if it is one that may stand in config.toml."""
    typed = text.strip().replace(",", "").replace("_", "")
    return int(typed) if typed.isascii() and typed.isdigit() and int(typed) <= MOST else None


def _of_sources(facts: Facts, limit: str) -> str:
    """Of which sources one limit leaves sessions out, those with the most first; empty for none."""
    left = sorted((each for each in facts.left_out if each.limit == limit), key=lambda each: -each.sessions)
    titles = facts.titles()
    parts = [
        f"{counted(each.sessions, 'session')} of {titles.get(each.source, each.source)}" for each in left[:MOST_NAMED]
    ]
    if rest := left[MOST_NAMED:]:
        parts.append(f"{sum(each.sessions for each in rest):,} of {counted(len(rest), 'other source')}")
    return ", ".join(parts)


def _in_force(limits: Limits, key: str) -> int:
    effective = limits.effective()
    values = {
        "window_days": effective.window_days,
        "turns_per_source": effective.turns_per_source,
        "turns_total": effective.turns_total,
        "megabytes_per_file": effective.text_per_file >> 20,
    }
    return values[key]


def _is_narrower(new: int, old: int) -> bool:
    return new != 0 and (old == 0 or new < old)


def _left_out(facts: Facts) -> int:
    """Sessions that the preset would add; those that one file's limit cuts are cut anyway."""
    return sum(each.sessions for each in facts.left_out if each.limit != "per_file")
