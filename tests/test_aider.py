"""Aider's log: runs, prompts and messages by their marks, and answers that hold such marks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from harkback.adapters.aider import HISTORY, Aider
from harkback.core.model import Reread, SkipRecord
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import Told, digest
from stores import Stores
from stores import said as a_prompt

FIXTURES = Path(__file__).parents[1].parent / "shared" / "fixtures" / "aider"
needs_fixtures = pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared fixtures are not here")
AIDER = Aider()
RUN = "\n# aider chat started at 2026-11-07 09:15:00\n\n"
TIME = 1794042900000


def typed(*lines: str) -> str:
    """What Aider writes when a person typed these lines."""
    return "\n" + "".join(f"#### {line}  \n" for line in lines)


def answered(text: str) -> str:
    return f"\n{text}\n\n"


def noticed(*lines: str) -> str:
    return "".join(f"> {line}  \n" for line in lines)


def write(folder: Path, *parts: str) -> Path:
    path = folder / HISTORY
    path.write_text("".join(parts), "utf-8")
    return path


def told(path: Path, adapter: Any = AIDER) -> Told:
    read = Told()
    read.read(adapter, path)
    return read


def said(path: Path, adapter: Any = AIDER) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in told(path, adapter).turns]


def test_logs_are_where_the_person_and_the_projects_have_them(tmp_path: Path) -> None:
    assert AIDER.roots(tmp_path, {}) == [tmp_path / HISTORY]
    named = tmp_path / "notes" / "aider.md"
    assert AIDER.roots(tmp_path, {"AIDER_CHAT_HISTORY_FILE": str(named)}) == [named]
    assert AIDER.project_roots(tmp_path / "bells") == [tmp_path / "bells" / HISTORY]
    for name in (HISTORY, ".aider.input.history", ".aider.llm.history", "README.md"):
        (tmp_path / "bells").mkdir(exist_ok=True)
        (tmp_path / "bells" / name).write_text("x")
    assert list(AIDER.find(tmp_path)) == [tmp_path / "bells" / HISTORY]
    assert list(AIDER.find(tmp_path / "bells" / HISTORY)) == [tmp_path / "bells" / HISTORY]


def test_every_run_is_a_session_and_has_the_time_of_its_start(tmp_path: Path) -> None:
    path = write(tmp_path, RUN, typed("One?"), answered("One."), RUN, RUN, typed("Two?"))
    assert [(turn.session, turn.time, turn.quality) for turn in told(path).turns] == [
        (f"{digest(path)}-20261107091500-1", TIME, "file"),
        (f"{digest(path)}-20261107091500-1", TIME, "file"),
        (f"{digest(path)}-20261107091500-3", TIME, "file"),
    ]


def test_what_stands_before_the_first_run_has_no_time(tmp_path: Path) -> None:
    path = write(tmp_path, typed("Early."), RUN, typed("Late."))
    assert [(turn.text, turn.time, turn.quality) for turn in told(path).turns] == [
        ("Early.", None, "none"),
        ("Late.", TIME, "file"),
    ]


def test_lines_typed_together_are_one_prompt_and_nothing_typed_is_none(tmp_path: Path) -> None:
    path = write(tmp_path, RUN, typed("One", "", "# two"), typed("<blank>"), typed("Three"))
    assert said(path) == [("user", "One\n\n# two"), ("user", "Three")]


def test_messages_of_aider_are_no_text_whatever_lines_they_have(tmp_path: Path) -> None:
    parts = [
        RUN, noticed("Aider v0.86.1", "Main model: claude-opus-4-5 with diff edit format"), typed("/map"),
        "> Here are summaries of some files:\n\nbells.py:\n⋮...\n│def ring():  \n", typed("Ring."), answered("Rung."),
        "> Tokens: 2k sent, 9 received.\nCost: $0.01 message.  \n", noticed("Applied edit to bells.py"),
    ]  # fmt: skip
    path = write(tmp_path, *parts)
    assert said(path) == [("user", "/map"), ("user", "Ring."), ("assistant", "Rung.")]
    (session,) = told(path).sessions().values()
    assert (session["model"], session["project"]) == ("claude-opus-4-5", str(tmp_path))
    tools = [text for role, text in said(path, AIDER.with_tools()) if role == "tool"]
    assert tools[0] == "Aider v0.86.1\nMain model: claude-opus-4-5 with diff edit format"
    assert len(tools) == 3


def test_marks_in_an_answer_are_its_text(tmp_path: Path) -> None:
    answer = (
        "Like so:\n\n```\n\n#### typed\n\n> said\n\n# aider chat started at 2020-01-01 00:00:00\n```\n\n"
        "> a quotation\n\n#### A heading\n\nDone."
    )
    path = write(tmp_path, RUN, noticed("Aider"), typed("How?"), answered(answer), typed("Next."))
    assert said(path) == [("user", "How?"), ("assistant", answer), ("user", "Next.")]


def test_a_log_that_was_pasted_is_what_was_typed(tmp_path: Path) -> None:
    pasted = ["# aider chat started at 2026-11-08 10:00:00", "", "#### typed", "> said"]
    path = write(tmp_path, RUN, typed("Explain:", *pasted), answered("It is a log."))
    assert said(path) == [("user", "\n".join(["Explain:", *pasted])), ("assistant", "It is a log.")]


def test_an_answer_that_was_broken_off_in_a_block_of_code_ends_there(tmp_path: Path) -> None:
    broken = answered("```python\ndef ring(")
    for after in (noticed("^C again to exit"), "> Tokens: 1k sent, 5 received.\nCost: $1.  \n", "\n"):
        path = write(tmp_path, RUN, noticed("Aider"), typed("Ring."), broken, after, typed("Again."), answered("Yes."))
        assert said(path)[-2:] == [("user", "Again."), ("assistant", "Yes.")], after
    later = RUN.replace("09:15:00", "09:20:00")
    assert said(write(tmp_path, RUN, typed("Ring."), broken, later, typed("Again.")))[-1] == ("user", "Again.")


def test_a_quotation_within_a_paragraph_is_the_answers(tmp_path: Path) -> None:
    answer = "As you said:\n> ring twice\n\n```\nlog:\n> said  \n```"
    whole = RUN + noticed("Aider") + typed("Ring.") + answered(answer) + noticed("Applied edit") + typed("More.")
    assert ("assistant", answer) in said(write(tmp_path, whole))
    stripped = re.sub(r" +\n", "\n", whole)
    assert ("assistant", re.sub(r" +\n", "\n", answer)) in said(write(tmp_path, stripped))


def test_a_log_whose_ends_of_lines_an_editor_took_away_is_read(tmp_path: Path) -> None:
    text = (
        RUN + noticed("Aider") + typed("Ring", "twice.") + answered("Rung.") + noticed("Applied edit") + typed("More.")
    )
    path = write(tmp_path, re.sub(r" +\n", "\n", text))
    assert said(path) == [("user", "Ring\ntwice."), ("assistant", "Rung."), ("user", "More.")]


def test_foreign_bytes_and_lines_without_end_are_counted(tmp_path: Path) -> None:
    path = tmp_path / HISTORY
    path.write_bytes((RUN + "\n#### Gr").encode() + b"\xfc\xdf  \n\nYes.\n\n#### unfin")
    read = told(path)
    assert [turn.text for turn in read.turns] == ["Gr��", "Yes."]
    assert [skip.reason for skip in read.skips] == ["replaced-bytes", "unfinished-line"]


def test_a_file_that_is_no_text_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / HISTORY
    path.write_bytes(b"\x1f\x8b\x08\0 packed\n")
    assert told(path).unreadable == ["Unreadable('compressed')"]


def test_a_new_prompt_is_read_on_and_a_longer_answer_again(tmp_path: Path) -> None:
    path = write(tmp_path, RUN, typed("One?"), answered("One."))
    mark = told(path).files[path][-1]
    write(tmp_path, RUN, typed("One?"), answered("One."), typed("Two?"), answered("Two."))
    assert [record.text for record in AIDER.read(path, mark) if hasattr(record, "text")] == ["Two?", "Two."]  # type: ignore[arg-type]
    write(tmp_path, RUN, typed("One?"), answered("One."), "More of it.\n")
    with pytest.raises(Reread):
        list(AIDER.read(path, mark))  # type: ignore[arg-type]


def test_the_log_of_a_project_that_another_agent_worked_in_is_read(tmp_path: Path) -> None:
    stores, project = Stores(tmp_path), tmp_path / "src" / "bells"
    project.mkdir(parents=True)
    path = write(project, RUN, typed("One?"), answered("One."))
    stores.session("s1", a_prompt("Ring.", cwd=str(project)))
    stores.run()
    stores.run()
    assert stores.says(f"{digest(path)}-20261107091500-1", "aider") == ["One?", "One."]


LINES = st.sampled_from(
    ["", "", "text", "#### typed  ", "#### heading", "> said  ", "> quoted", "> Tokens: 1", "```", "```py", "~~~"]
    + [f"# aider chat started at 2026-11-0{day} 00:00:00" for day in (1, 2)]
)


@settings(max_examples=60)
@given(lines=st.lists(LINES, max_size=25), cuts=st.lists(st.integers(0, 400), max_size=3))
def test_however_a_log_grows_it_is_read_the_same(
    lines: list[str], cuts: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / HISTORY
    whole = "".join(f"{line}\n" for line in lines).encode()
    for adapter in (AIDER, AIDER.with_tools()):
        grown, mark = Told(), None
        for size in (*sorted(cuts), len(whole)):
            path.write_bytes(whole[:size])
            mark = grown.read(adapter, path, mark)
        assert grown.turns == told(path, adapter).turns
        assert len([turn for turn in grown.turns if turn.role == "user"]) >= ("#### typed  " in lines[:1])


@needs_fixtures
def test_the_fixtures_are_read() -> None:
    read = told(FIXTURES / "deja_.aider.chat.history.md")
    assert [(turn.role, turn.text) for turn in read.turns] == [
        ("user", "inspect the markdown history"),
        ("assistant", "The history is readable."),
    ]
    first, second = told(FIXTURES / "av_.aider.chat.history.md").sessions().values()
    assert first["turns"][0] == ["user", "add a retry to the webhook"]
    assert second["turns"] == [
        ["user", "make the timeout configurable"],
        ["assistant", "Done. The timeout now reads from the environment."],
    ]


@needs_fixtures
def test_every_prompt_of_a_real_log_of_4_mb_is_found() -> None:
    path = FIXTURES / "aider_chat-history.md"
    read = told(path)
    lines = path.read_text("utf-8").split("\n")
    begin = [n for n, line in enumerate(lines) if line.startswith("#### ") and not lines[n - 1].startswith("#### ")]
    wanted = [n for n in begin if lines[n].endswith("  ") and lines[n] != "#### <blank>  "]
    assert len([turn for turn in read.turns if turn.role == "user"]) in (len(wanted), len(wanted) + 1)
    answers = [turn.text for turn in read.turns if turn.role == "assistant"]
    assert len(answers) > 800
    assert [text for text in answers if re.search(r"^(?:####|>) .*  $", text, re.MULTILINE)] == []
    assert read.skips == []
    assert all(not isinstance(record, SkipRecord) for record in read.records())
