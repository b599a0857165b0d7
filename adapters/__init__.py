"""What each kind of session store looks like, one file a source; the registry lists them in display order."""

from __future__ import annotations

from ..core.model import Adapter
from .claude import Claude
from .codebuddy import CodeBuddy
from .codex import Codex
from .crush import Crush
from .dsh import Dsh
from .goose import Goose
from .kimi import Kimi
from .openclaw import OpenClaw
from .opencode import OpenCode
from .pi import Pi
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
    OpenCode(),
    Goose(),
    Crush(),
    Pi(),
)
