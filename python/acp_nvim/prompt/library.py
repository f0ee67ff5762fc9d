"""The user's own slash prompts: `/name` stands for a text of `vim.g.acp.prompts`. Pure."""

from __future__ import annotations

from collections.abc import Mapping


def expanded(text: str, prompts: Mapping[str, str]) -> str:
    """Return a prompt that begins with the name of one of these as that, with what follows it."""
    for name in sorted(prompts, key=len, reverse=True):
        rest = text.removeprefix(f"/{name}")
        if rest != text and not rest[:1].strip():
            return prompts[name] + rest
    return text
