"""What marks a place in a file is there again with its line, as after `u`, and is the user's."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tests.editor.files.test_buffer import change, open_file, write
from tests.support.nvim import Neovim

LINES = [f"line {number}" for number in range(1, 41)]
TEXT = {"virt_text": [["x", "Error"]]}
RANGE = {"end_row": 4, "end_col": 2}
KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "text": TEXT,
    "text in a column": TEXT | {"virt_text_win_col": 40},
    "text inline": TEXT | {"virt_text_pos": "inline"},
    "text on the right": TEXT | {"virt_text_pos": "right_align"},
    "text over": TEXT | {"virt_text_pos": "overlay", "virt_text_repeat_linebreak": True},
    "text of two groups": {"virt_text": [["x", ["Error", "Comment"]]]},
    "lines": {"virt_lines": [[["x", "Error"]]], "virt_lines_above": True},
    "range": RANGE | {"hl_group": "Error", "hl_eol": True, "hl_mode": "blend"},
    "range of two groups": RANGE | {"hl_group": ["Error", "Comment"]},
    "range to below": {"end_row": 8, "end_col": 1, "hl_group": "Error"},
    "range with gravity": RANGE | {"end_right_gravity": True},
    "sign": {"sign_text": ">>", "sign_hl_group": "Error", "line_hl_group": "Error"},
    "invalid": RANGE | {"invalidate": True},
    "left": {"right_gravity": False},
    "concealed": RANGE | {"conceal": "c"},
    "link": RANGE | {"url": "http://localhost"},
    "not restored": {"undo_restore": False},
}
SET = """
local found = {}
for name, options in pairs(...) do
  local space = vim.api.nvim_create_namespace(name)
  found[name] = { space, vim.api.nvim_buf_set_extmark(0, space, 3, 1, options) }
end
return found
"""
GET = """
return vim.tbl_map(function(mark)
  return vim.inspect(vim.api.nvim_buf_get_extmark_by_id(0, mark[1], mark[2], { details = true }))
end, ...)
"""
SET_RANGES = """
local space = vim.api.nvim_create_namespace('ranges')
for _, range in ipairs(...) do
  local row, column, end_row, end_col, goes = unpack(range)
  local options = { end_row = end_row, end_col = end_col, end_right_gravity = goes }
  vim.api.nvim_buf_set_extmark(0, space, row, column, options)
end
"""
GET_RANGES = """
local space, found = vim.api.nvim_create_namespace('ranges'), {}
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })) do
  found[mark[1]] = { mark[2], mark[3], mark[4].end_row, mark[4].end_col }
end
return found
"""
ANEW = """
local space = vim.api.nvim_create_namespace('mine')
for row = 0, vim.api.nvim_buf_line_count(0) - 1 do
  vim.api.nvim_buf_set_extmark(0, space, row, 2, { id = row + 1 })
end
"""
ELSEWHERE = """
local space = vim.api.nvim_create_namespace('mine')
return vim.tbl_filter(function(mark)
  return mark[2] ~= mark[1] - 1 or mark[3] ~= 2
end, vim.api.nvim_buf_get_extmarks(0, space, 0, -1, {}))
"""
WINDOWS = """
return vim.tbl_map(function(window)
  return vim.api.nvim_win_call(window, function()
    return vim.fn.getline('.')
  end)
end, vim.api.nvim_list_wins())
"""
SINGLE = list(enumerate(range(5, 1005, 5)))
"""Every fifth line."""


def opened(nvim: Neovim, lines: list[str] = LINES) -> Path:
    return open_file(nvim, "".join(f"{line}\n" for line in lines).encode())


def position(nvim: Neovim, mark: str) -> list[int]:
    return list(nvim.eval(f'getpos("{mark}")[1:2]'))


# --- of other plugins


def test_extmarks_of_every_kind_are_as_after_u(nvim: Neovim) -> None:
    path = opened(nvim)
    kinds = dict(KINDS)
    if not nvim.eval("has('nvim-0.11')"):
        del kinds["range of two groups"]  # Neovim 0.10 takes one group
    for verb in ("write", "edit"):
        marks = nvim.lua(SET, kinds)
        wanted = nvim.lua(GET, marks) | {"not restored": None}
        assert "ok" in change(nvim, verb, path, [[3, 6, []]])
        assert "ok" in change(nvim, verb, path, [[3, 3, LINES[3:6]]])
        assert nvim.lua(GET, marks) | {"not restored": None} == wanted


@pytest.mark.parametrize(
    ("gone", "back"),
    [
        ([[500, 3500, []]], lambda lines: [[500, 500, lines[500:3500]]]),
        ([[0, 4000, []]], lambda lines: [[0, 1, lines]]),
        (
            [[row, row + 1, []] for _, row in SINGLE],
            lambda lines: [[row - it, row - it, [lines[row]]] for it, row in SINGLE],
        ),
    ],
    ids=["thousands", "all", "hundreds of single lines"],
)
def test_any_number_of_extmarks_comes_back(nvim: Neovim, gone: list[Any], back: Any) -> None:
    lines = [f"line {number}" for number in range(4000)]
    path = opened(nvim, lines)
    nvim.lua(ANEW)
    assert write(nvim, path, gone) == {"ok": True}
    assert write(nvim, path, back(lines)) == {"ok": True}
    assert (nvim.lines(), nvim.lua(ELSEWHERE)) == (lines, [])


ENDS = [(row, column) for row in (1, 2, 3, 4, 5, 6, 9, 10) for column in (0, 3)][:-1]
RANGES = [
    [*start, *end, ends_go]
    for start, end in combinations(ENDS, 2)
    for ends_go in (False, True)
    if start[0] < 10
]
"""Where ranges may begin and end, from above lines 4 to 6 to below the last one, and whether an end
goes along with what is put in at it."""


@pytest.mark.parametrize(
    ("gone", "back"),
    [
        ([[3, 6]], [[3, 6]]),
        ([[3, 4]], [[3, 4]]),
        ([[0, 3]], [[0, 3]]),
        ([[8, 10]], [[8, 10]]),
        ([[3, 4], [3, 5]], [[3, 6]]),
        ([[4, 6], [3, 4]], [[3, 6]]),
        ([[3, 6]], [[3, 4], [4, 6]]),
        ([[3, 6]], [[3, 5], [5, 6]]),
        ([[3, 4], [3, 5]], [[3, 4], [4, 6]]),
    ],
)
def test_ranges_are_what_they_were(
    nvim: Neovim, gone: list[list[int]], back: list[list[int]]
) -> None:
    path = opened(nvim, LINES[:10])
    nvim.lua(SET_RANGES, RANGES)
    wanted = nvim.lua(GET_RANGES)
    for first, last in gone:
        assert write(nvim, path, [[first, last, []]]) == {"ok": True}
    for first, last in back:
        assert write(nvim, path, [[first, first, LINES[first:last]]]) == {"ok": True}
    assert nvim.lines() == LINES[:10]
    assert nvim.lua(GET_RANGES) == wanted


# --- of the user


@pytest.mark.parametrize("verb", ["write", "edit"])
def test_the_visual_area_comes_back_with_its_lines(nvim: Neovim, verb: str) -> None:
    path = opened(nvim)
    nvim.input("14G2|vjj5|<Esc>30G")
    change(nvim, verb, path, [[12, 17, []]])
    change(nvim, verb, path, [[12, 12, LINES[12:17]]])
    assert (position(nvim, "'<"), position(nvim, "'>")) == ([14, 2], [16, 5])
    nvim.input("gvd")
    assert nvim.lines()[12:15] == ["line 13", "l16", "line 17"]


def test_a_visual_area_that_is_chosen_meanwhile_stays(nvim: Neovim) -> None:
    path = opened(nvim)
    nvim.input("14GVjj<Esc>")
    write(nvim, path, [[12, 17, []]])
    nvim.input("20GVj<Esc>")
    write(nvim, path, [[12, 12, LINES[12:17]]])
    assert (position(nvim, "'<")[0], position(nvim, "'>")[0]) == (25, 26)


@pytest.mark.parametrize("verb", ["write", "edit"])
@pytest.mark.parametrize(
    ("hunks", "shift"),
    [([[14, 15, ["other"]]], 0), ([[14, 15, ["other", "more"]]], 0), ([[0, 0, ["new"]]], 1)],
    ids=["in its line", "at its line", "above"],
)
def test_last_changes_and_jumps_are_the_users(
    nvim: Neovim, verb: str, hunks: list[Any], shift: int
) -> None:
    path = opened(nvim)
    nvim.input("5GAx<Esc>12GAy<Esc>15G3|30G")
    assert "ok" in change(nvim, verb, path, hunks)
    assert position(nvim, "'.") == [12 + shift, 8]
    assert position(nvim, "''") == [15 + shift, 3]
    changes = nvim.eval("map(getchangelist()[0], 'v:val.lnum')")
    assert changes == [5 + shift, 12 + shift]
    nvim.input("``")
    assert nvim.eval("line('.')") == 15 + shift


@pytest.mark.parametrize("verb", ["write", "edit"])
def test_where_the_line_of_a_cursor_goes_it_is_at_the_next_one(nvim: Neovim, verb: str) -> None:
    path = opened(nvim)
    nvim.input("16G3|")
    nvim.command("split | 15 | vsplit | 35 | tabnew % | 13 | tabprevious | wincmd b")
    assert set(nvim.lua(WINDOWS)) == {"line 13", "line 15", "line 16", "line 35"}
    change(nvim, verb, path, [[12, 17, []]])
    assert set(nvim.lua(WINDOWS)) == {"line 18", "line 35"}
    assert position(nvim, ".") == [13, 3]
