"""What agents put before and after the words of a person."""

from __future__ import annotations


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
