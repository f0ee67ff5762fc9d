"""What the user sees of a chat, its prompt and a permission menu."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from acp_nvim.view.question.menu import FormRow
from tests.support.fakes.spy import BridgeSpy, part
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
        winbar=[
            {"group": "AcpWinbarState", "text": "running", "need": 0, "right": False},
            {"group": "AcpWinbarModel", "text": "Opus 5", "need": 1, "right": True},
        ],
    )
    picture = screen.wait_for("the bold word")
    assert any("▌ fix it" in row for row in picture.text())
    assert any(" running " in row and row.endswith("Opus 5") for row in picture.text())
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
    if not nvim.answers_while_it_asks:
        pytest.skip("Neovim 0.10 draws nothing of ours while it asks")
    with Screen(nvim) as screen:
        chat, _ = spy.open_session()
        nvim.input(":call confirm('sure?', \"&yes\\n&no\")<CR>")
        screen.wait_for("sure?")
        spy.frame(chat, [0, 1, ["something new"], []])
        spy.open_ask(chat)
        screen.wait_for("[y]es")


OPTIONS = {
    "options": part(
        "✓ 1. Yes, allow once",
        "✓ 2. Yes, and do not ask again for rm commands",
        "✗ 3. No, and tell it what to do",
        "✗ 4. Never",
    ),
    "option_ids": ("a", "b", "c", "d"),
    "option_kinds": ("allow_once", "allow_always", "reject_once", "reject_always"),
}
FLAGS = " ".join(f"--flag{number}=/some/path/{number}" for number in range(14))
COMMANDS = {
    "one long line": [f"rm -rf ~/important && {FLAGS}; echo THE-END"],
    "many lines": ["rm -rf ~/important", *(f"echo {n}" for n in range(40)), "echo THE-END"],
    "endless": ["rm -rf ~/important", *(f"echo {n} {FLAGS}" for n in range(290)), "echo THE-END"],
}
SIZES = [(60, 20), (80, 24), (100, 30), (160, 50), (40, 12)]


@pytest.mark.parametrize("where", ["prompt", "code", "inside", "chat closed"])
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_asked_is_on_screen_at_any_size(
    command: str, size: tuple[int, int], where: str
) -> None:
    columns, rows = size
    with Neovim(columns=columns, lines=rows) as nvim:
        spy = BridgeSpy(nvim)
        with Screen(nvim, columns=columns, rows=rows) as screen:
            code = nvim.eval("win_getid()")
            nvim.lua("vim.fn.setline(1, vim.fn.range(1, 60))")
            chat, prompt = spy.open_session()
            if where == "code":
                nvim.api.nvim_set_current_win(code)
            elif where == "chat closed":
                nvim.lua("require('acp.chat.window').chat('close')")
            asked = spy.open_ask(chat, body=part(*COMMANDS[command]), **OPTIONS)
            if where == "inside":
                nvim.input("<Tab>")
            picture = screen.wait_for("Run the tests")
            shown = "\n".join(picture.text())
            assert "rm -rf" in shown, shown
            assert "THE-END" in shown, shown
            given = "✗ 4. Never" in shown and "✓ 1. Yes, allow once" in shown
            assert given or "4 options:" in shown, shown
            assert given or rows < 20, shown
            assert covered(nvim, asked["winid"], prompt) == [], shown


@pytest.mark.parametrize("size", [(80, 30), (80, 24), (60, 20)], ids=str)
def test_a_title_that_is_all_that_is_asked_takes_the_room_that_there_is(
    size: tuple[int, int],
) -> None:
    columns, rows = size
    with Neovim(columns=columns, lines=rows) as nvim:
        spy = BridgeSpy(nvim)
        with Screen(nvim, columns=columns, rows=rows) as screen:
            chat, _ = spy.open_session()
            nvim.command("wincmd t")
            steps = (f"&& echo step {number} of many of them" for number in range(30))
            head = part(" ".join(["rm -rf ~/important", *steps, "THE-END"]))
            spy.open_ask(chat, head=head, body=part(), **OPTIONS)
            picture = screen.wait_for("THE-END")
            shown = [row for row in picture.text() if "│" in row]
            assert any("rm -rf" in row for row in shown)
            hint = next(at for at, row in enumerate(picture.text()) if "rows more: D shows" in row)
            below = [row for row in picture.text()[hint:] if "step" in row or "echo" in row]
            assert len(below) > (rows - 20) / 2
            free = [row for row in picture.text()[:hint] if "│  " in row[columns // 2 :]]
            assert not free  # nothing above it that could have been room


@pytest.mark.parametrize("where", ["prompt", "code"])
@pytest.mark.parametrize("size", [(80, 8), (20, 9), (12, 12)], ids=str)
def test_on_the_smallest_screens_the_command_and_that_it_has_changed(
    size: tuple[int, int], where: str
) -> None:
    with Neovim(columns=80, lines=24) as nvim:
        spy = BridgeSpy(nvim)
        with Screen(nvim, columns=80, rows=24) as screen:
            code = nvim.eval("win_getid()")
            chat, _ = spy.open_session()
            if where == "code":
                nvim.api.nvim_set_current_win(code)
            screen.resize(*size)
            spy.open_ask(chat, body=part("rm -rf ~"), notes=part("! changed after it"), **OPTIONS)
            assert "! " in "\n".join(screen.wait_for("rm").text())


OVER = """
local float, prompt = ...
local config = vim.api.nvim_win_get_config(float)
local found = {}
local function covers(row, column)
  return row >= config.row and row < config.row + config.height + 2
    and column >= config.col and column < config.col + config.width + 2
end
local current = vim.api.nvim_get_current_win()
if current ~= float then
  local cursor = vim.fn.screenpos(current, vim.fn.line('.'), vim.fn.col('.'))
  if covers(cursor.row - 1, cursor.col - 1) then table.insert(found, 'the cursor') end
end
local window = vim.fn.bufwinid(prompt)
if window > 0 then
  local position = vim.api.nvim_win_get_position(window)
  for row = position[1], position[1] + vim.api.nvim_win_get_height(window) - 1 do
    for column = position[2], position[2] + vim.api.nvim_win_get_width(window) - 1 do
      if covers(row, column) then found[1] = 'the prompt' end
    end
  end
end
return found
"""


def covered(nvim: Neovim, window: int, prompt: int) -> list[str]:
    """Return what the window of the questions must not lie on, and does."""
    return list(nvim.lua(OVER, window, prompt))


@pytest.mark.parametrize("keys", ["", "<C-w>h", "<C-w>k", "<C-w>hG", "<C-w>hL"])
def test_it_gets_out_of_the_way_when_the_size_or_the_cursor_changes(
    nvim: Neovim, spy: BridgeSpy, keys: str
) -> None:
    with Screen(nvim, columns=100, rows=30) as screen:
        nvim.lua("vim.fn.setline(1, vim.fn.range(1, 60))")
        chat, prompt = spy.open_session()
        asked = spy.open_ask(chat, body=part(*COMMANDS["many lines"]), **OPTIONS)
        nvim.input(keys)
        for columns, rows in ((100, 30), (60, 20), (80, 24), (160, 50), (100, 30)):
            screen.resize(columns, rows)
            nvim.wait(lambda: covered(nvim, asked["winid"], prompt) == [])
            screen.wait_for("rm -rf")


def test_the_question_of_a_form_stays_above_its_fields(nvim: Neovim, spy: BridgeSpy) -> None:
    with Screen(nvim, columns=60, rows=20) as screen:
        chat, _ = spy.open_session()
        rows = [FormRow(n, "text", n, label=f"Field {n}") for n in range(40)]
        spy.open_ask(
            chat,
            kind="form",
            head=part("Where should I deploy the service?"),
            body=part(*(f"Field {number}: it" for number in range(40))),
            options=part("[accept]", "[decline]"),
            form=(*rows, FormRow(40, "action", action="accept")),
            option_ids=(),
            option_kinds=(),
        )
        screen.wait_for("Where should I deploy")
        nvim.input("<Tab>")
        screen.wait_for("Field 0: it")
        nvim.input("35j")
        screen.wait_for("Field 35: it")
        assert any("Where should I deploy" in row for row in screen.text())


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
        assert "tutor asks: Run the tests" in "\n".join(rows)
        assert not any("╭" in row for row in rows), "no float covers the files"
        nvim.input("1")
        screen.wait_gone("changed")


def test_what_has_come_below_stands_right_on_the_chats_last_row(
    nvim: Neovim, spy: BridgeSpy, screen: Screen
) -> None:
    chat, prompt = spy.open_session()
    spy.frame(chat, [0, 1, [str(line) for line in range(60)], []])
    layout = "require('acp.ui.layout')"
    nvim.lua(f"vim.api.nvim_win_set_cursor({layout}.window_of(...), {{ 1, 0 }})", chat)
    spy.frame(chat, [60, 60, ["more"] * 23, []])
    screen.wait_for("↓ 23 new · G")
    found = screen.find("↓ 23 new · G")
    assert found
    above = nvim.lua(f"return vim.fn.win_screenpos({layout}.window_of(...))[1] - 2", prompt)
    assert found[0] == above - 1
    assert found[1] + len("↓ 23 new · G ") == len(screen.picture().rows[0])


@pytest.mark.parametrize("zindex", [60, 150, 240])
def test_a_question_is_drawn_above_floats_of_others(
    nvim: Neovim, spy: BridgeSpy, screen: Screen, zindex: int
) -> None:
    """`screenstring()` goes by zindex; Neovim may have drawn another order."""
    chat, _ = spy.open_session()
    spy.open_ask(chat)
    screen.wait_for("make test")
    for number in range(3):
        nvim.lua(
            """
            local name, zindex = ...
            local buffer = vim.api.nvim_create_buf(false, true)
            vim.api.nvim_buf_set_lines(buffer, 0, -1, true, { name })
            vim.api.nvim_open_win(buffer, false, {
              relative = 'editor', row = 0, col = 0, width = vim.o.columns, height = vim.o.lines,
              zindex = zindex,
            })
            """,
            f"float {number}",
            zindex + number,
        )
        screen.wait_for(f"float {number}")
        screen.wait_for("make test")
    assert nvim.eval("win_gettype()") == ""
