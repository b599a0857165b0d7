"""Cline's sessions and tasks: what is taken out of a message, where a time is from, which files tell what."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from harkback.adapters.cline import Cline
from harkback.adapters.cline_text import model_said, person_said
from harkback.core.model import Checkpoint, Place, Reread, SkipRecord, Unreadable
from hypothesis import given
from hypothesis import strategies as st
from read_sessions import read

CLINE = Cline()
FIXTURES = Path(__file__).parents[1].parent / "shared" / "fixtures" / "cline"
needs_fixtures = pytest.mark.skipif(not FIXTURES.is_dir(), reason="the shared fixtures are not here")
TASK = "1793950000000"
START = int(TASK)


def put(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def history(root: Path, *messages: Any, task: str = TASK) -> Path:
    return put(root / "tasks" / task / "api_conversation_history.json", list(messages))


def panel(root: Path, *lines: Any, task: str = TASK, name: str = "ui_messages.json") -> Path:
    return put(root / "tasks" / task / name, list(lines))


def session(root: Path, *messages: Any, name: str = "s_1", agent: str | None = None) -> Path:
    return put(root / "sessions" / name / f"{agent or name}.messages.json", {"version": 1, "messages": messages})


def says(role: str, *blocks: Any, **more: Any) -> dict[str, Any]:
    content = [block if isinstance(block, dict) else {"type": "text", "text": block} for block in blocks]
    return {"role": role, "content": content} | more


def shows(say: str, text: str, at: int, **more: Any) -> dict[str, Any]:
    return {"ts": at, "type": "say", "say": say, "text": text} | more


# ---- Where ----


def test_sessions_are_where_the_first_variable_says(tmp_path: Path) -> None:
    assert CLINE.roots(tmp_path, {})[0] == tmp_path / ".cline" / "data"
    assert CLINE.roots(tmp_path, {"CLINE_DIR": "/cline"})[0] == Path("/cline/data")
    assert CLINE.roots(tmp_path, {"CLINE_DIR": "/cline", "CLINE_DATA_DIR": "/data"})[0] == Path("/data")
    assert CLINE.roots(tmp_path, {"CLINE_SESSION_DATA_DIR": "/sessions", "CLINE_DATA_DIR": "/data"})[:2] == [
        Path("/sessions"),
        Path("/data"),
    ]


@pytest.mark.parametrize("editor", ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"])
@pytest.mark.parametrize("base", [".config", "Library/Application Support", "AppData/Roaming"])
def test_tasks_are_in_the_storage_of_every_editor_on_every_system(tmp_path: Path, editor: str, base: str) -> None:
    storage = tmp_path / base / editor / "User" / "globalStorage" / "saoudrizwan.claude-dev"
    assert storage in CLINE.roots(tmp_path, {})


def test_what_is_no_conversation_is_not_found(tmp_path: Path) -> None:
    wanted = {
        history(tmp_path, says("user", "Hello")),
        session(tmp_path, says("user", "Hello")),
        put(tmp_path / "sessions" / "s_1" / "s_1.json", {}),
        put(tmp_path / "state" / "taskHistory.json", []),
    }
    for name in (
        "secrets.json", "settings/settings.json", "state/state.json", "sessions/sessions.index.json",
        "sessions/s_1/s_1.compaction.json", "sessions/s_1/auth.json", "sessions/s_2/s_2.json",
        f"tasks/{TASK}/task_metadata.json", f"tasks/{TASK}/checkpoints/.git/ui_messages.json",
    ):  # fmt: skip
        put(tmp_path / name, {})
    found = [item.path if isinstance(item, Place) else item for item in CLINE.find(tmp_path)]
    assert set(found) == wanted
    assert len(found) == len(wanted)


def test_a_folder_of_sessions_of_its_own_is_read(tmp_path: Path) -> None:
    session(tmp_path, says("user", "Hello", ts=START))
    assert read(CLINE, tmp_path / "sessions")["s_1"].dialog == [("user", "Hello")]


def test_links_are_told_and_not_followed(tmp_path: Path) -> None:
    real = history(tmp_path / "elsewhere", says("user", "Hello"))
    (tmp_path / "tasks" / "1").mkdir(parents=True)
    (tmp_path / "tasks" / "1" / real.name).symlink_to(real)
    (tmp_path / "tasks" / "2").symlink_to(real.parent)
    found = list(CLINE.find(tmp_path))
    assert [item.reason for item in found if isinstance(item, SkipRecord)] == ["symbolic-link"] * 2
    assert len(found) == 2


def test_only_a_session_of_the_command_line_is_resumed() -> None:
    assert CLINE.resume("1794300000000_k3f9a") == ["cline", "--id", "1794300000000_k3f9a"]
    assert CLINE.resume(TASK) is None
    assert CLINE.resume("s_1:agent") is None
    assert CLINE.resume("-x") is None


# ---- Words ----


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello", "Hello"),
        ("<task>\nSay hello\n</task>", "Say hello"),
        ("<task>\nClose it with </task> please\n</task>\n\n<environment_details>\nx\n</environment_details>",
         "Close it with </task> please"),
        ("<task>\nNever closed", "Never closed"),
        ("<user_message>\nAnd now?\n</user_message>", "And now?"),
        ('<user_input mode="plan"><mode_notice>Plan mode</mode_notice>Think</user_input>\n<file_content path="a">x'
         "</file_content>", "Think"),
        ('<user_command slash="review">the diff</user_command>', "the diff"),
        ("The user has provided feedback on the results. Go on.\n<feedback>\nShorter\n</feedback>", "Shorter"),
        ("[attempt_completion] Result:\n\nThe user denied this.\n<feedback>\nNo\n</feedback>", "No"),
        ("[ask_followup_question for 'Which?'] Result:\n<answer>\nBoth\n</answer>", "Both"),
        ("[TASK RESUMPTION] It was interrupted.\n<user_message>\nGo on\n</user_message>", "Go on"),
        ("What does <task> mean in <environment_details>?", "What does <task> mean in"),
        ("Look at this\n<file_content path=\"a.py\">\nx = 1\n</file_content>", "Look at this"),
        ("[read_file for 'a.py'] Result:\nx = 1", None),
        ("[TASK RESUMPTION] It was interrupted.", None),
        ("[ERROR] You did not use a tool", None),
        ("<environment_details>\nx\n</environment_details>", None),
        ("<task>\n</task>", None),
    ],
)  # fmt: skip
def test_the_words_of_a_person(text: str, words: str | None) -> None:
    assert person_said(text) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Plain", "Plain"),
        ("<thinking>Hm</thinking>\nI look.\n<read_file>\n<path>a</path>\n</read_file>", "I look."),
        ("<attempt_completion>\n<result>\nDone.\n</result>\n<command>open a</command>\n</attempt_completion>", "Done."),
        ("<ask_followup_question>\n<question>Which?</question>\n</ask_followup_question>", "Which?"),
        ("Before <plan_mode_respond><response>A plan</response></plan_mode_respond> after", "Before|A plan|after"),
        ("Torn <read_file><path>a", "Torn"),
        ("Generic <T> and <div> stay", "Generic <T> and <div> stay"),
    ],
)
def test_the_words_of_a_model(text: str, words: str) -> None:
    assert "|".join(said for _, said in model_said(text, tools=False) if said) == words


def test_calls_in_a_text_are_read_where_the_person_asked_for_them() -> None:
    said = model_said("<thinking>Hm</thinking>I look.\n<read_file>\n<path>a</path>\n</read_file>", tools=True)
    assert [piece for piece in said if piece[1]] == [("text", "I look."), ("tool", "read_file\n<path>a</path>")]


@given(text=st.text(alphabet="<>/[]\n ab", max_size=60) | st.sampled_from(["<task>" * 9, "[a] Result:" * 9]))
def test_no_text_breaks_the_rules(text: str) -> None:
    for tools in (True, False):
        assert "".join(said for _, said in model_said(text, tools)) is not None
    assert person_said(text) is None or person_said(text)


LONG = 400_000


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[" + "a" * LONG, "[" + "a" * LONG),
        ("[a" * LONG, "[a" * LONG),
        ("[a] Result" * LONG, "[a] Result" * LONG),
        ("The user <" * LONG, "The user <" * LONG),
        ("<environment_details " * LONG, "<environment_details " * LONG),
        ("<task>" * LONG, "<task>" * (LONG - 1)),
    ],
    ids=lambda text: text[:12],
)
def test_a_long_text_is_gone_through_once(text: str, words: str) -> None:
    assert person_said(text) == words.strip()
    assert person_said(text, in_result=True) is None
    [(_, said)] = model_said(text, tools=False)
    assert said == text.strip()


# ---- Tasks ----


def test_what_was_said_in_a_task_and_what_was_not(tmp_path: Path) -> None:
    history(
        tmp_path,
        says("user", "<task>\nFix it\n</task>", "<environment_details>\n# Time\n</environment_details>"),
        says("assistant", {"type": "thinking", "thinking": "Hm"}, "I look.", {"type": "tool_use", "name": "read_file",
             "input": {"path": "a.py"}}),
        says("user", {"type": "tool_result", "content": "x = 1"}, {"type": "image", "source": {"data": "AAAA"}}),
        says("user", "[read_file for 'b.py'] Result:", "y = 2", "<environment_details>\n</environment_details>"),
        says("assistant", {"type": "tool_use", "name": "attempt_completion", "input": {"result": "Fixed."}}),
        says("user", {"type": "tool_result", "content": [{"type": "text", "text": "<feedback>\nAnd b?\n</feedback>"}]}),
        {"role": "assistant", "content": "Also b."},
    )  # fmt: skip
    told = read(CLINE, tmp_path)
    assert told[TASK].dialog == [
        ("user", "Fix it"), ("assistant", "I look."), ("assistant", "Fixed."), ("user", "And b?"),
        ("assistant", "Also b."),
    ]  # fmt: skip
    assert not told.skips
    tools = [text for role, text in read(CLINE, tmp_path, tools=True)[TASK].dialog if role == "tool"]
    assert tools == ['read_file\n{"path": "a.py"}', "x = 1", "[read_file for 'b.py'] Result:", "y = 2"]


def test_times_are_the_messages_own_else_the_panels_else_the_start_of_the_task(tmp_path: Path) -> None:
    history(
        tmp_path, says("user", "<task>Fix it</task>"), says("assistant", "I look."), says("assistant", "Fixed."),
        says("user", "Again"), says("user", "Again"), says("assistant", "Own", ts=START + 99),
    )  # fmt: skip
    panel(
        tmp_path, shows("text", "Fix it", START + 1), shows("text", "I look.", START + 2, partial=True),
        shows("completion_result", "Fixed.HAS_CHANGES", START + 3),
        shows("user_feedback", "Again", START + 4), shows("user_feedback", "Again", START + 5),
    )  # fmt: skip
    assert [(turn.time, turn.quality) for turn in read(CLINE, tmp_path)[TASK].turns] == [
        (START + 1, "exact"), (START, "file"), (START + 3, "exact"), (START + 4, "exact"), (START + 5, "exact"),
        (START + 99, "exact"),
    ]  # fmt: skip


def test_the_model_is_the_last_that_answered(tmp_path: Path) -> None:
    history(
        tmp_path, says("user", "Hello"), says("assistant", "Hi.", modelInfo={"modelId": "glm-5"}),
        says("assistant", "Hi again.", modelInfo={"modelId": "glm-6", "mode": "act"}), says("user", "Bye"),
    )  # fmt: skip
    assert read(CLINE, tmp_path)[TASK].model == "glm-6"


def test_a_task_that_is_named_otherwise_and_tells_no_time_has_none(tmp_path: Path) -> None:
    history(tmp_path, says("user", "Hello"), task="some-task")
    assert [(turn.time, turn.quality) for turn in read(CLINE, tmp_path)["some-task"].turns] == [(None, "none")]


@pytest.mark.parametrize("name", ["ui_messages.json", "claude_messages.json"])
def test_where_only_the_panel_is_left_it_is_read(tmp_path: Path, name: str) -> None:
    panel(
        tmp_path,
        shows("task", "Fix it", START + 1),
        shows("api_req_started", "{}", START + 2),
        shows("text", "I lo", START + 3, partial=True),
        shows("text", "I look.", START + 4),
        shows("reasoning", "Hm", START + 5),
        {"ts": START + 6, "type": "ask", "ask": "followup", "text": json.dumps({"question": "Which?", "options": []})},
        {"ts": START + 7, "type": "ask", "ask": "plan_mode_respond", "text": json.dumps({"response": "A plan"})},
        {"ts": START + 8, "type": "ask", "ask": "command", "text": "ls"},
        shows("user_feedback", "Both", START + 9),
        shows("completion_result", "Fixed.HAS_CHANGES", START + 10),
        name=name,
    )
    told = read(CLINE, tmp_path)[TASK]
    assert told.dialog == [
        ("user", "Fix it"), ("assistant", "I look."), ("assistant", "Which?"), ("assistant", "A plan"),
        ("user", "Both"), ("assistant", "Fixed."),
    ]  # fmt: skip
    assert told.turns[0].time == START + 1


def test_a_panel_changes_what_is_read_of_a_history(tmp_path: Path) -> None:
    path = history(tmp_path, says("user", "Hello"))
    beside = path.with_name("ui_messages.json")
    assert list(CLINE.find(tmp_path)) == [Place(path, (beside,))]
    panel(tmp_path, shows("text", "Hello", START), name="claude_messages.json")
    assert list(CLINE.find(tmp_path)) == [Place(path, (path.with_name("claude_messages.json"),))]


def test_the_list_of_tasks_tells_where_they_were(tmp_path: Path) -> None:
    history(tmp_path, says("user", "Hello"))
    listed = [{"id": TASK, "task": "Hello", "cwdOnTaskInitialization": "/src", "modelId": "glm-5"}, {"id": 7}, []]
    put(tmp_path / "state" / "taskHistory.json", listed)
    told = read(CLINE, tmp_path)
    assert (told[TASK].project, told[TASK].model) == ("/src", "glm-5")
    assert told.skips == {"unexpected-shape": 1}


# ---- Sessions ----


def test_a_session_with_its_manifest_and_the_agents_that_serve_it(tmp_path: Path) -> None:
    session(tmp_path, says("user", '<user_input mode="act">Hello</user_input>', id="m1", ts=START))
    session(tmp_path, {"role": "user", "content": "Find it", "ts": START + 1}, agent="scout")
    manifest = {"cwd": None, "workspace_root": "/src", "model": "glm-5", "metadata": {"title": "Greeting"}}
    put(tmp_path / "sessions" / "s_1" / "s_1.json", manifest | {"messages_path": "/stale/s_1.messages.json"})
    told = read(CLINE, tmp_path)
    assert told["s_1"].dialog == [("user", "Hello")]
    assert told["s_1"].turns[0].time == START
    assert (told["s_1"].title, told["s_1"].project, told["s_1"].model) == ("Greeting", "/src", "glm-5")
    assert told["s_1:scout"].dialog == [("user", "Find it")]
    assert (told["s_1:scout"].kind, told["s_1:scout"].parent) == ("subagent", "s_1")


# ---- Damage ----


def test_broken_messages_cost_themselves_and_new_types_are_counted(tmp_path: Path) -> None:
    history(
        tmp_path, says("user", "Hello", {"type": "hologram"}, 7), 7, {"role": "oracle", "content": "x"},
        {"role": "user", "content": {"x": 1}}, says("assistant", {"type": "text", "text": 7}, {"type": ["x"]}, "Hi."),
    )  # fmt: skip
    told = read(CLINE, tmp_path)
    assert told[TASK].dialog == [("user", "Hello"), ("assistant", "Hi.")]
    assert told.skips["unknown-type"] == 3
    assert told.skips["unexpected-shape"] == 2


@pytest.mark.parametrize(("content", "reason"), [("[{", "not-json"), ("7", "unexpected-shape"), ("", "not-json")])
def test_a_file_that_is_no_history_is_set_aside(tmp_path: Path, content: str, reason: str) -> None:
    path = put(tmp_path / "tasks" / TASK / "api_conversation_history.json", content)
    with pytest.raises(Unreadable) as raised:
        list(CLINE.read(path, None))
    assert raised.value.reason == reason


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    path = history(tmp_path, says("user", "Hello"))
    [*_, end] = CLINE.read(path, None)
    assert end == Checkpoint(path.stat().st_size)
    with pytest.raises(Reread):
        list(CLINE.read(path, Checkpoint(1)))


# ---- The shared fixtures ----


@needs_fixtures
def test_the_fixtures(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "deja_legacy", tmp_path, dirs_exist_ok=True)
    shutil.copytree(FIXTURES / "deja_modern", tmp_path, dirs_exist_ok=True)
    put(tmp_path / "tasks" / "1740470400000" / "ui_messages.json", (FIXTURES / "cn_ui_messages.json").read_text())
    told = read(CLINE, tmp_path)
    assert not told.skips
    assert told["1767225600000"].dialog == [("user", "Say hello"), ("assistant", "Hello!")]
    assert (told["1767225600000"].project, told["1767225600000"].model) == (
        "/home/example/work/demo",
        "synthetic-model",
    )
    assert told["session_synthetic_01"].dialog == [("user", "Say hello"), ("assistant", "Hello!")]
    assert told["session_synthetic_01"].title == "Synthetic parser example"
    assert told["session_synthetic_01"].turns[1].time == 1_767_225_603_000
    panel_only = told["1740470400000"].dialog
    assert [role for role, _ in panel_only] == ["user", "user", "assistant"]
    assert panel_only[0][1].startswith("Create a React component")
    assert panel_only[1][1] == "Also add a date range picker for filtering the data"
    assert panel_only[2][1].startswith("Dashboard component created")
