"""Where mentions are in a text."""

from __future__ import annotations

import pytest

from acp_nvim.session.mention import find_mentions, lines_in, mentions_in


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("@a", ["a"]),
        ("see @src/a.py now", ["src/a.py"]),
        ("one\n@two\n(@three", ["two", "three"]),
        ('@"my file.txt"', ["my file.txt"]),
        (r"@my\ file.txt x", ["my file.txt"]),
        (r"\@a me@b `@c`", []),
        ("@ @@ 1", ["@"]),
        ('@"open', ['"open']),
        ("@a @b @a", ["a", "b"]),
        ("/web @a", ["a"]),
    ],
)
def test_the_longest_names(text: str, names: list[str]) -> None:
    assert [mention.names[0] for mention in find_mentions(text)] == names


def test_punctuation_may_follow() -> None:
    (mention,) = find_mentions("(see @f(x).py).")
    assert mention.names == ("f(x).py).", "f(x).py)", "f(x).py")


def test_what_is_quoted_has_one_name() -> None:
    (mention,) = find_mentions('@"a b.".')
    assert mention.names == ("a b.",)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("a.py:4-6", ("a.py", 4, 6)),
        ("a b:7", ("a b", 7, 7)),
        ("a:1:2", ("a:1", 2, 2)),
        ("a.py", None),
        (":3", None),
        ("a:-3", None),
        ("a:3-", None),
        ("a:1234567890", None),
        ("a:٣", None),
    ],
)
def test_lines_of_a_file(name: str, lines: tuple[str, int, int] | None) -> None:
    assert lines_in(name) == lines


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("see @src/a.py, and @b.", ["@src/a.py,", "@b."]),
        ('(@"my file.txt") [@b.c]', ['@"my file.txt"', "@b.c]"]),
        (r"\@a @b\ c @d\) @e\\ x", [r"@b\ c", r"@d\)", r"@e\\"]),
        ("me@example.org @@ -1 +1 @@ @", ["@@", "@@"]),
        ('@"open @b', ['@"open', "@b"]),
        ('@"" @"', ['@""', '@"']),
        ("@ü/ß.py): x", ["@ü/ß.py):"]),
        ("<@a> {@b} `@c` '@d'", ["@a>", "@b}"]),
        ("@a\u00a0b\t@c\\", ["@a\u00a0b", "@c"]),
    ],
)
def test_where_they_are(text: str, places: list[str]) -> None:
    found = [text[first : max(names.values())] for first, names in mentions_in(text)]
    assert found == places
    for first, names in mentions_in(text):
        assert sorted(names.values(), reverse=True) == list(names.values())
        assert text[first] == "@"
