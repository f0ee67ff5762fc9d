"""What an agent's error says to the user."""

from __future__ import annotations

import pytest

from acp_nvim.errors import AgentError, suggest


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (None, "Internal error"),
        ({"details": "no session found\nat line 5"}, "Internal error: no session found"),
        ({"details": "Internal error"}, "Internal error"),
        ({"details": ["x"]}, "Internal error"),
        ("details", "Internal error"),
    ],
)
def test_the_details_of_an_error_are_said(data: object, text: str) -> None:
    assert str(AgentError(-32603, "Internal error", data)) == text
    assert AgentError(-32603, "Internal error", data).message == "Internal error"


def test_the_nearest_name_is_suggested_or_all_are_told() -> None:
    assert suggest("gemni", ["qwen", "gemini"]) == "did you mean gemini?"
    assert suggest("vibe", ["qwen", "gemini"]) == "known are qwen, gemini"
