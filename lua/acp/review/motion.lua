-- Motions from hunk to hunk, in the order of the host's files.

local buffers = require('acp.files.buffers')
local hands = require('acp.files.hands')
local hunks = require('acp.review.hunks')
local layout = require('acp.ui.layout')
local notice = require('acp.ui.notice')
local removed_lines = require('acp.review.removed_lines')

local api = vim.api

local M = {}

---@return integer? row of the next hunk of the current buffer on that side
local function nearest(step)
  return hunks.nearest(hunks.rows(api.nvim_get_current_buf()), step)
end

--- Put the cursor into a row of the current window, so that the hunk is to be seen.
---@param row integer 0-based
local function put(row)
  local last = api.nvim_buf_line_count(0)
  api.nvim_win_set_cursor(0, { math.max(math.min(row + 1, last), 1), 0 })
  vim.cmd('normal! zv')
  removed_lines.reveal(api.nvim_get_current_win())
end

--- Show a file in the current window.
---@return boolean shown false: Neovim does not let the window's buffer go; the user was told
local function show(path)
  local buffer = buffers.find(path)
  if buffer == api.nvim_get_current_buf() then
    return true
  end
  local ok, err
  if buffer and buffers.opens(path) then -- Neovim would read a pipe anew as it shows its buffer
    ok, err = pcall(api.nvim_win_set_buf, 0, buffer)
  else
    ok, err = pcall(buffers.show, path)
  end
  if not ok then
    notice.warn(('%s is not opened here: %s'):format(vim.fs.basename(path), err))
  end
  return ok
end

local function tell_end(step)
  local buffer = api.nvim_get_current_buf()
  local is_any = #hunks.rows(buffer) > 0
    or hunks.beyond(buffer, 1) ~= nil
    or hunks.beyond(buffer, -1) ~= nil
  local side = step == 1 and 'after' or 'before'
  local sentence = is_any and ('no hunk %s this'):format(side) or 'no hunks: :Acp review shows them'
  notice.notice(sentence)
end

--- Go to the next hunk, into another file if need be.
---@return boolean done false: there is none; where it cannot be shown, the user was told why
local function advance(step)
  local row = nearest(step)
  if row then
    put(row)
    return true
  end
  local path = hunks.beyond(api.nvim_get_current_buf(), step)
  if not path then
    return false
  end
  if not show(path) then
    return true -- a second message would make Neovim wait
  end
  local rows = hunks.rows(api.nvim_get_current_buf())
  put(rows[step == 1 and 1 or #rows] or 0)
  notice.notice(vim.fn.fnamemodify(path, ':.'))
  return true
end

--- Normal mode: go to a hunk, and on into other files.
function M.jump(step)
  local count = vim.v.count1 -- not that of the next command
  vim.cmd("normal! m'")
  for number = 1, count do
    if not advance(step) then
      return number == 1 and tell_end(step) or nil
    end
  end
end

--- Visual and operator-pending mode: go to a hunk of this buffer.
function M.extend(step)
  for _ = 1, vim.v.count1 do
    local row = nearest(step)
    if not row then
      return
    end
    put(row)
  end
end

--- Operator-pending mode: the keys of the motion; without a hunk, those that end the operator.
---@return string
function M.operand(step)
  if nearest(step) then
    return ("<Cmd>lua require('acp.review.motion').extend(%d)<CR>"):format(step)
  end
  vim.schedule(function()
    tell_end(step)
  end)
  return '<Esc>'
end

--- A window of the tabpage to show the file in: one that does already, else where the user is.
---@return integer?
local function window_for(path)
  local buffer = buffers.find(path)
  local current = api.nvim_get_current_win()
  if buffer and api.nvim_get_current_buf() == buffer then
    return current
  end
  return buffer and layout.window_of(buffer)
    or layout.takes_files(current) and current
    or layout.file_window()
end

--- Show that place.
---@param line integer 1-based
function M.go(path, line)
  local window = window_for(path)
  if window then
    api.nvim_set_current_win(window)
    vim.cmd("normal! m'")
  else
    if not buffers.find(path) and not buffers.opens(path) then
      return notice.warn(('%s is not opened: it is not a file'):format(vim.fs.basename(path)))
    end
    layout.show_file(path, line, false)
  end
  if show(path) then
    put(line - 1)
  end
end

--- Called by the host, at the user's command: show that place, unless the user goes on already.
---@param line integer 1-based
function M.go_calmly(path, line)
  if hands.are_off() then
    M.go(path, line)
  end
end

return M
