"""Reopening a session in its agent: the command to copy, and the handing over of the terminal."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..core.model import Adapter
from ..core.results import Session


@dataclass(frozen=True, slots=True)
class Resume:
    """A command as an argument list, and the folder that it must be run in."""

    argv: tuple[str, ...]
    folder: str | None
    note: str = ""
    """What the person should know before it runs."""

    def shell(self) -> str:
        """The same as a line for a shell, every part quoted."""
        command = shlex.join(self.argv)
        return f"cd {shlex.quote(self.folder)} && {command}" if self.folder else command

    def missing(self) -> str:
        """Why it cannot be run here; empty when it can."""
        if self.folder and not Path(self.folder).is_dir():
            return f"{self.folder} is no longer there"
        return ""

    def is_installed(self, environ: Mapping[str, str]) -> bool:
        """Whether there is such a program."""
        return shutil.which(self.argv[0], path=environ.get("PATH", os.defpath)) is not None

    def in_what_is_left(self) -> Resume:
        """The same command, but in the nearest folder above that is still there, with a note that says so.

        An agent that knows its sessions by folder may not find this one from there.
        """
        if not self.missing() or self.folder is None:
            return self
        for above in Path(self.folder).parents:
            if above.is_dir():
                return replace(self, folder=str(above), note=f"{self.missing()}: going to {above} instead")
        return replace(self, folder=None, note=f"{self.missing()}, nor is any folder above it: staying here")

    def run(self) -> None:
        """Become the agent; does not return. Raises OSError, as when the agent is not installed."""
        if self.folder:
            os.chdir(self.folder)
        os.execvp(self.argv[0], self.argv)  # noqa: S606, an argument list and a checked id


def resume_of(session: Session, adapter: Adapter | None) -> Resume | None:
    """How to reopen a session; None where its agent has no way."""
    argv = adapter.resume(session.handle or session.native_id) if adapter else None
    if not argv:
        return None
    return Resume(tuple(argv), session.project if _is_place(session.project) else None)


def _is_place(folder: str | None) -> bool:
    """Whether it can only be a folder: `cd -` and the like are other commands, and a line break ends one."""
    return folder is not None and os.path.isabs(folder) and folder.isprintable()  # noqa: PTH117, it is no path yet
