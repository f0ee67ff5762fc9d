"""The presets: the names that users type, each with a way to install it."""

from __future__ import annotations

import pytest

from acp_nvim.agents import (
    CONTEXT_AS_USER,
    EMPTY_FOR_MISSING_FILE,
    LEGACY_MODELS,
    MODE_AS_TEXT,
    PRESETS,
)


def test_the_names_that_users_type() -> None:
    assert list(PRESETS) == [
        "claude",
        "gemini",
        "codex",
        "opencode",
        "qwen",
        "goose",
        "kimi",
        "mistral-vibe",
        "copilot",
        "cursor",
        "auggie",
        "cline",
        "fast-agent",
        "kiro",
        "kilo",
        "codebuddy",
        "droid",
        "pi",
    ]


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_can_be_started_and_installed(name: str) -> None:
    preset = PRESETS[name]
    assert preset.name == name
    assert preset.title
    assert preset.command
    assert " " not in preset.command
    assert preset.install.split()[0] in {"npm", "uv", "curl"}
    assert preset.quirks <= {
        CONTEXT_AS_USER,
        EMPTY_FOR_MISSING_FILE,
        LEGACY_MODELS,
        MODE_AS_TEXT,
    }


@pytest.mark.parametrize(
    ("quirk", "agents"),
    [
        (EMPTY_FOR_MISSING_FILE, ["gemini"]),
        (MODE_AS_TEXT, ["gemini"]),
        (CONTEXT_AS_USER, ["gemini"]),
        (LEGACY_MODELS, ["claude", "gemini", "codex", "opencode", "qwen"]),
    ],
)
def test_the_agents_with_a_quirk(quirk: str, agents: list[str]) -> None:
    assert [name for name, preset in PRESETS.items() if quirk in preset.quirks] == agents
