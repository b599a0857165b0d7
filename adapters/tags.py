"""Texts with blocks `<tag …>…</tag>` in them: without those that an agent put there, or what stands inside one."""

from __future__ import annotations

import re


def stripped(text: str, *tags: str) -> str:
    """A text without the blocks `<tag …>…</tag>` at its beginning and its end; those in its middle are quoted.

    One at the beginning that is never closed is all that there is. In time linear in the text.
    """
    start, end, before = 0, len(text), None
    while before != (start, end):
        before = start, end
        while start < end and text[start].isspace():
            start += 1
        while end > start and text[end - 1].isspace():
            end -= 1
        for tag in tags:
            if text.startswith((f"<{tag}>", f"<{tag} "), start, end):
                closing = text.find(f"</{tag}>", start, end)
                start = end if closing < 0 else closing + len(tag) + 3
            elif text.endswith(f"</{tag}>", start, end):
                opening = max(text.rfind(f"<{tag}>", start, end), text.rfind(f"<{tag} ", start, end))
                end = end if opening < 0 else opening
    return text[start:end]


def without(text: str, *tags: str) -> str:
    """A text without its blocks `<tag …>…</tag>`; one that is never closed goes to the end. In time linear in both."""
    for tag in tags:
        closing, kept, start = f"</{tag}>", "", 0
        for found in re.finditer(rf"<{re.escape(tag)}(?=[\s>/])[^<>]*>", text):
            if found.start() < start:
                continue
            kept += text[start : found.start()]
            end = text.find(closing, found.end())
            start = end + len(closing) if end >= 0 else len(text)
        text = kept + text[start:]
    return text


def inside(text: str, tag: str) -> str | None:
    """What stands after the first `<tag>`, up to its `</tag>` if there is one; None without the first."""
    _, opened, rest = text.partition(f"<{tag}>")
    return rest.partition(f"</{tag}>")[0].strip() if opened else None
