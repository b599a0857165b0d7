"""Settings, second page: what is never to be found. A rule's effect is counted before it is saved."""

from __future__ import annotations

from contextlib import closing, nullcontext, suppress
from dataclasses import dataclass

from ..core.config import Config
from ..core.database import Database
from ..core.exclude import KINDS, SECRET_FOLDERS, SECRET_NAMES, BadRule, Rules, parts
from ..core.exclude_preview import Preview, Trials
from ..core.store import NoIndex
from .rows import crop
from .settings_facts import Facts
from .settings_lines import Entry, Heading, Line, Look, Note, Press, Quiet, Save, Say, Wish
from .surroundings import Surroundings
from .wording import counted

MOST_NAMED, LONGEST_TITLE = 3, 32
"""So many sessions are named that a rule would hide, in so many cells each."""
EXAMPLES = "project:~/work/client   title:salary   source:codex   session:claude:ID   ~/old/**"


@dataclass(frozen=True, slots=True)
class _Counted:
    """What a rule would hide."""

    rule: str
    hides: Preview


class ExclusionsSection(Quiet):
    """Keys: `rule:PATTERN` for each rule, `new` for the one that is being typed."""

    title = "Exclusions"

    def __init__(self, place: Surroundings) -> None:
        self._place = place
        self._facts: Facts | None = None
        self._rule = ""
        self._problem = ""
        self._counted: _Counted | None = None
        self._trials: tuple[Config, Trials] | None = None

    def lines(self, facts: Facts, width: int) -> list[Line]:
        self._facts = facts
        patterns = facts.config.exclude.patterns
        kept_out = ""
        if facts.index and (facts.index.hidden or facts.index.excluded):
            hidden, excluded = counted(facts.index.hidden, "session"), counted(facts.index.excluded, "file")
            kept_out = f": {hidden}, {excluded} kept out"
        return [
            Heading(f"{counted(len(patterns), 'rule') if patterns else 'No rules'} of yours{kept_out}"),
            *(Press(f"rule:{pattern}", f"{pattern}   (x takes it back)") for pattern in patterns),
            Entry("new", "new rule", hint="project:~/work/client"),
            Note(self.effect(), indent=3),
            Note(f"Rules look like {EXAMPLES}", faint=True),
            Heading("Never opened, wherever they lie and whatever links to them (built in)"),
            Note(", ".join(SECRET_NAMES)),
            Note(f"anything in {', '.join(sorted(SECRET_FOLDERS))}"),
        ]

    def effect(self) -> str:
        """What the typed rule would do, as far as it is known."""
        if not self._rule:
            return "What it would hide is counted while you type; enter saves it."
        if self._problem:
            return self._problem
        if self._counted is None or self._counted.rule != self._rule:
            return "counting what it would hide …"
        hides = self._counted.hides
        if not hides.files and not hides.sessions:
            return f"would hide nothing now{self._hint()} · enter saves it"
        named = [f"“{crop(title, (), LONGEST_TITLE)[0]}”" for title in hides.titles if title][:MOST_NAMED]
        titles = f": {', '.join(named)}" if named else ""
        more = " …" if hides.sessions > len(named) else ""
        what = f"{counted(hides.sessions, 'session')}, {counted(hides.files, 'file')}"
        return f"would hide {what}{titles}{more} · enter saves it"

    def _hint(self) -> str:
        if parts(self._rule)[0]:
            return ""
        return f"; a path is one of session files: project:{self._rule} means the sessions held in a folder"

    def typed(self, key: str, text: str) -> Wish:
        rule = text.strip()
        if rule == self._rule:
            return None
        self._rule, self._problem = rule, self._wrong(rule)
        if not rule or self._problem:
            return None
        return Look(lambda: self._count(rule))

    def _wrong(self, rule: str) -> str:
        """Why a rule can't be used; empty if it can, or if it is only begun."""
        if not rule:
            return ""
        kind, colon, value = rule.partition(":")
        if colon and kind in KINDS and not value:
            return "… what?"
        try:
            kind, value = parts(rule)
            Rules([rule])
        except BadRule as error:
            return str(error)
        known = self._facts.titles() if self._facts else {}
        source = value.partition(":")[0]
        if kind in ("source", "session") and known and source not in known:
            return f"there is no source {source!r}"
        return ""

    def _count(self, rule: str) -> _Counted:
        here, config = self._place, self._place.config()
        if self._trials is None or self._trials[0] != config:
            self._trials = config, Trials(here.adapters, config, here.home, here.environ)
        db: Database | None = None
        with suppress(NoIndex):
            db = here.store.read()
        with closing(db) if db else nullcontext():
            return _Counted(rule, self._trials[1].preview(db, rule))

    def heard(self, found: object) -> Wish:
        if isinstance(found, _Counted) and found.rule == self._rule:
            self._counted = found
        return None

    def entered(self, key: str, text: str) -> Wish:
        rule = text.strip()
        if not rule or self._facts is None:
            return None
        if problem := self._wrong(rule):
            return Say(problem)
        patterns = self._facts.config.exclude.patterns
        if rule in patterns:
            return Say(f"{rule} is one of your rules already.")
        if self._counted is None or self._counted.rule != rule:
            return Say("What it would hide is still being counted; then enter saves it.")
        hides, self._rule, self._counted = self._counted.hides, "", None
        out = f"{counted(hides.sessions, 'session')}, {counted(hides.files, 'file')} are hidden"
        return Save({"exclude.patterns": [*patterns, rule]}, f"{rule}: {out}.")

    def pressed(self, key: str) -> Wish:
        """A click or enter may be meant for less than `x` is, so they ask."""
        _, _, rule = key.partition(":")
        return self._taken_back(key, f"Take {rule} back? What it alone hides is read again.")

    def removed(self, key: str) -> Wish:
        return self._taken_back(key)

    def _taken_back(self, key: str, question: str = "") -> Wish:
        what, _, rule = key.partition(":")
        if what != "rule" or self._facts is None:
            return None
        rest = [each for each in self._facts.config.exclude.patterns if each != rule]
        said = f"{rule} is no longer a rule; what it alone hid is read again."
        return Save({"exclude.patterns": rest}, said, question, yes="take it back")
