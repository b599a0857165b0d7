"""The installed `harkback` as a child process, for tests of what it prints and how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any


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


class CommandLine:
    """The installed `harkback`, run as a child process in the test's own home."""

    program = Path(sys.executable).with_name("harkback")

    def __init__(self, home: Path) -> None:
        self.home = home
        self.environ = {"HOME": str(home), "USERPROFILE": str(home), "PATH": os.defpath, "TZ": "UTC"}
        self.environ["PYTHONUTF8"] = "1"
        self.folder = home / ".local" / "share" / "harkback"
        """Where its configuration and index are, unless it is told otherwise."""
        self.environ["HARKBACK_HOME"] = str(self.folder)

    def __call__(self, *words: str | bytes, typed: str = "", **environ: str) -> Ran:
        """Run it; `typed` is its input, `environ` added to its environment. It must not print a traceback."""
        done = subprocess.run(
            [self.program, *words], env=self.environ | environ, input=typed.encode(), capture_output=True
        )
        ran = Ran(
            done.returncode, *(stream.decode("utf-8", "surrogateescape") for stream in (done.stdout, done.stderr))
        )
        assert "Traceback" not in ran.err, ran.err
        return ran
