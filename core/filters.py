"""The filters of a query as SQL conditions on turns, their sessions and chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .chunk import ID_BITS, day_of, first_id
from .query import Filter


@dataclass(frozen=True, slots=True)
class Where:
    """Conditions that begin with AND, or nothing, and their values."""

    sql: str = ""
    values: tuple[object, ...] = ()


def where(filters: Sequence[Filter]) -> Where:
    """All filters, each ANDed, its values any-of; abandoned branches only with `branch:any`."""
    parts: list[str] = []
    values: list[object] = []
    abandoned = False
    for each in filters:
        if each.key == "branch" and not each.negated and "any" in map(str.lower, each.values):
            abandoned = True
            continue
        sql, given = _condition(each)
        parts.append(f" AND {'NOT ' if each.negated else ''}({sql})")
        values += given
    if not abandoned:
        parts.insert(0, " AND turns.number IS NOT NULL")
    return Where("".join(parts), tuple(values))


def _condition(each: Filter) -> tuple[str, list[object]]:
    if each.key in ("before", "after", "on"):
        return _time_condition(each.since, each.until)
    if each.key == "rows":  # nobody can type it: sessions by row, as a JSON list
        return "sessions.id IN (SELECT value FROM json_each(?))", list(each.values)
    column, pattern = {
        "source": ("sessions.source", "{}"),
        "role": ("turns.role", "{}"),
        "kind": ("sessions.kind", "{}"),
        "session": ("sessions.source || ':' || sessions.native_id", "%{}%"),
        "project": ("coalesce(sessions.project, '')", "%{}%"),
        "model": ("coalesce(sessions.model, '')", "%{}%"),
        "branch": ("coalesce(sessions.branch, '')", "%{}%"),
        "title": ("sessions.title", "%{}%"),
        "has": ("iif(turns.code, 'code', '')", "{}"),
    }[each.key]
    likes = [f"{column} LIKE ? ESCAPE '\\'" for _ in each.values]
    return " OR ".join(likes), [pattern.format(_like(value)) for value in each.values]


def _time_condition(since: int | None, until: int | None) -> tuple[str, list[object]]:
    """Exact on the turn's time, and as a range of chunk ids, which is what makes it fast."""
    parts, values = ["turns.time IS NOT NULL"], list[object]()
    if since is not None:
        parts += ["chunks.id >= ?", "turns.time >= ?"]
        values += [first_id(since), since]
    if until is not None:
        parts += ["chunks.id < ?", "turns.time < ?"]
        values += [(day_of(until) + 1) << ID_BITS, until]
    return " AND ".join(parts), values


def _like(value: str) -> str:
    return value.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
