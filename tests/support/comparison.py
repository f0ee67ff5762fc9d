"""A file, another text of it, and what stands side by side in a tabpage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.nvim import Neovim

OLD = [f"line {number}" for number in range(60)]
NEW = [*OLD[:30], "something else", *OLD[31:]]


def opened_file(nvim: Neovim) -> Path:
    """Write a file, and open it."""
    path = nvim.cwd / "a.py"
    path.write_text("\n".join(OLD) + "\n")
    nvim.command(f"edit {path}")
    return path.resolve()


def spec(path: Path | None, **more: Any) -> dict[str, Any]:
    """Return what `acp.ui.compare` is to show: a new file if there is no path."""
    left: dict[str, Any] = {"name": "nothing", "file": "new.py"}
    if path is not None:
        left = {"name": "a.py", "path": str(path), "lines": OLD}
    return {"left": left, "right": {"name": "a.py (as proposed)", "lines": NEW}, **more}


def windows(nvim: Neovim) -> list[list[Any]]:
    """Return name of the buffer and whether it is in a diff, for all windows of the tabpage."""
    return list(
        nvim.lua(
            """return vim.tbl_map(function(window)
              local name = vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window))
              return { vim.fs.basename(name), vim.wo[window].diff }
            end, vim.api.nvim_tabpage_list_wins(0))"""
        )
    )
