"""Why something is not in the index: every reason that is counted under a slug, in words, and what can be done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .clean import clean_line
from .model import Unreadable
from .redact import redact_line

LONGEST_SLUG = 80
"""Characters of a slug that an adapter may give."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason, for people."""

    sentence: str
    """What was found, as a phrase that stands after a count or a path; no full stop."""
    remedy: str
    """What the person can do, or why nothing needs to be done; no full stop."""


_NOTHING = "nothing needs to be done"
_AGENTS_OWN = "nothing can be done here: the file is the agent's own"
_RETRIED = "it is tried again every time"
_NEWER = "a newer harkback may know it; the rest is indexed"
_BROKEN = "open the session in its agent: if that fails too, the file is broken"

REASONS: Mapping[str, Reason] = MappingProxyType(
    {
        # Limits: sessions of which something was left out.
        "window": Reason("older than the window of days", "widen it: harkback config set limits.window_days 0"),
        "per_source": Reason(
            "beyond the turns kept of one source", "widen it: harkback config set limits.turns_per_source 0"
        ),
        "total": Reason("beyond the turns kept in all", "widen it: harkback config set limits.turns_total 0"),
        "per_file": Reason(
            "beyond the text kept of one file, the oldest turns first",
            "widen it: harkback config set limits.megabytes_per_file 64",
        ),
        # Whole files and folders.
        "unreadable-folder": Reason(
            "the folder can't be listed", "make it readable for you (ls -ld shows its owner); what was indexed stays"
        ),
        "symbolic-link": Reason(
            "a symbolic link, which is never followed", "name its target: harkback sources add NAME PATH"
        ),
        "in-the-cloud": Reason(
            "its content is on a cloud drive, not on this disk", "have the drive keep it on this disk; it is read then"
        ),
        "outside-root": Reason(
            "a symbolic link that leads out of the source", "name its target: harkback sources add NAME PATH"
        ),
        "secret-name": Reason("named as files of keys and passwords are", f"{_NOTHING}: such files are never opened"),
        "excluded": Reason("excluded by a rule of yours", "take the rule back: harkback exclude remove PATTERN"),
        "other-source": Reason("it belongs to a source that is not ticked", "tick it: harkback sources enable NAME"),
        "no-permission": Reason("you may not read it", f"make it readable for you (chmod u+r); {_RETRIED}"),
        "io-error": Reason("the disk or the network drive failed", f"check that it is there and sound; {_RETRIED}"),
        "on-server": Reason(
            "a stub: the agent keeps the conversation on its server",
            "have the agent export it; harkback asks no server",
        ),
        "not-a-file": Reason("no regular file, such as a pipe or a device", _NOTHING),
        "too-large": Reason("larger than such a file may be", _AGENTS_OWN),
        "not-jsonl": Reason("not JSON lines, although its name says so", _BROKEN),
        "encoding": Reason(
            "UTF-16 or UTF-32, which no agent writes", "convert it to UTF-8 if you put it there yourself"
        ),
        "not-text": Reason("no text, although its name says so", "move it away if you put it there yourself"),
        "note-cut": Reason(
            "a memory file of more lines or sections than anybody reads, cut there", f"{_NOTHING}: the rest is left out"
        ),
        "compressed": Reason("packed, although its name doesn't say so", "unpack it if you put it there yourself"),
        "zstd": Reason("a damaged zstd file", _BROKEN),
        "zstd-bomb": Reason(
            "unpacks to far more than any session has", "leave it alone unless you know where it is from"
        ),
        "adapter-error": Reason("harkback failed on it", "please report it; its other files are indexed"),
        "busy": Reason("its agent holds the database or keeps changing it", f"{_RETRIED}; closing the agent helps"),
        "schema": Reason("a database of a shape that harkback doesn't know", _NEWER),
        "network-drive": Reason(
            "a database on a network drive, where nobody can read it safely while its agent runs",
            "keep the agent's data on a disk of this machine; what was indexed stays",
        ),
        "no-space": Reason("no room for a private copy of the database", "make room on the disk; it is tried again"),
        "sqlite-toobig": Reason("a cell of the database is too large to read", _AGENTS_OWN),
        "sqlite-corrupt": Reason("a damaged database", _BROKEN),
        "sqlite-notadb": Reason("no database, although its name says so", _BROKEN),
        # Records inside files.
        "not-json": Reason("a line that is not JSON", "nothing can be done here: the lines around it are indexed"),
        "unexpected-shape": Reason("a record of another shape than its kind has", _NEWER),
        "unknown-type": Reason("a kind of record that harkback doesn't know", _NEWER),
        "replaced-bytes": Reason(
            "a record with bytes that are no text",
            "nothing can be done here: it is indexed, with a mark in their place",
        ),
        "line-too-long": Reason("a line too long to read", _AGENTS_OWN),
        "unfinished-line": Reason("a last line that is still being written", f"{_NOTHING}: it is read once it ends"),
        "summary": Reason("the agent's summary of earlier turns", f"{_NOTHING}: those turns are indexed themselves"),
        "forgotten": Reason("forgotten at your wish", f"{_NOTHING}: it stays out for good"),
        "command": Reason("a command to the agent, not a prompt", _NOTHING),
        "cut-at-source": Reason("a message of which the agent kept only a part", _AGENTS_OWN),
        "imported-copy": Reason("a copy of a session of another agent", f"{_NOTHING}: its own source has it"),
        "missing-message": Reason("a message that the agent lists and no longer holds", _AGENTS_OWN),
        "no-messages": Reason("a conversation without its list of messages", _BROKEN),
        "no-meta": Reason("a chat without the facts that say where its messages are", _BROKEN),
        "no-root": Reason("a chat whose first piece is missing", _BROKEN),
        "not-typed": Reason("a prompt that nobody typed: the agent put it in", _NOTHING),
        "repeated-prompt": Reason("a prompt that the agent noted twice", f"{_NOTHING}: it is indexed once"),
        "side-request": Reason("a request that the agent made beside the conversation", _NOTHING),
        "skill": Reason("instructions of a skill, which the agent put in", _NOTHING),
        "subagent-turn": Reason("a turn of a sub-agent within its caller's file", _NOTHING),
        "superseded": Reason("an older copy of a file that is read instead", _NOTHING),
        "too-many-messages": Reason("beyond the messages that are read of one log of requests", _AGENTS_OWN),
        "unreadable-blob": Reason("a piece of a chat that can't be read", f"{_AGENTS_OWN}; the rest is indexed"),
        "version-mismatch": Reason("a file of another format than its name says", _NEWER),
        "deleted-at-source": Reason("deleted by you in its agent", f"{_NOTHING}: nothing of it is kept"),
        "turn-cut": Reason("a turn of more than 2,000,000 characters, cut there", _NOTHING),
    }
)


def reason_of(error: Exception) -> str:
    """The slug for what kept a file from being read."""
    if isinstance(error, Unreadable):
        return redact_line(error.reason, LONGEST_SLUG)
    if isinstance(error, PermissionError):
        return "no-permission"
    return "io-error" if isinstance(error, OSError) else "adapter-error"


def reason(slug: str) -> Reason:
    """A slug in words; one that is not known here still says what it is."""
    if known := REASONS.get(slug):
        return known
    slug = clean_line(slug, LONGEST_SLUG)
    if slug.startswith("sqlite-"):
        return Reason(f"SQLite can't read the database ({slug.removeprefix('sqlite-')})", _BROKEN)
    return Reason(slug.replace("-", " "), "see `harkback why` on the file")
