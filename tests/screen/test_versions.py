"""What the user sees of `:Acp compare`: a list, and columns of a file, at any width."""

from __future__ import annotations

from typing import Any

import pytest

from acp_nvim.nvim.plain import op
from acp_nvim.view.lists.versions import ComparedFile, Racer, lines
from acp_nvim.view.measure import Tally
from acp_nvim.view.op import Replace
from tests.support.fakes.spy import BridgeSpy
from tests.support.nvim import Neovim
from tests.support.screen.grid import Screen

ANSWERS = """
local answers = ...
require('acp.host.bridge').call = function(verb, _, done)
  done(nil, answers[verb])
end
require('acp.command.worktrees').compare('')
"""
BEFORE = [f"line {number}" for number in range(1, 31)]
RACERS = [
    Racer("claude-1", Tally(1, 1, 1), "", "0:42", "0.04 USD", "✓ 0", "done"),
    Racer("codex-1", Tally(2, 12, 1), "failed", "1:20", "", "✗ 2", "failed"),
    Racer("gemini-1", Tally(1, 0, 1), "running"),
]


def changed(row: int, *new: str) -> list[str]:
    return [*BEFORE[: row - 1], *new, *BEFORE[row:]]


def column(name: str, line: int, texts: list[str]) -> dict[str, Any]:
    return {"name": name, "title": f"{name} +1 −1", "lines": texts, "line": line}


def compare(nvim: Neovim) -> None:
    path = (nvim.cwd / "stats.py").resolve()
    path.write_text("".join(f"{it}\n" for it in BEFORE))
    listed = lines(RACERS, [ComparedFile("stats.py", 3), ComparedFile("NOTES.md", 1)])
    columns = [
        column("claude-1", 3, changed(3, "THREE")),
        column("codex-1", 4, changed(4, "FOUR", "more")),
        column("gemini-1", 6, changed(6)),
    ]
    shown: dict[str, Any] = {
        "path": str(path),
        "file": str(path),
        "name": "stats.py",
        "title": "yours",
    }
    shown["columns"] = columns
    answers = {
        "versions": {"number": 1, "ops": [op(Replace(0, -1, listed))], "files": 2, "first": 4},
        "versions_file": {**shown, "columns": columns},
        "versions_take": "taken from claude-1: :Acp keep keeps it, :Acp undo undoes it",
    }
    nvim.lua(ANSWERS, answers)


def shown(screen: Screen, first: int, last: int) -> list[str]:
    return [it.rstrip() for it in screen.text()[first:last]]


def test_at_80_columns_the_list_is_on_top(nvim: Neovim, spy: BridgeSpy) -> None:
    assert spy.told("versions") == []
    with Screen(nvim, columns=80, rows=24) as screen:
        compare(nvim)
        screen.wait_for("THREE")
        assert shown(screen, 1, 7) == [
            "claude-1 +1 −1 ✓ 0 0:42 0.04 USD",
            "codex-1  +12 −1 ✗ 2 failed 1:20",
            "gemini-1 +0 −1 running",
            "2 files",
            "stats.py  3 of 3",
            "NOTES.md  1 of 3",
        ]
        assert shown(screen, 9, 13) == [
            " yours stats.py                         │ claude-1 +1 −1 stats.py 2 more: <Tab>",
            "  line 1                                │  line 1",
            "  line 2                                │  line 2",
            "  line 3                                │  THREE",
        ]
        assert any("lines: line 10" in it for it in screen.text())
        nvim.input("<C-w>j<C-w>l<Tab>")
        screen.wait_for("codex-1 +1 −1 stats.py")
        screen.wait_for("FOUR")


@pytest.mark.parametrize(("columns", "versions"), [(120, 1), (200, 3)])
def test_where_there_is_room_it_is_beside_as_many_as_fit(
    nvim: Neovim, spy: BridgeSpy, columns: int, versions: int
) -> None:
    assert spy.told("versions") == []
    with Screen(nvim, columns=columns, rows=24) as screen:
        compare(nvim)
        screen.wait_for("THREE")
        bar = shown(screen, 1, 2)[0]
        assert bar.startswith("claude-1 +1 −1 ✓ 0 0:42 0.04 USD  │ yours stats.py")
        assert bar.count("−1 stats.py") == versions


def test_it_is_laid_out_anew_at_a_resize(nvim: Neovim, spy: BridgeSpy) -> None:
    assert spy.told("versions") == []
    with Screen(nvim, columns=200, rows=24) as screen:
        compare(nvim)
        screen.wait_for("THREE")
        nvim.input("<C-w>l<C-w>l<C-w>l")
        nvim.command("normal! 2G")
        for columns, versions in ((120, 1), (80, 1), (200, 3)):
            screen.resize(columns, 24)
            nvim.wait(lambda count=versions: len(windows(nvim)) == count + 2)
            nvim.wait(lambda: widths_differ_by(nvim) <= 4)
            assert nvim.eval("line('.')") == 2
            assert nvim.eval("bufname()").endswith("claude-1")
            assert nvim.eval("winlayout()[0]") == ("row" if columns >= 120 else "col")
        nvim.command("wincmd l | quit")
        nvim.wait(lambda: widths_differ_by(nvim) <= 4)
        assert len(windows(nvim)) == 4
        nvim.command("tabnew")
        screen.resize(80, 24)
        nvim.wait("vim.o.columns == 80")
        nvim.command("tabprevious")
        nvim.wait(lambda: len(windows(nvim)) == 3)
        nvim.input("q")
        nvim.wait("#vim.api.nvim_list_tabpages() == 2")


def windows(nvim: Neovim) -> list[int]:
    return list(nvim.lua("return vim.api.nvim_tabpage_list_wins(0)"))


def widths_differ_by(nvim: Neovim) -> int:
    """Return how many cells the widest column is wider than the narrowest."""
    widths = nvim.lua(
        "return vim.tbl_map(function(it) return vim.wo[it].diff and "
        "vim.api.nvim_win_get_width(it) or nil end, vim.api.nvim_tabpage_list_wins(0))"
    )
    found = [it for it in (widths if isinstance(widths, list) else widths.values()) if it]
    return int(max(found) - min(found))


DRAWN = """
local path = ...
local buffer = require('acp.files.buffers').find(path)
local function gone(row, above, ...)
  local lines = vim.tbl_map(function(it) return { { it, 'AcpRemoved' } } end, { ... })
  return { row, 0, { virt_lines = lines, virt_lines_above = above }, 1 }
end
local marks = { gone(2, true, 'gone 1', 'gone 2'), gone(0, true, 'top'), gone(29, false, 'end') }
local tick = vim.api.nvim_buf_get_changedtick(buffer)
return require('acp.review.marks').draw(path, tick, marks, { { 2, 3 } })
"""


@pytest.mark.parametrize("columns", [80, 120, 200])
def test_removed_lines_of_the_users_file_move_no_column(
    nvim: Neovim, spy: BridgeSpy, columns: int
) -> None:
    assert spy.told("versions") == []
    with Screen(nvim, columns=columns, rows=30) as screen:
        compare(nvim)
        screen.wait_for("THREE")
        assert nvim.lua(DRAWN, str((nvim.cwd / "stats.py").resolve())) == {"ok": True}
        nvim.input("<C-w>l" if columns > 80 else "<C-w>j")
        nvim.input("<C-w>lzR5Ggg")
        screen.wait_for("gone 2")
        rows = [it.rstrip() for it in screen.text()]
        (at,) = (row for row, it in enumerate(rows) if "gone 1" in it)
        sides = [[part.strip() for part in it.split("│")] for it in rows[at - 3 : at + 8]]
        found = {it[0]: set(it[1:]) for it in (it[1:] if columns > 80 else it for it in sides)}
        for text in ("top", "gone 1", "gone 2"):
            assert {it.strip("-") for it in found[text]} == {""}
        for text in ("line 1", "line 2", "line 5"):
            assert found[text] == {text}


def test_do_takes_a_hunk_and_q_leaves_all_as_it_was(nvim: Neovim, spy: BridgeSpy) -> None:
    assert spy.told("versions") == []
    with Screen(nvim, columns=120, rows=24) as screen:
        compare(nvim)
        screen.wait_for("THREE")
        nvim.input("do")
        screen.wait_for("do takes a hunk in the column of a version")
        nvim.input("<C-w>l<C-w>ldo")
        screen.wait_for("taken from claude-1")
        nvim.input("q")
        screen.wait_gone("claude-1 +1")
        nvim.command(f"edit {(nvim.cwd / 'stats.py').resolve()}")
        assert nvim.lua("return vim.wo.diff") is False
        assert nvim.eval("tabpagenr('$')") == 1
        assert spy.told("versions_closed") == [{"number": 1}]
