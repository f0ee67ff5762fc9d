"""Drawing: what `acp.ui.apply` does to a buffer and to the windows that show it."""

from __future__ import annotations

import pytest

from tests.support.fakes.spy import BridgeSpy
from tests.support.nvim import Neovim

BAR = {"group": "AcpWinbarAgent", "text": "tutor", "need": 0, "right": False}


@pytest.fixture
def chat(spy: BridgeSpy) -> int:
    """Open a session whose chat holds the lines 1 … 50."""
    number, _ = spy.open_session()
    spy.frame(number, [0, 1, [str(line) for line in range(1, 51)], []])
    return number


def window_of(nvim: Neovim, buffer: int) -> int:
    return nvim.lua("return require('acp.ui.layout').window_of(...)", buffer)


def view(nvim: Neovim, window: int) -> dict[str, int]:
    return nvim.lua("return vim.api.nvim_win_call(..., vim.fn.winsaveview)", window)


def marks(nvim: Neovim, buffer: int) -> list[tuple[int, int, str]]:
    found = nvim.lua(
        """local ns = vim.api.nvim_create_namespace('acp')
        return vim.api.nvim_buf_get_extmarks(..., ns, 0, -1, {details = true})""",
        buffer,
    )
    return [(row, column, details["hl_group"]) for _, row, column, details in found]


def highlight(row: int, start: int, end: int, group: str) -> list[object]:
    return [row, start, {"end_col": end, "hl_group": group}]


def watch_rows(nvim: Neovim, buffer: int) -> None:
    """Note which rows of a buffer are drawn from now on."""
    nvim.lua(
        """drawn = {}
        local buffer = ...
        vim.api.nvim_set_decoration_provider(vim.api.nvim_create_namespace(''), {
          on_win = function(_, _, shown) return shown == buffer end,
          on_line = function(_, _, _, row) table.insert(drawn, row) end,
        })
        vim.cmd.redraw()
        drawn = {}""",
        buffer,
    )


def drawn(nvim: Neovim) -> list[int]:
    """Draw the screen, and return the rows that were drawn."""
    rows: list[int] = nvim.lua("vim.cmd.redraw(); return drawn")
    return rows


def test_the_first_op_replaces_the_line_that_says_starting(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    assert nvim.lines(chat) == ["Starting tutor …"]
    assert spy.frame(chat, [0, 1, ["hello", ""], []]) == {"failed": [], "gone": []}
    assert nvim.lines(chat) == ["hello", ""]


def test_marks_of_replaced_lines_go_and_others_stay_with_their_line(
    nvim: Neovim, spy: BridgeSpy
) -> None:
    chat, _ = spy.open_session()
    both = [highlight(0, 0, 3, "AcpBold"), highlight(1, 1, 2, "AcpCode")]
    spy.frame(chat, [0, 1, ["one", "two", "three"], both])
    spy.frame(chat, [0, 1, ["new", "lines"], [highlight(1, 0, 5, "AcpItalic")]])
    assert nvim.lines(chat) == ["new", "lines", "two", "three"]
    assert marks(nvim, chat) == [(1, 0, "AcpItalic"), (2, 1, "AcpCode")]


def test_of_a_text_that_grows_nothing_above_is_drawn_anew(
    nvim: Neovim, spy: BridgeSpy, chat: int
) -> None:
    marked = [highlight(0, 0, 2, "AcpBold")]
    spy.frame(chat, [49, 50, ["50", ""], marked])
    watch_rows(nvim, chat)
    spy.frame(chat, [49, 50, ["50 and more", "new"], marked])
    assert min(drawn(nvim)) == 49
    assert marks(nvim, chat) == [(49, 0, "AcpBold")]


def test_of_several_ops_nothing_above_is_drawn_anew(
    nvim: Neovim, spy: BridgeSpy, chat: int
) -> None:
    bold, code = highlight(0, 0, 2, "AcpBold"), highlight(0, 0, 2, "AcpCode")
    spy.frame(chat, [49, 50, ["50", ""], [bold]])
    watch_rows(nvim, chat)
    spy.frame(chat, [49, 50, ["50!"], [code]], [51, 51, ["new"], [bold]])
    assert min(drawn(nvim)) == 49
    assert marks(nvim, chat) == [(49, 0, "AcpCode"), (51, 0, "AcpBold")]


def test_ops_that_go_upwards_have_their_marks_in_their_lines(
    nvim: Neovim, spy: BridgeSpy, chat: int
) -> None:
    spy.frame(
        chat,
        [49, 50, ["50!"], [highlight(0, 0, 2, "AcpCode")]],
        [0, 0, ["above"], [highlight(0, 0, 2, "AcpBold")]],
    )
    assert marks(nvim, chat) == [(0, 0, "AcpBold"), (50, 0, "AcpCode")]


def test_a_chat_that_shows_its_end_is_not_drawn_for_a_prompt(nvim: Neovim, chat: int) -> None:
    nvim.lua("require('acp.ui.tail').reach(...)", chat)
    watch_rows(nvim, chat)
    nvim.lua("require('acp.ui.tail').reach(...)", chat)
    assert drawn(nvim) == []


def test_a_question_beside_a_chat_does_not_have_it_drawn_anew(
    nvim: Neovim, spy: BridgeSpy, chat: int
) -> None:
    watch_rows(nvim, chat)
    spy.open_ask(chat)
    assert drawn(nvim) == []


@pytest.mark.parametrize("first", [0, 1])
def test_an_icon_at_the_start_of_a_line_stays_when_lines_above_change(
    nvim: Neovim, spy: BridgeSpy, first: int
) -> None:
    chat, _ = spy.open_session()
    icon = [1, 0, {"hl_group": "AcpToolDone", "end_col": 1}]
    spy.frame(chat, [0, 1, ["text", "tool"], [icon]])
    spy.frame(chat, [first, 1, ["a", "b"], []])
    row = nvim.lines(chat).index("tool")
    assert marks(nvim, chat) == [(row, 0, "AcpToolDone")]


def test_the_user_cannot_modify_it_and_it_is_never_modified(nvim: Neovim, chat: int) -> None:
    assert nvim.lua("local b = vim.bo[...]; return {b.modifiable, b.modified}", chat) == [
        False,
        False,
    ]


def test_a_cursor_on_the_last_line_follows(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    window = window_of(nvim, chat)
    assert view(nvim, window)["lnum"] == 50
    spy.frame(chat, [49, 50, ["50", "51", "the end"], []])
    assert view(nvim, window)["lnum"] == 52
    assert view(nvim, window)["col"] == len("the end") - 1


def test_a_cursor_elsewhere_stays_on_its_line(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    window = window_of(nvim, chat)
    nvim.lua(
        "vim.api.nvim_win_call(..., function() vim.fn.winrestview({topline=20, lnum=25}) end)",
        window,
    )
    spy.frame(chat, [0, 1, ["a", "b", "c"], []], [52, 52, ["51"], []])
    assert view(nvim, window) | {"topline": 22, "lnum": 27} == view(nvim, window)
    spy.frame(chat, [24, 30, [f"new {n}" for n in range(6)], []])
    assert (view(nvim, window)["topline"], view(nvim, window)["lnum"]) == (22, 27)


@pytest.mark.parametrize("at", [50, 30])
def test_what_is_filled_in_above_moves_nothing(
    nvim: Neovim, spy: BridgeSpy, chat: int, at: int
) -> None:
    window = window_of(nvim, chat)
    nvim.lua(
        """local window, at = ...
        vim.api.nvim_win_call(window, function()
          vim.wo.foldmethod = 'manual'
          vim.cmd('20,22fold | normal! 5Gma')
          vim.api.nvim_win_set_cursor(0, { at, 0 })
          vim.cmd('normal! zb')
          vim.fn.setreg('/', '^4')
        end)""",
        window,
        at,
    )
    before = view(nvim, window)
    rows = [f"above {row}" for row in range(3_000)]
    kinds = [{"hl_group": "AcpBold"}, {"virt_text": [["> ", "AcpDim"]], "virt_text_pos": "inline"}]
    spy.frame(chat, [0, 0, rows, [5, 0, 2, 1, 2_999, 0, -1, 2], kinds])
    after = view(nvim, window)
    assert [after[it] - before[it] for it in ("lnum", "topline", "skipcol")] == [3_000, 3_000, 0]
    assert nvim.lua("return vim.api.nvim_buf_get_mark(..., 'a')", chat) == [3_005, 0]
    folded = "return vim.api.nvim_win_call(..., function() return vim.fn.foldclosedend(3020) end)"
    assert nvim.lua(folded, window) == 3_022
    assert nvim.lua("return vim.fn.getreg('/')") == "^4"


def test_marks_of_a_frame_are_numbers_and_kinds(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    kinds = [{"hl_group": "AcpBold"}, {"hl_group": "AcpUser", "hl_eol": True}]
    spy.frame(chat, [0, 50, ["one", "two", "three"], [0, 0, 3, 1, 1, 0, -1, 2, 2, 1, 2, 1], kinds])
    assert marks(nvim, chat) == [(0, 0, "AcpBold"), (1, 0, "AcpUser"), (2, 1, "AcpBold")]


def test_a_selection_at_the_end_does_not_move(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    nvim.api.nvim_set_current_win(window_of(nvim, chat))
    nvim.input("V")
    spy.frame(chat, [50, 50, ["51"], []])
    assert nvim.mode()["mode"] == "V"
    assert nvim.eval("line('.')") == 50


def test_insert_mode_elsewhere_goes_on(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    nvim.input("iab")
    spy.frame(chat, [50, 50, ["51"], []])
    assert nvim.mode()["mode"] == "i"
    nvim.input("cd")
    assert nvim.eval("getline('.')") == "abcd"
    assert view(nvim, window_of(nvim, chat))["lnum"] == 51


def test_status_and_winbar(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    spy.frame(chat, status={"agent": "tutor", "state": "running"}, winbar=[BAR])
    status, winbar = nvim.lua("local b = vim.b[...]; return {b.acp_status, b.acp_winbar}", chat)
    assert status == {"agent": "tutor", "state": "running"}
    assert "tutor" in winbar


def test_a_buffer_that_is_gone_is_said(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    assert spy.frame(999, [0, 1, ["x"], []]) == {"failed": [], "gone": [999]}


def test_ops_out_of_range_fail_and_can_be_sent_whole(
    nvim: Neovim, spy: BridgeSpy, chat: int
) -> None:
    assert spy.frame(chat, [70, 71, ["x"], []]) == {"failed": [chat], "gone": []}
    assert spy.frame(chat, [0, -1, ["whole"], []]) == {"failed": [], "gone": []}
    assert nvim.lines(chat) == ["whole"]
    assert not nvim.lua("return vim.bo[...].modifiable", chat)


def test_a_frame_under_textlock_fails_and_leaves_the_buffer_closed(
    nvim: Neovim, spy: BridgeSpy, chat: int
) -> None:
    nvim.lua(
        """local chat = ...
        _G.locked = function()
          local part = { bufnr = chat, ops = { { 0, 1, { 'x' }, {} } } }
          _G.result = require('acp.ui.apply').frame({ buffers = { part }, events = {} })
          return ''
        end
        vim.keymap.set('n', '<F2>', 'v:lua.locked()', { expr = true })""",
        chat,
    )
    nvim.input("<F2>")
    assert nvim.lua("return _G.result") == {"failed": [chat], "gone": []}
    assert nvim.lines(chat)[0] == "1"
    assert not nvim.lua("return vim.bo[...].modifiable", chat)


def test_events_are_fired_after_the_drawing(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    nvim.lua(
        """local chat = ...
        vim.api.nvim_create_autocmd('User', { pattern = 'AcpTurnEnded', callback = function(event)
          local last = vim.api.nvim_buf_get_lines(chat, -2, -1, true)[1]
          _G.seen = { event.data.stop_reason, last }
        end })""",
        chat,
    )
    event = {"name": "AcpTurnEnded", "data": {"stop_reason": "end_turn"}}
    spy.frame(chat, [50, 50, ["drawn"], []], events=[event])
    nvim.wait("_G.seen ~= nil")
    assert nvim.lua("return _G.seen") == ["end_turn", "drawn"]


def test_a_broken_handler_is_told_once_and_breaks_nothing(
    nvim: Neovim, spy: BridgeSpy, chat: int
) -> None:
    nvim.lua(
        """_G.count = 0
        vim.api.nvim_create_autocmd('User', { pattern = 'AcpUsage', callback = function()
          _G.count = _G.count + 1
          error('line one\\nline two')
        end })"""
    )
    for _ in range(2):
        spy.frame(chat, events=[{"name": "AcpUsage", "data": {}}])
    nvim.wait("_G.count == 2")
    assert nvim.mode() == {"mode": "n", "blocking": False}
    assert nvim.messages().count("a handler of User AcpUsage failed") == 1


def test_in_the_command_line_window_it_draws(nvim: Neovim, spy: BridgeSpy, chat: int) -> None:
    nvim.input("q:")
    spy.frame(chat, [0, 1, ["a", "b"], []], [51, 51, ["51"], []])
    assert nvim.lines(chat)[-1] == "51"
    assert nvim.eval("getcmdwintype()") == ":"
    assert view(nvim, window_of(nvim, chat))["lnum"] == 52


def test_a_text_that_becomes_shorter_still_fills_the_window(
    nvim: Neovim, spy: BridgeSpy, chat: int
) -> None:
    window = window_of(nvim, chat)
    nvim.api.nvim_win_set_cursor(window, [50, 0])
    spy.frame(chat, [49, 50, [str(line) for line in range(50, 90)], []])
    spy.frame(chat, [40, 89, [], []])
    height = nvim.api.nvim_win_get_height(window) - 1
    assert view(nvim, window)["topline"] == 41 - height


def test_what_neovim_never_takes_is_one_row_and_all_else_is_drawn(
    nvim: Neovim, spy: BridgeSpy
) -> None:
    chat, _ = spy.open_session()
    wrong = [0, 0, {"sign_text": "far too wide"}]
    bar = [{"group": [], "text": "wrong", "need": 0, "right": False}]
    ops = [0, 1, ["one", "two\nthree", "four"], [wrong, highlight(2, 0, 4, "AcpBold")]]
    assert spy.frame(chat, ops, winbar=bar, status={"agent": "x"}) == {"failed": [], "gone": []}
    row = "! this cannot be shown (Neovim does not take it)"
    assert nvim.lines(chat) == ["one", row, "four"]
    assert marks(nvim, chat) == [(2, 0, "AcpBold")]
    spy.frame(chat, [1, 2, ["two"], []])
    assert nvim.lines(chat) == ["one", "two", "four"]
    log = nvim.lua("return table.concat(vim.fn.readfile(require('acp.host.log').path()), '\\n')")
    assert log.count("a line was not drawn") == 1
    assert log.count("a mark was not drawn") == 1
