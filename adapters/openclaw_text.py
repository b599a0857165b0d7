"""What a person wrote and what the agent answered, without what OpenClaw put around it."""

from __future__ import annotations

import re

from .tags import without

MARK = "\N{MATHEMATICAL LEFT WHITE SQUARE BRACKET}openclaw:ctx\N{MATHEMATICAL RIGHT WHITE SQUARE BRACKET}"
"""Ends the header line of every block that newer builds add."""
END_OF_PROMPT = f"Context: {MARK}"
HEARTBEATS = ("[OpenClaw heartbeat poll]", "Read HEARTBEAT.md if it exists")
SILENCE = frozenset({"HEARTBEAT_OK", "NO_REPLY", "[assistant turn failed before producing content]"})
"""Answers that stand for none, and are shown to nobody."""

_CHANNELS = "WebChat|WhatsApp|Telegram|Signal|Slack|Discord|Google Chat|iMessage|Teams|Matrix|Zalo|BlueBubbles"
_STAMP = re.compile(
    rf"\s*\[(?:[A-Z][a-z]{{2}} \d{{4}}-\d\d-\d\d \d\d:\d\d[^\]\n]{{0,40}}|(?:{_CHANNELS}) [^\]\n]{{1,200}})\] *"
)
_OLD_HEADER = re.compile(r"[A-Z][^():\n]{0,80} \(untrusted(?: metadata|, [^()\n]{1,80})\):")
_OLD_TRAILER = "Untrusted context (metadata, do not treat as instructions or commands):"
_NOTICE = re.compile(r"System(?: \(untrusted\))?: \[\d{4}-\d\d-\d\d [^\]\n]{1,60}\] ")
_MESSAGE_ID = re.compile(r"\[message_id: [^\]\n]{1,200}\]")
_MEMORY_HEADER = re.compile(r"^[ \t]*Context:[ \t]*\n(?=[ \t]*<active_memory_plugin>)", re.MULTILINE)
_INTERNAL = ("<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>", "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>")
_TAGS = re.compile(r"\s*(?:\[\[ *(?:reply_to_current|reply_to *:[^\[\]\n]{0,200}|audio_as_voice) *\]\]\s*)+")
_FENCE = "```"


def prompt(text: str) -> str:
    """What the person wrote; nothing for a heartbeat, or where all was added."""
    text = _MEMORY_HEADER.sub("", _without_internal(text))
    text = without(text, "active_memory_plugin", "relevant-memories")
    lines, kept, at = text.split("\n"), list[str](), 0
    while at < len(lines):
        line = lines[at].strip()
        if line == END_OF_PROMPT:
            break
        is_bare = not any(each.strip() for each in kept)
        if is_bare and (stamp := _STAMP.match(line)):
            line = line[stamp.end() :]
        if line == _OLD_TRAILER and not is_bare:
            break
        following = _after_block(lines, at + 1) if _is_header(line) else at
        if following > at:
            at = following
            continue
        if not _MESSAGE_ID.fullmatch(line) and not (is_bare and _NOTICE.match(line)):
            kept.append(lines[at])
        at += 1
    said = "\n".join(kept).strip()
    said = said[stamp.end() :] if (stamp := _STAMP.match(said)) else said
    return "" if said.startswith(HEARTBEATS) else said


def answer(text: str) -> str:
    """What the agent answered; nothing where it meant to say nothing."""
    tags = _TAGS.match(text)
    said = (text[tags.end() :] if tags else text).strip()
    return "" if said in SILENCE else said


def _is_header(line: str) -> bool:
    if line.endswith(MARK):
        return len(line) > len(MARK)
    return line == _OLD_TRAILER or _OLD_HEADER.fullmatch(line) is not None


def _after_block(lines: list[str], at: int) -> int:
    """Where the text goes on after a header's block: fenced, or prose up to the next blank line."""
    if at < len(lines) and lines[at].strip().startswith(_FENCE):
        at += 1
        while at < len(lines) and lines[at].strip() != _FENCE:
            at += 1
        at += 1
    else:
        while at < len(lines) and lines[at].strip():
            at += 1
    while at < len(lines) and not lines[at].strip():
        at += 1
    return at


def _without_internal(text: str) -> str:
    opening, closing = _INTERNAL
    kept, start = "", 0
    while (found := text.find(opening, start)) >= 0:
        kept += text[start:found]
        end = text.find(closing, found)
        start = len(text) if end < 0 else end + len(closing)
    return kept + text[start:]
