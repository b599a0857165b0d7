"""The pages of the settings, without the app: what they say, and what they wish for when the person does something."""

from __future__ import annotations

from pathlib import Path

import pytest
from harkback.core.config import Config, Exclude, Limits, Redaction, Retention, Semantic, SourceConfig
from harkback.core.held import Held
from harkback.core.semantic_status import SemanticStatus
from harkback.core.skipped import LeftOut
from harkback.core.status import IndexStatus, SourceStatus
from harkback.tui.settings_exclusions import ExclusionsSection
from harkback.tui.settings_facts import Facts, OwnFile, own_files
from harkback.tui.settings_forget import told
from harkback.tui.settings_limits import LimitsSection
from harkback.tui.settings_lines import Box, Entry, Heading, Job, Line, Look, Note, Pick, Press, Save, Say
from harkback.tui.settings_privacy import PrivacySection
from harkback.tui.settings_semantic import SemanticSection
from harkback.tui.settings_sources import SourcesSection
from harkback.tui.surroundings import Surroundings

HOUR = 3_600_000
NOW = 1_794_000_000_000


def source(name: str, title: str, *, ticked: bool = True, files: int = 1, **changes: object) -> SourceStatus:
    fields: dict[str, object] = {"sessions": 0, "turns": 0, "skipped": 0, "last_run": NOW - HOUR, "last_error": None}
    fields |= {"swept_soon": None, "found": files > 0, "roots": (f"/home/me/.{name}",)}
    return SourceStatus(name=name, title=title, ticked=ticked, files=files, **{**fields, **changes})  # type: ignore[arg-type]


CODEX = source("codex", "Codex", files=97, sessions=1204, turns=48_300, skipped=3)
CLAUDE = source("claude", "Claude Code", ticked=False, files=412)
DSH = source("dsh", "DSH", ticked=False, files=0)


def facts(*sources: SourceStatus, config: Config | None = None, **changes: object) -> Facts:
    return Facts(config or Config(), "/home/me", NOW, sources, **changes)  # type: ignore[arg-type]


def index(**changes: object) -> IndexStatus:
    fields: dict[str, object] = {"path": "/x/index.db", "bytes": 9, "sessions": 1204, "turns": 48_300}
    fields |= {"gone_at_source": 0, "quarantined": 0, "excluded": 0, "hidden": 0, "skips": {}, "left_out": {}}
    return IndexStatus(**{**fields, "redacted": {}, "oldest": None, "newest": None, **changes})  # type: ignore[arg-type]


def text(lines: list[Line]) -> str:
    return "\n".join(each.label if isinstance(each, Entry) else each.text for each in lines)


@pytest.fixture
def place(tmp_path: Path) -> Surroundings:
    return Surroundings(tmp_path / "harkback", tmp_path / "home", {})


# ---- sources ----


def test_what_is_there_stands_first_and_what_is_not_is_folded_into_a_line(place: Surroundings) -> None:
    section = SourcesSection(place)
    found = facts(CLAUDE, CODEX, DSH)
    lines = section.lines(found, 116)
    assert [line.key for line in lines if isinstance(line, Box)] == ["claude", "codex"]
    assert "May be read: 1 of 2 sources found here" in text(lines)
    assert "1 not found here: DSH" in text(lines)
    assert section.pressed("missing") is None
    assert "dsh" in [line.key for line in section.lines(found, 116) if isinstance(line, Box)]


def test_a_row_has_the_numbers_that_there_is_room_for(place: Surroundings) -> None:
    def row(width: int) -> str:
        return next(line.text for line in SourcesSection(place).lines(facts(CODEX), width) if isinstance(line, Box))

    assert row(116).split() == ["▸", "Codex", "97", "1,204", "48,300", "3", "1h", "~/.codex"]
    assert row(70).split() == ["▸", "Codex", "97", "1,204", "1h"]
    assert row(36).split() == ["▸", "Codex", "1,204", "sessions"]


def test_ticking_is_saved_at_once_and_unticking_says_first_what_goes(place: Surroundings) -> None:
    section = SourcesSection(place)
    section.lines(facts(CODEX, CLAUDE, gone={"codex": 7}), 116)
    ticked = section.toggled("claude", True)
    assert isinstance(ticked, Save)
    assert (dict(ticked.changes), ticked.question) == ({"sources.claude.enabled": True}, "")
    unticked = section.toggled("codex", False)
    assert isinstance(unticked, Save)
    assert dict(unticked.changes) == {"sources.codex.enabled": False}
    assert "removes 1,204 sessions of Codex with 48,300 turns from the index; your files stay" in unticked.question
    assert "7 sessions of them can't be read again" in unticked.question


def test_a_source_that_has_nothing_in_the_index_is_unticked_without_a_question(place: Surroundings) -> None:
    section = SourcesSection(place)
    section.lines(facts(source("codex", "Codex")), 116)
    unticked = section.toggled("codex", False)
    assert isinstance(unticked, Save)
    assert not unticked.question


def test_what_went_wrong_stands_below_its_source(place: Surroundings) -> None:
    question = Held("codex", "", 500, 412, NOW, "/home/me/.codex/gone.jsonl")
    wrong = source("codex", "Codex", last_error="OSError", swept_soon=12, held=(question,))
    section = SourcesSection(place)
    page = text(section.lines(facts(wrong), 116))
    assert "could not read it (OSError)" in page
    assert "12 will be deleted by Codex" in page
    assert "412 of 500 files of Codex are gone at once" in page
    assert "~/.codex/gone.jsonl" in page


@pytest.mark.parametrize(("choice", "then"), [("keep", "their text is kept"), ("forget", "removed from the index")])
def test_what_is_really_gone_is_asked_once_more_with_what_becomes_of_it(
    place: Surroundings, choice: str, then: str
) -> None:
    held = source("codex", "Codex", held=(Held("codex", "", 500, 412, NOW, "/x"),))
    section = SourcesSection(place)
    section.lines(facts(held, config=Config(retention=Retention(choice))), 116)  # type: ignore[arg-type]
    job = section.pressed("confirm:codex")
    assert isinstance(job, Job)
    assert "412 of 500 files of Codex" in job.question
    assert then in job.question


def test_unfolded_a_source_has_its_places_and_a_box_for_tool_calls_where_they_are_known(place: Surroundings) -> None:
    config = Config(sources={"codex": SourceConfig(True, ("/backup/codex",))})
    section, found = SourcesSection(place), facts(CODEX, CLAUDE, config=config, reads_tools=frozenset({"codex"}))
    section.lines(found, 116)
    assert section.pressed("codex") is None
    section.pressed("claude")
    lines = section.lines(found, 116)
    assert [line.key for line in lines if isinstance(line, Box)] == ["codex", "tools:codex", "claude"]
    keys = [line.key for line in lines if isinstance(line, Box | Press | Entry)]
    assert {"root:codex:/backup/codex", "add:codex", "add:claude", "tools:codex"} <= set(keys)
    assert "tools:claude" not in keys
    assert "3 records skipped: f3" in text(lines)


def test_an_added_place_must_be_there(place: Surroundings) -> None:
    section = SourcesSection(place)
    section.lines(facts(CODEX), 116)
    look = section.entered("add:codex", "~/nowhere")
    assert isinstance(look, Look)
    assert isinstance(section.heard(look.find()), Say)
    (place.home / "more").mkdir(parents=True)
    look = section.entered("add:codex", " ~/more/ ")
    assert isinstance(look, Look)
    save = section.heard(look.find())
    assert isinstance(save, Save)
    assert dict(save.changes) == {"sources.codex.roots": [str(place.home / "more")]}


# ---- exclusions ----


def test_the_effect_of_a_rule_is_counted_before_it_can_be_saved(place: Surroundings) -> None:
    section = ExclusionsSection(place)
    section.lines(facts(CODEX), 116)
    look = section.typed("new", "title:salary")
    assert isinstance(look, Look)
    assert "counting" in section.effect()
    assert isinstance(section.entered("new", "title:salary"), Say)
    assert section.heard(look.find()) is None
    assert "would hide nothing now" in section.effect()
    save = section.entered("new", "title:salary")
    assert isinstance(save, Save)
    assert dict(save.changes) == {"exclude.patterns": ["title:salary"]}


def test_a_count_that_comes_late_is_not_taken_for_another_rule(place: Surroundings) -> None:
    section = ExclusionsSection(place)
    section.lines(facts(CODEX), 116)
    first = section.typed("new", "title:a")
    section.typed("new", "title:ab")
    assert isinstance(first, Look)
    section.heard(first.find())
    assert "counting" in section.effect()


@pytest.mark.parametrize(
    ("rule", "why"),
    [("source:nobody", "no source"), ("nonsense:x", "no kind"), ("title:(", "title"), ("project:", "what?")],
)
def test_a_rule_that_cannot_be_used_says_why_while_it_is_typed(place: Surroundings, rule: str, why: str) -> None:
    section = ExclusionsSection(place)
    section.lines(facts(CODEX), 116)
    assert section.typed("new", rule) is None
    assert why in section.effect()
    assert isinstance(section.entered("new", rule), Say)


def test_a_rule_is_taken_back_and_the_built_in_list_is_shown(place: Surroundings) -> None:
    section = ExclusionsSection(place)
    page = text(
        section.lines(facts(config=Config(exclude=Exclude(("title:a", "title:b"))), index=index(hidden=4)), 116)
    )
    assert "2 rules of yours: 4 sessions, 0 files kept out" in page
    assert "*.pem" in page
    assert ".ssh" in page
    save = section.removed("rule:title:a")
    assert isinstance(save, Save)
    assert dict(save.changes) == {"exclude.patterns": ["title:b"]}


# ---- limits ----


def test_each_limit_says_what_it_leaves_out_and_everything_what_it_would_add(place: Surroundings) -> None:
    left = (LeftOut("codex", "window", 208), LeftOut("codex", "per_file", 1))
    lines = LimitsSection(place).lines(facts(CODEX, left_out=left, left_out_bytes=155_000_000), 116)
    page = text(lines)
    assert "everything: adds 208 sessions left out now in whole or in part (their files have 155 MB)" in page
    assert page.count("leaves out 208 sessions of Codex") == 1
    assert page.count("leaves out 1 session of Codex") == 1
    assert page.count("leaves out nothing now") == 2
    assert [line.on for line in lines if isinstance(line, Pick)] == [True, False]


def test_a_wider_limit_is_saved_at_once(place: Surroundings) -> None:
    section = LimitsSection(place)
    section.lines(facts(CODEX), 116)
    for wish, changes in (
        (section.toggled("preset:everything", True), {"limits.preset": "everything"}),
        (section.entered("turns_total", "1,000,000"), {"limits.turns_total": 1_000_000}),
        (section.entered("window_days", "0"), {"limits.window_days": 0}),
        (section.entered("window_days", "30"), {"limits.window_days": 30}),
    ):
        assert isinstance(wish, Save)
        assert (dict(wish.changes), wish.question) == (changes, "")


def test_a_limit_without_a_number_goes_back_to_what_the_choice_says(place: Surroundings) -> None:
    section = LimitsSection(place)
    section.lines(facts(config=Config(limits=Limits(window_days=30))), 116)
    save = section.entered("window_days", " ")
    assert isinstance(save, Save)
    assert dict(save.changes) == {"limits.window_days": None}


@pytest.mark.parametrize("typed", ["-1", "many", "1.5", "²", "9999999999"])
def test_what_is_no_limit_is_refused(place: Surroundings, typed: str) -> None:
    section = LimitsSection(place)
    section.lines(facts(CODEX), 116)
    assert isinstance(section.entered("turns_total", typed), Say)


def test_how_long_a_prompt_may_be_is_set_beside_the_limits(place: Surroundings) -> None:
    section = LimitsSection(place)
    assert "tokens that a prompt may have" in text(section.lines(facts(CODEX), 116))
    wish = section.entered("basket.budget", "8,000")
    assert isinstance(wish, Save)
    assert (dict(wish.changes), wish.question) == ({"basket.budget": 8_000}, "")
    assert all(isinstance(section.entered("basket.budget", typed), Say) for typed in ("", "0", "-1", "many"))


def test_the_chosen_preset_cannot_be_unchosen(place: Surroundings) -> None:
    section = LimitsSection(place)
    section.lines(facts(CODEX), 116)
    assert section.toggled("preset:recent", False) is None
    assert section.toggled("preset:recent", True) is None


# ---- meaning, privacy ----


def test_without_its_extra_search_by_meaning_says_how_to_get_it(place: Surroundings) -> None:
    assert "pip install 'harkback[semantic]'" in text(SemanticSection(place).lines(facts(embeds=False), 116))


def test_a_model_is_fetched_only_after_a_yes_that_knows_its_size(place: Surroundings) -> None:
    section = SemanticSection(place)
    assert "off" in text(section.lines(facts(embeds=True), 116))
    look = section.toggled("semantic", True)
    assert isinstance(look, Look)
    save = section.heard(look.find())
    assert isinstance(save, Save)
    assert "24 MB from huggingface.co" in save.question
    assert save.before is not None
    assert "24 MB" in save.doing
    off = section.toggled("semantic", False)
    assert isinstance(off, Save)
    assert (dict(off.changes), off.question) == ({"semantic.enabled": False}, "")


def test_the_model_is_chosen_before_search_by_meaning_is_turned_on(place: Surroundings) -> None:
    section = SemanticSection(place)
    lines = section.lines(facts(embeds=True), 116)
    assert [line.on for line in lines if isinstance(line, Pick)] == [True, False]
    save = section.toggled("model:multilingual-small", True)
    assert isinstance(save, Save)
    assert (dict(save.changes), save.question) == ({"semantic.model": "multilingual-small"}, "")
    assert section.toggled("model:english-small", True) is None
    section.lines(facts(embeds=True, config=Config(semantic=Semantic(enabled=True))), 116)
    look = section.toggled("model:multilingual-small", True)
    assert isinstance(look, Look)
    asked = section.heard(look.find())
    assert isinstance(asked, Save)
    assert "136 MB" in asked.question


def test_how_far_search_by_meaning_is_or_why_it_is_not(place: Surroundings) -> None:
    section, config = SemanticSection(place), Config(semantic=Semantic(enabled=True))
    state = SemanticStatus(True, "all-MiniLM-L6-v2", 250, 1_000, waiting=7)
    page = text(section.lines(facts(embeds=True, config=config, semantic=state), 116))
    assert "250 of 1,000 pieces of text are ready (25%): 96 kB of the index" in page
    assert "7 of another model wait" in page
    state = SemanticStatus(True, "all-MiniLM-L6-v2", trouble="there is no model")
    page = text(section.lines(facts(embeds=True, config=config, semantic=state), 116))
    assert "Words alone are searched: there is no model" in page


def test_what_was_masked_is_counted_by_kind_the_most_frequent_first(place: Surroundings) -> None:
    config = Config(redaction=Redaction(allow=("a", "b"), patterns=("x{8}",)))
    page = text(PrivacySection(place, None).lines(facts(config=config, index=index(redacted={"jwt": 2, "key": 9})), 99))
    assert "9 key, 2 jwt" in page
    assert "2 allowed values, 1 pattern" in page


def test_forgetting_at_the_source_names_what_only_the_index_has(place: Surroundings) -> None:
    section = PrivacySection(place, None)
    section.lines(facts(CODEX, gone={"codex": 7}), 116)
    save = section.toggled("retention:forget", True)
    assert isinstance(save, Save)
    assert "7 sessions" in save.question
    section.lines(facts(CODEX, config=Config(retention=Retention("forget"))), 116)
    back = section.toggled("retention:keep", True)
    assert isinstance(back, Save)
    assert not back.question


def test_what_is_not_in_the_index_cannot_be_forgotten(place: Surroundings) -> None:
    section = PrivacySection(place, None)
    section.lines(facts(CODEX, index=index()), 116)
    look = section.pressed("forget:all")
    assert isinstance(look, Look)
    assert isinstance(section.heard(look.find()), Say)


def test_files_that_others_may_read_are_told(place: Surroundings) -> None:
    mine, open_one = OwnFile("/home/me/.h", None, 0o700, True), OwnFile("/home/me/.h/index.db", 9, 0o644, False)
    page = text(PrivacySection(place, None).lines(facts(files=(mine, open_one)), 116))
    assert "~/.h  0700  yours alone" in page
    assert "OPEN TO OTHERS: chmod go-rwx ~/.h/index.db" in page


def test_own_files_are_those_that_are_there(tmp_path: Path) -> None:
    assert list(own_files(tmp_path / "nothing")) == []
    tmp_path.chmod(0o700)
    (tmp_path / "index.db").write_bytes(b"12345")
    (tmp_path / "index.db").chmod(0o640)
    assert [(each.size, each.mode, each.private) for each in own_files(tmp_path)] == [
        (None, 0o700, True),
        (5, 0o640, False),
    ]


def test_every_line_that_does_something_has_a_key_of_its_own(place: Surroundings) -> None:
    sections = (SourcesSection(place), ExclusionsSection(place), LimitsSection(place), PrivacySection(place, None))
    for section in sections:
        lines = section.lines(facts(CODEX, CLAUDE, DSH, index=index()), 116)
        keys = [line.key for line in lines if not isinstance(line, Heading | Note)]
        assert len(keys) == len(set(keys)) > 0


def test_of_forgetting_the_outcome_is_told_and_not_the_announcement() -> None:
    notes = "This forgets 1 session with 2 turns:\n  codex:1  Loom\nYour agents' own files stay as they are.\n"
    assert told("forgot 1 session with 2 turns\n", notes) == "forgot 1 session with 2 turns"
    assert told("", "harkback: another harkback is indexing\n") == "harkback: another harkback is indexing"
    trouble = told("forgot 1 session\n", notes + "text of them is still in /x/logs/a\n")
    assert trouble == "forgot 1 session\ntext of them is still in /x/logs/a"
