"""Settings, fourth page: search by meaning, so far as it is installed and turned on."""

from __future__ import annotations

from ..core.config import Semantic as SemanticConfig
from ..core.fetch_model import offer
from ..core.model_folder import PRESETS
from .settings_facts import Facts
from .settings_lines import Box, Heading, Line, Note, Quiet, Save, Wish

INSTALL = "pip install 'harkback[semantic]'"


class SemanticSection(Quiet):
    """Says what there is; words are searched in any case. Key: `semantic`."""

    title = "Semantic"

    def __init__(self) -> None:
        self._facts: Facts | None = None

    def lines(self, facts: Facts, width: int) -> list[Line]:
        self._facts = facts
        state = facts.semantic
        words = Note("Words are searched in any case. Nothing that was said is sent anywhere.", faint=True)
        if not state.installed:
            return [Heading("Search by meaning: not installed"), Note(INSTALL), words]
        if state.on is None:
            return [Heading("Search by meaning: off"), words]
        lines: list[Line] = [
            Heading(f"Search by meaning: {'on' if state.on else 'off'}"),
            Box("semantic", f"find what means the same{f', with {state.model}' if state.model else ''}", state.on),
        ]
        if state.on:
            share = f" ({state.done / state.chunks:.0%})" if state.chunks else ""
            lines.append(Note(f"{state.done:,} of {state.chunks:,} pieces of text are ready{share}"))
        return [*lines, words]

    def toggled(self, key: str, on: bool) -> Wish:
        if not on:
            return Save({"semantic.enabled": False}, "Only words are searched.")
        semantic = self._facts.config.semantic if self._facts else SemanticConfig()
        fetched = "" if semantic.model_path else f"{offer(PRESETS[semantic.model])}\n"
        question = f"{fetched}Then every turn is computed on this machine, in the background."
        return Save({"semantic.enabled": True}, "Search by meaning is being made ready.", question, yes="turn it on")
