"""What colour schemes, options of the user's and names do to what is seen."""

from __future__ import annotations

import pytest

from tests.support.fakes.spy import BridgeSpy
from tests.support.nvim import Neovim
from tests.support.screen.grid import Screen

TOLD = ("AcpAllow", "AcpReject", "AcpToolDone", "AcpToolRunning", "AcpWinbarState", "AcpComment")


COLOURS = """
local found = vim.api.nvim_get_hl(0, { name = ..., link = false })
local normal = vim.api.nvim_get_hl(0, { name = 'Normal', link = false })
local plain = vim.o.background == 'dark' and { 0xffffff, 0 } or { 0, 0xffffff }
return { found.fg or normal.fg or plain[1], normal.bg or plain[2] }
"""


def luminance(colour: int) -> float:
    """Return the relative luminance of 0xRRGGBB (WCAG 2)."""
    shares = [(colour >> shift & 255) / 255 for shift in (16, 8, 0)]
    red, green, blue = (
        it / 12.92 if it <= 0.04045 else ((it + 0.055) / 1.055) ** 2.4 for it in shares
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: int, other: int) -> float:
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("background", ["light", "dark"])
@pytest.mark.parametrize("scheme", ["default", "retrobox", "morning", "habamax", "quiet"])
def test_what_matters_can_be_read_in_every_colour_scheme(
    nvim: Neovim, spy: BridgeSpy, scheme: str, background: str
) -> None:
    spy.open_session()
    nvim.command(f"set termguicolors background={background} | colorscheme {scheme}")
    _, back = nvim.lua(COLOURS, "Normal")
    for name in TOLD:
        fore, _ = nvim.lua(COLOURS, name)
        assert contrast(fore, back) >= 2.5, name


SCHEMES = (
    "default",
    "retrobox",
    "morning",
    "habamax",
    "quiet",
    "peachpuff",
    "desert",
    "lunaperche",
)
LEAST = 4.5
TEXTS = """
local function look(name)
  return vim.api.nvim_get_hl(0, { name = name, link = false })
end
local plain = vim.o.background == 'dark' and 0 or 0xffffff
local base = look('Normal').bg or plain
local found = {}
for name in pairs(require('acp.ui.highlights').links) do
  local text = look(name)
  local backs = text.bg and { text.bg } or { base, look('AcpFloat').bg or base }
  if not text.bg and vim.startswith(name, 'AcpWinbar') then
    table.insert(backs, look('WinBar').bg)
  end
  if text.fg and not text.reverse then
    table.insert(found, { name, text.fg, backs })
  end
end
return found
"""
"""Each group that colours text, its colour, and what it may stand on."""


@pytest.mark.parametrize("background", ["light", "dark"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_all_text_can_be_read_in_every_colour_scheme(
    nvim: Neovim, spy: BridgeSpy, scheme: str, background: str
) -> None:
    spy.open_session()
    nvim.command(f"set termguicolors background={background} | colorscheme {scheme}")
    texts = nvim.lua(TEXTS)
    assert len(texts) > 40
    bad = {
        name: round(least, 2)
        for name, fore, backs in texts
        if (least := min(contrast(fore, back) for back in backs)) < LEAST
    }
    assert not bad


def test_colours_that_can_be_read_stay_links(nvim: Neovim, spy: BridgeSpy) -> None:
    spy.open_session()
    nvim.command("set termguicolors background=dark | colorscheme default")
    assert nvim.eval("nvim_get_hl(0, {'name': 'AcpToolTitle'})") == {"link": "Function"}
    nvim.command("highlight AcpDim guifg=#123456 | doautocmd ColorScheme")
    assert nvim.eval("nvim_get_hl(0, {'name': 'AcpDim'}).fg") == 0x123456, "it is the user's"


@pytest.mark.parametrize("background", ["light", "dark"])
@pytest.mark.parametrize("scheme", ["default", "retrobox", "morning", "habamax", "quiet"])
def test_the_keys_of_a_float_can_be_read_in_every_colour_scheme(
    nvim: Neovim, spy: BridgeSpy, scheme: str, background: str
) -> None:
    nvim.command(f"set termguicolors background={background} | colorscheme {scheme}")
    with Screen(nvim) as screen:
        chat, _ = spy.open_session()
        spy.open_ask(chat)
        screen.wait_for(":Acp permit")
        place = screen.find(":Acp permit")
        assert place
        look, plain = screen.cell(*place).attributes, screen.picture()
        fore = plain.foreground if look.foreground is None else look.foreground
        back = plain.background if look.background is None else look.background
        assert contrast(fore, back) >= 2.5


def test_a_group_of_the_users_stays(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.command("highlight AcpAllow guifg=#123456")
    spy.open_session()
    nvim.command("highlight! link AcpToolDone Search | doautocmd ColorScheme")
    assert nvim.lua("return vim.api.nvim_get_hl(0, { name = 'AcpAllow' }).fg") == 0x123456
    assert nvim.lua("return vim.api.nvim_get_hl(0, { name = 'AcpToolDone' }).link") == "Search"


def test_hints_do_not_look_like_text_without_true_colours(nvim: Neovim, spy: BridgeSpy) -> None:
    look = "return vim.api.nvim_get_hl(0, { name = 'AcpDim' })"
    with Screen(nvim):
        nvim.command("set notermguicolors")
        spy.open_session()
        assert nvim.lua(look)["cterm"] == {"italic": True}
        nvim.command("set termguicolors")
        assert nvim.lua(look)["link"] == "Comment"


def test_a_cursor_line_is_where_the_user_is(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.command("set cursorline")
    with Screen(nvim) as screen:
        chat, _ = spy.open_session()
        spy.frame(chat, [0, 1, ["first", "last"], []])
        screen.wait_for("last")

        def is_marked() -> bool:
            found = screen.find("last")
            return found is not None and "CursorLine" in screen.cell(*found).groups

        assert not is_marked()
        nvim.input("<C-w>k")
        screen.wait(lambda _: is_marked())
        nvim.input("<C-w>j")
        screen.wait(lambda _: not is_marked())


@pytest.mark.parametrize("shown", ["no", "number"])
def test_a_bar_covers_no_text_where_there_are_no_signs(
    nvim: Neovim, spy: BridgeSpy, shown: str
) -> None:
    with Screen(nvim) as screen:
        chat, _ = spy.open_session()
        bar = {"virt_text": [["▌ ", "AcpUserBar"]], "virt_text_win_col": -2}
        spy.frame(chat, [0, 1, ["first words", ""], [[0, 0, bar]]])
        screen.wait_for("▌ first words")
        nvim.input(f"<C-w>k:setlocal signcolumn={shown}<CR>")
        screen.wait(lambda _: nvim.eval("&signcolumn") == shown)
        screen.wait_for("▌ first words")
        nvim.input(":setlocal signcolumn=yes:1<CR>")
        screen.wait(lambda _: nvim.eval("&statuscolumn") == "%s")


def test_a_long_name_leaves_room_for_the_rest(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.command("set laststatus=2")
    with Screen(nvim, columns=60) as screen:
        chat, _ = spy.open_session("mine")
        spy.frame(chat, status={"agent": "mine", "state": "idle", "title": "Fix 修复 of it all"})
        screen.wait_for("mine · Fix …")
        screen.wait_for("mine · prompt")


def test_status_lines_have_names_for_people(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.command("set laststatus=2")
    with Screen(nvim, columns=160) as screen:
        chat, _ = spy.open_session("mine")
        screen.wait_for("mine · prompt")
        spy.frame(chat, status={"agent": "mine", "state": "idle", "title": "Fix 100% of it"})
        shown = screen.wait_for("mine · Fix 100% of it · prompt").text()
        assert not any("acp:" in row or "acp-prompt:" in row for row in shown)


def test_the_users_own_status_line_stays(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.command("set laststatus=2 statusline=[%f]")
    with Screen(nvim, columns=160) as screen:
        spy.open_session("mine")
        screen.wait_for("[acp-prompt://mine]")


def test_no_window_is_a_scratch_buffer_without_a_name(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.command("set laststatus=3")
    with Screen(nvim) as screen:
        chat, _ = spy.open_session()
        spy.open_ask(chat)
        screen.wait_for("1. Allow once")
        nvim.input("<Tab>")
        screen.wait_for("acp-question")
        nvim.input("<C-w>pg?")
        screen.wait_for("acp-keys")
