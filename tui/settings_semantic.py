"""Settings, fourth page: search by meaning: whether, by which model, and how far it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from ..core.config import Semantic
from ..core.fetch_model import have_model, offer
from ..core.model_folder import PRESETS, find_model
from ..core.no_model import NoModel
from .settings_facts import Facts
from .settings_lines import Box, Heading, Line, Look, Note, Pick, Quiet, Save, Wish
from .surroundings import Surroundings
from .wording import byte_size, counted, from_home

INSTALL = "pip install 'harkback[semantic]'"


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Search by meaning as it is to be, and whether its model has to be fetched for it."""

    semantic: Semantic
    missing: bool


class SemanticSection(Quiet):
    """Keys: `semantic`, and `model:NAME`. Words are searched in any case."""

    title = "Semantic"

    def __init__(self, place: Surroundings) -> None:
        self._place = place
        self._facts: Facts | None = None

    def lines(self, facts: Facts, width: int) -> list[Line]:
        self._facts = facts
        words = Note("Words are searched in any case. Nothing that was said is sent anywhere.", faint=True)
        if not facts.embeds:
            return [Heading("Search by meaning: not installed"), Note(INSTALL), words]
        semantic = facts.config.semantic
        return [
            Heading(f"Search by meaning: {'on' if semantic.enabled else 'off'}"),
            Box("semantic", "find what means the same, beside what says the same", semantic.enabled),
            *self._state(facts),
            Heading("Model"),
            *(
                Pick(f"model:{key}", f"{each.name}: {each.languages}, {each.megabytes} MB", key == semantic.model)
                for key, each in PRESETS.items()
            ),
            *([Note(f"read from {from_home(semantic.model_path, facts.home)}")] if semantic.model_path else []),
            words,
        ]

    def _state(self, facts: Facts) -> Iterator[Line]:
        state = facts.semantic
        if state is None or not state.enabled:
            return
        if state.trouble:
            yield Note(f"Words alone are searched: {state.trouble}")
            return
        share = f" ({state.done / state.total:.0%})" if state.total else ""
        size = byte_size(state.done * PRESETS[facts.config.semantic.model].dimension)
        yield Note(f"{state.done:,} of {counted(state.total, 'piece')} of text are ready{share}: {size} of the index")
        if state.waiting:
            yield Note(f"{state.waiting:,} of another model wait to be made anew")

    def toggled(self, key: str, on: bool) -> Wish:
        if self._facts is None:
            return None
        semantic = self._facts.config.semantic
        if key == "semantic":
            if not on:
                return Save({"semantic.enabled": False}, "Only words are searched.")
            return self._look(replace(semantic, enabled=True))
        name = key.partition(":")[2]
        if not on or name == semantic.model:
            return None
        if not semantic.enabled:
            return Save({"semantic.model": name}, f"The model is {PRESETS[name].name}.")
        return self._look(replace(semantic, model=name))

    def _look(self, semantic: Semantic) -> Look:
        def find() -> _Wanted:
            try:
                find_model(semantic, self._place.folder)
            except NoModel:
                return _Wanted(semantic, missing=True)
            return _Wanted(semantic, missing=False)

        return Look(find)

    def heard(self, found: object) -> Wish:
        if not isinstance(found, _Wanted):
            return None
        semantic, folder, preset = found.semantic, self._place.folder, PRESETS[found.semantic.model]
        changes = {"semantic.enabled": True, "semantic.model": semantic.model}
        said = f"Search by meaning is made ready in the background, by {preset.name}."
        if not found.missing or semantic.model_path:
            return Save(changes, said, before=lambda: have_model(semantic, folder))
        return Save(
            changes,
            said,
            f"{offer(preset)}\nThen every turn is computed on this machine, in the background.",
            yes="fetch it",
            before=lambda: have_model(semantic, folder),
            doing=f"fetching the model, {preset.megabytes} MB …",
        )
