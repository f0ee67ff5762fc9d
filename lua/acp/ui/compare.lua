-- Two texts side by side in a tabpage of their own, as a real diff: a live file, or lines that nobody
-- can change. What the user does with the windows is right; when one goes, the comparison is over,
-- and everything else in the editor is as it was.

local companion = require('acp.files.companion')
local file_buffers = require('acp.files.buffers')
local keys = require('acp.ui.keys')
local layout = require('acp.ui.layout')

local api = vim.api

local M = {}

---@class acp.CompareSide
---@field name string
---@field path? string of a live file, resolved
---@field lines? string[] of a scratch buffer, or of a file that cannot be loaded
---@field filetype? string without it that of the other side, or what `file` is
---@field file? string path that says what scratch lines are

---@class acp.CompareSpec
---@field title? string
---@field left acp.CompareSide
---@field right acp.CompareSide
---@field focus? 'left'|'right'
---@field line? integer 1-based, in the side of the focus; without it the first change

---@class acp.CompareHooks
---@field map? fun(buffer: integer) maps further keys of a side that is no file
---@field back? integer window to go back to; without it the current one
---@field made? fun() its windows are there: more may be opened before the lines are levelled

---@class acp.Comparison
---@field tab integer
---@field windows { left: integer, right: integer }
---@field buffers { left: integer, right: integer }
---@field back integer the window from which the user came
---@field group integer of autocommands

---@type table<string, acp.Comparison>
local comparisons = {}

---@param side acp.CompareSide
---@param buffer integer
---@return string? filetype nil if nothing says so
local function filetype_of(side, buffer)
  if side.filetype or vim.bo[buffer].filetype ~= '' then
    return side.filetype or vim.bo[buffer].filetype
  end
  local path = side.path or side.file
  return path and vim.filetype.match({ filename = path, buf = buffer })
end

--- Colour a scratch buffer as the file beside it is, without what a 'filetype' would start.
---@param buffer integer
---@param other integer the buffer beside it
---@param filetype string
local function colour(buffer, other, filetype)
  local highlighter = vim.treesitter.highlighter.active[other]
  local language = highlighter and vim.treesitter.language.get_lang(filetype)
  if not (language and pcall(vim.treesitter.start, buffer, language)) then
    vim.bo[buffer].syntax = filetype
  end
end

---@param key string
---@param side acp.CompareSide
---@param hooks acp.CompareHooks
---@return integer buffer
local function scratch(key, side, hooks)
  local buffer = api.nvim_create_buf(false, true)
  api.nvim_buf_set_lines(buffer, 0, -1, true, side.lines or {})
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].modifiable = false
  -- a name of another comparison stays with that
  pcall(api.nvim_buf_set_name, buffer, ('acp-diff://%s/%s'):format(key, side.name))
  keys.map(buffer, 'n', 'q', 'Close the comparison', function()
    M.close(key)
  end)
  if hooks.map then
    hooks.map(buffer)
  end
  return buffer
end

---@param key string
---@param side acp.CompareSide
---@param hooks acp.CompareHooks
---@return integer buffer
local function buffer_of(key, side, hooks)
  local live = side.path and (file_buffers.find(side.path) or companion.load(side.path))
  return live or scratch(key, side, hooks)
end

---@param text string
---@return string
local function literal(text)
  return (text:gsub('%%', '%%%%'))
end

--- What stands above a side; on both, or their lines would not be level.
---@param name string
---@param title string
---@return string
local function winbar(name, title)
  return ('%%#AcpFloatTitle# %s %%*%%=%%#AcpDim#%s '):format(literal(name), literal(title))
end

--- Make the tabpage with both windows; the cursor is in the right one.
---@param buffers { left: integer, right: integer }
---@return { left: integer, right: integer } windows
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

---@param window integer
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
---@param key string
---@param comparison acp.Comparison
local function watch(key, comparison)
  local function over()
    vim.schedule(function()
      if comparisons[key] == comparison then
        pcall(M.close, key)
      end
    end)
  end
  for _, side in ipairs({ 'left', 'right' }) do
    api.nvim_create_autocmd('WinClosed', {
      group = comparison.group,
      pattern = tostring(comparison.windows[side]),
      callback = over,
    })
  end
  api.nvim_create_autocmd('BufEnter', {
    group = comparison.group,
    callback = function()
      for side, window in pairs(comparison.windows) do
        local is_valid = api.nvim_win_is_valid(window)
        if not is_valid or api.nvim_win_get_buf(window) ~= comparison.buffers[side] then
          over()
        end
      end
    end,
  })
end

--- The window from which the user comes; floats come and go.
---@param key string
---@return integer
local function way_back(key)
  local before, current = comparisons[key], api.nvim_get_current_win()
  if before then
    return before.back
  end
  return layout.is_float(current) and vim.fn.win_getid(vim.fn.winnr('#')) or current
end

--- Open it in place of that of the same key, with the cursor in it. Raises when Neovim refuses.
---@param key string
---@param spec acp.CompareSpec
---@param hooks? acp.CompareHooks
---@return boolean opened
function M.open(key, spec, hooks)
  require('acp.ui.highlights').define()
  hooks = hooks or {}
  local back = hooks.back or way_back(key)
  M.close(key)
  local buffers = {
    left = buffer_of(key, spec.left, hooks),
    right = buffer_of(key, spec.right, hooks),
  }
  for side, other in pairs({ left = 'right', right = 'left' }) do
    local filetype = filetype_of(spec[side], buffers[side])
      or filetype_of(spec[other], buffers[other])
    if vim.bo[buffers[side]].buftype ~= '' and filetype then
      colour(buffers[side], buffers[other], filetype)
    end
  end
  local windows = make_windows(buffers)
  local comparison = {
    tab = api.nvim_get_current_tabpage(),
    windows = windows,
    buffers = buffers,
    back = back,
    group = api.nvim_create_augroup('acp.compare.' .. key, {}),
  }
  for side, window in pairs(windows) do
    local title = side == 'right' and spec.title or ''
    local bar = winbar(spec[side].name, title)
    api.nvim_set_option_value('winbar', bar, { win = window, scope = 'local' })
    api.nvim_win_call(window, vim.cmd.diffthis)
  end
  comparisons[key] = comparison
  watch(key, comparison)
  if hooks.made then
    hooks.made()
  end
  go(windows[spec.focus or 'right'], spec.line)
  return true
end

---@param tab integer
---@return integer[] windows that are no floats
local function plain_windows(tab)
  return vim.tbl_filter(function(window)
    return not layout.is_float(window)
  end, api.nvim_tabpage_list_wins(tab))
end

--- Take a window out of the comparison: close it, if it shows nothing else by now.
---@param comparison acp.Comparison
---@param side 'left'|'right'
---@param stays boolean
local function release(comparison, side, stays)
  local window, buffer = comparison.windows[side], comparison.buffers[side]
  if not api.nvim_win_is_valid(window) then
    return
  end
  local is_ours = api.nvim_win_get_buf(window) == buffer
  api.nvim_win_call(window, function()
    vim.cmd('diffoff | setlocal winbar<')
  end)
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
---@param comparison acp.Comparison
---@return boolean
local function is_busy(comparison)
  local current = api.nvim_get_current_win()
  local is_side = vim.tbl_contains(vim.tbl_values(comparison.windows), current)
  return is_side and vim.bo.buftype == '' and api.nvim_get_mode().mode ~= 'n'
end

--- Close it; nothing if there is none. Whoever is in another tabpage stays there, and whoever types in
--- the live file, in its window. Raises when Neovim refuses; may be called again.
---@param key string
function M.close(key)
  local comparison = comparisons[key]
  if not comparison then
    return
  end
  api.nvim_clear_autocmds({ group = comparison.group })
  local busy = is_busy(comparison) and api.nvim_get_current_win() or nil
  local is_here = api.nvim_get_current_tabpage() == comparison.tab and not busy
  if is_here and api.nvim_win_is_valid(comparison.back) then
    api.nvim_set_current_win(comparison.back)
  elseif is_here then
    pcall(vim.cmd, 'tabnext #')
  end
  for _, side in ipairs({ 'right', 'left' }) do
    release(comparison, side, comparison.windows[side] == busy)
  end
  comparisons[key] = nil
end

---@param key string
---@return acp.Comparison? comparison that is open
function M.find(key)
  return comparisons[key]
end

return M
