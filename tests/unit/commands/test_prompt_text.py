"""What the user has said, of a prompt that has other things in between."""

from __future__ import annotations

import pytest

from acp_nvim.commands.prompting import prompt_text
from acp_nvim.session.content import ResourceLink, Text
from acp_nvim.session.state import Message

LINK = ResourceLink("file:///w/a.py", "a.py")


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (("explain", "this"), "explain this"),
        (("explain ", "this"), "explain this"),
        (("explain", "\nthis\n"), "explain\nthis"),
        (("", "this"), "this"),
        ((), ""),
    ],
)
def test_parts_of_a_prompt_do_not_run_together(parts: tuple[str, ...], said: str) -> None:
    content = tuple(it for part in parts for it in (Text(part), LINK))
    assert prompt_text(Message("user:1", "user", 1, content)) == said
