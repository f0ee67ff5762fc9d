-- The end of a chat. A window whose cursor is on the last line goes on with it, also when it was
-- closed in between; any other says on its last row how much has come below.

local hands = require('acp.files.hands')
local unseen = require('acp.ui.unseen')

local api = vim.api

local M = {}

-- Where the last window on a chat was, if not at its end, is `b:acp_left`: how many lines there were,
-- the line of the cursor and the first one to be seen.

---@type table<integer, integer> by window: how many lines the user knows of
local known = {}
---@type table<integer, integer> by window: the float with the words
local floats = {}

function M.is_at(window)
  local count = api.nvim_buf_line_count(api.nvim_win_get_buf(window))
  return api.nvim_win_get_cursor(window)[1] == count
end

--- The view that shows a line at the bottom of a window, with as much as fits above it. Asks only:
--- `zb` would let the cursor be seen in that window for a moment.
---@param last integer 1-based
local function topline_for(window, last)
  local height = vim.fn.getwininfo(window)[1].height -- without the winbar
  local function fits(top)
    local rows = { start_row = top - 1, end_row = last - 1 }
    return api.nvim_win_text_height(window, rows).all <= height
  end
  local low, top = math.max(last - height, 1), last
  while low > 1 and fits(low) do -- closed folds
    low = math.max(low - height, 1)
  end
  while low < top do
    local middle = math.floor((low + top) / 2)
    if fits(middle) then
      top = middle
    else
      low = middle + 1
    end
  end
  return top
end

--- Whether rows below the text are empty in which the line above it would have room.
local function is_short(window)
  local info = vim.fn.getwininfo(window)[1]
  local rows = { start_row = math.max(info.topline - 2, 0) }
  return info.topline > 1 and api.nvim_win_text_height(window, rows).all <= info.height
end

--- Show the last line at the bottom of a window, so that no part of it is left empty.
function M.fill(window)
  local topline = topline_for(window, api.nvim_buf_line_count(api.nvim_win_get_buf(window)))
  if vim.fn.getwininfo(window)[1].topline == topline then
    return -- told again, Neovim would draw all of the window anew
  end
  unseen.scroll(window, { topline = topline })
end

local function hide(window)
  local float = floats[window]
  floats[window] = nil
  if float and api.nvim_win_is_valid(float) then
    pcall(unseen.quietly, api.nvim_win_close, float, true) -- E11 in the command-line window
  end
end

--- Go on with a chat that has another end now.
---@param has_grown boolean it has only more text than before
function M.follow(window, has_grown)
  local buffer = api.nvim_win_get_buf(window)
  local count = api.nvim_buf_line_count(buffer)
  local last = api.nvim_buf_get_lines(buffer, -2, -1, true)[1]
  api.nvim_win_set_cursor(window, { count, #last })
  if not has_grown and is_short(window) then
    M.fill(window)
  end
  known[window] = count
  hide(window)
end

local function show(window, text)
  hands.keep_step()
  local info = vim.fn.getwininfo(window)[1]
  local parent = api.nvim_win_get_config(window).zindex or 0
  local config = {
    relative = 'editor',
    anchor = 'SE',
    row = info.winrow + info.winbar + info.height - 1,
    col = info.wincol + info.width - 1,
    width = math.min(api.nvim_strwidth(text), info.width),
    height = 1,
    focusable = false,
    zindex = math.max(parent + 1, 10),
    style = 'minimal',
    border = 'none',
  }
  local float = floats[window]
  if not (float and api.nvim_win_is_valid(float)) then
    local buffer = unseen.buffer(nil, { bufhidden = 'wipe' })
    config.noautocmd = true
    float = api.nvim_open_win(buffer, false, config)
    unseen.quietly(function()
      vim.wo[float].winhighlight = 'NormalFloat:AcpNote'
    end)
    floats[window] = float
  else
    api.nvim_win_set_config(float, config)
  end
  api.nvim_buf_set_lines(api.nvim_win_get_buf(float), 0, -1, true, { text })
end

--- Say what has come below, or no longer. `before` is how many lines there were, where the window
--- has not been seen yet.
---@param window integer of a chat
---@param before? integer
function M.settle(window, before)
  local count = api.nvim_buf_line_count(api.nvim_win_get_buf(window))
  local bottom = M.is_at(window) and count or vim.fn.line('w$', window)
  known[window] = math.min(math.max(known[window] or before or count, bottom), count)
  local new = count - known[window]
  if new == 0 then
    return hide(window)
  elseif api.nvim_win_get_tabpage(window) ~= api.nvim_get_current_tabpage() then
    return
  end
  pcall(show, window, (' ↓ %d new · G '):format(new)) -- refused now, the next draw does it
end

--- Go to the end of a chat in a window of it.
local function go(window)
  local last = api.nvim_buf_get_lines(api.nvim_win_get_buf(window), -2, -1, true)[1]
  local count = api.nvim_buf_line_count(api.nvim_win_get_buf(window))
  if not M.is_at(window) then
    api.nvim_win_set_cursor(window, { count, #last })
  end
  if vim.fn.line('w$', window) ~= count or is_short(window) then
    M.fill(window)
  end
  hide(window)
end

--- Show the end of a chat: the user has sent something.
function M.reach(buffer)
  vim.b[buffer].acp_left = nil
  for _, window in ipairs(api.nvim_tabpage_list_wins(0)) do
    local is_of = api.nvim_win_get_buf(window) == buffer
    if is_of and not M.is_at(window) then
      api.nvim_win_call(window, function()
        vim.cmd("normal! m'")
      end)
    end
    if is_of then
      go(window)
    end
  end
end

--- A window begins to show a chat: at the end, unless the user was elsewhere in it.
function M.enter(window)
  local buffer = api.nvim_win_get_buf(window)
  local place = vim.b[buffer].acp_left
  local others = vim.tbl_filter(function(other)
    return other ~= window
  end, vim.fn.win_findbuf(buffer))
  if #others > 0 and vim.iter(others):any(M.is_at) or #others == 0 and not place then
    return go(window)
  end
  if place then
    known[window] = place.count
    unseen.scroll(window, { lnum = place.line, topline = place.topline })
  end
  M.settle(window)
end

--- The last window on a chat leaves it.
function M.leave(buffer)
  local windows = vim.fn.win_findbuf(buffer)
  local is_at_end = #windows == 0 or vim.iter(windows):any(M.is_at)
  vim.b[buffer].acp_left = not is_at_end
      and {
        count = api.nvim_buf_line_count(buffer),
        line = api.nvim_win_get_cursor(windows[1])[1],
        topline = vim.fn.line('w0', windows[1]),
      }
    or nil
  for _, window in ipairs(windows) do
    known[window] = nil
    hide(window)
  end
end

--- Whether no window says that something has come below, nor would have to.
function M.is_settled()
  for window in pairs(known) do
    if floats[window] or not api.nvim_win_is_valid(window) or not M.is_at(window) then
      return false
    end
  end
  return true
end

--- Settle the windows that were scrolled or have another size, and forget those that are gone.
---@param is_chat fun(buffer: integer): boolean
function M.look(is_chat)
  for window in pairs(known) do
    local is_valid = api.nvim_win_is_valid(window)
    if not is_valid or not is_chat(api.nvim_win_get_buf(window)) then
      known[window] = nil
      hide(window)
    else
      M.settle(window)
    end
  end
end

return M
