"""claude-mem's observations and summaries as plain text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import msgspec

from .json_lines import ANY

OBSERVATION: Sequence[str] = "type title subtitle facts narrative text concepts files_read files_modified".split()
SUMMARY: Sequence[str] = "request investigated learned completed next_steps notes files_read files_edited".split()


def observation_text(values: Mapping[str, object]) -> str:
    """Its type and title, what was found out, and which files it is about; `text` is what old versions had alone."""
    heading = ": ".join(filter(None, (_line(values["type"]), _line(values["title"]))))
    facts = "\n".join(f"- {fact}" for fact in _items(values["facts"]))
    narrative = _line(values["narrative"])
    body = facts or narrative
    blocks = (
        "\n".join(filter(None, (heading, _line(values["subtitle"])))),
        facts,
        narrative or ("" if body else _line(values["text"])),
        _labelled(("Concepts", values["concepts"])),
        _labelled(("Files read", values["files_read"]), ("Files changed", values["files_modified"])),
    )
    return "\n\n".join(filter(None, blocks)) if any(blocks[i] for i in (1, 2)) or _line(values["title"]) else ""


def summary_text(values: Mapping[str, object]) -> str:
    """What was asked, found out and done, each under its name."""
    said = [(name, _line(values[name])) for name in SUMMARY[:6]]
    blocks = [f"{name.replace('_', ' ').capitalize()}: {text}" for name, text in said if text]
    if not blocks:
        return ""
    files = _labelled(("Files read", values["files_read"]), ("Files edited", values["files_edited"]))
    return "\n\n".join(filter(None, (*blocks, files)))


def _labelled(*lists: tuple[str, object]) -> str:
    return "\n".join(f"{name}: {', '.join(items)}" for name, value in lists if (items := _items(value)))


def _items(value: object) -> list[str]:
    """The texts of a JSON array in a cell; a cell that is none is one text."""
    if not isinstance(value, str):
        return []
    try:
        decoded: object = ANY.decode(value)
    except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError):
        decoded = value
    listed = cast(list[object], decoded) if isinstance(decoded, list) else [decoded]
    return [text for each in listed if (text := _line(each))]


def _line(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
