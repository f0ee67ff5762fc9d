from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.session.content import Diff
from acp_nvim.view.block import Highlight, Line, VirtualText
from acp_nvim.view.diff.change import counts, lines, plain

CWD = "/w"


def drawn(old: str | None, new: str, path: str = "/w/a.py") -> list[str]:
    """Return the diff as it looks: the sign is virtual text, the text is the file's."""
    return [_look(line) for line in lines(Diff(path, old, new), CWD)]


def _look(line: Line) -> str:
    signs = (mark for mark in line.marks if isinstance(mark, VirtualText))
    inline = "".join(text for mark in signs if mark.position == "inline" for text, _ in mark.chunks)
    return inline + line.text


def numbered(count: int) -> list[str]:
    return [f"line {number}\n" for number in range(count)]


def test_a_new_file() -> None:
    assert drawn(None, "a\nb\n") == ["a.py", "+ a", "+ b"]
    [head, *_] = lines(Diff("/w/a.py", None, "a\n"), CWD)
    assert head.marks[1] == VirtualText(0, (("  new file", "AcpDim"),), "eol")


def test_an_empty_new_file() -> None:
    assert drawn(None, "") == ["a.py", "empty file"]


def test_equal_texts_are_no_change() -> None:
    assert drawn("a\n", "a\n") == ["a.py", "no change"]
    assert drawn("", "") == ["a.py", "no change"]


def test_an_empty_old_text_is_no_new_file() -> None:
    assert drawn("", "a\n") == ["a.py", "+ a"]
    assert len(lines(Diff("/w/a.py", "", "a\n"), CWD)[0].marks) == 1


def test_everything_deleted() -> None:
    assert drawn("a\nb\n", "") == ["a.py", "- a", "- b"]


def test_three_lines_of_context_and_gaps() -> None:
    old = numbered(30)
    new = [*old[:10], "new\n", *old[11:20], *old[21:]]
    assert drawn("".join(old), "".join(new)) == [
        "a.py",
        *(f"  line {number}" for number in (7, 8, 9)),
        "- line 10",
        "+ new",
        *(f"  line {number}" for number in (11, 12, 13)),
        "⋯",
        *(f"  line {number}" for number in (17, 18, 19)),
        "- line 20",
        *(f"  line {number}" for number in (21, 22, 23)),
    ]


def test_near_changes_share_their_context() -> None:
    old = numbered(8)
    new = ["x\n", *old[1:5], "y\n", *old[6:]]
    rows = drawn("".join(old), "".join(new))
    assert "⋯" not in rows
    assert rows.count("  line 2") == 1


def test_a_path_outside_the_directory_stays_whole() -> None:
    assert drawn(None, "a", "/elsewhere/b.py")[0] == "/elsewhere/b.py"


def test_the_changed_words_are_marked_in_bytes() -> None:
    [_, minus, plus] = lines(Diff("/w/a", "é = value(1)\n", "é = value(22)\n"), CWD)
    assert Highlight(11, 12, "AcpDiffText") in minus.marks
    assert Highlight(11, 13, "AcpDiffText") in plus.marks


def test_lines_with_little_in_common_are_not_marked() -> None:
    rows = lines(Diff("/w/a", "abcdefgh\n", "xyz\n"), CWD)
    marks = [mark for row in rows[1:] for mark in row.marks if isinstance(mark, Highlight)]
    assert marks == []


def test_dos_line_ends_are_not_shown_unless_they_change() -> None:
    assert drawn("a\r\nb\r\n", "a\r\nc\r\n") == ["a.py", "  a", "- b", "+ c"]
    assert drawn("a\nb\n", "a\nb\r\n") == ["a.py", "  a", "- b", "+ b␍"]


def test_only_the_last_line_end_differs() -> None:
    assert drawn("a\n", "a") == ["a.py", "only line ends change"]


def test_harmful_characters_are_visible() -> None:
    rows = drawn(None, "\x1b[31m\u202ex\n", "/w/\x1b.py")
    assert rows == ["␛.py", "+ ␛[31m<U+202E>x"]


def test_counts() -> None:
    assert counts(Diff("a", None, "a\nb\n")) == (2, 0)
    assert counts(Diff("a", "a\nb\n", "a\n")) == (0, 1)
    assert counts(Diff("a", "a\nb\n", "a\nc\nd\n")) == (2, 1)
    assert counts(Diff("a", "a", "a")) == (0, 0)


def test_plain_text_has_its_signs() -> None:
    assert plain(Diff("/w/a", "a\nb\n", "a\nc\n")) == "/w/a\n a\n-b\n+c"


texts = st.text(alphabet="ab\n", max_size=40)


@given(texts, texts)
def test_additions_and_deletions_agree_with_the_counts(old: str, new: str) -> None:
    diff = Diff("/w/a", old, new)
    signs = [row[0] for row in plain(diff).split("\n")[1:]]
    assert (signs.count("+"), signs.count("-")) == counts(diff)
    for line in lines(diff, CWD):
        size = len(line.text.encode())
        spans = [mark for mark in line.marks if isinstance(mark, Highlight)]
        assert all(0 <= mark.start <= mark.end <= size for mark in spans)


def test_what_is_too_large_has_a_sentence_instead() -> None:
    old = "".join(numbered(30_000))
    new = "".join(sorted(numbered(30_000), key=lambda line: line[::-1]))
    assert drawn(old, new) == [
        "a.py",
        "too large to compare line by line: 30,000 lines before, 30,000 after",
    ]
    assert counts(Diff("/w/a.py", old, new)) == (30_000, 30_000)
    text = plain(Diff("/w/a.py", old, new))
    assert all(f"-{line}" in text for line in ("line 1\n", "line 29998\n"))


def test_a_small_change_of_a_large_file_is_shown() -> None:
    old = numbered(50_000)
    new = [*old[:25_000], "new\n", *old[25_000:]]
    assert len(drawn("".join(old), "".join(new))) == 8
