"""Forgetting from the settings: what would go is counted first, and a child process does it and tells how it went."""

from __future__ import annotations

import subprocess
from contextlib import closing
from dataclasses import dataclass

from ..core.forget_plan import Plan, Request, plan
from ..core.history import NotFound
from ..core.store import NoIndex
from .settings_lines import Job, Look, Say, Wish
from .surroundings import Surroundings
from .wording import counted


@dataclass(frozen=True, slots=True)
class Planned:
    """What a wish to forget comes to; `plan` is None where nothing is meant by it."""

    request: Request
    what: str
    """In words."""
    plan: Plan | None


def planned(place: Surroundings, request: Request, what: str) -> Look:
    """Count what would go."""

    def find() -> Planned:
        try:
            with closing(place.store.read()) as db:
                found = plan(db, request)
        except (NoIndex, NotFound):
            return Planned(request, what, None)
        return Planned(request, what, found if found.rows else None)

    return Look(find)


def forgetting(place: Surroundings, found: Planned) -> Wish:
    """Ask, then do it."""
    if found.plan is None:
        return Say(f"Nothing of {found.what} is in the index.")
    sessions, turns = counted(found.plan.sessions, "session"), counted(found.plan.turns, "turn")
    lines = [
        f"This forgets {found.what} for good: {sessions} with {turns}.",
        "They don't come back, not even by a rebuild. Your agents' own files stay as they are.",
    ]
    if found.plan.copies:
        more = f" and {len(found.plan.copies) - 3} more" if len(found.plan.copies) > 3 else ""
        lines.append(
            f"Copies of some turns stay in {', '.join(found.plan.copies[:3])}{more}: forget those by themselves, "
            "or use harkback forget --copies."
        )
    return Job(lambda: _forget(place, found.request), "\n".join(lines), yes="forget", doing="forgetting …")


def _forget(place: Surroundings, request: Request) -> str:
    """Have a child do it; what it says is what came of it."""
    which = (
        ["--all"]
        if request.everything
        else [f"--source={request.source}"]
        if request.source is not None
        else [f"--project={request.project}"]
        if request.project is not None
        else [f"--session={request.session}"]
    )
    done = subprocess.run(
        place.own_command("forget", *which, "--yes"),
        env=place.worker_environ(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
        errors="replace",
    )
    return told(done.stdout, done.stderr) or f"forgetting ended without a word (exit code {done.returncode})"


def told(output: str, notes: str) -> str:
    """What the child says of its work, without what it announces before: that was the question here."""
    lines = [line.strip() for line in notes.splitlines() if line.strip()]
    announced = [n for n, line in enumerate(lines, 1) if line.startswith(("Your agents' own files", "Copies of some"))]
    return "\n".join([*(line.strip() for line in output.splitlines()), *lines[max(announced, default=0) :]]).strip()
