"""The shapes of ZCode's request log: headers, tools and provider options are declared nowhere, so never decoded."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass

import msgspec

from .base import parse_time
from .content import label
from .json_lines import NULL, decode
from .zcode_text import DIRECTORY, PEEK, answer


class Line(msgspec.Struct, rename="camel"):
    """One request to the model, and what came of it."""

    type: object = None
    request_id: object = None
    attempt: object = None
    query_source: object = None
    started_at: object = None
    completed_at: object = None
    model: msgspec.Raw = NULL
    request: msgspec.Raw = NULL
    response: msgspec.Raw = NULL


class _Body(msgspec.Struct):
    system: msgspec.Raw = NULL
    messages: list[msgspec.Raw] | None = None
    input: msgspec.Raw = NULL


class Request(msgspec.Struct, rename="camel"):
    messages: list[msgspec.Raw] | None = None
    message_offset: object = None
    body: msgspec.Raw = NULL


class Message(msgspec.Struct, rename="camel"):
    role: object = None
    content: msgspec.Raw = NULL
    tool_calls: msgspec.Raw = NULL
    tool_name: object = None


class _Response(msgspec.Struct, rename="camel"):
    text: object = None
    tool_calls: msgspec.Raw = NULL


class _Model(msgspec.Struct, rename="camel"):
    model_id: object = None


LINES = msgspec.json.Decoder(Line)
MESSAGE = msgspec.json.Decoder(Message)
CALLS = msgspec.json.Decoder(list[object] | None)
_REQUEST = msgspec.json.Decoder(Request | None)
_BODY = msgspec.json.Decoder(_Body | None)
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_RESPONSE = msgspec.json.Decoder(_Response | None)
_MODEL = msgspec.json.Decoder(_Model | None)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model answered to one request."""

    text: str
    tool_calls: msgspec.Raw
    time: int | None


def request_of(line: Line) -> tuple[list[msgspec.Raw], object]:
    """A request's messages, not yet decoded, and the place of the first of them. Raises ValueError."""
    request = decode(line.request, _REQUEST) or Request()
    messages = request.messages
    if messages is None:
        body = decode(request.body, _BODY) or _Body()
        messages = body.messages
        if messages is None and bytes(memoryview(body.input)[:1]) == b"[":
            messages = decode(body.input, _LIST)
    return messages or [], request.message_offset


def answer_of(line: Line) -> Answer | None:
    """What came of a request; None where nothing did."""
    with suppress(ValueError):
        response = decode(line.response, _RESPONSE)
        if response is not None:
            return Answer(answer(response.text), response.tool_calls.copy(), parse_time(line.completed_at))
    return None


def model_of(line: Line) -> str | None:
    with suppress(ValueError):
        return label((decode(line.model, _MODEL) or _Model()).model_id)
    return None


def directory_of(line: Line, messages: list[msgspec.Raw]) -> str | None:
    """The working directory, which stands in the beginning of the system text and nowhere else."""
    with suppress(ValueError):
        for raw in messages[:1]:
            message = decode(raw, MESSAGE)
            if message.role == "system" and (found := _directory(message.content)):
                return found
        request = decode(line.request, _REQUEST) or Request()
        return _directory((decode(request.body, _BODY) or _Body()).system)
    return None


def _directory(raw: msgspec.Raw) -> str | None:
    found = DIRECTORY.search(bytes(memoryview(raw)[:PEEK]))
    if found is None:
        return None
    text: object = json.loads(b'"' + found[1] + b'"')
    return label(text.strip() if isinstance(text, str) else None)
