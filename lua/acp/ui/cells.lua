-- Texts in so many cells of the screen, which only Neovim can count.

local api = vim.api

require('acp.host.lazy').interpreted()

local M = {}

--- The text, cut at its end where it does not fit.
function M.cut(text, width)
  if api.nvim_strwidth(text) <= width then
    return text
  end
  return vim.fn.printf(('%%.%dS…'):format(math.max(width - 1, 0)), text)
end

--- The text as it is in a statusline or a winbar.
function M.literal(text)
  return (text:gsub('%%', '%%%%'))
end

---@param chunks { [1]: string, [2]: string }[] texts and groups
---@return integer
function M.of(chunks)
  return vim.iter(chunks):fold(0, function(sum, chunk)
    return sum + api.nvim_strwidth(chunk[1])
  end)
end

--- How wide the widest line is, if there is room for it.
---@param most integer
function M.widest(lines, most)
  local width = 1
  for _, line in ipairs(lines) do
    width = math.max(width, api.nvim_strwidth(line))
  end
  return math.max(math.min(width, most), 1)
end

--- How many cells a line has in the window of a chat.
function M.room(window)
  return api.nvim_win_get_width(window) - 2 -- left of it stand signs
end

return M
