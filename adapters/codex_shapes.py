"""The shape of a rollout's lines as far as it is conversation, tolerant of all that may be different."""

from __future__ import annotations

from typing import cast

import msgspec

from .json_lines import NULL


class Part(msgspec.Struct):
    """One piece of a message; images and their data are passed over."""

    type: object = None
    text: object = None


Content = list[Part | str] | Part | str | None


class Item(msgspec.Struct):
    """What an `item_completed` event is about."""

    type: object = None
    content: Content = None


class Body(msgspec.Struct):
    """All that is ever read of a payload. Fields whose shape has changed or may change are `object`."""

    type: object = None
    id: object = None
    role: object = None
    content: Content = None
    message: object = None
    model: object = None
    timestamp: object = None
    session_id: object = None
    cwd: object = None
    git: object = None
    originator: object = None
    source: object = None
    thread_source: object = None
    parent_thread_id: object = None
    forked_from_id: object = None
    history_base: object = None
    subagent_history_start_ordinal: object = None
    item: Item | None = None
    num_turns: object = None
    thread_id: object = None
    thread_name: object = None
    name: object = None
    arguments: msgspec.Raw = NULL
    input: msgspec.Raw = NULL
    action: msgspec.Raw = NULL
    output: msgspec.Raw = NULL


class Line(Body):
    """One line: an envelope round a payload, or in the first generation the payload itself."""

    payload: Body | None = None
    ordinal: object = None
    created_at: object = None
    record_type: object = None


LINES = msgspec.json.Decoder(Line)

TEXT_PARTS = frozenset({"text", "input_text", "output_text"})


def texts(content: object) -> list[str]:
    """The pieces of text in a message's content, whichever shape that has."""
    found: list[str] = []
    for piece in cast(list[object], content) if isinstance(content, list) else [content]:
        text = piece
        if isinstance(piece, Part):
            readable = piece.type is None or (isinstance(piece.type, str) and piece.type.lower() in TEXT_PARTS)
            text = piece.text if readable else None
        if isinstance(text, str) and text.strip():
            found.append(text)
    return found


def known(kind: object, names: frozenset[str]) -> bool:
    """Whether a record's type is one of `names`."""
    return isinstance(kind, str) and kind in names


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Types that are known to carry no conversation of the user with the agent; any other is counted as unknown.
ENVELOPES = _names(
    """session_meta turn_context response_item event_msg compacted world_state inter_agent_communication
    inter_agent_communication_metadata token_usage_record security_risk_score retained_context realtime_item
    message reasoning function_call function_call_output function_result local_shell_call custom_tool_call
    custom_tool_call_output web_search_call tool_call tool_result error"""
)
ITEMS = _names(
    """message reasoning agent_message local_shell_call function_call function_call_output custom_tool_call
    custom_tool_call_output tool_search_call tool_search_output web_search_call image_generation_call ghost_snapshot
    compaction compaction_summary context_compaction tool_call tool_result other"""
)
EVENTS = _names(
    """account/rateLimits/updated agent_message agent_message_content_delta agent_message_delta agent_reasoning
    agent_reasoning_delta agent_reasoning_raw_content agent_reasoning_raw_content_delta agent_reasoning_section_break
    apply_patch_approval_request background_event codex/event/raw_item collab_agent_interaction_begin
    collab_agent_interaction_end collab_agent_spawn_begin collab_agent_spawn_end collab_close_begin collab_close_end
    collab_resume_begin collab_resume_end collab_waiting_begin collab_waiting_end context_compacted deprecation_notice
    dynamic_tool_call_request dynamic_tool_call_response elicitation_request entered_review_mode error
    exec_approval_request exec_command_begin exec_command_end exec_command_output_delta exited_review_mode
    get_history_entry_response guardian_assessment guardian_warning hook_completed hook_started image_generation_begin
    image_generation_end item_completed item_started list_custom_prompts_response list_skills_response
    mcp_list_tools_response mcp_startup_complete mcp_startup_update mcp_tool_call_begin mcp_tool_call_end model_reroute
    patch_apply_begin patch_apply_end patch_apply_updated plan_delta plan_update raw_response_item
    reasoning_content_delta reasoning_raw_content_delta request_permissions request_user_input session_configured
    shutdown_complete skills_update_available stream_error sub_agent_activity task_complete task_started
    terminal_interaction thread_goal_updated thread_name_updated thread_rolled_back thread_settings_applied token_count
    turn.completed turn_aborted turn_complete turn_diff turn_started undo_completed undo_started user_message
    view_image_tool_call warning web_search_begin web_search_end"""
)
THREAD_ITEMS = _names(
    """UserMessage AgentMessage HookPrompt Plan Reasoning CommandExecution FileChange McpToolCall DynamicToolCall
    CollabToolCall CollabAgentToolCall SubAgentActivity WebSearch ImageView ImageGeneration Extension EnteredReviewMode
    ExitedReviewMode ContextCompaction Sleep"""
)
