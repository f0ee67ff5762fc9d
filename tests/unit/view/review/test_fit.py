"""Virtual lines are broken where a window would break them."""

from __future__ import annotations

import pytest

from acp_nvim.view.question.rows import Cells
from acp_nvim.view.review.fit import Look, fitted
from acp_nvim.view.review.marks import Chunks


def shown(*line: tuple[str, str], width: int = 10, tabstop: int = 4) -> list[Chunks]:
    return fitted([tuple(line)], Cells(), Look(width, tabstop))


def texts(rows: list[Chunks]) -> list[str]:
    return ["".join(text for text, _ in row) for row in rows]


def test_a_line_that_fits_stays_and_tabs_are_blanks() -> None:
    assert shown(("a\tb", "A"), ("\tc", "B")) == [(("a   b", "A"), ("   c", "B"))]
    assert texts(shown(("x" * 30, "A"), width=0)) == ["x" * 30]


@pytest.mark.parametrize("width", range(1, 14))
@pytest.mark.parametrize("text", ["plain words 12", "中文 and 中文", "\tfirst\tsecond", "äöü ß é"])
def test_each_row_is_as_wide_as_there_is_room(text: str, width: int) -> None:
    cells, half = Cells(), len(text) // 2
    rows = shown((text[:half], "A"), (text[half:], "B"), ("", "C"), width=width)
    whole = texts(shown((text, "A"), width=0))
    assert "".join(texts(rows)) == whole[0]
    assert rows[-1][-1] == ("", "C")
    for row, following in zip(texts(rows), texts(rows)[1:], strict=False):
        size, least = cells.of(row), cells.of(following[0])
        assert size <= width or len(row) == 1
        assert size + least > width


def test_words_of_the_users_are_broken_between_words() -> None:
    rows = shown(("▌ one two threefourfive six", "C"))
    assert texts(rows) == ["▌ one two ", "▌ threefou", "rfive ", "▌ six"]
    assert {group for row in rows for _, group in row} == {"C"}
