"""What Cline and its forks put around the words of a person and of a model, tool calls among them."""

from __future__ import annotations

import re

from .content import tool_text
from .message_turns import Piece
from .tags import inside, without

SPOKEN = {
    "attempt_completion": "result",
    "ask_followup_question": "question",
    "plan_mode_respond": "response",
    "plan_mode_response": "response",
}
"""Tools by which a model talks to the person, with what it says."""
TOOLS = """access_mcp_resource apply_diff apply_patch browser_action codebase_search condense edit_file execute_command
    fetch_instructions focus_chain generate_image insert_content list_code_definition_names list_files
    load_mcp_documentation new_rule new_task read_file replace_in_file report_bug run_slash_command search_and_replace
    search_files search_replace summarize_task switch_mode task_progress update_todo_list use_mcp_tool web_fetch
    web_search write_to_file""".split()
IN_TEXT = re.compile(f"<(thinking|{'|'.join([*SPOKEN, *TOOLS])})>")
"""Before models called tools by other means they wrote the calls into their text."""

RESULT = re.compile(r"\[\w[^\n]*?\] Result:\s*")
REPLY = re.compile(r"(?:The user[^<]*)?<(feedback|user_message|answer)>")
PROMPT = re.compile(r"<(task|user_input|user_command)(?: [^<>]*)?>")
INJECTED = re.compile(
    r"\[TASK RESUMPTION\]|\[ERROR\]|<explicit_instructions|<hook_context|# (?:Reminder|task_progress)"
)
"""How messages begin that a person did not write, although they may quote one."""
ATTACHED = ("file_content", "folder_content", "url_content")


def begins_result(text: str) -> bool:
    """Whether a text says that it is a tool's result."""
    return RESULT.match(text) is not None


def announces_result(text: str) -> bool:
    """Whether a text is the mere head of a tool's result, which the next text then holds."""
    found = RESULT.match(text)
    return found is not None and found.end() == len(text)


def person_said(text: str, *, in_result: bool = False) -> str | None:
    """The words of a person in a text of theirs, or in a tool's result; None where there are none."""
    text = without(text, "environment_details", "mode_notice").strip()
    if head := RESULT.match(text):
        text, in_result = text[head.end() :], True
    if found := REPLY.match(text):
        return _up_to_closing(text[found.end() :], found[1])
    if in_result:
        return None
    if INJECTED.match(text):
        return inside(text, "user_message") or None
    if found := PROMPT.match(text):
        return _up_to_closing(text[found.end() :], found[1])
    return without(text, *ATTACHED).strip() or None


def model_said(text: str, tools: bool) -> list[Piece]:
    """A model's words without its thoughts, and with `tools` the calls in its text."""
    pieces: list[Piece] = []
    start = 0
    for found in IN_TEXT.finditer(text):
        if found.start() < start:
            continue
        pieces.append(("text", text[start : found.start()].strip()))
        name, closing = found[1], f"</{found[1]}>"
        end = text.find(closing, found.end())
        block = text[found.end() : end if end >= 0 else len(text)]
        start = end + len(closing) if end >= 0 else len(text)
        if name in SPOKEN:
            pieces.append(("text", inside(block, SPOKEN[name]) or ""))
        elif tools and name != "thinking":
            pieces.append(("tool", tool_text(name, block.strip())))
    return [*pieces, ("text", text[start:].strip())]


def _up_to_closing(text: str, tag: str) -> str | None:
    end = text.rfind(f"</{tag}>")
    return (text if end < 0 else text[:end]).strip() or None
