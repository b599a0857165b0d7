"""What each kind of session store looks like, one file a source; the registry lists them in display order."""

from __future__ import annotations

from ..core.model import Adapter
from .aider import Aider
from .amp import Amp
from .antigravity import Antigravity
from .claude import Claude
from .claude_mem import ClaudeMem
from .cline import Cline
from .codebuddy import CodeBuddy
from .codex import Codex
from .continue_dev import Continue
from .copilot import Copilot
from .copilot_vscode import CopilotVscode
from .crush import Crush
from .cursor import Cursor
from .droid import Droid
from .dsh import Dsh
from .gemini import Gemini
from .goose import Goose
from .kimi import Kimi
from .memory_files import MemoryFiles
from .openclaw import OpenClaw
from .opencode import OpenCode
from .pi import Pi
from .qwen import Qwen
from .roo import Roo
from .vibe import Vibe
from .workbuddy import WorkBuddy
from .zcode import ZCode

ADAPTERS: tuple[Adapter, ...] = (
    Claude(),
    Codex(),
    OpenClaw(),
    Dsh(),
    WorkBuddy(),
    CodeBuddy(),
    ZCode(),
    Kimi(),
    MemoryFiles(),
    ClaudeMem(),
    Gemini(),
    Antigravity(),
    OpenCode(),
    Copilot(),
    CopilotVscode(),
    Cursor(),
    Qwen(),
    Cline(),
    Roo(),
    Aider(),
    Goose(),
    Amp(),
    Crush(),
    Droid(),
    Vibe(),
    Pi(),
    Continue(),
)
