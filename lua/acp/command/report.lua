-- Windows to look into the plugin: the log of a connection, which grows on the screen, and the
-- snapshot of `inspect`.

local api, uv = vim.api, vim.uv

local M = {}

local REFRESH_MS = 500

-- By path a buffer, and how many bytes of the file are in it (`shown`): whole lines.
local views = {}

--- The lines that have come since; all of them when the file has begun anew.
---@return string[]? lines
---@return boolean? anew
local function news(view)
  local status = uv.fs_stat(view.path)
  if not status or status.type ~= 'file' or status.size == view.shown then
    return nil
  end
  local from = status.size < view.shown and 0 or view.shown
  local ok, text = pcall(vim.fn.readblob, view.path, from)
  local whole = ok and text:match('^(.*)\n')
  if whole then
    view.shown = from + #whole + 1
    return vim.split(whole, '\n', { plain = true }), from == 0
  end
end

--- Show what has come; a window whose cursor is on the last line stays at the end.
local function refresh(view)
  local lines, is_anew = news(view)
  if not lines then
    return
  end
  local buffer = view.buffer
  local last = api.nvim_buf_line_count(buffer)
  local at_end = vim.tbl_filter(function(window)
    return api.nvim_win_get_cursor(window)[1] == last
  end, vim.fn.win_findbuf(buffer))
  vim.bo[buffer].modifiable = true
  api.nvim_buf_set_lines(buffer, is_anew and 0 or last, -1, true, lines)
  vim.bo[buffer].modifiable = false
  for _, window in ipairs(at_end) do
    api.nvim_win_set_cursor(window, { api.nvim_buf_line_count(buffer), 0 })
  end
end

local function keep_fresh(view)
  if api.nvim_buf_is_loaded(view.buffer) then
    refresh(view)
    vim.defer_fn(function()
      keep_fresh(view)
    end, REFRESH_MS)
  end
end

--- A buffer for what agents wrote: no file is read, so neither a modeline nor what a 'filetype' would
--- start obeys it.
local function make_buffer()
  return require('acp.ui.unseen').buffer(nil, { bufhidden = 'wipe', undolevels = -1 })
end

--- Show a buffer in a window of its own; `q` goes back to where the user was.
local function show(buffer)
  local back = api.nvim_get_current_win()
  require('acp.ui.layout').split(buffer)
  require('acp.ui.keys').map(buffer, 'n', 'q', 'Close the window', function()
    local window = api.nvim_get_current_win()
    if api.nvim_win_is_valid(back) then
      api.nvim_set_current_win(back)
    end
    api.nvim_win_close(window, true)
  end, 'close')
end

local function view_of(path)
  local view = views[path]
  if view and api.nvim_buf_is_loaded(view.buffer) then
    return view
  end
  view = { buffer = make_buffer(), path = path, shown = 0 }
  views[path] = view
  pcall(api.nvim_buf_set_name, view.buffer, path) -- the user may have opened the file
  vim.bo[view.buffer].modifiable = false
  return view
end

--- Show a log in a window of its own, at its end.
function M.log(path)
  local view = view_of(path)
  show(view.buffer)
  if view.shown == 0 then
    keep_fresh(view)
  else
    refresh(view)
  end
  vim.cmd.normal({ args = { 'G' }, bang = true })
end

--- Show the snapshot of the whole plugin.
function M.inspect()
  local text = vim.inspect(require('acp.host.bridge').inspect())
  local buffer = make_buffer()
  api.nvim_buf_set_lines(buffer, 0, -1, true, vim.split(text, '\n'))
  show(buffer)
  pcall(vim.treesitter.start, buffer, 'lua')
end

return M
