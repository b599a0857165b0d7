"""What agents may ask: the arguments of each tool, with the descriptions that they are offered with."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

LONGEST_QUERY, LONGEST_NAME = 4_096, 8_192
HITS, MOST_HITS, MOST_SESSIONS, FARTHEST = 10, 25, 200, 1_000
MOST_TURNS, MOST_BESIDE, MOST_TOKENS, MOST_LINES = 200, 20, 6_000, 5_000
GREATEST = 2**53


class BadRequest(Exception):
    """Arguments that no tool can take; the message says what is wrong, for whoever asked."""


def _text(description: str, most: int = LONGEST_QUERY) -> Any:
    return msgspec.Meta(description=description, min_length=1, max_length=most)


def _number(description: str, least: int, most: int) -> Any:
    """Numbers beyond are brought within, so only the description says it."""
    return msgspec.Meta(description=description, extra_json_schema={"minimum": least, "maximum": most})


_QUERY = _text(
    'Words, "a phrase", -word, word*, a OR b, and filters such as source:codex project:web role:user after:7d '
    "before:2026-03-01. A few words are all wanted; of a question, any. Any language."
)
_SESSION = _text("A session as other tools name it, source:id, or the beginning of its id.", LONGEST_NAME)
_OFFSET = _number("How many to pass over: `next_offset` of the answer before.", 0, FARTHEST)


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of a tool."""


class SessionsSearch(Request, frozen=True):
    """Find turns in past sessions of all coding agents on this machine: what was said, decided, tried or fixed before.

    Each hit has a snippet; sessions_history with its `session` and `turn` gives what stands around it.
    """

    query: Annotated[str, _QUERY]
    session: Annotated[str, _SESSION] | None = None
    sort: Annotated[Literal["relevance", "recent"], msgspec.Meta(description="Best or newest first.")] = "relevance"
    limit: Annotated[int, _number("Hits at most.", 1, MOST_HITS)] = HITS
    offset: Annotated[int, _OFFSET] = 0


class SessionsHistory(Request, frozen=True):
    """Read a past session: its newest turns, the page before them by `offset`, or the turns around `turn`."""

    session: Annotated[str, _SESSION]
    turn: Annotated[int, _number("A turn's number: gives it and what stands around it.", 1, GREATEST)] | None = None
    beside: Annotated[int, _number("With `turn`: turns on each side.", 0, MOST_BESIDE)] = 3
    text_from: Annotated[
        int, _number("With `turn`: characters of its text to pass over; a text is cut at 4000.", 0, GREATEST)
    ] = 0
    limit: Annotated[int, _number("Turns at most.", 1, MOST_TURNS)] = 20
    offset: Annotated[int, _number("Newest turns to pass over: `next_offset` of the answer before.", 0, GREATEST)] = 0
    tools: Annotated[bool, msgspec.Meta(description="Also what tools were told and answered, if that is kept.")] = False


class SessionsList(Request, frozen=True):
    """List past sessions, the newest first."""

    project: Annotated[str, _text("A part of the working directory.")] | None = None
    source: Annotated[str, _text("The agent, as in claude, codex, openclaw.")] | None = None
    kind: Annotated[
        Literal["main", "subagent", "automated", "memory", "any"],
        msgspec.Meta(description="The person's own, those of sub-agents, of programs, memory files, or any."),
    ] = "main"
    active_minutes: Annotated[int, _number("Only those with a turn in the last minutes.", 1, GREATEST)] | None = None
    messages: Annotated[int, _number("Newest turns of each to show the beginning of.", 0, MOST_BESIDE)] = 0
    limit: Annotated[int, _number("Sessions at most.", 1, MOST_SESSIONS)] = 20
    offset: Annotated[int, _number("How many to pass over: `next_offset`.", 0, GREATEST)] = 0


class MemorySearch(Request, frozen=True):
    """Find what memory files (CLAUDE.md, AGENTS.md, MEMORY.md, rules, dated notes) and observations say.

    A hit in a file has `cite`, path#L12-L30, which memory_get takes.
    """

    query: Annotated[str, _QUERY]
    limit: Annotated[int, _number("Hits at most.", 1, MOST_HITS)] = HITS
    offset: Annotated[int, _OFFSET] = 0


class MemoryGet(Request, frozen=True):
    """Read lines of a memory file that memory_search found, as it was when indexed. No other file can be read."""

    path: Annotated[str, _text("As memory_search gives it: path or path#L12-L30.", LONGEST_NAME)]
    first: Annotated[int, _number("The first line, from 1.", 1, GREATEST)] | None = None
    lines: Annotated[int, _number("How many lines.", 1, MOST_LINES)] | None = None


class Timeline(Request, frozen=True):
    """What the person asked and what was noted before and after a moment: in the project of a turn, across sessions.

    The moment is a session's turn, or the best hit of a query.
    """

    query: Annotated[str, _QUERY] | None = None
    session: Annotated[str, _SESSION] | None = None
    turn: Annotated[int, _number("With `session`: the turn's number; else its last.", 1, GREATEST)] | None = None
    before: Annotated[int, _number("Turns before it.", 0, MOST_BESIDE)] = 5
    after: Annotated[int, _number("Turns after it.", 0, MOST_BESIDE)] = 5
    within: Annotated[
        Literal["project", "session"], msgspec.Meta(description="All sessions of its project, or its own.")
    ] = "project"


class Context(Request, frozen=True):
    """What a query finds, as one text within a budget of tokens: a line a hit, what is around it, or whole rounds."""

    query: Annotated[str, _QUERY]
    budget: Annotated[int, _number("Tokens at most, about.", 1, MOST_TOKENS)] = 2_000
    layer: Annotated[
        Literal["index", "timeline", "full"],
        msgspec.Meta(description="50 to 100 tokens a hit, 100 to 200, or 500 and more."),
    ] = "full"


TOOLS: dict[str, type[Request]] = {
    "sessions_search": SessionsSearch,
    "sessions_history": SessionsHistory,
    "sessions_list": SessionsList,
    "memory_search": MemorySearch,
    "memory_get": MemoryGet,
    "timeline": Timeline,
    "context": Context,
}
"""In the order that they are offered in."""


def schema(request: type[Request]) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments."""
    whole = msgspec.json.schema(request)["$defs"][request.__name__]
    return {key: whole[key] for key in ("type", "properties", "required", "additionalProperties") if key in whole}


def read(name: str, arguments: object) -> Request:
    """The arguments of the tool `name`, numbers brought within their limits. Raises BadRequest."""
    kind = TOOLS.get(name)
    if kind is None:
        raise BadRequest(f"there is no such tool; there are {', '.join(TOOLS)}")
    try:
        request = msgspec.convert({} if arguments is None else arguments, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        raise BadRequest(f"{error}; known here: {', '.join(kind.__struct_fields__)}") from error
    changed: dict[str, Any] = {}
    for field, facts in schema(kind)["properties"].items():
        value = getattr(request, field)
        if isinstance(value, str):
            changed[field] = value.encode("utf-8", "replace").decode()  # half a pair of surrogates is no text
        elif isinstance(value, int) and not isinstance(value, bool):
            limits = next(each for each in (facts, *facts.get("anyOf", ())) if "minimum" in each)
            changed[field] = min(max(value, limits["minimum"]), limits["maximum"])
    return msgspec.structs.replace(request, **changed)
