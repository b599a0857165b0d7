"""The command line, imported once and forked for each command: a process of its own, without the wait for its start.

`ready_program.py NUMBER MODULE` listens on the socket that it inherits as the file of that number, until its standard
input is closed; a command is the module's `main`.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import json
import os
import pkgutil
import selectors
import signal
import socket
import sys
import threading
import time
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import harkback.adapters
import harkback.core
from harkback.tui import cli

NOT_NEEDED = {"harkback.core.embedder", "harkback.core.fetch_model", "harkback.core.vectors"}
"""What loads the libraries of search by meaning."""


def import_all() -> None:
    """Import what commands import as they go, so that each need not."""
    for package in (harkback.core, harkback.adapters):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            if module.name not in NOT_NEEDED:
                import_module(module.name)
    for name in (*(f"harkback.tui.{each}" for each in cli.COMMANDS), "tomlkit", "watchfiles"):
        import_module(name)


def stream(number: int, mode: str, errors: str, *, lines: bool = False) -> Any:
    """A standard stream as Python opens it; `lines`: it is written line by line even if nobody reads along."""
    return open(number, mode, 1 if lines else -1, "utf-8", errors, closefd=False)


@dataclass
class Request:
    """A command line to be run, as `ready_ask.py` says it."""

    words: list[str]
    environ: dict[str, str]
    folder: str
    umask: int
    session: bool
    streams: list[int]

    @classmethod
    def received(cls, connection: socket.socket) -> Request:
        _, streams, _, _ = socket.recv_fds(connection, 1, 3)
        with connection.makefile("r") as said:
            return cls(**json.loads(said.readline()), streams=streams)

    def become(self) -> None:
        """Take all of it over, as a program has it that is started anew."""
        if self.session:
            os.setsid()
        for number, given in enumerate(self.streams):
            os.dup2(given, number)
            os.close(given)
        sys.stdin = stream(0, "r", "surrogateescape")
        sys.stdout = stream(1, "w", "surrogateescape")
        sys.stderr = stream(2, "w", "backslashreplace", lines=True)
        os.environ.clear()
        os.environ.update(self.environ)
        time.tzset()
        os.chdir(self.folder)
        os.umask(self.umask)
        sys.argv = self.words


def next_request(listening: socket.socket) -> Request:
    """Fork whenever somebody asks; returns in the new process alone."""
    selector = selectors.DefaultSelector()
    woken, wake = socket.socketpair()
    wake.setblocking(False)
    signal.set_wakeup_fd(wake.fileno())
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    for source in (sys.stdin.fileno(), woken, listening):
        selector.register(source, selectors.EVENT_READ)
    asking: dict[socket.socket, int] = {}
    while True:
        for source in [key.fileobj for key, _ in selector.select()]:
            if source is listening:
                connection, _ = listening.accept()
                request = Request.received(connection)
                if (pid := os.fork()) == 0:
                    signal.set_wakeup_fd(-1)
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    selector.close()
                    for other in (listening, woken, wake, connection, *asking):
                        other.close()
                    return request
                for given in request.streams:
                    os.close(given)
                asking[connection] = pid
                selector.register(connection, selectors.EVENT_READ)
            elif source is woken:
                woken.recv(1 << 10)
                for connection, pid in list(asking.items()):
                    done, status = os.waitpid(pid, os.WNOHANG)
                    if done:
                        del asking[connection]
                        selector.unregister(connection)
                        with connection, contextlib.suppress(BrokenPipeError):
                            connection.sendall(b"%d" % os.waitstatus_to_exitcode(status))
            elif isinstance(source, socket.socket):
                if source in asking:  # who asked is gone
                    os.kill(asking.pop(source), signal.SIGKILL)
                    selector.unregister(source)
                    source.close()
            else:
                sys.exit()


def end(code: object) -> NoReturn:
    """Do what an interpreter does at its end, but for taking every module apart."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    assert isinstance(code, int)
    try:
        sys.stdout.flush()
    except OSError:
        code = 120
    os._exit(code)


if __name__ == "__main__":
    main = import_module(sys.argv[2]).main
    import_all()
    sys.path.remove(str(Path(__file__).parent))
    gc.freeze()
    next_request(socket.socket(fileno=int(sys.argv[1]))).become()
    try:
        main()
    except SystemExit as ended:
        end(ended.code)
