"""What commands print: JSON objects with `"schema": 1`, times with their zone, and plain lines for people."""

from __future__ import annotations

import json
import sys
from datetime import datetime
from typing import Any

import click

from ..core.model import Conversation, Hit, Session
from ..core.reconcile import Report
from ..core.status import IndexStatus, SourceStatus

SCHEMA = 1


def iso(time: int | None) -> str | None:
    """UTC milliseconds as ISO 8601 in the local zone, with the zone."""
    return None if time is None else datetime.fromtimestamp(time / 1000).astimezone().isoformat(timespec="milliseconds")


def short_time(time: int | None) -> str:
    """UTC milliseconds as local date and minute."""
    return "no date" if time is None else datetime.fromtimestamp(time / 1000).astimezone().strftime("%Y-%m-%d %H:%M")


def print_json(value: dict[str, Any]) -> None:
    """One JSON object on stdout; ASCII alone, so that no terminal, pipe or encoding can be upset by it."""
    click.echo(json.dumps({"schema": SCHEMA, **value}, ensure_ascii=True))


def note(text: str) -> None:
    """A line for the person, on stderr."""
    click.echo(text, err=True)


def is_terminal() -> bool:
    return sys.stderr.isatty()


def report_json(report: Report) -> dict[str, Any]:
    sessions, turns = report.sessions - report.sessions_before, report.turns - report.turns_before
    return {
        "files": {
            name: getattr(report, name) for name in ("seen", "read", "unchanged", "quarantined", "gone", "excluded")
        },
        "sessions": report.sessions,
        "turns": report.turns,
        "added": {"sessions": max(0, sessions), "turns": max(0, turns)},
        "removed": {"sessions": max(0, -sessions), "turns": max(0, -turns)},
        "bytes_read": report.bytes_read,
        "skips": report.skips,
        "left_out": report.left_out,
        "errors": report.errors,
        "finished": report.finished,
        "seconds": round(report.seconds, 3),
    }


def source_json(status: SourceStatus) -> dict[str, Any]:
    return {
        "name": status.name,
        "title": status.title,
        "found": status.found,
        "ticked": status.ticked,
        "roots": list(status.roots),
        "files": status.files,
        "sessions": status.sessions,
        "turns": status.turns,
        "skipped": status.skipped,
        "last_run": iso(status.last_run),
        "last_error": status.last_error,
    }


def status_json(status: IndexStatus) -> dict[str, Any]:
    return {
        "index": status.path,
        "bytes": status.bytes,
        "sessions": status.sessions,
        "turns": status.turns,
        "gone_at_source": status.gone_at_source,
        "quarantined": status.quarantined,
        "skips": dict(status.skips),
        "left_out": dict(status.left_out),
        "redacted": dict(status.redacted),
        "oldest": iso(status.oldest),
        "newest": iso(status.newest),
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
            }
            for turn in conversation.turns
        ],
        "before": conversation.before,
        "after": conversation.after,
    }
