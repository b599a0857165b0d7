"""Decoded JSON taken for what it should be, where it may be anything."""

from __future__ import annotations

from typing import cast


def as_list(value: object) -> list[object]:
    """A list as it is, and an empty one for anything else."""
    return cast(list[object], value) if isinstance(value, list) else []


def as_mapping(value: object) -> dict[str, object]:
    """An object as it is, and an empty one for anything else."""
    return cast(dict[str, object], value) if isinstance(value, dict) else {}
