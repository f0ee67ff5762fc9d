"""What a line names in a column."""

from __future__ import annotations

import pytest

from acp_nvim.view.chat.link import LONGEST, MOST_LINES, address, file

FILES = {"src/a.py", "src/[id]/(x)/page.ts", "src/__init__.py", "__init__.py"}

LINKS = [
    ("see [the cache](src/cache.py) there", "cache", "src/cache.py", 0),
    ("see [the cache](src/cache.py#L12-L14)", "cache", "src/cache.py", 12),
    ("see [the cache](<my%20file.py> 'a title')", "cache", "my file.py", 0),
    ("at `src/cache.py:12`.", "cache", "src/cache.py", 12),
    ("at src/cache.py:12:5: error", "12:5", "src/cache.py", 12),
    ("(src/cache.py#L7)", "cache", "src/cache.py", 7),
    ("main.c(31,4): warning", "main", "main.c", 31),
    ('  File "lib/x.py", line 9, in f', "line", "lib/x.py", 9),
    ("only words here", "words", "words", 0),
    ("[a](one.py) and [b](two.py:3)", "two", "two.py", 3),
    ("[a](file:///p/my%20file.py#L3)", "a", "/p/my file.py", 3),
    ("[a](file://localhost/p/x.py:3)", "a", "/p/x.py", 3),
    ("[a](file:/p/x.py)", "a", "/p/x.py", 0),
    ("[a](file://src/x.py?y=1#L3)", "a", "src/x.py", 3),
]


WORDS = [
    ("**src/a.py:8**", "src/a.py", 8),
    ("**`src/a.py:8`**", "src/a.py", 8),
    ("`src/a.py`:8", "src/a.py", 8),
    ("**src/a.py**:8.", "src/a.py", 8),
    ('"src/a.py":8', "src/a.py", 8),
    ('"src/a.py", line 8', "src/a.py", 8),
    ("_src/a.py:8_", "src/a.py", 8),
    ("__src/a.py__", "src/a.py", 0),
    ("~~src/a.py~~", "src/a.py", 0),
    ("(src/a.py:8)", "src/a.py", 8),
    ("[src/a.py:8],", "src/a.py", 8),
    ("{src/a.py}", "src/a.py", 0),
    ("“src/a.py:8”.", "src/a.py", 8),
    ("«src/a.py»", "src/a.py", 0),
    ("src/a.py:8:3:", "src/a.py", 8),
    ("src/a.py!", "src/a.py", 0),
    ("src/a.py...", "src/a.py", 0),
    ("*gone/b.py:8*", "gone/b.py", 8),
    ("**gone/b.py**", "gone/b.py", 0),
    ("`gone/b.py`:8", "gone/b.py", 8),
    ("src/[id]/(x)/page.ts:8", "src/[id]/(x)/page.ts", 8),
    ("`src/[id]/(x)/page.ts`", "src/[id]/(x)/page.ts", 0),
    ("src/__init__.py:8", "src/__init__.py", 8),
    ("__init__.py", "__init__.py", 0),
]


@pytest.mark.parametrize(("text", "name", "line"), WORDS)
@pytest.mark.parametrize("before", ["", "see the file "])
def test_a_file_whatever_stands_around_its_name(
    before: str, text: str, name: str, line: int
) -> None:
    whole = f"{before}{text} and more"
    at = len((before + text).partition(name)[0].encode())
    for column in (len(before), at, at + len(name) - 1):
        assert file(whole, column, name, FILES.__contains__) == (name, line or None)


@pytest.mark.parametrize(("text", "at", "name", "line"), LINKS)
def test_what_is_named_there(text: str, at: str, name: str, line: int) -> None:
    assert file(text, text.index(at), at, FILES.__contains__) == (name, line or None)


def test_a_line_of_many_digits_is_still_a_number_that_neovim_takes() -> None:
    for text in (f"src/a.py:{'9' * 3000}", f'File "src/a.py", line {"9" * 3000}'):
        assert file(text, 7, "src/a.py", FILES.__contains__) == ("src/a.py", MOST_LINES)


def test_columns_are_bytes() -> None:
    text = "äöü " * 30 + "[it](b.py)"
    assert file(text, len(("äöü " * 30).encode()) + 1, "it", FILES.__contains__) == ("b.py", None)


def test_a_long_line_costs_no_more_than_what_is_near() -> None:
    text = "[" * 100_000 + " src/a.py:8 " + "~~*" * 100_000
    assert file(text, 100_001, "src/a.py", FILES.__contains__) == ("src/a.py", 8)
    assert file("~~*" * 100_000, 100_001, "", FILES.__contains__)[1] is None
    assert address(
        "[" * LONGEST * 9,
        5,
    ) == ("", "")


@pytest.mark.parametrize(
    ("line", "at", "target", "text"),
    [
        ("[docs](https://example.com/a_(b)) x", "docs", "https://example.com/a_(b)", "docs"),
        ("[https://good](http://evil) x", "good", "http://evil", "https://good"),
        ("[https://good](http://evil) x", "evil", "http://evil", "https://good"),
        ("| a | [https://good](<http://evil> 'x') |", "good", "http://evil", "https://good"),
        ("[![good](https://i)](http://evil)", "good", "http://evil", "![good](https://i)"),
        ("see HTTPS://good@evil/x.", "good", "HTTPS://good@evil/x", None),
        ("<https://good@evil>", "good", "https://good@evil", None),
        ("[https://good][1]", "good", "https://good", None),
    ],
)
def test_an_address_and_what_stands_for_it(
    line: str, at: str, target: str, text: str | None
) -> None:
    assert address(line, line.index(at)) == (target, text or "")


@pytest.mark.parametrize("line", ["[bad](javascript:x)", "no", "", "mailto:x@y"])
def test_only_web_addresses(line: str) -> None:
    assert address(line, 1) == ("", "")
