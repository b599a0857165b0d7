"""An agent at the other end of `harkback mcp`: a child process that is asked over pipes."""

from __future__ import annotations

import itertools
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from command_line import CommandLine, ready_command


class Agent:
    """Asks one server."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.lines: list[bytes] = []
        """Every line that came back."""
        self._ids = itertools.count(1)

    def send(self, line: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self) -> Any:
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line.endswith(b"\n"), (line, self.process.poll())
        self.lines.append(line)
        return json.loads(line)

    def ask(self, method: str, params: Any = None) -> Any:
        """The result of a request, or its error."""
        number = next(self._ids)
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        self.send(json.dumps(request).encode())
        answer = self.receive()
        assert answer["jsonrpc"] == "2.0"
        assert answer["id"] == number
        return answer["error"] if "error" in answer else answer["result"]

    def text(self, tool: str, arguments: Any) -> tuple[str, bool]:
        """What a tool says, and whether that is an error."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        (content,) = result["content"]
        assert content["type"] == "text"
        return content["text"], result["isError"]

    def call(self, tool: str, **arguments: Any) -> Any:
        """The object that a tool answers with."""
        text, is_error = self.text(tool, arguments)
        assert not is_error, text
        return json.loads(text)

    def refused(self, tool: str, **arguments: Any) -> str:
        """Why a tool answers with nothing."""
        text, is_error = self.text(tool, arguments)
        assert is_error, text
        return text

    def end(self) -> tuple[int, bytes]:
        """Close its input; gives how it ended and what it said on stderr."""
        out, err = self.process.communicate()
        assert out == b""
        return self.process.returncode, err


@contextmanager
def serving(harkback: CommandLine, *options: str, anew: bool = False, **environ: str) -> Iterator[Agent]:
    """A server in the home of a command line; its input ends with the block. `anew`: the installed program."""
    process = subprocess.Popen(
        [harkback.program, "mcp", *options] if anew else ready_command("mcp", *options),
        env=harkback.environ | environ,
        cwd=harkback.home,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    agent = Agent(process)
    try:
        yield agent
        if process.poll() is None and process.stdin and not process.stdin.closed:
            assert agent.end() == (0, b"")
    finally:
        process.kill()
        process.communicate()
