"""Settings, last page: what was masked, what is kept, what is to be forgotten, and where it all lies."""

from __future__ import annotations

from collections.abc import Iterator

from ..core.forget_plan import Request
from ..core.results import Session
from .settings_facts import Facts, OwnFile
from .settings_forget import Planned, forgetting, planned
from .settings_lines import Entry, Heading, Line, Note, Pick, Press, Quiet, Save, Wish
from .surroundings import Surroundings
from .wording import byte_size, counted, from_home

RETENTION = {
    "keep": "keep its text here, marked “gone at source”",
    "forget": "remove it here too",
}


class PrivacySection(Quiet):
    """Keys: `retention:CHOICE`, and `forget:WHAT` with what is meant."""

    title = "Privacy"

    def __init__(self, place: Surroundings, selected: Session | None) -> None:
        """`selected` is the session that the search shows, which is the likeliest to be forgotten."""
        self._place, self._selected = place, selected
        self._facts: Facts | None = None
        self._sources_open = False

    def lines(self, facts: Facts, width: int) -> list[Line]:
        self._facts = facts
        redacted = sorted(facts.index.redacted.items(), key=lambda each: -each[1]) if facts.index else []
        kinds = ", ".join(f"{number:,} {kind}" for kind, number in redacted)
        own = facts.config.redaction
        allowed, patterns = counted(len(own.allow), "allowed value"), counted(len(own.patterns), "pattern")
        chosen, gone = facts.config.retention.when_source_vanishes, sum(facts.gone.values())
        return [
            Heading("Masked before anything is stored"),
            Note(kinds or "nothing that looks like a password, token or key so far"),
            Note(f"of yours: {allowed}, {patterns} (config.toml, [redaction])", faint=True),
            Heading("When a session's file vanishes at its source, as agents delete old ones"),
            *(Pick(f"retention:{name}", text, chosen == name) for name, text in RETENTION.items()),
            *([Note(f"{counted(gone, 'session')} kept so now")] if gone else []),
            Heading("Forget for good: from the index and from every file of harkback's"),
            *self._forgetting(facts),
            Heading("Where it is"),
            *(Note(_file(each, facts.home)) for each in facts.files),
            Note("Nothing is sent anywhere; agents' own files are never changed.", faint=True),
        ]

    def _forgetting(self, facts: Facts) -> Iterator[Line]:
        if self._selected:
            yield Press("forget:selected", f"the session shown in the search: “{self._selected.title or 'untitled'}” …")
        yield Entry("forget:session", "a session   ", hint="its key, such as claude:0195…, or how it begins")
        yield Entry("forget:project", "a project   ", hint="a folder: all sessions held in it or below", paths=True)
        yield Press("sources", f"{'▾' if self._sources_open else '▸'} all of one source")
        for each in facts.sources if self._sources_open else ():
            if each.sessions:
                yield Press(f"forget:source:{each.name}", f"{each.title}: {counted(each.sessions, 'session')} …", 3)
        if facts.index and facts.index.sessions:
            yield Press("forget:all", f"everything: {counted(facts.index.sessions, 'session')} …")

    # ---- what is done ----

    def toggled(self, key: str, on: bool) -> Wish:
        name = key.partition(":")[2]
        if not on or self._facts is None or name == self._facts.config.retention.when_source_vanishes:
            return None
        gone = sum(self._facts.gone.values())
        question = ""
        if name == "forget" and gone:
            question = (
                f"This removes {counted(gone, 'session')} from the index that are gone at their source: "
                "no other copy of their text is known."
            )
        said = "What vanishes at its source is removed here too." if name == "forget" else "What vanishes is kept here."
        return Save({"retention.when_source_vanishes": name}, said, question)

    def pressed(self, key: str) -> Wish:
        if key == "sources":
            self._sources_open = not self._sources_open
            return None
        _, what, *rest = key.split(":", 2)
        if what == "selected" and self._selected:
            return planned(self._place, Request(session=self._selected.key), f"“{self._selected.title}”")
        if what == "source" and self._facts:
            return planned(self._place, Request(source=rest[0]), f"all of {self._facts.titles()[rest[0]]}")
        return planned(self._place, Request(everything=True), "everything") if what == "all" else None

    def entered(self, key: str, text: str) -> Wish:
        typed = text.strip()
        if not typed:
            return None
        if key == "forget:session":
            return planned(self._place, Request(session=typed), typed)
        home = str(self._place.home)
        folder = home + typed[1:] if typed == "~" or typed.startswith("~/") else typed
        return planned(self._place, Request(project=folder), f"what was said in {typed}")

    def heard(self, found: object) -> Wish:
        return forgetting(self._place, found) if isinstance(found, Planned) else None


def _file(each: OwnFile, home: str) -> str:
    size = "" if each.size is None else f"  {byte_size(each.size)}"
    access = "yours alone" if each.private else f"OPEN TO OTHERS: chmod go-rwx {from_home(each.path, home)}"
    return f"{from_home(each.path, home)}{size}  {each.mode:04o}  {access}"
