"""What the user sees of a review: colours, signs, and the lines that are not in the buffer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_nvim.history.hunk import ReviewHunk
from acp_nvim.view.review.marks import Drawing, FileReview, conflict_marks
from tests.support.fakes.spy import BridgeSpy
from tests.support.files.reviews import ReviewingNeovim, review
from tests.support.nvim import Neovim
from tests.support.screen.grid import Picture, Screen

OLD = "import os\nimport sys\n\ndef mean(values):\n\treturn sum(values)\n\nLAST = 1\n"
NEW = "import sys\n\ndef mean(values, none=0):\n\tif not values:\n\t\treturn none\n\treturn 1\n\n"
HUNDRED = "".join(f"line {number}\n" for number in range(1, 101))


@pytest.fixture
def host(nvim: Neovim, spy: BridgeSpy) -> ReviewingNeovim:
    assert spy.told("edited") == []
    nvim.command("set tabstop=4 laststatus=2")
    return ReviewingNeovim(nvim)


@pytest.fixture(params=[("dark", 80), ("light", 120)])
def screen(nvim: Neovim, request: pytest.FixtureRequest) -> Iterator[Screen]:
    """Attach a UI with a dark background, then a wider one with a light background."""
    background, columns = request.param
    nvim.command(f"set background={background}")
    with Screen(nvim, columns=columns, rows=24) as attached:
        yield attached


@pytest.fixture
def narrow(nvim: Neovim) -> Iterator[Screen]:
    with Screen(nvim, columns=40, rows=12) as attached:
        yield attached


def edit(nvim: Neovim, name: str, text: str) -> Path:
    path = (nvim.cwd / name).resolve()
    path.write_text(text)
    nvim.command(f"edit {path}")
    return path


def rows(picture: Picture, count: int) -> list[str]:
    return picture.text()[:count]


def groups(picture: Picture, row: int, text: str) -> tuple[str, ...]:
    """Return the highlight groups of the first cell of a text in that row."""
    column = "".join(cell.text or "\0" for cell in picture.rows[row]).index(text)
    return picture.rows[row][column].groups


def test_a_hunk_shows_what_is_gone_above_what_has_come(
    nvim: Neovim, host: ReviewingNeovim, screen: Screen
) -> None:
    path = edit(nvim, "stats.py", "x = 0\n" + NEW)
    host.begin(review(path, "x = 0\n" + OLD, "x = 0\n" + NEW))
    picture = screen.wait_for("LAST = 1")
    assert rows(picture, 13) == [
        "  x = 0",
        "  import os",
        "▔ import sys",
        "",
        "  def mean(values):",
        "      return sum(values)",
        "┃ def mean(values, none=0):",
        "┃     if not values:",
        "┃         return none",
        "┃     return 1",
        "▁",
        "  LAST = 1",
        "~",
    ]
    assert "DiffDelete" in groups(picture, 1, "import")
    assert "DiffDelete" in picture.rows[1][-1].groups
    assert "DiffAdd" in groups(picture, 6, "def")
    assert "DiffAdd" in picture.rows[6][-1].groups
    assert "DiffText" in groups(picture, 6, ", none")
    assert "DiagnosticInfo" in groups(picture, 6, "┃")
    assert "DiffAdd" not in groups(picture, 2, "import")


def test_the_text_keeps_the_colours_of_tree_sitter(
    nvim: Neovim, host: ReviewingNeovim, screen: Screen
) -> None:
    path = edit(nvim, "a.lua", "local x = 'text'\n")
    nvim.lua("vim.treesitter.start(0, 'lua')")
    host.begin(review(path, "", "local x = 'text'\n"))
    picture = screen.wait(lambda now: "DiffAdd" in now.rows[0][-1].groups)
    string = picture.rows[0][2 + len("local x = '")]
    assert string.attributes.background == picture.rows[0][-1].attributes.background
    assert string.attributes.foreground != picture.rows[0][2 + len("local ")].attributes.foreground


def test_lines_above_the_first_one_are_seen_when_the_user_goes_there(
    nvim: Neovim, host: ReviewingNeovim, screen: Screen
) -> None:
    path = edit(nvim, "a.txt", HUNDRED)
    host.begin(review(path, "gone\nfor ever\n" + HUNDRED, HUNDRED))
    top = ["  gone", "  for ever", "▔ line 1", "  line 2"]
    screen.wait(lambda now: rows(now, 4) == top)
    nvim.input("G")
    screen.wait_for("line 100")
    nvim.input("gg")
    screen.wait(lambda now: rows(now, 4) == top)
    nvim.input("<C-e>")
    screen.wait(lambda now: rows(now, 3) == top[1:])
    nvim.input("<C-e><C-e>")
    screen.wait(lambda now: rows(now, 1) == ["  line 2"])
    nvim.command("nmap [h <Plug>(acp-prev-hunk)")
    nvim.input("50G[h")
    screen.wait(lambda now: rows(now, 4) == top)


def test_lines_above_the_first_one_never_push_the_cursor_out(
    nvim: Neovim, host: ReviewingNeovim, narrow: Screen
) -> None:
    path = edit(nvim, "a.txt", HUNDRED)
    shown = review(path, "gone\n" * 30 + HUNDRED, HUNDRED)
    nvim.command("10")
    host.begin(shown)
    screen_top = narrow.wait_for("▔ line 1")
    assert rows(screen_top, 1) == ["▔ line 1"]
    assert nvim.eval("line('.')") == 10
    nvim.input("gg")
    host.go(path, 1)
    picture = narrow.wait(lambda now: rows(now, 1) == ["  gone"])
    assert picture.text()[picture.cursor[0]] == "▔ line 1"


def test_long_lines_are_broken_where_the_window_breaks_them(
    nvim: Neovim, spy: BridgeSpy, host: ReviewingNeovim, narrow: Screen
) -> None:
    text = "\tfirst second third fourth fifth 中文 sixth\n"
    path = edit(nvim, "a.txt", "kept\n")
    shown = review(path, "kept\n" + text, "kept\n")
    host.begin(shown)
    broken = ["▁ kept", "      first second third fourth fifth 中", "  文 sixth", "~"]
    narrow.wait(lambda now: rows(now, 4) == broken)
    narrow.resize(60, 12)
    nvim.wait(lambda: spy.told("edited") == [{"path": str(path)}])
    host.draw(shown)
    narrow.wait_for("      first second third fourth fifth 中文 sixth")
    nvim.command("set nowrap")
    narrow.resize(40, 12)
    nvim.wait(lambda: len(spy.told("edited")) == 2)
    host.draw(shown)
    narrow.wait(lambda now: rows(now, 4)[2:] == ["~", "~"])


def test_without_wrapping_removed_lines_are_scrolled_with_the_others(
    nvim: Neovim, host: ReviewingNeovim, narrow: Screen
) -> None:
    if not nvim.eval("has('nvim-0.11')"):
        pytest.skip("virtual lines of Neovim 0.10 stand still")
    text = "the beginning of a line that does not fit: its end\n"
    path = edit(nvim, "a.txt", text + "last\n")
    nvim.command("set nowrap")
    host.begin(review(path, text * 2 + "last\n", text + "last\n"))
    narrow.wait(lambda now: rows(now, 2)[0].endswith("does not"))
    nvim.input("$")
    narrow.wait(lambda now: all("its end" in row for row in rows(now, 2)))


def test_a_new_a_deleted_and_a_disputed_file_say_so(
    nvim: Neovim, host: ReviewingNeovim, screen: Screen
) -> None:
    lines = tuple(f"line {number}\n" for number in range(1, 4))
    new = edit(nvim, "new.txt", "".join(lines))
    host.draw(FileReview(str(new), 3, (ReviewHunk(0, lines, (), whole="created"),)))
    picture = screen.wait_for("new file")
    assert rows(picture, 3) == ["┃ line 1  new file · 3 lines", "┃ line 2", "┃ line 3"]
    assert picture.rows[0][2].groups == ()
    nvim.command("edit gone.txt")
    gone = (nvim.cwd / "gone.txt").resolve()
    host.draw(FileReview(str(gone), 0, (ReviewHunk(0, (), lines * 20, whole="deleted"),)))
    picture = screen.wait_for("deleted")
    assert rows(picture, 2) == ["▁   deleted · 60 lines", "  line 1"]
    both = edit(nvim, "both.txt", "".join(lines))
    host.put(both, Drawing(conflict_marks([(1, 2)], 3), ((1, 2),)))
    picture = screen.wait_for("conflict")
    assert rows(picture, 2)[1] == "┃ line 2  conflict: :Acp review shows both sides"
    assert "DiagnosticWarn" in groups(picture, 1, "┃")


@pytest.mark.parametrize("wrap", ["wrap", "nowrap"])
@pytest.mark.parametrize("row", [0, 2])
def test_words_that_have_no_room_behind_a_line_stand_above_it(
    nvim: Neovim, host: ReviewingNeovim, narrow: Screen, wrap: str, row: int
) -> None:
    path = edit(nvim, "a.txt", "".join(f"line {it} of text\n" for it in range(4)))
    nvim.command(f"set {wrap}")
    host.put(path, Drawing(conflict_marks([(row, row + 1)], 4), ((row, row + 1),)))
    picture = narrow.wait_for("shows both sides")
    found = rows(picture, 6)
    at = next(it for it, text in enumerate(found) if "conflict" in text)
    assert found[at] == "  conflict: :Acp review shows both sides"
    assert found[at + 1] == f"┃ line {row} of text"


def test_a_diagnostic_takes_the_place_of_the_sign(
    nvim: Neovim, host: ReviewingNeovim, narrow: Screen
) -> None:
    path = edit(nvim, "a.txt", "one\ntwo\n")
    host.begin(review(path, "", "one\ntwo\n"))
    narrow.wait(lambda now: rows(now, 2) == ["┃ one", "┃ two"])
    nvim.lua("vim.diagnostic.set(1, 0, { { lnum = 0, col = 0, message = 'no', severity = 1 } })")
    nvim.lua("vim.diagnostic.config({ virtual_text = false, signs = true })")
    narrow.wait(lambda now: rows(now, 2) == ["E one", "┃ two"])
