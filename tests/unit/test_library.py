"""The user's own slash prompts."""

from __future__ import annotations

import pytest

from acp_nvim.prompt.library import READY_MADE, expanded, known, offered

PROMPTS = {"tests": "Write tests", "tests all": "Write all tests"}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("/tests", "Write tests"),
        ("/tests for @a.py\nnow", "Write tests for @a.py\nnow"),
        ("/tests\nnow", "Write tests\nnow"),
        ("/tests all of it", "Write all tests of it"),
        ("/testsuite", "/testsuite"),
        ("/other", "/other"),
        ("see /tests", "see /tests"),
        ("", ""),
    ],
)
def test_a_name_at_the_start_stands_for_its_text(written: str, meant: str) -> None:
    assert expanded(written, PROMPTS) == meant


def test_ready_made_prompts_give_way_to_the_users_and_to_the_agents() -> None:
    assert set(READY_MADE) == {"explain", "fix", "tests", "review", "commit"}
    assert known({}) == READY_MADE
    assert known({"fix": "Mend it", "tests": ""}, {"review", "fix"}) == {
        "explain": READY_MADE["explain"],
        "commit": READY_MADE["commit"],
        "fix": "Mend it",
    }


def test_completion_offers_the_users_then_the_agents_then_ready_made_ones() -> None:
    theirs = [{"name": "fix", "description": "Theirs"}, {"name": "review", "description": "So"}]
    found = offered({"x": "y" * 2000, "fix": "Mend it", "tests": "", "review": ""}, theirs)
    assert [(it["name"], it.get("kind")) for it in found] == [
        ("fix", "your prompt"),
        ("x", "your prompt"),
        ("review", None),
        ("commit", "ready-made"),
        ("explain", "ready-made"),
    ]
    assert len(found[1]["description"]) == 1000
