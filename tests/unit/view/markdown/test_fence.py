"""Code in fences: where one begins and ends, and its colours."""

from __future__ import annotations

import pytest

from acp_nvim.view.block import Highlight, Line, LineHighlight
from acp_nvim.view.markdown.fence import LEXED_LIMIT, WHOLE_LIMIT
from acp_nvim.view.markdown.render import render


def colours(line: Line) -> list[tuple[str, str]]:
    data = line.text.encode()
    marks = [mark for mark in line.marks if isinstance(mark, Highlight)]
    return [(m.group.removeprefix("AcpSyntax"), data[m.start : m.end].decode()) for m in marks]


def code(text: str) -> list[str]:
    """Return the lines that are drawn as code."""
    lines = render(text).lines
    return [line.text for line in lines if any(isinstance(m, LineHighlight) for m in line.marks)]


def test_fence_lines_and_body() -> None:
    first, body, last = render("```python\nx = 1\n```").lines
    assert first.marks == (Highlight(0, 9, "AcpFence"),)
    assert body.marks[0] == LineHighlight("AcpCodeBlock")
    assert colours(body) == [("Operator", "="), ("Number", "1")]
    assert last.marks == (Highlight(0, 3, "AcpFence"),)


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("```\na\n```\nb", ["a"]),
        ("```\na", ["a"]),
        ("````\n```\na\n````\nb", ["```", "a"]),
        ("~~~\n```\n~~~\nb", ["```"]),
        ("```\n``` x\n```", ["``` x"]),
        ("```\n    ```\n```", ["    ```"]),
        ("- ```sh\n  a\n  ```\nb", ["  a"]),
        ("> ```\n> a\n> ```\n> b", ["> a"]),
        ("> ```\n> a\nb", ["> a"]),
        ("```a`b\nc", []),
        ("``\na", []),
    ],
)
def test_where_a_fence_ends(text: str, body: list[str]) -> None:
    assert code(text) == body


def test_an_open_fence_is_coloured_line_by_line_and_a_closed_one_as_a_whole() -> None:
    text = '```python\n"""a\nimport b\n"""\n'
    assert colours(render(text).lines[2])[0] == ("Keyword", "import")
    assert colours(render(text + "```").lines[2]) == [("String", "import b")]


def test_code_in_a_quote_is_lexed_without_the_quote() -> None:
    line = render("> ```python\n>   return é\n> ```").lines[1]
    assert colours(line) == [("Keyword", "return")]


@pytest.mark.parametrize("info", ["python", "{.python}", "Python title=a", "py", "python:a.py"])
def test_info_strings(info: str) -> None:
    assert colours(render(f"```{info}\nimport a\n```").lines[1])[0] == ("Keyword", "import")


@pytest.mark.parametrize("info", ["", "nonsense", "text"])
def test_unknown_languages_are_plain(info: str) -> None:
    line = render(f"```{info}\nimport a\n```").lines[1]
    assert line.marks == (LineHighlight("AcpCodeBlock"),)


def test_a_diff_is_coloured_by_its_first_characters() -> None:
    lines = render("```diff\n@@ -1 +1 @@\n-a\n+b\n c\n```").lines[1:-1]
    groups = [
        mark.group for line in lines for mark in line.marks if isinstance(mark, LineHighlight)
    ]
    assert groups == ["AcpDiffHunk", "AcpDiffDelete", "AcpDiffAdd", "AcpCodeBlock"]


def test_long_code_is_lexed_line_by_line_and_longer_code_not_at_all() -> None:
    body = "'''\nimport a\n" + "import a\n" * LEXED_LIMIT
    lines = render(f"```python\n{body}```").lines
    assert colours(lines[2])[0] == ("Keyword", "import")
    assert colours(lines[WHOLE_LIMIT + 5])[0] == ("Keyword", "import")
    assert colours(lines[LEXED_LIMIT + 2]) == []
    assert lines[-1].marks == (Highlight(0, 3, "AcpFence"),)
