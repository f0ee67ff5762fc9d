-- Work on what no window shows: buffers are made, filled and named without the user's autocommands,
-- which would act on what the user does at that moment (`autocmd TermOpen * startinsert`). What
-- configurations wait for comes all the same: `FileType` at once, `TermOpen` once the buffer is shown.
-- Where the user's autocommands run so, mode, window and cursor are afterwards what they were.

local events = require('acp.ui.events')

local api = vim.api

require('acp.host.lazy').interpreted()

local M = {}

---@type fun()[] what `run` is to call; the last one first
local actions = {}
local is_quiet = false -- no autocommand runs now
---@type string 'eventignore' of the user, while it is ours
local users = ''
---@type table<integer, (fun())[]> by buffer: what is done once it is shown
local waiting = {}
---@type table<integer, true> buffers that were made here
local own = events.by_buffer()
---@type table<string, true> handlers that have failed, and of which the user was told
local reported = {}

--- Only for the command below.
function M.run()
  table.remove(actions)()
end

--- Run something with `:noautocmd`, of which no `OptionSet` tells. Raises what it raises.
---@param action fun(...: any): any
---@return any
function M.quietly(action, ...)
  if is_quiet then
    return action(...)
  end
  local ok, result
  local outer, given, count = users, { ... }, select('#', ...)
  users, is_quiet = api.nvim_get_option_value('eventignore', {}), true
  table.insert(actions, function()
    ok, result = pcall(action, unpack(given, 1, count))
  end)
  local depth = #actions
  pcall(api.nvim_command, "noautocmd lua require('acp.ui.unseen').run()")
  if #actions == depth then -- the user has typed <C-c>: Neovim has not run it
    M.run()
  end
  users, is_quiet = outer, false
  if not ok then
    error(result, 0)
  end
  return result
end

---@alias acp.Hands table where the user is, and in which mode

---@return acp.Hands `selects`: in visual or select mode, which does not lead back to insert mode
local function hands()
  local mode = api.nvim_get_mode().mode
  return {
    mode = mode,
    selects = mode:find('^[vVsS\22\19]') ~= nil and vim.fn.state('S') == '',
    window = api.nvim_get_current_win(),
    windows = api.nvim_tabpage_list_wins(0),
    previous = vim.fn.win_getid(vim.fn.winnr('#')),
    buffer = api.nvim_get_current_buf(),
    tick = vim.b.changedtick,
    view = vim.fn.winsaveview(),
  }
end

local listener = api.nvim_create_namespace('acp_unseen')

--- Hold insert mode no longer.
local function let_go()
  vim.on_key(nil, listener)
  pcall(api.nvim_del_augroup_by_name, 'acp.unseen.insert')
end

--- End insert mode, or keep it from beginning; silently, or Neovim clears the message on the screen.
local function end_insert()
  vim.cmd.stopinsert({ mods = { silent = true } })
end

--- End insert mode, as the result of a user's command.
function M.stop_insert()
  let_go()
  end_insert()
end

local is_leaving = false -- the user leaves insert mode

--- Do something while the user leaves insert mode, which nothing that runs meanwhile keeps.
function M.leaving(action, ...)
  is_leaving = true
  local ok, err = pcall(action, ...)
  is_leaving = false
  if not ok then
    error(err, 0)
  end
end

--- A handler may have ended insert mode, which Neovim leaves only when it comes to the next key: then
--- it is entered again, at the same place.
local function hold_insert()
  if is_leaving then
    return
  end
  local cursor = api.nvim_win_get_cursor(0)
  local on = events.group('acp.unseen.insert')
  vim.on_key(let_go, listener)
  on('InsertLeave', 'Insert mode goes on', function()
    let_go()
    api.nvim_win_set_cursor(0, cursor)
    -- `:startinsert` waits for the end of a command, which another event may keep from coming
    local is_end = cursor[2] >= #api.nvim_get_current_line()
    api.nvim_feedkeys(is_end and 'A' or 'i', 'ni', false)
  end)
end

--- Close the windows that handlers have split off for what nobody sees.
---@param before acp.Hands
local function close_splits(before)
  for _, window in ipairs(api.nvim_tabpage_list_wins(0)) do
    local is_new = not vim.list_contains(before.windows, window)
    if is_new and api.nvim_win_get_config(window).relative == '' then
      pcall(api.nvim_win_close, window, false)
    end
  end
end

---@param before acp.Hands
local function restore(before)
  if api.nvim_win_is_valid(before.window) then
    if api.nvim_get_current_win() ~= before.window then
      if api.nvim_win_is_valid(before.previous) then
        api.nvim_set_current_win(before.previous)
      end
      api.nvim_set_current_win(before.window)
    end
    close_splits(before)
    if api.nvim_get_current_buf() ~= before.buffer and api.nvim_buf_is_valid(before.buffer) then
      api.nvim_win_set_buf(before.window, before.buffer)
    end
    -- where a formatter has changed the text, the cursor has gone along with it
    local is_same = api.nvim_buf_get_changedtick(0) == before.tick
    if is_same and not vim.deep_equal(vim.fn.winsaveview(), before.view) then
      vim.fn.winrestview(before.view)
    end
  end
  if before.mode == 'n' or before.mode == 'nt' or before.selects then
    end_insert()
  elseif before.mode:find('^i') then
    hold_insert()
  end
end

--- Run something with the user's autocommands, but for some events, in the middle of whatever the
--- user does: mode, window and cursor stay. Raises what it raises.
---@generic T
---@param ignored string[] events
---@param action fun(): T
---@return T
function M.loudly(ignored, action)
  local before = hands()
  local ok, result
  M.quietly(function()
    -- `OptionSet` would tell of this very option
    local all = vim.list_extend({ 'OptionSet' }, ignored)
    vim.o.eventignore = table.concat(vim.list_extend(all, { users ~= '' and users or nil }), ',')
    is_quiet = false
    ok, result = pcall(action)
    vim.o.eventignore, is_quiet = 'all', true
    restore(before)
  end)
  if not ok then
    error(result, 0)
  end
  return result
end

--- Fire an event of a buffer for the user's configuration. A handler that fails is told, once.
---@param event string
---@param pattern? string what it is matched with, if not the name of the buffer
---@param data? any
function M.fire(buffer, event, pattern, data)
  local where = not pattern and buffer or nil
  local options = { modeline = false, pattern = pattern, buffer = where, data = data }
  local ok, err = pcall(M.loudly, {}, function()
    return api.nvim_buf_call(buffer, function()
      -- as a function, or Neovim shows an error of several lines, and waits for <CR>
      api.nvim_call_function('nvim_exec_autocmds', { event, options })
    end)
  end)
  if not ok and not reported[event] then
    reported[event] = true
    local notice = require('acp.ui.notice')
    notice.warn(('a handler of %s failed: %s'):format(event, notice.reason(err)))
  end
end

--- A buffer is shown now: what waits for that comes.
function M.shown(buffer)
  local actions_of = waiting[buffer]
  waiting[buffer] = nil
  for _, action in ipairs(actions_of or {}) do
    if api.nvim_buf_is_loaded(buffer) then
      action()
    end
  end
end

--- Do something when the buffer is shown: at once if a window shows it.
function M.when_shown(buffer, action)
  if not waiting[buffer] and #vim.fn.win_findbuf(buffer) > 0 then
    return action()
  end
  waiting[buffer] = waiting[buffer] or {}
  table.insert(waiting[buffer], action)
end

--- Have something done soon, once for all that asks for it until then.
---@return fun() ask
function M.soon(action)
  local is_due = false
  return function()
    if not is_due then
      is_due = true
      vim.schedule(function()
        is_due = false
        action()
      end)
    end
  end
end

--- Let a window show another part of its buffer, from wherever the user is.
---@param view table as `winsaveview()` has it, or some of that
function M.scroll(window, view)
  api.nvim_win_call(window, function()
    vim.fn.winrestview(view)
  end)
end

--- Set options of a buffer.
function M.set(buffer, options)
  for name, value in pairs(options) do
    vim.bo[buffer][name] = value
  end
end

--- Make a buffer that is not listed, and give it what it is to have. It can be written in, also where
--- the user has turned 'modifiable' off for all files (`nvim -M`).
---@param fill? fun(buffer: integer)
---@param options? table<string, any> of the buffer
---@return integer buffer
function M.buffer(fill, options)
  local made = M.quietly(function()
    local buffer = api.nvim_create_buf(false, true)
    vim.bo[buffer].modifiable = true
    own[buffer] = true
    vim.b[buffer].acp_own = true -- :mksession keeps options and names, but not this
    if fill then
      fill(buffer)
    end
    M.set(buffer, options or {})
    return buffer
  end)
  if vim.bo[made].buftype == 'terminal' then
    M.when_shown(made, function()
      M.fire(made, 'TermOpen')
    end)
  end
  if vim.bo[made].filetype ~= '' then
    M.fire(made, 'FileType', vim.bo[made].filetype)
  end
  return made
end

--- Whether a buffer was made here, and has no file.
---@param buffer integer
function M.is_own(buffer)
  return own[buffer] ~= nil
end

--- Wipe a buffer; who has asked to hear of that does, and nothing else of it is felt.
function M.delete(buffer)
  waiting[buffer] = nil
  pcall(M.loudly, {}, function()
    api.nvim_buf_delete(buffer, { force = true })
  end)
end

--- Have a buffer of that name, and let `acp://` names be read, which makes them chats.
---@return integer buffer
function M.read(name)
  return M.quietly(function()
    local buffer = vim.fn.bufadd(name)
    vim.bo[buffer].swapfile = false
    vim.cmd(('silent call bufload(%d)'):format(buffer))
    for _, it in ipairs(api.nvim_get_autocmds({ group = 'acp', event = 'BufReadCmd' })) do
      it.callback({ buf = buffer, match = name })
    end
    return buffer
  end)
end

local on = events.group('acp.unseen')

on({ 'BufWinEnter', 'BufEnter' }, 'What a configuration wants to hear of it', function(event)
  if waiting[event.buf] and vim.fn.win_gettype() ~= 'autocmd' then
    M.shown(event.buf)
  end
end)

return M
