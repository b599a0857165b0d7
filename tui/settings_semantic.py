"""Settings, fourth page: search by meaning, so far as it is installed and turned on."""

from __future__ import annotations

from importlib.util import find_spec

from .settings_facts import Facts
from .settings_lines import Heading, Line, Note, Quiet

INSTALL = "pip install 'harkback[semantic]'"


class SemanticSection(Quiet):
    """Says what there is; words are searched in any case."""

    title = "Semantic"

    def lines(self, facts: Facts, width: int) -> list[Line]:
        if not installed():
            return [
                Heading("Search by meaning: not installed"),
                Note(INSTALL),
                Note("Words are searched without it. It needs a model on this machine; nothing is sent anywhere."),
            ]
        return [Heading("Search by meaning: off"), Note("Words are searched without it.")]


def installed() -> bool:
    """Whether the extra that search by meaning needs is there."""
    return find_spec("fastembed") is not None
