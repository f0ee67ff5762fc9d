-- Whether the user is in the middle of something that an edit of a buffer would lead to other lines,
-- or whose undo it would break: then the edit waits. Who was told to wait is told when it is over.

local events = require('acp.ui.events')

local api = vim.api

require('acp.host.lazy').interpreted()

local M = {}

--- By how a mode begins; what is not here takes edits. `all`: what is typed or asked may mean any buffer,
--- not only the current one.
---@type table<string, { name: string, all?: true }>
local MODES = {
  no = { name = 'operator-pending mode' },
  ni = { name = 'a command from insert mode' },
  v = { name = 'visual mode' },
  V = { name = 'visual mode' },
  ['\22'] = { name = 'visual mode' },
  s = { name = 'select mode' },
  S = { name = 'select mode' },
  ['\19'] = { name = 'select mode' },
  R = { name = 'replace mode' },
  ic = { name = 'completion' },
  ix = { name = 'completion' },
  c = { name = 'the command line', all = true },
  r = { name = 'a question', all = true },
  ['!'] = { name = 'a question', all = true },
}

--- Whether a picker of ours waits for the choice: Neovim's own does so in the command line.
local is_asked_by_us = false

--- Let the user choose. Who finds the command line busy meanwhile is told whose it is.
---@param choose fun()
function M.while_asked(choose)
  is_asked_by_us = true
  local ok, problem = pcall(choose)
  is_asked_by_us = false
  if not ok then
    error(problem, 0)
  end
end

--- Whether Neovim lets nobody change a text (|textlock|), as in an <expr> mapping that waits for a
--- key. Else to put no lines does nothing.
local function is_locked()
  return not pcall(api.nvim_put, {}, 'c', false, false)
end

--- Whether Neovim waits in the middle of a mapping, an autocommand, a timer or a function: its state
--- tells, where the mode, or what is pending, does not say as much anyway.
---@param state string see `:help state()`
local function is_amid(mode, state)
  local says_nothing = mode:find('^n[oi]') or mode:find('^n?t') or state:find('[oa]')
  return state:find('[mxwc]') ~= nil or (state:find('S') ~= nil and not says_nothing)
end

--- What waits in a coroutine, if that function has resumed one.
---@param frame debuginfo
---@param level integer of the frame, for whom this is called by
---@return function?
local function resumed(frame, level)
  local _, thread = debug.getlocal(level + 1, 1) -- by `coroutine.resume`
  if type(thread) ~= 'thread' then
    _, thread = debug.getupvalue(frame.func, 1) -- by what `coroutine.wrap` returns
  end
  local inner = type(thread) == 'thread' and debug.getinfo(thread, 0, 'f')
  return inner and inner.func or nil
end

--- What has called Lua, and waits: what is scheduled runs meanwhile, and so does the host's call.
---@param level integer from which on the stack is looked at, for whom this is called by
---@return 'user'|'script'|nil for what: for the user, as by |getchar()|, or by `vim.wait`
local function waiting_for(level)
  local found
  level = level + 1
  local frame = debug.getinfo(level, 'fS')
  while frame do
    local called = frame.what == 'C' and (resumed(frame, level) or frame.func) or nil
    if called == vim.wait then
      found = 'script'
    elseif called and called ~= pcall and called ~= xpcall then
      return 'user'
    end
    level = level + 1
    frame = debug.getinfo(level, 'fS')
  end
  return found
end

--- In insert mode Neovim knows by number the line where the insert began, for <BS>, <C-u>, <C-w> and
--- the marks '[ and ']: what is above must keep its count of lines.
---@param hunks acp.Hunk[]? nil: any
local function is_beside_insert(hunks)
  local row = api.nvim_win_get_cursor(0)[1] - 1
  return hunks ~= nil
    and vim.iter(hunks):all(function(hunk)
      local first, last, lines = unpack(hunk)
      return first > row or (last <= row and #lines == last - first)
    end)
end

---@param is_safe? boolean nothing is half done: Neovim says so by SafeState
---@return string? doing what the user is in the middle of
---@return boolean? all in whichever buffer
local function doing(mode, is_safe)
  local state = vim.fn.state()
  if state == 'S' and waiting_for(2) == 'script' then
    state = '' -- who waits so may wait for just this
  end
  local found = MODES[mode:sub(1, 2)] or MODES[mode:sub(1, 1)]
  if vim.fn.getcmdwintype() ~= '' then
    return 'the command-line window', true
  elseif found and found.all then
    return is_asked_by_us and 'a question of acp.nvim' or found.name, true
  elseif not is_safe and (is_locked() or (state ~= '' and is_amid(mode, state))) then
    return 'a command', true
  end
  -- `o`: a register is typed, or what is inserted goes into other lines, too, at its end.
  return found and found.name or (state:find('o', 1, true) and 'a command') or nil
end

--- Whether a plugin keeps cursors in the buffer by the numbers of their lines (vim-visual-multi).
local function has_cursors(buffer)
  local ok, active = pcall(api.nvim_buf_get_var, buffer, 'visual_multi')
  return ok and active ~= 0
end

---@param hunks? acp.Hunk[] nil: any
---@param is_safe? boolean
---@return string? doing what the user is in the middle of, so that these hunks must wait
local function find(buffer, hunks, is_safe)
  if has_cursors(buffer) then
    return 'multiple cursors'
  end
  local mode = api.nvim_get_mode().mode
  local what, all = doing(mode, is_safe)
  if not what and mode ~= 'i' then
    return nil
  elseif all or buffer == api.nvim_get_current_buf() then
    return what or (not is_beside_insert(hunks) and 'insert mode' or nil)
  end
end

---@type table<integer, true> buffers whose edits wait
local waiting = {}
---@type integer? the buffer that the user writes, and has lent
local lent

--- Tell the host if something need not wait any more.
---@param is_safe? boolean
local function check(is_safe)
  local is_over = false
  for buffer in pairs(waiting) do
    if not api.nvim_buf_is_loaded(buffer) or not find(buffer, nil, is_safe) then
      waiting[buffer] = nil
      is_over = true
    end
  end
  if not next(waiting) then
    events.leave('acp_hands')
  end
  if is_over then
    require('acp.ui.notice').over()
  end
  local bridge = package.loaded['acp.host.bridge']
  if is_over and bridge then
    bridge.tell_running('free')
  end
end

local function watch()
  local on = events.group('acp_hands')
  local desc = 'What an agent has written waits for the end of a command'
  -- Not scheduled: each event that is would bring the next SafeState.
  on('SafeState', desc, function()
    check(true)
  end)
  -- In terminal mode nothing is ever safe.
  on({ 'ModeChanged', 'BufEnter' }, desc, function()
    check()
  end, { later = true })
end

--- Raise, as Neovim does where it refuses, while lines are typed for |:append|, |:insert| or |:change|:
--- another buffer in a window may end their step of undo, and what is typed then is in none.
function M.keep_step()
  if vim.fn.getcmdtype() == '-' then
    error('E565: not while lines are typed', 0)
  end
end

--- Whether the user is in the middle of nothing: the cursor may go elsewhere, or its window away.
function M.are_off()
  local mode = api.nvim_get_mode().mode
  return mode:find('^nt?$') ~= nil and not doing(mode)
end

--- Show what the user has asked for a while ago, unless something else is in hand by now: what is
--- typed would go there.
---@param name string of what is shown
---@param show fun(...: any)
---@return boolean shown
function M.calmly(name, show, ...)
  local is_calm = M.are_off()
  if is_calm then
    show(...)
  else
    local text = '%s is not shown while you type: give the command again'
    require('acp.ui.notice').notice(text:format(name))
  end
  return is_calm
end

--- Run something while that buffer takes any edit: the user's write of it waits for that.
function M.lend(buffer, action)
  local before = lent
  lent = buffer
  action()
  lent = before
end

--- What the user is in the middle of, so that these hunks of the buffer must wait, or nil. When it
--- is over the host is told: `free`.
---@return string? doing
function M.busy(buffer, hunks)
  local what = buffer ~= lent and find(buffer, hunks)
  -- In what was scheduled no state tells of it: it is below the function that the host has called.
  what = what or (buffer ~= lent and waiting_for(4) == 'user' and 'a command') or nil
  if what and not next(waiting) then
    watch()
  end
  if what then
    waiting[buffer] = true
  elseif waiting[buffer] then
    waiting[buffer] = nil
    require('acp.ui.notice').over()
  end
  return what
end

return M
