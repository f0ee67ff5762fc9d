"""What an agent is told of a talk that it does not know."""

from __future__ import annotations

from acp_nvim.session.content import Resource, Text
from acp_nvim.session.state import Message
from acp_nvim.view.talk import MOST, is_talk, talk_of


def said(*texts: str) -> Resource:
    return talk_of(Message(f"user:{at}", "user", at, (Text(it),)) for at, it in enumerate(texts))


def test_it_is_told_that_it_does_not_know_it() -> None:
    found = said("remember the milk")
    assert found.text is not None
    assert found.text.startswith("<!-- You do not know this conversation")
    assert found.text.endswith("## You\n\nremember the milk\n")
    assert is_talk(found) and not is_talk(Resource("file:///a.py"))


def test_of_a_long_talk_the_end_goes_along_in_whole_lines() -> None:
    found = said("the first line", *(f"line {number} " + "x" * 1_000 for number in range(1_000)))
    assert found.text is not None
    assert MOST - 2_000 < len(found.text) < MOST + 1_000
    assert "the first line" not in found.text
    assert "(what was said before this is left out)\n" in found.text
    assert found.text.rstrip().splitlines()[-1].startswith("line 999 x")
