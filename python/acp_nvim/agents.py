"""Known agents: what they are called, how they are started, how they are installed.

Data only; anyone may import it. The user's `vim.g.acp.agents` is merged over it elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

EMPTY_FOR_MISSING_FILE: Final = "empty_for_missing_file"
"""Reads a new file before writing it, and gives up on any error: answer "" instead."""

LEGACY_MODELS: Final = "legacy_models"
"""Offers its models in `models` of the session's answer, which is in no schema, to be chosen by
`session/set_model`: an option of category `model`, if it has none. Older releases of some."""

MODE_AS_TEXT: Final = "mode_as_text"
"""Announces a change of mode by a chunk of text, `[MODE_UPDATE] yolo`: it is no message."""

CONTEXT_AS_USER: Final = "context_as_user"
"""Replays what it told its model of the machine, `<session_context> …`, as the user's words."""


@dataclass(frozen=True, slots=True)
class Preset:
    """An agent; `install` is a shell command for the user, `install_url` its documentation."""

    name: str
    title: str
    command: str
    args: tuple[str, ...]
    install: str
    install_url: str = ""
    env: tuple[tuple[str, str], ...] = ()
    quirks: frozenset[str] = frozenset()


_ALL = (
    Preset(
        name="claude",
        title="Claude",
        command="claude-agent-acp",
        args=(),
        install="npm install -g @agentclientprotocol/claude-agent-acp",
        install_url="https://github.com/agentclientprotocol/claude-agent-acp",
        quirks=frozenset({LEGACY_MODELS}),
    ),
    Preset(
        name="gemini",
        title="Gemini CLI",
        command="gemini",
        args=("--acp",),
        install="npm install -g @google/gemini-cli",
        install_url="https://github.com/google-gemini/gemini-cli",
        quirks=frozenset({CONTEXT_AS_USER, EMPTY_FOR_MISSING_FILE, LEGACY_MODELS, MODE_AS_TEXT}),
    ),
    Preset(
        name="codex",
        title="Codex",
        command="codex-acp",
        args=(),
        install="npm install -g @agentclientprotocol/codex-acp",
        install_url="https://github.com/agentclientprotocol/codex-acp",
        quirks=frozenset({LEGACY_MODELS}),
    ),
    Preset(
        name="opencode",
        title="OpenCode",
        command="opencode",
        args=("acp",),
        install="npm install -g opencode-ai",
        install_url="https://opencode.ai/docs/acp",
        quirks=frozenset({LEGACY_MODELS}),
    ),
    Preset(
        name="qwen",
        title="Qwen Code",
        command="qwen",
        args=("--acp",),
        install="npm install -g @qwen-code/qwen-code",
        install_url="https://github.com/QwenLM/qwen-code",
        quirks=frozenset({LEGACY_MODELS}),
    ),
    Preset(
        name="goose",
        title="goose",
        command="goose",
        args=("acp",),
        install=(
            "curl -fsSL https://github.com/aaif-goose/goose/releases/download/stable/"
            "download_cli.sh | bash"
        ),
        install_url="https://github.com/aaif-goose/goose",
    ),
    Preset(
        name="kimi",
        title="Kimi Code CLI",
        command="kimi",
        args=("acp",),
        install="npm install -g @moonshot-ai/kimi-code",
        install_url="https://moonshotai.github.io/kimi-code/en/guides/getting-started",
    ),
    Preset(
        name="mistral-vibe",
        title="Mistral Vibe",
        command="vibe-acp",
        args=(),
        install="uv tool install mistral-vibe",
        install_url="https://docs.mistral.ai/mistral-vibe/introduction/install",
    ),
    Preset(
        name="copilot",
        title="GitHub Copilot",
        command="copilot",
        args=("--acp",),
        install="npm install -g @github/copilot",
        install_url="https://github.com/github/copilot-cli",
    ),
    Preset(
        name="cursor",
        title="Cursor",
        command="cursor-agent",
        args=("acp",),
        install="curl https://cursor.com/install -fsS | bash",
        install_url="https://cursor.com/docs/cli/acp",
    ),
    Preset(
        name="auggie",
        title="Auggie CLI",
        command="auggie",
        args=("--acp",),
        install="npm install -g @augmentcode/auggie",
        install_url="https://docs.augmentcode.com/cli/acp/agent",
        env=(("AUGMENT_DISABLE_AUTO_UPDATE", "1"),),
    ),
    Preset(
        name="cline",
        title="Cline",
        command="cline",
        args=("--acp",),
        install="npm install -g cline",
        install_url="https://cline.bot/cli",
    ),
    Preset(
        name="fast-agent",
        title="fast-agent",
        command="fast-agent-acp",
        args=("-x",),
        install="uv tool install fast-agent-acp",
        install_url="https://github.com/evalstate/fast-agent",
    ),
    Preset(
        name="kiro",
        title="Kiro CLI",
        command="kiro-cli",
        args=("acp",),
        install="curl -fsSL https://cli.kiro.dev/install | bash",
        install_url="https://kiro.dev/docs/cli/acp",
    ),
    Preset(
        name="kilo",
        title="Kilo",
        command="kilo",
        args=("acp",),
        install="npm install -g @kilocode/cli",
        install_url="https://github.com/Kilo-Org/kilocode",
    ),
    Preset(
        name="codebuddy",
        title="CodeBuddy Code",
        command="codebuddy",
        args=("--acp",),
        install="npm install -g @tencent-ai/codebuddy-code",
        install_url="https://www.codebuddy.cn/cli/",
    ),
    Preset(
        name="droid",
        title="Factory Droid",
        command="droid",
        args=("exec", "--output-format", "acp-daemon"),
        install="npm install -g droid",
        install_url="https://factory.ai/product/cli",
        env=(("DROID_DISABLE_AUTO_UPDATE", "true"),),
    ),
    Preset(
        name="pi",
        title="pi",
        command="pi-acp",
        args=(),
        install="npm install -g pi-acp",
        install_url="https://github.com/svkozak/pi-acp",
    ),
)

PRESETS: Mapping[str, Preset] = MappingProxyType({preset.name: preset for preset in _ALL})
"""By the name that the user types."""
