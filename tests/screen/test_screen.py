"""What the user sees of a chat, its prompt and a permission menu."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.fakes.spy import BridgeSpy
from tests.support.nvim import Neovim
from tests.support.screen.grid import Screen
from tests.support.screen.picture import svg


@pytest.fixture(params=[80, 160])
def screen(nvim: Neovim, request: pytest.FixtureRequest) -> Iterator[Screen]:
    """Attach a UI of 80, then of 160 columns."""
    with Screen(nvim, columns=request.param, rows=30) as attached:
        yield attached


def test_a_session_is_there_at_once(nvim: Neovim, spy: BridgeSpy, screen: Screen) -> None:
    spy.open_session()
    picture = screen.wait_for("Starting tutor …")
    assert any("<CR> sends to tutor" in row for row in picture.text())
    assert picture.mode == "normal"
    row, column = picture.cursor
    assert row > 15
    assert column > len(picture.rows[0]) // 2


def test_text_marks_and_winbar_are_drawn(nvim: Neovim, spy: BridgeSpy, screen: Screen) -> None:
    chat, _ = spy.open_session()
    bar = {"virt_text": [["▌ ", "AcpUserBar"]], "virt_text_pos": "inline"}
    marks = [
        [0, 0, {"line_hl_group": "AcpUser"}],
        [0, 0, bar],
        [2, 4, {"end_col": 6, "conceal": ""}],
        [2, 6, {"end_col": 10, "hl_group": "AcpBold"}],
        [2, 10, {"end_col": 12, "conceal": ""}],
    ]
    spy.frame(
        chat,
        [0, 1, ["fix it", "", "the **bold** word"], marks],
        winbar="%#AcpWinbarAgent# tutor %*running",
    )
    picture = screen.wait_for("the bold word")
    assert any("▌ fix it" in row for row in picture.text())
    assert any("tutor running" in row for row in picture.text())
    found = screen.find("bold word")
    assert found
    assert screen.cell(*found).attributes.bold
    assert "~" not in "".join(row[-1:] for row in picture.text())


def test_a_menu_opens_over_the_chat_while_the_user_writes(
    nvim: Neovim, spy: BridgeSpy, screen: Screen
) -> None:
    chat, prompt = spy.open_session()
    nvim.input("ihello")
    spy.open_ask(chat)
    picture = screen.wait_for("2. Reject once")
    assert picture.mode == "insert"
    rows = picture.text()
    option = next(number for number, row in enumerate(rows) if "1. Allow once" in row)
    writing = next(number for number, row in enumerate(rows) if "hello" in row)
    assert option < writing == picture.cursor[0]
    assert "<svg" in svg(screen)
    nvim.input("<Esc><Tab>")
    found = screen.find("1. Allow once")
    assert found
    screen.wait(lambda now: "CursorLine" in now.rows[found[0]][found[1]].groups)
    spy.close_ask()
    screen.wait_gone("Allow once")
    assert nvim.eval("bufnr()") == prompt


@pytest.mark.parametrize(
    "keys", [":echo", "/abc", ":call getchar()<CR>", ":call input('name? ')<CR>"]
)
def test_menus_and_frames_are_drawn_while_neovim_reads_a_line_or_a_key(
    nvim: Neovim, spy: BridgeSpy, screen: Screen, keys: str
) -> None:
    chat, _ = spy.open_session()
    nvim.input(keys)
    spy.open_ask(chat)
    screen.wait_for("1. Allow once")
    spy.frame(chat, [0, 1, ["something new"], []])
    screen.wait_for("something new")


def test_a_question_of_confirm_is_left_on_screen(nvim: Neovim, spy: BridgeSpy) -> None:
    with Screen(nvim) as screen:
        chat, _ = spy.open_session()
        nvim.input(":call confirm('sure?', \"&yes\\n&no\")<CR>")
        screen.wait_for("sure?")
        spy.frame(chat, [0, 1, ["something new"], []])
        spy.open_ask(chat)
        screen.wait_for("[y]es")


def test_several_menus_at_a_small_size(nvim: Neovim, spy: BridgeSpy) -> None:
    with Screen(nvim, columns=60, rows=14) as screen:
        chat, _ = spy.open_session()
        for name in ("one", "two", "three"):
            spy.open_ask(chat, name, title=f"Question {name}")
        screen.wait_for("Question one")
        screen.resize(100, 40)
        screen.wait_for("Question three")


def test_the_files_of_a_permission_side_by_side(nvim: Neovim, spy: BridgeSpy) -> None:
    with Screen(nvim, columns=80, rows=24) as screen:
        path = nvim.cwd / "a.txt"
        path.write_text("".join(f"line {number}\n" for number in range(1, 41)))
        nvim.command(f"edit {path}")
        chat, _ = spy.open_session()
        spy.open_ask(chat, comparable=1)
        nvim.input("<Tab>d")
        new = ["line 20, changed" if number == 20 else f"line {number}" for number in range(1, 41)]
        right = {"name": "a.txt (as tutor proposes)", "lines": new}
        spy.answer({"left": {"name": "a.txt", "path": str(path.resolve())}, "right": right})
        picture = screen.wait(lambda now: "20, changed" in now.text()[now.cursor[0]])
        rows, (row, column) = picture.text(), picture.cursor
        assert rows[row].startswith("  line 20 "), "level with what it replaces"
        assert column == rows[row].index("line 20, changed")
        assert "DiffText" in picture.rows[row][column + len("line 20,")].groups
        bars = next(bar for bar in rows[1:] if "as tutor proposes)" in bar)
        assert bars.startswith(" a.txt  ")
        assert "Run the tests: make test" in "\n".join(rows)
        assert not any("╭" in row for row in rows), "no float covers the files"
        nvim.input("1")
        screen.wait_gone("changed")
