"""What stands in place of results when there are none: what was searched, and what to try. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from ..core.query import Query
from .asked import Answer
from .wording import counted

MOST_NAMED = 6
"""Sources, by name."""


def empty_text(answer: Answer, sources: Sequence[str], *, indexing: bool) -> Content:
    """`sources` are the titles of the ticked ones."""
    named = _listed(sources)
    if answer.sessions == 0:
        if answer.hidden:
            return _page(
                f"{counted(answer.hidden, 'file')} hidden until secrets in them are masked by newer rules.",
                ["What was indexed is kept, and shown file by file as it is done, the newest first."],
            )
        if indexing:
            return _page("Reading your sessions for the first time.", ["The newest appear here within a second."])
        if answer.skipped:
            return _page(
                "Nothing that was found could be kept.", ["f3 says what was left out or not readable, and why."]
            )
        return _page(
            "Nothing is indexed yet.",
            [f"Looked at {named}." if named else "No source is ticked.", "f2 sources · f5 look again"],
        )
    if answer.lists_sessions:
        project = answer.request.project
        where = f"No session in {project} yet." if project else "No session of yours yet."
        hints = (
            ["^r shows those of everywhere"] if project else ["What sub-agents and memory files say can be searched."]
        )
        return _page(where, [f"There are {counted(answer.sessions, 'session')} in all.", "", *hints])
    words, typed = _parts(answer.query)
    hints: list[str] = []
    if answer.suggestion:
        hints.append(f"Did you mean {answer.suggestion}?  (tab)")
    hints += [problem.message for problem in answer.query.problems]
    if answer.request.project:
        hints.append(f"only in {answer.request.project}: ^r searches everywhere")
    if typed:
        hints.append(f"^x drops the filter {', then '.join(reversed(typed))}")
    if len(answer.query.wanted) > 1:
        hints.append("fewer or other words?")
    if answer.left_out:
        hints.append(
            f"{counted(answer.left_out, 'session')} left out by the limits: f3 says which and how to widen them"
        )
    if answer.unticked:
        hints.append(f"{_listed(answer.unticked)} {'is' if len(answer.unticked) == 1 else 'are'} not ticked: f2")
    days = f" from the last {answer.window_days} days" if answer.window_days else ""
    searched = f"Searched {counted(answer.turns, 'turn')} of {_listed(sources)}{days}." if sources else ""
    told = f"Nothing says “{words}”" if words else "There is nothing"
    return _page(told + (f" with {' '.join(typed)}." if typed else "."), [searched, "", *hints])


def meant_line(answer: Answer) -> str:
    """Which word no text has and what is shown in its place, or what may have been meant; empty where all is well."""
    if answer.suggestion is None:
        return ""
    used = [(term.text, term.similar) for group in answer.query.wanted for term in group if term.similar]
    if used:
        told = "; ".join(f"no text has “{typed}”: showing {', '.join(similar)}" for typed, similar in used)
        return f"{told} (tab)"
    return f"Did you mean {answer.suggestion}? (tab)"


def _parts(query: Query) -> tuple[str, list[str]]:
    """What was typed but for the filters, and those, as they were typed."""
    places = sorted((each.start, each.stop) for each in query.filters if each.stop)
    starts, stops = [0, *(stop for _, stop in places)], [*(start for start, _ in places), len(query.text)]
    words = " ".join(part for a, b in zip(starts, stops, strict=True) if (part := query.text[a:b].strip()))
    return words, [query.text[start:stop] for start, stop in places]


def _listed(names: Sequence[str]) -> str:
    """Their names, with commas; of more than a line of them the first, and how many others there are."""
    if len(names) > MOST_NAMED:
        names = [*names[: MOST_NAMED - 1], f"{len(names) - MOST_NAMED + 1} other sources"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else list(names))


def _page(title: str, lines: Sequence[str]) -> Content:
    return Content("\n").join([Content.styled(title, "bold"), Content(""), *[Content(line) for line in lines]])
