"""What commands print: JSON objects with `"schema": 1`, times with their zone, and clean lines for people."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from ..core.clean import clean, clean_line
from ..core.memory import citation
from .wording import from_home, local_time

if TYPE_CHECKING:
    from ..core.held import Held
    from ..core.report import Report
    from ..core.results import Conversation, Hit, Session
    from ..core.status import IndexStatus, SourceStatus

SCHEMA = 1
LIMITS = {
    "window": "beyond the window of days",
    "per_source": "beyond the turns of a source",
    "total": "beyond the turns in all",
    "per_file": "beyond the text of a file",
}
"""Limit → what it leaves out, for people."""
LONGEST_PATH = 4_096


def say(text: str = "") -> None:
    """Text for the person on stdout, harmless to any terminal."""
    click.echo(clean(text))


def note(text: str) -> None:
    """A line for the person on stderr, harmless to any terminal."""
    click.echo(clean(text), err=True)


def print_json(value: Mapping[str, Any]) -> None:
    """One JSON object on stdout; ASCII alone, so that no terminal, pipe or encoding can be upset by it."""
    click.echo(json.dumps({"schema": SCHEMA, **value}, ensure_ascii=True))
    sys.stdout.flush()  # whoever asks line by line waits for the answer


def on_terminal(stream: Any) -> bool:
    """Whether someone watches `stream`, which may be closed."""
    with suppress(AttributeError, ValueError, OSError):
        return bool(stream.isatty())
    return False


def silence_output() -> None:
    """Nobody can be told anything any more: what is still buffered must not fail when the interpreter ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError, OSError):
            os.dup2(nowhere, stream.fileno())


# ---- words for people ----


def listed(counts: Mapping[str, int], names: Mapping[str, str] | None = None) -> str:
    """What was counted and how often; `nothing` when all counts are 0."""
    return (
        ", ".join(f"{count:,} {(names or {}).get(name, name)}" for name, count in counts.items() if count) or "nothing"
    )


def columns(rows: Sequence[Sequence[str]], right: Container[int] = ()) -> list[str]:
    """Rows as lines whose cells stand under each other, two blanks apart; those of the columns `right` end together."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.rjust(width) if number in right else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
            if width
        )
        for row in rows
    ]
    return [line.rstrip() for line in lines]


def short_path(path: str, home: str) -> str:
    """A path on one line, with the home folder as `~`."""
    return clean_line(from_home(path, home), LONGEST_PATH)


# ---- objects for programs ----


def iso(time: int | None) -> str | None:
    """UTC milliseconds as ISO 8601 in the local zone, with the zone."""
    moment = local_time(time)
    return moment.isoformat(timespec="milliseconds") if moment else None


def report_json(report: Report) -> dict[str, Any]:
    sessions, turns = report.sessions - report.sessions_before, report.turns - report.turns_before
    return {
        "files": {
            name: getattr(report, name) for name in ("seen", "read", "unchanged", "quarantined", "gone", "excluded")
        }
        | ({"verified": report.verified, "differed": report.differed} if report.verified else {}),
        "sessions": report.sessions,
        "turns": report.turns,
        "added": {"sessions": max(0, sessions), "turns": max(0, turns)},
        "removed": {"sessions": max(0, -sessions), "turns": max(0, -turns)},
        "bytes_read": report.bytes_read,
        "skips": report.skips,
        "left_out": {**dict.fromkeys(LIMITS, 0), **report.left_out},
        "errors": report.errors,
        "held": [held_json(each) for each in report.held],
        "finished": report.finished,
        "seconds": round(report.seconds, 3),
    }


def source_json(status: SourceStatus) -> dict[str, Any]:
    return {
        "name": status.name,
        "title": status.title,
        "found": status.found,
        "ticked": status.ticked,
        "roots": _lines(status.roots),
        "files": status.files,
        "sessions": status.sessions,
        "turns": status.turns,
        "skipped": status.skipped,
        "last_run": iso(status.last_run),
        "last_error": status.last_error,
        "swept_soon": status.swept_soon,
        "held": [held_json(each) for each in status.held],
    }


def status_json(status: IndexStatus) -> dict[str, Any]:
    return {
        "index": clean_line(status.path, LONGEST_PATH),
        "bytes": status.bytes,
        "sessions": status.sessions,
        "turns": status.turns,
        "gone_at_source": status.gone_at_source,
        "quarantined": status.quarantined,
        "excluded": {"files": status.excluded, "sessions": status.hidden},
        "skips": dict(status.skips),
        "left_out": dict(status.left_out),
        "redacted": dict(status.redacted),
        "oldest": iso(status.oldest),
        "newest": iso(status.newest),
        "held": [held_json(each) for each in status.held],
    }


def held_json(held: Held) -> dict[str, Any]:
    return {
        "source": held.source,
        "place": clean_line(held.place, LONGEST_PATH) or None,
        "known": held.known,
        "missing": held.missing,
        "since": iso(held.since),
        "example": held.example,
    }


def hit_json(hit: Hit) -> dict[str, Any]:
    session = hit.session
    return {
        "session": session.key,
        "source": session.source,
        "turn": hit.number,
        "role": hit.role,
        "time": iso(hit.time),
        "title": session.title,
        "project": session.project,
        "branch": session.branch,
        "model": session.model,
        "snippet": hit.excerpt.text,
        "spans": [list(span) for span in hit.excerpt.spans],
        "score": round(hit.score, 4),
        "arms": list(hit.arms),
        "also_in": list(hit.also_in),
        "gone_at_source": session.gone_at_source,
        **_given(agent=session.agent, cite=citation(session, hit.cite)),
    }


def session_json(session: Session) -> dict[str, Any]:
    return {
        "session": session.key,
        "source": session.source,
        "title": session.title,
        "project": session.project,
        "branch": session.branch,
        "model": session.model,
        "started": iso(session.started),
        "updated": iso(session.updated),
        "parent": session.parent,
        "kind": session.kind,
        "turns": session.turns,
        "gone_at_source": session.gone_at_source,
        **_given(agent=session.agent, about=session.about),
    }


def conversation_json(conversation: Conversation, hit: int | None) -> dict[str, Any]:
    return {
        "session": session_json(conversation.session),
        "turns": [
            {
                "turn": turn.number,
                "role": turn.role,
                "time": iso(turn.time),
                "text": turn.text,
                "hit": turn.number == hit,
                **_given(cite=citation(conversation.session, turn.cite)),
            }
            for turn in conversation.turns
        ],
        "before": conversation.before,
        "after": conversation.after,
    }


def _given(**facts: str | None) -> dict[str, str]:
    """Facts that most sessions and turns lack, where there are any."""
    return {name: fact for name, fact in facts.items() if fact is not None}


def _lines(texts: Iterable[str]) -> list[str]:
    return [clean_line(text, LONGEST_PATH) for text in texts]
