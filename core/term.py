"""A word or phrase of a query, and how it is asked of FTS5: always quoted, so that nothing typed is syntax."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .asking import asked_about
from .chunk import DATE_WORDS
from .identifiers import apart
from .tokens import Needle, bag, finished, has_cjk, needle, phrase

PAIR_WEIGHT = 0.5
"""What two ideographs count for in the share of a query that matched: about half a word."""
TEXT_ALONE, ANYWHERE = "text", "{text date}"
_POSSESSIVE = re.compile(r"['’]s?(?=[?!.,;:]*\Z)")
_YEAR, _DAY = re.compile(r"20\d\d"), re.compile(r"(?:[12]?\d|3[01])")


@dataclass(frozen=True, slots=True)
class Unit:
    """The least of a query that a chunk has or has not: a word, a quoted phrase, two ideographs."""

    text: str
    phrases: tuple[str, ...]
    """Phrases of FTS5's language; any of them will do."""
    weight: float = 1.0
    in_text_alone: bool = False
    """What stands beside the text, the day in words and the parts of identifiers, does not count."""
    is_date_word: bool = False

    def expression(self) -> str:
        return f"({TEXT_ALONE if self.in_text_alone else ANYWHERE} : {any_of(self.phrases)})"


@dataclass(frozen=True, slots=True)
class Term:
    """A word or a quoted phrase, with its place in what was typed."""

    text: str
    start: int
    stop: int
    quoted: bool = False
    prefix: bool = False
    similar: tuple[str, ...] = ()
    """Words that will do as well, as the index lacks this one."""
    begins: str = ""
    """What all words of the index begin with that begin like an unfinished one ..."""
    endings: tuple[str, ...] = ()
    """... and those of its words that it may become although they don't (`finished`)."""

    def expression(self) -> str:
        """The FTS5 expression for all of it."""
        return f"({TEXT_ALONE if self._could_be_a_day() else ANYWHERE} : {any_of(self._phrases())})"

    def units(self) -> list[Unit]:
        """What of it is to be found on its own; bigrams of ideographs, a name without its possessive ending."""
        parts = self._parts()
        pair = PAIR_WEIGHT if len(parts) > 1 else 1.0
        return [
            Unit(
                part.text,
                part._phrases(),
                pair if has_cjk(part.text) else 1.0,
                part._could_be_a_day(),
                part._is_date_word(),
            )
            for part in parts
        ]

    def needles(self, *, loose: bool = False) -> list[Needle]:
        """What to highlight for it."""
        if loose:
            return [found for part in self._parts() for found in part.needles()]
        found = [needle(self.text, prefix=self.prefix), *[needle(whole) for whole in self._instead()]]
        return [each for each in found if each]

    def _phrases(self) -> tuple[str, ...]:
        words, open_end = phrase(self.text)
        begun = quoted(self.begins or words, open_end=self.prefix or open_end)
        return begun, *[quoted(phrase(whole)[0]) for whole in self._instead()]

    def _parts(self) -> list[Term]:
        if self.quoted:
            return [self]
        if not has_cjk(self.text):
            bare = _POSSESSIVE.sub("", self.text)
            return [replace(self, text=bare) if needle(bare) else self]
        about = asked_about(self.text)
        telling = about if needle(about) else self.text
        words = [word for word in bag(telling) if needle(word)]
        begun = self.prefix or phrase(telling)[1]
        return [replace(self, text=word, prefix=begun and word is words[-1] and not has_cjk(word)) for word in words]

    def _instead(self) -> list[str]:
        named = apart(self.text)
        may_become = finished(self.text) if self.prefix or phrase(self.text)[1] else ()
        return [
            *(self.endings if self.begins else may_become),
            *((named,) if named != self.text and not self.quoted else ()),
            *self.similar,
        ]

    def _could_be_a_day(self) -> bool:
        return self._is_date_word() or self.text.strip("?!.,;:").isdecimal()

    def _is_date_word(self) -> bool:
        return not self.quoted and (bool(_YEAR.fullmatch(self.text)) or self.text.strip("?!.,;:").lower() in DATE_WORDS)


def with_days(units: Sequence[Unit]) -> list[Unit]:
    """The units of a query; a number beside a month or a year may be its day."""
    if not any(unit.is_date_word for unit in units):
        return list(units)
    return [
        replace(unit, in_text_alone=False) if unit.is_date_word or _DAY.fullmatch(unit.text.strip("?!.,;:")) else unit
        for unit in units
    ]


def any_of(expressions: Sequence[str]) -> str:
    return expressions[0] if len(expressions) == 1 else f"({' OR '.join(expressions)})"


def quoted(words: str, *, open_end: bool = False) -> str:
    """A phrase of FTS5's language."""
    return '"' + words.replace('"', '""') + ('" *' if open_end else '"')
