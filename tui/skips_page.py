"""What is not in the index, as a page to read: what it is, why, and what can be done about it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from ..core.reasons import reason
from ..core.skipped import MOST_LISTED, Skipped
from .wording import counted, from_home, held, how_to_confirm

Level = Literal["heading", "row", "detail"]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines of one indentation."""

    level: Level
    text: str


def skips_page(found: Skipped, titles: Mapping[str, str], home: str) -> list[Paragraph]:
    """The page from top to bottom; `titles` maps source names to names for people."""
    page = _Page(titles, home)
    sections = (
        ("Gone at once, and kept until you say that it is meant", page.held(found)),
        ("Left out by limits", page.left_out(found)),
        ("Could not be read; what was indexed of it stays", page.unreadable(found)),
        ("Excluded", page.excluded(found)),
        ("Skipped inside files", page.records(found)),
        ("Gone at its source", page.gone(found)),
    )
    paragraphs: list[Paragraph] = []
    for title, section in sections:
        if lines := list(section):
            paragraphs += [Paragraph("heading", title), *lines]
    return paragraphs or [
        Paragraph("heading", "Nothing was skipped."),
        Paragraph("row", "All that was found in the ticked sources could be read, and no limit left anything out."),
    ]


@dataclass(frozen=True, slots=True)
class _Page:
    """The sections, one method each; an empty one yields nothing."""

    titles: Mapping[str, str]
    home: str

    def held(self, found: Skipped) -> Iterator[Paragraph]:
        for each in found.held:
            yield self._row(f"{held(each, self._name(each.source))}")
            place = f" in {self._path(each.place)}" if each.place else ""
            remedy = f"→ {how_to_confirm(each)} (f2, Sources, asks too)"
            yield Paragraph("detail", f"such as {self._path(each.example)}{place}\n{remedy}")

    def left_out(self, found: Skipped) -> Iterator[Paragraph]:
        for limit, group in groupby(found.left_out, key=lambda each: each.limit):
            left, words = list(group), reason(limit)
            where = self._name(left[0].source) if len(left) == 1 else counted(len(left), "source")
            sessions = counted(sum(each.sessions for each in left), "session")
            yield self._row(f"{sessions} of {where}: {words.sentence}")
            parts = ", ".join(f"{each.sessions:,} of {self._name(each.source)}" for each in left)
            yield Paragraph("detail", f"{parts}\n→ {words.remedy}" if len(left) > 1 else f"→ {words.remedy}")
        if any(each.limit != "per_file" for each in found.left_out):
            yield self._row("f2, “everything”, lifts all limits but that of one file and those that config.toml sets.")

    def unreadable(self, found: Skipped) -> Iterator[Paragraph]:
        for each in found.failed:
            yield self._row(f"{self._name(each.source)}: the last run failed ({each.error})")
        for each in found.folders:
            words = reason(each.reason)
            yield self._row(f"{counted(each.count, 'place')} of {self._name(each.source)}: {words.sentence}")
            yield Paragraph("detail", f"{self._path(each.example)}\n→ {words.remedy}")
        for (source, slug), group in groupby(found.files, key=lambda each: (each.source, each.reason)):
            files, words = list(group), reason(slug)
            yield self._row(f"{counted(len(files), 'file')} of {self._name(source)}: {words.sentence}")
            yield Paragraph("detail", "\n".join([*(self._path(file.path) for file in files), f"→ {words.remedy}"]))
        if found.files_in_all > len(found.files):
            yield self._row(f"The first {MOST_LISTED} of {counted(found.files_in_all, 'unreadable file')}.")

    def excluded(self, found: Skipped) -> Iterator[Paragraph]:
        for each in found.excluded:
            words = reason(each.reason)
            yield self._row(f"{counted(each.count, 'file')} of {self._name(each.source)}: {words.sentence}")
            yield Paragraph("detail", f"such as {self._path(each.example)}\n→ {words.remedy}")

    def records(self, found: Skipped) -> Iterator[Paragraph]:
        for each in found.records:
            words = reason(each.reason)
            where = f"{counted(each.files, 'file')} of {self._name(each.source)}"
            yield self._row(f"{each.count:,} in {where}: {words.sentence}")
            example = f"such as {each.example} in {self._path(each.path)}" if each.example else self._path(each.path)
            yield Paragraph("detail", f"{example}\n→ {words.remedy}")

    def gone(self, found: Skipped) -> Iterator[Paragraph]:
        for each in found.gone:
            sessions = counted(each.sessions, "session")
            yield self._row(f"{sessions} of {self._name(each.source)}; harkback keeps their text")

    def _row(self, text: str) -> Paragraph:
        return Paragraph("row", text)

    def _name(self, source: str) -> str:
        return self.titles.get(source, source)

    def _path(self, path: str) -> str:
        return from_home(path, self.home)
