"""How the agents to start are shown, and what is said of those that are not installed."""

from __future__ import annotations

from typing import Any

from acp_nvim.view.lists.agents import advice, label


def row(name: str, title: str = "", *, found: bool = False, install: str = "") -> dict[str, Any]:
    title = title or name
    return {
        "name": name,
        "title": title,
        "command": "/opt/x",
        "found": found,
        "install": install,
    }


def test_an_agent_in_one_line() -> None:
    assert label(row("gemini", "Gemini CLI", found=True)) == "gemini — Gemini CLI"
    assert label(row("mine", found=True)) == "mine"


def test_a_missing_agent_says_how_to_install_it() -> None:
    goose = row("goose", install="brew install goose")
    assert label(goose) == "goose — not installed: brew install goose"
    assert advice(goose) == "goose is not installed. Install it with: brew install goose"


def test_a_missing_agent_of_the_users_own() -> None:
    assert label(row("mine")) == "mine — not installed: no /opt/x on PATH"
    assert advice(row("mine")) == "mine is not installed. There is no /opt/x on PATH"
