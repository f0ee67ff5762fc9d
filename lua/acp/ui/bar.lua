-- The bar above a chat, or a list: as much of it as its window has room for, what is needed most first. What is
-- left out is out of the middle: state and questions stand left, model and context right.
-- Below them, in the status lines, chat and prompt are called as people would call them.

local cells = require('acp.ui.cells')
local chats = require('acp.chat.registry')
local events = require('acp.ui.events')
local options = require('acp.host.options')

local api = vim.api

require('acp.host.lazy').interpreted()

local M = {}

local SEPARATOR, SEPARATOR_WIDTH = ' · ', 3
local BEGUN, LEAST = 20, 6
local PLACE, LEAST_NAME = 12, 8 -- cells of what says where the cursor is, and of a title

---@alias acp.BarPart table see `view/status.py`; `whole`: what one that grows may become

-- A bar and a name are drawn in each frame, and are seldom another: the options find what fits in
-- `b:acp_bar` and `b:acp_name`, by the width of the window (and 'laststatus'), and call Lua if it is not there.

--- By buffer its parts, the line by width, and what makes the user's own.
---@type table<integer, { parts: acp.BarPart[], fitted: table<string, string>, make?: function }>
local bars = events.by_buffer()

local failed = false

---@return integer cells of the line that they make
local function width_of(parts)
  local count = { [true] = 0, [false] = 0 }
  local width = 2 -- a blank at both ends
  for _, part in ipairs(parts) do
    width = width + api.nvim_strwidth(part.text)
    count[part.right] = count[part.right] + 1
  end
  local separators = math.max(count[true] - 1, 0) + math.max(count[false] - 1, 0)
  local gap = count[true] > 0 and count[false] > 0 and 2 or 0
  return width + separators * SEPARATOR_WIDTH + gap
end

--- Make the last part short that can be; else take away the one that is needed least, the last of
--- several: one that grows is made short first.
---@return boolean whether there was one
local function reduce(parts)
  local worst
  for index = #parts, 1, -1 do
    local part = parts[index]
    if (part.short or '') ~= '' and not part.whole then
      parts[index] = vim.tbl_extend('force', part, { text = part.short, short = '' })
      return true
    elseif part.need > 0 and (not worst or part.need > parts[worst].need) then
      worst = index
    end
  end
  local part = parts[worst]
  if part and part.whole and part.text ~= part.short then
    part.text = part.short
  elseif part then
    table.remove(parts, worst)
  end
  return part ~= nil
end

---@param right boolean
local function side(parts, right)
  local texts = {}
  for _, part in ipairs(parts) do
    if part.right == right then
      table.insert(texts, ('%%#%s#%s'):format(part.group, cells.literal(part.text)))
    end
  end
  return table.concat(texts, '%#AcpWinbar#' .. SEPARATOR)
end

local function line_of(parts)
  local left, right = side(parts, false), side(parts, true)
  return ('%%#AcpWinbar# %s%%<%%#AcpWinbar#%%=%s%%#AcpWinbar# '):format(left, right)
end

---@return acp.BarPart[] the same, with the beginning of those that grow
local function begun(parts)
  return vim.tbl_map(function(part)
    local first = { text = cells.cut(part.text, BEGUN), whole = part.text }
    return part.grows and vim.tbl_extend('force', part, first) or part
  end, parts)
end

--- Let a part that grows have the room that is left, if that is for more than a letter or two.
local function grow(parts, width)
  for _, part in ipairs(parts) do
    local room = part.whole and width - width_of(parts) + api.nvim_strwidth(part.text)
    local least = api.nvim_strwidth(part.short or '') + LEAST
    if room and room >= math.min(least, api.nvim_strwidth(part.whole)) then
      part.text = cells.cut(part.whole, room)
    end
  end
end

--- The line for so many cells.
local function fit(parts, width)
  parts = begun(parts)
  while width_of(parts) > width and reduce(parts) do
  end
  grow(parts, width)
  return line_of(parts)
end

---@param make fun(status: table): string
---@return string? statusline nil if it makes none
local function own(make, buffer)
  local ok, result = pcall(make, vim.b[buffer].acp_status or {})
  if ok and type(result) == 'string' then
    return result
  end
  if not failed then
    failed = true
    local problem = ok and 'returns no string' or ('fails: ' .. tostring(result))
    vim.schedule(function()
      require('acp.ui.notice').warn('ui.winbar ' .. problem)
    end)
  end
end

--- The bar of the window that is drawn now; 'winbar' of chats calls it.
---@return string statusline
function M.line()
  local window = api.nvim_get_current_win()
  local buffer = api.nvim_win_get_buf(window)
  local bar = bars[buffer]
  if not bar then
    return ''
  end
  local width = api.nvim_win_get_width(window)
  if bar.make then
    return own(bar.make, buffer) or fit(bar.parts, width)
  end
  bar.fitted[tostring(width)] = fit(bar.parts, width)
  vim.b[buffer].acp_bar = bar.fitted
  return bar.fitted[tostring(width)]
end

--- Let the bars of a chat, or of a list, show that.
---@param is_drawn boolean the text was drawn as well: Neovim draws the bars along with it
function M.set(buffer, parts, is_drawn)
  local make = not vim.b[buffer].acp_list and options.winbar() or nil
  local windows, fitted = vim.fn.win_findbuf(buffer), {}
  for _, window in ipairs(make and {} or windows) do
    local width = api.nvim_win_get_width(window)
    fitted[tostring(width)] = fit(parts, width)
  end
  bars[buffer] = { parts = parts, fitted = fitted, make = make }
  api.nvim_buf_set_var(buffer, 'acp_bar', fitted)
  api.nvim_buf_set_var(buffer, 'acp_winbar', line_of(parts)) -- all of it, for a bar of the user's
  for _, window in ipairs(is_drawn and {} or windows) do
    api.nvim__redraw({ win = window, winbar = true })
  end
end

--- What fits into a window beside where the cursor is.
---@param behind string
local function fit_name(chat, name, behind, width)
  local room = math.max(width - PLACE - api.nvim_strwidth(behind), LEAST_NAME)
  local is_short = room < api.nvim_strwidth(chat.agent) + LEAST_NAME
  if api.nvim_strwidth(name) > room and is_short then
    name = chat.agent
  end
  return cells.literal(cells.cut(name, room) .. behind)
end

--- Of the buffer whose window is drawn now; 'statusline' of chats and prompts calls it.
---@return string statusline
function M.name()
  local buffer = api.nvim_get_current_buf()
  local chat = chats.of(buffer)
  if not chat then
    return '%f'
  end
  local name = chat.title and ('%s · %s'):format(chat.agent, chat.title) or chat.agent
  local behind = chat.prompt == buffer and ' · prompt' or ''
  local width = api.nvim_win_get_width(0)
  if vim.o.laststatus == 3 then
    return fit_name(chat, name, behind, vim.o.columns)
  end
  local text = fit_name(chat, name, behind, width)
  local others = vim.b[buffer].acp_name or {}
  vim.b[buffer].acp_name = vim.tbl_extend('force', others, { [width .. vim.o.laststatus] = text })
  return text
end

--- A session has another name now.
---@param chat acp.Chat
function M.rename(chat)
  for _, buffer in ipairs({ chat.chat, chat.prompt }) do
    if api.nvim_buf_is_valid(buffer) then
      vim.b[buffer].acp_name = nil
    end
  end
  vim.cmd.redrawstatus({ bang = true })
end

return M
