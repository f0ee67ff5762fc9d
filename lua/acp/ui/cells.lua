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

--- The settings by which texts have their widths.
---@return string
function M.setting()
  local own = vim.fn.getcellwidths()
  return ('%s %s %s'):format(vim.o.ambiwidth, vim.o.emoji, #own > 0 and vim.json.encode(own) or '')
end

--- What each text is drawn as: its characters, with those that join them, and their cells.
---@param texts string[]
---@return { [1]: string[], [2]: integer[] }[]
function M.measure(texts)
  return vim.tbl_map(function(text)
    local characters = vim.fn.split(text, [[\zs]])
    return { characters, vim.tbl_map(api.nvim_strwidth, characters) }
  end, texts)
end

--- The text, the middle left out where it does not fit.
---@return string
function M.middle_cut(text, width)
  if api.nvim_strwidth(text) <= width then
    return text
  end
  local first = math.max(math.ceil((width - 1) / 2), 1)
  local last = vim.fn.reverse(vim.fn.split(text, [[\zs]]))
  last = vim.fn.printf(('%%.%dS'):format(math.max(width - 1 - first, 0)), table.concat(last))
  return M.cut(text, first + 1) .. table.concat(vim.fn.reverse(vim.fn.split(last, [[\zs]])))
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
