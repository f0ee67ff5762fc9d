"""Lines that are longer than a chat is wide: all rows are in line, no background has holes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import pytest

from acp_nvim.nvim import plain
from acp_nvim.session.content import Content, Diff, Resource, Text
from acp_nvim.session.state import Message, ToolCall
from acp_nvim.view.block import Line
from acp_nvim.view.chat import message, tool_call
from acp_nvim.view.markdown import render as markdown
from acp_nvim.view.markdown.render import Fit
from acp_nvim.view.op import Replace
from tests.support.fakes.spy import BridgeSpy
from tests.support.nvim import Neovim
from tests.support.screen.grid import Picture, Screen

WORDS = "word " * 24 + "END"
SAID = [
    "a",
    "of",
    "it",
    "wrap",
    "inside",
    "世界",
    "`code`",
    "**bold**",
    "*it*",
    "[link](u)",
    "long-word",
    "a/path.py",
    "x,",
    "déjà",
    "🗼",
]


@pytest.fixture(params=[80, 160])
def screen(nvim: Neovim, request: pytest.FixtureRequest) -> Iterator[Screen]:
    """Attach a UI in which the chat is 40 or 80 columns wide, with its bar at another place."""
    nvim.lua("vim.g.acp = vim.tbl_extend('force', vim.g.acp, { ui = { width = 0.5 } })")
    with Screen(nvim, columns=request.param, rows=30) as attached:
        yield attached


def show(spy: BridgeSpy, screen: Screen, lines: Sequence[Line], *, until: str = "END") -> Picture:
    """Draw lines as the whole of a chat, and wait for them."""
    chat, _ = spy.open_session()
    spy.frame(chat, plain.packed(Replace(0, 1, tuple(lines))))
    return screen.wait_for(until)


def said(role: str, *content: Content) -> Sequence[Line]:
    entry = Message("m", role, 1, content)  # type: ignore[arg-type]
    return message.draw(entry, "/w", None, is_open=True).lines


def rows(picture: Picture) -> list[str]:
    """Return the rows of the chat, up to the first without text."""
    left = len(picture.rows[0]) // 2
    found = ["".join(cell.text for cell in row[left:]).rstrip() for row in picture.rows[1:]]
    return found[: found.index("")]


def band(picture: Picture, count: int) -> list[set[int | None]]:
    """Return the backgrounds in each of the first rows of the chat, without its margin."""
    left = len(picture.rows[0]) // 2 + 2
    return [
        {cell.attributes.background for cell in row[left:]} for row in picture.rows[1 : count + 1]
    ]


LOOKS = [
    ("user", f"{WORDS}", "▌ ", "▌ "),
    ("agent", f"{WORDS}", "  ", "  "),
    ("agent", f"- {WORDS}", "  • ", "    "),
    ("agent", f"12. {WORDS}", "  12. ", "      "),
    ("agent", f"- [ ] {WORDS}", "  • [ ] ", "        "),
    ("agent", f"  * {WORDS}", "    • ", "      "),
    ("agent", f"> {WORDS}", "  ▎ ", "  ▎ "),
    ("agent", f"> > {WORDS}", "  ▎ ▎ ", "  ▎ ▎ "),
    ("agent", f"- > {WORDS}", "  • ▎ ", "    ▎ "),
]


@pytest.mark.parametrize(("role", "text", "first", "further"), LOOKS)
def test_rows_are_in_line(
    spy: BridgeSpy, screen: Screen, role: str, text: str, first: str, further: str
) -> None:
    head, *tail = rows(show(spy, screen, said(role, Text(text))))
    assert head.startswith(f"{first}word")
    assert tail
    assert all(row.startswith((f"{further}word", f"{further}END")) for row in tail)


def test_rows_of_a_tool_call_are_in_line(spy: BridgeSpy, screen: Screen) -> None:
    call = ToolCall("tool:t", "t", 1, title=WORDS, status="failed", content=(Text(WORDS),))
    shown = rows(show(spy, screen, tool_call.lines(call, "/w", is_open=True)))
    assert {row[:3].replace("E", "w") for row in shown} == {"✗ w", "  w", "│ w"}


def test_a_table_that_is_too_wide_stays_a_table(spy: BridgeSpy, screen: Screen) -> None:
    table = f"| case | why |\n|---|---|\n| hit | {WORDS} |"
    *_, first, second, _ = [*rows(show(spy, screen, said("agent", Text(table)))), ""][:5]
    assert first.startswith("   hit  │ word")
    assert second.startswith("  " + " " * len("| hit | ") + "word")


def table(seed: int) -> str:
    """Return a table of three columns with cells of up to nine words."""
    drawn = Random(seed)
    lengths = [[1, 2, 1], *([drawn.randint(0, it) for it in (2, 9, 9)] for _ in range(2))]
    cells = [[" ".join(drawn.choices(SAID, k=count)) for count in row] for row in lengths]
    head, *body = (f"| {' | '.join(row)} |" for row in cells)
    return "\n".join([head, drawn.choice(["|---|---|---|", "|--:|:-:|---|"]), *body, f"END{seed}."])


def test_a_table_that_is_over_has_its_cells_broken_in_their_columns(
    nvim: Neovim, spy: BridgeSpy, screen: Screen
) -> None:
    """Whatever the words are: no word and no border stands outside of the grid."""
    if not nvim.eval("has('nvim-0.11')"):
        pytest.skip("Neovim 0.10 indents the rows of a broken line by what stood before, too")
    chat, _ = spy.open_session()
    room, seen = nvim.eval("&columns") // 2 - 2, 0
    for seed in range(24):
        text = table(seed)
        wide = markdown.render(text).lines
        lines: Sequence[Line] = markdown.render(text, fit=Fit(room, is_over=True)).lines
        if lines == wide:
            continue  # it fits, or a word is wider than any column could be
        spy.frame(chat, plain.op(Replace(0, -1, lines)))
        picture = screen.wait_for(f"END{seed}.")
        left, shown = len(picture.rows[0]) // 2, rows(picture)
        end = next(at for at, it in enumerate(shown) if "END" in it)
        borders = {
            tuple(at for at, cell in enumerate(row[left:]) if cell.text in ("│", "┼"))
            for row in picture.rows[1 : end + 1]
        }
        assert len(borders) == 1, "\n".join(shown)
        seen += 1
    assert seen > 3


@pytest.mark.parametrize("indent", ["", "    ", "\t"])
def test_code_has_its_background_in_all_rows(
    nvim: Neovim, spy: BridgeSpy, screen: Screen, indent: str
) -> None:
    if "\t" in indent and not nvim.eval("has('nvim-0.11')"):
        pytest.skip("Neovim 0.10 counts a tab behind inline text as one cell of an indent")
    code = f"```\n{indent}{WORDS}\n```"
    picture = show(spy, screen, said("agent", Text(code)))
    shown = rows(picture)
    [colour, *others] = [*dict.fromkeys(map(tuple, band(picture, len(shown))[1:-1]))]
    assert not others
    assert len(colour) == 1
    assert colour != tuple(band(picture, 1)[0])
    blank = "  " + indent.expandtabs()
    assert all(row.startswith((f"{blank}word", f"{blank}END")) for row in shown[1:-1])


def test_a_prompt_and_what_goes_along_are_one_block(spy: BridgeSpy, screen: Screen) -> None:
    along = Resource("file:///w/a.py#L1-L3", f"one\n    {WORDS}\nthree\n", None, "text/plain")
    picture = show(spy, screen, said("user", Text("    explain"), along), until="three")
    shown = rows(picture)
    assert "▌ @a.py:1-3  3 lines" in shown
    assert all(row.startswith("▌ ") for row in shown)
    assert len(set(map(tuple, band(picture, len(shown))))) == 1
    assert {len(colours) for colours in band(picture, len(shown))} == {1}


def test_lines_of_a_diff_have_no_holes(spy: BridgeSpy, screen: Screen) -> None:
    diff = Diff("/w/a.py", "a\nb\n", f"        {WORDS}\n")
    call = ToolCall("tool:t", "t", 1, title="Edit", status="completed", content=(diff,))
    picture = show(spy, screen, tool_call.lines(call, "/w", is_open=True))
    shown = rows(picture)
    first = next(at for at, row in enumerate(shown) if "+ " in row)
    found = band(picture, len(shown))[first:]
    left = len(picture.rows[0]) // 2 + 4  # two cells of a further row are beside the text
    colour = picture.rows[first + 1][left].attributes.background
    assert len(found) > 1
    for row in picture.rows[first + 1 : first + 1 + len(found)]:
        assert {cell.attributes.background for cell in row[left:]} == {colour}
