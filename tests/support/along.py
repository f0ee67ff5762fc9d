"""What a prompt shows of what goes along with it: its bar, and the rows below its text."""

from __future__ import annotations

from tests.support.nvim import Neovim


def bar(nvim: Neovim, prompt: int) -> str:
    """Return the winbar of the prompt as it is drawn."""
    window = nvim.eval(f"bufwinid({prompt})")
    return str(
        nvim.lua(
            """local window = ...
            return vim.api.nvim_eval_statusline(vim.wo[window].winbar,
              { winid = window, use_winbar = true }).str""",
            window,
        )
    ).strip()


def along(nvim: Neovim, prompt: int) -> list[str]:
    """Return the rows of what goes along, which stand below the last line."""
    found = nvim.lua(
        """local prompt = ...
        local space = vim.api.nvim_create_namespace('acp_along')
        local last = vim.api.nvim_buf_line_count(prompt) - 1
        local rows = {}
        local marks = vim.api.nvim_buf_get_extmarks(prompt, space, 0, -1, { details = true })
        for _, mark in ipairs(marks) do
          assert(mark[2] == last, 'the rows are not below the text')
          for _, line in ipairs(mark[4].virt_lines) do
            local texts = vim.tbl_map(function(chunk) return chunk[1] end, line)
            table.insert(rows, vim.trim(table.concat(texts)))
          end
        end
        return rows""",
        prompt,
    )
    return list(found)
