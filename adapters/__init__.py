"""What each kind of session store looks like, one file a source; the registry lists them in display order."""

from __future__ import annotations

from .registry import Entry, Registry

ADAPTERS = Registry(
    # name, name for people, module, class
    Entry("claude", "Claude Code", "claude", "Claude"),
    Entry("codex", "Codex", "codex", "Codex"),
    Entry("openclaw", "OpenClaw", "openclaw", "OpenClaw"),
    Entry("dsh", "DSH", "dsh", "Dsh"),
    Entry("workbuddy", "WorkBuddy", "workbuddy", "WorkBuddy"),
    Entry("codebuddy", "CodeBuddy", "codebuddy", "CodeBuddy"),
    Entry("zcode", "ZCode", "zcode", "ZCode"),
    Entry("kimi", "Kimi", "kimi", "Kimi"),
    Entry("memory", "Memory files", "memory_files", "MemoryFiles"),
    Entry("claude-mem", "claude-mem", "claude_mem", "ClaudeMem"),
    Entry("gemini", "Gemini CLI", "gemini", "Gemini"),
    Entry("antigravity", "Antigravity", "antigravity", "Antigravity"),
    Entry("opencode", "OpenCode", "opencode", "OpenCode"),
    Entry("copilot", "Copilot CLI", "copilot", "Copilot"),
    Entry("copilot-vscode", "Copilot Chat (VS Code)", "copilot_vscode", "CopilotVscode"),
    Entry("cursor", "Cursor", "cursor", "Cursor"),
    Entry("qwen", "Qwen Code", "qwen", "Qwen"),
    Entry("cline", "Cline", "cline", "Cline"),
    Entry("roo", "Roo Code", "roo", "Roo"),
    Entry("aider", "Aider", "aider", "Aider"),
    Entry("goose", "Goose", "goose", "Goose"),
    Entry("amp", "Amp", "amp", "Amp"),
    Entry("crush", "Crush", "crush", "Crush"),
    Entry("droid", "Factory Droid", "droid", "Droid"),
    Entry("vibe", "Mistral Vibe", "vibe", "Vibe"),
    Entry("pi", "pi", "pi", "Pi"),
    Entry("continue", "Continue", "continue_dev", "Continue"),
)
