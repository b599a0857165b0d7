"""`harkback` as a child process, for tests of what it prints and how it ends: one that is ready, or the installed one
started anew."""

from __future__ import annotations

import atexit
import functools
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ready_ask

PROGRAM = Path(sys.executable).with_name("harkback")
"""The installed one."""
PATIENCE = 300
"""Seconds after which a command is taken to hang."""


@dataclass(frozen=True)
class Ran:
    """What a command line printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object on stdout."""
        assert self.out.count("\n") == 1, self.out
        return json.loads(self.out)


@functools.cache
def ready(program: str = "harkback.tui.cli") -> str:
    """Where the program listens that is forked for each command; it ends with this process.

    `program`: the module with its `main`.
    """
    folder = tempfile.TemporaryDirectory(prefix="ready-")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(address := f"{folder.name}/socket")
    listening.listen()
    with listening:
        number = listening.fileno()
        child = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("ready_program.py"), str(number), program],
            pass_fds=[number],
            env=os.environ | {"PYTHONUTF8": "1"},
            stdin=subprocess.PIPE,
            start_new_session=True,
        )

    def end() -> None:
        child.communicate()
        folder.cleanup()

    atexit.register(end)
    return address


def ready_command(*words: str) -> list[str]:
    """A command line that does what `harkback WORDS` does, without the wait for its start."""
    script = Path(__file__).with_name("ready_ask.py")
    return [sys.executable, "-I", "-S", str(script), ready(), str(PROGRAM), *words]


def _forked(program: str, command: list[str], environ: Mapping[str, str], typed: str = "") -> tuple[int, bytes, bytes]:
    """(how it ended, what it printed, what it said on stderr)."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(typed.encode())
        given.seek(0)
        streams = [file.fileno() for file in (given, out, err)]
        asked = ready_ask.ask(ready(program), command, environ, streams)
        asked.settimeout(PATIENCE)
        code = ready_ask.ended(asked)
        for file in (out, err):
            file.seek(0)
        return code, out.read(), err.read()


def run_code(code: str) -> Ran:
    """Run Python code in a process of its own, which may be killed (its code is then the signal's, below 0)."""
    ended, out, err = _forked("ready_code", ["ready_code", code], os.environ)
    return Ran(ended, out.decode(), err.decode())


class CommandLine:
    """`harkback`, run as a child process in the test's own home."""

    program = PROGRAM
    ready_from = "harkback.tui.cli"

    def __init__(self, home: Path) -> None:
        self.home = home
        self.environ = {"HOME": str(home), "USERPROFILE": str(home), "PATH": os.defpath, "TZ": "UTC"}
        self.environ["PYTHONUTF8"] = "1"
        self.folder = home / ".local" / "share" / "harkback"
        """Where its configuration and index are, unless it is told otherwise."""
        self.environ["HARKBACK_HOME"] = str(self.folder)

    def __call__(self, *words: str | bytes, typed: str = "", **environ: str) -> Ran:
        """Run it; `typed` is its input, `environ` added to its environment. It must not print a traceback."""
        if environ.keys() & ready_ask.READ_AT_START:
            return self.anew(*words, typed=typed, **environ)
        command = [str(PROGRAM), *map(os.fsdecode, words)]
        return self._ran(*_forked(self.ready_from, command, self.environ | environ, typed))

    def anew(self, *words: str | bytes, typed: str = "", **environ: str) -> Ran:
        """The same with the installed program, started as a person starts it."""
        done = subprocess.run(
            [self.program, *words], env=self.environ | environ, input=typed.encode(), capture_output=True
        )
        return self._ran(done.returncode, done.stdout, done.stderr)

    def _ran(self, code: int, out: bytes, err: bytes) -> Ran:
        ran = Ran(code, *(stream.decode("utf-8", "surrogateescape") for stream in (out, err)))
        assert "Traceback" not in ran.err, ran.err
        return ran
