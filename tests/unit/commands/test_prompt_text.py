"""What the user has said, of a prompt that has other things in between."""

from __future__ import annotations

import pytest

from acp_nvim.commands.prompting import prompt_text
from acp_nvim.session.content import ResourceLink, Text
from acp_nvim.session.context import fenced
from acp_nvim.session.state import Message
from acp_nvim.view.review import note

LINK = ResourceLink("file:///w/a.py", "a.py")


@pytest.mark.parametrize(
    "along",
    [
        note.WORDS["comments"] + "\n\na.py:3\n> x",
        note.WORDS["rejected"] + "\n\n```diff\n-x\n```",
        fenced("x = 1\n", "python").text,
        "[image/png a.png: this agent takes no images]",
    ],
)
def test_what_went_along_as_text_is_not_what_was_written(along: str) -> None:
    content = (Text("explain"), LINK, Text(along))
    assert prompt_text(Message("user:1", "user", 1, content)) == "explain"


def test_a_review_alone_has_nothing_written() -> None:
    content = (Text(note.WORDS["comments"] + "\n\na.py:3\n> x"),)
    assert prompt_text(Message("user:1", "user", 1, content)) == ""


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
