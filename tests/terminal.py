"""A program on a terminal of its own: what it is sent, byte for byte, and what it makes of keys."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

PATIENCE = 20.0
_SEQUENCE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_](?:[^\x07\x1b]|\x1b(?!\\))*(?:\x07|\x1b\\)|[ -/]*[0-Z\\^-~])", re.DOTALL
)


class Terminal:
    """Runs a program until it ends, at the latest with the block."""

    def __init__(self, command: Sequence[str | Path], environ: Mapping[str, str], size: tuple[int, int]) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        environ = {**environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        self._child = subprocess.Popen(
            command, env=environ, stdin=slave, stdout=slave, stderr=slave, start_new_session=True
        )
        os.close(slave)
        self._sent = b""
        self._ended = False

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self._child.kill()
        self._child.wait()
        os.close(self._master)

    @property
    def shown(self) -> str:
        """All that the terminal was sent."""
        return self._sent.decode("utf-8", "surrogateescape")

    def press(self, *keys: str, quiet: float = 0.2) -> None:
        """Type keys, some at once, and wait each time until nothing has been drawn for `quiet` seconds."""
        for key in keys:
            os.write(self._master, key.encode())
            while self._read(quiet):
                pass

    def until(self, text: str, since: int = 0) -> None:
        """Wait until a text has been drawn."""
        deadline = time.monotonic() + PATIENCE
        while text not in without_sequences(self.shown[since:]):
            assert time.monotonic() < deadline, (text, without_sequences(self.shown)[-800:])
            assert self._read(1.0) or not self._ended, (text, without_sequences(self.shown)[-800:])

    def end(self) -> int:
        """Wait until the program ends; gives how."""
        deadline = time.monotonic() + PATIENCE
        while not self._ended:
            assert time.monotonic() < deadline, without_sequences(self.shown)[-800:]
            self._read(1.0)
        return self._child.wait()

    def _read(self, seconds: float) -> bool:
        """Read what comes within some time; gives whether anything did."""
        if not select.select([self._master], [], [], seconds)[0]:
            return False
        try:
            part = os.read(self._master, 1 << 16)
        except OSError:
            part = b""
        self._sent += part
        self._ended = not part
        return bool(part)


def without_sequences(shown: str) -> str:
    """The letters alone."""
    return _SEQUENCE.sub("", shown)


def sequences(shown: str) -> list[str]:
    """What is sent besides letters."""
    return _SEQUENCE.findall(shown)


def kind_of(sequence: str) -> str:
    """A sequence without its numbers, where these are places and styles; else the whole of it."""
    return re.sub(r"\d+(?:[;:]\d*)*", "N", sequence) if re.fullmatch(r"\x1b\[[\d;:]*[mHABCDGd]", sequence) else sequence
