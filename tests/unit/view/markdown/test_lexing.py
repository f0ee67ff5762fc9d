"""Lexers that never end, or fail: the code stays plain, and the rest is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from acp_nvim.view.block import LineHighlight
from acp_nvim.view.markdown import lexing
from acp_nvim.view.markdown.render import render

PLAIN = (LineHighlight("AcpCodeBlock"),)


class Lexer:
    """Counts how often it is asked; stays with what it is asked, or fails at it."""

    def __init__(self, *, fails: bool = False) -> None:
        self.asked = 0
        self._fails = fails

    def get_tokens_unprocessed(self, _source: str) -> Iterator[Any]:
        self.asked += 1
        while not self._fails:
            yield from ()
        raise LookupError("a fault of the lexer")


@pytest.fixture(params=[False, True], ids=["never ends", "fails"])
def lexer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Lexer:
    found = Lexer(fails=request.param)
    monkeypatch.setattr(lexing, "_lexer", lambda _language: found)
    return found


def test_the_code_is_plain_and_the_rest_is_drawn(lexer: Lexer) -> None:
    lines = render("```java\none\ntwo\n```\n# the end").lines
    assert [line.text for line in lines] == ["```java", "one", "two", "```", "# the end"]
    assert [line.marks for line in lines[1:3]] == [PLAIN, PLAIN]
    assert lines[4].marks
    assert lexer.asked == 1, "a block is plain once it was too much"


def test_each_block_tries_again(lexer: Lexer) -> None:
    render("```java\none\n```\n```java\none\n```")
    assert lexer.asked == 2


@pytest.mark.parametrize("language", ["java", "autoit", "arduino", "aspectj", "apacheconf"])
def test_languages_whose_lexers_try_all_ways(language: str) -> None:
    line = "a " * 1_950
    lines = render(f"```{language}\n{line}\n{line}\n```\nthe end").lines
    assert [len(each.text) for each in lines[1:3]] == [3_900, 3_900]
    assert lines[-1].text == "the end"


def test_code_as_a_whole_is_lexed_in_parts() -> None:
    source = '"""\n' + "import a\n" * 400 + '"""'
    with pytest.raises(lexing.Unfinished):
        lexing.whole("java", "int a = 1;\n" * 400)
    while True:
        try:
            found = lexing.whole("python", source)
            break
        except lexing.Unfinished:
            continue
    assert found is not None
    assert len(found) == 402
    assert {group for row in found for *_, group in row} == {"AcpSyntaxString"}
