-- The list of the sessions: a buffer that stays, below or as a sidebar, drawn by the host whenever
-- something changes. With the lines comes, as `b:acp_status`, which session stands in which line:
-- what a key does is for that one.

local apply = require('acp.ui.apply')
local bridge = require('acp.host.bridge')
local chats = require('acp.chat.registry')
local events = require('acp.ui.events')
local keys = require('acp.ui.keys')
local dress = require('acp.ui.dress')
local hands = require('acp.files.hands')
local layout = require('acp.ui.layout')
local notice = require('acp.ui.notice')
local options = require('acp.host.options')
local life = require('acp.ui.life')
local unseen = require('acp.ui.unseen')

local api = vim.api

local M = {}

local ROWS = 10
local LEAST, MOST = 26, 40 -- cells of a sidebar

---@alias acp.ListedSession table see `view/lists/session_list.py`

---@type integer? the buffer
local list

---@param row acp.ListedSession
---@param action 'open'|'close'|'rename'|'delete'|'answer'
---@param title? string
local function tell(row, action, title)
  local payload = { list = list, action = action, title = title }
  payload.agent, payload.session, payload.chat = row.agent, row.session, row.chat
  payload.call = row.call
  if action ~= 'open' or not row.call then
    return bridge.notify('session', payload)
  end
  bridge.ask('session', payload, function(place)
    hands.calmly('the chat', require('acp.chat.window').show_row, place.chat, place.row)
  end)
end

--- Compare the worktrees of the selected rows.
local function compare()
  local rows, first, last = (vim.b.acp_status or {}).rows or {}, vim.fn.line('v'), vim.fn.line('.')
  local names = {}
  for line = math.min(first, last), math.max(first, last) do
    local name = rows[line] and rows[line].worktree
    if name and not vim.list_contains(names, name) then
      table.insert(names, name)
    end
  end
  vim.cmd('normal! \27')
  if #names == 0 then
    return notice.notice('no session of these has a worktree')
  end
  vim.cmd.Acp({ args = { 'compare', unpack(names) } })
end

--- Do something with the session of the row.
---@param run fun(row: acp.ListedSession)
local function doing(run)
  return function()
    local rows = (vim.b.acp_status or {}).rows or {}
    local row = rows[api.nvim_win_get_cursor(0)[1]]
    if not row then
      return notice.notice('no session here')
    end
    run(row)
  end
end

---@param action 'open'|'close'|'delete'|'answer'
local function telling(action)
  return doing(function(row)
    tell(row, action)
  end)
end

local rename = doing(function(row)
  vim.ui.input({ prompt = 'Title: ', default = row.title }, function(title)
    if title and vim.trim(title) ~= '' then
      tell(row, 'rename', title)
    end
  end)
end)

---@param line string
---@param words string
---@return boolean whether all the words are in the line, whatever their case
local function has(line, words)
  local low = vim.fn.tolower(line)
  return vim.iter(vim.gsplit(vim.fn.tolower(words), '%s+', { trimempty = true })):all(function(word)
    return low:find(word, 1, true) ~= nil
  end)
end

local function filter()
  local shown = (vim.b.acp_status or {}).filter
  vim.ui.input({ prompt = 'Sessions with: ', default = shown }, function(words)
    if not words or not list or api.nvim_get_current_buf() ~= list then
      return
    end
    for number, line in ipairs(api.nvim_buf_get_lines(0, 0, -1, true)) do
      if has(line, words) then -- so that the next key is for it
        api.nvim_win_set_cursor(0, { number, 0 })
        break
      end
    end
    bridge.notify('filter_sessions', { list = list, words = words })
  end)
end

local function map_keys(buffer)
  keys.map_all(buffer, {
    { '<CR>', 'Continue the session', telling('open'), 'list-open' },
    { 'a', 'Answer the question that waits there', telling('answer'), 'list-answer' },
    { 'c', 'Close the session', telling('close'), 'list-close' },
    { 'r', 'Rename the session', rename, 'list-rename' },
    { 'D', 'Delete the session for good', telling('delete'), 'list-delete' },
    { 'N', 'Open a session in a worktree', '<Plug>(acp-worktree)' },
    { '=', 'Compare the worktrees', '<Plug>(acp-compare)' },
  })
  keys.map(buffer, 'x', '=', 'Compare the changes of the sessions', compare, 'list-compare')
  local question = 'Go to the question that waits, of any session'
  keys.map_all(buffer, {
    { ']q', question, '<Plug>(acp-next-question)' },
    { '/', 'Show only the sessions with these words', filter, 'list-filter' },
  })
  keys.map(buffer, 'n', 'q', 'Close the window', function()
    pcall(layout.close_window, api.nvim_get_current_win())
  end, 'close')
end

local function watch(buffer)
  events.on('BufWinEnter', 'What the list of sessions looks like', function()
    dress.window(0, vim.w.acp_sidebar and dress.SIDEBAR or dress.LIST)
  end, { buffer = buffer })
  events.on('BufWipeout', 'The list of sessions is closed', function()
    list = nil
    if vim.v.exiting == vim.NIL then
      bridge.tell_running('list_closed', { list = buffer })
    end
  end, { buffer = buffer })
end

---@return integer cells: as the user has left it in this tabpage, else a fifth of the editor
local function sidebar_width()
  local share = math.floor(vim.o.columns / 5)
  local wanted = vim.t.acp_sidebar or math.max(LEAST, math.min(share, MOST))
  return math.max(1, math.min(wanted, math.floor(vim.o.columns / 2)))
end

---@return boolean whether it shows it, or does so again in a moment
local function shows(window, buffer)
  return layout.held(window) == buffer or api.nvim_win_get_buf(window) == buffer
end

--- Whether the host was told that it is on the screen.
local is_shown = true

--- Tell the host whether it is; while nobody sees it nothing in it turns.
local function look(buffer)
  local now = layout.window_of(buffer) ~= nil
  if now == is_shown then
    return
  end
  is_shown = now
  life.set(buffer, now and vim.b[buffer].acp_status or {})
  bridge.tell_running('list_shown', { list = buffer, shown = now })
end

--- Its last window is closed: it goes. Later, for what is shown in such a window goes elsewhere first.
local function settle(buffer)
  vim.schedule(function()
    if vim.v.exiting ~= vim.NIL or not api.nvim_buf_is_valid(buffer) then
      return
    end
    local is_anywhere = vim.iter(api.nvim_list_wins()):any(function(window)
      return shows(window, buffer)
    end)
    if not is_anywhere then
      return unseen.delete(buffer)
    end
    look(buffer)
  end)
end

--- Let the list be a column that stays: one for each tabpage that wants it, all with the same buffer,
--- which stays while a window holds it, whatever is shown there for a moment.
local function make_sidebar(buffer)
  vim.bo[buffer].bufhidden = 'hide'
  is_shown = true
  local on = events.group('acp.sidebar')
  on('WinClosed', 'The list of sessions keeps its width; without a window it ends', function(event)
    local window = assert(tonumber(event.match))
    if not api.nvim_win_is_valid(window) or not shows(window, buffer) then
      return
    end
    if api.nvim_win_get_width(window) < vim.o.columns then
      local tabpage = api.nvim_win_get_tabpage(window)
      api.nvim_tabpage_set_var(tabpage, 'acp_sidebar', api.nvim_win_get_width(window))
    end
    settle(buffer)
  end)
  local function seen()
    settle(buffer)
  end
  local desc = 'The list of sessions is drawn where it is seen'
  on('TabEnter', desc, seen)
  on({ 'BufEnter', 'BufLeave' }, desc, seen, { buffer = buffer })
end

local function make(is_sidebar)
  local buffer = chats.list('acp-sessions')
  if is_sidebar then
    make_sidebar(buffer)
  end
  watch(buffer)
  map_keys(buffer)
  return buffer
end

--- Show the sessions in a window below or in a sidebar, or go to the window that shows them; either way they are asked
--- for anew.
---@param file string of the project, '' for none
function M.open(file, cwd)
  local is_sidebar = options.value('ui', 'sessions') == 'sidebar'
  list = list or make(is_sidebar)
  is_sidebar = vim.bo[list].bufhidden == 'hide' -- as it was when it was opened
  local window = layout.window_of(list)
  if window then
    api.nvim_set_current_win(window)
  elseif is_sidebar then
    layout.open_sidebar(list, sidebar_width())
    look(list)
  else
    layout.open_list(list, math.max(math.min(ROWS, math.floor(vim.o.lines / 3)), 1))
  end
  local payload = { list = list, file = file, cwd = cwd, sidebar = is_sidebar }
  apply.expect(list, 'Reading the sessions …')
  bridge.ask('list_sessions', payload, nil, function(err)
    apply.expect(list, err)
  end)
end

return M
