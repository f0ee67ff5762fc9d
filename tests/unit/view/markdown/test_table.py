"""Tables line up on screen while their text stays the agent's."""

from __future__ import annotations

import pytest

from acp_nvim.view.block import Conceal, Highlight, Line, VirtualText
from acp_nvim.view.markdown.render import Fit, render
from acp_nvim.view.markdown.table import ROW_LIMIT, display_width


def screen(line: Line) -> str:
    """Draw the line as Neovim would: concealed text replaced, virtual text before it."""
    data = line.text.encode()
    hidden = [mark for mark in line.marks if isinstance(mark, Conceal)]
    virtual = [
        mark for mark in line.marks if isinstance(mark, VirtualText) and mark.position != "rows"
    ]
    pieces = []
    for column in range(len(data) + 1):
        pieces += [mark.chunks[0][0].encode() for mark in virtual if mark.column == column]
        pieces += [mark.character.encode() for mark in hidden if mark.start == column]
        if not any(mark.start <= column < mark.end for mark in hidden):
            pieces.append(data[column : column + 1])
    return b"".join(pieces).decode()


def drawn(text: str) -> list[str]:
    return [screen(line) for line in render(text).lines]


def test_columns_line_up_by_what_is_seen() -> None:
    assert drawn("| a | **bold** |\n|---|:-:|\n| `ccc` | 世 |\n| [l](u) | e |\n") == [
        " a   │ bold ",
        "─────┼──────",
        " ccc │  世 ",
        " l   │  e ",
    ]


def test_right_alignment_and_rows_of_another_length() -> None:
    assert drawn("|a|bb|\n|-:|-|\n|ccc|\n|d|e|f|\n") == [
        "  a│bb",
        "───┼──",
        "ccc",
        "  d│e│f|",
    ]


def test_no_outer_pipes() -> None:
    assert drawn("a | b\n--|--\nccc | d") == ["a   │ b", "────┼──", "ccc │ d"]


def test_escaped_pipes() -> None:
    assert drawn("|a\\|b|c|\n|-|-|\n|d|e|") == ["a|b│c", "───┼─", "d  │e"]


@pytest.mark.parametrize(
    "text",
    ["a | b\n---", "a | b\n-|-|-", "| a |\n| b |", "a\n-|-", "# a | b\n-|-", "> a | b\n-|-"],
)
def test_not_a_table(text: str) -> None:
    marks = [mark for line in render(text).lines for mark in line.marks]
    assert "AcpTableHead" not in [mark.group for mark in marks if isinstance(mark, Highlight)]


@pytest.mark.parametrize("after", ["", "text", "- a | b", "# a | b", "> a | b", "```a | b"])
def test_a_table_ends(after: str) -> None:
    lines = render(f"|a|b|\n|-|-|\n|c|d|\n{after}\n").lines
    marks = lines[3].marks
    assert not any(isinstance(mark, Conceal) and mark.character == "│" for mark in marks)


def test_a_table_in_a_quote_and_in_an_item() -> None:
    assert drawn("> |a|\n> |-|\n> |bb|\n") == ["▎ a", "▎ ──", "▎ bb"]
    assert drawn("- |a|b|\n  |-|-|\n  |cc|d|\n") == ["• a │b", "  ──┼─", "  cc│d"]


def test_the_head_is_coloured() -> None:
    head = render("|a|b|\n|-|-|").lines[0]
    marks = [mark for mark in head.marks if isinstance(mark, Highlight)]
    assert marks == [Highlight(1, 2, "AcpTableHead"), Highlight(3, 4, "AcpTableHead")]


def test_a_long_table_keeps_its_widths() -> None:
    rows = "|a|b|\n" * ROW_LIMIT
    before = render("|a|b|\n|-|-|\n" + rows)
    after = render(before.text + "|wide|b|\n|c|d|\n", before)
    assert all(a is b for a, b in zip(before.lines, after.lines, strict=False))
    assert [screen(line) for line in after.lines[-2:]] == ["wide│b", "c│d"]


def test_a_very_wide_cell_does_not_widen_the_others() -> None:
    line = render("|a|b|\n|-|-|\n|" + "x" * 200 + "|b|\n").lines[0]
    assert len(screen(line)) == 62


def test_a_table_of_too_many_columns_is_text() -> None:
    assert not any(line.marks for line in render("|a" * 65 + "|\n" + "|-" * 65 + "|\n").lines)


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("abc", 3),
        ("世界", 4),
        ("e\u0301", 1),
        ("…✓☐", 3),
        ("✅", 2),
        ("⚠", 1),
        ("⚠\ufe0f", 2),
        ("👩\u200d🚀", 2),
        ("👩🏽\u200d🚀", 2),
        ("🏳\ufe0f\u200d🌈", 2),
        ("🇩🇪🇫🇷", 4),
        ("🗂", 2),
        ("\ue0b0", 1),
    ],
)
def test_display_width(text: str, width: int) -> None:
    assert display_width(text) == width


LONG = "|a|b|\n|-|-|\n|c|some words of a cell that is long|\n"


def test_a_table_is_laid_out_for_its_window_once_it_is_over() -> None:
    """While it comes its rows would move with each one."""
    wide = render(LONG).lines
    assert render(LONG, fit=Fit(24)).lines == wide
    over = render(LONG, fit=Fit(24, is_over=True)).lines
    assert over != wide
    assert tuple(render(f"{LONG}end", fit=Fit(24)).lines[:3]) == tuple(over)
    assert render(LONG, fit=Fit(60, is_over=True)).lines == wide


def test_a_cell_that_is_too_long_goes_on_in_its_column() -> None:
    (*_, line) = render(LONG, fit=Fit(24, is_over=True)).lines
    assert line.text == "|c|some words of a cell that is long|"
    drawn = [it for it in line.marks if isinstance(it, VirtualText)]
    assert [line.text[it.column :].split()[0] for it in drawn[1:]] == ["cell", "long|"]
    for mark in drawn[1:]:
        blanks = "".join(text for text, _ in mark.chunks)
        assert blanks.endswith("  │")
        assert "│" not in blanks[:-1]


@pytest.mark.parametrize(
    "text",
    [
        "|a|b|\n|-|-|\n|c|" + "x" * 30 + "|\n",
        "> " + LONG.replace("\n|", "\n> |"),
        "|" + "a b c|" * 9 + "\n" + "|-" * 9 + "|\n",
        LONG + "|d|e|\n" * 2_000,
    ],
    ids=["a long word", "a quote", "too many columns", "a long table"],
)
def test_what_has_no_room_stays_as_it_is(text: str) -> None:
    assert render(text, fit=Fit(24, is_over=True)).lines == render(text).lines
