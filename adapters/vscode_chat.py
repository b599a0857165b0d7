"""A chat of VS Code as records: requests, and responses made of markdown, names and what is no text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath, PureWindowsPath

from ..core.model import TITLE_GIVEN, Record, SessionRecord, SkipRecord, TurnRecord, UndoRecord
from .base import parse_time
from .content import as_list, field, identifier, label, tool_text
from .turn_ids import turn_id
from .unknown_types import UnknownTypes

SILENT = frozenset(
    """thinking prepareToolInvocation toolInvocation undoStop codeblockUri textEditGroup notebookEditGroup textEdit
    notebookEdit workspaceEdit confirmation command warning mcpServersStarting multiDiffData extensions pullRequest
    elicitation elicitationSerialized changesSummary clearToPreviousToolInvocation treeData externalEdits hook
    questionCarousel references reference codeCitation codeCitations disabledClaudeHooks planReview""".split()
)


def records_of(document: Mapping[str, object], name: str, project: str | None, *, with_tools: bool) -> Iterator[Record]:
    """The records of a whole chat; `name` is its id where the chat does not say it."""
    session, unknown = identifier(document.get("sessionId")) or name, UnknownTypes()
    title, model, order = label(document.get("customTitle")), None, 0
    begun = parse_time(document.get("creationDate"))
    if not isinstance(document.get("requests"), list):
        yield SkipRecord("unexpected-shape", "requests")
    for number, request in enumerate(as_list(document.get("requests"))):
        since, place = order, f"request {number}"
        model = label(field(request, "modelId")) or model
        native_id = turn_id(session, field(request, "requestId"))
        time = parse_time(field(request, "timestamp"))
        quality, when = ("exact", time) if time else ("file" if begun else "none", begun)
        message = field(request, "message")
        text = message if isinstance(message, str) else field(message, "text")
        if isinstance(text, str) and text.strip():
            yield TurnRecord(session, "user", text, when, order, native_id, quality=quality)
        answer, tools = _response(field(request, "response"), place, unknown)
        for count, tool in enumerate(tools if with_tools else [], 1):
            tool_id = native_id and f"{native_id}:tool{count}"
            yield TurnRecord(session, "tool", tool, when, order + count, tool_id, quality=quality)
        order += 1 + len(tools)
        if answer:
            answer_id = native_id and f"{native_id}:answer"
            yield TurnRecord(session, "assistant", answer, when, order, answer_id, quality=quality)
        order += 1
        if field(request, "isHidden") is True:
            yield UndoRecord(session, since, order)
    yield SessionRecord(session, title=title, title_rank=TITLE_GIVEN if title else 0, project=project, model=model)
    yield from unknown.told()


def _response(response: object, place: str, unknown: UnknownTypes) -> tuple[str, list[str]]:
    """The answer as it was shown, and the tools that were called for it."""
    pieces: list[str] = []
    tools: list[str] = []
    for part in as_list(response):
        kind = field(part, "kind")
        match kind:
            case None:
                pieces.append(_markdown(field(part, "value")))
            case "markdownContent" | "markdownVuln":
                pieces.append(_markdown(field(part, "content")))
            case "inlineReference":
                pieces.append(_name(field(part, "inlineReference"), field(part, "name")))
            case "toolInvocationSerialized":
                if text := _tool(part):
                    tools.append(text)
            case str() if kind in SILENT or kind.startswith("progress"):
                pass
            case _:
                unknown.count(kind, place)
    return "".join(pieces).strip(), tools


def _markdown(value: object) -> str:
    text = value if isinstance(value, str) else field(value, "value")
    return text if isinstance(text, str) else ""


def _name(reference: object, name: object) -> str:
    """What a link was shown as: its name, a symbol's, or the last part of a path."""
    for shown in (name, field(reference, "name")):
        if isinstance(shown, str) and shown:
            return shown
    for value in (reference, field(reference, "uri"), field(reference, "location", "uri")):
        path = field(value, "fsPath") or field(value, "path")
        if isinstance(path, str):
            return PureWindowsPath(path).name if "\\" in path else PurePosixPath(path).name
    return ""


def _tool(part: object) -> str:
    data = field(part, "toolSpecificData")
    command = field(data, "commandLine", "original") or field(data, "commandLine", "toolEdited")
    said = _markdown(field(part, "pastTenseMessage")) or _markdown(field(part, "invocationMessage"))
    return tool_text(field(part, "toolId"), command or said)
