-- Virtual lines that show what an agent has removed, as Neovim by itself would not show them: the host
-- breaks them where the window would, and they are to be seen above the first line of a file, too.

local cells = require('acp.ui.cells')
local events = require('acp.ui.events')
local unseen = require('acp.ui.unseen')

local api = vim.api

local M = {}

---@return integer width of its text
local function text_width(window)
  local info = vim.fn.getwininfo(window)[1]
  local signs = vim.wo[window].signcolumn
  -- a sign column that comes with the signs of this very drawing is not in `textoff` yet
  local coming = vim.startswith(signs, 'auto') and info.textoff == 0 and 2 or 0
  return info.width - info.textoff - coming
end

--- The width at which lines have to be broken: that of the narrowest window that wraps them.
---@param is_any? boolean of the narrowest window, whether it wraps lines or not
---@return integer? width nil if no window does
function M.width(buffer, is_any)
  local width
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    if is_any or vim.wo[window].wrap then
      width = math.min(width or math.huge, math.max(text_width(window), 1))
    end
  end
  return width
end

--- What the host breaks them by.
---@return { width: integer, tabstop: integer, cells: string } width 0 breaks none
function M.look(buffer)
  local look = { width = M.width(buffer) or 0, tabstop = vim.bo[buffer].tabstop }
  look.cells = cells.setting()
  return look
end

--- Scroll them into sight, unless that would scroll the cursor out of it.
---@param count integer virtual lines above the first line
local function fill(window, count)
  local height = vim.fn.getwininfo(window)[1].height
  local topfill = math.max(math.min(count, height - 2), 0)
  local cursor = api.nvim_win_get_cursor(window)[1]
  local rows = api.nvim_win_text_height(window, { end_row = cursor - 1 }).all - count
  if topfill + rows <= height then
    unseen.scroll(window, { topfill = topfill })
  end
end

---@type table<integer, integer> by buffer: virtual lines above its first line
local above = {}

--- Neovim leaves lines above the first one out when it jumps there.
local function watch()
  local on = events.group('acp.removed_lines')
  on('WinScrolled', 'Show removed lines above the first line', function()
    for name, change in pairs(vim.v.event) do
      local window = tonumber(name)
      if window and change.topline ~= 0 and api.nvim_win_is_valid(window) then
        M.reveal(window)
      end
    end
  end)
end

--- Show the lines above the first one, if the window begins with it.
function M.reveal(window)
  local count = above[api.nvim_win_get_buf(window)]
  if count and vim.fn.line('w0', window) == 1 then
    fill(window, count)
  end
end

--- So many virtual lines are above the first line of the buffer now.
function M.set_above(buffer, count)
  local is_first, before = not next(above), above[buffer] or 0
  above[buffer] = count > 0 and count or nil
  if count > 0 and count ~= before then
    vim.tbl_map(M.reveal, vim.fn.win_findbuf(buffer))
  end
  if not next(above) then
    events.leave('acp.removed_lines')
  elseif is_first then
    watch()
  end
end

return M
