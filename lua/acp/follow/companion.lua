-- The window that goes along with the agent: which it is, and how another file comes into it so that
-- nothing else in the editor changes and nobody is asked. It is never the one in which the user is.

local file_buffers = require('acp.files.buffers')
local hands = require('acp.files.hands')
local layout = require('acp.ui.layout')
local swap = require('acp.files.swap')
local unseen = require('acp.ui.unseen')

local api = vim.api

local M = {}

-- What a file must not set off that is loaded into no window.
local UNSEEN = { 'BufEnter', 'BufLeave', 'BufWinEnter', 'BufWinLeave', 'WinEnter', 'WinLeave' }

---@type integer?
local window

--- Whether the window may show another file: not one of ours, and nothing is lost by it.
---@param candidate integer
local function may_move(candidate)
  if candidate == api.nvim_get_current_win() or not layout.takes_files(candidate) then
    return false
  end
  local number, options = api.nvim_win_get_buf(candidate), vim.wo[candidate]
  local hiding, is_modified = vim.bo[number].bufhidden, vim.bo[number].modified
  local is_kept = hiding == 'hide' or (hiding == '' and (vim.o.hidden or not is_modified))
  local is_empty = api.nvim_buf_get_name(number) == '' and not is_modified
  local is_fixed = options.diff or options.previewwindow or options.scrollbind or options.winfixbuf
  return not is_fixed and (is_kept or is_empty)
end

--- A window of the tabpage to go along: one that shows the file, else another than that from which
--- the user came, who may want to go back to it.
---@param buffer? integer
---@return integer?
local function choose(buffer)
  local candidates = vim.tbl_filter(may_move, api.nvim_tabpage_list_wins(0))
  local previous = vim.fn.win_getid(vim.fn.winnr('#'))
  local function has(candidate)
    return buffer ~= nil and api.nvim_win_get_buf(candidate) == buffer
  end
  local function is_other(candidate)
    return candidate ~= previous
  end
  return vim.iter(candidates):find(has) or vim.iter(candidates):find(is_other) or candidates[1]
end

---@return integer? window that goes along, if there is one
function M.window()
  local is_open = window and api.nvim_win_is_valid(window) and layout.takes_files(window)
  return is_open and window or nil
end

--- Let the window go; it is the user's now.
function M.forget()
  window = nil
end

--- Have a window that can be moved: the only one that is ever opened, for the user wants it now.
function M.open()
  if M.window() then
    return
  end
  window = choose()
  if not window then
    local current = api.nvim_get_current_win()
    local is_file = layout.takes_files(current)
    local buffer = is_file and api.nvim_win_get_buf(current) or api.nvim_create_buf(false, false)
    if not is_file then
      vim.bo[buffer].bufhidden = 'wipe'
    end
    local where = is_file and { split = 'below', win = current } or { split = 'left', win = -1 }
    window = api.nvim_open_win(buffer, false, where)
  end
end

--- Neovim does so while it completes text, or in the command-line window.
function M.is_refusal(err)
  return tostring(err):find('E565:') ~= nil or tostring(err):find('E11:') ~= nil
end

--- Load a file into a hidden buffer, without a word or a question.
---@return integer? buffer nil if it cannot be loaded
function M.load(path)
  if swap.exists(path) or not file_buffers.opens(path) then
    return nil
  end
  local buffer = unseen.quietly(file_buffers.add, path)
  local ok, err = pcall(unseen.loudly, UNSEEN, function()
    local shortmess = vim.o.shortmess
    vim.o.shortmess = shortmess .. 'A'
    local is_done, problem = pcall(api.nvim_exec2, ('silent call bufload(%d)'):format(buffer), {})
    vim.o.shortmess = shortmess
    if not is_done then
      error(problem, 0)
    end
  end)
  if not ok and M.is_refusal(err) then
    error(err, 0)
  end
  return api.nvim_buf_is_loaded(buffer) and buffer or nil
end

--- Run something in which Neovim finds that the file of the buffer has changed: it is not to read it
--- anew, which takes marks away, nor to ask. The host brings the buffer what is new.
local function unread(buffer, action)
  local own = vim.bo[buffer].autoread
  local handler = api.nvim_create_autocmd('FileChangedShell', {
    buffer = buffer,
    callback = function()
      vim.v.fcs_choice = '' -- neither of both
    end,
  })
  local others = vim.tbl_filter(function(event)
    return event ~= 'FileChangedShell'
  end, vim.fn.getcompletion('', 'event'))
  local ok, err = pcall(unseen.loudly, others, function()
    vim.bo[buffer].autoread = false
    action()
  end)
  api.nvim_del_autocmd(handler)
  if api.nvim_buf_is_valid(buffer) then
    unseen.quietly(function()
      vim.bo[buffer].autoread = own
    end)
  end
  if not ok then
    error(err, 0)
  end
end

--- Show a buffer in the window; neither jumps nor the alternate file know of it.
local function put(buffer)
  hands.keep_step()
  unread(buffer, function()
    api.nvim_win_call(window, function()
      vim.cmd(('silent keepjumps keepalt buffer %d'):format(buffer))
    end)
  end)
  for _, own in ipairs({ 'acp_places', 'acp.review' }) do
    pcall(api.nvim_exec_autocmds, 'BufWinEnter', { group = own, buffer = buffer, modeline = false })
  end
end

--- Open the folds in which the cursor of the current window is, and have it in the middle if that is
--- wanted. No command of normal mode does so: it would take the register that the user has typed.
local function reveal(is_to_be_centered)
  while vim.fn.foldclosed('.') ~= -1 do
    vim.cmd('foldopen')
  end
  if is_to_be_centered then
    local half = math.floor(api.nvim_win_get_height(0) / 2)
    vim.fn.winrestview({ topline = math.max(vim.fn.line('.') - half, 1) })
  end
end

--- Bring the line into sight.
---@param line integer
local function go(buffer, line, is_known)
  local is_there = api.nvim_win_get_buf(window) == buffer
  if not is_there then
    put(buffer)
  elseif not is_known then
    return
  end
  local visible = is_there
    and vim.fn.line('w0', window) <= line
    and line <= vim.fn.line('w$', window)
  api.nvim_win_set_cursor(window, { line, 0 })
  api.nvim_win_call(window, function()
    reveal(not visible)
  end)
end

--- Show a place in the window, if it can be moved now. Raises when Neovim refuses.
---@param line integer 1-based
---@param is_known boolean false: no line was told
function M.move(path, line, is_known)
  local buffer = file_buffers.find(path)
  window = M.window() or choose(buffer)
  if not window or not may_move(window) then
    return
  end
  buffer = buffer or M.load(path)
  if buffer then
    go(buffer, math.min(line, api.nvim_buf_line_count(buffer)), is_known)
  end
end

return M
