"""Asks a program that is ready (`ready_program.py`) for one command line; run as a script, it stands for that command.

The script `ready_ask.py ADDRESS WORDS...` gives its own streams, folder and environment, and ends as the command did.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Mapping, Sequence

READ_AT_START = {"PYTHONUTF8", "PYTHONIOENCODING", "LANG", "LC_ALL"}
"""What an interpreter looks at as it starts: a program that is ready can't be given another of these."""


def ask(
    address: str, words: Sequence[str], environ: Mapping[str, str], streams: Sequence[int], *, session: bool = False
) -> socket.socket:
    """Have a command line run with three streams, in our folder and with our umask.

    Gives what `ended` wants; the command is killed if that is closed before. `session`: in one of its own.
    """
    umask = os.umask(0o077)
    os.umask(umask)
    request = {
        "words": list(words),
        "environ": dict(environ),
        "folder": os.getcwd(),  # noqa: PTH109, pathlib takes longer to import than this takes as a whole
        "umask": umask,
        "session": session,
    }
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(address)
    socket.send_fds(connection, [b"."], list(streams))
    connection.sendall(json.dumps(request).encode() + b"\n")
    return connection


def ended(connection: socket.socket) -> int:
    """Wait for its end; gives how it ended, as `subprocess` says it (a signal is below 0)."""
    with connection, connection.makefile("rb") as answer:
        return int(answer.read())


if __name__ == "__main__":
    asked = ask(sys.argv[1], sys.argv[2:], os.environ, (0, 1, 2), session=True)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # whoever reads and writes them does so to the command alone
        os.dup2(nowhere, stream)
    code = ended(asked)
    os._exit(code if code >= 0 else 128 - code)
