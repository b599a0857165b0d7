"""What an app in a test stands on: its child processes are forked from a program that is ready."""

from __future__ import annotations

from dataclasses import fields

from command_line import ready_command
from harkback.tui.surroundings import Surroundings


class ReadySurroundings(Surroundings):
    """As the program itself, but for the wait until Python has started."""

    @classmethod
    def of(cls, place: Surroundings) -> ReadySurroundings:
        return cls(**{field.name: getattr(place, field.name) for field in fields(place)})

    def own_command(self, *words: str) -> list[str]:
        return ready_command("--home", str(self.folder), *words)
