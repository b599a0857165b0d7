"""What stands in place of results when there are none: what was searched, and what to try. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from .asking import Answer
from .wording import counted


def empty_text(answer: Answer, sources: Sequence[str], *, indexing: bool) -> Content:
    """`sources` are the titles of the ticked ones."""
    named = " and ".join([", ".join(sources[:-1]), sources[-1]] if len(sources) > 1 else list(sources))
    if answer.turns == 0:
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
        return _page("No session in this project yet.", ["^r searches everywhere"])
    lines = [f"Searched {counted(answer.turns, 'turn')} of {named}." if named else ""]
    hints = [problem.message for problem in answer.query.problems]
    if answer.request.project:
        hints.append(f"only in {answer.request.project}: ^r searches everywhere")
    if typed := [each for each in answer.query.filters if each.stop]:
        hints.append("without " + " ".join(answer.query.text[each.start : each.stop] for each in typed) + "?")
    if len(answer.query.wanted) > 1:
        hints.append("fewer or other words?")
    if answer.left_out:
        hints.append(
            f"{counted(answer.left_out, 'session')} left out by the limits: f3 says which and how to widen them"
        )
    return _page(f"Nothing says “{answer.query.text.strip()}”.", [*lines, "", *hints])


def _page(title: str, lines: Sequence[str]) -> Content:
    return Content("\n").join([Content.styled(title, "bold"), Content(""), *[Content(line) for line in lines]])
