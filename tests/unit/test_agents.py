"""The presets: the names that users type, each with a way to install it."""

from __future__ import annotations

import pytest

from acp_nvim.agents import EMPTY_FOR_MISSING_FILE, PRESETS


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
    ]


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_can_be_started_and_installed(name: str) -> None:
    preset = PRESETS[name]
    assert preset.name == name
    assert preset.title
    assert preset.command
    assert " " not in preset.command
    assert preset.install.split()[0] in {"npm", "uv", "curl"}
    assert preset.install_url.startswith("https://")


def test_only_gemini_wants_an_empty_text_for_a_missing_file() -> None:
    quirky = [name for name, preset in PRESETS.items() if preset.quirks]
    assert quirky == ["gemini"]
    assert EMPTY_FOR_MISSING_FILE in PRESETS["gemini"].quirks
