"""The Model Context Protocol on two streams: JSON-RPC 2.0, an object a line, with tools and nothing else.

https://modelcontextprotocol.io/specification/2025-11-25; of the newer protocol without a handshake, clients fall back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, BinaryIO, NamedTuple, NoReturn, cast

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Of the protocol, the newest first."""
LONGEST_LINE, LONGEST_ID = 1 << 20, 256
MOST_AT_ONCE = 32
"""Requests in one line, as two versions allow."""
_NO_JSON, _NO_REQUEST, _NO_METHOD, _BAD_ARGUMENTS = -32700, -32600, -32601, -32602


class Answer(NamedTuple):
    """What a tool says."""

    text: str
    is_error: bool = False


class Server(NamedTuple):
    """What is offered."""

    name: str
    version: str
    instructions: str
    tools: Sequence[Mapping[str, Any]]
    call: Callable[[str, object], Answer]
    """A tool's answer by its name and its arguments, which may be anything; never raises."""


class _Refused(Exception):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


def serve(server: Server, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer each request in its turn, until there are no more. Raises OSError where nobody reads the answers."""
    while line := requests.readline(LONGEST_LINE):
        too_long = len(line) == LONGEST_LINE and not line.endswith(b"\n")
        while too_long and (rest := requests.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
            pass
        if not line.strip():
            continue
        answer = _error(None, _NO_REQUEST, "the request is too long") if too_long else _answer_line(server, line)
        if answer is not None:
            # ASCII alone, so that nothing in it can be taken for the end of a line or for a terminal's orders.
            answers.write(json.dumps(answer, ensure_ascii=True, separators=(",", ":")).encode() + b"\n")
            answers.flush()


def _answer_line(server: Server, line: bytes) -> object:
    """The answer to a line; None where none is due."""
    try:
        request = json.loads(line.decode("utf-8", "replace"), parse_constant=_not_json)
    except (ValueError, RecursionError):
        return _error(None, _NO_JSON, "this is not JSON")
    if not isinstance(request, list):
        return _answer(server, request)
    several = cast(list[object], request)
    if not 0 < len(several) <= MOST_AT_ONCE:
        return _error(None, _NO_REQUEST, f"between 1 and {MOST_AT_ONCE} requests can be made at once")
    answers = [answer for each in several if (answer := _answer(server, each)) is not None]
    return answers or None


def _answer(server: Server, request: object) -> dict[str, Any] | None:
    if not isinstance(request, dict):
        return _error(None, _NO_REQUEST, "a request is an object")
    given = cast(dict[str, Any], request)
    method, of = given.get("method"), given.get("id")
    if method is None and ("result" in given or "error" in given):
        return None  # an answer, but nothing was asked
    valid_id = isinstance(of, (str, int)) and not isinstance(of, bool) and len(str(of)) <= LONGEST_ID
    if not isinstance(method, str) or ("id" in given and not valid_id):
        return _error(
            of if valid_id else None, _NO_REQUEST, "a request has a method, and an id that is text or a number"
        )
    if "id" not in given:
        return None  # a notification: none of them changes anything here
    try:
        result = _result(server, method, given.get("params"))
    except _Refused as error:
        return _error(of, error.code, error.message)
    return {"jsonrpc": "2.0", "id": of, "result": result}


def _result(server: Server, method: str, params: object) -> dict[str, Any]:
    if params is not None and not isinstance(params, dict):
        raise _Refused(_BAD_ARGUMENTS, "params is an object")
    given = cast(dict[str, Any], params or {})
    match method:
        case "initialize":
            wanted = given.get("protocolVersion")
            return {
                "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": server.name, "version": server.version},
                "instructions": server.instructions,
            }
        case "ping":
            return {}
        case "tools/list":
            return {"tools": [*server.tools]}
        case "tools/call":
            name = given.get("name")
            if not isinstance(name, str) or name not in {tool["name"] for tool in server.tools}:
                raise _Refused(_BAD_ARGUMENTS, "there is no such tool")
            text, is_error = server.call(name, given.get("arguments"))
            return {"content": [{"type": "text", "text": text}], "isError": is_error}
        case _:
            raise _Refused(_NO_METHOD, "there is no such method")


def _error(of: object, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": of, "error": {"code": code, "message": message}}


def _not_json(constant: str) -> NoReturn:
    raise ValueError(constant)
