-- Two texts side by side in a tabpage of their own, as a real diff: a live file, or lines that nobody
-- can change. What the user does with the windows is right; when one goes, the comparison is over,
-- and everything else in the editor is as it was. Only from its own windows is the cursor moved.

local cells = require('acp.ui.cells')
local events = require('acp.ui.events')
local hands = require('acp.files.hands')
local keys = require('acp.ui.keys')
local layout = require('acp.ui.layout')
local sides = require('acp.ui.sides')

local api = vim.api

local M = {}

---@alias acp.CompareSpec table see doc/messages.md, "Host → Lua"

---@class acp.CompareHooks
---@field map? fun(buffer: integer) maps further keys of a side that is no file
---@field back? integer window to go back to; without it the current one
---@field made? fun() its windows are there: more may be opened before the lines are levelled
---@field owns? fun(window: integer): boolean whether a window goes along with it, besides its sides
---@field over? fun(buffer: integer) it was closed; the buffer of its left side

---@class acp.Comparison
---@field tab integer
---@field windows { left: integer, right: integer }
---@field buffers { left: integer, right: integer }
---@field back integer the window from which the user came
---@field owns fun(window: integer): boolean whether a window is one of ours
---@field group string of autocommands
---@field over? fun(buffer: integer)

---@type table<string, acp.Comparison>
local comparisons = {}

--- Make the tabpage with both windows; the cursor is in the right one.
---@param buffers { left: integer, right: integer }
local function make_windows(buffers)
  local stacked = vim.tbl_contains(vim.opt.diffopt:get(), 'horizontal')
  vim.cmd('tab split')
  local right = api.nvim_get_current_win()
  api.nvim_win_set_buf(right, buffers.right)
  local config = { win = right, split = stacked and 'above' or 'left' }
  if stacked then
    config.height = math.floor(api.nvim_win_get_height(right) / 2)
  else
    config.width = math.floor(vim.o.columns / 2)
  end
  return { left = api.nvim_open_win(buffers.left, false, config), right = right }
end

---@param line? integer
local function go(window, line)
  api.nvim_set_current_win(window)
  if line then
    api.nvim_win_set_cursor(window, { math.min(line, api.nvim_buf_line_count(0)), 0 })
    vim.cmd('normal! zvzz')
  elseif vim.fn.diff_hlID(1, 1) == 0 and vim.fn.diff_filler(1) == 0 then
    vim.cmd('keepjumps normal! gg')
    pcall(vim.cmd, 'keepjumps normal! ]c')
  end
  vim.cmd('syncbind')
end

--- When one side goes, or shows something else, it is over.
local function watch(key, comparison)
  local function look()
    local is_whole = vim.iter(comparison.windows):all(function(side, window)
      local is_open = api.nvim_win_is_valid(window)
      return is_open and api.nvim_win_get_buf(window) == comparison.buffers[side]
    end)
    if comparisons[key] == comparison and not is_whole then
      pcall(M.close, key)
    end
  end
  local on = events.group(comparison.group)
  on({ 'WinClosed', 'BufEnter' }, 'A side goes, or shows something else', look, { later = true })
end

--- The window from which the user comes; floats come and go.
local function way_back(key)
  local before, current = comparisons[key], api.nvim_get_current_win()
  if before then
    return before.back
  end
  return layout.is_float(current) and vim.fn.win_getid(vim.fn.winnr('#')) or current
end

---@param hooks? acp.CompareHooks
local function open(key, spec, hooks)
  require('acp.ui.highlights').define()
  hooks = hooks or {}
  local back = hooks.back or way_back(key)
  M.close(key)
  local buffers = sides.make(key, spec, function(buffer)
    keys.map(buffer, 'n', 'q', 'Close the comparison', function()
      M.close(key)
    end)
    if hooks.map then
      hooks.map(buffer)
    end
  end)
  local windows = make_windows(buffers)
  local comparison = {
    tab = api.nvim_get_current_tabpage(),
    windows = windows,
    buffers = buffers,
    back = back,
    owns = function(window)
      local is_side = vim.list_contains(vim.tbl_values(windows), window)
      return is_side or (hooks.owns ~= nil and hooks.owns(window))
    end,
    group = 'acp.compare.' .. key,
    over = hooks.over,
  }
  for side, window in pairs(windows) do
    -- on both, or their lines would not be level
    local name, title = cells.literal(spec[side].name), side == 'right' and spec.title or ''
    local bar = '%%#AcpFloatTitle# %s %%*%%=%%#AcpDim#%s '
    vim.wo[window][0].winbar = bar:format(name, cells.literal(title))
    api.nvim_win_call(window, vim.cmd.diffthis)
  end
  comparisons[key] = comparison
  watch(key, comparison)
  if hooks.made then
    hooks.made()
  end
  go(windows[spec.focus or 'right'], spec.line)
end

--- Open it in place of that of the same key, with the cursor in it, unless the user goes on already.
--- Raises when Neovim refuses.
---@param hooks? acp.CompareHooks
---@return boolean opened
function M.open(key, spec, hooks)
  return hands.calmly('the comparison', open, key, spec, hooks)
end

---@param tab integer
---@return integer[] windows that are no floats
local function plain_windows(tab)
  return vim.tbl_filter(function(window)
    return not layout.is_float(window)
  end, api.nvim_tabpage_list_wins(tab))
end

--- Windows that the user has split off a side are none of ours, but look like one.
local function undress_splits(comparison)
  if not api.nvim_tabpage_is_valid(comparison.tab) then
    return
  end
  for _, window in ipairs(plain_windows(comparison.tab)) do
    local buffer = api.nvim_win_get_buf(window)
    local is_split = vim.list_contains(vim.tbl_values(comparison.buffers), buffer)
    if is_split and not comparison.owns(window) then
      sides.undress(window)
    end
  end
end

--- Take a window out of the comparison: close it, if it shows nothing else by now.
---@param side 'left'|'right'
---@param stays boolean
local function release(comparison, side, stays)
  local window, buffer = comparison.windows[side], comparison.buffers[side]
  if not api.nvim_win_is_valid(window) then
    return
  end
  local is_ours = api.nvim_win_get_buf(window) == buffer
  sides.undress(window)
  if stays or not is_ours then
    return
  end
  local is_last = #api.nvim_list_tabpages() == 1 and #plain_windows(comparison.tab) == 1
  if not is_last then
    api.nvim_win_close(window, true)
  elseif vim.bo[buffer].buftype ~= '' then
    api.nvim_win_call(window, vim.cmd.enew) -- the last window of Neovim cannot be closed
  end
end

--- Whether the user types or selects in the live file: what is typed next must go nowhere else.
local function is_busy(comparison)
  local current = api.nvim_get_current_win()
  local is_side = vim.tbl_contains(vim.tbl_values(comparison.windows), current)
  return is_side and vim.bo.buftype == '' and api.nvim_get_mode().mode ~= 'n'
end

--- Whether closing it now would take away what the user types in, or something opened from its
--- windows: a command line, the command-line window, a float.
function M.is_in_use(key)
  local comparison, current = comparisons[key], api.nvim_get_current_win()
  if not comparison or comparison.tab ~= api.nvim_get_current_tabpage() then
    return false
  elseif comparison.owns(current) then
    local is_command = api.nvim_get_mode().mode:sub(1, 1) == 'c'
    return is_command or not (is_busy(comparison) or hands.are_off())
  end
  return vim.fn.win_gettype() == 'command' or layout.is_float(current)
end

--- Close it; nothing if there is none. Whoever is in one of its windows goes back to where he came
--- from, unless he types in the live file. Raises when Neovim refuses; may be called again.
function M.close(key)
  local comparison = comparisons[key]
  if not comparison then
    return
  end
  events.leave(comparison.group)
  local current = api.nvim_get_current_win()
  local busy = is_busy(comparison) and current or nil
  local is_tab = api.nvim_get_current_tabpage() == comparison.tab
  local is_here = is_tab and comparison.owns(current) and not busy
  if is_here and api.nvim_win_is_valid(comparison.back) then
    api.nvim_set_current_win(comparison.back)
  elseif is_here then
    pcall(vim.cmd, 'tabnext #')
  end
  for _, side in ipairs({ 'right', 'left' }) do
    release(comparison, side, comparison.windows[side] == busy)
  end
  undress_splits(comparison)
  comparisons[key] = nil
  if comparison.over then
    comparison.over(comparison.buffers.left)
  end
end

--- Whether a buffer is a side of one.
function M.has(buffer)
  return vim.iter(comparisons):any(function(_, comparison)
    return vim.list_contains(vim.tbl_values(comparison.buffers), buffer)
  end)
end

---@return acp.Comparison? comparison that is open
function M.find(key)
  return comparisons[key]
end

return M
